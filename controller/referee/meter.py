"""The referee's reading of the jackpot: the meter followed from box to box."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from controller.domain.money import exact_text
from controller.domain.ruleset import Category, JackpotRules

Winner = tuple[int, Category | None, Fraction]
"""Box, category it is entitled with, part of the meter that its royal takes."""


class MeterWalk:
    """The meter and the reserve during one hand."""

    def __init__(self, rules: JackpotRules, meter: Fraction) -> None:
        self.rules = rules
        self.meter = meter
        self.reserve = rules.reserve

    def feed(self, chips: int) -> None:
        self.meter += chips * self.rules.rate
        self.reserve += chips * self.rules.hidden_rate
        self._overflow()

    def pay(self, winners: list[Winner]) -> dict[int, int]:
        """Prizes in the order of paying."""
        prizes: dict[int, int] = {}
        royals = [(box, share) for box, category, share in winners if category == Category.ROYAL_FLUSH]
        for box, category, share in winners:
            if category == Category.ROYAL_FLUSH:
                if box not in prizes:
                    together = royals if self.rules.royal_policy == "share" else [(box, share)]
                    prizes.update(self._royal(together))
            else:
                prizes[box] = self._other(category)
        return prizes

    def facts(self) -> dict[str, Any]:
        told = {"meter": exact_text(self.meter, 2)}
        if self.rules.limit is not None or self.rules.hidden_rate > 0 or self.rules.reserve > 0:
            told["reserve"] = exact_text(self.reserve, 2)
        return told

    def _overflow(self) -> None:
        if self.rules.limit is not None and self.meter > self.rules.limit:
            self.reserve += self.meter - self.rules.limit
            self.meter = self.rules.limit

    def _other(self, category: Category | None) -> int:
        if category == Category.STRAIGHT_FLUSH:
            part = self.meter * self.rules.sf_share
            prize = part.numerator // part.denominator
            if self.rules.sf_cap is not None:
                prize = min(prize, self.rules.sf_cap)
            self.meter -= prize
            return prize
        prize = 0 if category is None else self.rules.fixed[category]
        if self.rules.fixed_from_meter:
            self.meter = max(self.meter - prize, Fraction(0))
        return prize

    def _royal(self, together: list[tuple[int, Fraction]]) -> dict[int, int]:
        before = self.meter
        if self.rules.jackpot_mode == "bonus_royal":
            sold = sum((share for _, share in together), Fraction(0))
            parts = {box: before * share / max(sold, Fraction(1)) for box, share in together}
        else:
            parts = {box: before / len(together) for box, _ in together}
        prizes = {box: part.numerator // part.denominator for box, part in parts.items()}
        if sum(prizes.values()) == 0:
            return prizes
        self.meter = before - sum(prizes.values())
        if self.rules.jackpot_mode == "side_bet":
            self.meter += self.rules.seed + self.reserve
            self.reserve = Fraction(0)
        elif self.meter < self.rules.seed:
            self.meter = self.rules.seed + self.reserve
            self.reserve = Fraction(0)
        self._overflow()
        return prizes
