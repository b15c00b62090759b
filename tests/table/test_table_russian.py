"""Russian poker at the table: sixth card, insurance, the dealer's card bought, stakes carried from a tie."""

from __future__ import annotations

from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import BoxStatus

NO_GAME = "As Qd 9c 6d 3h"
TRIPS = "8c 8d 8h Qs 4c"
PAIR = "9d 9h 7s 5s 2c"


def table(rules: str = "russian", *, dealer: str = NO_GAME, boxes: int = 4, **how: Any) -> Rig:
    rig = Rig(setup=make_setup(rules, boxes=boxes, **how)).open()
    rig.lay(dealer, b1=TRIPS, b2=PAIR)
    return rig


def dealt(rig: Rig, **stakes: int) -> Rig:
    return rig.stake(**(stakes or {"b1": 10, "b2": 10})).ok().deal()


def stakes_of(rig: Rig, box: int) -> dict[str, Any]:
    answer = rig.events(ev.HandSettled)[-1].answer
    return next(b for b in answer["boxes"] if b["box"] == box)["stakes"]


# --- sixth card ------------------------------------------------------------------------------------------------------


def test_a_sixth_card_comes_at_once_and_two_combinations_are_paid() -> None:
    rig = table(dealer="As Kd 9c 6d 3h")
    rig.deck["draw", 1, 0] = "8s"
    dealt(rig)
    rig.do(cm.Buy6(box=1))
    assert (rig.want.kind, rig.want.place, rig.want.box) == (Want.CARD, "draw", 1)
    rig.card()
    rig.refused(Why.ONE_ACTION, cm.Buy6(box=1))
    rig.refused(Why.ONE_ACTION, cm.Exchange(box=1, count=1))
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    rig.finish()
    assert stakes_of(rig, 1)["bet"]["odds"] == "20:1"
    assert stakes_of(rig, 1)["fee"]["profit"] == -10


def test_a_sixth_card_can_be_taken_back_until_it_comes() -> None:
    rig = dealt(table())
    rig.do(cm.Buy6(box=1))
    rig.do(cm.Undo())
    assert rig.want.kind is Want.DECISION
    assert "exchange" in rig.snapshot().allowed


def test_exchange_and_then_a_sixth_card_where_two_actions_are_allowed() -> None:
    rig = table(house={"max_actions": 2}, boxes=2)
    rig.deck |= {("draw", 1, 0): "8s", ("draw", 1, 1): "Qh"}
    dealt(rig)
    rig.do(cm.Exchange(box=1, count=1)), rig.card()
    rig.do(cm.Buy6(box=1)), rig.card()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    assert rig.hand.box(1).fee == 20
    rig.ok().to(Want.CHOICE)
    for box in (1, 2):
        rig.do(cm.TakeAnte(box=box))
    rig.finish()
    asked = rig.events(ev.HandSettled)[-1].request["boxes"][-1]
    assert (asked["action"], asked["count"], asked["drawn"]) == ("exchange_buy6", 1, "8s Qh")


# --- insurance -------------------------------------------------------------------------------------------------------


def test_insurance_is_taken_from_any_box_up_to_a_public_bound() -> None:
    rig = dealt(table())
    rig.do(cm.Bet(box=1))
    rig.refused(Why.INSURANCE_RANGE, cm.Insure(box=2, amount=5))
    refusal = rig.refused(Why.INSURANCE_RANGE, cm.Insure(box=2, amount=100_000))
    rig.do(cm.Insure(box=2))
    assert rig.hand.box(2).insurance == 10
    rig.do(cm.Insure(box=2, amount=1000))
    assert refusal.args["high"] == 1500  # half of 2 antes x 150:1, whatever the box holds
    for other in (cm.Fold(box=2), cm.Exchange(box=2, count=1), cm.Buy6(box=2)):
        rig.refused(Why.INSURED, other)
    rig.do(cm.Undo())
    assert rig.hand.box(2).insurance == 10


def test_a_pair_was_no_hand_to_insure_and_all_of_it_comes_back() -> None:
    rig = dealt(table())
    rig.do(cm.Bet(box=1)), rig.do(cm.Insure(box=2, amount=50)), rig.do(cm.Bet(box=2))
    rig.ok()
    for box in (1, 2):
        rig.do(cm.TakeAnte(box=box))
    assert rig.want.kind is Want.TURN, "the dealer does not play: an insured box is turned for it"
    assert rig.want.box == 2
    rig.finish()
    assert stakes_of(rig, 2)["insurance"] == {"staked": 50, "outcome": "push", "profit": 0}


def test_insurance_above_half_of_the_win_is_handed_back() -> None:
    rig = dealt(table())
    rig.do(cm.Insure(box=1, amount=50)), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    rig.ok()
    rig.do(cm.TakeAnte(box=1))
    rig.finish()
    assert stakes_of(rig, 1)["insurance"] == {
        "staked": 30, "outcome": "win", "profit": 30, "odds": "1:1", "excess": 20,
    }  # fmt: skip


def test_insurance_until_the_cards_are_turned_where_the_house_allows_it() -> None:
    rig = dealt(table(house={"insurance_until": "reveal"}))
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    assert rig.phase is Phase.REVEAL
    rig.do(cm.Insure(box=1, amount=30))
    rig.ok()
    rig.refused(Why.NOT_NOW, cm.Insure(box=1, amount=40))
    strict = dealt(table())
    strict.do(cm.Bet(box=1)), strict.do(cm.Bet(box=2))
    strict.refused(Why.NOT_NOW, cm.Insure(box=1, amount=30))


# --- the dealer's card -----------------------------------------------------------------------------------------------


def bought(rig: Rig, *cards: str) -> Rig:
    """Box 1 buys, box 2 takes the ante."""
    rig.deck |= {("dealer_draw", 0, i): card for i, card in enumerate(cards)}
    dealt(rig)
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.CHOICE, 1)
    rig.refused(Why.NOT_THIS_BOX, cm.TakeAnte(box=2))
    rig.do(cm.BuyDealer(box=1)), rig.do(cm.TakeAnte(box=2))
    return rig


def test_takers_are_settled_before_the_card_is_drawn() -> None:
    rig = bought(table(), "9d")
    rig.lay(NO_GAME, b1=TRIPS, b2=PAIR)
    rig.deck["dealer_draw", 0, 0] = "Qc"
    assert rig.want.kind is Want.REST
    rig.ok()
    assert rig.hand.box(2).status is BoxStatus.PAID
    assert rig.hand.box(1).status is BoxStatus.OPEN
    assert (rig.want.kind, rig.want.place) == (Want.CARD, "dealer_draw")
    rig.card()
    assert rig.hand.dealer_final == ("Qc", "Qd", "9c", "6d", "3h")
    assert rig.hand.qualifies
    rig.finish()
    assert stakes_of(rig, 1)["bet"]["outcome"] == "win"
    assert stakes_of(rig, 1)["dealer_fee"]["profit"] == -10
    assert stakes_of(rig, 2)["ante"]["profit"] == 10


def test_the_same_rank_is_drawn_again_and_a_failure_pushes() -> None:
    rig = bought(table(), "Ah", "7d")
    rig.ok()
    rig.card()
    assert rig.want.kind is Want.CARD, "an ace for the ace: drawn again"
    rig.card()
    assert rig.hand.qualifies is False
    rig.finish()
    assert stakes_of(rig, 1)["ante"]["outcome"] == "push"
    assert stakes_of(rig, 1)["dealer_fee"]["outcome"] == "fee"


def test_a_buyer_who_exchanged_is_turned_even_if_the_dealer_still_has_no_game() -> None:
    rig = table()
    rig.deck |= {("draw", 1, 0): "Jd", ("dealer_draw", 0, 0): "7d"}
    dealt(rig)
    rig.do(cm.Exchange(box=1, count=1)), rig.card()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    rig.do(cm.BuyDealer(box=1)), rig.do(cm.TakeAnte(box=2)), rig.ok()
    rig.card()
    assert (rig.want.kind, rig.want.box) == (Want.TURN, 1)
    rig.finish()
    assert stakes_of(rig, 1)["ante"]["outcome"] == "push"


def test_an_unread_bought_card_is_entered() -> None:
    rig = bought(table(), "Qc")
    rig.ok()
    rig.card(unread=True)
    assert (rig.want.kind, rig.want.place) == (Want.ENTRY, "dealer_draw")
    rig.do(cm.EnterCard(card="Qc"), S1)
    assert rig.hand.qualifies
    rig.finish()


def test_nobody_buys_and_the_rest_is_settled_at_once() -> None:
    rig = dealt(table())
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.ok()
    rig.do(cm.TakeAnte(box=1)), rig.do(cm.TakeAnte(box=2))
    assert rig.want.kind is Want.REST
    rig.ok()
    assert rig.phase is Phase.BETTING


def test_a_choice_can_be_taken_back() -> None:
    rig = dealt(table())
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.ok()
    rig.do(cm.BuyDealer(box=1))
    rig.do(cm.Undo())
    assert (rig.want.kind, rig.want.box) == (Want.CHOICE, 1)


def test_no_choice_where_the_house_sells_no_card() -> None:
    rig = dealt(table("oasis_ru"))
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.refused(Why.NOT_OFFERED, cm.BuyDealer(box=1))


@pytest.mark.parametrize("restart_after", ["choice", "takers", "card"])
def test_a_restart_in_the_middle_of_a_purchase(restart_after: str, tmp_path: Any) -> None:
    rig = Rig(setup=make_setup("russian", boxes=4), folder=tmp_path).open()
    rig.lay(NO_GAME, b1=TRIPS, b2=PAIR)
    bought(rig, "Qc")
    if restart_after != "choice":
        rig.ok()
    if restart_after == "card":
        rig.card()
    before, want = rig.hand, rig.want
    rig.restart()
    assert (rig.hand, rig.want) == (before, want)
    rig.finish()


# --- carried ---------------------------------------------------------------------------------------------------------

TIE = "9c 9s 7d 5c 2d"


def tied() -> Rig:
    rig = table(dealer=TIE, house={"tie": "carry"})
    dealt(rig, b2=10)
    rig.do(cm.Bet(box=2))
    rig.finish()
    return rig


def test_a_tie_carries_and_nothing_of_it_can_leave_the_box() -> None:
    """T1: ante and bet lie there, no new money, and they win in the next round."""
    rig = tied()
    assert stakes_of(rig, 2)["ante"]["outcome"] == "carry"
    assert (rig.hand.box(2).carried, rig.hand.box(2).ante) == (True, 10)
    rig.refused(Why.CARRIED, cm.SetStake(box=2, ante=0))
    rig.refused(Why.CARRIED, cm.Blind(box=2))
    rig.lay("As Kd 9c 6d 3h", b2=PAIR)
    rig.ok().deal()
    rig.do(cm.Bet(box=2))
    rig.finish()
    answer = rig.events(ev.HandSettled)[-1].answer["boxes"][0]
    assert (answer["net"], answer["returned"]) == (20, 50)
    assert not rig.hand.box(2).carried


def test_a_fold_forfeits_what_was_carried() -> None:
    """T2."""
    rig = tied()
    rig.ok().deal()
    rig.do(cm.Fold(box=2))
    rig.finish()
    answer = rig.events(ev.HandSettled)[-1].answer["boxes"][0]
    assert (answer["net"], answer["returned"]) == (-30, 0)


def test_closing_gives_carried_stakes_back() -> None:
    rig = tied()
    rig.do(cm.CloseTable(), D1, S1)
    assert [(e.box, e.ante) for e in rig.events(ev.CarriedReturned)] == [(2, 10)]
    assert rig.table.carried == ()


def test_insurance_of_a_beaten_hand_lies_for_the_next() -> None:
    rig = table(dealer="9s 9d 9c 6d 3h", house={"insurance_on_beaten": "carry"})
    dealt(rig, b1=10)
    rig.do(cm.Insure(box=1, amount=30)), rig.do(cm.Bet(box=1))
    rig.finish()
    assert stakes_of(rig, 1)["insurance"]["outcome"] == "carry"
    box = rig.hand.box(1)
    assert (box.insurance, box.insurance_carried, box.carried) == (30, True, False)
    rig.lay(NO_GAME, b1=TRIPS)
    rig.ok().deal()
    rig.do(cm.Bet(box=1))
    rig.ok()
    rig.do(cm.TakeAnte(box=1))
    rig.finish()
    assert stakes_of(rig, 1)["insurance"]["profit"] == 30


# --- other parameters of the family ----------------------------------------------------------------------------------


def test_takes_first_collects_before_it_pays() -> None:
    rig = table("oasis_ru", dealer="Ts Td 9c 6d 3h", settle_mode="takes_first")
    dealt(rig)
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.ok()
    order = []
    while rig.hand.number == 1:
        if rig.want.kind is Want.PAID:
            order.append(rig.want.box)
        rig.ok()
    assert order == [2, 1], "the pair of nines is taken before the trips are paid"


def test_a_burned_card_comes_first() -> None:
    rig = table("oasis_ru", house={"burn_cards": 1})
    rig.stake(b1=10).ok()
    assert rig.want.place == "burn"
    rig.card("2s")
    assert rig.want.place == "box"
    assert len(rig.hand.burns) == 1
    rig.deal()
    rig.do(cm.Fold(box=1))
    rig.finish()


def test_no_insurance_where_the_joker_is_the_dealers_own_card() -> None:
    """Q82: he always plays then."""
    rig = Rig(setup=make_setup("jpoker_online", boxes=2, house={"insurance_max_fraction": "1/2"})).open()
    rig.stake(b1=10).joker("DOC").lock().deal()
    assert "insure" not in rig.snapshot().allowed
    rig.refused(Why.NOT_OFFERED, cm.Insure(box=1))
