"""Cards by hand at the twelve keys: how many presses the deal costs, and how a card is named."""

from __future__ import annotations

from harness import D1, PLAYS, S1, Rig, make_setup
from test_table_keys import Fingers

from controller.domain import commands as cm
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import CardSource
from controller.table.keypad import MS, Keypad
from controller.table.menu import Supervised


def fingers(rules: str = "jpoker") -> Fingers:
    rig = Rig(setup=make_setup(rules, cards=CardSource.AT_TURN))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10, b2=10)
    if rig.setup.joker:
        rig.joker("2c")
    rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh"})
    return Fingers(rig)


def test_one_press_more_than_with_a_shoe_beside_the_entries() -> None:
    keys = fingers()
    rig = keys.rig
    keys.press("START", "OK")  # the deal
    rig.stop().board_shows()
    rig.do(cm.EnterCard(card="2h"))
    keys.press("CHANGE", "BET", "BET")  # box 1 draws one and bets, box 2 bets
    rig.do(cm.EnterCard(card="Kh Ks 8c 7d"))
    keys.press("OK")
    rig.do(cm.EnterCard(card="Qc Qd 5c 6c 3h"))
    keys.press("OK")
    rig.do(cm.EnterCard(card="9c 9d 5h 6s 3c Jh"))
    keys.press("K5", "OK")
    assert (rig.phase, rig.hand.number) == (Phase.BETTING, 2)
    assert keys.presses == 9
    assert keys.refusals == []
    assert keys.stale == []


def test_every_card_is_named_at_the_keys() -> None:
    keys = fingers()
    rig = keys.rig
    keys.press("START", "OK")
    rig.stop().board_shows()
    keys.press("BET", "FOLD", "K3", "OK")  # ace, one back round the corner: 2, hearts
    assert rig.phase is Phase.DECISIONS
    assert rig.snapshot().dealer.cards[4] == "2h"
    keys.press("BET", "FOLD")
    for names in (
        ("BET", "BET", "K3"),
        ("BET", "BET", "K4"),
        ("BET", *("BET",) * 6, "K1"),
        ("BET", *("BET",) * 7, "K2"),
    ):
        keys.press(*names, "OK")
    assert rig.want.kind is Want.REVEAL
    keys.press("OK")
    assert rig.snapshot().dealer.cards == tuple(PLAYS.split())
    assert keys.refusals == []


def test_a_card_that_lies_open_is_refused_with_its_name() -> None:
    keys = fingers()
    rig = keys.rig
    keys.press("START", "OK")
    rig.stop().board_shows()
    keys.press("BET", "FOLD", "K3", "OK", "BET", "FOLD", "BET", "FOLD", "K3", "OK")
    assert keys.refusals == [Why.PUBLIC_CARD]


def test_the_53rd_card_has_no_suit() -> None:
    keys = fingers("joker53")
    rig = keys.rig
    keys.press("START", "OK")
    keys.press("BET", "FOLD")
    assert keys.keypad.overlay(rig.table, rig.setup)[1] == "JK"
    keys.press("OK")
    assert rig.snapshot().dealer.cards[4] == "JK"
    keys.press("BET", "BET", "BET", "FOLD")
    assert rig.phase is Phase.REVEAL
    keys.press("BET", "FOLD")  # it lies open now: the step from the ace leads to the deuce
    assert keys.keypad.overlay(rig.table, rig.setup)[1] == "2-"


def test_a_supervisor_lets_the_hand_go_on_by_hand_at_the_switch() -> None:
    rig = Rig(setup=make_setup()).open().stake(b1=10).joker("2c").lock()
    rig.card()
    keys = Fingers(rig)
    keys.edge("SWITCH", True)
    keypad: Keypad = keys.keypad
    for _ in range(12):
        if "DEAL BY HAND" in keypad.overlay(rig.table, rig.setup)[1]:
            break
        keys.press("BET")
    keys.press("OK", "K2", "K2", "OK")
    assert keys.supervised == [Supervised(cm.Manual(reason="supervisor at the table"), "22")]
    assert keys.now > 200 * MS
