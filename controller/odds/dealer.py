"""How many dealer's hands lie below a given strength, for any dead cards: the heart of the exact odds.

Counting by ranks alone takes one row of cumulative counts per multiset of dead ranks; that some of these hands are
flushes is put right by a second table over the dead cards of the open card's suit. Both are exact integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from controller.odds.ranks import CHOOSE, KEY, POPCOUNT, RANKS, Ints, multisets, subsets

_LOW_HALF = 6
_BLOCK = 64


class Below:
    """Dealer's hands whose hidden cards are `size` naturals, with codes by their rank multiset and by suited set.

    Rows are multisets of dead ranks (without the open card); masks are the dead ranks of one suit.
    """

    def __init__(self, counts: Ints, codes: Ints, live: Ints) -> None:
        """`counts` [pattern, rank] of the hidden cards, `codes` of the whole hands, `live` cards of each rank."""
        order = np.argsort(codes, kind="stable")
        self.codes = codes[order]
        self.counts = counts[order]
        self.live = live
        self.rows: NDArray[np.int32] = np.zeros((0, len(codes) + 1), dtype=np.int32)
        self.flat = self.rows.ravel()
        self._stock: dict[tuple[bytes, int], NDArray[np.int32]] = {}

    def fill_drawn(self, dead: Ints, drawn: int) -> None:
        """A row for every multiset of drawn ranks beside the dead ones. The last hand's rows are kept."""
        key = dead.tobytes(), drawn
        if key not in self._stock:
            if all(known != key[0] for known, _ in self._stock):
                self._stock.clear()
            self.fill(dead + multisets(drawn).counts)
            self._stock[key] = self.rows
        self.rows = self._stock[key]
        self.flat = self.rows.ravel()

    def fill(self, dead: Ints) -> None:
        """Cumulative counts for each row of dead ranks."""
        low, low_of = self._half(dead, slice(0, _LOW_HALF))
        high, high_of = self._half(dead, slice(_LOW_HALF, RANKS))
        rows = np.zeros((len(dead), len(self.codes) + 1), dtype=np.int32)
        for start in range(0, len(dead), _BLOCK):
            some = slice(start, start + _BLOCK)
            block = low[low_of[some]]
            block *= high[high_of[some]]
            np.cumsum(block, axis=1, out=rows[some, 1:])
        self.rows = rows
        self.flat = rows.ravel()

    def _half(self, dead: Ints, ranks: slice) -> tuple[NDArray[np.int32], Ints]:
        """Ways to hold each pattern's cards of some ranks, for every different set of dead ones; and whose set."""
        part = dead[:, ranks]
        _, first, of = np.unique(part @ KEY[: part.shape[1]], return_index=True, return_inverse=True)
        left = np.maximum(self.live[ranks] - part[first], 0)
        ways = np.ones((len(first), len(self.codes)), dtype=np.int32)
        for place in range(part.shape[1]):
            held = self.counts[:, ranks][:, place]
            ways *= CHOOSE[np.arange(5)[:, None], held[None, :]].astype(np.int32)[left[:, place]]
        return ways, of

    def column(self, codes: Ints) -> Ints:
        """Column of `rows` that counts the hands below each code."""
        return np.searchsorted(self.codes, codes, side="left")


class Flushes:
    """Corrections for hands that are suited: counted once too often at their plain strength, missing at their own."""

    def __init__(self, masks: Ints, suited: Ints, plain: Ints, most_dead: int, blocked: int) -> None:
        """`masks` of the hidden cards, their codes suited and plain; `blocked`: ranks never dead nor live here."""
        self.steps = np.unique(np.concatenate([suited, plain]))
        width = len(self.steps) + 1
        change = (np.searchsorted(self.steps, suited)[:, None] < np.arange(width)).astype(np.float32)
        change -= (np.searchsorted(self.steps, plain)[:, None] < np.arange(width)).astype(np.float32)
        every = np.arange(1 << RANKS, dtype=np.int64)
        dead = every[(most_dead >= POPCOUNT) & (every & blocked == 0)]
        self.row_of = np.zeros(1 << RANKS, dtype=np.int64)
        self.row_of[dead] = np.arange(len(dead)) * width
        live = ((dead[:, None] & masks[None, :]) == 0).astype(np.float32)
        self.flat = (live @ change).astype(np.int16).ravel()

    def column(self, codes: Ints) -> Ints:
        return np.searchsorted(self.steps, codes, side="left")


def hidden_masks(size: int, low: int, blocked: int) -> Ints:
    """Sets of ranks that `size` suited hidden cards can have."""
    masks = subsets(size, low)
    found: Ints = masks[masks & blocked == 0]
    return found


def pattern_counts(size: int, low: int, live: Ints) -> tuple[Ints, Ints]:
    """The multisets that `size` hidden cards can have when so many of each rank are live: their indices and counts."""
    every = multisets(size, low)
    fits = np.flatnonzero((every.counts <= live).all(axis=1))
    return fits, every.counts[fits]
