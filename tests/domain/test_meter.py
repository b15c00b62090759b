"""The meter to the last fraction: a million bets, and nothing but a recorded prize lowers it."""

from __future__ import annotations

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.domain.jackpot import Entry, Meter, award
from controller.domain.paytable import Category
from controller.domain.ruleset import JackpotRules

HIT = st.sampled_from([None, Category.FLUSH, Category.QUADS, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH])


def test_a_million_bets_reconcile() -> None:
    """Contributions x rate = meter + reserve + paid from it - seeds, exactly."""
    rules = JackpotRules(rate=Fraction(7, 10), hidden_rate=Fraction(1, 30), limit=Fraction(30_000))
    meter = start = Meter(Fraction(10_000), Fraction(0))
    rng = random.Random(3)
    bets, paid, seeded = 0, Fraction(0), Fraction(0)
    for hand in range(200_000):
        stakes = 5
        bets += stakes
        meter = meter.fed(rules, stakes)
        hit = {0: Category.STRAIGHT_FLUSH, 1: Category.ROYAL_FLUSH}.get(rng.randrange(5000))
        if hit is None:
            continue
        before = meter.amount + meter.reserve
        prizes, meter = award(rules, meter, [Entry(1, hit)])
        added = rules.seed if hit is Category.ROYAL_FLUSH else Fraction(0)
        assert meter.amount + meter.reserve == before - prizes[1] + added, hand
        paid += prizes[1]
        seeded += added
    assert bets == 1_000_000
    fed = bets * (rules.rate + rules.hidden_rate)
    assert start.amount + fed + seeded - paid == meter.amount + meter.reserve


@given(st.lists(st.tuples(st.integers(0, 6), st.lists(HIT, max_size=6)), max_size=30), st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_sequence_lowers_it_but_a_hit(hands: list[tuple[int, list[Category | None]]], from_meter: bool) -> None:
    rules = JackpotRules(fixed_from_meter=from_meter, limit=Fraction(15_000), hidden_rate=Fraction(1, 7))
    meter = Meter(Fraction(12_345), Fraction(0))
    for stakes, hits in hands:
        whole = meter.amount + meter.reserve
        meter = meter.fed(rules, stakes)
        assert meter.amount + meter.reserve == whole + stakes * (rules.rate + rules.hidden_rate)
        assert meter.amount <= 15_000
        whole = meter.amount + meter.reserve
        prizes, meter = award(rules, meter, [Entry(n, hit) for n, hit in enumerate(hits, 1)])
        if not any(prizes.values()):
            assert meter.amount + meter.reserve == whole
        assert meter.amount >= 0
        assert all(prize == int(prize) for prize in prizes.values())
