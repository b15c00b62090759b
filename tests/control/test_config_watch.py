"""table.toml: the sections about the table's senses."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config import load_config
from controller.domain.hand.setup import Doors
from controller.errors import TableError
from controller.table.setup import make_setup
from controller.watch_config import SensorsSection

TABLE = """
[table]
id = "T1"
rules = "{rules}"
mode = "bench"
boxes = 4
[limits]
ante_min = 10
ante_max = 100
cap = 100000
bonus_max = 50
chips = [1, 5, 10, 25, 100, 500]
[journal]
path = "journal.db"
[keys]
credential = "c"
signing = "s"
[control]
operators = "o"
[shoe]
port = "p"
key = "k"
"""


def written(folder: Path, extra: str, rules: str = "oasis_ru") -> Path:
    path = folder / "table.toml"
    path.write_text(TABLE.format(rules=rules) + extra, "utf-8")
    return path


JACKPOT = '[jackpot]\nstake = 5\nmeter = "1000"\n'


def test_sensors_are_not_there_unless_named(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, JACKPOT)).sensors is None


def test_a_chip_is_the_jackpot_s_stake(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, JACKPOT + "[sensors]\n"))
    assert config.sensors == SensorsSection()
    sensors = make_setup(config).sensors
    assert sensors is not None
    assert (sensors.field, sensors.amount, sensors.collect_at_lock) == ("jackpot", 5, False)


def test_a_chip_is_a_bonus(tmp_path: Path) -> None:
    setup = make_setup(load_config(written(tmp_path, '[sensors]\nbet = "bonus"\namount = 20\n')))
    assert setup.sensors is not None
    assert (setup.sensors.field, setup.sensors.amount) == ("bonus", 20)


@pytest.mark.parametrize(
    ("extra", "key"),
    [
        ("[sensors]\n", "sensors.bet"),
        ('[jackpot]\nstake = 0\nmeter = "1"\n[sensors]\n', "sensors.bet"),
        (JACKPOT + "[sensors]\namount = 5\n", "sensors.amount"),
        ('[sensors]\nbet = "bonus"\n', "sensors.amount"),
        ('[sensors]\nbet = "bonus"\namount = 51\n', "sensors.amount"),
        (JACKPOT + "[sensors]\nsettle_ms = 10\n", "sensors.settle_ms"),
        (JACKPOT + "[sensors]\ncolour = 1\n", "sensors.colour"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path: Path, extra: str, key: str) -> None:
    with pytest.raises(TableError) as refused:
        load_config(written(tmp_path, extra))
    assert f"key {key}" in refused.value.line()
    assert refused.value.line().startswith("TC-0102")


def test_doors_are_not_watched_unless_fitted(tmp_path: Path) -> None:
    assert make_setup(load_config(written(tmp_path, ""))).doors == Doors()
    text = '[doors]\nenclosure = "stop_now"\nshoe_lid = "not_fitted"\noff_minutes = 5\n'
    doors = make_setup(load_config(written(tmp_path, text))).doors
    assert (doors.effect("enclosure"), doors.effect("shoe"), doors.off_minutes) == ("stop_now", "", 5)


def test_a_bonus_sensor_needs_a_game_with_a_bonus(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, '[sensors]\nbet = "bonus"\namount = 20\n', rules="jpoker"))
    with pytest.raises(TableError, match="no bonus") as refused:
        make_setup(config)
    assert refused.value.code == "TC-0124"
