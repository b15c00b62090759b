"""A badge reader: prints a line per badge (serial, or a keyboard wedge behind a serial converter). Sans-I/O.

Owns lines and repeats; knows nobody's name. A badge's number is as good as a key: no repr and no fault shows it.
"""

from __future__ import annotations

import re

from drivers.events import BadgeRead, DeviceEvent, DeviceFault, DeviceReady
from drivers.losses import Losses
from drivers.text_lines import MS, LineCutter, Printed, Torn
from drivers.wire.pacing import Burst

MODEL = "BADGE/ascii"
REPEAT_NS = 2000 * MS  # a badge that stays in the field is shown once
UNFINISHED_MS = 1000


class BadgeReader:
    """One reader. `pattern` matches a whole line and names its group `badge`."""

    def __init__(self, name: str, pattern: str, ends: str = "\r\n") -> None:
        self._name = name
        self._pattern = re.compile(pattern)
        self._lines = LineCutter(ends.encode("ascii"), UNFINISHED_MS)
        self._badge, self._badge_ns = "", 0
        self._unknown = Burst()
        self._losses = Losses(name)

    @property
    def name(self) -> str:
        """As in every event."""
        return self._name

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        return self._lines.next_ns

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open."""
        self._losses.ready()
        return [DeviceReady(self._name, MODEL, "", "", "", 0, 0)]

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone or did not open. Told once for each reason."""
        self._lines.end()
        return self._losses.lost(reason)

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        return [event for item in self._lines.feed(data, now_ns) for event in self._take(item, now_ns)]

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """A line without an end is no badge."""
        return [event for item in self._lines.tick(now_ns) for event in self._take(item, now_ns)]

    def outgoing(self) -> bytes:
        """Nothing is ever said to it."""
        return b""

    def _take(self, item: Printed | Torn, now_ns: int) -> list[DeviceEvent]:
        text = item.raw.decode("ascii", "replace") if isinstance(item, Printed) else ""
        match = self._pattern.fullmatch(text)
        if match is None or not match["badge"]:
            told = self._unknown.tell(now_ns)
            return [DeviceFault(self._name, "unknown_badge", "a line that is no badge")] if told else []
        badge = match["badge"]
        repeated = badge == self._badge and now_ns - self._badge_ns < REPEAT_NS
        self._badge, self._badge_ns = badge, now_ns
        return [] if repeated else [BadgeRead(self._name, badge)]
