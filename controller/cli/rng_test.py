"""`tablectl rng-test`: the battery on the joker's draw, with bad sources beside it, and a report for a laboratory.

Draws with the table's own code and the kernel's entropy, and touches no table.
"""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.cli.audit import parsed_key
from controller.cli.output import print_json, print_lines, shown_progress, table
from controller.domain import joker
from controller.errors import TableError
from controller.journal import keys as key_files
from controller.randomness.report import Plan, Report, decoded, encoded, examine


@click.command("rng-test")
@click.option("--draws", type=click.IntRange(min=50_000), default=1_000_000, show_default=True, help="Draws in all.")
@click.option("--streams", type=click.IntRange(10, 1000), default=10, show_default=True, help="Streams they come from.")
@click.option("--doc-weight", type=click.IntRange(0, 10_000), default=3, show_default=True, help="Weight of DOC.")
@click.option("--sign", type=click.Path(path_type=Path), metavar="KEY", help="Sign with this Ed25519 key file.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the report here, as JSON.")
@click.option("--verify", type=click.Path(path_type=Path), metavar="FILE", help="Check a signed report; draw nothing.")
@click.option("--key", metavar="HEX", help="With --verify: the public key that must have signed.")
@click.option("--json", "as_json", is_flag=True, help="The report as one JSON object.")
def rng_test_command(
    draws: int,
    streams: int,
    doc_weight: int,
    sign: Path | None,
    report: Path | None,
    verify: Path | None,
    key: str | None,
    as_json: bool,
) -> None:
    """Test the joker's draw at 99 %: raw bytes, words and mapped slots, and bad sources that must be found."""
    if verify is not None:
        data = verify.read_bytes()
        found = _verified(data, verify, parsed_key(key))
    else:
        signer = None if sign is None else key_files.signing_key(sign)
        data, found = _examined(Plan(draws=draws, streams=streams, doc_weight=doc_weight), signer)
        if report is not None:
            report.write_bytes(data + b"\n")
    if as_json:
        print_json(found) if verify is not None else click.echo(data.decode())
    else:
        print_lines(lines(found, signed=b'"signature":""' not in data))
    if not found.ok:
        click.get_current_context().exit(1)


commands: list[click.Command] = [rng_test_command]


def _examined(plan: Plan, signer: Ed25519PrivateKey | None) -> tuple[bytes, Report]:
    code = hashlib.sha256(Path(joker.__file__).read_bytes()).hexdigest()
    label = datetime.now(UTC).isoformat(timespec="seconds")
    with shown_progress("rng-test") as progress:
        found = examine(plan, os.urandom, progress, program=version("table-controller"), code=code, t=label)
    return encoded(found, signer), found


def _verified(data: bytes, path: Path, key: Ed25519PublicKey | None) -> Report:
    try:
        return decoded(data, key)
    except ValueError as error:
        remedy = "ask for the report anew, and for the public key by another way"
        raise TableError(241, f"the report does not verify: {error}", str(path), remedy, exit_code=1) from None


def lines(report: Report, *, signed: bool) -> list[str]:
    """The report for people."""
    head = (
        f"joker's draw, doc_weight {report.doc_weight}: {report.draws} draws in {report.streams} streams, {report.t}, "
        f"version {report.program}, code {report.code[:16]}"
    )
    rows = [["stream", "test", "p < 0.01", "p of the spread", ""]]
    for verdict in report.verdicts:
        small = sum(p < 0.01 for p in verdict.p_values)
        said = "passed" if verdict.passed else "FAILED"
        rows.append([verdict.stream, verdict.test, f"{small} of {len(verdict.p_values)}", f"{verdict.p:.4f}", said])
    controls = [
        f"control {control.name}: " + (f"found by {', '.join(control.found_by)}" if control.found_by else "NOT FOUND")
        for control in report.controls
    ]
    proofs = [
        f"mapping, all {proof.words} words of {proof.word_bits} bits: {'exact' if proof.exact else 'NOT EXACT'}, "
        f"{proof.thrown_away} thrown away"
        for proof in report.mapping
    ]
    end = (
        f"at {report.confidence:.0%}, each verdict at p {report.threshold:.6f}, {'signed' if signed else 'not signed'}"
    )
    return [head, *table(rows), *controls, *proofs, f"rng-test: {'OK' if report.ok else 'FAILED'} {end}"]
