"""How alike two decks came out: neighbours that stayed neighbours, and the order of the cards that came both times.

Orders of cards live here in memory only; what leaves is the result. Never asked before a hand has ended.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import msgspec

from controller.domain.state import UNKNOWN

LEAST_COMMON = 8  # cards in both hands, fewer say nothing about their order

Laid = tuple[str, int, str]  # place and box of CardDealt, card


class Order(msgspec.Struct, frozen=True):
    """The known cards of a hand as they left the deck, as they lay when they were taken up, and who lay beside whom."""

    dealt: tuple[str, ...] = ()
    felt: tuple[str, ...] = ()
    neighbours: frozenset[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        return f"Order({len(self.dealt)} cards)"


class Likeness(msgspec.Struct, frozen=True):
    """`kept` of `expected` neighbours; `order` in standard deviations (0 and `compared` False where too few)."""

    kept: int
    expected: float
    order: float
    compared: bool


def order_of(laid: Iterable[Laid]) -> Order:
    """The orders in which the next shuffle finds these cards: as dealt, and box by box with the dealer's last."""
    cards = list(laid)
    felt = sorted(cards, key=lambda card: (card[0] not in ("box", "draw"), card[1]))  # stable: dealt, then drawn
    dealt, lay = tuple(card for *_, card in cards), tuple(card for *_, card in felt)
    return Order(dealt, lay, _pairs(dealt) | _pairs(lay))


def _pairs(cards: tuple[str, ...]) -> frozenset[frozenset[str]]:
    near = (frozenset(pair) for pair in itertools.pairwise(cards) if UNKNOWN not in pair)
    return frozenset(pair for pair in near if len(pair) == 2)


def compare(before: Order, now: Order, deck_size: int) -> Likeness:
    """After a fair shuffle each pair of neighbours is any of the deck's pairs: that many stay by chance."""
    new = _pairs(now.dealt)
    expected = len(new) * len(before.neighbours) / math.comb(deck_size, 2)
    kept = len(new & before.neighbours)
    order = _rank_correlation(before.felt, now.dealt)
    return Likeness(kept, expected, 0.0 if order is None else order, order is not None)


def _rank_correlation(before: tuple[str, ...], now: tuple[str, ...]) -> float | None:
    """Spearman's, of the cards that came both times, in standard deviations."""
    then = {card: at for at, card in enumerate(before) if card != UNKNOWN}
    common = [card for card in now if card in then]
    count = len(common)
    if count < LEAST_COMMON:
        return None
    ranks = {card: rank for rank, card in enumerate(sorted(common, key=then.__getitem__))}
    apart = sum((at - ranks[card]) ** 2 for at, card in enumerate(common))
    return (1 - 6 * apart / (count * (count * count - 1))) * math.sqrt(count - 1)
