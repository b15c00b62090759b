"""R2, R3: each test's expectation is right, the table's draw passes, and every bad source is found."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from steady import steady

from controller.domain import joker
from controller.randomness import battery
from controller.randomness.mapping import prove
from controller.randomness.report import judged
from controller.randomness.sources import BYTES, CONTROLS, STREAMS

BOARD = joker.joker_weights(3)
THRESHOLD = 0.01 / 24


def exactly(weights: list[int], many: int) -> list[float]:
    """Every hand of `many` symbols, one by one."""
    found: Counter[int] = Counter()
    for hand in product(range(len(weights)), repeat=many):
        share = 1
        for symbol in hand:
            share *= weights[symbol]
        found[len(set(hand))] += share
    return [found[n] / sum(weights) ** many for n in range(1, many + 1)]


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [1, 2, 3], [5, 1, 1, 1, 3]])
def test_poker_expects_what_enumeration_gives(weights: list[int]) -> None:
    assert battery.distinct(weights, 5) == pytest.approx(exactly(weights, 5))


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 2, 3]])
def test_coupons_expect_what_enumeration_gives(weights: list[int]) -> None:
    total = sum(weights)
    for n in range(1, 7):
        full = sum(_share(a, weights) for a in product(range(len(weights)), repeat=n) if len(set(a)) == len(weights))
        assert battery.complete([w / total for w in weights], n) == pytest.approx(float(full), abs=1e-12)


def _share(symbols: tuple[int, ...], weights: list[int]) -> Fraction:
    share = Fraction(1)
    for symbol in symbols:
        share *= Fraction(weights[symbol], sum(weights))
    return share


def test_small_cells_are_put_together() -> None:
    assert battery.fit([10, 0, 1, 2], [10, 1, 1, 1]) == battery.fit([13], [13]) == 1.0
    assert battery.fit([30, 10, 2], [20, 20, 2]) == pytest.approx(battery.fit([30, 12], [20, 22]))


def test_groups_are_of_about_equal_weight() -> None:
    group = battery._groups(BOARD, 5)
    assert battery._parts(BOARD, group) == [11] * 5
    assert battery._parts(BYTES, battery._groups(BYTES, 16)) == [16] * 16


@pytest.mark.parametrize("name", STREAMS)
def test_the_tables_own_streams_pass(name: str) -> None:
    source, own = STREAMS[name]
    found = judged(name, source, own or BOARD, 100_000, 10, THRESHOLD, steady(name))
    assert [verdict.test for verdict in found if not verdict.passed] == []
    assert len(found) == 8


FOUND_BY = {
    "biased": {"chi_square", "chi_square of all"},
    "linear": {"chi_square", "serial_pairs"},
    "constant": set(battery.TESTS),
    "counter": set(battery.TESTS),
    "off_by_one": {"chi_square", "gap"},
    "modulo": {"chi_square", "serial_pairs"},
    "shy": {"poker", "serial_correlation"},
}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_bad_source_is_found_by_the_tests_that_are_made_for_it(name: str) -> None:
    found = judged(name, CONTROLS[name], BOARD, 200_000, 10, THRESHOLD, steady(name))
    assert {verdict.test for verdict in found if not verdict.passed} >= FOUND_BY[name]


@pytest.mark.parametrize("doc_weight", [0, 1, 3, 8])
@pytest.mark.parametrize("bits", [8, 16])
def test_the_mapping_is_proven_by_enumeration(bits: int, doc_weight: int) -> None:
    proof = prove(joker.joker_weights(doc_weight), bits)
    assert proof.exact
    assert proof.thrown_away == 2**bits % (52 + doc_weight)


def _modulo(words: object, weights: object, bits: int) -> int:
    return joker._slot(next(iter(words)) % sum(weights), weights)  # type: ignore[call-overload, arg-type]


def _late(words: object, weights: object, bits: int) -> int:
    return min(joker.pick(words, weights, bits) + 1, 52)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [_modulo, _late])
def test_a_wrong_mapping_is_no_proof(wrong: object) -> None:
    assert not prove(BOARD, 8, wrong).exact  # type: ignore[arg-type]
