"""The counts that a correct ranking must reproduce, by enumeration over classes of hands."""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest

from controller.domain.cards import JOKER, Card
from controller.domain.doubles import second_combination
from controller.domain.paytable import DOUBLES, Category
from controller.domain.ranking import Ranking, ranking_of
from controller.referee import doubles as referee_doubles
from controller.referee.hands import Hands
from controller.rulesets import load

C = Category
NATURAL = {
    C.ROYAL_FLUSH: 4, C.STRAIGHT_FLUSH: 36, C.QUADS: 624, C.FULL_HOUSE: 3_744, C.FLUSH: 5_108, C.STRAIGHT: 10_200,
    C.TRIPS: 54_912, C.TWO_PAIR: 123_552, C.PAIR: 1_098_240, C.ACE_KING: 167_280, C.NOTHING: 1_135_260,
}  # fmt: skip
RESTRICTED = {
    C.QUADS: 13, C.FLUSH: 2_860, C.STRAIGHT: 10_332, C.TRIPS: 2_496, C.TWO_PAIR: 2_808, C.PAIR: 82_368,
    C.ACE_KING: 13_104, C.NOTHING: 156_744,
}  # fmt: skip
FULL = {
    C.FIVE_OF_A_KIND: 13, C.ROYAL_FLUSH: 20, C.STRAIGHT_FLUSH: 144, C.QUADS: 2_496, C.FULL_HOUSE: 2_808,
    C.FLUSH: 2_696, C.STRAIGHT: 10_332, C.TRIPS: 82_368, C.PAIR: 169_848,
}  # fmt: skip
JPOKER = FULL | {C.TRIPS: 0, C.TWO_PAIR: 82_368}
SIX = {
    C.ROYAL_FLUSH: 188, C.STRAIGHT_FLUSH: 1_656, C.QUADS: 14_664, C.FULL_HOUSE: 165_984, C.FLUSH: 205_792,
    C.STRAIGHT: 361_620, C.TRIPS: 732_160, C.TWO_PAIR: 2_532_816, C.PAIR: 9_730_740, C.ACE_KING: 1_290_420,
    C.NOTHING: 5_322_480,
}  # fmt: skip
SIX_DOUBLES = {
    "royal_flush+straight_flush": 4, "royal_flush+flush": 28, "royal_flush+straight": 72,
    "straight_flush+straight_flush": 32, "straight_flush+flush": 220, "straight_flush+straight": 744,
    "straight_flush+ace_king": 12, "quads+full_house": 936, "quads+ace_king": 528, "full_house+full_house": 1_248,
    "full_house+ace_king": 4_224, "flush+flush": 6_580, "flush+straight": 4_152, "flush+pair": 76_620,
    "flush+ace_king": 7_704, "straight+straight": 112_380, "straight+ace_king": 4_020, "trips+ace_king": 56_320,
    "two_pair+two_pair": 61_776, "two_pair+ace_king": 158_400, "pair+ace_king": 1_249_680,
}  # fmt: skip
SIX_DOUBLES_PAIR = SIX_DOUBLES | {
    "royal_flush+straight": 12, "royal_flush+pair": 60, "straight_flush+straight": 204, "straight_flush+pair": 540,
    "straight+straight": 36_180, "straight+pair": 76_200,
}  # fmt: skip
FIVE_DOUBLES = {"quads+ace_king": 8, "trips+ace_king": 2_112, "two_pair+ace_king": 3_168, "pair+ace_king": 84_480}


def ranking(name: str, **changes: Any) -> Ranking:
    return ranking_of(load(name).with_set(changes))


@functools.cache
def classes(size: int) -> list[tuple[tuple[Card, ...], int]]:
    """Hands of `size` cards up to a renaming of the suits, each with the number of hands it stands for."""
    found: dict[tuple[tuple[int, ...], ...], tuple[tuple[Card, ...], int]] = {}
    for ranks in combinations_with_replacement(range(13), size):
        if max(map(ranks.count, ranks)) > 4:
            continue
        for cards in _suited(ranks):
            suits: tuple[tuple[int, ...], ...] = tuple(
                sorted(tuple(c >> 2 for c in cards if c & 3 == s) for s in range(4))
            )
            if suits not in found:
                ways = math.factorial(4) // math.prod(math.factorial(n) for n in Counter(suits).values())
                found[suits] = (cards, ways)
    return list(found.values())


def _suited(ranks: tuple[int, ...]) -> list[tuple[Card, ...]]:
    """All ways to give these ranks suits, suits named in the order in which they first appear.

    Some come twice under other names; the caller compares suits as a multiset.
    """
    hands: list[tuple[Card, ...]] = [()]
    for place, rank in enumerate(ranks):
        longer = []
        for hand in hands:
            used = max((card & 3 for card in hand), default=-1)
            for suit in range(min(used + 2, 4)):
                card = Card(4 * rank + suit)
                if card not in hand and (place == 0 or ranks[place - 1] != rank or card > hand[-1]):
                    longer.append((*hand, card))
        hands = longer
    return hands


FIVES = classes(5)


def test_five_natural_cards() -> None:
    ranks = ranking("caribbean")
    counts: Counter[Category] = Counter()
    values: set[int] = set()
    for hand in combinations(range(52), 5):
        value = ranks.five(*map(Card, hand))
        values.add(value)
        counts[ranks.category(value)] += 1
    assert counts == NATURAL
    assert len(values) == 7_462
    assert sum(ranks.category(value) is C.NOTHING for value in values) == 1_113


@pytest.mark.parametrize(("name", "with_joker"), [("joker53", RESTRICTED), ("joker53_full", FULL), ("jpoker", JPOKER)])
def test_four_cards_and_a_joker(name: str, with_joker: dict[Category, int]) -> None:
    """10.3 and, 48 joker cards for each four, 10.4."""
    ranks = ranking(name)
    counts: Counter[Category] = Counter(dict.fromkeys(with_joker, 0))
    for four in combinations(map(Card, range(52)), 4):
        counts[ranks.category(ranks.wild(*four, JOKER))] += 1
    assert counts == with_joker
    assert sum(counts.values()) == 270_725


def test_jpoker_over_all_hands_and_jokers() -> None:
    """10.4, all: five jokers in 52 lie in a hand; without ace-king."""
    all_hands = {c: 47 * n for c, n in NATURAL.items() if c is not C.ACE_KING}
    all_hands[C.NOTHING] += 47 * NATURAL[C.ACE_KING]
    total = Counter(all_hands) + Counter({c: 48 * n for c, n in JPOKER.items()})
    assert total == {
        C.FIVE_OF_A_KIND: 624, C.ROYAL_FLUSH: 1_148, C.STRAIGHT_FLUSH: 8_604, C.QUADS: 149_136, C.FULL_HOUSE: 310_752,
        C.FLUSH: 369_484, C.STRAIGHT: 975_336, C.TRIPS: 2_580_864, C.TWO_PAIR: 9_760_608, C.PAIR: 59_769_984,
        C.NOTHING: 61_219_380,
    }  # fmt: skip
    assert ranking("jpoker").order.index(C.PAIR) > ranking("jpoker").order.index(C.NOTHING)


def test_own_rank_trips() -> None:
    """Of the pairs with the joker, those whose joker is of the pair's own rank: 2 of the 48 joker cards."""
    ranks = ranking("jpoker", own_rank_trips=True)
    counts: Counter[Category] = Counter()
    for four in combinations(map(Card, range(52)), 4):
        held = [card >> 2 for card in four]
        if sorted(map(held.count, held)) == [1, 1, 2, 2]:
            own = next(card for card in range(52) if card not in four and held.count(card >> 2) == 2)
            other = next(card for card in range(52) if card not in four and held.count(card >> 2) != 2)
            for joker, ways in ((own, 2), (other, 46)):
                counts[ranks.category(ranks.wild(*four, Card(joker)))] += ways
    assert counts == {C.TRIPS: 164_736, C.TWO_PAIR: 3_788_928}


def test_a_dealer_who_plays() -> None:
    """10.2."""
    assert sum(NATURAL.values()) - NATURAL[C.NOTHING] == 1_463_700
    restricted = sum(n for c, n in (Counter(NATURAL) + Counter(RESTRICTED)).items() if c is not C.NOTHING)
    full = sum(n for c, n in (Counter(NATURAL) + Counter(FULL)).items() if c is not C.NOTHING)
    assert (restricted, full) == (1_577_681, 1_734_425)


def test_classes_stand_for_all_hands() -> None:
    assert sum(ways for _, ways in FIVES) == math.comb(52, 5)


def test_five_card_doubles() -> None:
    ranks, pay = ranking("russian"), load("russian").pay
    found: Counter[str] = Counter()
    for cards, ways in FIVES:
        second = second_combination(ranks, cards, pay, "straight")
        if second:
            found[f"{ranks.category(ranks.five(*cards))}+{second}"] += ways
    assert found == FIVE_DOUBLES
    assert sum(found.values()) == 89_768


@pytest.mark.parametrize(("pairing", "wanted"), [("straight", SIX_DOUBLES), ("pair", SIX_DOUBLES_PAIR)])
def test_six_cards(pairing: str, wanted: dict[str, int]) -> None:
    """10.5 and 4.4: the only pairs of combinations that there are, counted over all 20,358,520 hands."""
    ranks, pay = ranking("russian"), load("russian").pay
    best: Counter[Category] = Counter()
    found: Counter[str] = Counter()
    for cards, ways in classes(6):
        first = ranks.category(ranks.value(cards))
        best[first] += ways
        second = second_combination(ranks, cards, pay, pairing)
        if second:
            found[f"{first}+{second}"] += ways
    assert best == SIX
    assert found == wanted
    assert set(found) <= {f"{first}+{second}" for first, second in DOUBLES}


def test_the_referee_finds_the_same_doubles() -> None:
    rng = random.Random(1)
    for pairing in ("straight", "pair"):
        rules = load("russian").with_set({"straight_pair": pairing})
        ranks, hands = ranking_of(rules), Hands(rules)
        for _ in range(1_500):
            near = rng.sample(range(rng.choice([0, 20, 32, 36]), 52), 6)
            cards = tuple(Card(n) for n in near)
            assert second_combination(ranks, cards, rules.pay, pairing) == referee_doubles.second(
                hands, cards, rules.pay
            )
