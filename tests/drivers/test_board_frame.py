"""Frames of the joker board: golden bytes by hand from docs/wiring.md, round trips, what an answer proves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.gpio.layout import ALL_LIT, BoardLevels, counter_of, crc8, frame, judge, lamps_of, levels_of
from drivers.gpio.pins import INPUTS, JACKPOT_LAMP, KEYS

WIRING = (Path(__file__).parents[2] / "docs" / "wiring.md").read_text(encoding="utf-8")
SEVEN_OF_CLUBS = BoardLevels(
    rank=5,
    suit=0,
    seats=("green", "off", "green", "red", "off", "off", "off"),
    keys=frozenset({"FOLD", "BET"}),
)
LEVELS = st.builds(
    BoardLevels,
    rank=st.none() | st.integers(0, 12),
    suit=st.none() | st.integers(0, 3),
    doc=st.booleans(),
    seats=st.tuples(*[st.sampled_from(["off", "green", "red", "amber"])] * 7),
    keys=st.frozensets(st.sampled_from(KEYS)),
    start=st.booleans(),
    stop=st.booleans(),
    call=st.booleans(),
)


def raw(text: str) -> bytes:
    assert text in WIRING, "the example is not in docs/wiring.md"
    return bytes.fromhex(text)


@pytest.mark.parametrize(
    ("levels", "sequence", "text"),
    [
        (BoardLevels(), 1, "4A 01 00 00 00 00 00 00 00 00 00 00 00 00 00 B8"),
        (SEVEN_OF_CLUBS, 7, "4A 07 20 20 14 10 C0 00 00 00 00 00 00 00 00 B0"),
        (BoardLevels(doc=True, stop=True), 255, "4A FF 00 00 02 00 00 20 00 00 00 00 00 00 00 3D"),
    ],
)
def test_golden_frames(levels: BoardLevels, sequence: int, text: str) -> None:
    assert frame(lamps_of(levels), counter_of(sequence)) == raw(text)


def test_golden_lamp_test() -> None:
    assert frame(ALL_LIT, 2) == raw("4A 02 FF FF FF FF FF 7F 00 00 00 00 00 00 00 80")


def test_golden_answers() -> None:
    sent = frame(lamps_of(SEVEN_OF_CLUBS), 7)
    good = judge(sent, raw("B5 07 20 20 14 10 C0 00 00 00 00 00 00 00 05 3B"))
    assert (good.ok, good.detail, good.sensors) == (True, "", 0b101)
    broken = judge(sent, raw("B5 07 20 20 14 10 C0 00 00 20 00 00 00 00 05 00"))
    assert (broken.ok, broken.detail, broken.sensors) == (False, "open or short: joker display", 0b101)
    fresh = judge(sent, raw("B5 00 00 00 00 00 00 00 00 00 00 00 00 00 00 CD"))
    assert not fresh.ok and fresh.detail.startswith("shows something else")


def test_check_value_of_the_crc() -> None:
    assert crc8(b"123456789") == 0xF4


def test_lamp_table_of_the_page() -> None:
    single = {
        lamps_of(BoardLevels(rank=12)): 12,
        lamps_of(BoardLevels(suit=3)): 16,
        lamps_of(BoardLevels(doc=True)): 17,
        lamps_of(BoardLevels(seats=("off",) * 6 + ("green",))): 24,
        lamps_of(BoardLevels(seats=("red",) + ("off",) * 6)): 25,
        lamps_of(BoardLevels(keys=frozenset({"K1"}))): 32,
        lamps_of(BoardLevels(keys=frozenset({"OK"}))): 43,
        lamps_of(BoardLevels(start=True)): 44,
        lamps_of(BoardLevels(stop=True)): 45,
        lamps_of(BoardLevels(call=True)): 46,
    }
    assert all(lamps == 1 << number for lamps, number in single.items())


def test_pin_map_of_the_page() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", WIRING, re.MULTILINE))
    assert {name: int(bcm) for name, bcm in rows.items()} == dict(INPUTS)
    used = [*INPUTS.values(), JACKPOT_LAMP, 7, 8, 9, 10, 11]
    assert len(set(used)) == len(used) <= 26


@given(LEVELS, st.integers(1, 10**9))
def test_round_trip(levels: BoardLevels, sequence: int) -> None:
    sent = frame(lamps_of(levels), counter_of(sequence))
    assert levels_of(int.from_bytes(sent[2:8], "little")) == levels
    assert 1 <= sent[1] <= 255


@given(LEVELS, st.binary(max_size=20))
def test_no_noise_looks_right(levels: BoardLevels, noise: bytes) -> None:
    assert not judge(frame(lamps_of(levels), 9), noise).ok


@given(LEVELS, st.integers(0, 127))
def test_one_flipped_bit_never_looks_right(levels: BoardLevels, bit: int) -> None:
    sent = frame(lamps_of(levels), 9)
    body = b"\xb5\x09" + sent[2:8] + bytes(7)
    answer = bytearray(body + bytes([crc8(body)]))
    assert judge(sent, bytes(answer)).ok
    answer[bit // 8] ^= 1 << bit % 8
    assert not judge(sent, bytes(answer)).ok


@pytest.mark.parametrize("lamps", [0b11, 0b11 << 13, 1 << 47])
def test_lamps_that_no_levels_give(lamps: int) -> None:
    with pytest.raises(ValueError, match="no levels"):
        levels_of(lamps)


@pytest.mark.parametrize(
    "levels",
    [BoardLevels(rank=13), BoardLevels(suit=4), BoardLevels(seats=("off",)), BoardLevels(keys=frozenset({"X"}))],
)
def test_levels_out_of_range(levels: BoardLevels) -> None:
    with pytest.raises(ValueError, match="board"):
        lamps_of(levels)


def test_the_joker_is_in_no_text() -> None:
    levels = BoardLevels(rank=5, suit=0)
    assert "5" not in repr(levels) and "rank" not in repr(levels)
    sent = frame(lamps_of(levels), 1)
    for other in (BoardLevels(rank=6, suit=0), BoardLevels(), BoardLevels(doc=True)):
        shown = frame(lamps_of(other), 1)
        body = b"\xb5\x01" + shown[2:8] + bytes(7)
        detail = judge(sent, body + bytes([crc8(body)])).detail
        assert detail == "shows something else: joker display"
