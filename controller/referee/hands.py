"""The referee's reading of hands: definitions applied to cards, and a joker tried as every card there is.

Slow and plain on purpose. Shares nothing with domain.ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from controller.domain.cards import JOKER, Card, rank_of, suit_of
from controller.domain.ruleset import Category, RuleSet

# (place of the category, not-below-natural, ranks that decide, natural): tuples compare like hands.
Strength = tuple[int, int, tuple[int, ...], int]

ACE, KING = 14, 13


class Hands:
    """Judges hands by one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.order = list(Category)
        if rules.flush_over_full_house:
            self.order.remove(Category.FLUSH)
            self.order.insert(self.order.index(Category.FULL_HOUSE) + 1, Category.FLUSH)
        self.best = lru_cache(maxsize=256)(self._best)
        self.plain = lru_cache(maxsize=256)(self._plain)

    def category(self, strength: Strength) -> Category:
        return self.order[strength[0]]

    def at_least(self, category: Category, minimum: Category) -> bool:
        return self.order.index(category) >= self.order.index(minimum)

    def _best(self, cards: tuple[Card, ...], wild: Card | None) -> Strength:
        """The best five of these, with the wild card doing all that the game lets it do."""
        return max(self._five(five, wild) for five in combinations(cards, 5))

    def _plain(self, cards: tuple[Card, ...]) -> Strength:
        """The best five with no card wild: a 53rd card is dead."""
        return max(
            self._idle(five, dead=True) if JOKER in five else self.natural(five) for five in combinations(cards, 5)
        )

    def natural(self, five: Sequence[Card]) -> Strength:
        return self._judge([_rank(card) for card in five], one_suit=len({suit_of(card) for card in five}) == 1)

    def _five(self, five: Sequence[Card], wild: Card | None) -> Strength:
        if wild is None or wild not in five:
            return self.natural(five)
        four = [card for card in five if card != wild]
        if wild == JOKER and self.rules.joker_mode == "restricted":
            return self._restricted(four)
        return self._any_card(four, wild)

    def _judge(self, ranks: Sequence[int], *, one_suit: bool, joker: bool = False) -> Strength:
        """Five ranks, all of one suit or not, by the definitions of the categories. Rank 1 is a dead card."""
        counts = sorted(((ranks.count(rank), rank) for rank in set(ranks) if rank > 1), reverse=True)
        shape = [count for count, _ in counts]
        tie = tuple(rank for _, rank in counts)
        top = self._straight_top(ranks)
        if top and one_suit:
            return self._made(Category.ROYAL_FLUSH if top == ACE else Category.STRAIGHT_FLUSH, (top,), joker)
        if one_suit:
            return self._made(Category.FLUSH, tie, joker)
        if top:
            return self._made(Category.STRAIGHT, (top,), joker)
        for category, wanted in _SHAPES:
            if shape[: len(wanted)] == wanted:
                return self._made(category, tie, joker)
        big_slick = self.rules.ace_king and ACE in ranks and KING in ranks
        return self._made(Category.ACE_KING if big_slick else Category.NOTHING, tie, joker)

    def _made(self, category: Category, tie: tuple[int, ...], joker: bool, *, below: bool = False) -> Strength:
        natural = 1 if self.rules.natural_beats_joker and not joker else 0
        return self.order.index(category), 0 if below else 1, tie, natural

    def _straight_top(self, ranks: Sequence[int]) -> int:
        """The rank that names the straight; 0 where there is none."""
        held = sorted(set(ranks))
        if len(held) < 5 or 1 in held:
            return 0
        if held == list(range(held[0], held[0] + 5)):
            return held[-1]
        low = {"A2345": [2, 3, 4, 5, ACE], "A6789": [6, 7, 8, 9, ACE]}.get(self.rules.low_straight)
        return held[3] if held == low else 0

    def _any_card(self, four: Sequence[Card], wild: Card) -> Strength:
        """Every substitution: never a card already held, except for five of one rank."""
        tried = []
        for card in (Card(n) for n in range(52)):
            held = card in four
            five = [*four, card]
            if held and len({_rank(c) for c in five}) > 1:
                continue
            ranks = [_rank(c) for c in five]
            found = self._judge(ranks, one_suit=not held and len({suit_of(c) for c in five}) == 1, joker=True)
            if self._permitted(found, card, wild):
                tried.append(found)
        return self._choose(tried)

    def _permitted(self, found: Strength, card: Card, wild: Card) -> bool:
        """J-poker: never three of a kind with the joker, unless the house lets it stand for its own rank."""
        if self.rules.variant != "jpoker" or self.category(found) is not Category.TRIPS:
            return True
        return self.rules.own_rank_trips and _rank(card) == _rank(wild) == found[2][0]

    def _choose(self, tried: Sequence[Strength]) -> Strength:
        """The best; among flushes the lowest where the house's joker is a two."""
        best = max(tried)
        if self.rules.joker_flush == "two" and self.category(best) is Category.FLUSH:
            return min(found for found in tried if self.category(found) is Category.FLUSH)
        return best

    def _restricted(self, four: Sequence[Card]) -> Strength:
        """Straights and flushes only; four of a suit are a flush, whatever else they could be."""
        flushes, straights = [], []
        for card in (Card(n) for n in range(52)):
            five = [*four, card]
            if card in four:
                continue
            ranks = [_rank(c) for c in five]
            if len({suit_of(c) for c in five}) == 1:
                tie = tuple(sorted(ranks, reverse=True))
                flushes.append(self._made(Category.FLUSH, tie, True, below=self.rules.joker_flush_below_natural))
            top = self._straight_top(ranks)
            if top:
                below = self.rules.joker_straight_below_natural
                straights.append(self._made(Category.STRAIGHT, (top,), True, below=below))
        if flushes:
            return self._choose(flushes)
        return max(straights) if straights else self._idle([*four, JOKER], dead=self.rules.joker_idle == "dead")

    def _idle(self, five: Sequence[Card], *, dead: bool) -> Strength:
        """The 53rd card completes nothing: below a deuce, or an ace."""
        ranks = [_rank(card) for card in five if card != JOKER]
        if not dead and ranks == [ACE] * 4:
            return self._made(Category.QUADS, (ACE, ACE), True)
        return self._judge([*ranks, 1 if dead else ACE], one_suit=False, joker=True)


_SHAPES: list[tuple[Category, list[int]]] = [
    (Category.FIVE_OF_A_KIND, [5]),
    (Category.QUADS, [4]),
    (Category.FULL_HOUSE, [3, 2]),
    (Category.TRIPS, [3]),
    (Category.TWO_PAIR, [2, 2]),
    (Category.PAIR, [2]),
]


def _rank(card: Card) -> int:
    return rank_of(card) + 2
