"""`tablectl catalogue`: makes the catalogues that archived files of a journal lack, for `find --archive`."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.audit import default_journal
from controller.cli.output import print_json, print_lines
from controller.journal.catalogue import catalogue_of, lacking, make


@click.command("catalogue")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="What was made, as one JSON object.")
def catalogue_command(journal: Path | None, as_json: bool) -> None:
    """Make the catalogues that the archived files behind JOURNAL lack; those that fit stay as they are."""
    made = {str(catalogue_of(path)): make(path) for path in lacking(journal or default_journal())}
    if as_json:
        print_json({"made": made})
    else:
        print_lines([f"{name}: {hands} hands" for name, hands in made.items()] or ["no file lacks a catalogue"])


commands: list[click.Command] = [catalogue_command]
