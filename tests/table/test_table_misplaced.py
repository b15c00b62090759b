"""Cards at another place than recorded, and cards that were seen: what a supervisor sets right, what stays hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import PLAYS, S1, S2, Rig, make_setup
from test_table_keys import Fingers

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.choices import ExposedDealer, Exposure
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import BoxStatus
from controller.journal.hands import read_hand
from controller.table.audit import check_hand
from controller.table.menu import Supervised

B1, B2 = "9c 9d 5h 6s 3c", "Qc Qd 5c 6c 3h"


def dealt(folder: Path | None = None, rules: str = "oasis_ru", **how: object) -> Rig:
    rig = Rig(folder, make_setup(rules, **how)).open().stake(b1=10, b2=10)
    return rig.lay(PLAYS, b1=B1, b2=B2, draws={1: "Jh"}).lock()


def turned(folder: Path | None = None) -> Rig:
    rig = dealt(folder).deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert rig.hand.box(2).turned
    return rig


def audited(rig: Rig) -> None:
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert (findings, check_hand(hand)) == ([], [])


def texts(rig: Rig, box: int) -> str:
    return " ".join(rig.snapshot().boxes[box - 1].cards)


# --- two hands for each other ----------------------------------------------------------------------------------------


def test_two_hands_that_lie_at_each_others_box(tmp_path: Path) -> None:
    rig = dealt(tmp_path).deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.do(cm.SwapHands(box=1, target=2), S1)
    rig.ok()
    assert texts(rig, 2) == B1
    rig.ok()
    assert texts(rig, 1) == B2
    rig.finish()
    audited(rig)


def test_after_both_were_turned_their_money_is_computed_anew() -> None:
    rig = turned()
    rig.refused(Why.NOT_NOW, cm.SwapHands(box=1, target=2), S1)  # one lies open, the other does not
    rig.do(cm.Differs(box=2)), rig.ok()
    assert rig.hand.box(1).turned
    rig.do(cm.SwapHands(box=2, target=1), S1)
    assert (texts(rig, 1), texts(rig, 2)) == (B2, B1)
    rig.do(cm.Release(box=2), S1)
    rig.finish()
    assert rig.hand.number == 2


def test_not_a_paid_one() -> None:
    rig = turned()
    rig.ok()
    rig.refused(Why.NOT_NOW, cm.SwapHands(box=1, target=2), S1)
    rig.refused(Why.NO_SUCH_BOX, cm.SwapHands(box=1, target=9), S1)


# --- another card than recorded --------------------------------------------------------------------------------------


def test_the_felt_is_right(tmp_path: Path) -> None:
    rig = turned(tmp_path)
    before = rig.hand.box(2).answer
    rig.do(cm.Reassign(box=2, index=3, card="Qh"), S1)
    assert texts(rig, 2) == "Qc Qd Qh 6c 3h"
    assert rig.hand.box(2).answer is not None
    assert rig.hand.box(2).answer != before
    rig.finish()
    assert rig.events(ev.CardReassigned)[0].was == "5c"
    audited(rig)


def test_two_open_cards_that_were_taken_for_each_other() -> None:
    rig = turned()
    rig.do(cm.Differs(box=2)), rig.ok()
    rig.do(cm.Reassign(box=2, index=1, card="9c"), S1)
    assert (texts(rig, 1).split()[0], texts(rig, 2).split()[0]) == ("Qc", "9c")


def test_what_cannot_lie_there() -> None:
    rig = turned()
    rig.refused(Why.PUBLIC_CARD, cm.Reassign(box=2, index=1, card="Kh"), S1)  # the dealer's
    rig.refused(Why.DECK_FAULT, cm.Reassign(box=2, index=1, card="9c"), S1)  # face down at box 1
    rig.refused(Why.BAD_CARD, cm.Reassign(box=2, index=1, card="JK"), S1)
    rig.refused(Why.BAD_CARD, cm.Reassign(box=2, index=1, card="Qc"), S1)  # it does
    rig.refused(Why.NOT_NOW, cm.Reassign(box=2, index=6, card="Ah"), S1)
    rig.refused(Why.NOT_NOW, cm.Reassign(box=1, index=1, card="Ah"), S1)  # not turned
    waits = rig.act(cm.Reassign(box=2, index=1, card="9c"))  # that it lies elsewhere is told to a supervisor alone
    assert (waits.rejection, bool(waits.waiting)) == (None, True)


# --- drawn cards at the wrong box ------------------------------------------------------------------------------------


def test_a_card_that_lay_at_another_box_comes_back_where_draws_come_at_once() -> None:
    rig = dealt(draw_timing="at_once").deal()
    rig.do(cm.Exchange(box=1))
    rig.refused(Why.NOT_NOW, cm.Redirect(box=1, target=2), S1)  # nothing has come
    rig.card()
    before = rig.hand
    rig.do(cm.Redirect(box=1, target=2), S1)
    assert rig.hand == before  # it is box 1's, whoever it lay before
    assert (rig.events(ev.CardMovedBack)[0].box, rig.events(ev.CardMovedBack)[0].lay_at) == (1, 2)
    rig.do(cm.Bet(box=1))
    rig.refused(Why.NOT_NOW, cm.Redirect(box=1, target=2), S1)  # whoever has decided has looked


def at_the_switch(keys: Fingers, title: str) -> None:
    """Turned to SUPERVISOR and stepped to this line."""
    keys.edge("SWITCH", True)
    for _ in range(30):
        if keys.keypad.overlay(keys.rig.table, keys.rig.setup)[1] == title:
            return
        keys.press("BET")
    raise AssertionError(f"{title} is not on the list")


def test_at_the_key_switch_with_two_boxes_named() -> None:
    rig = dealt().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    keys = Fingers(rig)
    at_the_switch(keys, "SWAP HANDS")
    keys.press("OK", "K1")
    assert keys.keypad.overlay(rig.table, rig.setup)[2] == "other box? 1-6"
    keys.press("K2", "K3", "K4", "OK")
    assert keys.supervised == [Supervised(cm.SwapHands(box=1, target=2), "34")]
    at_the_switch(keys, "EXPOSED CARD, BOX")
    keys.press("OK", "K2", "K5", "OK")
    assert keys.supervised[1:] == [Supervised(cm.Exposed(box=2), "5")]
    at_the_switch(keys, "EXPOSED, DEALER")
    keys.press("OK", "K5", "OK")
    assert keys.supervised[2:] == [Supervised(cm.Exposed(), "5")]


def test_a_redirect_at_the_key_switch() -> None:
    rig = dealt(draw_timing="at_once").deal()
    rig.do(cm.Exchange(box=1)), rig.card()
    keys = Fingers(rig)
    at_the_switch(keys, "REDIRECT BOX 1")
    keys.press("OK", "K2", "K5", "OK")
    assert keys.supervised == [Supervised(cm.Redirect(box=1, target=2), "5")]


# --- cards that were seen --------------------------------------------------------------------------------------------


def test_a_players_card_plays() -> None:
    rig = dealt()
    rig.card(), rig.card()
    rig.do(cm.Exposed(box=1), S1)
    assert [(e.box, e.procedure) for e in rig.events(ev.CardExposed)] == [(1, "plays")]
    assert texts(rig, 1) == "back"  # what was seen is not told by the screen
    rig.finish()


def test_a_players_card_is_replaced(tmp_path: Path) -> None:
    rig = dealt(tmp_path, exposed_player=Exposure.REPLACED)
    rig.card("Ah"), rig.card()
    rig.do(cm.Exposed(box=1), S1)
    assert (rig.want.kind, rig.want.box, rig.want.index) == (Want.CARD, 1, 0)
    rig.card("Ac")
    assert rig.hand.burned == 1
    rig.finish()
    audited(rig)


def test_after_the_deal_it_can_only_play() -> None:
    rig = dealt(exposed_player=Exposure.REPLACED).deal()
    rig.do(cm.Exposed(box=1), S1)
    assert rig.events(ev.CardExposed)[0].procedure == "plays"


def test_the_box_withdraws() -> None:
    rig = dealt(exposed_player=Exposure.WITHDRAWS)
    rig.card(), rig.card()
    rig.do(cm.Exposed(box=1), S1)
    assert rig.hand.box(1).status is BoxStatus.VOID
    rig.finish()


def test_the_dealers_card_is_a_misdeal_until_all_have_decided() -> None:
    rig = dealt()
    rig.card(), rig.card(), rig.card()
    rig.do(cm.Exposed(), S1)
    assert rig.hand.number == 2
    assert [e.outcome for e in rig.events(ev.HandEnded)] == ["void"]
    rig = dealt().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    assert rig.phase is Phase.REVEAL
    rig.do(cm.Exposed(), S1)  # later it plays
    rig.finish()
    assert rig.events(ev.HandEnded)[0].outcome == "settled"


def test_a_misdeal_after_the_joker_takes_two_people() -> None:
    rig = dealt(rules="jpoker", joker_time="before_deal").to(Want.CARD)
    rig.card(), rig.card(), rig.card()
    assert rig.act(cm.Exposed(), S1).waiting
    rig.do(cm.Exposed(), S1, S2)
    assert rig.hand.number == 2


def test_a_house_that_plays_on() -> None:
    rig = dealt(exposed_dealer=ExposedDealer.PLAYS)
    rig.refused(Why.NOT_NOW, cm.Exposed(), S1)  # the dealer has no card yet
    rig.card(), rig.card(), rig.card()
    rig.do(cm.Exposed(), S1)
    rig.finish()
    assert rig.events(ev.HandEnded)[0].outcome == "settled"


@pytest.mark.parametrize("box", [0, 1])
def test_silence(box: int) -> None:
    """The same bytes whatever was seen: the exposed card itself is nobody's business here."""

    def run(b1: str) -> Rig:
        rig = Rig(setup=make_setup("oasis_ru", exposed_player=Exposure.REPLACED)).open().stake(b1=10, b2=10)
        rig.lay(PLAYS, b1=b1, b2=B2).lock()
        rig.card(), rig.card(), rig.card()
        rig.do(cm.Exposed(box=box), S1)
        return rig

    one, two = run("As Ad Ah Ac 3c"), run("3d 5h 7c 9d Jc")
    assert (one.shown, one.refusals, one.sinks()) == (two.shown, two.refusals, two.sinks())
