"""What a hand is worth: five cards, or the best five of more, with or without a joker, as one comparable integer.

A value is category | above | five rank digits | natural: a higher value wins, equal values tie, suits never count.
Tables are built at first use, once per set of ranking rules. Knows neither stakes nor odds.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from controller.domain.cards import JOKER, RANKS, Card
from controller.domain.paytable import Category, category_order
from controller.domain.ruleset import RuleSet

__all__ = ["Category", "Ranked", "Ranking", "RankingRules", "ranking_of"]

# Sum of 5**rank: the counts of the ranks are its base-5 digits, so no two different sets of ranks share a key.
_KEY = tuple(5 ** (card >> 2) for card in range(52))
_SHIFT = 28  # of the category within a value
_ABOVE = 1 << 24  # set unless a joker's straight or flush ranks below every natural one
_NATURAL = 1


class RankingRules(NamedTuple):
    """The parameters that decide what a hand is worth."""

    ace_king: bool
    low_straight: str
    flush_over_full_house: bool
    joker: str
    """`none`, `restricted`, `full` (53rd card) or `jpoker` (one of the 52)."""
    joker_idle: str
    straight_below: bool
    flush_below: bool
    joker_flush: str
    own_rank_trips: bool
    natural_beats_joker: bool


class Ranked(NamedTuple):
    """A hand and what it is."""

    value: int
    category: Category
    cards: tuple[Card, ...]
    """The five that play."""
    ranks: tuple[int, ...]
    """Ranks that decide ties, the most important first: 0 deuce to 12 ace, -1 a dead joker."""


def ranking_of(rules: RuleSet) -> Ranking:
    """The ranking of a rule set; rule sets that rank alike share one."""
    joker = {"joker53": rules.joker_mode, "jpoker": "jpoker"}.get(rules.variant, "none")
    return _ranking(
        RankingRules(
            rules.ace_king,
            rules.low_straight,
            rules.flush_over_full_house,
            joker,
            rules.joker_idle,
            rules.joker_straight_below_natural,
            rules.joker_flush_below_natural,
            rules.joker_flush,
            rules.own_rank_trips,
            rules.natural_beats_joker,
        )
    )


@functools.lru_cache(maxsize=64)
def _ranking(rules: RankingRules) -> Ranking:
    return Ranking(rules)


class Ranking:
    """Values hands by one set of ranking rules. Cards must be different and of the deck: the caller has checked."""

    def __init__(self, rules: RankingRules) -> None:
        self.rules = rules
        self.order = category_order(rules.flush_over_full_house)
        self.number = {category: number for number, category in enumerate(self.order)}
        self._plain, self._suited = _Natural(rules, self.number).tables()

    def five(self, a: Card, b: Card, c: Card, d: Card, e: Card) -> int:
        """The value of five natural cards."""
        key = _KEY[a] + _KEY[b] + _KEY[c] + _KEY[d] + _KEY[e]
        if (a ^ b) & 3 or (a ^ c) & 3 or (a ^ d) & 3 or (a ^ e) & 3:
            return self._plain[key]
        return self._suited[key]

    def wild(self, a: Card, b: Card, c: Card, d: Card, joker: Card) -> int:
        """The value of four natural cards and the joker."""
        plain, suited, own = self._jokers
        key = _KEY[a] + _KEY[b] + _KEY[c] + _KEY[d]
        if not ((a ^ b) & 3 or (a ^ c) & 3 or (a ^ d) & 3):
            return suited[key]
        if own and (key, joker >> 2) in own:  # Q74: a pair and the joker of its own rank
            return own[key, joker >> 2]
        return plain[key]

    def value(self, cards: Sequence[Card], joker: Card | None = None) -> int:
        """The value of five cards, or of the best five of six. `joker` is the card that is wild in this hand."""
        if self.rules.joker == "none":
            joker = None
        if len(cards) == 5:
            if joker is None or joker not in cards:
                return self.five(*cards)
            return self.wild(*(card for card in cards if card != joker), joker)  # type: ignore[call-arg]
        return max(self.value(five, joker) for five in combinations(cards, 5))

    def natural(self, cards: Sequence[Card]) -> int:
        """The value without any joker's help: J-poker's joker as its own card, the 53rd as a dead one."""
        if JOKER not in cards:
            return max(self.five(*five) for five in combinations(cards, 5))
        rest = [card for card in cards if card != JOKER]
        if len(rest) > 4:
            return max(self.natural(five) for five in combinations(cards, 5))
        return self._dead[sum(_KEY[card] for card in rest)]

    def category(self, value: int) -> Category:
        return self.order[value >> _SHIFT]

    def best(self, cards: Sequence[Card], joker: Card | None = None) -> Ranked:
        """The hand with the five cards that play, and the ranks that decide ties."""
        if self.rules.joker in ("restricted", "full") and JOKER in cards:
            joker = JOKER
        chosen = max(combinations(cards, 5), key=lambda five: self.value(five, joker))
        value = self.value(chosen, joker)
        held = [card >> 2 for card in chosen if card != joker]
        five = tuple(sorted(chosen, key=lambda c: (c == joker, -held.count(c >> 2), -c)))
        digits = tuple((value >> shift & 15) - 1 for shift in (20, 16, 12, 8, 4))
        category = self.category(value)
        ranks = digits[:1] if category in _BY_TOP else tuple(digits[: _DECIDING.get(category, 5)])
        return Ranked(value, category, five, ranks)

    @functools.cached_property
    def _jokers(self) -> tuple[dict[int, int], dict[int, int], dict[tuple[int, int], int]]:
        return _Wild(self.rules, self.number).tables()

    @functools.cached_property
    def _dead(self) -> dict[int, int]:
        build = _Builder(self.rules, self.number)
        return {_key(four): build.grouped(four, joker=True) for four in combinations_with_replacement(range(13), 4)}


_BY_TOP = (Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH, Category.FIVE_OF_A_KIND)
_DECIDING = {
    Category.QUADS: 2, Category.FULL_HOUSE: 2, Category.TRIPS: 3, Category.TWO_PAIR: 3, Category.PAIR: 4,
}  # fmt: skip


def _key(ranks: Sequence[int]) -> int:
    return sum(5**rank for rank in ranks)


class _Builder:
    """Puts values together; shared by the natural table and the joker's."""

    def __init__(self, rules: RankingRules, number: dict[Category, int]) -> None:
        self.rules = rules
        self.number = number
        self.straights = {frozenset(range(top - 4, top + 1)): top for top in range(4, 13)}
        if rules.low_straight != "none":
            low = frozenset(RANKS.index(rank) for rank in rules.low_straight)
            self.straights[low] = sorted(low)[-2]  # the ace is low: the card below it in rank order is the top

    def pack(self, category: Category, ranks: Sequence[int], *, joker: bool = False, below: bool = False) -> int:
        digits = 0
        for rank in (*ranks, -1, -1, -1, -1, -1)[:5]:
            digits = digits << 4 | (rank + 1)
        natural = _NATURAL if self.rules.natural_beats_joker and not joker else 0
        return self.number[category] << _SHIFT | (0 if below else _ABOVE) | digits << 4 | natural

    def grouped(self, ranks: Sequence[int], *, joker: bool = False) -> int:
        """Five ranks (-1: a dead card) of which at least two are equal, or which are neither straight nor flush."""
        live = [rank for rank in ranks if rank >= 0]
        order = sorted(set(live), key=lambda rank: (-live.count(rank), -rank))
        counts = [live.count(rank) for rank in order]
        return self.pack(self._group(counts, order), order, joker=joker)

    def _group(self, counts: list[int], order: list[int]) -> Category:
        match counts:
            case [4, *_]:
                return Category.QUADS
            case [3, 2]:
                return Category.FULL_HOUSE
            case [3, *_]:
                return Category.TRIPS
            case [2, 2, *_]:
                return Category.TWO_PAIR
            case [2, *_]:
                return Category.PAIR
        return Category.ACE_KING if self.rules.ace_king and order[:2] == [12, 11] else Category.NOTHING

    def straight(self, top: int, *, suited: bool, joker: bool = False, below: bool = False) -> int:
        plain = Category.ROYAL_FLUSH if top == 12 else Category.STRAIGHT_FLUSH
        return self.pack(plain if suited else Category.STRAIGHT, [top], joker=joker, below=below)


class _Natural(_Builder):
    """Five cards of an ordinary deck."""

    def tables(self) -> tuple[dict[int, int], dict[int, int]]:
        """Values by rank key: hands of several suits, hands of one suit."""
        plain: dict[int, int] = {}
        suited: dict[int, int] = {}
        for ranks in combinations_with_replacement(range(13), 5):
            if ranks[0] == ranks[4]:
                continue
            top = self.straights.get(frozenset(ranks))
            plain[_key(ranks)] = self.grouped(ranks) if top is None else self.straight(top, suited=False)
            if len(set(ranks)) == 5:
                flush = self.pack(Category.FLUSH, ranks[::-1])
                suited[_key(ranks)] = flush if top is None else self.straight(top, suited=True)
        return plain, suited


class _Wild(_Builder):
    """Four natural cards and a joker, by the rules of the game's joker."""

    def tables(self) -> tuple[dict[int, int], dict[int, int], dict[tuple[int, int], int]]:
        plain: dict[int, int] = {}
        suited: dict[int, int] = {}
        own: dict[tuple[int, int], int] = {}
        value = self.restricted if self.rules.joker == "restricted" else self.free
        for four in combinations_with_replacement(range(13), 4):
            plain[_key(four)] = value(four[::-1])
            if len(set(four)) == 4:
                suited[_key(four)] = self.suited(four[::-1])
            elif self.rules.own_rank_trips and len(set(four)) == 3:
                pair = next(rank for rank in four if four.count(rank) == 2)
                own[_key(four), pair] = self.grouped((*four, pair), joker=True)
        return plain, suited, own

    def completed(self, four: Sequence[int]) -> int | None:
        """The top of the best straight that these four and one card more can make."""
        tops = [top for ranks, top in self.straights.items() if ranks.issuperset(four)]
        return max(tops) if tops and len(set(four)) == 4 else None

    def suited(self, four: Sequence[int]) -> int:
        restricted = self.rules.joker == "restricted"
        top = self.completed(four)
        if top is not None and not restricted:
            return self.straight(top, suited=True, joker=True)
        missing = [rank for rank in range(13) if rank not in four]
        stands_for = missing[0] if self.rules.joker_flush == "two" else missing[-1]
        ranks = sorted((*four, stands_for), reverse=True)
        return self.pack(Category.FLUSH, ranks, joker=True, below=restricted and self.rules.flush_below)

    def restricted(self, four: Sequence[int]) -> int:
        top = self.completed(four)
        if top is not None:
            return self.straight(top, suited=False, joker=True, below=self.rules.straight_below)
        return self.idle(four)

    def idle(self, four: Sequence[int]) -> int:
        """A joker that completes nothing: dead, or an ace where the house says so (Q66)."""
        if self.rules.joker != "restricted" or self.rules.joker_idle == "dead":
            return self.grouped(four, joker=True)
        if tuple(four) == (12, 12, 12, 12):
            return self.pack(Category.QUADS, (12, 12), joker=True)  # four aces stay four of a kind
        return self.grouped((*four, 12), joker=True)

    def free(self, four: Sequence[int]) -> int:
        """Any card: the best hand. In J-poker never trips, so a pair takes its highest side card along (Q73)."""
        top = self.completed(four)
        if top is not None:
            return self.straight(top, suited=False, joker=True)
        most = max(four, key=lambda rank: (four.count(rank), rank))
        if four.count(most) == 4:
            return self.pack(Category.FIVE_OF_A_KIND, [most], joker=True)
        if self.rules.joker == "jpoker" and sorted(map(four.count, four)) == [1, 1, 2, 2]:
            return self.grouped((*four, max(rank for rank in four if rank != most)), joker=True)
        return self.grouped((*four, most), joker=True)
