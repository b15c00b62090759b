"""Cards that cannot be had: a table that follows none, and a box whose result is declared in place of its cards."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import D1, PLAYS, PLAYS_NOT, S1, Rig, make_setup
from test_table_keys import Fingers

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import CardSource, DeclaredBy
from controller.journal.hands import read_hand
from controller.table.audit import check_hand


def opened(folder: Path | None = None, rules: str = "jpoker", **how: object) -> Rig:
    how = {"cards": CardSource.NONE, **how}
    rig = Rig(folder, make_setup(rules, **how))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10, b2=10, b3=20)
    if rig.setup.joker:
        rig.joker("2c")
    return rig


def at_the_turn(rig: Rig) -> Rig:
    """No cards followed: one OK for the deal, boxes 1 and 2 bet, 3 folds."""
    rig.lock().ok()
    if rig.setup.joker:
        rig.stop().board_shows().ok()
    rig.do(cm.Exchange(box=1)), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
    return rig


def test_a_hand_of_which_no_card_is_known(tmp_path: Path) -> None:
    rig = at_the_turn(opened(tmp_path))
    assert (rig.want.kind, rig.want.box) == (Want.DECLARE, 0)
    rig.do(cm.Declare(hand="pair"), S1)
    assert (rig.hand.qualifies, rig.snapshot().dealer.hand) == (True, "pair")
    rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.DECLARE, 2)
    rig.do(cm.Declare(box=2, hand="flush", against="win"), S1)
    assert rig.want.kind is Want.PAID
    shown = rig.snapshot().boxes[1]
    assert (shown.declared, shown.hand) == ({"hand": "flush", "against": "win", "second": ""}, "flush")
    assert [line.text() for line in shown.pay] == ["ANTE PAY 1:1 10", "BET PAY 5:1 100"]
    rig.ok()
    rig.do(cm.Declare(box=1, hand="pair", against="lose"), S1)
    rig.restart(connect=False)
    rig.connect("board")
    rig.ok()
    assert rig.hand.number == 2
    settled = rig.events(ev.HandSettled)[0]
    assert settled.request["dealer"] == {"cards": "?? ?? ?? ?? ??", "declared": "pair"}
    assert [box.get("declared", False) for box in settled.answer["boxes"]] == [False, True, True]
    assert settled.answer["boxes"][0]["stakes"]["ante"]["outcome"] == "lose"  # folded: nothing was declared of it
    assert [e.operators for e in rig.events(ev.Authorised) if e.command == "declare"] == [("s1",)] * 3
    assert rig.events(ev.Locked)[0].cards == "none"
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert (findings, check_hand(hand)) == ([], [])


@pytest.mark.parametrize("dealer", [PLAYS, PLAYS_NOT])
@pytest.mark.parametrize("rules", ["jpoker", "caribbean", "oasis_ru", "joker53"])
@pytest.mark.parametrize("timing", ["at_once", "after_all"])
def test_every_game_without_cards(dealer: str, rules: str, timing: str) -> None:
    rig = opened(rules=rules, draw_timing=timing)
    rig.lay(dealer, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", b3="4c 4d 4h 6d 3s")
    rig.lock().finish()
    assert rig.hand.number == 2
    assert rig.events(ev.CardEntered) == []


def test_a_dealer_who_does_not_play_needs_no_more_words() -> None:
    rig = at_the_turn(opened())
    rig.do(cm.Declare(hand="nothing"), S1)
    assert rig.want.kind is Want.REST
    rig.ok()
    assert rig.hand.number == 2


def test_the_dealer_open_card_as_joker_needs_no_card() -> None:
    rig = opened().joker("DOC")
    at_the_turn(rig)
    rig.do(cm.Declare(hand="nothing"), S1), rig.ok()
    assert rig.hand.number == 2


def test_a_word_that_does_not_fit_is_refused() -> None:
    rig = at_the_turn(opened())
    rig.refused(Why.DECLARED_WRONG, cm.Declare(hand="ace_king"), S1)  # no hand of this game
    rig.refused(Why.DECLARED_WRONG, cm.Declare(hand="royal"), S1)
    rig.refused(Why.NOT_NOW, cm.Declare(box=2, hand="pair"), S1)
    rig.do(cm.Declare(hand="trips"), S1), rig.ok()
    rig.refused(Why.DECLARED_WRONG, cm.Declare(box=2, hand="pair", against="win"), S1)
    rig.refused(Why.DECLARED_WRONG, cm.Declare(box=2, hand="flush"), S1)
    rig.refused(Why.NOT_NOW, cm.Declare(box=1, hand="flush", against="win"), S1)
    rig.do(cm.Declare(box=2, hand="flush", against="win"), S1)
    rig.do(cm.Declare(box=2, hand="trips", against="lose"), S1)  # said wrongly: until it is paid it may be said anew
    assert rig.hand.box(2).answer["stakes"]["bet"]["outcome"] == "lose"  # type: ignore[index]


def test_a_supervisor_agrees_unless_the_house_leaves_it_to_the_dealer() -> None:
    rig = at_the_turn(opened())
    assert rig.act(cm.Declare(hand="pair")).waiting
    rig = at_the_turn(opened(declared_by=DeclaredBy.DEALER))
    rig.do(cm.Declare(hand="pair"))
    assert rig.hand.qualifies


def test_no_bonus_where_cards_are_not_followed() -> None:
    rig = opened(rules="oasis_ru")
    assert rig.act(cm.Limits(bonus_max=50), S1).rejection is not None


# --- at the turn -----------------------------------------------------------------------------------------------------


def by_hand(**stake: int) -> Rig:
    rig = Rig(setup=make_setup("oasis_ru", cards=CardSource.AT_TURN))
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10, b2=10)
    if stake:
        rig.do(cm.SetStake(box=2, **stake))
    rig.lay(PLAYS).lock().ok()
    rig.do(cm.EnterCard(card="2h")), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.do(cm.EnterCard(card="Kh Ks 8c 7d")), rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.ENTRY, 2)
    return rig


def test_a_box_whose_cards_cannot_be_had(tmp_path: Path) -> None:
    """The hand was mixed with the muck, but everybody saw it: its category, with a supervisor always."""
    rig = by_hand()
    rig.do(cm.EnterCard(card="Ac"))
    assert rig.act(cm.Declare(box=2, hand="flush", against="win")).waiting
    rig.do(cm.Declare(box=2, hand="flush", against="win"), S1)
    assert rig.want.kind is Want.PAID
    rig.ok()
    rig.do(cm.EnterCard(card="9c 9d 5h 6s 3c")), rig.ok()
    request = rig.events(ev.HandSettled)[0].request
    assert request["boxes"][0]["cards"] == "Ac ?? ?? ?? ??"
    assert request["boxes"][0]["declared"] == {"hand": "flush", "against": "win"}


def test_not_where_a_side_bet_asks_for_the_cards() -> None:
    rig = by_hand(bonus=5)
    rig.refused(Why.NEEDS_CARDS, cm.Declare(box=2, hand="flush", against="win"), S1)


def test_not_where_a_reader_told_them() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10)
    rig.lay(PLAYS).lock().deal()
    rig.do(cm.Bet(box=1)), rig.ok()
    rig.refused(Why.NOT_NOW, cm.Declare(box=1, hand="flush", against="win"), S1)


def test_declared_at_the_keys() -> None:
    rig = by_hand()
    keys = Fingers(rig)
    keys.press("EXTRA")  # this box's result instead of its cards
    keys.press("BET", *["BET"] * 6)
    assert keys.keypad.overlay(rig.table, rig.setup) == ("DECLARE:", "FLUSH", "1 WIN 2 LOSE 3 TIE")
    keys.press("K1")
    assert keys.keypad.overlay(rig.table, rig.setup)[2] == "WIN"
    keys.press("OK")
    assert rig.table.waiting[0].name == "declare"
    rig.do(cm.Approve(id=1), S1)
    assert (rig.want.kind, rig.hand.box(2).declared.hand) == (Want.PAID, "flush")  # type: ignore[union-attr]
    keys.press("OK", "EXTRA", "BET", "BACK")
    assert keys.keypad.overlay(rig.table, rig.setup) == ()
    assert (rig.phase, keys.refusals) == (Phase.SETTLING, [])


def test_the_dealers_hand_at_the_keys() -> None:
    rig = at_the_turn(opened(declared_by=DeclaredBy.DEALER))
    keys = Fingers(rig)
    keys.press("BET", "BET", "K1", "OK")
    assert (rig.hand.dealer_category, rig.hand.qualifies) == ("pair", True)


@pytest.mark.parametrize("said", [False, True])
def test_a_corrected_stake_brings_no_bonus_to_a_box_without_cards(said: bool) -> None:
    """A bonus beside a declared result is settled by no rule: the whole hand could not be paid."""
    rig = at_the_turn(opened(rules="oasis_ru"))
    rig.do(cm.Declare(hand="pair"), S1), rig.ok()
    if said:
        rig.do(cm.Declare(box=2, hand="flush", against="win"), S1)
    rig.refused(Why.NEEDS_CARDS, cm.CorrectStake(box=2, ante=10, bonus=4), S1)
    rig.do(cm.CorrectStake(box=2, ante=12), S1)
    rig.finish()
    assert rig.hand.number == 2
