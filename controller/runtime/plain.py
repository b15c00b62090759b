"""Any value to plain JSON, for log lines: total, bounded, and blind to cards. Pure.

Objects appear as the name of their type, bytes as their length, and what stands under a secret key not at all:
a log line must not be able to show a card that lies face down, a seed, a key or a PIN.
"""

from __future__ import annotations

import enum
import json
import math
import os
import traceback
from collections.abc import Mapping
from typing import Any

from controller.errors import TableError

MAX_TEXT = 4096
MAX_ITEMS = 64
MAX_DEPTH = 6
MAX_LINE = 16 * 1024
SECRET = frozenset(
    {
        *("card", "cards", "deck", "discards", "drawn", "final", "after_exchange", "args", "joker"),
        *("key", "hand_key", "credential", "seed", "secret", "pin", "pins", "token"),
    }
)


def plain(value: object, depth: int = 0) -> Any:
    """What JSON can hold, of any value. Never raises."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1) if depth < MAX_DEPTH else type(value).__name__
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else f"<integer of {int.bit_length(value)} bits>"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if depth >= MAX_DEPTH:
        return f"<{type(value).__name__}>"
    return _composed(value, depth + 1)


def _composed(value: object, depth: int) -> Any:
    if isinstance(value, os.PathLike):
        return text(os.fsdecode(os.fspath(value)))
    if isinstance(value, BaseException):
        return failure(value)
    if type(value) is dict:
        return fields(value, depth)
    if type(value) in (list, tuple):
        return _items(list(value[:MAX_ITEMS]), len(value), depth)  # type: ignore[index,arg-type]
    if type(value) in (set, frozenset):
        return _items(list(value), len(value), depth)  # type: ignore[call-overload,arg-type]
    # An object's repr, length or items are its own code, and may show what it holds.
    return f"<{type(value).__name__}>"


def fields(values: Mapping[Any, object], depth: int = 0) -> dict[str, Any]:
    """A mapping, secret keys hidden. Keys that are no text are named by their type."""
    found: dict[str, Any] = {}
    for key, value in list(values.items())[:MAX_ITEMS]:
        name = text(key) if isinstance(key, str) else str(plain(key, MAX_DEPTH))
        found[name] = "[hidden]" if name.lower() in SECRET else plain(value, depth)
    if len(values) > MAX_ITEMS:
        found["..."] = f"{len(values) - MAX_ITEMS} more"
    return found


def _items(values: list[object], count: int, depth: int) -> list[Any]:
    found = [plain(value, depth) for value in values[:MAX_ITEMS]]
    if count > MAX_ITEMS:
        found.append(f"... {count - MAX_ITEMS} more")
    return found


def text(value: str) -> str:
    """Cut to a length, with escapes for lone surrogates."""
    cut = str.__str__(value)[:MAX_TEXT]
    more = f"... {len(value) - MAX_TEXT} more" if len(value) > MAX_TEXT else ""
    return cut.encode("utf-8", "backslashreplace").decode("utf-8") + more


def failure(error: BaseException) -> str:
    """Our own operator text, the system's, or the type alone: KeyError('As') would tell a card."""
    if isinstance(error, TableError):
        return text(error.line())
    if isinstance(error, OSError) and error.strerror:
        return text(f"{type(error).__name__}: {error.strerror}")
    return type(error).__name__


def trace(error: BaseException) -> list[str]:
    """Where it happened, innermost last, and what caused it; no values of variables."""
    places = [f"{one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)[-12:]]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return places + ([f"because of {failure(cause)}"] if cause is not None else [])


def line(values: Mapping[Any, object]) -> bytes:
    """One line of strict JSON. Too long: what it was about, and that it was cut."""
    clean = fields(values)
    data = json.dumps(clean, ensure_ascii=False, allow_nan=False).encode()
    if len(data) > MAX_LINE:
        kept = {key: clean[key] for key in ("time", "level", "logger", "event") if key in clean}
        data = json.dumps({**kept, "cut": len(data)}, ensure_ascii=False, allow_nan=False).encode()
    return data + b"\n"
