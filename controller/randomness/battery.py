"""The tests of the battery, each from a stream of symbols to one p-value. Pure; knows no source.

A symbol is a number from 0; `weights` say how often each is due. After Knuth, The Art of Computer Programming 2, 3.3.2.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Final

from controller.randomness.pvalues import chi_square_p, normal_p

Symbols = Sequence[int]
Weights = Sequence[int]
Test = Callable[[Symbols, Weights], float]

LEAST_DUE: Final = 5.0
"""A cell of a chi-square expects at least so many; smaller ones are put together."""
PAIR_GROUPS: Final = 16
COUPONS: Final = 5
POKER_HAND: Final = 5


def chi_square(symbols: Symbols, weights: Weights) -> float:
    """How often each symbol came."""
    counts = Counter(symbols)
    if any(symbol not in range(len(weights)) for symbol in counts):
        return 0.0
    share = len(symbols) / sum(weights)
    return fit([counts[symbol] for symbol in range(len(weights))], [share * weight for weight in weights])


def runs(symbols: Symbols, weights: Weights) -> float:
    """Runs of the lower and of the upper half of the symbols (Wald and Wolfowitz)."""
    half = _groups(weights, 2).index(1)
    lower = [symbol < half for symbol in symbols]
    n, low = len(lower), sum(lower)
    high = n - low
    if not low or not high:
        return 0.0
    due = 1 + 2 * low * high / n
    variance = (due - 1) * (due - 2) / (n - 1)
    found = 1 + sum(a != b for a, b in pairwise(lower))
    return normal_p((found - due) / math.sqrt(variance)) if variance > 0 else 0.0


def serial_correlation(symbols: Symbols, weights: Weights) -> float:
    """How far each symbol follows from the one before it (lag 1, the last followed by the first)."""
    n, total = len(symbols), sum(symbols)
    squares = sum(symbol * symbol for symbol in symbols)
    spread = n * squares - total * total
    if spread == 0:
        return 0.0
    products = sum(a * b for a, b in pairwise(symbols)) + symbols[-1] * symbols[0]
    found = (n * products - total * total) / spread
    return normal_p((found + 1 / (n - 1)) * math.sqrt(n - 1))


def serial_pairs(symbols: Symbols, weights: Weights) -> float:
    """Pairs that do not overlap, each symbol by its group."""
    group = _groups(weights, min(PAIR_GROUPS, len(weights)))
    parts = _parts(weights, group)
    counts = Counter((group[a], group[b]) for a, b in zip(symbols[::2], symbols[1::2], strict=False))
    many, total = len(symbols) // 2, sum(weights)
    places = [(a, b) for a in range(len(parts)) for b in range(len(parts))]
    due = [many * parts[a] * parts[b] / total**2 for a, b in places]
    return fit([counts[place] for place in places], due)


def gap(symbols: Symbols, weights: Weights) -> float:
    """How many symbols lie between two of the lowest quarter: geometric."""
    group = _groups(weights, 4)
    p = _parts(weights, group)[0] / sum(weights)
    places = [at for at, symbol in enumerate(symbols) if group[symbol] == 0]
    gaps = Counter(b - a - 1 for a, b in pairwise(places))
    many = sum(gaps.values())
    if not many:
        return 0.0
    last = max(1, int(math.log(LEAST_DUE / many) / math.log(1 - p))) if many > LEAST_DUE else 1
    due = [many * p * (1 - p) ** n for n in range(last)]
    found = [gaps[n] for n in range(last)]
    return fit([*found, many - sum(found)], [*due, many * (1 - p) ** last])


def poker(symbols: Symbols, weights: Weights) -> float:
    """Different symbols in hands of five."""
    hands = len(symbols) // POKER_HAND
    counts = Counter(len(set(symbols[n : n + POKER_HAND])) for n in range(0, hands * POKER_HAND, POKER_HAND))
    return fit([counts[n] for n in range(1, POKER_HAND + 1)], [hands * p for p in distinct(weights, POKER_HAND)])


def coupon_collector(symbols: Symbols, weights: Weights) -> float:
    """How many symbols it takes until all of five groups have come."""
    group = _groups(weights, COUPONS)
    shares = [part / sum(weights) for part in _parts(weights, group)]
    lengths = _collections([group[symbol] for symbol in symbols])
    many = sum(lengths.values())
    if not many:
        return 0.0
    ends = [many * complete(shares, n) for n in range(COUPONS - 1, COUPONS * 12)]
    due = [b - a for a, b in pairwise(ends)]
    found = [lengths[n] for n in range(COUPONS, COUPONS * 12)]
    return fit([*found, many - sum(found)], [*due, many - ends[-1]])


TESTS: Final[dict[str, Test]] = {
    test.__name__: test for test in (chi_square, runs, serial_correlation, serial_pairs, gap, poker, coupon_collector)
}


def fit(found: Sequence[int], due: Sequence[float]) -> float:
    """The p-value of counts against what was due; small cells go together with their neighbours."""
    cells: list[list[float]] = [[0.0, 0.0]]
    for count, expected in zip(found, due, strict=True):
        if cells[-1][1] >= LEAST_DUE:
            cells.append([0.0, 0.0])
        cells[-1][0] += count
        cells[-1][1] += expected
    if cells[-1][1] < LEAST_DUE and len(cells) > 1:
        small = cells.pop()
        cells[-1] = [cells[-1][0] + small[0], cells[-1][1] + small[1]]
    if len(cells) < 2:
        return 1.0  # too little to judge by
    return chi_square_p(sum((count - expected) ** 2 / expected for count, expected in cells), len(cells) - 1)


def distinct(weights: Weights, many: int) -> list[float]:
    """The probabilities of 1, 2, ... `many` different symbols among so many, exactly, whatever the weights."""
    total = sum(weights)
    ways = {(0, 0): 1.0}
    for weight in weights:
        p, more = weight / total, dict(ways)
        for (taken, different), value in ways.items():
            for n in range(1, many - taken + 1):
                key = (taken + n, different + 1)
                more[key] = more.get(key, 0.0) + value * p**n / math.factorial(n)
        ways = more
    return [math.factorial(many) * ways.get((many, n), 0.0) for n in range(1, many + 1)]


def complete(shares: Sequence[float], n: int) -> float:
    """The probability that n symbols hold every group (inclusion and exclusion)."""
    missing = (combinations(shares, k) for k in range(len(shares) + 1))
    return math.fsum((-1.0) ** len(lost) * (1 - sum(lost)) ** n for some in missing for lost in some)


def _collections(groups: Sequence[int]) -> Counter[int]:
    lengths: Counter[int] = Counter()
    seen: set[int] = set()
    began = 0
    for at, group in enumerate(groups):
        seen.add(group)
        if len(seen) == COUPONS:
            lengths[at - began + 1] += 1
            seen, began = set(), at + 1
    return lengths


def _groups(weights: Weights, many: int) -> list[int]:
    """The group of each symbol: so many stretches of about equal weight."""
    total = sum(weights)
    return [min(many - 1, (upto - 1) * many // total) for upto in accumulate(weights)]


def _parts(weights: Weights, groups: Sequence[int]) -> list[int]:
    parts = [0] * (max(groups) + 1)
    for weight, group in zip(weights, groups, strict=True):
        parts[group] += weight
    return parts
