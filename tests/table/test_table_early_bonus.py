"""A bonus paid at the deal, or with the bet (`bonus_pay_time`, Q49): called, shown, paid, and not paid again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import S1, S2, Rig, make_setup
from test_table_variants import audited

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import BonusStep, CardSource
from controller.errors import TableError
from controller.table import lamps

PLAYS = "As Kd 9c 6d 3h"
FLUSH, PAIR = "Jh 9h 7h 5h 2h", "Tc Td 7s 5c 2d"
AT_DEAL = {"bonus_pay_time": "at_deal", "bonus_on_draw": "initial", "bonus_on_fold": "initial"}
WITH_BET = {"bonus_pay_time": "with_bet"}


def table(tmp_path: Path | None = None, house: dict[str, Any] = AT_DEAL, b1: str = FLUSH) -> Rig:
    """A flush with a bonus, a pair with one, another pair without."""
    rig = Rig(folder=tmp_path, setup=make_setup("oasis_ru", 4, house)).open()
    rig.lay(PLAYS, b1=b1, b2=PAIR, b3="8c 8d Qh 4s 2c")
    for box, bonus in ((1, 5), (2, 5), (3, 0)):
        rig.do(cm.SetStake(box=box, ante=10, bonus=bonus))
    rig.do(cm.Count(number=2))
    return rig.ok().deal()


def test_at_the_deal_the_winner_is_called_shown_and_paid_before_anybody_decides(tmp_path: Path) -> None:
    rig = table(tmp_path)
    assert (rig.phase, rig.want.kind, rig.want.box) == (Phase.DECISIONS, Want.TURN, 1)
    assert rig.hand.box(2).bonus_step is BonusStep.DONE, "lost: taken at once"
    assert rig.snapshot().prompt.code == "TC-0857"
    assert rig.snapshot().boxes[0].cards == ("back",) * 5
    for early in (cm.Bet(box=1), cm.Exchange(box=1), cm.Fold(box=1)):
        rig.refused(Why.NOT_NOW, early)
    rig.ok()
    assert rig.snapshot().boxes[0].cards == tuple(FLUSH.split())
    assert (rig.snapshot().prompt.code, rig.snapshot().keys) == ("TC-0858", ("OK",))
    assert lamps.display(rig.table, rig.setup, "en").lines[1] == "BONUS PAY 60:1 300"
    rig.restart().ok()
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 1)
    for box in (1, 2, 3):
        rig.do(cm.Bet(box=box))
    rig.finish()
    stakes = audited(rig)
    assert (stakes[1]["bonus"]["profit"], stakes[2]["bonus"]["profit"]) == (300, -5)
    told = {event.box: event.answer for event in rig.events(ev.BoxSettled)}
    assert "bonus" not in told[1]["stakes"], "nothing of it moves a second time"
    assert told[1]["net"] == 10 + 100
    assert told[1]["returned"] == 20 + 120


def test_it_is_kept_by_a_box_that_then_folds(tmp_path: Path) -> None:
    rig = table(tmp_path).ok().ok()
    rig.do(cm.Fold(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Bet(box=3))
    rig.finish()
    assert not rig.events(ev.TurnCalled)
    assert audited(rig)[1]["bonus"]["profit"] == 300


@pytest.mark.parametrize("draws", [True, False])
def test_with_the_bet_a_bonus_is_paid_once_its_box_bets(draws: bool, tmp_path: Path) -> None:
    """Lost by the draw where the house says so (`bonus_on_draw = forfeit`)."""
    rig = table(tmp_path, WITH_BET)
    assert rig.want.kind is Want.DECISION
    if draws:
        rig.do(cm.Exchange(box=1)), rig.card()
    rig.do(cm.Bet(box=1))
    assert rig.want.kind is (Want.DECISION if draws else Want.TURN)
    if not draws:
        rig.ok()
        rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())
        rig.ok()
    assert rig.want.box == 2
    rig.do(cm.Bet(box=2))
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 3)
    rig.do(cm.Undo())
    assert rig.hand.box(2).bonus_step is BonusStep.NONE
    rig.do(cm.Fold(box=2)), rig.do(cm.Bet(box=3))
    rig.finish()
    stakes = audited(rig)
    assert [stakes[box]["bonus"]["profit"] for box in (1, 2)] == [-5 if draws else 300, -5]


def test_a_blind_box_is_paid_with_the_bet_that_lies_there(tmp_path: Path) -> None:
    rig = Rig(folder=tmp_path, setup=make_setup("oasis_ru", 4, WITH_BET)).open().lay(PLAYS, b1=PAIR, b2=FLUSH)
    rig.stake(b1=10), rig.do(cm.SetStake(box=2, ante=10, bonus=5)), rig.do(cm.Blind(box=2)), rig.do(cm.Count(number=1))
    rig.ok().deal()
    assert (rig.want.kind, rig.want.box) == (Want.TURN, 2)
    rig.ok().ok()
    rig.do(cm.Bet(box=1)), rig.finish()
    assert audited(rig)[2]["bonus"]["profit"] == 300


def test_an_unread_card_of_a_bonus_is_entered_when_its_box_is_shown(tmp_path: Path) -> None:
    rig = Rig(folder=tmp_path, setup=make_setup("oasis_ru", 4, AT_DEAL)).open().lay(PLAYS, b1=FLUSH)
    rig.do(cm.SetStake(box=1, ante=10, bonus=5)), rig.do(cm.Count(number=1)), rig.ok()
    rig.card(unread=True)
    rig.deal()
    assert (rig.want.kind, rig.want.box) == (Want.TURN, 1)
    rig.ok()
    assert (rig.want.kind, rig.want.place, rig.want.index) == (Want.ENTRY, "box", 0)
    rig.do(cm.EnterCard(card="Jh"), S1)
    assert rig.want.kind is Want.PAID
    rig.ok().finish()
    assert audited(rig)[1]["bonus"]["profit"] == 300


def test_by_hand_every_bonus_is_shown_since_nobody_knows_the_cards(tmp_path: Path) -> None:
    rig = Rig(folder=tmp_path, setup=make_setup("oasis_ru", 4, AT_DEAL, cards=CardSource.AT_TURN)).open()
    rig.lay(PLAYS, b1=FLUSH, b2=PAIR)
    for box in (1, 2):
        rig.do(cm.SetStake(box=box, ante=10, bonus=5))
    rig.do(cm.Count(number=2)), rig.ok()
    rig.finish()
    assert [event.box for event in rig.events(ev.BonusShown)] == [1, 2]
    assert audited(rig)[2]["bonus"]["profit"] == -5


def test_what_has_been_decided_is_not_changed_any_more() -> None:
    rig = table().ok().ok()
    rig.refused(Why.BAD_ARGUMENT, cm.CorrectStake(box=1, ante=10, bonus=10), S1)
    rig.refused(Why.NOT_NOW, cm.SwapHands(box=1, target=3), S1)
    rig.do(cm.CorrectStake(box=1, ante=20, bonus=5), S1)
    rig.do(cm.VoidBox(box=1, reason="dead"), S1)
    assert rig.snapshot().boxes[0].returned == 20, "the bonus has been paid"
    rig.do(cm.Bet(box=2)), rig.do(cm.Bet(box=3))
    rig.finish()


def test_nothing_tells_of_a_bonus_that_is_not_due() -> None:
    """The rule of silence: before the bet a winning and a losing bonus look the same."""
    one, other = (table(house=WITH_BET, b1=cards) for cards in (FLUSH, "Jh 9s 7d 5h 2h"))
    assert one.sinks() == other.sinks()


def test_a_hand_void_after_the_payment() -> None:
    rig = table().ok().ok()
    rig.do(cm.VoidHand(reason="misdeal"), S1, S2)
    assert [event.box for event in rig.events(ev.BonusPaid)] == [1]


@pytest.mark.parametrize(
    "house",
    [
        {"bonus_pay_time": "at_deal", "bonus_on_draw": "forfeit", "bonus_on_fold": "initial"},
        {"bonus_pay_time": "at_deal", "bonus_on_draw": "initial", "bonus_on_fold": "lost"},
        {**WITH_BET, "jackpot": {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.1"}}},
    ],
)
def test_a_payment_that_something_later_would_take_back_is_refused(house: dict[str, Any]) -> None:
    with pytest.raises(TableError) as caught:
        make_setup("oasis_ru", 4, house)
    assert caught.value.code == "TC-0404"


def both_turned(tmp_path: Path) -> Rig:
    """Boxes 1 (its bonus is paid) and 2 lie open, neither is settled with."""
    rig = Rig(folder=tmp_path, setup=make_setup("oasis_ru", 4, AT_DEAL, settle_mode="takes_first")).open()
    rig.lay(PLAYS, b1=FLUSH, b2=PAIR, draws={1: "Qc"})
    rig.do(cm.SetStake(box=1, ante=10, bonus=5)), rig.stake(b2=10), rig.do(cm.Count(number=1))
    rig.ok().deal().ok().ok()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    return rig.to(Want.DISCARDS)


@pytest.mark.parametrize(
    "act",
    [
        cm.Reassign(box=1, place="box", index=1, card="2c"),
        cm.Reassign(box=1, place="draw", index=1, card="Jh"),  # would change places with a dealt card
        cm.Reassign(box=2, place="box", index=1, card="Jh"),
    ],
)
def test_no_remedy_at_another_place_changes_the_cards_of_a_decided_bonus(act: cm.Reassign, tmp_path: Path) -> None:
    rig = both_turned(tmp_path)
    rig.refused(Why.NOT_NOW, act, S1)
    rig.do(cm.Reassign(box=1, place="draw", index=1, card="8s"), S1)
    rig.finish()
    assert audited(rig)[1]["bonus"]["profit"] == 300


@pytest.mark.parametrize(("on_draw", "profit"), [("forfeit", -5), ("initial", 50)])
def test_a_sixth_card_bought_blind_takes_the_bonus_when_it_comes(on_draw: str, profit: int, tmp_path: Path) -> None:
    house = {"blind_extras": ["bonus", "buy6"], "bonus_table": {"flush": 10}, "bonus_on_draw": on_draw, **WITH_BET}
    rig = Rig(folder=tmp_path, setup=make_setup("russian", 4, house)).open().lay(PLAYS, b1=PAIR, b2=FLUSH)
    rig.stake(b1=10), rig.do(cm.SetStake(box=2, ante=10, bonus=5)), rig.do(cm.Blind(box=2, buy6=True))
    rig.do(cm.Count(number=1)), rig.ok().deal()
    assert (rig.want.kind is Want.TURN) == (on_draw == "initial")
    rig.finish()
    assert audited(rig)[2]["bonus"]["profit"] == profit
