"""The dealer's card bought (Q34-Q40): who chooses, which card goes, when the replacement stands, what it makes.

One replacement for all buyers. The cards are public here: the dealer lies open before anyone chooses.
"""

from __future__ import annotations

from controller.domain.cards import JOKER, Card, card_text, parse_card, rank_of
from controller.domain.hand.setup import Setup
from controller.domain.legal import dealer_rank
from controller.domain.ranking import ranking_of
from controller.domain.state import Box, BoxStatus, Choice, Decision, Hand, Slot, Unread, known


def offered(hand: Hand, setup: Setup) -> bool:
    """The dealer does not play and the house lets a box pay for a card."""
    return setup.rules.dealer_exchange_fee is not None and (hand.qualifies is False or hand.bought)


def choosers(hand: Hand) -> list[Box]:
    """Boxes that choose, in seat order: raised and not blind."""
    return [b for b in hand.boxes if b.playing and b.decision is Decision.RAISE and not b.blind]


def next_chooser(hand: Hand) -> Box | None:
    """The box that chooses now."""
    return next((b for b in choosers(hand) if b.choice is None and b.status is BoxStatus.OPEN), None)


def buyers(hand: Hand) -> list[Box]:
    """Boxes that pay for the card."""
    return [b for b in hand.boxes if b.playing and b.choice is Choice.BUY]


def in_request_order(hand: Hand, setup: Setup) -> tuple[Slot, ...]:
    """The dealer's five with the open card last, as the settle contract names them."""
    if str(setup.rules.upcard) == "last":
        return hand.dealer
    return (*hand.dealer[1:], *hand.dealer[:1])


def unread_drawn(hand: Hand) -> int | None:
    """The first drawn card that nobody knows."""
    return next((i for i, slot in enumerate(hand.dealer_drawn) if isinstance(slot, Unread)), None)


def final_cards(hand: Hand, setup: Setup) -> tuple[str, ...] | None:
    """The dealer's cards with the drawn one; None while a card (or a redraw of the same rank) is still to come."""
    rules = setup.rules
    dealt = [parse_card(known(slot)) for slot in in_request_order(hand, setup)]
    drawn = [parse_card(known(slot)) for slot in hand.dealer_drawn]
    if not drawn:
        return None
    if rules.dealer_exchange_card == "add":
        return tuple(card_text(card) for card in (*dealt, drawn[0]))
    pick = max if rules.dealer_exchange_card == "highest" else min
    place = pick(range(len(dealt)), key=lambda i: dealer_rank(rules, dealt[i]))
    last = drawn[-1]
    again = rules.dealer_exchange_redraw_same_rank and rank_of(last) == rank_of(dealt[place])
    if again and cards_left(hand, setup):  # where the deck ends in a redraw, the last card stands
        return None
    return tuple(card_text(card) for card in (*dealt[:place], last, *dealt[place + 1 :]))


def cards_left(hand: Hand, setup: Setup) -> int:
    """Cards that the deck still holds."""
    used = len(hand.dealer) + len(hand.dealer_drawn) + len(hand.burns) + hand.burned
    return setup.rules.deck_size - used - sum(len(b.dealt) + len(b.drawn) for b in hand.boxes)


def cards_for_draws(hand: Hand, setup: Setup) -> int:
    """Cards that boxes may still ask for: neither bought already nor kept for the dealer. Counts alone, so public."""
    bought = sum(b.draws - len(b.drawn) for b in hand.boxes if b.playing)
    kept = 0 if setup.rules.dealer_exchange_fee is None else 1
    return max(0, cards_left(hand, setup) - bought - kept)


def judged(cards: tuple[str, ...], hand: Hand, setup: Setup) -> tuple[str, bool]:
    """What the dealer's final cards make, and whether he plays. Both readings judge it again with every box."""
    ranking = ranking_of(setup.rules)
    joker = _joker(hand, setup)
    category = ranking.category(ranking.value([parse_card(card) for card in cards], joker))
    return str(category), ranking.number[category] >= ranking.number[setup.rules.qualify_min]


def _joker(hand: Hand, setup: Setup) -> Card | None:
    if str(setup.rules.variant) == "joker53":
        return JOKER
    return parse_card(hand.slot) if setup.joker and hand.slot and hand.slot != "DOC" else None
