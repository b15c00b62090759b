"""The answer: one frozen record of odds. No numpy here, so that every program may read it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

DOUBT = 3  # standard errors; a normal error is beyond them on one side once in 740 samples


class Odds(msgspec.Struct, frozen=True, kw_only=True):
    """Of one rule set and one way to play. All money in antes."""

    rules: str
    rules_hash: str
    strategy: str
    method: str
    """`exact`, or `sample` where a part was sampled; then `stderr` is of the edge."""
    house_edge: float
    element_of_risk: float
    variance: float
    stderr: float
    qualifies: float
    """How often the dealer plays."""
    wins: float
    """How often the box ends with a profit."""
    frequencies: Mapping[str, float] = {}
    """fold, raise, exchange_1 ..., buy6: how often each is the choice."""
    staked: float = 0.0
    """Antes staked in the mean: ante, bet, fees, insurance."""
    sides: Mapping[str, float] = {}
    """House edges of the side bets, and what a jackpot needs."""
    notes: tuple[str, ...] = ()
    """What was left out or sampled."""
    seconds: float = 0.0
    key: str = ""
    """Hash of what bears on these odds; `sides_key` the same for the side bets. Set where odds are kept."""
    sides_key: str = ""

    @property
    def in_doubt(self) -> bool:
        """Whether the sample is too small to say whose the edge is: it lies within DOUBT standard errors of nought."""
        return abs(self.house_edge) <= DOUBT * self.stderr
