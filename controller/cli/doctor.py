"""`tablectl doctor`: this machine as a table. Prints what controller.doctor finds; touches nothing itself."""

from __future__ import annotations

import os
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.output import one_line, print_json
from controller.doctor.finding import Finding, Level
from controller.doctor.machine import here
from controller.doctor.probes import examine, failed

DEFAULT_CONFIG = Path("/etc/table-controller/table.toml")


@click.command()
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The table's table.toml.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def doctor(config: Path, as_json: bool) -> int:
    """Ports, pins, supply, clock, disk, software, keys, journal, services and USB of this machine, each with a remedy.

    As root it sees everything. Exit code 1 where something must be mended before the table opens. docs/doctor.md.
    """
    machine = here(datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic_ns, os.environ)
    findings: list[Finding] = []
    for finding in examine(machine, config):
        findings.append(finding)
        if not as_json:
            click.echo(one_line(finding.line()))
    if as_json:
        print_json({"ok": not failed(findings), "findings": findings})
    else:
        click.echo(_verdict(findings))
    return int(failed(findings))


commands: list[click.Command] = [doctor]


def _verdict(findings: list[Finding]) -> str:
    counts = Counter(finding.level for finding in findings)
    told = ", ".join(f"{counts[level]} {level}" for level in Level)
    return f"doctor: {'FAILED' if failed(findings) else 'OK'} {told}"
