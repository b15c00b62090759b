"""Pins around start and stop of the daemon: what is low at boot does nothing, no output is high unasked. F39 F44."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from drivers.gpio.debounce import Timing
from firmware_sim.faults import Fault
from firmware_sim.wiring import INPUTS
from tests.hil.rig import Rig, devices_ready, pause, until

pytestmark = pytest.mark.hil

JACKPOT_LAMP = 26  # docs/wiring.md


class Samples(dict[int, int]):
    """What the daemon drives, every level that it ever had."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[int, int]] = []

    def __setitem__(self, pin: int, level: int) -> None:
        self.seen.append((pin, level))
        super().__setitem__(pin, level)

    def levels(self, pin: int) -> list[int]:
        return [level for one, level in self.seen if one == pin]


def shown(rig: Rig) -> str:
    return " ".join(rig.bench.display.text()).strip()


@pytest.fixture
def rig() -> Iterator[Rig]:
    with Rig(seed=3) as rig:
        yield rig


def test_f44_the_jackpot_lamp_is_never_high_at_start_stop_or_kill(rig: Rig) -> None:
    samples = rig.bench.gpio.outputs = Samples()
    rig.start()
    assert rig.stop()[0] == 0
    rig.start()
    rig.open_table()
    assert rig.child is not None
    rig.child.send_signal(signal.SIGKILL)
    rig.kill()
    rig.start()
    assert rig.stop()[0] == 0
    lamp = samples.levels(JACKPOT_LAMP)
    assert len(lamp) >= 4 and set(lamp) == {0}, "driven at each start and each stop, and never high"


def test_f44_within_two_seconds_of_sigterm_the_display_says_out_of_service(rig: Rig) -> None:
    rig.start()
    rig.open_table()
    assert until(lambda: shown(rig) and "SERVICE" not in shown(rig))
    assert rig.child is not None
    began = time.monotonic()
    rig.child.send_signal(signal.SIGTERM)
    assert until(lambda: "OUT OF SERVICE" in shown(rig), 2)
    assert time.monotonic() - began < 2
    assert rig.child.wait(5) == 0


def test_f39_pins_that_are_low_during_boot_act_on_nothing(rig: Rig) -> None:
    """START and K1 low from before the start on, toggling twice on the way, as pull-ups that come late."""
    pins = {INPUTS[name].pin for name in ("START", "K1")}
    edges = []
    drive = rig.bench.gpio.drive

    def noted(levels: dict[int, int]) -> None:
        edges.extend(pins & levels.keys())
        drive(levels)

    rig.bench.gpio.drive = noted  # type: ignore[method-assign]
    rig.bench.inject(Fault.LATE_PULL_UPS)
    rig.start()
    assert until(lambda: len(edges) == 8, 5), "low, high, low, high, both"
    rig.open_table()
    rig.wait_for_keys()
    pause(Timing().settle_ns / 1e9)  # an input's own quiet second began with its last edge
    snap = rig.now
    assert rig.records("StakeSet") == [] and rig.records("Rejected") == []
    assert snap["expects"]["kind"] == "start" and not any(box["in"] for box in snap["boxes"])
    assert rig.records("DeviceTroubled") == []
    rig.press("K1")  # quiet since: now it counts
    rig.wait(lambda now: any(box["in"] for box in now["boxes"]))
    assert devices_ready(rig.now)
    assert rig.stop()[0] == 0
