"""The progressive meter: what feeds it, what it pays, exactly. Integers of chips out, a fraction kept.

Owns section "jackpot" of the rules; which hands are entitled is the settlement's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from controller.domain.paytable import Category
from controller.domain.ruleset import JackpotRules


class Entry(msgspec.Struct, frozen=True):
    """One box in the order of paying: its category where it is entitled, the part of the meter its royal takes."""

    box: int
    category: Category | None
    share: Fraction = Fraction(1)


class Meter(msgspec.Struct, frozen=True):
    """What the meter shows, and the reserve behind it."""

    amount: Fraction
    reserve: Fraction

    def fed(self, rules: JackpotRules, basis: int) -> Meter:
        """After a contribution: the part over the limit goes to the reserve."""
        return Meter(self.amount + rules.rate * basis, self.reserve + rules.hidden_rate * basis).limited(rules)

    def limited(self, rules: JackpotRules) -> Meter:
        over = Fraction(0) if rules.limit is None else max(Fraction(0), self.amount - rules.limit)
        return Meter(self.amount - over, self.reserve + over)

    def paid(self, prize: int) -> Meter:
        return Meter(max(Fraction(0), self.amount - prize), self.reserve)

    def reset(self, rules: JackpotRules, rest: Fraction) -> Meter:
        """After the whole meter was won: the seed, the reserve and what could not be divided."""
        return Meter(rules.seed + self.reserve + rest, Fraction(0)).limited(rules)


def award(rules: JackpotRules, meter: Meter, entries: Sequence[Entry]) -> tuple[dict[int, int], Meter]:
    """Prizes by box and the meter afterwards; boxes are paid one after the other."""
    royals = [entry for entry in entries if entry.category is Category.ROYAL_FLUSH]
    prizes: dict[int, int] = {}
    for entry in entries:
        if entry.box in prizes:
            continue  # a royal that shared with an earlier one
        if entry.category is not Category.ROYAL_FLUSH:
            prizes[entry.box], meter = _lesser(rules, meter, entry.category)
            continue
        winners = royals if rules.royal_policy == "share" else [entry]
        won, after = _royals(rules, meter, winners)
        prizes |= won
        meter = after if any(won.values()) else meter  # less than a chip on it: nothing was won, it stands
    return prizes, meter


def _lesser(rules: JackpotRules, meter: Meter, category: Category | None) -> tuple[int, Meter]:
    if category is None:
        return 0, meter
    if category is Category.STRAIGHT_FLUSH:
        prize = int(rules.sf_share * meter.amount)
        prize = prize if rules.sf_cap is None else min(prize, rules.sf_cap)
        return prize, meter.paid(prize)
    prize = rules.fixed.get(category, 0)
    return prize, meter.paid(prize) if rules.fixed_from_meter else meter


def _royals(rules: JackpotRules, meter: Meter, winners: Sequence[Entry]) -> tuple[dict[int, int], Meter]:
    if rules.jackpot_mode == "bonus_royal":
        return _bonus_royals(rules, meter, winners)
    prize = int(meter.amount / len(winners))
    return {entry.box: prize for entry in winners}, meter.reset(rules, meter.amount - prize * len(winners))


def _bonus_royals(rules: JackpotRules, meter: Meter, winners: Sequence[Entry]) -> tuple[dict[int, int], Meter]:
    """Each takes the part that its bonus stake buys, together at most the meter; it does not stay below the seed."""
    scale = max(Fraction(1), sum((entry.share for entry in winners), Fraction(0)))
    prizes = {entry.box: int(meter.amount * entry.share / scale) for entry in winners}
    left = meter.paid(sum(prizes.values()))
    if left.amount >= rules.seed:
        return prizes, left
    return prizes, Meter(Fraction(0), left.reserve).reset(rules, Fraction(0))
