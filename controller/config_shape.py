"""The shape of table.toml against its structs: unknown and missing keys, types, ranges. Says what is allowed instead.

Knows no key by name and no file; what two keys say together is config's.
"""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Mistake(Struct, frozen=True):
    """One thing wrong with one key."""

    key: str
    what: str
    allowed: str


def shape(section: type[Struct], raw: object, prefix: str) -> Iterator[Mistake]:
    """What is wrong with this section, read from TOML: every key known, none missing, each of its type and in range."""
    if not isinstance(raw, dict):
        yield Mistake(prefix, f"{prefix} is not a section", f"write it as a table, [{prefix}]")
        return
    fields = {item.encode_name: item for item in msgspec.structs.fields(section)}
    for key, value in raw.items():
        dotted = f"{prefix}.{key}" if prefix else key
        if key not in fields:
            yield Mistake(dotted, f"unknown key {dotted}", nearest(key, fields))
        elif inner := _section_of(fields[key].type):
            yield from shape(inner, value, dotted)
        else:
            yield from _leaf(fields[key].type, value, dotted)
    for key, item in fields.items():
        if item.required and key not in raw:
            dotted = f"{prefix}.{key}" if prefix else key
            yield Mistake(dotted, f"missing key {dotted}", f"add it: {_allowed(item.type)}")


def _leaf(kind: Any, value: object, dotted: str) -> Iterator[Mistake]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        shown = repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
        yield Mistake(dotted, f"{dotted} is {shown[:60]}", f"give {_allowed(kind)}")


def _section_of(kind: Any) -> type[Struct] | None:
    for part in typing.get_args(kind) or (kind,):
        if isinstance(part, type) and issubclass(part, Struct):
            return part
    return None


def nearest(key: str, known: Mapping[str, object]) -> str:
    """The known key that was probably meant, and all of them."""
    near = difflib.get_close_matches(key, known, n=1)
    names = ", ".join(sorted(known))
    return f"did you mean {near[0]}? (known here: {names})" if near else f"known here: {names}"


def _allowed(kind: Any) -> str:
    """What a key takes, in words."""
    return _words(msgspec.inspect.type_info(kind))


def _words(info: Any) -> str:
    match info:
        case msgspec.inspect.UnionType(types=parts):
            return " or ".join(_words(part) for part in parts if not isinstance(part, msgspec.inspect.NoneType))
        case msgspec.inspect.EnumType(cls=cls):
            return "one of " + ", ".join(f'"{member.value}"' for member in cls)
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case msgspec.inspect.StrType(min_length=int()):
            return "a text of one line, not empty"
        case msgspec.inspect.StrType():
            return "a name of 1 to 32 letters, digits, - or _"
        case msgspec.inspect.VarTupleType(item_type=item, min_length=count):
            return f"a list of {count}, each {_words(item)}"
        case msgspec.inspect.DictType(value_type=value):
            return f"a table of names, each {_words(value)}"
        case _:
            return "a section of its own"
