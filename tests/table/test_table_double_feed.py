"""Two cards leave the shoe together: neither has a place, both are burned, and every later count knows of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import S1, Rig, make_setup
from loop_rig import LoopRig
from test_table_decks import dealing, fitted, note

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckRules
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause


def fed(rig: Rig) -> None:
    note(rig, "double_feed")


def test_both_are_burned_and_the_place_still_waits_for_its_card(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("oasis_ru")).open().stake(b1=10).ok()
    rig.card()
    waits, given = rig.want, rig.table.given
    fed(rig)
    assert (rig.phase, rig.hand.cause, rig.table.call) == (
        Phase.IRREGULAR,
        Cause.DOUBLE_FEED,
        "double feed at the shoe",
    )
    assert rig.snapshot().prompt.code == "TC-0343"
    assert rig.events(ev.CardsBurned) == [ev.CardsBurned(device="shoe", count=2, reason="double_feed")]
    assert rig.device(cm.NoteIn(device="shoe", event_no=rig.event_no, kind="double_feed")).events == (), "a repeat"
    rig.restart()
    rig.refused(Why.NOTHING_HELD, cm.Resume(cause="extra_card"), S1)
    rig.do(cm.Resume(), S1)
    assert (rig.phase, rig.want, rig.table.call) == (Phase.DEALING, waits, "")
    assert (rig.hand.burned, rig.table.given) == (2, (given or 0) + 2)
    rig.finish()
    rig.close()


def test_the_stub_is_two_cards_shorter() -> None:
    def stub(feed: bool) -> int:
        rig = Rig(setup=make_setup("oasis_ru", decks=DeckRules(stub_hands=1))).open().stake(b1=10).ok()
        rig.card()
        if feed:
            fed(rig)
            rig.do(cm.Resume(), S1)
        rig.finish()
        assert rig.want.kind is Want.STUB
        rig.do(cm.StubCount(number=rig.want.count))
        assert not rig.table.quarantined
        [counted] = rig.events(ev.StubCounted)
        return int(counted.expected)

    assert stub(feed=True) == stub(feed=False) - 2


def test_an_empty_shoe_that_gave_two_at_once_contradicts_nobody() -> None:
    """The last two of a deck that the shuffler has counted leave together; only one card too few is the machine's."""
    for more, blamed in ((48, []), (47, ["count_contradicted"])):
        rig = dealing(fitted())
        rig.do(cm.Irregular(reason="noise"))
        for _ in range(more):  # two are dealt
            rig.card("??", lay=False)
        fed(rig)
        note(rig, "shoe_empty")
        assert [e.code for e in rig.events(ev.DeviceTroubled) if e.device == "shuffler"] == blamed


def test_before_the_bets_close_the_deck_is_out_besides() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10)
    fed(rig)
    assert (rig.hand.cause, rig.table.quarantined) == (Cause.DOUBLE_FEED, "double_feed")
    rig.do(cm.Resume(), S1)
    assert rig.want.kind is Want.DECK


def test_while_play_is_held_already_they_are_counted_and_hold_nothing_again() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10).ok()
    rig.card()
    rig.do(cm.Irregular(reason="noise"))
    fed(rig)
    assert (rig.hand.cause, rig.hand.burned) == (Cause.DECLARED, 2)
    rig.do(cm.Resume(), S1)
    assert rig.phase is Phase.DEALING


@pytest.mark.parametrize("cards", [0, 3])
def test_a_real_shoe_tells_it_and_the_card_after_it_goes_to_its_place(tmp_path: Path, cards: int) -> None:
    rig = LoopRig(tmp_path)
    rig.open().stake(b1=10, b2=10).lock()
    rig.pass_ms(300)
    for _ in range(cards):
        rig.card()
    waits = rig.want
    rig.shoe.double_feed(rig.now_ns)
    rig.pass_ms(300)
    assert (rig.hand.cause, rig.shoe.deal) == (Cause.DOUBLE_FEED, False)
    rig.do(cm.Resume(), S1)
    rig.pass_ms(2000)
    assert rig.want == waits
    rig.card()
    assert (rig.on_record(), rig.hand.burned) == (rig.drawn, 2)
    rig.memory.close()
    rig.close()
