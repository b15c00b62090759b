"""Exact amounts: reading decimals and fractions as written, writing them back, splitting chips.

Owns the arithmetic of money; chips are `int`, rates and meters are `Fraction`. A binary float never decides an amount.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

# No blanks, signs or underscores that Fraction would take, and no exponent long enough to fill the memory.
_WRITTEN = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?|-?[0-9]+/[0-9]+")


def exact(value: object) -> Fraction:
    """A number or a text (`1.5`, `"0.70"`, `"1/2"`) as the fraction that was written. ValueError otherwise."""
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value))  # the shortest text is what was written; the binary value is not
    if isinstance(value, str | Decimal):
        if len(str(value)) > 40 or not _WRITTEN.fullmatch(str(value)):
            raise ValueError(f"{str(value)[:40]!r} is not a number")
        try:
            return Fraction(str(value))
        except ZeroDivisionError:
            raise ValueError(f"{value!r} divides by zero") from None
    raise ValueError(f"{value!r} is not a number")


def exact_text(amount: Fraction, places: int = 0) -> str:
    """The decimal with at least `places` digits after the point; `n/d` where no decimal is exact."""
    scale = places
    while amount.denominator != 1 and (10**scale) % amount.denominator:
        scale += 1
        if scale > 60:
            return f"{amount.numerator}/{amount.denominator}"
    digits = amount * 10**scale
    sign, number = ("-" if digits < 0 else ""), str(abs(int(digits))).rjust(scale + 1, "0")
    return sign + (f"{number[:-scale]}.{number[-scale:]}" if scale else number)


def pro_rata(amount: int, weights: Sequence[int]) -> list[int]:
    """Whole chips in proportion to the weights: largest remainder, odd chips to the earlier ones (Q24)."""
    total = sum(weights)
    shares = [amount * weight // total for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: (-(amount * weights[i] % total), i))
    for i in order[: amount - sum(shares)]:
        shares[i] += 1
    return shares
