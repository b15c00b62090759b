"""Five dealt cards: how often each hand comes, natural and with a joker. For side bets and how often a dealer plays."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np

from controller.domain.cards import JOKER, Card
from controller.odds.finals import Book, scattered, suited
from controller.odds.ranks import CHOOSE, RANKS, Ints, mask_members, multisets, subsets


class Dealt(NamedTuple):
    """Values of hands (of domain.ranking) and their ways; ways of all hands add up to `total`."""

    values: Ints
    ways: Ints
    total: int

    def categories(self, book: Book) -> dict[str, int]:
        """Ways by category."""
        found = np.bincount(self.values >> 28, minlength=len(book.ranking.order))
        sums = np.bincount(self.values >> 28, weights=self.ways.astype(np.float64), minlength=len(found))
        return {str(book.ranking.order[i]): int(sums[i]) for i in range(len(sums)) if sums[i]}


def natural(book: Book) -> Dealt:
    """All hands of the natural cards."""
    low = book.low
    plain, masks = multisets(5, low), subsets(5, low)
    ways = CHOOSE[4, plain.counts].prod(axis=1)
    flushes = plain.index(_keys(masks))
    ways[flushes] -= 4
    values = np.concatenate([book.shapes["plain5"].code, book.shapes["suited5"].code[masks]])
    return Dealt(book.values[values], np.concatenate([ways, np.full(len(masks), 4)]), comb(52 - 4 * low, 5))


def wild(book: Book) -> Dealt:
    """All hands of four natural cards and a joker; in J-poker for every card that the joker can be."""
    return _four(book, book.values[book.shapes["wild4"].code], book.values[book.shapes["suited4"].code[subsets(4)]])


def dead_joker(book: Book) -> Dealt:
    """As wild, with a joker that helps nobody."""
    five = Card(JOKER)
    plain = [book.ranking.natural([*scattered(ranks), five]) for ranks in multisets(4).members.tolist()]
    masks = mask_members(subsets(4), 4).tolist()
    flush = [book.ranking.natural([*suited(ranks), five]) for ranks in masks]
    return _four(book, np.tile(np.array(plain), RANKS), np.array(flush))


def _four(book: Book, plain_values: Ints, flush_values: Ints) -> Dealt:
    plain, masks = multisets(4), subsets(4)
    ways = CHOOSE[4, plain.counts].prod(axis=1)
    ways[plain.index(_keys(masks))] -= 4
    if book.rules.variant != "jpoker":
        values = np.concatenate([plain_values[: len(plain)], flush_values])
        return Dealt(values, np.concatenate([ways, np.full(len(masks), 4)]), comb(52, 4))
    each = ways[None, :] * (4 - plain.counts.T)  # [rank of the joker card, multiset]
    values = np.concatenate([plain_values, flush_values])
    return Dealt(values, np.concatenate([each.ravel(), np.full(len(masks), 4 * 48)]), comb(52, 4) * 48)


def _keys(masks: Ints) -> Ints:
    keys: Ints = ((masks[:, None] >> np.arange(RANKS)) & 1) @ (5 ** np.arange(RANKS, dtype=np.int64))
    return keys


def mean(book: Book, value: Callable[[Ints], Ints], *, joker_works: bool) -> float:
    """Mean of something over the hands that a box can be dealt. `value` takes values of hands."""
    parts = [(natural(book), 1.0 - holds_joker(book))]
    if parts[0][1] < 1.0:
        if joker_works:
            parts.append((wild(book), holds_joker(book)))
        elif book.rules.variant == "joker53":
            parts.append((dead_joker(book), holds_joker(book)))
        else:
            parts = [(natural(book), 1.0)]
    return sum(share * float(d.ways @ value(d.values).astype(np.float64)) / d.total for d, share in parts)


def holds_joker(book: Book) -> float:
    """How often a box is dealt the joker."""
    if book.joker == "none":
        return 0.0
    return 5 / (52 + book.rules.doc_weight) if book.rules.variant == "jpoker" else 5 / 53


def dealer_plays(book: Book) -> float:
    """How often the dealer plays."""
    floor = book.ranking.number[book.rules.qualify_min] << 28

    def plays(d: Dealt) -> float:
        return float(d.ways @ (d.values >= floor)) / d.total

    if book.joker == "none":
        return plays(natural(book))
    if book.rules.variant == "joker53":
        return 48 / 53 * plays(natural(book)) + 5 / 53 * plays(wild(book))
    slots = 52 + book.rules.doc_weight
    holds = (5 + book.rules.doc_weight) / slots
    return (1 - holds) * plays(natural(book)) + holds * plays(wild(book))
