"""Multisets of ranks: how the cards of a hand look when suits are left out. Knows no game and no hand values.

Ranks are 0 to 12 as in domain.cards. A multiset has an index; adding and removing one rank are table lookups.
"""

from __future__ import annotations

import functools
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RANKS = 13
KEY = 5 ** np.arange(RANKS, dtype=np.int64)
"""A multiset's key has the counts of the ranks as its digits."""


class Multisets:
    """All multisets of one size in which no rank stands more than four times, ordered by key."""

    def __init__(self, size: int, low: int) -> None:
        self.size = size
        self.low = low
        picks = list(combinations_with_replacement(range(low, RANKS), size))
        every = np.array(picks, dtype=np.int64).reshape(len(picks), size)
        counts = np.zeros((len(every), RANKS), dtype=np.int64)
        for place in range(size):
            counts[np.arange(len(every)), every[:, place]] += 1
        fits = counts.max(axis=1) <= 4 if size else np.ones(1, dtype=bool)
        keys = counts[fits] @ KEY
        order = np.argsort(keys)
        self.keys: Ints = keys[order]
        self.counts: Ints = counts[fits][order]
        self.members: Ints = every[fits][order]

    def __len__(self) -> int:
        return len(self.keys)

    def index(self, keys: Ints) -> Ints:
        """Index of each key; 0 where there is none (the caller gives such places no weight)."""
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[found] == keys, found, 0)


@functools.cache
def multisets(size: int, low: int = 0) -> Multisets:
    return Multisets(size, low)


@functools.cache
def added(size: int, low: int = 0) -> Ints:
    """[multiset, rank] -> index among the multisets that are one larger."""
    one = multisets(size, low)
    return multisets(size + 1, low).index(one.keys[:, None] + KEY[None, :])


@functools.cache
def removed(size: int, low: int = 0) -> Ints:
    """[multiset, rank] -> index among the multisets that are one smaller; 0 where the rank is not there."""
    one = multisets(size, low)
    keys = np.where(one.counts > 0, one.keys[:, None] - KEY[None, :], -1)
    return multisets(size - 1, low).index(keys)


CHOOSE: Ints = np.zeros((64, 6), dtype=np.int64)
CHOOSE[:, 0] = 1
for _n in range(1, 64):
    for _k in range(1, 6):
        CHOOSE[_n, _k] = CHOOSE[_n - 1, _k - 1] + CHOOSE[_n - 1, _k]

POPCOUNT: Ints = np.array([mask.bit_count() for mask in range(1 << RANKS)], dtype=np.int64)


@functools.cache
def subsets(size: int, low: int = 0) -> Ints:
    """Bit masks of all sets of so many different ranks."""
    masks = np.arange(1 << RANKS, dtype=np.int64)
    found: Ints = masks[(size == POPCOUNT) & ((masks & ((1 << low) - 1)) == 0)]
    return found


def mask_members(masks: Ints, size: int) -> Ints:
    """The ranks of each mask, rising, as columns."""
    bits = (masks[:, None] >> np.arange(RANKS)) & 1
    ranks: Ints = np.nonzero(bits)[1].reshape(len(masks), size)
    return ranks
