"""The referee's reading of double combinations: every set of cards that is a combination, taken one by one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from controller.domain.cards import Card, rank_of
from controller.domain.ruleset import Category
from controller.referee.hands import ACE, KING, Hands

_Combination = tuple[Category, frozenset[Card]]
_RUNS = (Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
_FIVES = (*_RUNS, Category.FLUSH, Category.FULL_HOUSE)


def second(hands: Hands, cards: tuple[Card, ...], odds: Mapping[Category, int]) -> Category | None:
    """The dearest other combination with a card that is not in the first, over all ways to choose the first."""
    everything = _combinations(hands, cards)
    best = hands.best(cards, None)
    first = hands.category(best)
    found = []
    for _, used in _firsts(hands, cards, everything, first):
        for category, own in everything:
            if own <= used or not odds.get(category):
                continue
            if (
                hands.rules.straight_pair == "pair"
                and first in _RUNS
                and category in _RUNS
                and _ranks(own) == _ranks(used)
            ):
                continue  # the same run with a paired member: only a pair in such a house
            found.append(category)
    return max(found, key=lambda category: (odds[category], hands.order.index(category)), default=None)


def _firsts(
    hands: Hands, cards: tuple[Card, ...], everything: list[_Combination], first: Category
) -> list[_Combination]:
    """The combinations of the best category that lie in a best hand."""
    if first in (Category.NOTHING, Category.ACE_KING):
        return []
    best = hands.best(cards, None)
    playing = [frozenset(five) for five in combinations(cards, 5) if hands.natural(five) == best]
    return [(c, own) for c, own in everything if c is first and any(own <= five for five in playing)]


def _combinations(hands: Hands, cards: tuple[Card, ...]) -> list[_Combination]:
    """All combinations of the pay table in these cards, each with its own cards and no kickers."""
    found: list[_Combination] = []
    for two in combinations(cards, 2):
        if len(_ranks(two)) == 1:
            found.append((Category.PAIR, frozenset(two)))
        if _ranks(two) == {ACE - 2, KING - 2}:
            found.append((Category.ACE_KING, frozenset(two)))
    for size, category in ((3, Category.TRIPS), (4, Category.QUADS)):
        found += [(category, frozenset(some)) for some in combinations(cards, size) if len(_ranks(some)) == 1]
    pairs = [own for category, own in found if category is Category.PAIR]
    for one, other in combinations(pairs, 2):
        if _ranks(one) != _ranks(other):
            found.append((Category.TWO_PAIR, one | other))
    for five in combinations(cards, 5):
        category = hands.category(hands.natural(five))
        if category in _FIVES:
            found.append((category, frozenset(five)))
    return found


def _ranks(cards: frozenset[Card] | tuple[Card, ...]) -> set[int]:
    return {rank_of(card) for card in cards}
