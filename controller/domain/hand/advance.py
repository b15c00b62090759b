"""What follows by itself: the next automatic event, until nothing follows any more.

decide gives the events of an act, then asks `advance` again and again; so a card that completes the deal is journalled
before the phase that it opens, in one transaction.
"""

from __future__ import annotations

from controller.domain import events as ev
from controller.domain.hand import by_hand, chips, dealer, decks, doors, early_bonus, people, settling, trouble
from controller.domain.hand.expects import (
    Want,
    bonus_step,
    current_decider,
    deal_place,
    expects,
    in_settle_order,
    open_index,
    settled_now,
    side_bets,
)
from controller.domain.hand.setup import Entropy, Setup
from controller.domain.phases import PLAY, JokerPhase, Phase, next_phase
from controller.domain.state import BoxStatus, CardSource, Cause, FaceDown, Hand, Table


def advance(table: Table, setup: Setup, entropy: Entropy) -> tuple[ev.Event, ...]:
    """The events that follow from the state alone; empty when the table waits for somebody."""
    hand = table.hand
    if hand is None:
        return people.open_hand(table, entropy) if table.open else ()
    played = not by_hand.joker_only(hand)
    if played and hand.phase in PLAY and not any(box.playing for box in hand.boxes):
        return trouble.ended_void(table, hand, "every box is void")
    if table.shoe.ahead and hand.phase in (Phase.DECK_CHECK, Phase.BETTING) and table.cards is CardSource.SHOE:
        return (ev.FaultRaised(cause=str(Cause.OLD_JOURNAL), detail=table.shoe.ahead),)  # found while it was closed
    moved = doors.follows(table, hand, setup)
    if moved:
        return moved
    match hand.phase:
        case Phase.DECK_CHECK:
            return _deck(table, hand, setup)
        case Phase.BETTING:
            return _other_deck(table, setup)
        case Phase.LOCKED:
            return _counted(hand, setup)
        case Phase.DEALING:
            return _dealing(table, hand, setup)
        case Phase.DECISIONS:
            return _decisions(table, hand, setup)
        case Phase.REVEAL:
            return _revealed(table, hand, setup)
        case Phase.SETTLING:
            return _settling(table, hand, setup)
        case _:
            return ()


def _decisions(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    bonus = early_bonus.follows(table, hand, setup)
    if bonus or bonus_step(hand) is not None or current_decider(hand, setup):
        return bonus
    return _enter(hand, "decided")


def _enter(hand: Hand, trigger: str) -> tuple[ev.Event, ...]:
    phase = next_phase(hand.phase, trigger)
    assert phase is not None, f"{trigger} from {hand.phase}"
    return (ev.PhaseEntered(phase=phase, trigger=trigger),)


def _deck(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    found = decks.next_deck(table, setup)
    if not decks.lies_there(table, found, setup):
        return found
    return (*found, *_enter(hand, "deck_taken"), *chips.standing(table, hand, setup))


def _other_deck(table: Table, setup: Setup) -> tuple[ev.Event, ...]:
    """Bets are open and the deck is out of play: another one that has been counted takes its place."""
    return decks.next_deck(table, setup) if table.quarantined and setup.decks.shuffler else ()


def _counted(hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    if hand.counted != side_bets(hand):
        return ()
    return (*trouble.arm(setup), *_enter(hand, "counted"))


def _dealing(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    if by_hand.joker_only(hand):
        return (ev.JokerArmed(),) if hand.joker is JokerPhase.NONE else ()
    complete = deal_place(hand, setup) is None
    shown = hand.joker is JokerPhase.SHOWN or not setup.joker
    if complete and setup.joker and hand.joker is JokerPhase.NONE:
        return (ev.JokerArmed(),)
    index = open_index(setup)
    slot = hand.dealer[index] if len(hand.dealer) > index else None
    if isinstance(slot, FaceDown) and shown:
        return (ev.OpenCardShown(card=slot.card),)
    if complete and shown and expects(table, setup).kind is Want.NOTHING:
        return _enter(hand, "dealt")
    return ()


def _revealed(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    if hand.qualifies is None:
        return ()
    if dealer.offered(hand, setup) and not hand.bought and dealer.choosers(hand):
        return _buying(table, hand, setup)
    return _to_settling(table, hand, setup)


def _to_settling(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    calls = settling.called(table, hand, setup, in_settle_order(hand, setup))
    return (*_enter(hand, "revealed"), *calls)


def _buying(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """The dealer's card: everybody chooses, those who took the ante are settled, then one card for all buyers."""
    if dealer.next_chooser(hand) is not None:
        return ()
    if not dealer.buyers(hand):
        return _to_settling(table, hand, setup)
    if not hand.chosen:
        return (ev.ChoicesClosed(), *settling.called(table, hand, setup, settled_now(hand, setup)))
    if hand.takers_settled:
        return settling.redrawn(hand, setup)
    box = settling.ready_to_settle(table, hand, setup)
    if box is not None:
        return settling.settle_box(table, hand, box, setup)
    return (ev.TakersSettled(),) if expects(table, setup).kind is Want.NOTHING else ()


def _settling(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    box = settling.ready_to_settle(table, hand, setup)
    if box is not None:
        return settling.settle_box(table, hand, box, setup)
    if expects(table, setup).kind is not Want.NOTHING:
        return ()
    if any(b.playing and b.status is BoxStatus.OPEN for b in hand.boxes):  # folded boxes: collected at the decision
        return settling.settle_unturned(table, hand, setup)
    if not hand.settled:
        return settling.whole_hand(table, hand, setup)
    disputed = tuple(b.box for b in hand.boxes if b.disputed)
    deferred = tuple(b.box for b in hand.boxes if b.status is BoxStatus.DEFERRED)
    ended = ev.HandEnded(
        hand=hand.number,
        outcome="settled",
        key=str(hand.key),
        seed=str(hand.seed),
        disputed=disputed,
        deferred=deferred,
    )
    return (ended,)
