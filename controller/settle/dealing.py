"""Form B: deals a hand from an ordered deck, draws for the boxes, and replaces the dealer's card.

Owns the order in which cards leave the deck. Judges nothing: the round it makes is checked like any other.
"""

from __future__ import annotations

import msgspec

from controller.domain.cards import JOKER, Card, rank_of
from controller.domain.legal import dealer_rank
from controller.domain.play import Box, Round
from controller.domain.ranking import ranking_of
from controller.domain.ruleset import RuleSet
from controller.errors import TableError


class Wish(msgspec.Struct, frozen=True):
    """A box that has no cards yet, and the positions it will throw away."""

    box: Box
    discards: tuple[int, ...]


class Deck:
    """An ordered deck; `used` counts the cards taken."""

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self.cards = cards
        self.used = 0

    def take(self) -> Card:
        if self.used == len(self.cards):
            raise TableError(412, "the deck is too short for these draws", "deck", "fewer boxes or draws")
        self.used += 1
        return self.cards[self.used - 1]

    @property
    def left(self) -> int:
        return len(self.cards) - self.used


def deal(rules: RuleSet, deck: Deck, wishes: tuple[Wish, ...], joker: Card | None, doc: bool) -> Round:
    """The round that this deck gives. Cards go by box number, whatever the order of paying."""
    for _ in range(rules.burn_cards):
        deck.take()
    seats = sorted(wishes, key=lambda wish: wish.box.box)
    hands = _packets(rules, deck, len(seats) + 1)
    dealer = hands[-1] if rules.upcard == "last" else [*hands[-1][1:], hands[-1][0]]  # the open card stands last
    played = {}
    for wish, hand in zip(seats, hands, strict=False):
        played[wish.box.box] = _drawn(rules, deck, wish, hand)
    joker = dealer[4] if doc else joker
    return Round(
        dealer=tuple(dealer),
        after_exchange=_exchange(rules, deck, dealer, joker, wishes),
        boxes=tuple(played[wish.box.box] for wish in wishes),
        joker=joker,
        doc=doc,
    )


def _packets(rules: RuleSet, deck: Deck, hands: int) -> list[list[Card]]:
    """Five cards for every box and, last, the dealer."""
    if rules.deal_mode == "packets":
        return [[deck.take() for _ in range(5)] for _ in range(hands)]
    rows = [[deck.take() for _ in range(hands)] for _ in range(5)]
    return [list(hand) for hand in zip(*rows, strict=True)]


def _drawn(rules: RuleSet, deck: Deck, wish: Wish, hand: list[Card]) -> Box:
    """Replacements lowest position first; one after another, as asked, where `repeat_exchange` says so."""
    final, drawn = list(hand), []
    if len(set(wish.discards)) < len(wish.discards) and not rules.repeat_exchange:
        raise TableError(412, "a position is thrown away twice", f"box {wish.box.box}", "each position once")
    for place in wish.discards if rules.repeat_exchange else sorted(wish.discards):
        final[place] = deck.take()
        drawn.append(final[place])
    if wish.box.action.buys:
        final.append(deck.take())
    passed = tuple(drawn) if rules.repeat_exchange else ()
    return msgspec.structs.replace(wish.box, cards=tuple(hand), final=tuple(final), drawn=passed)


def _exchange(
    rules: RuleSet, deck: Deck, dealer: list[Card], joker: Card | None, wishes: tuple[Wish, ...]
) -> tuple[Card, ...] | None:
    """The dealer's cards after the purchase; None where nobody buys or he plays."""
    ranking = ranking_of(rules)
    hand = ranking.category(ranking.value(dealer, JOKER if rules.variant == "joker53" else joker))
    plays = ranking.number[hand] >= ranking.number[rules.qualify_min]
    if plays or rules.dealer_exchange_fee is None or not any(wish.box.buy_dealer for wish in wishes):
        return None
    if rules.dealer_exchange_card == "add":
        return (*dealer, deck.take())
    pick = max if rules.dealer_exchange_card == "highest" else min
    place = pick(range(5), key=lambda i: dealer_rank(rules, dealer[i]))
    old, new = dealer[place], deck.take()
    while rules.dealer_exchange_redraw_same_rank and rank_of(new) == rank_of(old) and deck.left:
        new = deck.take()  # where the deck ends in a redraw, the last card stands
    return (*dealer[:place], new, *dealer[place + 1 :])
