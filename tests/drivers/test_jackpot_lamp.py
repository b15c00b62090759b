"""The jackpot lamp from output thread to line, at gpiozero's pin factory: lit, flashing, dark at the end. F44."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from gpio_doubles import Clock, Pi

from controller.runtime import outputs
from controller.runtime.outputs import Flash, Outputs
from controller.table.lamps import Display, JackpotLamp
from drivers.gpio.joker_board import JokerBoard
from drivers.gpio.layout import BoardLevels
from drivers.gpio.panel import Panel
from drivers.gpio.pins import JACKPOT_LAMP, JOKER_BOARD, TEXT_DISPLAY
from drivers.gpio.spi_link import SpiLink
from drivers.gpio.text_display import TextDisplay

HALF = 500_000_000
Start = Callable[..., tuple[Outputs, Panel]]


@pytest.fixture
def pi() -> Pi:
    return Pi()


@pytest.fixture
def start(pi: Pi) -> Iterator[Start]:
    made: list[tuple[Outputs, Panel]] = []

    def started(lamp: int = JACKPOT_LAMP) -> tuple[Outputs, Panel]:
        panel = Panel(pi, lambda _: None, Clock(), lamp=lamp)
        board, text = JokerBoard(SpiLink(pi, JOKER_BOARD)), TextDisplay(SpiLink(pi, TEXT_DISPLAY))
        out = Outputs(board, text, panel.set_jackpot_lamp, lambda _: None, time.monotonic_ns, refresh_s=60.0)
        out.start()
        made.append((out, panel))
        return out, panel

    yield started
    for out, panel in made:
        out.close()
        panel.close()


def display(lamp: JackpotLamp) -> Display:
    return Display(board=BoardLevels(), lines=("", "", "", ""), jackpot=lamp, joker=False)


def until(true: Callable[[], object]) -> bool:
    end = time.monotonic() + 5
    while not true() and time.monotonic() < end:
        time.sleep(0.001)
    return bool(true())


def test_lit_and_dark_as_wanted(pi: Pi, start: Start) -> None:
    out, _ = start()
    line = pi.pin(JACKPOT_LAMP)
    out.show(display(JackpotLamp.LIT), 1)
    assert until(lambda: line.state)
    out.show(display(JackpotLamp.DARK), 1)
    assert until(lambda: not line.state)
    assert line.driven[-2:] == [True, False]


def test_it_flashes_by_itself_until_something_else_is_wanted(
    pi: Pi, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "FLASH_S", 0.005)
    out, _ = start()
    line = pi.pin(JACKPOT_LAMP)
    out.show(display(JackpotLamp.FLASHING), 1)
    changes = lambda: sum(one != other for one, other in pairwise(line.driven))  # noqa: E731
    assert until(lambda: changes() >= 8)
    out.show(display(JackpotLamp.LIT), 1)
    assert until(lambda: line.driven[-1])
    steady = len(line.driven)
    assert not until_more(lambda: len(line.driven) > steady + 2)  # 60 s until the next refresh


def until_more(true: Callable[[], bool]) -> bool:
    """Whether it comes within the time of many flashes."""
    end = time.monotonic() + 0.1
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    return true()


def test_f44_a_flashing_lamp_is_low_after_the_end_and_its_line_an_input(pi: Pi, start: Start) -> None:
    out, panel = start()
    line = pi.pin(JACKPOT_LAMP)
    out.show(display(JackpotLamp.FLASHING), 1)
    assert until(lambda: line.state)
    out.close()
    panel.close()
    assert line.driven[-1] is False
    assert (line.function, line.pull) == ("input", "floating")


def test_the_pin_of_the_configuration_is_the_one_that_is_driven(pi: Pi, start: Start) -> None:
    out, _ = start(lamp=3)
    out.show(display(JackpotLamp.LIT), 1)
    assert until(lambda: pi.pin(3).state)
    assert not hasattr(pi.pin(JACKPOT_LAMP), "driven")


def test_a_flash_begins_lit_and_turns_every_half_second() -> None:
    flash = Flash()
    looks = [flash.level(JackpotLamp.FLASHING, n * HALF // 5) for n in range(16)]
    assert looks == [True] * 5 + [False] * 5 + [True] * 5 + [False]
    assert flash.level(JackpotLamp.DARK, 16 * HALF // 5) is False
    assert flash.level(JackpotLamp.LIT, 17 * HALF // 5) is True
    assert flash.level(JackpotLamp.FLASHING, 18 * HALF // 5) is True
