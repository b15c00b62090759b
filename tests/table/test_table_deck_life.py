"""How long a deck serves, and the count of the stub where no shuffler counts."""

from __future__ import annotations

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckPlace, DeckRules, find
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.runtime.shuffling import STEP_MINUTES, Shuffling
from controller.table.keypad import Keypad, Stale
from controller.table.menu import Supervised
from drivers.events import ButtonEdge


def kept(**rules: int) -> Rig:
    return Rig(setup=make_setup("oasis_ru", decks=DeckRules(**rules))).open()


def play(rig: Rig, hands: int = 1) -> None:
    for _ in range(hands):
        rig.stake(b1=10).lock().finish()


def test_a_table_that_asks_for_nothing_is_as_it_was() -> None:
    rig = kept()
    play(rig, 7)
    assert {type(e).__name__ for e in rig.events()} & {"StubCounted", "DeckRetired", "DeckAged"} == set()
    assert {e.source for e in rig.events(ev.DeckTaken)} == {"unchecked"}


def test_r7_the_stub_is_counted_every_so_many_hands() -> None:
    rig = kept(stub_hands=5)
    play(rig, 5)
    assert (rig.phase, rig.want.kind, rig.want.count) == (Phase.DECK_CHECK, Want.STUB, 42)  # one box and the dealer
    assert rig.snapshot().prompt.code == "TC-0849"
    assert rig.snapshot().keys == ("OK", "EXTRA")
    rig.ok()
    assert rig.phase is Phase.BETTING
    assert rig.events(ev.StubCounted) == [ev.StubCounted(expected=42, counted=42)]
    play(rig, 4)
    assert rig.want.kind is Want.START
    play(rig)
    assert rig.want.kind is Want.STUB


@pytest.mark.parametrize("number", [41, 43, -1])
def test_a_stub_that_differs_puts_the_deck_out(number: int) -> None:
    rig = kept(stub_hands=1)
    play(rig)
    rig.do(cm.StubCount(number=number))
    assert rig.want.kind is Want.DECK
    assert rig.table.quarantined == "stub"
    rig.refused(Why.NOT_NOW, cm.SetStake(box=1, ante=10))
    rig.do(cm.Deck(deck="spare"), S1)
    assert rig.phase is Phase.BETTING


def test_a_stub_count_where_none_is_due_is_refused() -> None:
    rig = kept(stub_hands=5)
    rig.refused(Why.NOT_NOW, cm.StubCount(number=52))
    play(rig, 5)
    rig.refused(Why.BAD_ARGUMENT, cm.StubCount(number=99))


def test_exchanged_cards_have_left_the_deck_too() -> None:
    rig = kept(stub_hands=1)
    rig.stake(b1=10).lock().to(Want.DECISION)
    rig.do(cm.Exchange(box=1, count=1))
    rig.finish()
    assert rig.want.count == 41


def test_a_deck_has_its_life_in_hands() -> None:
    rig = kept(life_hands=3)
    play(rig, 3)
    assert (rig.phase, rig.want.kind, rig.want.cause) == (Phase.DECK_CHECK, Want.DECK, "life")
    assert rig.snapshot().prompt.code == "TC-0843"
    assert rig.events(ev.DeckRetired) == [ev.DeckRetired(deck="", hands=3, minutes=0, reason="life")]
    rig.do(cm.Deck(deck="blue-2"), S1)
    play(rig, 2)
    assert rig.want.kind is Want.START


def test_a_deck_has_its_life_in_hours() -> None:
    rig = kept(life_hours=2)
    for _ in range(12):
        rig.do(cm.DeckTime(minutes=10), origin="timer")
    assert rig.phase is Phase.BETTING  # the hand that stands open is played
    play(rig)
    assert rig.want.cause == "life"


def test_a_deck_of_the_shuffler_is_retired_when_it_comes_in() -> None:
    rig = Rig(setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True, life_hands=1)))
    rig.connect("shoe", "board")
    rig.connect("shuffler", log_last=0)
    rig.do(cm.OpenTable(), D1, S1)
    rig.do(cm.Deck(deck="R-1"), S1)
    rig.do(cm.Deck(deck="B-2"), S1)
    while rig.phase is not Phase.BETTING:
        rig.step()
    play(rig)
    rig.machine("deck_in", "R-1")
    retired = find(rig.table.decks, "R-1")
    assert retired is not None
    assert (retired.place, retired.reason, retired.hands) == (DeckPlace.RETIRED, "life", 1)
    assert rig.want.place == "B-2"
    assert rig.table.call == "deck R-1: change it"


def test_time_is_recorded_in_steps_and_only_where_it_matters() -> None:
    timed, minute = Shuffling(None), 60 * 10**9
    rig = kept(life_hours=1)
    assert timed.minutes(0, rig.table, rig.setup.decks) == 0
    found = [timed.minutes(n * minute, rig.table, rig.setup.decks) for n in range(61)]
    assert sum(found) == 60
    assert set(found) == {0, STEP_MINUTES}
    assert Shuffling(None).minutes(10**18, rig.table, DeckRules()) == 0


@pytest.mark.parametrize(("key", "phase"), [("OK", Phase.BETTING), ("EXTRA", Phase.DECK_CHECK)])
def test_the_stub_is_counted_at_the_keys(key: str, phase: Phase) -> None:
    rig = kept(stub_hands=1)
    play(rig)
    keypad = Keypad()
    keypad.saw(rig.want, 0)
    for pressed in (True, False):
        edge = ButtonEdge(name=key, pressed=pressed, t_ns=1_000_000 * (2 - pressed))
        for command in keypad.edge(edge, rig.table, rig.setup):
            assert not isinstance(command, Stale | Supervised)
            rig.do(command, origin="keys")
    assert rig.phase is phase
    assert bool(rig.table.quarantined) == (key == "EXTRA")
