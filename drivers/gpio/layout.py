"""The joker board's frame: lamps to bytes and back, and what an answer proves. docs/wiring.md section 3, bit by bit.

Pure. Never sends anything, and never names the lit rank or suit: until a read-back the joker is secret.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from drivers.gpio.pins import KEYS

SeatLamp = Literal["off", "green", "red", "amber"]  # amber: both lamps, the box whose turn it is

SIZE = 16
LAMPS = 47
BOXES = 7
ALL_LIT = (1 << LAMPS) - 1
FRAME_MARK = 0x4A
ANSWER_MARK = 0xB5

_RANK, _SUIT, _DOC, _GREEN, _RED, _KEY, _START, _STOP, _CALL = 0, 13, 17, 18, 25, 32, 44, 45, 46
WHOLE = 3  # so many lit lamps of one driver in error, and none right: not the lamps are broken
_JOKER_LAMPS = (1 << _GREEN) - 1
_NAMES = (
    *(f"rank {r}" for r in "23456789TJQKA"),
    *(f"suit {s}" for s in "cdhs"),
    "DOC",
    *(f"box {b} green" for b in range(1, 8)),
    *(f"box {b} red" for b in range(1, 8)),
    *(f"key {k}" for k in KEYS),
    "START",
    "STOP",
    "CALL",
    "output 47",
)


class BoardLevels(msgspec.Struct, frozen=True):
    """Every lamp as a whole level. `rank` 0 (deuce) to 12 (ace), `suit` 0 to 3 (c d h s), `keys` the lit ones."""

    rank: int | None = None
    suit: int | None = None
    doc: bool = False
    seats: tuple[SeatLamp, ...] = ("off", "off", "off", "off", "off", "off", "off")
    keys: frozenset[str] = frozenset()
    start: bool = False
    stop: bool = False
    call: bool = False

    def __repr__(self) -> str:
        # The joker is secret until the read-back: no log or crash dump shows it.
        return f"BoardLevels(joker=**, seats={self.seats!r}, keys={sorted(self.keys)!r})"


class Verdict(msgspec.Struct, frozen=True):
    """What an answer proves. `sensors` is None unless the answer came whole."""

    ok: bool
    detail: str
    sensors: int | None


def crc8(data: bytes) -> int:
    """CRC-8, polynomial 0x07, start 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ 0x107 if crc & 0x80 else crc << 1
    return crc


def counter_of(sequence: int) -> int:
    """1..255: 0 is what a board says that has latched nothing since power-on."""
    return 1 + (sequence - 1) % 255


def lamps_of(levels: BoardLevels) -> int:
    """The lamps as a number whose bit n is lamp n. Out of range: a ValueError that does not tell the joker."""
    if not (_within(levels.rank, 13) and _within(levels.suit, 4)):
        raise ValueError("rank or suit of the board out of range")
    if len(levels.seats) != BOXES or not levels.keys <= set(KEYS):
        raise ValueError(f"board has {BOXES} boxes and the keys {' '.join(KEYS)}")
    lamps = 0 if levels.rank is None else 1 << (_RANK + levels.rank)
    lamps |= 0 if levels.suit is None else 1 << (_SUIT + levels.suit)
    lamps |= levels.doc << _DOC | levels.start << _START | levels.stop << _STOP | levels.call << _CALL
    for box, lamp in enumerate(levels.seats):
        lamps |= (lamp in ("green", "amber")) << (_GREEN + box) | (lamp in ("red", "amber")) << (_RED + box)
    for place, key in enumerate(KEYS):
        lamps |= (key in levels.keys) << (_KEY + place)
    return lamps


def levels_of(lamps: int) -> BoardLevels:
    """The other way round. Lamps that no levels give (two ranks, both colours of a box) are a ValueError."""
    ranks = [r for r in range(13) if lamps >> (_RANK + r) & 1]
    suits = [s for s in range(4) if lamps >> (_SUIT + s) & 1]
    levels = BoardLevels(
        rank=ranks[0] if ranks else None,
        suit=suits[0] if suits else None,
        doc=bool(lamps >> _DOC & 1),
        seats=tuple(_seat(lamps, box) for box in range(BOXES)),
        keys=frozenset(key for place, key in enumerate(KEYS) if lamps >> (_KEY + place) & 1),
        start=bool(lamps >> _START & 1),
        stop=bool(lamps >> _STOP & 1),
        call=bool(lamps >> _CALL & 1),
    )
    if lamps_of(levels) != lamps:
        raise ValueError("no levels of the board give these lamps")
    return levels


def frame(lamps: int, counter: int) -> bytes:
    """The 16 bytes that the driver sends."""
    body = bytes([FRAME_MARK, counter]) + lamps.to_bytes(6, "little") + bytes(7)
    return body + bytes([crc8(body)])


def judge(sent: bytes, answer: bytes, *, name_joker: bool = False) -> Verdict:
    """Is `answer`, which came with the second transfer of `sent`, the proof that the board shows it?

    `name_joker` names rank and suit lamps in the detail: for the lamp test only, when nothing is drawn.
    """
    dead = _not_an_answer(answer)
    if dead:
        return Verdict(False, dead, None)
    sensors = None if answer[14] & 0x80 else answer[14] & 0x7F
    lit = int.from_bytes(sent[2:8], "little")
    shown = int.from_bytes(answer[2:8], "little")
    broken = int.from_bytes(answer[8:14], "little") & lit
    if shown != lit:
        return Verdict(False, f"shows something else: {_lamps_text(shown ^ lit, name_joker)}", sensors)
    if answer[1] != sent[1]:
        return Verdict(False, f"did not take the frame (counter {answer[1]}, sent {sent[1]})", sensors)
    if broken:
        return Verdict(False, f"open or short: {_broken_text(broken, lit, name_joker)}", sensors)
    if answer[14] & 0x80:
        return Verdict(False, "sensor register: bit 7 set", sensors)
    return Verdict(True, "", sensors)


def _within(value: int | None, end: int) -> bool:
    return value is None or 0 <= value < end


def _seat(lamps: int, box: int) -> SeatLamp:
    green, red = lamps >> (_GREEN + box) & 1, lamps >> (_RED + box) & 1
    if green:
        return "amber" if red else "green"
    return "red" if red else "off"


def _not_an_answer(answer: bytes) -> str:
    if len(answer) != SIZE:
        return f"answer has {len(answer)} bytes, not {SIZE}"
    if answer == bytes(SIZE) or answer == b"\xff" * SIZE:
        return f"dead line: every bit {answer[0] & 1}"
    if answer[0] != ANSWER_MARK:
        return f"no answer: marker {answer[0]:02X}, not {ANSWER_MARK:02X}"
    return "" if crc8(answer[:15]) == answer[15] else "answer with a wrong CRC"


def _broken_text(broken: int, lit: int, name_joker: bool) -> str:
    """Lamp by lamp; a driver all of whose lit lamps are in error is said once: its supply, its wire, or heat."""
    whole = [
        driver
        for driver in range(6)
        if (part := broken >> 8 * driver & 0xFF) == lit >> 8 * driver & 0xFF
        and part.bit_count() >= WHOLE
        and (name_joker or not broken & _JOKER_LAMPS & 0xFF << 8 * driver)
    ]
    left = broken & ~sum(0xFF << 8 * driver for driver in whole)
    names = [f"driver {driver + 1}, all {(lit >> 8 * driver & 0xFF).bit_count()} lamps lit" for driver in whole]
    return ", ".join([*names, *([_lamps_text(left, name_joker)] if left else [])])


def _lamps_text(lamps: int, name_joker: bool) -> str:
    named = [name for n, name in enumerate(_NAMES) if lamps >> n & 1 and (name_joker or not _JOKER_LAMPS >> n & 1)]
    if lamps & _JOKER_LAMPS and not name_joker:
        named.insert(0, "joker display")
    return ", ".join(named)
