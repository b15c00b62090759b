"""A plain reader: a scanner that prints a code per card (bar code, RFID). Sans-I/O, on the loop thread.

It has no log, no numbers and no proof of who it is, so the driver counts for it and marks every card untrusted. What
cannot be told for certain is never a card: it is told as a doubt, and people say how many cards it was.
"""

from __future__ import annotations

import re
from collections import deque

from drivers.events import CardRead, DeviceEvent, DeviceFault, DeviceReady, DoubtfulRead
from drivers.losses import Losses
from drivers.reader_codes import CodeTable
from drivers.text_lines import MS, LineCutter, Printed, Torn
from drivers.wire.pacing import Burst

AGAIN_NS = 500 * MS
MAX_WAITING = 64
MAX_RAW = 24  # bytes of a doubtful line that are kept: with more, a sealed record could tell their number
MODEL = "READER/ascii"


class PlainReader:
    """One reader. `last_event`: the last number that is on disk; the driver counts on from there."""

    def __init__(self, name: str, table: CodeTable, last_event: int) -> None:
        self._name = name
        self._codes = table.codes
        self._pattern, self._ignore = re.compile(table.pattern), re.compile(table.ignore)
        self._repeat_ns = table.repeat_ms * MS
        self._lines = LineCutter(table.ends.encode("ascii"), table.unfinished_ms)
        self._last = last_event
        self._waiting: deque[CardRead | DoubtfulRead] = deque()  # told, but not on disk yet
        self._again_ns = 0
        self._seen: dict[str, int] = {}  # good scans of the last `repeat_ms`: code and when it was last printed
        self._repeats = 0
        self._repeating = Burst()
        self._doubting = Burst()
        self._deal = False
        self._losses = Losses(name)

    @property
    def name(self) -> str:
        """As in every event."""
        return self._name

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        due = [self._lines.next_ns, self._again_ns if self._waiting else None]
        return min((t for t in due if t is not None), default=None)

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open. What was scanned before is lost: nobody knows whether it was anything."""
        self._losses.ready()
        ready = DeviceReady(self._name, MODEL, "", "", "", 0, 0)
        return [ready, *self._tell(self._doubt("away", b""), now_ns)]

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone or did not open. Told once for each reason."""
        torn = [event for item in self._lines.end() for event in self._take(item, now_ns)]
        return [*torn, *self._losses.lost(reason)]

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        return [event for item in self._lines.feed(data, now_ns) for event in self._take(item, now_ns)]

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """A line without an end is torn; what is not on disk yet is told again, in order."""
        found = [event for item in self._lines.tick(now_ns) for event in self._take(item, now_ns)]
        if self._waiting and now_ns >= self._again_ns:
            self._again_ns = now_ns + AGAIN_NS
            return list(self._waiting)
        return found

    def outgoing(self) -> bytes:
        """Nothing is ever said to a plain reader."""
        return b""

    def acknowledge(self, event_no: int) -> None:
        """Events up to this one are on disk."""
        while self._waiting and self._waiting[0].event_no <= event_no:
            self._waiting.popleft()

    def adopt(self, event_no: int) -> None:
        """People have decided that the count goes on after this number."""
        self._waiting.clear()
        self._last = event_no

    def enable_deal(self, enabled: bool) -> None:
        """A plain reader holds no card back. With each new deal the next doubt is told at once."""
        if enabled and not self._deal:
            self._doubting = Burst()
        self._deal = enabled

    # -- what was printed ---------------------------------------------------------------------------------------

    def _take(self, item: Printed | Torn, now_ns: int) -> list[DeviceEvent]:
        match item:
            case Torn(reason=reason, raw=raw):
                return self._tell_doubt(reason, raw, now_ns)
            case Printed(raw=raw):
                return self._line(raw, now_ns)

    def _line(self, raw: bytes, now_ns: int) -> list[DeviceEvent]:
        text = raw.decode("ascii", "replace")
        if self._ignore.pattern and self._ignore.fullmatch(text):
            return []
        match = self._pattern.fullmatch(text)
        code = match["code"] if match is not None else ""
        card = self._codes.get(code)
        if card is None:
            return self._tell_doubt("unknown_code", raw, now_ns)
        self._seen = {one: t for one, t in self._seen.items() if now_ns - t < self._repeat_ns}
        repeated = code in self._seen
        self._seen[code] = now_ns
        if repeated:
            return self._tell_repeat(now_ns)
        return self._tell(CardRead(self._name, self._last + 1, card, trusted=False), now_ns)

    def _tell_repeat(self, now_ns: int) -> list[DeviceEvent]:
        self._repeats += 1
        if not self._repeating.tell(now_ns):
            return []
        return [DeviceFault(self._name, "double_scan", f"{self._repeats} so far")]

    def _tell_doubt(self, reason: str, raw: bytes, now_ns: int) -> list[DeviceEvent]:
        """Once a burst: after the first, people count what lies on the felt anyway."""
        return self._tell(self._doubt(reason, raw), now_ns) if self._doubting.tell(now_ns) else []

    def _doubt(self, reason: str, raw: bytes) -> DoubtfulRead:
        return DoubtfulRead(self._name, self._last + 1, reason, raw[:MAX_RAW].hex())

    def _tell(self, event: CardRead | DoubtfulRead, now_ns: int) -> list[DeviceEvent]:
        if len(self._waiting) > MAX_WAITING:
            return []  # the last one that waits says that there was more
        if len(self._waiting) == MAX_WAITING:
            event = self._doubt("overflow", b"")
        if not self._waiting:
            self._again_ns = now_ns + AGAIN_NS
        self._last = event.event_no
        self._waiting.append(event)
        return [event]
