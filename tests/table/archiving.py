"""A table of the harness archived, as `tablectl archive` does it. Run as a program: plays two hands, then archives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from crash_player import setup_of
from harness import D1, S1, S2, Rig
from harness_parts import TABLE, Entropy, open_journal, registry
from test_table_every_game import Player

from controller.domain import commands as cm
from controller.journal import keys as key_files
from controller.journal.journal import Journal
from controller.journal.records import Stamp
from controller.journal.rotation import Archived, rotate
from controller.table import keeping, past

STAMP = Stamp("2024-02-01T00:00:00.000+00:00", 1, "archive")


def played(folder: Path, hands: int, game: str = "jpoker") -> Rig:
    """A table that was opened, played, closed and stopped in order."""
    rig = Rig(folder, setup_of(game)).open()
    play(rig, hands)
    return rig


def play(rig: Rig, hands: int) -> None:
    """So many hands, then closed and stopped."""
    player = Player(rig, seed=rig.table.hands)
    for _ in range(hands):
        player.hand()
    rig.do(cm.CloseTable(), D1, S1, S2)
    rig.service.end_run("test")
    rig.close()


def archived(folder: Path, mirror: Path | None = None) -> Archived:
    """The folder's journal archived."""
    journal = open_journal(folder, mirror)
    replayed = past.replay(journal)
    state = ({}, "{}") if replayed.table.open else keeping.kept(replayed.table, replayed.statistics, 2000)
    return rotate(journal, folder / "journal.db", made, state, STAMP)


def made(path: Path) -> Journal:
    """An empty journal of the same table."""
    keys = key_files.load(path.parent)
    return Journal.create(path, table=TABLE, keys=keys, registry=registry(), entropy=Entropy(), stamp=STAMP)


if __name__ == "__main__":
    played(Path(sys.argv[1]), 2)
    os.write(1, b"1 begin\n")
    archived(Path(sys.argv[1]))
