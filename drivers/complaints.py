"""What goes wrong on a device's line, in the words of DeviceFault, and how often it is told.

Owns the bursts, the tally of forged frames and the words; knows no session and no order. A flood on the line never
becomes a flood of faults.
"""

from __future__ import annotations

from collections import deque
from typing import assert_never

from drivers.events import DeviceFault
from drivers.wire.framing import FrameFault
from drivers.wire.link import BadMessage, Link
from drivers.wire.pacing import MS, Burst
from drivers.wire.session import Tamper, Tampered

MAX_TEXTS = 8
BROKEN_OFF_NS = 500 * MS
FORGED_MOST = 3  # so many forged frames ...
FORGED_NS = 10_000 * MS  # ... in this time, and the line is not trusted any more


class Complaints:
    """One line's troubles. Every call gives the faults to tell now, mostly none."""

    def __init__(self, device: str, link: Link) -> None:
        self._device, self._link = device, link
        self._noise = Burst()
        self._texts: dict[tuple[str, str], Burst] = {}
        self._forged: deque[int] = deque(maxlen=FORGED_MOST)
        self._begun_ns: int | None = None

    def reset(self) -> None:
        """Another connection: what was told of the last one may be told again."""
        self._texts.clear()
        self._begun_ns = None

    def noise(self, fault: FrameFault, now_ns: int) -> list[DeviceFault]:
        """A damaged frame."""
        if not self._noise.tell(now_ns):
            return []
        return [self.fault("noise", f"{fault}; {self._link.noise} damaged frames so far")]

    def heard(self, unfinished: int, now_ns: int) -> None:
        """Bytes came; so many of them are a frame that has begun and not ended."""
        self._begun_ns = now_ns if unfinished else None

    def broken_off(self, unfinished: int, now_ns: int) -> list[DeviceFault]:
        """Such a frame is never read as a message; that it does not go on is told once."""
        if self._begun_ns is None or now_ns - self._begun_ns < BROKEN_OFF_NS:
            return []
        self._begun_ns = None
        return [self.fault("truncated", f"a frame broke off after {unfinished} bytes")]

    def protocol(self, bad: BadMessage, now_ns: int) -> list[DeviceFault]:
        """A whole frame that breaks the protocol; an event that does blocks everything behind it."""
        return self.once("unreadable_event" if bad.event else "protocol", bad.what, now_ns)

    def tampered(self, found: Tampered, now_ns: int, expected: str) -> list[DeviceFault]:
        """A whole frame that no honest device sends: told by kind; too many forged ones end all trust.

        `expected`: the kind of device that belongs here, such as SHOE.
        """
        match found.kind:
            case Tamper.FORGED:
                told = self.once("forged", "a frame that our key does not open was refused", now_ns)
                return [*told, *self._distrust(now_ns)]
            case Tamper.REPLAYED:
                return self.once("replayed", "a frame of this session came twice or out of order", now_ns)
            case Tamper.OLD_SESSION:
                return self.once("old_session", "a frame of an earlier session was refused", now_ns)
            case Tamper.DOWNGRADE:
                return self.once(
                    "downgrade", "a frame in clear was refused: not the paired device, or not paired", now_ns
                )
            case Tamper.WRONG_KEY:
                return self._wrong_key(found, now_ns, expected)
            case Tamper.UNPAIRED:
                return self.once("unpaired", "this table has no key for it: pair it", now_ns)
            case _:
                assert_never(found.kind)

    def once(self, code: str, detail: str, now_ns: int) -> list[DeviceFault]:
        """A fault told once in a burst, of a few texts only."""
        if (code, detail) not in self._texts and len(self._texts) >= MAX_TEXTS:
            return []
        burst = self._texts.setdefault((code, detail), Burst())
        return [self.fault(code, detail)] if burst.tell(now_ns) else []

    def fault(self, code: str, detail: str) -> DeviceFault:
        """Of this device."""
        return DeviceFault(self._device, code, detail)

    def _wrong_key(self, found: Tampered, now_ns: int, expected: str) -> list[DeviceFault]:
        """Ports that were swapped are told as such: it says of itself that it is another kind of device."""
        claimed = found.claimed
        kind = claimed.model.split("/")[0] if claimed else expected
        if kind != expected:
            return self.once("wrong_device", f"wrong device: expected {expected}, got {kind}", now_ns)
        who = f"{claimed.model} {claimed.serial}" if claimed else "device"
        return self.once("wrong_key", f"{who} does not prove this table's key", now_ns)

    def _distrust(self, now_ns: int) -> list[DeviceFault]:
        self._forged.append(now_ns)
        if len(self._forged) < FORGED_MOST or now_ns - self._forged[0] > FORGED_NS:
            return []
        self._forged.clear()
        return self.once("tampered", f"{FORGED_MOST} forged frames within {FORGED_NS // (1000 * MS)} s", now_ns)
