"""`tablectl recall` and `verify-hand`: one hand, out of a journal file or as the daemon tells it.

With a file: read with the key that the hand's last record reveals, no operator, nothing written. Without one a
supervisor asks the daemon, on record. It must never show of an unfinished hand what is sealed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from controller.cli import find
from controller.cli.output import one_line, print_json, print_lines
from controller.cli.recall_text import draw_lines, recall_lines
from controller.cli.table import read_pins, socket_path, with_socket
from controller.control.client import Client
from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.archive import file_of, latest_of
from controller.journal.codec import Registry
from controller.journal.hands import Finding, Hand, read_hand
from controller.journal.reader import Reader
from controller.journal.recall import check_draw, draw_problem, recall
from controller.journal.summaries import told

Function = TypeVar("Function", bound=Callable[..., Any])


def _options(function: Function) -> Function:
    """What both commands take."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="The facts as one JSON object."),
        click.option("--pin-fd", type=click.IntRange(min=0), help="Read the PINs here, one a line."),
        click.option("--as", "operators", multiple=True, metavar="OPERATOR", help="Who asks the daemon."),
        with_socket,
        click.argument("words", nargs=-1, metavar="[N] [JOURNAL]"),
    ):
        function = decorate(function)
    return function


@click.command("recall")
@_options
def recall_command(words: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Show hand N as it was recorded, from the file JOURNAL or, without one, from the daemon.

    Without N: the last fifty hands in a line each, the newest first.
    """
    number, journal = _words(words)
    if number is None:
        _list(journal, as_json, asked)
        return
    facts, findings = _facts(number, journal, asked)
    if findings:
        remedy = "run `tablectl audit` on the file"
        raise TableError(208, f"the journal does not verify: {findings[0].what}", str(journal), remedy, exit_code=3)
    if as_json:
        print_json(facts)
    else:
        print_lines([one_line(line) for line in recall_lines(facts)])


@click.command("verify-hand")
@_options
def verify_hand_command(words: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Compute the draw of hand N again from the record alone."""
    number, journal = _words(words)
    if number is None:
        raise click.UsageError("Missing argument 'N'.")
    facts, findings = _facts(number, journal, asked, check=True)
    if facts["outcome"] == "open":
        raise TableError(212, f"hand {number} is not finished", "its key is still sealed", "wait for its last record")
    if as_json:
        print_json({"hand": number, "ok": not findings, "draw": facts["draw"], "findings": findings})
    elif not findings:
        print_lines([one_line(line) for line in [*draw_lines(facts["draw"]), f"verify-hand: OK hand {number}"]])
    _end(findings)


commands: list[click.Command] = [recall_command, verify_hand_command]


def _words(words: tuple[str, ...]) -> tuple[int | None, Path | None]:
    """N and JOURNAL; a number is N, a file of that name is written ./12."""
    left = list(words)
    number = int(left.pop(0)) if left and left[0].isascii() and left[0].isdigit() else None
    if len(left) > 1 or number == 0:
        raise click.UsageError(f"{' '.join(words)}: give N, counted from 1, and one JOURNAL")
    return number, Path(left[0]) if left else None


def _list(journal: Path | None, as_json: bool, asked: dict[str, Any]) -> None:
    if journal is None:
        facts, _ = _from_daemon(0, False, **asked)
        hands: list[dict[str, Any]] = facts["hands"]
    else:
        hands = [told(summary) for summary in latest_of(journal)]
    if as_json:
        print_json({"recall": True, "hands": hands})
    else:
        print_lines(["RECALL, the last hands", *(one_line(line) for line in find.lines(hands))])


def _facts(
    number: int, journal: Path | None, asked: dict[str, Any], *, check: bool = False
) -> tuple[dict[str, Any], list[Finding]]:
    if journal is None:
        return _from_daemon(number, check, **asked)
    hand, findings = _from_file(number, journal)
    return recall(hand), findings + (check_draw(hand) if check and not findings else [])


def _from_file(number: int, journal: Path) -> tuple[Hand, list[Finding]]:
    with Reader(file_of(journal, number)) as reader:
        return read_hand(reader, Registry(registry()), number, str(journal))


def _from_daemon(
    number: int, check: bool, socket: Path | None, config: Path | None, operators: tuple[str, ...], pin_fd: int | None
) -> tuple[dict[str, Any], list[Finding]]:
    identities = list(zip(operators, read_pins(operators, pin_fd), strict=True))
    with Client(socket_path(socket, config)) as client:
        facts: dict[str, Any] = client.recall(number, identities).outcome
    draw = facts.get("draw")
    problem = draw_problem(draw) if check and draw and facts["outcome"] != "open" else None
    return facts, [] if problem is None else [Finding(0, "draw", f"hand {number}: {problem[1]}", number)]


def _end(findings: list[Finding]) -> None:
    for finding in findings:
        click.echo(finding.what, err=True)
    if findings:
        click.get_current_context().exit(1)
