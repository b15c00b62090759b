"""What somebody tried and must not succeed with again: each a sequence that once went through."""

from __future__ import annotations

from typing import Any

import msgspec
from harness import D1, E1, S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import Unsettled
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why
from controller.domain.state import Cause
from controller.table.reading import read_command

NO_GAME = "As Qd 9c 6d 3h"
TRIPS = "8c 8d 8h Qs 4c"


def shown() -> Rig:
    return Rig(setup=make_setup("jpoker")).open().stake(b1=10, b3=10).lock().deal()


def test_voiding_box_after_box_is_voiding_the_hand() -> None:
    rig = shown()
    rig.do(cm.VoidBox(box=1, reason="dead"), S1)
    outcome = rig.act(cm.VoidBox(box=3, reason="dead"), S1)
    assert outcome.waiting, "the last box is the hand: two people, since the joker is known"
    rig.do(cm.Approve(id=outcome.waiting), S2)
    assert rig.events(ev.HandEnded)[-1].outcome == "void"


def test_a_joker_that_may_have_been_seen_on_a_broken_board_counts_as_seen() -> None:
    rig = Rig(setup=make_setup("jpoker")).open().stake(b1=10).lock().to(Want.BOARD)
    rig.act(cm.BoardFails(detail="open lamp"), origin="device")
    assert rig.act(cm.VoidHand(reason="dark"), S1).waiting


def test_no_stake_is_corrected_by_the_dealer_once_the_joker_is_known() -> None:
    rig = Rig(setup=make_setup("jpoker", joker_time="before_deal")).open().stake(b1=10).lock()
    rig.refused(Why.STAKE_RANGE, cm.CorrectStake(box=1, ante=10**9), origin="keys")
    rig.stop().board_shows()
    assert rig.act(cm.CorrectStake(box=1, ante=20), origin="keys").waiting


def test_a_carried_ante_is_not_corrected_away() -> None:
    rig = Rig(setup=make_setup("russian_carry", boxes=4)).open().stake(b1=10)
    rig.lay("9c 9s 7d 5c 2d", b1="9d 9h 7s 5s 2c").ok().deal()
    rig.do(cm.Bet(box=1))
    rig.finish()
    assert rig.hand.box(1).carried
    rig.refused(Why.CARRIED, cm.CorrectStake(box=1, ante=50))


def test_a_correction_fits_the_insurance_and_the_dealers_fee() -> None:
    rig = Rig(setup=make_setup("russian", boxes=4, house={"dealer_exchange_fee": "1/2"})).open().stake(b1=10)
    rig.lay(NO_GAME, b1=TRIPS).ok().deal()
    rig.do(cm.Insure(box=1, amount=20)), rig.do(cm.Bet(box=1))
    rig.refused(Why.INSURANCE_RANGE, cm.CorrectStake(box=1, ante=25), S1)
    rig.ok()
    rig.do(cm.BuyDealer(box=1))
    rig.refused(Why.FEE_NOT_WHOLE, cm.CorrectStake(box=1, ante=11), S1)


def test_a_record_that_no_rule_settles_stops_the_table_with_a_reason() -> None:
    def unable(request: dict[str, Any]) -> dict[str, Any]:
        raise Unsettled("TC-0412")

    rig = shown()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=3))
    rig.service.setup = msgspec.structs.replace(rig.setup, settle=unable)
    rig.ok()
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.UNSETTLED)
    rig.refused(Why.NOT_NOW, cm.Reset(), S1)
    assert rig.snapshot().allowed == ("void_hand",)
    rig.do(cm.VoidHand(reason="no rule"), S1, E1)
    assert rig.phase is Phase.BETTING


def test_the_same_call_again_is_no_record_and_texts_have_an_end() -> None:
    rig = shown()
    assert rig.do(cm.Call(reason="fill")).events
    assert rig.do(cm.Call(reason="fill")).events == ()
    refused = read_command("call", {"reason": "x" * 201})
    assert isinstance(refused, Rejection) and "give a text of at most 200 letters" in refused.text("en")


def test_a_misspelled_argument_is_no_command() -> None:
    refused = read_command("correct_stake", {"box": 1, "ante": 10, "bonu": 5})
    assert isinstance(refused, Rejection) and "takes no 'bonu'; it takes bonus, " in refused.text("en")


def test_nobody_signs_another_off_without_a_pin() -> None:
    rig = Rig(setup=make_setup("jpoker")).open()
    rig.refused(Why.NOT_ALLOWED, cm.SignOff(operator="d1"))
    rig.do(cm.SignOff(operator="d1"), D1)
