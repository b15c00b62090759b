"""The code tables that table.toml names, read as the daemon takes them. Opens no port."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.errors import TableError
from drivers.reader_codes import CodeTable, CodeTableError, parse_codes

LEARN = "make it with tablectl learn-cards (docs/readers.md)"


def code_table(path: str, cards: Sequence[str]) -> CodeTable:
    """A plain reader's table; refused where one of these cards has no code."""
    try:
        table = parse_codes(Path(path).read_bytes())
    except OSError as error:
        raise TableError(140, f"cannot read the code table, {error.strerror}", path, LEARN) from None
    except CodeTableError as error:
        raise TableError(140, f"not a code table, {error}", path, LEARN) from None
    missing = table.missing(cards)
    if missing:
        what = f"{len(missing)} cards have no code: {' '.join(missing[:8])}{' ...' if len(missing) > 8 else ''}"
        raise TableError(141, what, path, LEARN)
    return table
