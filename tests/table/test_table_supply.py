"""The Pi's supply and heat at the running table: a warning, and if it lasts the hand is finished and no new one begins.

What the kernel says lies in files of a folder, as the Pi has it; time is counted by the test.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import S1, Rig, make_setup

from controller import supply
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.rejections import Why
from controller.runtime.supply_watch import SupplyWatch
from controller.table import prompts
from controller.table.service import Service

SECOND = 1_000_000_000
EVERY_S = 5
UNDER_VOLTAGE, CAPPED, THROTTLED, SOFT_LIMIT = 0x1, 0x2, 0x4, 0x8


class Watched(Rig):
    """A table on a Pi whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.sys = folder / "sys"
        self.now_ns = 0
        self.watch = SupplyWatch(lambda: supply.read(self.sys), lambda: self.now_ns)
        super().__init__(None, setup=make_setup("oasis_ru"))
        self.service = Service(self.setup, self.table, self.recorder, self.entropy, self.changed, machine=self.watch)
        self.open()

    def says(self, bits: int = 0, milli: int = 48_000) -> None:
        write(self.sys / "devices/platform/soc/soc:firmware/get_throttled", f"{bits:x}\n")
        write(self.sys / "class/thermal/thermal_zone0/temp", f"{milli}\n")

    def pass_s(self, seconds: int) -> None:
        """Looks and ticks as the daemon's, so long."""
        for _ in range(seconds // EVERY_S):
            self.now_ns += EVERY_S * SECOND
            self.watch.look()
            self.service.tick()

    def told(self) -> list[str]:
        return [one.code for one in self.events(ev.DeviceTroubled) if one.device == "machine"]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def rig(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def in_a_hand(rig: Watched) -> None:
    rig.stake(b1=10).lock()
    rig.card(), rig.card()


def test_under_voltage_is_warned_of_at_once_and_stops_no_hand(rig: Watched) -> None:
    in_a_hand(rig)
    rig.says(UNDER_VOLTAGE)
    rig.pass_s(10)
    assert rig.told() == ["under_voltage"], "once, however long it lasts"
    assert "official supply" in rig.service.warnings["under_voltage"]
    assert rig.table.failing == ""
    rig.finish()
    rig.stake(b1=10).lock()


@pytest.mark.parametrize(
    ("bits", "milli", "what"),
    [
        (UNDER_VOLTAGE, 48_000, "under-voltage"),
        (THROTTLED | CAPPED, 79_000, "throttled"),
        (0, 80_000, "80 degrees Celsius or more"),
        (UNDER_VOLTAGE | THROTTLED, 84_000, "under-voltage, throttled, 80 degrees Celsius or more"),
    ],
)
def test_where_it_lasts_the_hand_is_finished_and_no_new_one_begins(
    rig: Watched, bits: int, milli: int, what: str
) -> None:
    in_a_hand(rig)
    rig.says(bits, milli)
    rig.pass_s(60)
    assert rig.events(ev.MachineFailing) == [], "a minute from the first look on"
    rig.pass_s(20)
    assert rig.events(ev.MachineFailing) == [ev.MachineFailing(fault=what)]
    assert rig.table.call == "power or heat"
    rig.finish()
    rig.stake(b1=10)
    refused = rig.refused(Why.MACHINE, cm.Lock())
    assert refused.code == "TC-0593" and what in refused.text()
    rig.says()
    rig.pass_s(50)
    rig.refused(Why.MACHINE, cm.Lock())
    rig.pass_s(20)
    assert len(rig.events(ev.MachineWell)) == 1 and rig.table.failing == ""
    rig.lock()


@pytest.mark.parametrize(
    ("bits", "milli", "codes"),
    [
        (SOFT_LIMIT, 62_000, ["soft_limit"]),
        (CAPPED, 62_000, ["capped"]),
        (0, 79_999, ["hot"]),
        (0x50000, 48_000, ["under_voltage_before", "throttled_before"]),
    ],
)
def test_what_only_slows_or_is_over_is_a_warning_however_long(
    rig: Watched, bits: int, milli: int, codes: list[str]
) -> None:
    rig.says(bits, milli)
    rig.pass_s(1000)
    assert rig.told() == codes and list(rig.service.warnings) == codes
    assert rig.table.failing == ""
    rig.stake(b1=10).lock()


def test_one_short_dip_stops_nothing_and_many_do(rig: Watched) -> None:
    for gap_s, failing in ((600, False), (90, False), (40, True)):
        rig.says()
        rig.pass_s(1300)
        for _ in range(3):
            rig.says(UNDER_VOLTAGE)
            rig.pass_s(EVERY_S)
            rig.says()
            rig.pass_s(gap_s)
        assert bool(rig.events(ev.MachineFailing)) is failing, gap_s


def test_a_supply_at_its_limit_makes_no_flood_of_records(rig: Watched) -> None:
    """An hour of dips, one every thirty seconds."""
    for _ in range(120):
        rig.says(UNDER_VOLTAGE)
        rig.pass_s(EVERY_S)
        rig.says()
        rig.pass_s(25)
    assert rig.told() == ["under_voltage"]
    assert len(rig.events(ev.MachineFailing)) == 1


def test_a_new_run_looks_anew(rig: Watched) -> None:
    """Whoever has changed the supply had to cut the power."""
    rig.says(UNDER_VOLTAGE)
    rig.pass_s(90)
    assert rig.table.failing
    rig.service.take_up(ev.RunStarted(version="0", mode="bench", hardware={}, config_hash=""))
    assert rig.table.failing == ""


def test_the_call_is_in_the_dealers_language_and_fits_the_display(rig: Watched) -> None:
    rig.says(UNDER_VOLTAGE)
    rig.pass_s(90)
    lines = [prompts.headline(rig.table, rig.setup, language) for language in ("en", "ru")]
    assert [line.removeprefix("T1 ") for line in lines] == ["CALL: POWER OR HEAT", "ВЫЗОВ: ПИТАНИЕ, ЖАР"]
    rig.do(cm.Release(), S1)
    assert rig.table.call == "" and rig.table.failing, "answered is not repaired"


@pytest.mark.parametrize("bus", ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware"])
def test_the_firmwares_word_is_found_on_each_model(tmp_path: Path, bus: str) -> None:
    write(tmp_path / "devices/platform" / bus / "get_throttled", "50005\n")
    write(tmp_path / "class/thermal/thermal_zone0/temp", "81234\n")
    assert supply.read(tmp_path) == supply.Reading(0x50005, 81_234)


@pytest.mark.parametrize("text", ["", "nonsense", "-", "12.5"])
def test_what_the_kernel_does_not_say_is_not_known(tmp_path: Path, text: str) -> None:
    assert supply.read(tmp_path) == supply.Reading(None, None)
    write(tmp_path / "class/thermal/thermal_zone0/temp", text)
    assert supply.read(tmp_path).milli is None
    assert supply.grave(supply.Reading()) == ""


def test_the_watchers_thread_looks_at_once_and_ends(tmp_path: Path) -> None:
    write(tmp_path / "devices/platform/soc/soc:firmware/get_throttled", "1\n")
    watch = SupplyWatch(lambda: supply.read(tmp_path), lambda: 0, every_s=3600)
    watch.start()
    watch.close()
    assert list(watch.warnings) == ["under_voltage"]
