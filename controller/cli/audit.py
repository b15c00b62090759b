"""`tablectl audit`: the whole journal checked from its bytes, on the table or on a laptop with a copy.

Shows what controller.journal.verify finds. It must never need a key of the table, nor write to the journal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.cli.output import one_line, shown_progress
from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.archive import check_links, files, lost
from controller.journal.auditing import Across, Checks, Options
from controller.journal.chain_pass import Unsigned
from controller.journal.codec import Registry
from controller.journal.hands import Finding
from controller.journal.keys import public_key
from controller.journal.recall import check_draw
from controller.journal.verify import Report, audit
from controller.table import meters
from controller.table.audit import check_hand

DEFAULT_JOURNAL: Final = Path("/var/lib/table-controller/journal.db")
CHECKS: Final = Checks(hands=(check_draw, check_hand), across=Across(meters.note, meters.judge))
"""What every hand is put through, and what must hold from hand to hand."""


@click.command("audit")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option("--from", "from_hand", type=click.IntRange(min=1), metavar="HAND", help="Begin at this hand.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes for the hands.")
@click.option("--head", metavar="HEX", help="A head noted earlier: also finds a journal cut back or put back.")
@click.option("--key", metavar="HEX", help="The table's public key from the opening sheet.")
@click.option("--live", is_flag=True, help="The daemon is running: the end need not be an orderly stop.")
@click.option("--chain", "chain_only", is_flag=True, help="Chain and signatures only.")
@click.option("--archive", "archived", is_flag=True, help="The archived files that it goes on from, too.")
@click.option("--json", "as_json", is_flag=True, help="Findings as one JSON object (--archive: a line for each file).")
def audit_command(
    journal: Path | None,
    from_hand: int | None,
    jobs: int,
    head: str | None,
    key: str | None,
    live: bool,
    chain_only: bool,
    archived: bool,
    as_json: bool,
) -> None:
    """Check JOURNAL: chain, signatures, seals, draws, settlements, meters. Exit code 1 where anything does not hold."""
    path = journal or default_journal()
    options = Options(parsed_key(key), _head(head), live, from_hand, chain_only, jobs)
    report = _audited(path, options)
    click.echo(_json(report) if as_json else _text(report))
    ok = report.ok and (not archived or _archive(path, report, options, as_json))
    if not ok:
        click.get_current_context().exit(1)


commands: list[click.Command] = [audit_command]


def default_journal() -> Path:
    """A table's journal where a package puts it, or the one in this folder."""
    return DEFAULT_JOURNAL if DEFAULT_JOURNAL.exists() else Path("journal.db")


def _archive(path: Path, newer: Report, options: Options, as_json: bool) -> bool:
    """The files before this one, newest first; whether each is the one that its successor names, its meter too."""
    ok, gaps = True, {each.journal: each for each in lost(path)}
    successor = path
    older = msgspec.structs.replace(options, head=None, live=False, from_hand=None)
    for each in list(files(path))[1:]:
        report = _audited(each, older, named=False)
        click.echo(_json(report) if as_json else f"{each.name}: {_text(report)}")
        known = newer.totals and report.totals and successor.name not in gaps  # hands between may have moved it
        goes_on = not known or newer.totals["first"] == report.totals["last"]
        if not goes_on:
            click.echo(
                one_line(f"{each.name}: the meter ends at {report.totals['last']}, not where the next begins"), err=True
            )
        ok, newer, successor = ok and report.ok and goes_on, report, each
    for gap in gaps.values():  # no finding: two people decided it, on record
        click.echo(one_line(f"{gap.journal}: {gap.what}: not audited"), err=True)
    links = check_links(path)
    for finding in links:
        click.echo(one_line(finding.what), err=True)
    return ok and not links


def _audited(path: Path, options: Options, *, named: bool = True) -> Report:
    """`named`: by the caller, who hears that it is no journal; what stands in an archive's place is a finding."""
    try:
        with shown_progress("audit") as progress:
            return audit(path, Registry(registry()), options, CHECKS, progress)
    except TableError as error:
        if named and error.exit_code != 3:
            raise
        return Report(0, 0, 0, "", (Finding(1, "file", f"record 1: {error.what}"),))  # the check failed: exit code 1


def parsed_key(text: str | None) -> Ed25519PublicKey | None:
    if text is None:
        return None
    try:
        return public_key(text.strip())
    except ValueError:
        remedy = "copy the 64 hex characters of the public key, from the opening sheet for instance"
        raise TableError(101, "not a public key", "--key", remedy, exit_code=2) from None


def _head(text: str | None) -> bytes | None:
    try:
        return None if text is None else bytes.fromhex(text)
    except ValueError:
        remedy = "copy the 64 hex characters of the printed head"
        raise TableError(103, "not a head", "--head", remedy, exit_code=2) from None


def _text(report: Report) -> str:
    ordered = report.ordered()
    lines = [
        *_meter(report.totals),
        *_untrusted(report.untrusted),
        *_unsigned(report.unsigned),
        *(one_line(finding.what) for finding in ordered),
    ]
    if not ordered:
        return "\n".join([*lines, f"audit: OK {report.hands} hands, {report.records} records, head {report.head}"])
    first, many = ordered[0], "finding" if len(ordered) == 1 else "findings"
    place = (first.seq or "none") if first.until in (None, first.seq) else f"{first.seq} to {first.until}"
    return "\n".join([*lines, f"audit: FAILED {len(ordered)} {many}, first bad record {place}: {first.remedy}"])


def _meter(totals: dict[str, Any]) -> list[str]:
    if not totals:
        return []
    told = "meter {first} -> {last}, reserve {reserve}, {contributed} of {staked} staked, {hits} hits: {prizes}"
    corrected = "meter corrected by {by} at record {record} ({people}): {reason}"
    said = [corrected.format(**c, people=", ".join(c["operators"])) for c in totals["corrections"]]
    return [told.format(**totals), *map(one_line, said)]


def _untrusted(told: dict[str, list[list[int]]]) -> list[str]:
    """Not a finding, and not to be passed over."""
    lines = []
    for device, ranges in sorted(told.items()):
        hands = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)
        lines.append(one_line(f"untrusted: cards of hands {hands} came from {device}, which cannot prove who it is"))
    return lines


def _unsigned(told: Unsigned | None) -> list[str]:
    """Not a finding either: so it is while a table runs, and after its power failed."""
    if told is None:
        return []
    return [f"unsigned: {told.records} records from {told.since} ({told.t}) on stand behind the last signature"]


def _json(report: Report) -> str:
    first = report.first
    findings = [
        {**msgspec.to_builtins(finding), "seq": finding.seq or None, "remedy": finding.remedy}
        for finding in report.ordered()
    ]
    first_bad = None if first is None else first.seq or None
    facts = {"ok": report.ok, "first_bad": first_bad, **msgspec.to_builtins(report)}
    return msgspec.json.encode({**facts, "findings": findings}).decode()
