"""What the table waits for next: one answer, derived from the state alone, for prompts, lamps, keys and checks.

Order of dealing, drawing, deciding, turning: every "whose turn is it" stands here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from controller.domain.decks import Waits, waits
from controller.domain.hand import by_hand, dealer, decks, distrust, jackpot, one_player
from controller.domain.hand.by_hand import HAND_CARDS
from controller.domain.hand.setup import Setup
from controller.domain.phases import JokerPhase, Phase
from controller.domain.state import (
    BonusStep,
    Box,
    BoxStatus,
    CardSource,
    Choice,
    Decision,
    FaceUp,
    Hand,
    StakeEntry,
    Table,
    Unread,
)


class Want(StrEnum):
    """Kinds of next step."""

    OPEN = "open"
    DECK = "deck"
    STUB = "stub"
    SHUFFLE = "shuffle"
    START = "start"
    COUNT = "count"
    CARD = "card"
    DEAL = "deal"
    STOP = "stop"
    BOARD = "board"
    NEXT = "next"
    ENTRY = "entry"
    DECLARE = "declare"
    DECISION = "decision"
    REVEAL = "reveal"
    CHOICE = "choice"
    TURN = "turn"
    DISCARDS = "discards"
    CHECK = "discard_check"
    STAKE = "stake"
    PAID = "paid"
    REST = "rest"
    RELEASE = "release"
    AWARD = "award"
    SUPERVISOR = "supervisor"
    NOTHING = "nothing"


class Expect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The next step. `place` as in CardDealt, or a deck's mark; `index` from 0; `count`: cards to name or draw."""

    kind: Want
    place: str = ""
    box: int = 0
    index: int = 0
    count: int = 0
    cause: str = ""


NOTHING = Expect(kind=Want.NOTHING)
BONUS = "bonus"  # cause of a step that a bonus paid before the settlement wants
READY = 1  # stage of a box of which all is known and nothing computed


def expects(table: Table, setup: Setup) -> Expect:
    """What is wanted now."""
    hand = table.hand
    if hand is None:
        return Expect(kind=Want.OPEN) if not table.open else NOTHING
    match hand.phase:
        case Phase.DECK_CHECK:
            return _deck(table, setup)
        case Phase.BETTING:
            return _deck(table, setup) if table.quarantined else Expect(kind=Want.START)
        case Phase.LOCKED:
            return Expect(kind=Want.COUNT, count=side_bets(hand))
        case Phase.DEALING:
            return _dealing(hand, setup)
        case Phase.DECISIONS:
            return _decisions(hand, setup)
        case Phase.REVEAL:
            return _reveal(hand, setup)
        case Phase.SETTLING:
            return _settling(hand, setup)
        case Phase.IRREGULAR:
            return Expect(kind=Want.SUPERVISOR, cause=str(hand.cause))
        case _:
            return Expect(kind=Want.SUPERVISOR, cause=str(hand.fault_cause))


def lit(box: Box) -> bool:
    """In play with a side bet (bonus or jackpot)."""
    return box.playing and bool(box.bonus or box.jackpot)


def _deck(table: Table, setup: Setup) -> Expect:
    """The deck of the next hand: counted, brought, put in, waited for or taken out."""
    if decks.stub_due(table, setup):
        return Expect(kind=Want.STUB, count=decks.stub(table, setup))
    if not setup.decks.shuffler:
        return Expect(kind=Want.DECK, cause=table.quarantined)
    step, mark = (Waits.DISTRUSTED, "") if distrust.doubted(table) else waits(table.decks, decks.connected(table))
    people = step in (Waits.BRING, Waits.OFFERED)
    return Expect(kind=Want.DECK if people else Want.SHUFFLE, cause=str(step), place=mark)


def side_bets(hand: Hand) -> int:
    """Lit boxes."""
    return sum(1 for b in hand.boxes if lit(b))


# --- dealing ---------------------------------------------------------------------------------------------------------


def open_index(setup: Setup) -> int:
    """Which of the dealer's five lies open (Q18)."""
    return HAND_CARDS - 1 if str(setup.rules.upcard) == "last" else 0


def deal_place(hand: Hand, setup: Setup) -> Expect | None:
    """Where the next card of the deal goes: one at a time in seat order, dealer last (or packets of five, Q17)."""
    if len(hand.burns) < setup.rules.burn_cards:
        return Expect(kind=Want.CARD, place="burn", index=len(hand.burns))
    rounds: Iterator[int] = iter(range(HAND_CARDS))
    if str(setup.rules.deal_mode) != "one_by_one":
        rounds = iter([HAND_CARDS - 1])
    for filled in rounds:
        for box in hand.boxes:
            if box.playing and len(box.dealt) <= filled:
                return Expect(kind=Want.CARD, place="box", box=box.box, index=len(box.dealt))
        if len(hand.dealer) <= filled:
            return Expect(kind=Want.CARD, place="dealer", index=len(hand.dealer))
    return None


_JOKER = {
    JokerPhase.NONE: Want.NOTHING,
    JokerPhase.ARMED: Want.STOP,
    JokerPhase.DRAWN: Want.BOARD,
    JokerPhase.SHOWN: Want.NEXT,
}


def _dealing(hand: Hand, setup: Setup) -> Expect:
    if by_hand.joker_only(hand):
        return Expect(kind=_JOKER[hand.joker])
    place = deal_place(hand, setup)
    waiting = {JokerPhase.ARMED: Expect(kind=Want.STOP), JokerPhase.DRAWN: Expect(kind=Want.BOARD)}.get(hand.joker)
    when = setup.procedure.joker_time
    if waiting and when == "before_deal":
        return waiting
    last = place is not None and place.place == "dealer" and place.index == HAND_CARDS - 1
    if waiting and (place is None or (last and when == "during_deal")):
        return waiting
    if place is not None:
        return _by_hand(hand, setup) if by_hand.by_hand(hand) else place
    index = open_index(setup)
    if isinstance(hand.dealer[index], Unread) and hand.cards is not CardSource.NONE:
        return Expect(kind=Want.ENTRY, place="dealer", index=index)
    return NOTHING


def _by_hand(hand: Hand, setup: Setup) -> Expect:
    """The deal without a shoe: so many cards, or the dealer's open card named as it comes."""
    count = sum(cards.count for cards in by_hand.stretch(hand, setup))
    if count:
        return Expect(kind=Want.DEAL, place="deal", count=count)
    return Expect(kind=Want.ENTRY, place="dealer", index=len(hand.dealer))


# --- decisions -------------------------------------------------------------------------------------------------------


def deciders(hand: Hand) -> list[Box]:
    """Boxes that decide, in seat order; blind boxes have decided by lying there."""
    return [b for b in hand.boxes if b.playing and not b.blind]


def current_decider(hand: Hand, setup: Setup) -> Box | None:
    """The lit box: the first that has something left to do."""
    boxes = deciders(hand)
    if setup.procedure.draw_timing == "after_all":
        for box in boxes:  # first pass: fold, bet, or how many cards
            if box.decision is None and not box.fixed:
                return box
    for box in hand.boxes:  # a blind box may have bought its sixth card before the deal (Q22)
        if box.playing and (box.decision is None or box.awaits_draw):
            return box
    return None


def drawing(box: Box, setup: Setup) -> bool:
    """Whether the lit box's bought cards come now."""
    return box.awaits_draw and (setup.procedure.draw_timing == "at_once" or box.fixed or box.blind)


def bonus_step(hand: Hand) -> Expect | None:
    """A bonus that is paid before the settlement: its box is turned, its cards entered, it is paid."""
    box = next((b for b in hand.boxes if b.playing and b.bonus_step in (BonusStep.CALLED, BonusStep.SHOWN)), None)
    if box is None:
        return None
    if box.bonus_step is BonusStep.CALLED:
        return Expect(kind=Want.TURN, box=box.box, cause=BONUS)
    return (unread_of(box) if box.bonus_line is None else None) or Expect(kind=Want.PAID, box=box.box, cause=BONUS)


def _decisions(hand: Hand, setup: Setup) -> Expect:
    bonus = bonus_step(hand)
    if bonus is not None:
        return bonus
    box = current_decider(hand, setup)
    if box is None:
        return NOTHING
    if drawing(box, setup):
        kind = Want.CARD
        if by_hand.by_hand(hand):  # the box's next word affirms that it has them; a blind box says none
            kind = Want.DEAL if box.decision is not None else Want.DECISION
        return Expect(kind=kind, place="draw", box=box.box, index=len(box.drawn), count=box.draws - len(box.drawn))
    return Expect(kind=Want.DECISION, box=box.box)


# --- reveal ----------------------------------------------------------------------------------------------------------


def unread_dealer(hand: Hand) -> int | None:
    """The first of the dealer's cards that nobody knows."""
    return next((i for i, slot in enumerate(hand.dealer) if isinstance(slot, Unread)), None)


def _reveal(hand: Hand, setup: Setup) -> Expect:
    if hand.qualifies is None and hand.cards is CardSource.NONE:
        return Expect(kind=Want.DECLARE)
    if hand.qualifies is None:
        index = unread_dealer(hand)
        if index is not None:
            return Expect(kind=Want.ENTRY, place="dealer", index=index)
        return Expect(kind=Want.REVEAL)
    if hand.bought or not dealer.offered(hand, setup):
        return NOTHING
    box = dealer.next_chooser(hand)
    if box is not None:
        return Expect(kind=Want.CHOICE, box=box.box)
    if not hand.chosen:
        return NOTHING
    return _pass(hand, setup) if not hand.takers_settled else _bought_card(hand, setup)


def _bought_card(hand: Hand, setup: Setup) -> Expect:
    index = dealer.unread_drawn(hand)
    if index is not None:
        return Expect(kind=Want.ENTRY, place="dealer_draw", index=index)
    if dealer.final_cards(hand, setup) is None:
        kind = Want.ENTRY if by_hand.by_hand(hand) else Want.CARD
        return Expect(kind=kind, place="dealer_draw", index=len(hand.dealer_drawn))
    return NOTHING


# --- settling --------------------------------------------------------------------------------------------------------


def in_settle_order(hand: Hand, setup: Setup) -> list[Box]:
    """Boxes in play in the order in which the dealer settles them."""
    boxes = [b for b in hand.boxes if b.playing]
    return boxes if setup.procedure.settle_order == "left_to_right" else boxes[::-1]


def must_turn(box: Box, hand: Hand) -> bool:
    """Whether the box is turned: raised boxes where the dealer plays, and any box called for a side bet."""
    return box.turned or (bool(hand.qualifies) and box.decision is Decision.RAISE) or box.called


def settled_now(hand: Hand, setup: Setup) -> list[Box]:
    """Boxes of this pass: before a bought card is drawn only those that do not pay for it (8.8, trap 9).

    Nor those that share their maximum payout with one that does.
    """
    boxes = in_settle_order(hand, setup)
    if hand.phase is not Phase.REVEAL:
        return boxes
    return [b for b in boxes if all(c.choice is not Choice.BUY for c in (b, *one_player.others(hand, b, setup)))]


def turn_queue(hand: Hand, setup: Setup) -> list[Box]:
    """Boxes still to be turned or paid one by one; with `takes_first` the losing ones are collected before any pay."""
    queue = [b for b in settled_now(hand, setup) if must_turn(b, hand) and b.status is BoxStatus.OPEN]
    queue = [b for b in queue if _stage(b, hand) != READY or not waits_for_another(b, hand, setup)]
    if setup.procedure.settle_mode == "takes_first":
        if any(b.answer is None for b in queue):
            return sorted(queue, key=lambda b: _stage(b, hand) if one_player.shared(setup) else b.answer is not None)
        return sorted(queue, key=lambda b: (b.answer or {}).get("net", 0) >= 0)
    return _by_player(queue, hand) if one_player.shared(setup) else queue


def _stage(box: Box, hand: Hand) -> int:
    """0: cards or stakes of it are still to come; READY: all is known of it; 2: it is computed."""
    if box.answer is not None:
        return 2
    return READY if next_for(box, hand).kind is Want.CHECK else 0


def waits_for_another(box: Box, hand: Hand, setup: Setup) -> bool:
    """A box of the same player is disputed, its result not known, and both share one maximum payout."""
    return any(
        b.status is BoxStatus.HELD and b.answer is None and must_turn(b, hand)
        for b in one_player.others(hand, box, setup)
    )


def _by_player(queue: list[Box], hand: Hand) -> list[Box]:
    """All boxes of one player before those of the next: first all turned and named, then computed, then paid."""
    first = next((b for b in queue if b.turned), queue[0] if queue else None)
    return sorted(queue, key=lambda b: (first is not None and b.owner != first.owner, _stage(b, hand)))


def unread_of(box: Box) -> Expect | None:
    """The first card of a turned box that nobody knows."""
    for place, slots in (("box", box.dealt), ("draw", box.drawn)):
        for index, slot in enumerate(slots):
            if isinstance(slot, Unread):
                return Expect(kind=Want.ENTRY, place=place, box=box.box, index=index)
    return None


def discards_missing(box: Box) -> int:
    """How many discards are still to be named."""
    return 0 if box.declared is not None else box.count - len(box.discards or ())


def next_for(box: Box, hand: Hand) -> Expect:
    """What an unpaid box of the queue waits for."""
    if not box.turned:
        return Expect(kind=Want.TURN, box=box.box)
    if hand.cards is CardSource.NONE and box.declared is None:
        return Expect(kind=Want.DECLARE, box=box.box)
    entry = unread_of(box) if box.declared is None else None
    if entry is not None:
        return entry
    missing = discards_missing(box)
    if missing:
        return Expect(kind=Want.DISCARDS, box=box.box, count=missing)
    if hand.stake_entry is StakeEntry.AT_PAYOUT and not box.staked:
        return Expect(kind=Want.STAKE, box=box.box)
    if box.answer is None:
        return Expect(kind=Want.CHECK, box=box.box)
    return Expect(kind=Want.PAID, box=box.box)


def _pass(hand: Hand, setup: Setup) -> Expect:
    """Boxes one by one, then the rest at once; NOTHING when the pass is through."""
    queue = turn_queue(hand, setup)
    if queue:
        return next_for(queue[0], hand)
    boxes = [b for b in settled_now(hand, setup) if not waits_for_another(b, hand, setup)]
    if not hand.qualifies and any(b.status is BoxStatus.OPEN and b.decision is Decision.RAISE for b in boxes):
        return Expect(kind=Want.REST)
    return NOTHING


def _settling(hand: Hand, setup: Setup) -> Expect:
    want = _pass(hand, setup)
    hit = jackpot.pending(hand)
    if hit is not None and want is NOTHING:
        return Expect(kind=Want.AWARD, box=hit.box, index=hit.id - 1, count=hit.prize)
    held = next((b for b in hand.boxes if b.playing and b.status is BoxStatus.HELD), None)
    return Expect(kind=Want.RELEASE, box=held.box) if held is not None and want is NOTHING else want


# --- looking ---------------------------------------------------------------------------------------------------------


def may_look(box: Box, hand: Hand, setup: Setup) -> bool:
    """Two-box order: a player looks at his next box only after he has decided the one before (S003)."""
    if not box.playing or box.blind or hand.phase not in (Phase.DECISIONS, Phase.REVEAL, Phase.SETTLING):
        return False
    earlier = [b for b in deciders(hand) if b.owner == box.owner and b.box < box.box]
    if setup.procedure.draw_timing == "after_all":
        return all(b.decision is not None or b.fixed for b in earlier)
    return all(b.decision is not None for b in earlier)


def public_cards(hand: Hand) -> frozenset[str]:
    """Every card that lies open."""
    slots = [*hand.dealer, *hand.dealer_drawn, *(s for b in hand.boxes for s in (*b.dealt, *b.drawn))]
    return frozenset(s.card for s in slots if isinstance(s, FaceUp))
