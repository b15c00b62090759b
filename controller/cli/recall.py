"""`tablectl recall` and `verify-hand`: one hand out of a journal file, read with the key that its last record reveals.

Marks what it prints as a recall. It must never change the journal, nor show of an unfinished hand what is sealed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.codec import Registry
from controller.journal.hands import Finding, Hand, read_hand
from controller.journal.reader import Reader
from controller.journal.recall import check_draw, draw_facts, recall


@click.command("recall")
@click.argument("number", type=click.IntRange(min=1), metavar="N")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="Request, answer, draw and overrides as one JSON object.")
def recall_command(number: int, journal: Path | None, as_json: bool) -> None:
    """Show hand N of JOURNAL as it was recorded. Needs no operator and writes nothing."""
    hand, findings = _hand(number, journal)
    facts = recall(hand)
    click.echo(msgspec.json.encode(facts).decode() if as_json else "\n".join(_lines(facts)))
    _end(findings)


@click.command("verify-hand")
@click.argument("number", type=click.IntRange(min=1), metavar="N")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="Everything that goes into the draw, as one JSON object.")
def verify_hand_command(number: int, journal: Path | None, as_json: bool) -> None:
    """Compute the draw of hand N of JOURNAL again from the record alone."""
    hand, findings = _hand(number, journal)
    if not hand.revealed and not findings:
        raise TableError(212, f"hand {number} is not finished", "its key is still sealed", "wait for its last record")
    findings = findings + check_draw(hand)
    draw = draw_facts(hand)
    if as_json:
        found = [msgspec.to_builtins(finding) for finding in findings]
        click.echo(msgspec.json.encode({"hand": number, "ok": not findings, "draw": draw, "findings": found}).decode())
    elif not findings:
        click.echo("\n".join(_draw_lines(draw)))
        click.echo(f"verify-hand: OK hand {number}")
    _end(findings)


commands: list[click.Command] = [recall_command, verify_hand_command]


def _hand(number: int, journal: Path | None) -> tuple[Hand, list[Finding]]:
    if journal is None:
        raise TableError(102, "no journal named", "JOURNAL", "name a journal file or a copy of one")
    with Reader(journal) as reader:
        return read_hand(reader, Registry(registry()), number)


def _end(findings: list[Finding]) -> None:
    for finding in findings:
        click.echo(finding.what, err=True)
    if findings:
        raise SystemExit(1)


def _lines(facts: dict[str, Any]) -> list[str]:
    lines = [f"RECALL hand {facts['hand']}, table {facts['table']}: {facts['outcome']}", *_draw_lines(facts["draw"])]
    for box in (facts["answer"] or {}).get("boxes", ()):
        lines.append(
            f"box {box.get('box')}: {box.get('cards', '')} net {box.get('net')} returned {box.get('returned')}"
        )
    lines += [f"record {entry['seq']}: {entry['type']}" for entry in facts["overrides"]]
    return lines


def _draw_lines(draw: dict[str, Any] | None) -> list[str]:
    if draw is None:
        return ["no draw: the hand was never locked"]
    names = ("commitment", "seed", "witness", "rules_hash", "doc_weight", "draw", "slot", "shown")
    return [f"{name}: {draw[name]}" for name in names if draw[name] is not None]
