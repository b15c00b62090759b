"""The kinds of values that a rule set's parameters take: how each is read strictly, merged and written canonically.

Owns types and wording of the complaints, not the parameters themselves (domain.ruleset). Reads no files.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from controller.domain.money import exact, exact_text
from controller.domain.paytable import Category
from controller.errors import TableError

NONE = "none"  # TOML has no null: this text means the same


def refuse(what: str, where: str, allowed: str, code: int = 403) -> TableError:
    """The complaint about one value: what is wrong, where it stands, what may stand there."""
    return TableError(code, what, where, f"allowed: {allowed}")


class Kind(abc.ABC):
    """One type of value. `old` is the value so far, for tables that merge by key."""

    allowed = ""

    @abc.abstractmethod
    def read(self, value: object, where: str, old: Any = None) -> Any:
        """The value, or TableError."""

    def write(self, value: Any) -> Any:
        """The JSON value: what `read` takes back."""
        return value

    def wrong(self, value: object, where: str) -> TableError:
        return refuse(f"{_shown(value)} is not allowed", where, self.allowed)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


class Flag(Kind):
    allowed = "true or false"

    def read(self, value: object, where: str, old: Any = None) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(value, where)
        return value


class Choice(Kind):
    def __init__(self, *values: str) -> None:
        self.values = values
        self.allowed = ", ".join(values)

    def read(self, value: object, where: str, old: Any = None) -> str:
        if not isinstance(value, str) or value not in self.values:
            raise self.wrong(value, where)
        return value


class Hand(Kind):
    """A category of hands from `lowest` up."""

    def __init__(self, lowest: Category) -> None:
        order = list(Category)
        self.values = order[order.index(lowest) :]
        self.allowed = ", ".join(self.values)

    def read(self, value: object, where: str, old: Any = None) -> Category:
        if value not in self.values:
            raise self.wrong(value, where)
        return Category(str(value))

    def write(self, value: Any) -> Any:
        return str(value)


class Whole(Kind):
    def __init__(self, low: int, high: int, *, optional: bool = False) -> None:
        self.low, self.high, self.optional = low, high, optional
        self.allowed = f"a whole number from {low} to {high}" + (", or none" if optional else "")

    def read(self, value: object, where: str, old: Any = None) -> int | None:
        if self.optional and value in (None, NONE):
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise self.wrong(value, where)
        return value


class WholeOf(Whole):
    """One of a few whole numbers."""

    def __init__(self, *values: int) -> None:
        super().__init__(min(values), max(values))
        self.values = values
        self.allowed = ", ".join(map(str, values))

    def read(self, value: object, where: str, old: Any = None) -> int | None:
        if super().read(value, where, old) not in self.values:
            raise self.wrong(value, where)
        return int(str(value))


class Amount(Kind):
    """An exact number that is not negative: 1, 1.5, "0.70", "1/2"."""

    def __init__(self, *, optional: bool = False, at_most: int | None = None) -> None:
        self.optional, self.at_most = optional, at_most
        self.allowed = "a number, decimal text or fraction, not negative"
        self.allowed += f", at most {at_most}" if at_most is not None else ""
        self.allowed += ", or none" if optional else ""

    def read(self, value: object, where: str, old: Any = None) -> Fraction | None:
        if self.optional and value in (None, NONE):
            return None
        try:
            amount = exact(value)
        except ValueError:
            raise self.wrong(value, where) from None
        if amount < 0 or (self.at_most is not None and amount > self.at_most):
            raise self.wrong(value, where)
        return amount

    def write(self, value: Any) -> Any:
        if value is None:
            return None
        return value.numerator if value.denominator == 1 else exact_text(value)


class Counts(Kind):
    """A list of numbers of cards."""

    allowed = "a list of whole numbers from 1 to 5, each once"

    def read(self, value: object, where: str, old: Any = None) -> tuple[int, ...]:
        if not isinstance(value, list | tuple) or len(set(map(repr, value))) != len(value):
            raise self.wrong(value, where)
        if any(not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 5 for n in value):
            raise self.wrong(value, where)
        return tuple(sorted(value))

    def write(self, value: Any) -> Any:
        return list(value)


class Some(Kind):
    """Some of a few words."""

    def __init__(self, *values: str) -> None:
        self.values = values
        self.allowed = "a list of: " + ", ".join(values)

    def read(self, value: object, where: str, old: Any = None) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or any(v not in self.values for v in value):
            raise self.wrong(value, where)
        if len(set(value)) != len(value):
            raise self.wrong(value, where)
        return tuple(v for v in self.values if v in value)

    def write(self, value: Any) -> Any:
        return list(value)


class Table(Kind):
    """A table that merges by key; `none` takes a key out, `none` for the whole table empties it."""

    def __init__(self, keys: tuple[str, ...] | None, entry: Kind) -> None:
        self.keys, self.entry = keys, entry
        self.allowed = f"a table keyed by {', '.join(keys) if keys else 'whole numbers'}: {entry.allowed}"

    def key(self, text: str) -> Any:
        return text

    def read(self, value: object, where: str, old: Any = None) -> dict[Any, Any]:
        if value in (None, NONE):
            return {}
        if not isinstance(value, Mapping):
            raise self.wrong(value, where)
        merged = dict(old or {})
        for text, item in value.items():
            key = self._known(text, where)
            if item in (None, NONE):
                merged.pop(key, None)
            else:
                merged[key] = self.entry.read(item, f"{where}.{text}")
        return dict(sorted(merged.items(), key=lambda pair: self._place(pair[0])))

    def write(self, value: Any) -> Any:
        return {str(key): self.entry.write(item) for key, item in value.items()}

    def _known(self, text: object, where: str) -> Any:
        known = text in self.keys if self.keys else str(text).isascii() and str(text).isdigit()
        if not isinstance(text, str) or not known:
            raise refuse(f"unknown key {_shown(text)}", where, self.allowed, 402)
        return self.key(text)

    def _place(self, key: Any) -> Any:
        return self.keys.index(str(key)) if self.keys else key


class CountTable(Table):
    """Keyed by a number: cards exchanged, or chips staked."""

    def key(self, text: str) -> int:
        return int(text)


class HandTable(Table):
    """Keyed by the categories of hands."""

    def __init__(self, entry: Kind) -> None:
        super().__init__(tuple(c.value for c in Category if c is not Category.NOTHING), entry)

    def key(self, text: str) -> Category:
        return Category(text)
