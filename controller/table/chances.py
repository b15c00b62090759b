"""How probable is so much or more by mere chance: tails of the Poisson, chi-square and normal distributions. Pure."""

from __future__ import annotations

import math


def poisson_tail(count: int, mean: float) -> float:
    """P(X >= count) for a Poisson variable of this mean."""
    if count <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    total, step = 0.0, count
    while term > total * 1e-17:
        total += term
        step += 1
        term *= mean / step
    return min(1.0, total)


def chi_square_tail(value: float, freedom: int) -> float:
    """P(X >= value) for a chi-square variable with `freedom` degrees of freedom (1 or more), exact finite sums."""
    if value <= 0:
        return 1.0
    half = value / 2
    if freedom % 2 == 0:
        terms = (math.exp(n * math.log(half) - half - math.lgamma(n + 1)) for n in range(freedom // 2))
        return min(1.0, math.fsum(terms))
    odd = (math.exp((n - 0.5) * math.log(half) - half - math.lgamma(n + 0.5)) for n in range(1, (freedom + 1) // 2))
    return min(1.0, math.erfc(math.sqrt(half)) + math.fsum(odd))


def normal_tail(deviations: float) -> float:
    """P(X >= so many standard deviations)."""
    return math.erfc(deviations / math.sqrt(2)) / 2


def chi_square(counts: list[int], weights: list[int]) -> float:
    """The statistic of these counts against these weights; a weight of 0 must not have counted."""
    total, sum_of_weights = sum(counts), sum(weights)
    expected = [total * weight / sum_of_weights for weight in weights]
    return math.fsum((have - want) ** 2 / want for have, want in zip(counts, expected, strict=True) if want)


def more_wins(won: int, decided: int, other_won: int, other_decided: int) -> float:
    """P that a part wins so much oftener than the others by chance: two proportions, pooled, one-sided."""
    if not decided or not other_decided:
        return 1.0
    pooled = (won + other_won) / (decided + other_decided)
    spread = pooled * (1 - pooled) * (1 / decided + 1 / other_decided)
    if spread <= 0:
        return 1.0
    return normal_tail((won / decided - other_won / other_decided) / math.sqrt(spread))
