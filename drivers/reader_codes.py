"""The code table of a plain reader: which printed code is which card. TOML in, a checked table out; no file, no port.

Strict: a code is known exactly or not at all. A table in which two codes run together, or a code torn apart, could be
taken for another code is refused.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable
from typing import Annotated

import msgspec

from drivers.wire.cards import CARD_CODE

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Code = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[!-~]+\Z")]
CODE = "(?P<code>[!-~]+)"


class CodeTableError(ValueError):
    """Not a code table; the text says what is wrong and where."""


class CodeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A reader's way to print a card. `pattern` must match a whole line and name its group `code`.

    `ends`: each of these characters ends a line. `ignore`: lines that are no scans (a banner). The same code again
    within `repeat_ms` is the same scan. A line without an end is torn after `unfinished_ms`.
    """

    pattern: Text = CODE
    ends: Annotated[str, msgspec.Meta(min_length=1, max_length=4)] = "\r\n"
    ignore: str = ""
    repeat_ms: Annotated[int, msgspec.Meta(ge=0, le=2000)] = 150
    unfinished_ms: Annotated[int, msgspec.Meta(ge=50, le=10_000)] = 1000
    codes: dict[Code, Annotated[str, msgspec.Meta(max_length=2)]] = {}

    def missing(self, cards: Iterable[str]) -> tuple[str, ...]:
        """Those of these cards that have no code."""
        coded = set(self.codes.values())
        return tuple(card for card in cards if card not in coded)


def parse_codes(data: bytes) -> CodeTable:
    """The table in this TOML text. CodeTableError where it is none."""
    try:
        table = msgspec.convert(tomllib.loads(data.decode("utf-8")), CodeTable)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise CodeTableError(str(error)) from None
    check(table)
    return table


def check(table: CodeTable) -> None:
    """CodeTableError where a pattern is none, a card is none, or codes can be taken for one another."""
    for name in ("pattern", "ignore"):
        try:
            compiled = re.compile(getattr(table, name))
        except re.error as error:
            raise CodeTableError(f"{name} is no regular expression, {error}") from None
        if name == "pattern" and "code" not in compiled.groupindex:
            raise CodeTableError("pattern has no group (?P<code>...)")
    if not table.ends.isascii():
        raise CodeTableError("ends is not ASCII")
    for code, card in table.codes.items():
        if card not in CARD_CODE:
            raise CodeTableError(f"code {code}: {card!r} is not a card (rank 23456789TJQKA, suit cdhs; JK)")
    clash = _confusable(table.codes)
    if clash is not None:
        raise CodeTableError(f"code {clash[0]} is the beginning or the end of code {clash[1]}")


def _confusable(codes: Iterable[str]) -> tuple[str, str] | None:
    """Two codes of which one begins or ends the other: a torn or glued scan could then be another card."""
    for turned in (False, True):
        ordered = sorted(code[::-1] if turned else code for code in codes)
        for shorter, longer in itertools.pairwise(ordered):
            if longer.startswith(shorter):
                return (shorter[::-1], longer[::-1]) if turned else (shorter, longer)
    return None


def toml_of(table: CodeTable) -> bytes:
    """The table as a file, cards in the order in which they were put in."""
    quoted = {name: msgspec.json.encode(value).decode() for name, value in msgspec.to_builtins(table).items()}
    lines = [f"{name} = {value}" for name, value in quoted.items() if name != "codes"]
    lines += [
        "",
        "[codes]",
        *(f'{msgspec.json.encode(code).decode()} = "{card}"' for code, card in table.codes.items()),
    ]
    return ("\n".join(lines).lstrip("\n") + "\n").encode()
