"""`tablectl settle [FILE]`: hands from JSON lines, answers as JSON lines. Every line gets exactly one line."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.rulesets import load
from controller.settle import ReadingsDiffer, run


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--rules", "path", type=click.Path(path_type=Path), help="A house's rule set; requests name its id.")
@click.option("--json", "as_json", is_flag=True, help="Accepted everywhere; the answers are JSON anyway.")
def settle(file: BinaryIO, path: Path | None, as_json: bool) -> int:
    """Settles the hands of FILE (or of standard input), one JSON object a line.

    A bad line gives {"error": ...} in its place and exit code 2 at the end; two readings that differ, exit code 1.
    """
    rules = None if path is None else load(path)
    decode = msgspec.json.Decoder(float_hook=Decimal).decode  # 1.1 antes are 1.1, not the nearest binary number
    codes = {_answer(number, line, decode, rules) for number, line in _lines(file)}
    return min(codes - {0}, default=0)


def _lines(file: BinaryIO) -> Iterable[tuple[int, bytes]]:
    """Lines that say something, each with its number in the file."""
    return ((number, line) for number, line in enumerate(file, start=1) if line.strip())


def _answer(number: int, line: bytes, decode: Any, rules: RuleSet | None) -> int:
    """Prints the line's answer, of an error the line's number as well; its exit code."""
    told, code = _settled(line, decode, rules)
    if "error" in told:
        told["error"]["where"] = f"line {number}, {told['error']['where']}"
    click.echo(msgspec.json.encode(told))
    return code


def _settled(line: bytes, decode: Any, rules: RuleSet | None) -> tuple[dict[str, Any], int]:
    try:
        return run(decode(line), rules), 0
    except ReadingsDiffer as differ:
        return {**differ.as_json(), "domain": differ.domain, "referee": differ.referee}, differ.exit_code
    except TableError as error:
        return dict(error.as_json()), error.exit_code
    except (msgspec.DecodeError, RecursionError) as error:
        return dict(TableError(410, f"not JSON ({error})", "the whole of it", "one JSON object a line").as_json()), 2


commands: list[click.Command] = [settle]
