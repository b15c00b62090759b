"""Decks: the shuffler's count before a deal, wrong decks and counts, two decks in turn, the shoe's word against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckPlace, DeckRules, Waits, find, to_shuffle
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why

RED, BLUE, GREEN = "R-1041", "B-2207", "G-3"


COUNTED = DeckRules(shuffler=True)


def fitted(folder: Path | None = None, rules: str = "oasis_ru", decks: DeckRules = COUNTED, **how: Any) -> Rig:
    """An open table with a shuffler and two decks that a supervisor has brought."""
    rig = Rig(folder, setup=make_setup(rules, decks=decks, **how))
    rig.connect("shoe", "board")
    rig.connect("shuffler", serial="SH-7", log_last=0)
    rig.do(cm.OpenTable(), D1, S1)
    for mark in (RED, BLUE):
        rig.do(cm.Deck(deck=mark), S1)
    return rig


def place(rig: Rig, mark: str) -> DeckPlace:
    deck = find(rig.table.decks, mark)
    assert deck is not None
    return deck.place


def counted(rig: Rig, mark: str, count: int = 52, **wrong: int) -> None:
    """Into the machine, and what it says."""
    rig.machine("deck_in", mark)
    rig.machine("shuffle_started", mark)
    rig.machine("shuffle_done", mark, count=count, **wrong)


def dealing(rig: Rig, mark: str = RED) -> Rig:
    """A hand is dealt from this deck, two cards are out."""
    counted(rig, mark)
    rig.machine("deck_out", mark)
    rig.stake(b1=10).lock()
    rig.card(), rig.card()
    return rig


def played(rig: Rig) -> None:
    rig.stake(b1=10).lock().finish()


def test_no_hand_begins_before_the_deck_is_counted() -> None:
    rig = fitted()
    seen = []
    for kind in ("deck_in", "shuffle_started", "shuffle_done"):
        assert (rig.phase, rig.want.kind) == (Phase.DECK_CHECK, Want.SHUFFLE)
        seen.append(rig.want.cause)
        rig.refused(Why.NOT_NOW, cm.SetStake(box=1, ante=10))
        rig.machine(kind, RED, count=52 if kind == "shuffle_done" else 0)
    assert rig.want.cause == Waits.TAKE_OUT
    assert rig.phase is Phase.DECK_CHECK
    rig.machine("deck_out", RED)
    assert rig.phase is Phase.BETTING
    assert seen == [Waits.PUT_IN, Waits.WAIT, Waits.WAIT]
    assert rig.events(ev.DeckTaken) == [ev.DeckTaken(deck=RED, source="shuffler")]


def test_r9_what_was_verified_by_which_machine_at_whose_table_is_on_record() -> None:
    rig = fitted()
    counted(rig, RED)
    assert rig.events(ev.DeckVerified) == [
        ev.DeckVerified(
            deck=RED, count=52, model="shuffler", serial="SH-7", firmware="1", sealed=False, dealer="d1", inspector=""
        )
    ]


@pytest.mark.parametrize(
    ("rules", "told", "reason"),
    [
        ("oasis_ru", {"count": 51}, "wrong_count"),
        ("oasis_ru", {"count": 53}, "wrong_count"),
        ("oasis_ru", {"count": 52, "doubles": 1}, "card_twice"),
        ("oasis_ru", {"count": 52, "unread": 1}, "card_unread"),
        ("oasis_ru", {"count": 53, "unread": 1}, "wrong_count"),  # a joker left in the deck
        ("joker53", {"count": 52}, "wrong_count"),
        ("russian_36", {"count": 52}, "wrong_count"),
    ],
)
def test_r7_a_deck_that_is_not_right_leaves_the_table(rules: str, told: dict[str, int], reason: str) -> None:
    rig = fitted(rules=rules)
    rig.machine("deck_in", RED)
    rig.machine("shuffle_started", RED)
    rig.machine("shuffle_done", RED, **told)
    deck = find(rig.table.decks, RED)
    assert deck is not None
    assert (deck.place, deck.reason) == (DeckPlace.QUARANTINED, reason)
    assert rig.table.call
    rig.machine("deck_out", RED)
    assert rig.phase is Phase.DECK_CHECK  # taken out, it is not dealt
    counted(rig, RED, rig.setup.rules.deck_size)  # put in again, and counted right by now
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert to_shuffle(rig.table.decks) is None
    rig.refused(Why.DECK_BARRED, cm.Deck(deck=RED), S1)
    rig.do(cm.Deck(deck=GREEN), D1, S1)  # a supervisor and a new deck
    counted(rig, GREEN, rig.setup.rules.deck_size)
    rig.machine("deck_out", GREEN)
    assert rig.phase is Phase.BETTING


@pytest.mark.parametrize(("rules", "size"), [("oasis_ru", 52), ("joker53", 53), ("russian_36", 36)])
def test_every_card_of_the_game_once_is_right(rules: str, size: int) -> None:
    rig = fitted(rules=rules)
    counted(rig, BLUE, size)
    assert place(rig, BLUE) is DeckPlace.READY


def test_two_decks_take_turns() -> None:
    rig = fitted()
    counted(rig, RED)
    for used, following in ((RED, BLUE), (BLUE, RED)):
        rig.machine("deck_out", used)
        assert (place(rig, used), rig.table.deck) == (DeckPlace.PLAY, used)
        counted(rig, following)  # while the hand is played
        played(rig)
        assert place(rig, used) is DeckPlace.ASIDE
        assert rig.want.cause == Waits.TAKE_OUT
        assert rig.want.place == following
    assert [find(rig.table.decks, mark).hands for mark in (RED, BLUE)] == [1, 1]  # type: ignore[union-attr]


def test_a_used_deck_is_not_dealt_again_uncounted() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.machine("deck_out", RED)
    played(rig)
    assert rig.phase is Phase.DECK_CHECK
    rig.machine("deck_in", RED)
    rig.machine("deck_out", RED)  # out again before it was shuffled
    assert rig.phase is Phase.DECK_CHECK
    assert place(rig, RED) is DeckPlace.ASIDE


def test_a_third_deck_is_a_wrong_one_and_the_hand_goes_on() -> None:
    rig = dealing(fitted())
    rig.machine("deck_in", GREEN)
    assert place(rig, GREEN) is DeckPlace.QUARANTINED
    assert rig.phase is Phase.DEALING
    assert rig.table.call == f"deck {GREEN}: wrong_deck"
    rig.finish()
    rig.refused(Why.DECK_BARRED, cm.Deck(deck=GREEN, out=BLUE), S1)


def test_the_deck_in_play_cannot_be_in_the_shuffler() -> None:
    """Two decks swapped: what lies on the felt is not what was counted."""
    rig = dealing(fitted())
    rig.machine("deck_in", RED)
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert rig.phase is Phase.IRREGULAR
    rig.do(cm.VoidHand(reason="decks swapped"), D1, S1)
    assert rig.want.kind is Want.SHUFFLE  # the other one may still be counted
    assert rig.want.place == BLUE
    rig.machine("deck_out", RED)
    assert rig.phase is Phase.DECK_CHECK


def test_a_quick_dealer_may_put_the_used_deck_in_while_the_last_box_is_paid() -> None:
    rig = dealing(fitted()).to(Want.PAID, Want.REST)
    rig.machine("deck_in", RED)
    assert rig.phase is Phase.SETTLING
    rig.finish()
    assert place(rig, RED) is DeckPlace.MACHINE
    assert find(rig.table.decks, RED).hands == 1  # type: ignore[union-attr]


def test_an_unknown_deck_is_offered_where_one_is_missing() -> None:
    rig = Rig(setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
    rig.connect("shoe", "board")
    rig.connect("shuffler", log_last=0)
    rig.do(cm.OpenTable(), D1, S1)
    assert (rig.want.kind, rig.want.cause) == (Want.DECK, Waits.BRING)
    rig.machine("deck_in", GREEN)
    assert (rig.want.cause, rig.want.place) == (Waits.OFFERED, GREEN)
    assert to_shuffle(rig.table.decks) is None
    assert rig.snapshot().prompt.code == "TC-0842"
    rig.do(cm.Deck(deck=GREEN), S1)
    assert to_shuffle(rig.table.decks) == GREEN
    assert rig.table.call == ""


def test_an_offered_deck_that_is_taken_away_is_forgotten() -> None:
    rig = Rig(setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
    rig.connect("shuffler", log_last=0)
    rig.do(cm.OpenTable(), D1, S1)
    rig.machine("deck_in", GREEN)
    rig.machine("deck_out", GREEN)
    assert rig.table.decks == ()


def test_a_third_deck_is_brought_only_for_one_that_goes() -> None:
    rig = fitted()
    rig.refused(Why.TWO_DECKS, cm.Deck(deck=GREEN), S1)
    rig.do(cm.Deck(deck=GREEN, out=BLUE), S1)
    assert place(rig, BLUE) is DeckPlace.RETIRED
    assert rig.events(ev.DeckRetired) == [ev.DeckRetired(deck=BLUE, hands=0, minutes=0, reason="change")]
    rig.refused(Why.DECK_BARRED, cm.Deck(deck=BLUE), S1)


def test_a_mark_that_no_machine_could_read_is_refused() -> None:
    rig = fitted()
    rig.refused(Why.BAD_ARGUMENT, cm.Deck(deck="the blue one"), S1)


# --- the count is a claim --------------------------------------------------------------------------------------------


def note(rig: Rig, kind: str, detail: str = "") -> None:
    rig.event_no += 1
    rig.device(cm.NoteIn(device="shoe", event_no=rig.event_no, kind=kind, detail=detail))


def test_the_shoe_that_loads_another_number_is_believed() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.machine("deck_out", RED)
    note(rig, "deck_loaded", "51")
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert rig.phase is Phase.IRREGULAR
    [said] = [e for e in rig.events(ev.DeviceTroubled) if e.device == "shuffler"]
    assert said.detail == "it counted 52 cards, the shoe 51"


def test_the_shoe_that_loads_as_many_agrees() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.machine("deck_out", RED)
    for detail in ("52", "unknown"):
        note(rig, "deck_loaded", detail)
    assert place(rig, RED) is DeckPlace.PLAY
    assert rig.phase is Phase.BETTING


def test_an_empty_shoe_gave_as_many_cards_as_were_counted() -> None:
    rig = dealing(fitted())
    note(rig, "shoe_empty")
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert rig.phase is Phase.IRREGULAR


def test_a_card_twice_casts_doubt_on_the_machine_that_verified_the_deck() -> None:
    rig = dealing(fitted())
    twice = rig.truth(rig.want)
    rig.card()
    rig.card(twice, lay=False)
    assert rig.phase is Phase.IRREGULAR
    assert place(rig, RED) is DeckPlace.QUARANTINED
    assert rig.table.quarantined == "deck_fault"
    assert [e.code for e in rig.events(ev.DeviceTroubled) if e.device == "shuffler"] == ["count_contradicted"]


# --- a shuffler that is away, another one, one that lost its memory --------------------------------------------------


def test_f24_the_hand_goes_on_without_the_shuffler() -> None:
    rig = dealing(fitted())
    rig.device(cm.DeviceOut(device="shuffler", reason="device gone"))
    rig.finish()
    assert rig.want.cause == Waits.ABSENT
    assert rig.snapshot().prompt.code == "TC-0848"


def test_without_the_shuffler_a_supervisor_vouches_for_a_deck() -> None:
    rig = fitted()
    rig.refused(Why.SHUFFLER_COUNTS, cm.Deck(deck=RED), S1)
    rig.device(cm.DeviceOut(device="shuffler", reason="device gone"))
    rig.do(cm.Deck(deck=RED), S1)
    assert rig.phase is Phase.BETTING
    assert rig.events(ev.DeckTaken) == [ev.DeckTaken(deck=RED, source="supervisor")]


def test_another_shuffler_is_on_record_and_what_it_holds_is_counted_anew() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.connect("shuffler", serial="SH-8", log_last=77)
    assert rig.events(ev.ShufflerAdopted) == [ev.ShufflerAdopted(event_no=77)]
    assert place(rig, RED) is DeckPlace.ASIDE
    rig.machine("deck_in", RED)
    assert rig.table.shuffler.last_event == 78


def test_a_log_that_began_anew_waits_for_a_supervisor() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.connect("shuffler", serial="SH-7", log_last=1)
    assert rig.events(ev.ShufflerAdopted) == []
    rig.do(cm.Deck(deck=GREEN, out=BLUE), S1)
    assert rig.events(ev.ShufflerAdopted) == [ev.ShufflerAdopted(event_no=1)]
    assert place(rig, RED) is DeckPlace.ASIDE


def test_events_of_the_shuffler_that_are_lost_are_never_guessed() -> None:
    rig = dealing(fitted())
    counted(rig, BLUE)
    last = rig.table.shuffler.last_event
    rig.device(cm.LostIn(device="shuffler", first=last + 1, last=last + 3))
    assert place(rig, BLUE) is DeckPlace.ASIDE
    assert rig.phase is Phase.DEALING  # no card of this hand comes from there
    assert rig.table.shuffler.last_event == last + 3


def test_a_repeat_is_taken_once_and_one_that_differs_is_noted() -> None:
    rig = fitted()
    rig.machine("deck_in", RED)
    before = rig.table
    rig.device(cm.DeckSaid(device="shuffler", event_no=1, kind="deck_in", deck=RED))
    assert rig.table == before
    rig.device(cm.DeckSaid(device="shuffler", event_no=1, kind="deck_in", deck=BLUE))
    assert rig.table.decks == before.decks
    assert [e.code for e in rig.events(ev.DeviceTroubled)] == ["event_differs"]


def test_a_gap_is_not_passed_over() -> None:
    rig = fitted()
    rig.device(cm.DeckSaid(device="shuffler", event_no=2, kind="deck_in", deck=RED))
    assert rig.table.shuffler.last_event == 0
    assert place(rig, RED) is DeckPlace.ASIDE


def test_a_failed_shuffle_is_begun_anew_by_hand() -> None:
    rig = fitted()
    rig.machine("deck_in", RED)
    rig.machine("shuffle_started", RED)
    rig.machine("shuffle_failed", RED, reason="jam")
    assert rig.want.cause == Waits.FAILED
    assert to_shuffle(rig.table.decks) is None
    rig.machine("deck_out", RED)
    assert rig.want.cause == Waits.PUT_IN
    rig.machine("deck_in", RED)
    assert to_shuffle(rig.table.decks) == RED


def test_a_restart_finds_every_deck_where_it_was(tmp_path: Path) -> None:
    rig = dealing(fitted(tmp_path))
    rig.machine("deck_in", BLUE)
    rig.restart(connect=False)
    rig.connect("shuffler", serial="SH-7", log_last=rig.table.shuffler.last_event)
    assert (place(rig, RED), place(rig, BLUE)) == (DeckPlace.PLAY, DeckPlace.MACHINE)
    assert to_shuffle(rig.table.decks) == BLUE
    rig.close()


def test_no_deck_stands_ready_over_night() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.machine("deck_out", RED)
    rig.do(cm.CloseTable(), D1, S1)
    assert place(rig, RED) is DeckPlace.ASIDE
    rig.do(cm.OpenTable(), D1, S1)
    assert rig.phase is Phase.DECK_CHECK


def test_a_deck_taken_out_of_a_closed_table_s_shuffler_is_counted_anew() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.do(cm.CloseTable(), D1, S1)
    assert place(rig, RED) is DeckPlace.READY  # locked in the machine
    rig.machine("deck_out", RED)
    assert place(rig, RED) is DeckPlace.ASIDE


def test_a_hand_without_a_card_leaves_its_deck_untouched() -> None:
    rig = fitted()
    counted(rig, RED)
    rig.machine("deck_out", RED)
    rig.stake(b1=10).lock()
    rig.do(cm.VoidHand(reason="nobody plays"), D1, S1)
    assert rig.phase is Phase.BETTING
    assert place(rig, RED) is DeckPlace.PLAY
