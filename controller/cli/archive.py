"""`tablectl archive`: moves the journal of a closed, stopped table to another name; a new one goes on from it.

Needs the table's keys. Nothing is deleted and nothing of the old file is written.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from controller.archiving import archive
from controller.cli.output import print_json, print_lines
from controller.config import Config, load_config
from controller.journal.catalogue import make as make_catalogue
from controller.journal.records import Stamp
from controller.journal.rotation import Archived
from controller.journals import load_keys, open_journal
from controller.runtime.clock import Clock
from controller.table import past


@click.command("archive")
@click.option("--config", type=click.Path(path_type=Path), required=True, help="table.toml of the stopped table.")
@click.option("--json", "as_json", is_flag=True, help="What was archived as JSON.")
def archive_command(config: Path, as_json: bool) -> None:
    """Begin a new journal file; the old one moves whole and stays beside it."""
    loaded = load_config(config)
    done = archived(loaded, Clock("archive").stamp())
    make_catalogue(Path(loaded.journal.path).with_name(done.file))
    if as_json:
        print_json(msgspec.to_builtins(done))
        return
    print_lines(
        [
            f"archived {done.file}: hands {done.first_hand} to {done.last_hand}, {done.records} records",
            f"sha256 {done.sha256}",
            f"head {done.head}",
        ]
    )


commands: list[click.Command] = [archive_command]


def archived(config: Config, stamp: Stamp) -> Archived:
    """Both copies are levelled first."""
    journal = open_journal(config, load_keys(config.keys))
    return archive(config, journal, past.replay(journal), stamp)
