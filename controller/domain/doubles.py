"""The second combination of Russian poker: another hand of the pay table with a card that the first does not use.

Knows five or six natural cards and a pay table; whether the bet wins at all is the settlement's business.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.domain.cards import Card
from controller.domain.paytable import Category, Odds
from controller.domain.ranking import Ranking

_FIVE_CARDS = frozenset(
    (Category.STRAIGHT, Category.FLUSH, Category.FULL_HOUSE, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
)
_RUNS = frozenset((Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH))
_SIZES = {Category.QUADS: 4, Category.TRIPS: 3, Category.PAIR: 2}
_ACE, _KING = 12, 11


def second_combination(ranking: Ranking, cards: Sequence[Card], odds: Odds, straight_pair: str) -> Category | None:
    """The dearest second combination, None where there is none. Each way to choose the first counts."""
    fives = [cards] if len(cards) == 5 else [[*cards[:i], *cards[i + 1 :]] for i in range(6)]
    values = [ranking.five(*five) for five in fives]
    best = max(values)
    first = ranking.category(best)
    if first in (Category.NOTHING, Category.ACE_KING):
        return None
    found: set[Category] = set()
    for i, value in enumerate(values):
        if value == best:
            used = _used(first, fives[i])
            found |= _five_card_seconds(ranking, first, i, fives, values, straight_pair)
            found |= _small_seconds(first, used, cards)
    payable = [category for category in found if odds.get(category)]
    return max(payable, key=lambda category: (odds[category], ranking.number[category]), default=None)


def _used(first: Category, five: Sequence[Card]) -> set[Card]:
    """The first combination's own cards: kickers are not part of it."""
    if first in _FIVE_CARDS:
        return set(five)
    ranks = [card >> 2 for card in five]
    if first is Category.TWO_PAIR:
        return {card for card in five if ranks.count(card >> 2) == 2}
    return {card for card in five if ranks.count(card >> 2) == _SIZES[first]}


def _five_card_seconds(
    ranking: Ranking, first: Category, i: int, fives: Sequence[Sequence[Card]], values: Sequence[int], pairing: str
) -> set[Category]:
    """Straights, flushes, full houses among the other five of the six: each leaves in the card that `i` left out."""
    if first not in _FIVE_CARDS and first is not Category.QUADS:
        return set()
    found = set()
    ranks = {card >> 2 for card in fives[i]}
    for j, value in enumerate(values):
        category = ranking.category(value)
        if j == i or category not in _FIVE_CARDS:
            continue
        same_run = first in _RUNS and category in _RUNS and {card >> 2 for card in fives[j]} == ranks
        if not (same_run and pairing == "pair"):
            found.add(category)
    return found


def _small_seconds(first: Category, used: set[Card], cards: Sequence[Card]) -> set[Category]:
    found = set()
    spare = [card >> 2 for card in cards if card not in used]
    inside = {card >> 2 for card in used}
    ranks = [card >> 2 for card in cards]
    if (_ACE in spare or _KING in spare) and _ACE in ranks and _KING in ranks:
        found.add(Category.ACE_KING)
    if first is Category.TWO_PAIR and sum(ranks.count(rank) == 2 for rank in set(ranks)) == 3:
        found.add(Category.TWO_PAIR)
    if first in _RUNS | {Category.FLUSH} and inside.intersection(spare):
        found.add(Category.PAIR)
    return found
