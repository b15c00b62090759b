"""What the jackpot button's lamp shows in the course of a hand: stakes and hits of the journal, nothing before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.table import lamps
from controller.table.lamps import JackpotLamp

PLAYS = "As Kd 9c 6d 3h"
ROYAL = "Ac Kc Qc Jc Tc"
NOTHING = "Qh 7d 5s 3s 2c"


def lamp(rig: Rig) -> str:
    return str(lamps.display(rig.table, rig.setup, "en").jackpot)


def table(folder: Path | None = None, **how: Any) -> Rig:
    how = {"jackpot_stake": 1, "meter": "25000", "award_limit": 100, **how}
    return Rig(folder=folder, setup=make_setup("oasis_ru", **how)).open()


def staked(rig: Rig) -> Rig:
    rig.stake(b1=10, b2=10)
    rig.do(cm.SetStake(box=1, jackpot=1))
    return rig


def test_lit_from_the_record_of_the_stake_dark_without() -> None:
    rig = table()
    assert lamp(rig) == JackpotLamp.DARK
    rig.stake(b1=10, b2=10)
    assert lamp(rig) == JackpotLamp.DARK
    rig.do(cm.SetStake(box=1, jackpot=1))
    assert lamp(rig) == JackpotLamp.LIT
    rig.do(cm.SetStake(box=1, jackpot=0))
    assert lamp(rig) == JackpotLamp.DARK


def test_a_stake_that_is_not_on_disk_lights_nothing() -> None:
    rig = table()
    rig.stake(b1=10)
    rig.recorder.broken = True
    rig.act(cm.SetStake(box=1, jackpot=1))
    assert lamp(rig) == JackpotLamp.DARK


def test_a_hit_flashes_until_it_is_awarded_and_not_before_the_hand_is_settled(tmp_path: Path) -> None:
    rig = staked(table(tmp_path))
    rig.lay(PLAYS, b1=ROYAL, b2=NOTHING).ok().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    while rig.want.kind is not Want.AWARD:
        assert lamp(rig) == JackpotLamp.LIT  # whatever lies face down
        rig.step()
    assert lamp(rig) == JackpotLamp.FLASHING
    rig.restart()
    assert lamp(rig) == JackpotLamp.FLASHING
    rig.do(cm.Award(hit=1), S1, S2)
    assert rig.phase is Phase.BETTING
    assert lamp(rig) != JackpotLamp.FLASHING


def test_a_void_box_takes_no_part() -> None:
    rig = staked(table())
    rig.ok().deal()
    assert lamp(rig) == JackpotLamp.LIT
    rig.do(cm.VoidBox(box=1, reason="wrong number"), S1)
    assert lamp(rig) == JackpotLamp.DARK


@pytest.mark.parametrize(("bonus", "shown"), [(5, JackpotLamp.LIT), (0, JackpotLamp.DARK)])
def test_where_the_bonus_feeds_the_jackpot_a_bonus_lights_it(bonus: int, shown: JackpotLamp) -> None:
    house = {"jackpot": {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.5"}, "contribution_basis": "losses"}}
    rig = Rig(setup=make_setup("oasis_ru", house=house, meter="25000")).open()
    rig.stake(b1=10)
    rig.do(cm.SetStake(box=1, bonus=bonus))
    assert lamp(rig) == shown


def test_without_a_jackpot_a_bonus_lights_nothing() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open()
    rig.stake(b1=10)
    rig.do(cm.SetStake(box=1, bonus=5))
    assert lamp(rig) == JackpotLamp.DARK
