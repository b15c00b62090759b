"""Scripted runs of the bench: a TOML file with one `[[step]]` after another (docs/bench.md lists them).

Checks the whole file before the first step; a step that does not come true ends the run with exit code 1.
"""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from firmware_sim.bench import Bench
from firmware_sim.errors import BenchError
from firmware_sim.faults import Fault

Seconds = Annotated[float, msgspec.Meta(ge=0, le=3600)]


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One act; exactly one of these but for `seconds`, `on` and `timeout_s`, which belong to some."""

    press: str | None = None
    hold: str | None = None
    chord: list[str] | None = None
    turn: str | None = None
    sign: str | None = None
    badge: str | None = None
    tray: str | None = None
    chip: int | None = None
    no_chip: int | None = None
    card: str | None = None
    wait: str | None = None
    wait_phase: str | None = None
    wait_hand: int | None = None
    stack: list[str] | None = None
    deck: int | None = None
    deck_in: str | None = None
    deck_out: bool | None = None
    fault: Fault | None = None
    unplug: bool | None = None
    replug: bool | None = None
    pairing: bool | None = None
    free: str | None = None
    pause: Seconds | None = None
    robot: bool | None = None
    seconds: Seconds | None = None
    on: bool = True
    timeout_s: Seconds = 10.0


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole file."""

    seed: int = 1
    pace_s: Seconds = 0.0
    step: list[Step] = []


EXTRAS = frozenset({"seconds", "on", "timeout_s"})


def verb(step: Step) -> tuple[str, Any]:
    """The step's one act and its argument."""
    given = [
        (name, value)
        for name in step.__struct_fields__
        if name not in EXTRAS and (value := getattr(step, name)) is not None
    ]
    if len(given) != 1:
        names = ", ".join(name for name in step.__struct_fields__ if name not in EXTRAS)
        raise BenchError(713, f"a step has {len(given)} acts", "[[step]]", f"give exactly one of {names}")
    return given[0]


def load(path: Path) -> Scenario:
    """The scenario in this file, or a BenchError that names what is wrong."""
    try:
        scenario = msgspec.convert(tomllib.loads(path.read_text("utf-8")), Scenario)
    except OSError as error:
        raise BenchError(714, f"cannot read the scenario, {error.strerror}", str(path), "name a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BenchError(715, f"not a scenario, {error}", str(path), "see docs/bench.md") from None
    for step in scenario.step:
        verb(step)
    return scenario


def run(bench: Bench, scenario: Scenario) -> Iterator[str]:
    """Does the steps; gives the name of each when it is done."""
    for number, step in enumerate(scenario.step, start=1):
        name, value = verb(step)
        try:
            _do(bench, step, name, value)
        except BenchError as error:
            raise BenchError(
                716, f"step {number} ({name}): {error.what}", error.where, error.remedy, exit_code=1
            ) from error
        yield f"{number} {name} {value}"


def _do(bench: Bench, step: Step, name: str, value: Any) -> None:
    acts: dict[str, Callable[[], object]] = {
        "press": lambda: bench.press(value),
        "hold": lambda: bench.hold(value, step.seconds or 0.7),
        "chord": lambda: bench.chord(*value),
        "turn": lambda: bench.turn(value, on=step.on),
        "chip": lambda: bench.chip(value),
        "no_chip": lambda: bench.chip(value, there=False),
        "sign": lambda: _sign(bench, value),
        "tray": lambda: bench.tray.card(value),
        "badge": lambda: bench.badge.print_line(value),
        "card": lambda: _card(bench, step, value),
        "wait": lambda: bench.wait_expects(value, step.timeout_s),
        "wait_phase": lambda: bench.wait_phase(value, step.timeout_s),
        "wait_hand": lambda: bench.wait_hands(value, step.timeout_s),
        "stack": lambda: bench.stack_deck(value),
        "deck": lambda: bench.new_deck(value),
        "deck_in": lambda: bench.put_deck(value),
        "deck_out": bench.take_deck,
        "fault": lambda: bench.inject(value),
        "unplug": lambda: bench.unplug_shoe(step.seconds),
        "replug": bench.replug_shoe,
        "pairing": bench.open_pairing,
        "free": lambda: bench.panel.free(value),
        "pause": lambda: threading.Event().wait(value),
        "robot": lambda: bench.let_robot_play(value),
    }
    acts[name]()


def _sign(bench: Bench, pin: str) -> None:
    """A PIN is typed on keys 1 to 6 and ends with OK."""
    for digit in pin:
        bench.press(f"K{digit}")
    bench.press("OK")


def _card(bench: Bench, step: Step, card: str) -> None:
    """A card where the table expects one; "" takes the deck's next. Waits until the shoe may deal."""
    bench.wait_expects("card", step.timeout_s)
    tries = max(1, int(step.timeout_s / 0.05))
    for _ in range(tries):
        if bench.draw_expected(card or None):
            return
        threading.Event().wait(0.05)
    raise BenchError(717, "the shoe holds the card back", "shoe", "is the daemon running and dealing enabled?")
