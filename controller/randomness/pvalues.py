"""From a statistic to its p-value: chi-square, normal, Kolmogorov-Smirnov. Pure floating point; decides no draw.

Formulae: Abramowitz and Stegun 6.5 and 26.4 (incomplete gamma), Stephens 1970 (Kolmogorov-Smirnov for small samples).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_STEPS = 2000
_TINY = 1e-300


def chi_square_p(statistic: float, df: int) -> float:
    """The probability of a chi-square at least as large by chance, with `df` degrees of freedom."""
    return upper_gamma(df / 2, statistic / 2)


def normal_p(z: float) -> float:
    """The two-sided probability of a standard normal at least as far from zero."""
    return math.erfc(abs(z) / math.sqrt(2))


def uniform_p(values: Sequence[float]) -> float:
    """The probability that so many uniform numbers stray at least as far from the diagonal (Kolmogorov-Smirnov)."""
    ordered, n = sorted(values), len(values)
    distance = max(max((i + 1) / n - v, v - i / n) for i, v in enumerate(ordered))
    return kolmogorov_p(distance, n)


def kolmogorov_p(distance: float, n: int) -> float:
    """The tail of Kolmogorov's distance D of a sample of n."""
    at = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * distance
    if at < 0.2:
        return 1.0  # the series converges too slowly there, and the answer is 1 to ten places
    total = math.fsum((-1.0) ** (j - 1) * math.exp(-2.0 * j * j * at * at) for j in range(1, 101))
    return min(1.0, max(0.0, 2.0 * total))


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x)."""
    if x <= 0:
        return 1.0
    return 1.0 - _series(a, x) if x < a + 1 else _fraction(a, x)


def _series(a: float, x: float) -> float:
    """P(a, x) by its power series, for x < a + 1."""
    term = total = 1.0 / a
    for n in range(1, _STEPS):
        term *= x / (a + n)
        total += term
        if term < total * 1e-16:
            break
    return total * math.exp(-x + a * math.log(x) - math.lgamma(a))


def _fraction(a: float, x: float) -> float:
    """Q(a, x) by its continued fraction (Lentz), for x >= a + 1."""
    b = x + 1.0 - a
    c, d = 1.0 / _TINY, 1.0 / b
    total = d
    for n in range(1, _STEPS):
        factor = -n * (n - a)
        b += 2.0
        d = 1.0 / _away(factor * d + b)
        c = _away(b + factor / c)
        total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return total * math.exp(-x + a * math.log(x) - math.lgamma(a))


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
