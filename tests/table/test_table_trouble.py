"""Cards that nobody expected, cards that nobody could read, devices that lie or leave, and the ways out."""

from __future__ import annotations

import pytest
from harness import CARD, PLAYS_NOT, S1, Rig, locked, make_setup, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause, Unread

# --- unread ----------------------------------------------------------------------------------------------------------


def test_an_unread_card_plays_on_and_is_named_when_turned() -> None:
    rig = locked()
    rig.card(unread=True)
    rig.deal()
    assert rig.snapshot().boxes[0].cards == ("unknown", "back", "back", "back", "back")
    rig.refused(Why.NOT_UNREAD, cm.EnterCard(card="9c"), S1)  # nobody looks before
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok(), rig.ok()
    assert (rig.want.kind, rig.want.box, rig.want.index) == (Want.ENTRY, 1, 0)
    rig.refused(Why.BAD_CARD, cm.EnterCard(card="Xx"), S1)
    rig.refused(Why.BAD_CARD, cm.EnterCard(card="JK"), S1)
    rig.refused(Why.NOT_UNREAD, cm.EnterCard(card="9c", index=2), S1)
    rig.refused(Why.NOT_UNREAD, cm.EnterCard(card="9c", place="draw"), S1)
    assert rig.refused(Why.PUBLIC_CARD, cm.EnterCard(card="Kh"), S1).args == {"card": "Kh"}
    assert rig.do(cm.EnterCard(card="9c")).waiting == 1
    rig.do(cm.Approve(id=1), S1)
    assert rig.want.kind is Want.PAID
    rig.finish()
    assert rig.events(ev.HandSettled)[-1].request["boxes"][1]["cards"].startswith("9c ")


def test_an_entry_equal_to_a_hidden_card_says_nothing_to_the_dealer_alone() -> None:
    """A dealer who tries cards one by one hears the same of every card; only with the supervisor there: deck fault."""
    rig = locked(PLAYS_NOT, rules="jpoker")
    rig.joker("2c")
    rig = table("oasis_ru").stake(b1=10, b2=10)
    rig.do(cm.SetStake(box=2, bonus=5))
    rig.lay(PLAYS_NOT, b1="9c 9d 5h 6s 3c", b2="3h 4h 6h 8h Th").lock()
    while rig.phase is Phase.DEALING:
        if (rig.want.box, rig.want.index) == (2, 4):
            rig.card(unread=True)
        else:
            rig.card()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert rig.want.kind is Want.TURN  # only the turn can tell whether the bonus wins
    rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.ENTRY, 2)
    for card in ("9c", "As"):  # the first lies face down at box 1, the second nowhere
        assert rig.do(cm.EnterCard(card=card)).waiting
    rejection = rig.refused(Why.DECK_FAULT, cm.EnterCard(card="9c"), S1)
    assert rejection.args == {}
    assert "9c" not in rejection.text()
    waiting = {w.command["card"]: w.id for w in rig.table.waiting}
    rig.refused(Why.DECK_FAULT, cm.Approve(id=waiting["9c"]), S1)
    rig.do(cm.Reject(id=waiting["9c"]), S1)
    rig.do(cm.EnterCard(card="Th"), S1)
    rig.refused(Why.NOT_UNREAD, cm.Approve(id=waiting["As"]), S1)  # meant for a place that is named by now
    rig.finish()


def test_a_waiting_entry_cannot_name_another_place() -> None:
    rig = locked()
    while rig.phase is Phase.DEALING:
        if rig.want.place == "box" and rig.want.box == 2 and rig.want.index < 2:
            rig.card(unread=True)
        else:
            rig.step()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    first = rig.do(cm.EnterCard(card="As")).waiting
    rig.do(cm.EnterCard(card="Qc"), S1)
    assert rig.want.index == 1
    rig.refused(Why.NOT_UNREAD, cm.Approve(id=first), S1)


def test_the_open_card_is_named_at_once() -> None:
    rig = locked()
    while not (rig.want.place == "dealer" and rig.want.index == 4):
        rig.step()
    rig.card(unread=True)
    assert (rig.phase, rig.want.kind, rig.want.place, rig.want.index) == (Phase.DEALING, Want.ENTRY, "dealer", 4)
    rig.do(cm.EnterCard(card="2h"), S1)
    assert rig.phase is Phase.DECISIONS
    rig.finish()
    assert rig.table.last_hand is not None


def test_an_unread_card_of_the_dealer_is_named_at_the_reveal() -> None:
    rig = locked()
    while rig.phase is Phase.DEALING:
        if (rig.want.place, rig.want.index) == ("dealer", 1):
            rig.card(unread=True)
        else:
            rig.step()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    assert (rig.phase, rig.want.kind, rig.want.place, rig.want.index) == (Phase.REVEAL, Want.ENTRY, "dealer", 1)
    rig.refused(Why.UNSETTLED, cm.Reveal())
    rig.do(cm.EnterCard(card="Ks"), S1), rig.ok()
    assert rig.snapshot().dealer.cards == ("Kh", "Ks", "8c", "7d", "2h")
    rig.finish()


@pytest.mark.parametrize("most", [0, 2])
def test_too_many_unread_cards_call_the_supervisor(most: int) -> None:
    rig = locked(max_unknown=most)
    for _ in range(most):
        rig.card(unread=True)
    assert rig.phase is Phase.DEALING
    rig.card(unread=True)
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.TOO_MANY_UNREAD)
    rig.do(cm.Resume(), S1)
    assert rig.phase is Phase.DEALING
    rig.finish()


def test_an_unread_drawn_card() -> None:
    rig = locked().deal()
    rig.do(cm.Exchange(box=1)), rig.card(unread=True), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.ok()
    assert (rig.want.kind, rig.want.place, rig.want.box) == (Want.ENTRY, "draw", 1)
    rig.finish()
    assert rig.events(ev.HandSettled)[-1].request["boxes"][1]["final"].split().count("Jh") == 1


def test_unread_cards_of_boxes_that_nobody_turns_are_never_asked_for() -> None:
    rig = locked(PLAYS_NOT)
    rig.card(unread=True), rig.deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.ok()
    assert rig.want.kind is Want.REST
    rig.ok()
    assert rig.hand.number == 2


# --- cards that should not be ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["9c", "JK"])
def test_a_card_twice_or_of_another_game_is_a_deck_fault_without_a_name(card: str) -> None:
    """F52, F98."""
    rig = locked()
    rig.card()  # 9c to box 1
    rig.card(card, lay=False)
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.DECK_FAULT)
    assert isinstance(rig.hand.box(2).dealt[0], Unread)
    assert rig.table.quarantined
    public = [event for event in rig.events() if not isinstance(event, ev.CardDealt)]
    assert all(card not in CARD.findall(repr(event)) for event in public)
    rig.do(cm.Resume(), S1)  # it stays unknown
    rig.finish()
    assert rig.want.kind is Want.DECK
    rig.refused(Why.BAD_ARGUMENT, cm.Deck(deck=""), S1)
    rig.do(cm.Deck(deck="red 3"), S1)
    assert rig.phase is Phase.BETTING


def test_a_card_before_the_bets_close() -> None:
    rig = table().stake(b1=10)
    rig.card("As")
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.EARLY_CARD)
    rig.do(cm.VoidHand(reason="early"), S1)
    assert rig.want.kind is Want.DECK  # whichever way the supervisor decides, that deck is out


def test_a_card_too_many_is_burned() -> None:
    rig = locked().deal()
    rig.card("As")
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.EXTRA_CARD)
    rig.refused(Why.NOT_NOW, cm.Bet(box=1))
    rig.card("Ad")  # another one while play is held
    rig.do(cm.Resume(), S1)
    assert rig.hand.burned == 2
    assert rig.phase is Phase.DECISIONS
    rig.finish()


def test_the_dealers_last_card_is_not_taken_before_the_joker_is_shown() -> None:
    rig = locked().to(Want.STOP)
    rig.card("As")
    assert rig.hand.cause is Cause.EXTRA_CARD
    rig.do(cm.Resume(), S1)
    assert rig.want.kind is Want.STOP


def test_a_card_while_nothing_is_played_is_recorded_and_changes_nothing() -> None:
    rig = Rig(setup=make_setup())
    rig.connect(), rig.card("As")
    assert rig.phase is Phase.CLOSED
    assert rig.events(ev.CardRefused)[0].event_no == 1


# --- numbered events: F6, F7 -----------------------------------------------------------------------------------------


def test_an_event_told_again_is_one_event() -> None:
    rig = locked()
    rig.card(), rig.card()
    before = rig.table
    assert rig.again(1).events == ()
    assert rig.again(2).events == ()
    assert rig.table == before
    note = cm.NoteIn(device="shoe", event_no=3, kind="lid_open")
    rig.device(note)
    assert rig.device(note).events == ()
    assert rig.table.shoe.last_event == 3


def test_an_event_that_differs_from_the_journal_stops_the_hand_and_is_not_acknowledged() -> None:
    rig = locked()
    rig.card(), rig.card()
    rig.device(cm.CardIn(device="shoe", event_no=1, card="As"))
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.EVENT_DIFFERS)
    assert rig.service.contradicted
    assert rig.device(cm.CardIn(device="shoe", event_no=1, card="As")).events == ()  # said once
    assert "As" not in rig.snapshot().prompt.en
    rig.do(cm.Reset(), S1)
    assert rig.phase is Phase.DEALING
    assert not rig.service.contradicted
    rig.finish()


def test_an_event_older_than_what_is_kept_stops_the_hand() -> None:
    rig = locked()
    rig.card()
    for number in range(2, 70):
        rig.device(cm.NoteIn(device="shoe", event_no=number, kind="lid_open"))
    rig.device(cm.CardIn(device="shoe", event_no=1, card="9c"))
    assert rig.hand.fault_cause is Cause.EVENT_DIFFERS
    assert "older" in rig.hand.detail


def test_an_event_ahead_of_its_time_waits_for_the_one_before() -> None:
    rig = locked()
    assert rig.device(cm.CardIn(device="shoe", event_no=2, card="Qc")).events == ()
    assert rig.table.shoe.last_event == 0
