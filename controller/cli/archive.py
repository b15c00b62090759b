"""`tablectl archive`: moves the journal of a closed, stopped table to another name; a new one goes on from it.

Needs the table's keys. Nothing is deleted and nothing of the old file is written.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import msgspec

from controller.cli.output import print_json, print_lines
from controller.config import Config, load_config
from controller.errors import TableError
from controller.journal.catalogue import make as make_catalogue
from controller.journal.records import Stamp
from controller.journal.rotation import Archived, rotate
from controller.journals import begin_journal, load_keys, open_journal
from controller.runtime.clock import Clock
from controller.table import keeping, past


@click.command("archive")
@click.option("--config", type=click.Path(path_type=Path), required=True, help="table.toml of the stopped table.")
@click.option("--json", "as_json", is_flag=True, help="What was archived as JSON.")
def archive_command(config: Path, as_json: bool) -> None:
    """Begin a new journal file; the old one moves whole and stays beside it."""
    loaded = load_config(config)
    done = archive(loaded, Clock("archive").stamp())
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


def archive(config: Config, stamp: Stamp) -> Archived:
    """Both copies are levelled first; the mirror follows the new file at the next start."""
    path = Path(config.journal.path)
    keys = load_keys(config.keys)
    journal = open_journal(config, keys)
    replayed = past.replay(journal)
    if replayed.table.open:
        journal.close()
        raise TableError(235, "the table is open", str(path), "close the table, stop tabled, then archive")
    state = keeping.kept(replayed.table, replayed.statistics, replayed.statistics.span)
    make = partial(begin_journal, table=config.table.id, keys=keys, stamp=stamp)
    return rotate(journal, path, make, state, stamp)
