"""Fingers, storms and a slow display through the real pin factory, to the record (F37, F39, F46; T10)."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_sim.faults import Fault
from firmware_sim.wiring import INPUTS
from tests.hil.rig import Rig, pause, until

pytestmark = pytest.mark.hil


def drive(rig: Rig, name: str, *, down: bool) -> None:
    wire = INPUTS[name]
    rig.bench.gpio.drive({wire.pin: 1 - wire.rest if down else wire.rest})


def stakes(rig: Rig) -> list[tuple[int, int]]:
    return [(r["data"]["box"], r["data"]["ante"]) for r in rig.records("StakeSet")]


def by_keys(rig: Rig) -> list[str]:
    return [r["data"]["command"] for r in rig.records("Rejected") if r["data"]["origin"] == "keys"]


def test_f37_a_storm_of_sixty_edges_is_one_press() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        for n in range(60):
            drive(rig, "K1", down=n % 3 != 1)  # the same direction twice, then back
        drive(rig, "K1", down=True)
        pause(0.05)
        for n in range(59):
            drive(rig, "K1", down=n % 2 == 0)
        drive(rig, "K1", down=False)
        rig.wait(lambda s: s["boxes"][0]["in"])
        rig.press("K2")
        rig.wait(lambda s: s["boxes"][1]["in"])
        assert stakes(rig) == [(1, 1000), (2, 1000)]
        assert rig.records("DeviceTroubled") == []


def test_f37_a_storm_that_ends_as_it_began_is_no_press() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        rig.bench.inject(Fault.KEY_STORM)
        rig.press("K2")
        rig.wait(lambda s: s["boxes"][1]["in"])
        assert (stakes(rig), by_keys(rig)) == ([(2, 1000)], [])


def test_f39_held_at_start_is_a_fault_and_a_press_only_after_its_release() -> None:
    with Rig("jpoker") as rig:
        drive(rig, "K1", down=True)
        rig.start()
        rig.open_table()
        assert until(lambda: rig.records("DeviceTroubled"))
        troubles = [(r["data"]["device"], r["data"]["detail"]) for r in rig.records("DeviceTroubled")]
        assert troubles == [("key K1", "held at start")]
        drive(rig, "K1", down=False)
        pause(1.1)  # quiet for the settle time
        rig.bench.press("K1")
        rig.wait(lambda s: s["boxes"][0]["in"])
        assert stakes(rig) == [(1, 1000)]


def test_chord_and_long_press_are_no_presses_besides() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        rig.press("K1"), rig.press("K2")
        rig.wait(lambda s: s["boxes"][0]["in"] and s["boxes"][1]["in"])
        rig.bench.chord("K1", "K2")
        rig.wait(lambda s: s["boxes"][1]["owner"] == 1)
        rig.bench.hold("BACK", 1.1)
        rig.wait(lambda s: s["call"] == "dealer")
        rig.bench.hold("BACK", 1.1)
        rig.wait(lambda s: s["call"] == "fill")
        assert stakes(rig) == [(1, 1000), (2, 1000)]
        assert rig.records("Undone") == []


def test_f46_a_display_that_takes_a_second_delays_no_press() -> None:
    """Each update of the display takes more than a second; presses in between come in their order, at their time."""
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        rig.bench.inject(Fault.SLOW_DISPLAY)
        rig.bench.hold("BACK", 1.1)  # the display has something new to say
        rig.wait(lambda s: s["call"] == "dealer")
        for name in ("K1", "K2", "K3"):
            rig.bench.press(name)
        rig.wait(lambda s: all(box["in"] for box in s["boxes"][:3]))
        taken: list[dict[str, Any]] = rig.records("StakeSet")
        assert [r["data"]["box"] for r in taken] == [1, 2, 3]
        assert taken[-1]["mono"] - taken[0]["mono"] < 1_000_000_000
