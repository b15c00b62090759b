"""A shuffler that only counts: what it says serves, and what nobody looked at is said not to be known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import S1, Rig, make_setup
from test_table_decks import BLUE, RED, place
from test_table_decks import fitted as with_decks

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckPlace, DeckRules, Waits, find
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase


def fitted(folder: Path | None = None, **rules: Any) -> Rig:
    """An open table with a counting shuffler and two decks."""
    return with_decks(folder, decks=DeckRules(shuffler=True, inspects=False, **rules))


def counted(rig: Rig, mark: str, count: int = 52, **told: int) -> None:
    rig.machine("deck_in", mark)
    rig.machine("shuffle_started", mark)
    rig.machine("shuffle_done", mark, count=count, **told)


@pytest.mark.parametrize("unread", [52, 0])
def test_the_count_alone_lets_a_deck_be_dealt_and_the_record_says_that_nobody_looked(unread: int) -> None:
    rig = fitted()
    counted(rig, RED, unread=unread)
    rig.machine("deck_out", RED)
    assert rig.phase is Phase.BETTING
    [checked] = rig.events(ev.DeckVerified)
    assert (checked.deck, checked.count, checked.inspected) == (RED, 52, False)
    assert rig.events(ev.DeckTaken) == [ev.DeckTaken(deck=RED, source="shuffler")]


def test_a_machine_that_inspects_is_recorded_as_that() -> None:
    rig = Rig(setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True))).open()
    rig.connect("shuffler", log_last=0)
    rig.do(cm.Deck(deck=RED), S1)
    counted(rig, RED)
    assert [one.inspected for one in rig.events(ev.DeckVerified)] == [True]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"count": 51, "unread": 51}, "wrong_count"),
        ({"count": 53, "unread": 53}, "wrong_count"),
        ({"count": 52, "unread": 1}, "card_unread"),  # it sees faces after all: then it must see them all
        ({"count": 52, "unread": 50, "doubles": 1}, "card_twice"),
    ],
)
def test_r7_a_count_that_is_wrong_takes_the_deck_out_of_play(told: dict[str, int], reason: str) -> None:
    rig = fitted()
    counted(rig, RED, **told)
    deck = find(rig.table.decks, RED)
    assert deck is not None
    assert (deck.place, deck.reason) == (DeckPlace.QUARANTINED, reason)
    assert not rig.events(ev.DeckVerified)


def test_a_card_twice_is_found_at_the_felt_and_no_false_word_is_held_against_the_machine() -> None:
    rig = fitted()
    counted(rig, RED, unread=52)
    rig.machine("deck_out", RED)
    rig.stake(b1=10).lock()
    rig.card("As"), rig.card("As")
    assert rig.phase is Phase.IRREGULAR
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert not [one for one in rig.events(ev.DeviceTroubled) if one.device == "shuffler"]


def test_the_shoe_s_other_count_is_held_against_its_count_as_ever() -> None:
    rig = fitted()
    counted(rig, RED, unread=52)
    rig.machine("deck_out", RED)
    loaded = cm.NoteIn(device="shoe", event_no=rig.table.shoe.last_event + 1, kind="deck_loaded", detail="51")
    rig.device(loaded)
    [trouble] = [one for one in rig.events(ev.DeviceTroubled) if one.device == "shuffler"]
    assert (trouble.code, place(rig, RED)) == ("count_contradicted", DeckPlace.QUARANTINED)


def test_two_decks_take_turns_have_their_life_and_no_stub_is_counted() -> None:
    rig = fitted(life_hands=1, stub_hands=1)
    counted(rig, RED, unread=52)
    rig.machine("deck_out", RED)
    counted(rig, BLUE, unread=52)
    rig.stake(b1=10).lock().finish()
    assert rig.want.kind is Want.SHUFFLE  # no stub count: the machine counts
    assert (rig.want.cause, rig.want.place) == (Waits.TAKE_OUT, BLUE)
    rig.machine("deck_out", BLUE)
    rig.machine("deck_in", RED)
    assert place(rig, RED) is DeckPlace.RETIRED


def test_a_restart_gives_the_same_record(tmp_path: Path) -> None:
    rig = fitted(tmp_path)
    counted(rig, RED, unread=52)
    again = rig.restart()
    assert place(again, RED) is DeckPlace.READY
    assert [one.inspected for one in again.events(ev.DeckVerified)] == [False]
