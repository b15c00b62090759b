"""The joker board and the text display behind SPI, as docs/wiring.md describes them: what is lit, what is shown.

The board latches only a right frame and answers about the state before; open lamps, dead supply and noise are switches.
Must never repair a frame: a wrong one leaves what is shown as it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from firmware_sim.errors import BenchError
from firmware_sim.wiring import BOXES, LAMPS

FRAME_BYTES = 16
MARK_FRAME = 0x4A
MARK_ANSWER = 0xB5
BLANK = " " * 20
DARK_AFTER_S = 3.0  # no right frame for so long: whoever drove the board is gone
LINE_STARTS = {0x80: 0, 0xA0: 1, 0xC0: 2, 0xE0: 3}


def crc8(data: bytes) -> int:
    """CRC-8, polynomial 07, start 0, not reflected."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1) ^ (0x107 if value & 0x80 else 0)
    return value


class LedBoard:
    """Lamps with read-back, error word and bet sensors."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._latched_at = 0.0
        self._counter = 0
        self._lamps = bytes(6)
        self._sensors = self._stuck = 0
        self.broken: set[str] = set()  # lamps found open (or short, which reads the same)
        self.dead = False
        self.frames = 0
        self.refused = 0

    def transfer(self, data: list[int]) -> list[int]:
        """One period of select low."""
        with self._lock:
            if self.dead:
                return [0] * len(data)
            self._watch()
            answer = self._answer()
            self._latch(bytes(data))
        return (list(answer) + [0xFF] * len(data))[: len(data)]

    def sense(self, box: int, *, chip: bool) -> None:
        """A chip lies on (or was taken from) the side bet's sensor of this box."""
        if not 1 <= box <= BOXES:
            raise BenchError(729, "no such bet sensor", f"box {box}", f"use 1 to {BOXES}")
        bit = 1 << (box - 1)
        with self._lock:
            self._sensors = self._sensors | bit if chip else self._sensors & ~bit | self._stuck

    def stick_sensor(self, box: int) -> None:
        """This sensor says "chip" from now on, whatever lies there."""
        self._stuck |= 1 << (box - 1)
        self.sense(box, chip=True)

    def chips(self) -> list[int]:
        """Boxes with a chip on their sensor."""
        return [box for box in range(1, BOXES + 1) if self._sensors >> (box - 1) & 1]

    def break_lamp(self, name: str) -> None:
        """This lamp is open from now on."""
        if name not in LAMPS:
            raise BenchError(708, "no such lamp", name, "use a name like `rank A`, `suit s`, `green 3` or BET")
        self.broken.add(name)

    def power(self, *, on: bool) -> None:
        """Supply off: the line reads zeros. On again: nothing lit, counter 0."""
        with self._lock:
            self.dead = not on
            self._counter, self._lamps = 0, bytes(6)

    @property
    def counter(self) -> int:
        """Counter of the latched frame."""
        self._watch()
        return self._counter

    def lit(self) -> list[str]:
        """Names of the lamps that give light: latched, powered and not open."""
        if self.dead:
            return []
        self._watch()
        return [name for name in self._latched() if name not in self.broken]

    def joker(self) -> str | None:
        """What a player reads on the board: a card, DOC, or nothing."""
        lit = self.lit()
        if "DOC" in lit:
            return "DOC"
        rank = [name[-1] for name in lit if name.startswith("rank")]
        suit = [name[-1] for name in lit if name.startswith("suit")]
        return rank[0] + suit[0] if len(rank) == 1 and len(suit) == 1 else None

    def _latched(self) -> list[str]:
        return [name for i, name in enumerate(LAMPS) if self._lamps[i // 8] >> (i % 8) & 1]

    def _answer(self) -> bytes:
        errors = bytearray(6)
        for name in self.broken:
            lamp = LAMPS.index(name)
            errors[lamp // 8] |= 1 << (lamp % 8)
        body = bytes([MARK_ANSWER, self._counter]) + self._lamps + bytes(errors) + bytes([self._sensors])
        return body + bytes([crc8(body)])

    def _latch(self, frame: bytes) -> None:
        if len(frame) != FRAME_BYTES or frame[0] != MARK_FRAME or crc8(frame[:15]) != frame[15]:
            self.refused += 1
            return
        self.frames += 1
        self._counter, self._lamps = frame[1], frame[2:8]
        self._latched_at = self._clock()

    def _watch(self) -> None:
        """The board's own watchdog: dark again, as after power-on."""
        if self._counter and self._clock() - self._latched_at > DARK_AFTER_S:
            self._counter, self._lamps = 0, bytes(6)


def _reversed_bits(value: int) -> int:
    return int(f"{value:08b}"[::-1], 2)


class TextDisplay:
    """A 4 x 20 OLED in serial mode: takes start bytes, commands and data; keeps what it shows."""

    def __init__(self) -> None:
        self._lines = [list(BLANK) for _ in range(4)]
        self._line, self._cell = 0, 0
        self._extended = False
        self._oled = False
        self._operand = False  # the next data byte belongs to a command, not to the screen
        self.on = False

    def transfer(self, data: list[int]) -> list[int]:
        """Write only: MISO is not driven."""
        for at in range(0, len(data) - 2, 3):
            start, low, high = data[at : at + 3]
            if start not in (0xF8, 0xFA):
                return [0xFF] * len(data)  # out of step: the rest of this transfer is not understood
            value = (_reversed_bits(high) << 4) | _reversed_bits(low)
            if start == 0xF8:
                self._command(value)
            else:
                self._data(value)
        return [0xFF] * len(data)

    def text(self) -> list[str]:
        """The four lines, blank while the display is off."""
        return ["".join(line) for line in self._lines] if self.on else [BLANK] * 4

    def _command(self, value: int) -> None:
        # The set-up's commands change registers that a person does not see; only their meaning for what follows counts.
        if value in (0x28, 0x2A):
            self._extended, self._oled = value == 0x2A, False
        elif self._extended and value in (0x78, 0x79):
            self._oled = value == 0x79
        elif self._extended:
            self._operand = not self._oled and value in (0x71, 0x72)
        elif value in LINE_STARTS:
            self._line, self._cell = LINE_STARTS[value], 0
        elif value in (0x08, 0x0C):
            self.on = value == 0x0C

    def _data(self, value: int) -> None:
        if self._operand:
            self._operand = False
        elif self._cell < 20:
            self._lines[self._line][self._cell] = chr(value) if 32 <= value <= 126 else "?"
            self._cell += 1
