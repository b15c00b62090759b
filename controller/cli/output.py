"""How tablectl prints: facts as text or JSON on stdout, errors as one line on stderr. Colour only on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click
import msgspec

from controller.errors import TableError


def print_json(value: Any) -> None:
    """One value, one line of JSON."""
    click.echo(msgspec.json.encode(value).decode())


def print_lines(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)


def print_error(error: TableError, as_json: bool) -> int:
    """The error on stderr, in the form asked for; its exit code."""
    text = msgspec.json.encode(error.as_json()).decode() if as_json else one_line(error.line())
    click.echo(text, err=True)
    return error.exit_code


def one_line(text: str) -> str:
    """Without control characters: what came from a file or a device must not drive the terminal."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def strong(text: str) -> str:
    """Bold on a terminal, plain elsewhere."""
    return click.style(text, bold=True) if sys.stdout.isatty() else text


def table(rows: list[list[str]]) -> list[str]:
    """Columns as wide as they need, two blanks apart."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


@contextlib.contextmanager
def shown_progress(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each stage on stderr, where that is a terminal; nothing at all elsewhere."""
    if not sys.stderr.isatty():
        yield lambda stage, done, of: None
        return
    from rich.console import Console  # noqa: PLC0415 - only a person who waits pays for it
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def told(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(f"{what}: {stage}")
            bars.update(tasks[stage], completed=done, total=of)

        yield told
