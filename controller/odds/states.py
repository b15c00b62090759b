"""Everything a player can be dealt, as far as the odds can tell it apart, with the number of deals of each kind.

A state is the multiset of the hand's ranks, the set of ranks that it holds in the suit of the dealer's open card, and
the suited part that a draw could make a flush. Which suit is which does not matter, so a state stands for many deals.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from controller.odds.ranks import CHOOSE, POPCOUNT, RANKS, Ints, multisets


class States(NamedTuple):
    hand: Ints
    """Index of the multiset of the natural cards."""
    mask: Ints
    """Ranks held in the suit of the open card."""
    suited: Ints
    """Ranks of the largest suited part, where it is large enough to matter; 0 elsewhere."""
    inside: Ints
    """1: that part lies in the open card's suit."""
    base: Ints
    """Index of the plain state, which leaves `suited` out."""
    weight: Ints
    """Deals of this kind for one suit of the open card; how they go with its rank is the mask's business."""


class Deals(NamedTuple):
    """Plain states (hand and mask), and the states that refine them."""

    hand: Ints
    mask: Ints
    states: States


@functools.cache
def deals(size: int, least: int, low: int = 0) -> Deals:
    """All states of `size` natural cards in which `least` suited cards matter."""
    every = multisets(size, low)
    places = _places(every.members)
    bits = np.arange(1 << size)
    ok, masks, counts = _masks(places, bits, every.counts)
    ways = CHOOSE[3, every.counts[:, None, :] - counts].prod(axis=2) * ok
    hand, bit = np.nonzero(ways)
    number = np.full(ways.shape, -1, dtype=np.int64)
    number[hand, bit] = np.arange(len(hand))
    mask, plain = masks[hand, bit], ways[hand, bit]
    other = _elsewhere(every.counts, masks, ok, number, least)
    left = plain - np.bincount(other.base, other.weight, minlength=len(plain)).astype(np.int64)
    inside = POPCOUNT[mask] >= least
    zero = np.zeros_like(mask)
    own = States(hand, mask, np.where(inside, mask, 0), inside.astype(np.int64), np.arange(len(hand)), left)
    kept = left > 0
    parts = [np.concatenate([a[kept], b]) for a, b in zip(own, other, strict=True)]
    assert not zero.any()
    return Deals(hand, mask, States(*parts))


def _places(members: Ints) -> Ints:
    """The different ranks of each multiset, rising; -1 where there is no further one."""
    first = np.ones(members.shape, dtype=bool)
    first[:, 1:] = members[:, 1:] != members[:, :-1]
    places = np.full(members.shape, -1, dtype=np.int64)
    row, _ = np.nonzero(first)
    column = (np.cumsum(first, axis=1) - 1)[first]
    places[row, column] = members[first]
    return places


def distinct(size: int, low: int) -> Ints:
    """[multiset, slot]: its different ranks."""
    return _places(multisets(size, low).members)


def _masks(places: Ints, bits: Ints, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """For every subset of the places: whether it exists, its mask of ranks, and its ranks as counts."""
    chosen = (bits[:, None] >> np.arange(places.shape[1])) & 1
    ok = ~((chosen[None] == 1) & (places[:, None, :] < 0)).any(axis=2)
    rank_bits = np.where(places < 0, 0, 1 << np.maximum(places, 0))
    masks = (chosen[None] * rank_bits[:, None, :]).sum(axis=2)
    held = (masks[:, :, None] >> np.arange(RANKS)) & 1
    return ok.astype(np.int64), masks, held


def _elsewhere(counts: Ints, masks: Ints, ok: Ints, number: Ints, least: int) -> States:
    """States whose suited part lies in one of the three other suits."""
    found = []
    for suited in range(masks.shape[1]):
        if suited.bit_count() < least:
            continue
        rows = np.flatnonzero(ok[:, suited])
        part = masks[rows, suited]
        for inside in range(masks.shape[1]):
            mask = masks[rows, inside]
            left = counts[rows] - ((mask[:, None] >> np.arange(RANKS)) & 1) - ((part[:, None] >> np.arange(RANKS)) & 1)
            ways = 3 * CHOOSE[2, np.maximum(left, 0)].prod(axis=1) * (left >= 0).all(axis=1) * ok[rows, inside]
            some = np.flatnonzero(ways)
            hand = rows[some]
            found.append((hand, mask[some], part[some], np.zeros_like(hand), number[hand, inside], ways[some]))
    return States(*(np.concatenate(column) for column in zip(*found, strict=True)))


def held(hand: Ints, mask: Ints, rank: int, size: int, low: int) -> Ints:
    """Cards of one rank that the hands hold outside the open card's suit."""
    outside: Ints = multisets(size, low).counts[hand, rank] - ((mask >> rank) & 1)
    return outside
