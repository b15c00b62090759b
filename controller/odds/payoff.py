"""What a raised hand earns in antes, from counts of the dealer's hands: settlement of ante, bet and insurance.

The maximum payout of the plate is left out: odds are those of the rules, for an ante that it does not touch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from controller.domain.ruleset import RuleSet
from controller.odds.finals import Book
from controller.odds.ranks import Bools, Floats, Ints
from controller.odds.scene import Counts

BET = 2.0
_ANTE = {"paid": 1.0, "push": 0.0, "lost": -1.0}


class Moments(NamedTuple):
    """Of a way to play on: expected net, expected square, how often it raises, wins, and what it stakes."""

    ev: Floats
    square: Floats
    raised: Floats
    won: Floats
    staked: Floats

    def scaled(self, weight: Floats | float) -> Moments:
        return Moments(*(part * weight for part in self))

    def plus(self, other: Moments) -> Moments:
        return Moments(*(a + b for a, b in zip(self, other, strict=True)))


class Payoff:
    """The stakes of one rule set. `fold` and `tie` differ from -1 and 0 only for stakes carried from a tie."""

    def __init__(self, book: Book, *, fold: float = -1.0, tie: float = 0.0) -> None:
        rules: RuleSet = book.rules
        self.fold, self.tie = fold, tie
        self.lost = -1.0 - BET
        self.idle = _ANTE[rules.ante_on_no_qualify]
        self.win = _ANTE[rules.ante_on_win]
        fraction = rules.insurance_max_fraction
        self.insured = rules.insurance and fraction is not None
        self.insurance_floor = book.lowest(rules.insurance_min)
        self.insurance_part = float(fraction or 0) * BET
        self.insurance_lost_on_beaten = rules.insurance_on_beaten == "lose"

    def ev(self, counts: Counts, code: Ints, pay: Floats) -> Floats:
        """Expected net of raising, without any fee."""
        idle, below, upto, total = counts
        win = self.win + BET * pay
        found = idle * (self.idle - win) + below * (win - self.tie) + upto * (self.tie - self.lost) + total * self.lost
        if self.insured:
            found = found + np.maximum(self._insurance_gain(counts), 0.0) * self._limit(code, pay)
        ev: Floats = found / total
        return ev

    def _insurance_gain(self, counts: Counts) -> Floats:
        """What one ante of insurance brings, times the number of hands: returned on a tie, and if beaten by default."""
        idle, below, upto, total = counts
        gain = 2.0 * idle - below
        if self.insurance_lost_on_beaten:
            gain = gain - (total - upto)
        found: Floats = gain.astype(np.float64)
        return found

    def _limit(self, code: Ints, pay: Floats) -> Floats:
        return np.where(code >= self.insurance_floor, np.maximum(1.0, self.insurance_part * pay), 0.0)

    def moments(
        self, counts: Counts, code: Ints, pay: Floats, cost: float, raises: Bools | None, forced: bool
    ) -> Moments:
        """Everything about going on with a hand for which `cost` was already paid; folds where that is better."""
        idle, below, upto, total = (np.asarray(part, dtype=np.float64) for part in counts)
        insured = np.zeros_like(idle)
        if self.insured:
            insured = np.where(self._insurance_gain(counts) > 0, self._limit(code, pay), 0.0)
        win = self.win + BET * pay
        ways = (idle, below - idle, upto - below, total - upto)
        beaten = self.lost - (insured if self.insurance_lost_on_beaten else 0.0)
        nets = (self.idle + insured - cost, win - insured - cost, np.full_like(idle, self.tie - cost), beaten - cost)
        ev = sum(w * net for w, net in zip(ways, nets, strict=True)) / total
        square = sum(w * net * net for w, net in zip(ways, nets, strict=True)) / total
        won = sum(w * (net > 0) for w, net in zip(ways, nets, strict=True)) / total
        fold = self.fold - cost
        on = np.ones_like(idle) if forced else (ev >= fold if raises is None else raises).astype(np.float64)
        off = 1.0 - on
        stakes = 1.0 + cost + on * (BET + insured)
        return Moments(on * ev + off * fold, on * square + off * fold * fold, on, on * won, stakes)
