"""All 2,598,960 hands, and all 270,725 fours with a joker: the two readings order them alike.

Natural hands are judged one by one by both. Of fours with a joker the first reading values every one, the second judges
each kind (ranks, and whether all are of one suit) on random cards; `make soak` has it judge every one (`all_fours`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise
from typing import Any

import pytest

from controller.domain.cards import JOKER, Card
from controller.domain.ranking import ranking_of
from controller.referee.hands import Hands
from controller.rulesets import load

Kind = tuple[tuple[int, ...], bool]


def kind_of(cards: tuple[int, ...]) -> Kind:
    return tuple(sorted(c >> 2 for c in cards)), len({c & 3 for c in cards}) == 1


def same_order(values: dict[Kind, int], strengths: dict[Kind, Any]) -> None:
    """Equal where the other is equal, higher where it is higher."""
    assert values.keys() == strengths.keys()
    pairs = sorted((values[kind], strengths[kind]) for kind in values)
    for (value, strength), (next_value, next_strength) in pairwise(pairs):
        assert (value == next_value) == (strength == next_strength)
        assert strength <= next_strength


def every_kind(size: int, value_of: Callable[..., int]) -> dict[Kind, int]:
    """The value of each kind, after all hands of it have been seen to have the same."""
    found: dict[Kind, int] = {}
    seen: dict[tuple[int, bool], int] = {}
    key = [6**r for r in range(13)]
    for cards in combinations(range(52), size):
        value = value_of(*cards)
        total = sum(key[c >> 2] for c in cards)
        suited = len({c & 3 for c in cards}) == 1
        known = seen.setdefault((total, suited), value)
        assert known == value
        if (total, suited) not in found:
            found[kind_of(cards)] = value
    return found


def one_to_one(pairs: Iterable[tuple[int, Any]]) -> int:
    """Each value has one strength and each strength one value, in the same order; how many pairs there were."""
    strengths: dict[int, Any] = {}
    count = 0
    for value, strength in pairs:
        assert strengths.setdefault(value, strength) == strength
        count += 1
    in_order = [strengths[value] for value in sorted(strengths)]
    assert all(low < high for low, high in pairwise(in_order))
    return count


@pytest.mark.slow
def test_all_natural_hands() -> None:
    rules = load("oasis_ru")
    value, judge = ranking_of(rules).five, Hands(rules).natural
    deck = [Card(number) for number in range(52)]
    assert one_to_one((value(*five), judge(five)) for five in combinations(deck, 5)) == 2_598_960


def all_fours(name: str) -> int:
    """Every four natural cards with the joker; in J-poker each with one of its 48 jokers, another for each four."""
    rules = load(name)
    value, judge = ranking_of(rules).wild, Hands(rules)._best
    rng = random.Random(name)
    deck = [Card(number) for number in range(52)]

    def pairs() -> Iterator[tuple[int, Any]]:
        for four in combinations(deck, 4):
            wild = JOKER if name != "jpoker" else rng.choice([card for card in deck if card not in four])
            yield value(*four, wild), judge((*four, wild), wild)

    return one_to_one(pairs())


@pytest.mark.parametrize("name", ["joker53", "joker53_full", "jpoker"])
def test_all_fours_with_a_joker(name: str) -> None:
    """The joker of J-poker is a deuce here where it can be: its own rank matters only under `own_rank_trips`."""
    rules = load(name)
    ranking = ranking_of(rules)
    joker = JOKER if name != "jpoker" else None

    def value(*four: int) -> int:
        wild = joker if joker is not None else next(Card(c) for c in range(52) if c not in four)
        return ranking.wild(*four, wild)  # type: ignore[arg-type]

    values = every_kind(4, value)
    judge = Hands(rules)
    rng = random.Random(2)
    strengths = {}
    for kind in values:
        four = example(kind, rng)
        wild = joker if joker is not None else next(Card(c) for c in range(52) if c not in four)
        strengths[kind] = judge.best((*four, wild), wild)
    same_order(values, strengths)


def example(kind: Kind, rng: random.Random) -> tuple[Card, ...]:
    """Random cards of a kind."""
    ranks, suited = kind
    while True:
        suit = rng.randrange(4)
        suits = [suit] * len(ranks) if suited else [rng.randrange(4) for _ in ranks]
        cards = [4 * r + s for r, s in zip(ranks, suits, strict=True)]
        if len(set(cards)) == len(cards) and (len(set(suits)) == 1) == suited:
            rng.shuffle(cards)
            return tuple(Card(c) for c in cards)
