"""Archiving by the configuration: on command, and at the start of a closed table whose file has come to its limit.

Decides when; controller.journal.rotation does it, in a step that no crash halves. It must never keep a table from its
start: what cannot be archived is said, and the journal goes on as it is.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from controller.config import Config
from controller.errors import TableError
from controller.journal.journal import Journal
from controller.journal.records import RUN_ENDED, Stamp
from controller.journal.rotation import Archived, rotate
from controller.journals import begin_journal, load_keys
from controller.runtime.notify import Patience
from controller.table import keeping, past
from controller.table.past import Replayed


def archive(config: Config, journal: Journal, replayed: Replayed, stamp: Stamp) -> Archived:
    """`journal` is open, and is closed here. The mirror follows the new file at the next start."""
    path = Path(config.journal.path)
    if replayed.table.open:
        journal.close()
        raise TableError(235, "the table is open", str(path), "close the table, stop tabled, then archive")
    state = keeping.kept(replayed.table, replayed.statistics, replayed.statistics.span)
    make = partial(begin_journal, table=config.table.id, keys=load_keys(config.keys), stamp=stamp)
    return rotate(journal, path, make, state, stamp)


def taken_up(
    open_journal: Callable[[], Journal], config: Config, patience: Patience, stamp: Stamp
) -> tuple[Journal, Replayed]:
    """The journal to go on with and what it says; archived before that where it is due."""
    journal, replayed = _replayed(open_journal, config, patience)
    if not _due(config, journal, replayed):
        return journal, replayed
    patience.begin("archiving the journal")
    try:
        archive(config, journal, replayed, stamp)
    except TableError as error:
        print(error.line(), file=sys.stderr)
    except (OSError, sqlite3.Error) as error:
        remedy = "free the disk; `tablectl archive` tries again at once"
        print(TableError(253, f"not archived ({error})", config.journal.path, remedy).line(), file=sys.stderr)
    patience.begin("verifying the journal")
    return _replayed(open_journal, config, patience)


def _replayed(open_journal: Callable[[], Journal], config: Config, patience: Patience) -> tuple[Journal, Replayed]:
    with contextlib.ExitStack() as undo:
        journal = open_journal()
        undo.callback(journal.close)
        replayed = past.replay(journal, config.alarms.hands, patience.step)
        undo.pop_all()
        return journal, replayed


def _due(config: Config, journal: Journal, replayed: Replayed) -> bool:
    """So many hands in a file that an orderly stop of a closed table ended, and nothing to be told in it first."""
    most, first = config.journal.archive_hands, journal.first_hand
    if journal.repaired:  # what was mended, and why, belongs into the file that it happened to
        return False
    if not most or not first or replayed.table.open or replayed.table.training or journal.degraded:
        return False
    return journal.last_type == RUN_ENDED and journal.last_hand - first + 1 >= most
