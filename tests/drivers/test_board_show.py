"""The joker board's driver against a board made from docs/wiring.md."""

from __future__ import annotations

import warnings

import pytest
from gpio_doubles import Pi
from gpiozero import SPISoftwareFallback
from gpiozero.pins.mock import MockFactory

from drivers.gpio.errors import PortError
from drivers.gpio.joker_board import JokerBoard
from drivers.gpio.layout import BoardLevels
from drivers.gpio.pins import JOKER_BOARD
from drivers.gpio.spi_link import SpiLink

JOKER = BoardLevels(rank=5, suit=0, stop=True)


@pytest.fixture
def pi() -> Pi:
    return Pi()


@pytest.fixture
def board(pi: Pi) -> JokerBoard:
    return JokerBoard(SpiLink(pi, JOKER_BOARD))


def test_a_frame_goes_twice_and_is_right(pi: Pi, board: JokerBoard) -> None:
    pi.board.sensors = 0b1000001
    report = board.show(JOKER, 300, 77)
    assert (report.ok, report.detail, report.sensors, report.sequence, report.t_ns) == (True, "", 65, 300, 77)
    assert len(pi.board.received) == 2 and pi.board.received[0] == pi.board.received[1]
    assert pi.board.lamps == bytes.fromhex("20 20 00 00 00 20")


def test_the_same_levels_again_are_right_again(pi: Pi, board: JokerBoard) -> None:
    assert all(board.show(JOKER, n, 0).ok for n in range(1, 600))


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_dead_line_is_never_right(pi: Pi, board: JokerBoard, level: int) -> None:
    pi.board.dead = level
    for levels in (BoardLevels(), JOKER):
        report = board.show(levels, 1, 0)
        assert not report.ok and "dead line" in report.detail and report.sensors is None


def test_an_open_lamp_counts_only_when_lit(pi: Pi, board: JokerBoard) -> None:
    pi.board.open_lamps = {44}
    assert board.show(JOKER, 1, 0).ok
    report = board.show(BoardLevels(start=True), 2, 0)
    assert (report.ok, report.detail) == (False, "open or short: START")


def test_a_broken_joker_lamp_is_named_by_the_lamp_test_only(pi: Pi, board: JokerBoard) -> None:
    pi.board.open_lamps = {5, 13}
    assert board.show(JOKER, 1, 0).detail == "open or short: joker display"
    assert board.lamp_test(2, 0).detail == "open or short: rank 7, suit c"


def test_a_driver_with_no_right_lamp_is_said_once(pi: Pi, board: JokerBoard) -> None:
    """The error bit tells neither an open lamp from a shorted one nor from a driver that is hot or without supply."""
    pi.board.open_lamps = {*range(40, 47), 25}
    assert board.lamp_test(1, 0).detail == "open or short: driver 6, all 7 lamps lit, box 1 red"
    pi.board.open_lamps = set(range(47))
    assert board.show(JOKER, 2, 0).detail == "open or short: joker display, STOP"
    pi.board.open_lamps = {44, 45}
    assert board.show(BoardLevels(start=True, stop=True), 3, 0).detail == "open or short: START, STOP"


def test_a_board_that_does_not_latch(pi: Pi, board: JokerBoard) -> None:
    board.show(JOKER, 1, 0)
    pi.board.deaf = True
    assert "did not take" in board.show(JOKER, 2, 0).detail
    assert "something else" in board.show(BoardLevels(call=True), 3, 0).detail


def test_a_board_that_lost_its_supply_shows_again(pi: Pi, board: JokerBoard) -> None:
    board.show(JOKER, 1, 0)
    pi.board.power_on()
    assert board.show(JOKER, 2, 0).ok


@pytest.mark.parametrize("bit", range(128))
def test_noise_on_either_line_is_never_right(pi: Pi, board: JokerBoard, bit: int) -> None:
    pi.board.flip_in = bit
    assert not board.show(JOKER, 1, 0).ok
    pi.board.flip_in, pi.board.flip = None, bit
    assert not board.show(JOKER, 2, 0).ok
    pi.board.flip = None
    assert board.show(JOKER, 3, 0).ok


def test_a_bus_error_is_a_wrong_frame(pi: Pi, board: JokerBoard) -> None:
    pi.buses[0].error = OSError("Input/output error")
    report = board.show(JOKER, 1, 0)
    assert not report.ok and "Input/output error" in report.detail and "SPI0 CE0" in report.detail


def test_close_leaves_the_board_dark(pi: Pi, board: JokerBoard) -> None:
    board.show(JOKER, 1, 0)
    board.close()
    assert pi.board.lamps == bytes(6) and pi.buses[0].closed


def test_close_of_a_board_that_is_gone(pi: Pi, board: JokerBoard) -> None:
    pi.buses[0].error = OSError("gone")
    board.close()
    assert pi.buses[0].closed


def test_bit_banging_instead_of_the_bus_is_refused() -> None:
    class NoBus(MockFactory):
        def spi(self, **spi_args: int) -> object:
            warnings.warn(SPISoftwareFallback("failed to initialize hardware SPI"), stacklevel=1)
            return object()

    with pytest.raises(PortError, match="hardware SPI") as caught:
        SpiLink(NoBus(), JOKER_BOARD)
    assert caught.value.code == "spi_unavailable" and "dtparam=spi=on" in caught.value.remedy
