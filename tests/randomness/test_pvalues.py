"""P-values against the critical values that statistics books print."""

from __future__ import annotations

import math

import pytest

from controller.randomness.pvalues import chi_square_p, kolmogorov_p, normal_p, uniform_p, upper_gamma

# Upper critical values of chi-square (any table): degrees of freedom, level, value.
CHI_SQUARE = [
    (1, 0.05, 3.841), (1, 0.01, 6.635), (2, 0.01, 9.210), (4, 0.05, 9.488), (10, 0.01, 23.209), (10, 0.95, 3.940),
    (30, 0.01, 50.892), (51, 0.01, 77.386), (52, 0.01, 78.616), (100, 0.01, 135.807), (100, 0.99, 70.065),
    (255, 0.01, 310.457),
]  # fmt: skip
# Critical values of Kolmogorov's D: size of the sample, level, value.
KOLMOGOROV = [(10, 0.01, 0.48893), (10, 0.05, 0.40925), (20, 0.01, 0.35241), (20, 0.05, 0.29408), (50, 0.05, 0.18841)]


@pytest.mark.parametrize(("df", "level", "value"), CHI_SQUARE)
def test_chi_square_meets_its_tables(df: int, level: float, value: float) -> None:
    assert chi_square_p(value, df) == pytest.approx(level, rel=2e-3)


@pytest.mark.parametrize(("n", "level", "value"), KOLMOGOROV)
def test_kolmogorov_meets_its_tables(n: int, level: float, value: float) -> None:
    assert kolmogorov_p(value, n) == pytest.approx(level, rel=0.06)


@pytest.mark.parametrize(("z", "p"), [(0, 1.0), (1.959964, 0.05), (2.575829, 0.01), (-3.290527, 0.001)])
def test_normal_meets_its_tables(z: float, p: float) -> None:
    assert normal_p(z) == pytest.approx(p, rel=1e-5)


def test_the_incomplete_gamma_function_where_it_has_a_closed_form() -> None:
    """Q(1, x) = exp(-x), Q(1/2, x) = erfc(sqrt x), Q(3, x) = exp(-x) (1 + x + x^2/2): series and fraction alike."""
    for x in (0.01, 0.5, 1.0, 2.5, 7.0, 40.0):
        assert upper_gamma(1, x) == pytest.approx(math.exp(-x), rel=1e-12)
        assert upper_gamma(0.5, x) == pytest.approx(math.erfc(math.sqrt(x)), rel=1e-11)
        assert upper_gamma(3, x) == pytest.approx(math.exp(-x) * (1 + x + x * x / 2), rel=1e-12)
    assert upper_gamma(25.5, 0) == 1.0


def test_p_values_that_lie_together_are_no_chance() -> None:
    assert uniform_p([(n + 0.5) / 10 for n in range(10)]) > 0.99
    assert uniform_p([1e-9] * 10) < 1e-6
    assert uniform_p([0.999] * 10) < 1e-6
    assert uniform_p([0.5] * 10) < 0.02
