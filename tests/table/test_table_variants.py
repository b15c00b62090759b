"""Variants that no shipped game takes, at the table: stakes of blind boxes, a deck that may run short of draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain import prices
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import Setup
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.journal.hands import read_hand
from controller.table import prompts
from controller.table.audit import check_hand

PLAYS = "As Kd 9c 6d 3h"
PAIR = "9d 9h 7s 5s 2c"
BLIND = {"blind_extras": ["bonus", "buy6", "insurance"]}


def audited(rig: Rig) -> dict[int, dict[str, Any]]:
    """The boxes' stakes of hand 1, once its records agree with themselves."""
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert (findings, check_hand(hand)) == ([], [])
    return {box["box"]: box["stakes"] for box in rig.events(ev.HandSettled)[-1].answer["boxes"]}


# --- blind boxes (Q22) -----------------------------------------------------------------------------------------------


def blind_table(tmp_path: Path, dealer: str = PLAYS, b2: str = "8c 8d 8h Qs 4c") -> Rig:
    rig = Rig(folder=tmp_path, setup=make_setup("russian", boxes=4, house=BLIND)).open()
    rig.lay(dealer, b1=PAIR, b2=b2)
    rig.deck["draw", 2, 0] = "8s"
    return rig.stake(b1=10, b2=10)


def test_a_blind_box_buys_its_sixth_card_and_insurance_before_the_deal(tmp_path: Path) -> None:
    """SOCHI: both are staked before the deal; the card comes when the box's turn comes, seen by nobody."""
    rig = blind_table(tmp_path)
    rig.do(cm.Blind(box=2, buy6=True, insurance=20)), rig.ok()
    assert (rig.hand.box(2).fee, rig.hand.box(2).insurance) == (10, 20)
    rig.deal()
    rig.do(cm.Bet(box=1))
    assert (rig.want.kind, rig.want.place, rig.want.box) == (Want.CARD, "draw", 2)
    rig.card()
    assert rig.snapshot().boxes[1].drawn == ("back",)
    assert rig.phase is Phase.REVEAL
    rig.finish()
    stakes = audited(rig)[2]
    assert stakes["bet"]["odds"] == "20:1"
    assert stakes["fee"] == {"staked": 10, "outcome": "fee", "profit": -10}
    assert stakes["insurance"]["outcome"] == "lose"  # the dealer played


def test_insurance_staked_blind_comes_back_from_a_low_hand(tmp_path: Path) -> None:
    """COR: returned when the hand turns out not to be eligible."""
    rig = blind_table(tmp_path, dealer="As Qd 9c 6d 3h", b2="Kc Jd 8h Qs 4c")
    rig.do(cm.Blind(box=2, insurance=10)), rig.ok(), rig.deal()
    rig.do(cm.Bet(box=1)), rig.finish()
    assert audited(rig)[2]["insurance"] == {"staked": 10, "outcome": "push", "profit": 0}


def test_stakes_of_a_blind_box_are_judged_at_lock(tmp_path: Path) -> None:
    rig = blind_table(tmp_path)
    rig.refused(Why.NOT_OFFERED, cm.Blind(box=2, blind=False, buy6=True))
    rig.do(cm.Blind(box=2, insurance=9))
    rig.refused(Why.INSURANCE_RANGE, cm.Ok())
    rig.do(cm.Blind(box=2, insurance=10_000))
    rig.refused(Why.INSURANCE_RANGE, cm.Ok())
    rig.do(cm.Blind(box=2)), rig.ok()
    assert (rig.hand.box(2).sixth, rig.hand.box(2).insurance) == (False, 0)


@pytest.mark.parametrize(
    ("slot", "dealer", "end"),
    [
        ("DOC", "Qs Jd 9c 6d 3h", "push"),  # he holds the joker and always plays (Q82)
        ("2d", "Qs Jd 9c 6d 3h", "win"),
        ("2d", "Qs Qd 9c 6d 3h", "lose"),
    ],
)
@pytest.mark.parametrize("joker_time", ["before_deal", "during_deal", "after_deal"])
def test_insurance_on_a_blind_box_of_j_poker(slot: str, dealer: str, end: str, joker_time: str, tmp_path: Path) -> None:
    """It lies there before anybody can know the joker; where that is the dealer's own card it goes back."""
    house = {"blind_extras": ["insurance"], "insurance_max_fraction": "1/2"}
    setup = make_setup("jpoker_online", boxes=4, house=house, joker_time=joker_time)
    rig = Rig(folder=tmp_path, setup=setup).open()
    rig.lay(dealer, b1=PAIR, b2="8c 7c 6c 5c 4c").stake(b1=10, b2=10)
    rig.do(cm.Blind(box=2, insurance=30)), rig.joker(slot).lock().deal()
    assert rig.hand.box(2).insurance == 30
    assert ("insure" in rig.snapshot().allowed) == (slot != "DOC")
    rig.do(cm.Bet(box=1)), rig.restart().ok()
    rig.to(Want.PAID)
    while rig.want.box != 2:
        rig.ok().to(Want.PAID)
    pay = next(line for line in rig.snapshot().boxes[1].pay if line.stake == "insurance")
    assert (pay.say, pay.amount) == {"push": ("BACK", 30), "win": ("PAY", 30), "lose": ("TAKE", 30)}[end]
    rig.finish()
    assert audited(rig)[2]["insurance"]["outcome"] == end


@pytest.mark.parametrize("setup", [make_setup("russian", boxes=4), make_setup("jpoker", boxes=4, house=BLIND)])
def test_a_house_or_a_game_that_lets_nothing_lie_there(setup: Setup) -> None:
    """A house that allows what the game does not have allows nothing."""
    rig = Rig(setup=setup).open().stake(b1=10)
    rig.refused(Why.NOT_OFFERED, cm.Blind(box=1, buy6=True))
    rig.refused(Why.NOT_OFFERED, cm.Blind(box=1, insurance=10))


# --- a deck that may run short (1.7) ---------------------------------------------------------------------------------

SHORT = {"stub_policy": "announced_limit"}


def test_six_boxes_of_russian_poker_and_the_cards_that_are_left() -> None:
    """S001 seats up to six: 35 of 52 cards are dealt, one is kept for the dealer, 16 are for draws."""
    assert prices.most_dealt(make_setup("russian", boxes=4).rules) == 4
    assert prices.most_dealt(make_setup("russian", boxes=4, house=SHORT).rules) == 9
    rig = Rig(setup=make_setup("russian", boxes=6, house=SHORT)).open()
    rig.stake(**{f"b{n}": 10 for n in range(1, 7)}).ok().deal()
    assert left(rig) == 52 - 35 - 1
    for box in (1, 2, 3):
        rig.do(cm.Exchange(box=box, count=5))
        for _ in range(5):
            rig.card()
        rig.do(cm.Bet(box=box))
    assert left(rig) == 1
    rig.refused(Why.STUB_SHORT, cm.Exchange(box=4, count=2))
    rig.do(cm.Exchange(box=4, count=1)), rig.card(), rig.do(cm.Bet(box=4))
    assert "exchange" not in rig.snapshot().allowed
    assert "buy6" not in rig.snapshot().allowed
    rig.refused(Why.STUB_SHORT, cm.Buy6(box=5))
    rig.do(cm.Bet(box=5)), rig.do(cm.Fold(box=6))
    assert rig.phase is Phase.REVEAL


def left(rig: Rig) -> int:
    """As every display tells it at a decision."""
    text = prompts.prompt(rig.table, rig.want, rig.setup)
    assert text.code == "TC-0856"
    return int("".join(char for char in text.en.split(";")[1] if char.isdecimal()))


def test_cards_bought_and_not_yet_drawn_are_not_for_others() -> None:
    rig = Rig(setup=make_setup("russian", boxes=6, house=SHORT, draw_timing="after_all")).open()
    rig.stake(**{f"b{n}": 10 for n in range(1, 7)}).ok().deal()
    for box in (1, 2, 3):
        rig.do(cm.Exchange(box=box, count=5)), rig.do(cm.FixDraw(box=box))
    assert left(rig) == 1
    rig.refused(Why.STUB_SHORT, cm.Exchange(box=4, count=2))


@pytest.mark.parametrize("joker_time", ["before_deal", "during_deal"])
def test_lock_is_not_taken_back_by_what_a_blind_box_bought_with_it(joker_time: str) -> None:
    house = {"blind_extras": ["insurance"], "insurance_max_fraction": "1/2"}
    rig = Rig(setup=make_setup("jpoker_online", 4, house, joker_time=joker_time)).open().stake(b1=10, b2=10)
    rig.do(cm.Blind(box=2, insurance=30)), rig.joker("2d").lock()
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo(), origin="keys")


def test_a_box_with_carried_insurance_is_not_blind(tmp_path: Path) -> None:
    house = {"blind_extras": ["bonus"], "insurance_on_beaten": "carry"}
    rig = Rig(folder=tmp_path, setup=make_setup("russian", 4, house)).open()
    rig.lay("9s 9d 9c 6d 3h", b1="8c 8d 8h Qs 4c").stake(b1=10).ok().deal()
    rig.do(cm.Insure(box=1, amount=30)), rig.do(cm.Bet(box=1)), rig.finish()
    assert rig.hand.box(1).insurance_carried
    rig.stake(b1=10)
    rig.refused(Why.CARRIED, cm.Blind(box=1))
    rig.do(cm.Repeat(box=1)), rig.ok()
    assert not rig.hand.box(1).blind
    rig.finish()
