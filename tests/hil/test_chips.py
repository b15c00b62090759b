"""Bet sensors through the whole table: chips on the board's register, by the real pin factory's SPI, to the record."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_sim import scenario
from firmware_sim.faults import Fault
from firmware_sim.scenario import Scenario, Step
from tests.hil.rig import Rig, Snapshot, last_hand, until
from tests.hil.script import Script

pytestmark = pytest.mark.hil

JACKPOT = {"[gpio]": '[jackpot]\nstake = 500\nmeter = "100000"\n[sensors]\nsettle_ms = 100\n[gpio]'}


def box(snap: Snapshot, number: int) -> dict[str, Any]:
    return dict(snap["boxes"][number - 1])


def start_quiet(rig: Rig) -> Script:
    """An open table with boxes 1 and 2 in play and sensors that tell."""
    rig.start()
    rig.open_table()
    rig.wait(lambda s: all(b["chip"] is False for b in s["boxes"]))
    script = Script(rig)
    for number in (1, 2):
        script.box_in(number)
    rig.bench.new_deck(1)
    return script


def test_f44_the_jackpot_lamp_is_lit_by_a_recorded_stake_and_dark_after_stop_and_kill() -> None:
    with Rig("oasis_ru", changes=JACKPOT) as rig:
        start_quiet(rig)
        assert not rig.bench.jackpot_lamp()
        rig.bench.chip(2)
        assert until(rig.bench.jackpot_lamp)
        assert [record["data"]["jackpot"] for record in rig.records("StakeSet")][-1] == 500
        rig.kill()
        assert until(lambda: not rig.bench.jackpot_lamp())  # the line is given back, nothing drives it
        rig.start()
        assert until(rig.bench.jackpot_lamp), "the stake is in the journal"
        assert rig.stop()[0] == 0
        assert not rig.bench.jackpot_lamp()


def test_a_chip_stakes_a_late_one_does_not_and_a_lifted_one_is_an_alarm() -> None:
    with Rig("oasis_ru", changes=JACKPOT) as rig:
        script = start_quiet(rig)
        rig.bench.chip(2)
        rig.wait(lambda s: box(s, 2)["jackpot"] == 500)
        assert until(lambda: {"green 2", "red 2"} <= set(rig.bench.board.lit()))
        script.start()
        script.card()
        rig.bench.chip(1)
        rig.wait(lambda s: box(s, 1)["late"])
        assert box(rig.now, 1)["jackpot"] == 0
        assert until(lambda: rig.bench.display.text()[0].startswith("LATE BET BOX 1"))
        rig.bench.chip(1, there=False)
        rig.wait(lambda s: not box(s, 1)["late"])
        rig.bench.chip(2, there=False)
        snap = rig.wait(lambda s: bool(s["alarms"]))
        assert snap["alarms"][0]["subject"] == "box 2"
        assert until(lambda: "CALL" in rig.bench.board.lit())
        rig.do("answer_alarm", "supervisor", alarm=1, reason="a child at the table")
        rig.play_hands(1)
        (locked,) = rig.records("Locked")
        assert [(s["box"], s["jackpot"]) for s in locked["data"]["stakes"]] == [(1, 0), (2, 500)]
        assert len(rig.records("LateBet")) == len(rig.records("SideBetLifted")) == 1
        assert rig.stop()[0] == 0
        rig.audit()


def test_a_chip_that_lies_there_at_start_is_no_stake() -> None:
    with Rig("oasis_ru", changes=JACKPOT) as rig:
        rig.bench.chip(1)
        rig.start()
        rig.open_table()
        rig.wait(lambda s: box(s, 2)["chip"] is False)
        Script(rig).box_in(1)
        assert (box(rig.now, 1)["jackpot"], box(rig.now, 1)["chip"]) == (0, None)
        assert [r["data"]["device"] for r in rig.records("DeviceTroubled")] == ["sensor 1"]
        rig.bench.chip(1, there=False)
        rig.wait(lambda s: box(s, 1)["chip"] is False)
        rig.bench.chip(1)
        rig.wait(lambda s: box(s, 1)["jackpot"] == 500)


def test_a_sensor_that_sticks_stops_at_the_count_of_a_hand_without_its_box() -> None:
    with Rig("oasis_ru", changes=JACKPOT) as rig:
        script = start_quiet(rig)
        rig.bench.inject(Fault.STUCK_SENSOR)
        rig.wait(lambda s: box(s, 3)["chip"])
        script.key("OK", lambda s: s["phase"] == "locked")
        assert rig.now["prompt"]["code"] == "TC-0805"
        rig.do("resume", "supervisor")
        rig.wait(lambda s: s["phase"] == "dealing")


def test_a_killed_table_finds_its_chips_again() -> None:
    with Rig("oasis_ru", changes=JACKPOT) as rig:
        script = start_quiet(rig)
        rig.bench.chip(1)
        rig.wait(lambda s: box(s, 1)["jackpot"] == 500)
        script.start()
        script.card()
        rig.kill()
        rig.start()
        rig.wait(lambda s: box(s, 1)["chip"] is True)
        assert rig.now["alarms"] == []
        assert box(rig.now, 1)["jackpot"] == 500


def test_players_lay_chips_in_whole_hands_and_a_scenario_does() -> None:
    with Rig("oasis_ru", seed=4, changes=JACKPOT) as rig:
        rig.start()
        rig.open_table()
        rig.wait(lambda s: all(b["chip"] is False for b in s["boxes"]))
        rig.bench.dealer.most_hands = 3
        rig.play_until(lambda s: last_hand(s) >= 3)
        stakes = [s["jackpot"] for locked in rig.records("Locked") for s in locked["data"]["stakes"]]
        assert 500 in stakes
        assert [locked["data"]["counted"] for locked in rig.records("Locked")] == [
            locked["data"]["side_bets"] for locked in rig.records("Locked")
        ]
        steps = [Step(chip=1), Step(no_chip=1)]
        assert list(scenario.run(rig.bench, Scenario(step=steps))) == ["1 chip 1", "2 no_chip 1"]
        assert rig.stop()[0] == 0
        rig.audit()
