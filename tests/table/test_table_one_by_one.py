"""Cards exchanged one after another, the n-th for n antes (`repeat_exchange`, Q31), at the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import Rig, make_setup
from test_table_keys import Fingers
from test_table_variants import audited

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import CardSource
from controller.errors import TableError

PLAYS, PLAYS_NOT = "As Kd 9c 6d 3h", "As Jh 9c 6d 3h"
HIGH = "Qc Jd 8h 4s 2c"


def table(tmp_path: Path | None = None, dealer: str = PLAYS, boxes: int = 2, **how: Any) -> Rig:
    house = {"repeat_exchange": True, **how.pop("house", {})}
    rig = Rig(folder=tmp_path, setup=make_setup(how.pop("rules", "oasis_ru"), boxes, house, **how)).open()
    rig.lay(dealer, b1=HIGH, draws={1: "Qd 2d Qh"})
    return rig.stake(b1=10).ok().deal()


def three(rig: Rig) -> Rig:
    """A queen comes, a deuce, and in the deuce's place another queen: 1 + 2 + 3 antes."""
    for count in (1, 2, 3):
        rig.do(cm.Exchange(box=1))
        assert rig.hand.box(1).count == count
        rig.refused(Why.CARDS_COMING, cm.Exchange(box=1))
        rig.refused(Why.CARDS_COMING, cm.Bet(box=1))
        rig.card()
    return rig


def test_the_third_card_costs_three_antes_and_one_that_came_may_go_again(tmp_path: Path) -> None:
    rig = three(table(tmp_path))
    assert rig.hand.box(1).fee == 60
    rig.do(cm.Bet(box=1)), rig.ok()
    assert (rig.want.kind, rig.want.count) == (Want.DISCARDS, 3)
    rig.refused(Why.NOT_DISCARDABLE, cm.NameDiscards(box=1, cards="Qh"))  # the last that came: nothing came after it
    rig.do(cm.NameDiscards(box=1, cards="4s 2c 2d"))
    rig.restart().finish()
    stakes = audited(rig)[1]
    assert stakes["fee"] == {"staked": 60, "outcome": "fee", "profit": -60}
    assert stakes["bet"]["odds"] == "3:1"
    asked = rig.events(ev.HandSettled)[-1].request["boxes"][0]
    assert (asked["drawn"], asked["final"]) == ("Qd 2d Qh", "Qc Jd 8h Qd Qh")


def test_a_card_is_taken_back_until_its_replacement_comes() -> None:
    rig = table()
    rig.do(cm.Exchange(box=1)), rig.card()
    rig.do(cm.Exchange(box=1)), rig.do(cm.Undo())
    assert (rig.hand.box(1).count, rig.hand.box(1).fee) == (1, 10)
    assert "exchange" in rig.snapshot().allowed
    rig.refused(Why.EXCHANGE_COUNT, cm.Exchange(box=1, count=2))


@pytest.mark.parametrize("fold", [True, False])
def test_nothing_is_named_of_a_box_that_stays_face_down(fold: bool, tmp_path: Path) -> None:
    rig = three(table(tmp_path, dealer=PLAYS_NOT))
    rig.do(cm.Fold(box=1) if fold else cm.Bet(box=1))
    rig.finish()
    asked = rig.events(ev.HandSettled)[-1].request["boxes"][0]
    assert (asked["count"], asked["drawn"]) == (3, "Qd 2d Qh")
    assert audited(rig)[1]["fee"]["profit"] == -60


def test_as_long_as_the_deck_lasts() -> None:
    rig = table(boxes=7)
    taken = 0
    while "exchange" in rig.snapshot().allowed:
        rig.do(cm.Exchange(box=1)), rig.card()
        taken += 1
    assert taken == 52 - 10
    rig.refused(Why.STUB_SHORT, cm.Exchange(box=1))
    rig.do(cm.Bet(box=1))
    assert rig.phase is Phase.REVEAL
    rig.finish()
    assert rig.events(ev.HandSettled)[-1].answer["boxes"][0]["stakes"]["fee"]["staked"] == 10 * 42 * 43 // 2


def test_the_digits_name_drawn_cards_behind_change() -> None:
    rig = three(table())
    rig.do(cm.Bet(box=1)), rig.ok()
    keys = Fingers(rig)
    assert "CHANGE" in rig.snapshot().keys
    keys.press("K4"), keys.press("K5")
    keys.press("CHANGE")
    assert keys.keypad.overlay(rig.table, rig.setup) == ("DRAWN, THROWN AWAY:", "Qd 2d", "1-6 NAME, CHANGE")
    keys.press("K3")  # no third card there
    assert rig.want.count == 1
    keys.press("CHANGE", "CHANGE", "CHANGE", "K2")  # each digit leads back to the dealt cards
    assert rig.hand.box(1).discards == ("4s", "2c", "2d")
    assert rig.want.kind is not Want.DISCARDS


def test_by_hand_each_word_affirms_the_card_before_it(tmp_path: Path) -> None:
    rig = table(tmp_path, cards=CardSource.AT_TURN)
    while rig.phase is not Phase.DECISIONS:
        rig.step()
    rig.do(cm.Exchange(box=1))
    assert (rig.want.kind, rig.want.count) == (Want.DECISION, 1)
    rig.do(cm.Exchange(box=1))
    assert (rig.hand.box(1).count, len(rig.hand.box(1).drawn)) == (2, 1)
    rig.do(cm.Bet(box=1))
    assert len(rig.hand.box(1).drawn) == 2
    rig.finish()
    assert audited(rig)[1]["fee"]["staked"] == 30


def test_a_sixth_card_after_the_last_and_no_card_after_that(tmp_path: Path) -> None:
    rig = table(tmp_path, rules="russian", house={"max_actions": 2})
    rig.deck["draw", 1, 3] = "Qs"
    three(rig)
    rig.do(cm.Buy6(box=1)), rig.card()
    rig.refused(Why.ONE_ACTION, cm.Exchange(box=1))
    rig.do(cm.Bet(box=1)), rig.ok().to(Want.DISCARDS)
    rig.do(cm.NameDiscards(box=1, cards="4s 2c 2d"))
    rig.finish()
    assert audited(rig)[1]["bet"]["odds"] == "20:1"


@pytest.mark.parametrize("house", [{"draw_timing": "after_all"}, {"exchange_fee": {"1": None, "2": 1}}])
def test_what_does_not_go_with_it_is_refused(house: dict[str, Any]) -> None:
    with pytest.raises(TableError) as caught:
        make_setup("oasis_ru", 2, {"repeat_exchange": True, **house})
    assert caught.value.code == "TC-0404"
