"""Lines of text from a device that prints them: scanners, badge readers. Sans-I/O; time comes in as an argument.

Owns the cut of a byte stream into lines, with bounded memory. Never gives half a line as a line: one that does not end
in time, or is longer than any code, comes out as torn.
"""

from __future__ import annotations

import msgspec

MAX_LINE = 64
MS = 1_000_000


class Printed(msgspec.Struct, frozen=True):
    """One line, without its end. Its bytes may be a card's code: no repr shows them."""

    raw: bytes

    def __repr__(self) -> str:
        return f"Printed({len(self.raw)} bytes)"


class Torn(msgspec.Struct, frozen=True):
    """Bytes that are no line: `unfinished` (no end came in time) or `too_long` (its first bytes only)."""

    reason: str
    raw: bytes

    def __repr__(self) -> str:
        return f"Torn({self.reason}, {len(self.raw)} bytes)"


class LineCutter:
    """Bytes in any cut to lines. Any byte of `ends` ends a line; empty lines are none."""

    def __init__(self, ends: bytes, unfinished_ms: int) -> None:
        self._ends = frozenset(ends)
        self._unfinished_ns = unfinished_ms * MS
        self._held = bytearray()
        self._skipping = False  # the rest of a line that was too long
        self._last_ns = 0

    @property
    def next_ns(self) -> int | None:
        """When what is held becomes torn; None while nothing is."""
        return self._last_ns + self._unfinished_ns if self._held else None

    def feed(self, data: bytes, now_ns: int) -> list[Printed | Torn]:
        """Bytes came."""
        found = self.tick(now_ns)
        self._last_ns = now_ns
        for byte in data:
            if byte in self._ends:
                if self._held:
                    found.append(Printed(bytes(self._held)))
                self._held.clear()
                self._skipping = False
            elif not self._skipping:
                self._held.append(byte)
                if len(self._held) > MAX_LINE:
                    found.append(Torn("too_long", bytes(self._held[:MAX_LINE])))
                    self._held.clear()
                    self._skipping = True
        return found

    def tick(self, now_ns: int) -> list[Printed | Torn]:
        """Time passed: a line that has waited too long for its end is torn."""
        due = self.next_ns
        return self.end() if due is not None and now_ns >= due else []

    def end(self) -> list[Printed | Torn]:
        """Nothing more comes: what is held is torn."""
        held = bytes(self._held)
        self._held.clear()
        self._skipping = False
        return [Torn("unfinished", held)] if held else []
