"""The categories of hands and the tables of odds that are keyed by them. Knows neither cards nor stakes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Category(StrEnum):
    """Names used everywhere: in rule sets, requests and answers. Listed from the lowest to the highest."""

    NOTHING = "nothing"
    ACE_KING = "ace_king"
    PAIR = "pair"
    TWO_PAIR = "two_pair"
    TRIPS = "trips"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full_house"
    QUADS = "quads"
    STRAIGHT_FLUSH = "straight_flush"
    ROYAL_FLUSH = "royal_flush"
    FIVE_OF_A_KIND = "five_of_a_kind"


Odds = Mapping[Category, int]

# First and second combination that can lie in the same five or six cards (Q50): the only pairs there are.
_DOUBLES = """
royal_flush: straight_flush flush straight pair
straight_flush: straight_flush flush straight pair ace_king
quads: full_house ace_king
full_house: full_house ace_king
flush: flush straight pair ace_king
straight: straight pair ace_king
trips: ace_king
two_pair: two_pair ace_king
pair: ace_king
"""
DOUBLES: tuple[tuple[Category, Category], ...] = tuple(
    (Category(first), Category(second))
    for first, seconds in (line.split(": ") for line in _DOUBLES.strip().splitlines())
    for second in seconds.split()
)
# Of these, the ones that five cards can hold: nothing but an ace-king beside what the five cards already are.
FIVE_CARD_DOUBLES = frozenset((Category.QUADS, Category.TRIPS, Category.TWO_PAIR, Category.PAIR))


def category_order(flush_over_full_house: bool) -> tuple[Category, ...]:
    """All categories, lowest first. With 36 cards a house may rank the flush over the full house."""
    order = list(Category)
    if flush_over_full_house:
        flush, full = order.index(Category.FLUSH), order.index(Category.FULL_HOUSE)
        order[flush], order[full] = order[full], order[flush]
    return tuple(order)
