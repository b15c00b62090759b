"""The expectation of a draw for all plain states of a scene, fast: what no mask changes is done once a hand.

Gives the same numbers as Batch.plain_ev, of which it is the quick form; used where nothing is insured.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from controller.odds.payoff import BET
from controller.odds.ranks import RANKS, Floats, Ints, added
from controller.odds.scene import Source

if TYPE_CHECKING:
    from controller.odds.batch import Batch, Draw, Hands


class PlainSum:
    """Of the plain states of one batch: hands in rising order, each with all its masks."""

    def __init__(self, batch: Batch, hands: Hands) -> None:
        self.batch, self.hands = batch, hands
        _, self.first, self.of = np.unique(hands.hand, return_index=True, return_inverse=True)
        self.dead = hands.dead[self.first]
        scene = batch.scene
        hidden = scene.wild is not None and not batch.held
        self.sources: list[Source] = [scene.natural, scene.wild] if hidden and scene.wild else [scene.natural]
        self.total = float(comb(batch.unseen - 1, 4))
        self.outside = {rank: batch.outside(hands, rank).astype(np.float64) for rank in self._ranks()}
        self.starts = {rank: self._starts(hands.dead_mask | 1 << rank) for rank in self._ranks()}
        self.start = self._starts(hands.dead_mask)

    def _ranks(self) -> range:
        return range(self.batch.low, RANKS)

    def _starts(self, dead: Ints) -> list[tuple[Ints, Floats]]:
        """For each source: where the mask's row of corrections begins, and its correction of hands that do not play."""
        floor = self.batch.book.qualify
        found = []
        for source in self.sources:
            start = source.flushes.row_of[dead]
            found.append((start, source.flushes.flat[start + source.flush_column[floor]].astype(np.float64)))
        return found

    def ev(self, draw: Draw) -> Floats:
        """As Batch.plain_ev. `draw` has one entry for each state; all masks of a hand share what they keep."""
        batch, scene = self.batch, self.batch.scene
        few = draw._replace(kept=draw.kept[self.first], odd=None)
        found = np.zeros(len(self.of))
        for rank in self._ranks():
            code, pay = batch.drawn(few, rank)
            row = scene.row(batch.dead_size + 1, added(batch.dead_size, batch.low)[self.dead, rank])
            one = _Came(self, row, code, pay, self.sources)
            found += self.outside[rank] * self._worth(one.ev(self.start), draw)
            if rank != scene.open_rank and not batch.is_joker(rank, inside=True):
                free = (self.hands.mask >> rank) & 1 == 0
                found += free * self._worth(one.ev(self.starts[rank]), draw)
        if batch.place.joker == "hidden":
            code, pay = batch.final("wild4", few.kept, exchanged=True)
            row = scene.row(batch.dead_size, self.dead)
            found += self._worth(_Came(self, row, code, pay, self.sources[:1]).ev(self.start), draw)
        found /= batch.unseen
        found -= draw.cost
        return found

    def _worth(self, ev: Floats, draw: Draw) -> Floats:
        return ev if draw.forced else np.maximum(ev, self.batch.payoff.fold, out=ev)


class _Came:
    """One rank that came, for every hand: expectation as sums over counts, the flushes' part still to be added."""

    def __init__(self, whole: PlainSum, row: Ints, code: Ints, pay: Floats, sources: list[Source]) -> None:
        payoff, floor = whole.batch.payoff, whole.batch.book.qualify
        self.sources, self.total, self.of = sources, whole.total, whole.of
        low = np.maximum(code, floor)
        high = np.where(code < floor, floor, code + 1)
        win = payoff.win + BET * pay
        parts = payoff.idle - win, win - payoff.tie, np.full(len(win), payoff.tie - payoff.lost)
        sums = np.full(len(win), self.total * payoff.lost)
        for source in sources:
            place = row * source.width
            for part, at in zip(parts, (np.full_like(low, floor), low, high), strict=True):
                sums += part * source.rows.flat[place + source.column[at]]
        self.sums = (sums / self.total)[self.of]
        self.idle, self.below = ((part / self.total)[self.of] for part in parts[:2])
        self.upto = (payoff.tie - payoff.lost) / self.total
        self.columns = [(source.flush_column[low][self.of], source.flush_column[high][self.of]) for source in sources]

    def ev(self, starts: list[tuple[Ints, Floats]]) -> Floats:
        """By state."""
        found = self.sums.copy()
        for source, (start, idle), (low, high) in zip(self.sources, starts, self.columns, strict=False):
            flat = source.flushes.flat
            found += idle * self.idle
            found += flat[start + low] * self.below
            found += flat[start + high] * self.upto
        return found


__all__ = ["PlainSum"]
