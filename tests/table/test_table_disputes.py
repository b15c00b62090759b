"""A disputed box does not hold up the table: the next hand may begin, and the dispute ends when people end it."""

from __future__ import annotations

from pathlib import Path

from harness import PLAYS, PLAYS_NOT, S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.journal.hands import read_hand
from controller.table import menu
from controller.table.audit import check_hand
from controller.table.voided import as_if


def disputed(folder: Path | None = None, dealer: str = PLAYS) -> Rig:
    """Box 2 is held after its money was told; box 1 is paid."""
    rig = Rig(folder, make_setup("oasis_ru")).open().stake(b1=10, b2=10)
    rig.lay(dealer, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h").ok().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    rig.do(cm.Hold(box=2, reason="who folded?"))
    while rig.want.kind is not Want.RELEASE:
        rig.ok()
    return rig


def test_the_next_hand_begins_and_the_dispute_is_closed_in_it(tmp_path: Path) -> None:
    rig = disputed(tmp_path)
    assert "next_hand" in rig.snapshot().allowed
    assert rig.act(cm.NextHand()).waiting  # a supervisor's
    rig.do(cm.NextHand(), S1)
    assert (rig.hand.number, rig.phase) == (2, Phase.BETTING)
    ended = rig.events(ev.HandEnded)[0]
    assert (ended.outcome, ended.disputed, ended.deferred) == ("settled", (), (2,))
    assert rig.snapshot().disputes == ({"hand": 1, "box": 2, "net": -30, "returned": 0, "reason": "who folded?"},)
    rig.restart()
    rig.stake(b1=10).lay(PLAYS).ok()
    rig.card()
    rig.do(cm.CloseDispute(hand=1, box=2, paid=60, reason="he had bet, the dealer misheard"), S1)
    assert rig.snapshot().disputes == ()
    closed = rig.events(ev.DisputeClosed)[0]
    assert (closed.recorded, closed.paid) == (0, 60)
    rig.finish()
    assert rig.journal is not None
    for number in (1, 2):
        hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, number, "test")
        assert (findings, check_hand(hand)) == ([], [])


def test_as_recorded_unless_somebody_says_otherwise() -> None:
    rig = disputed()
    rig.do(cm.NextHand(), S1)
    rig.refused(Why.NOTHING_HELD, cm.CloseDispute(hand=1, box=1), S1)
    rig.refused(Why.BAD_ARGUMENT, cm.CloseDispute(hand=1, box=2, paid=-1), S1)
    titles = [item.title for item in menu.items(rig.table, rig.setup)]
    assert "end dispute 1/2" in titles
    rig.do(cm.CloseDispute(hand=1, box=2), S1)
    assert rig.events(ev.DisputeClosed)[0].paid == 0
    rig.refused(Why.NOTHING_HELD, cm.CloseDispute(hand=1, box=2), S1)


def test_a_box_that_was_held_face_down() -> None:
    """The dealer does not play: its result needs no card, and none is told."""
    rig = disputed(dealer=PLAYS_NOT)
    rig.do(cm.NextHand(), S1)
    assert rig.snapshot().disputes[0]["returned"] == 40  # ante paid, bet back
    assert rig.table.last_hand is not None
    assert all(box["dealt"] == [] for box in rig.table.last_hand["boxes"])


def test_not_before_the_result_is_known() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10, b2=10)
    rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={2: "Jh"}).ok().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Exchange(box=2)), rig.card(), rig.do(cm.Bet(box=2)), rig.ok()
    rig.refused(Why.NOT_NOW, cm.NextHand(), S1)  # box 1 is not paid yet
    rig.do(cm.Hold(box=2))  # turned, and its discard not named
    while rig.want.kind is not Want.RELEASE:
        rig.ok()
    rig.refused(Why.UNSETTLED, cm.NextHand(), S1)


def half_named(folder: Path) -> Rig:
    """One of two discards is named."""
    rig = Rig(folder, make_setup("oasis_woo", 3)).open().stake(b1=10)
    rig.lay(PLAYS, b1="Tc Td 7s 5c 2d", draws={1: "Qc Jd"}).ok().deal()
    rig.do(cm.Exchange(box=1, count=2)), rig.card(), rig.card(), rig.do(cm.Bet(box=1))
    rig.to(Want.DISCARDS)
    rig.do(cm.NameDiscards(box=1, cards="5c"))
    return rig


def test_a_box_whose_discards_are_half_named_is_released_first(tmp_path: Path) -> None:
    rig = half_named(tmp_path)
    rig.do(cm.Differs(box=1, cards=""))
    rig.refused(Why.UNSETTLED, cm.NextHand(), S1)
    rig.do(cm.Release(box=1), S1)
    rig.finish()


def test_a_hand_void_with_half_named_discards_is_one_of_which_nobody_can_say(tmp_path: Path) -> None:
    rig = half_named(tmp_path)
    rig.do(cm.VoidHand(reason="x"), S1, S2)
    assert rig.journal is not None
    hand, _ = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    told = as_if(hand, "d1")
    assert told is not None
    assert (told.nets, told.open) == ({}, (1,))
