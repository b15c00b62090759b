"""What a final hand is worth: its strength and its odds, by ranks and by whether it is suited.

Asks domain.ranking and domain.doubles once for a representative of each class; here the answers become arrays. A higher
code wins and equal codes tie. Suits never count beyond flushes, which is what makes the classes few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from controller.domain.cards import Card
from controller.domain.doubles import second_combination
from controller.domain.paytable import Category
from controller.domain.prices import odds
from controller.domain.ranking import ranking_of
from controller.domain.ruleset import RuleSet
from controller.odds.ranks import KEY, RANKS, Floats, Ints, mask_members, multisets, subsets

_MASKS = 1 << RANKS
Hand = list[Card]


class Shape(NamedTuple):
    """Classes of one shape; -1 where no hand has that place."""

    code: Ints
    pay: Floats
    pay_drawn: Floats
    """Odds after an exchange."""


class Book:
    """All classes of one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.low = 4 if rules.deck_size == 36 else 0
        self.ranking = ranking_of(rules)
        self.joker = self.ranking.rules.joker
        self._drawn = {**rules.pay, **rules.pay_after_exchange}
        found = {name: self._table(hands) for name, hands in self._hands().items()}
        everything = np.concatenate([value.ravel() for value, _ in found.values()])
        self.values: Ints = np.unique(everything[everything >= 0])
        """Value by code."""
        self.numbers: Ints = self.values >> 28
        """Category number by code."""
        self.qualify = self.lowest(rules.qualify_min)
        """Lowest code with which the dealer plays."""
        self.shapes = {name: self._shape(value, pays) for name, (value, pays) in found.items()}

    def lowest(self, category: Category) -> int:
        """The lowest code of a category or of those above it."""
        return int(np.searchsorted(self.numbers, self.ranking.number[category]))

    def category(self, code: int) -> Category:
        return self.ranking.order[int(self.numbers[code])]

    def _hands(self) -> dict[str, list[tuple[Hand, Card | None] | None]]:
        """A representative of each class: the cards, and the joker among them."""
        low = self.low
        hands: dict[str, list[tuple[Hand, Card | None] | None]] = {
            "plain5": [(scattered(ranks), None) for ranks in multisets(5, low).members.tolist()],
            "suited5": _by_mask(5, low, lambda ranks: (suited(ranks), None)),
        }
        if self.joker != "none":
            four = multisets(4, low).members.tolist()
            hands["wild4"] = [_with_joker(scattered(ranks), rank) for rank in range(RANKS) for ranks in four]
            hands["suited4"] = _by_mask(4, low, lambda ranks: _with_joker(suited(ranks), 0))
        if self.rules.sixth_card_fee is not None and self.joker == "none":
            hands["plain6"] = [(scattered(ranks), None) for ranks in multisets(6, low).members.tolist()]
            hands["suited6"] = _by_mask(6, low, lambda ranks: (suited(ranks), None))
            hands["suited5+1"] = [
                None if hand is None or rank < low else ([*hand[0], Card(4 * rank + 1)], None)
                for hand in hands["suited5"]
                for rank in range(RANKS)
            ]
        return hands

    def _table(self, hands: list[tuple[Hand, Card | None] | None]) -> tuple[Ints, Floats]:
        values = np.full(len(hands), -1, dtype=np.int64)
        pays = np.zeros((len(hands), 2))
        for place, hand in enumerate(hands):
            if hand is not None:
                values[place], pays[place] = self._worth(*hand)
        return values, pays

    def _worth(self, cards: Hand, joker: Card | None) -> tuple[int, tuple[int, int]]:
        if joker is not None:
            a, b, c, d = cards
            value = self.ranking.wild(a, b, c, d, joker)
        else:
            value = self.ranking.value(cards)
        category = self.ranking.category(value)
        pay, drawn = (odds(self.rules, category, exchanged=exchanged) for exchanged in (False, True))
        if self.rules.double_combination and joker is None:
            second = second_combination(self.ranking, cards, self.rules.pay, self.rules.straight_pair)
            pay += self.rules.pay[second] if second else 0
            again = second_combination(self.ranking, cards, self._drawn, self.rules.straight_pair)
            drawn += self._drawn[again] if again else 0
        return value, (pay, drawn)

    def _shape(self, values: Ints, pays: Floats) -> Shape:
        code = np.where(values < 0, -1, np.searchsorted(self.values, values))
        return Shape(code, np.ascontiguousarray(pays[:, 0]), np.ascontiguousarray(pays[:, 1]))


def scattered(ranks: Sequence[int]) -> Hand:
    """Different cards of these (rising) ranks, of which no five, or no four of four, share a suit."""
    return [Card(4 * rank + place % 4) for place, rank in enumerate(ranks)]


def suited(ranks: Sequence[int]) -> Hand:
    return [Card(4 * rank) for rank in ranks]


def _with_joker(cards: Hand, rank: int) -> tuple[Hand, Card | None]:
    """The joker only has a rank here (it matters for own_rank_trips), never a place among the cards."""
    return cards, Card(4 * rank)


def _by_mask(
    size: int, low: int, make: Callable[[list[int]], tuple[Hand, Card | None]]
) -> list[tuple[Hand, Card | None] | None]:
    table: list[tuple[Hand, Card | None] | None] = [None] * _MASKS
    masks = subsets(size, low)
    for mask, ranks in zip(masks.tolist(), mask_members(masks, size).tolist(), strict=True):
        table[mask] = make(ranks)
    return table


def wild_six(book: Book, cards: Hand, joker: Card | None) -> tuple[Ints, Floats]:
    """In a game with a joker, whoever has it: asked of the domain card by card (there are no double combinations)."""
    value = book.ranking.value(cards, joker)
    code = int(np.searchsorted(book.values, value))
    assert book.values[code] == value
    return np.array([code]), np.array([float(odds(book.rules, book.ranking.category(value)))])


def six(book: Book, cards: Hand) -> tuple[Ints, Floats]:
    """Strength and odds of six natural cards, both combinations counted: looked up by shape."""
    suits = [[c for c in cards if c & 3 == suit] for suit in range(4)]
    most = max(suits, key=len)
    mask = sum(1 << (card >> 2) for card in most)
    if len(most) < 5:
        key = np.array([KEY[[card >> 2 for card in cards]].sum()])
        shape, index = book.shapes["plain6"], int(multisets(6, book.low).index(key)[0])
    elif len(most) == 6:
        shape, index = book.shapes["suited6"], mask
    else:
        odd = next(card for card in cards if card not in most)
        shape, index = book.shapes["suited5+1"], mask * RANKS + (odd >> 2)
    return shape.code[[index]], shape.pay[[index]]
