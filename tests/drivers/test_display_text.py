"""The text display: golden bytes by hand from docs/wiring.md, and a screen that reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gpio_doubles import Pi
from hypothesis import given
from hypothesis import strategies as st

from drivers.gpio.errors import PortError
from drivers.gpio.pins import TEXT_DISPLAY
from drivers.gpio.spi_link import SpiLink
from drivers.gpio.text_display import TextDisplay, latin, line_bytes, transfers

WIRING = (Path(__file__).parents[2] / "docs" / "wiring.md").read_text(encoding="utf-8")
BLANK = bytes.fromhex("FA 00 40")


@pytest.fixture
def pi() -> Pi:
    return Pi()


@pytest.fixture
def display(pi: Pi) -> TextDisplay:
    return TextDisplay(SpiLink(pi, TEXT_DISPLAY))


def test_golden_blank_display() -> None:
    setup, *lines, on = transfers([])
    assert len(setup) == 81
    assert setup[:9] == bytes.fromhex("F8 50 40  F8 80 E0  FA 00 00")  # c2A c71 d00
    for line, first in zip(lines, ("F8 00 10", "F8 00 50", "F8 00 30", "F8 00 70"), strict=True):
        assert first in WIRING and line == bytes.fromhex(first) + 20 * BLANK
    assert on == bytes.fromhex("F8 30 00")


def test_golden_character() -> None:
    line = list(transfers(["A7"]))[1]
    assert line == bytes.fromhex("F8 00 10  FA 80 20  FA E0 C0") + 18 * BLANK


def test_set_up_is_the_page(pi: Pi, display: TextDisplay) -> None:
    block = WIRING.split("1. Set-up")[1].split("```")[1]
    words = re.findall(r"\b[cd][0-9A-F]{2}\b", block)
    expected = [int(w[1:], 16) for w in words if w[0] == "c"]
    display.show([])
    assert pi.screen.commands[: len(expected)] == expected and len(words) == 27


def test_lines_arrive(pi: Pi, display: TextDisplay) -> None:
    display.show(["HAND 812  JOKER 7c", "БОКС 4: РЕШЕНИЕ", "0123456789012345678901234"])
    assert pi.screen.on
    assert pi.screen.lines() == ["HAND 812  JOKER 7c  ", "BOKS 4: RESHENIE    ", "01234567890123456789", " " * 20]


def test_an_update_leaves_nothing_of_the_last(pi: Pi, display: TextDisplay) -> None:
    display.show(["X" * 20] * 4)
    display.show(["", "Y"])
    assert pi.screen.lines() == [" " * 20, "Y" + " " * 19, " " * 20, " " * 20]


def test_transliteration_table_of_the_page() -> None:
    rows = WIRING.split("| А A |")[1].split("`Ъ` and")[0]
    pairs = [cell.split() for cell in ("А A |" + rows).replace("\n", "|").split("|") if len(cell.split()) == 2]
    assert len(pairs) == 33
    for capital, sign in pairs:
        text = "" if sign == "-" else sign
        assert (latin(capital), latin(capital.lower())) == (text, text.lower())


def test_signs() -> None:
    assert latin("«Ваш ход» — №5…\u00a0♠♥ ☺é") == '"Vash khod" - N5... sh ??'


def test_too_many_lines(display: TextDisplay) -> None:
    with pytest.raises(ValueError, match="4 lines"):
        display.show([""] * 5)


def test_f44_close_says_out_of_service(pi: Pi, display: TextDisplay) -> None:
    display.show(["PLAY"])
    display.close()
    assert "OUT OF SERVICE" in pi.screen.lines()[1] and pi.buses[1].closed


def test_a_dead_bus_is_an_error_but_never_stops_the_shutdown(pi: Pi, display: TextDisplay) -> None:
    pi.buses[1].error = OSError("gone")
    with pytest.raises(PortError, match="SPI0 CE1"):
        display.show([])
    display.close()
    assert pi.buses[1].closed


@given(st.text())
def test_any_text_is_twenty_plain_characters(text: str) -> None:
    line = line_bytes(text)
    assert len(line) == 20 and all(32 <= code <= 126 for code in line)
