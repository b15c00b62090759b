"""Plays hands of one game on a journal on disk, the same way each time, and says on stdout what is on record.

`crash_player.py GAME FOLDER HANDS [mirror]`: run under strace, so that each of its writes is known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from harness import Rig, make_setup
from test_table_every_game import FILLED, Player

from controller.domain.hand.setup import Setup

PAGES = 20
"""The write-ahead file goes back into the database after so many, so that it does within a hand."""


def setup_of(game: str) -> Setup:
    """Two boxes, with a jackpot, so that the meter moves."""
    return make_setup(game, boxes=2, house=FILLED.get(game), ante_min=10, jackpot_stake=10, meter="1000")


def tell(rig: Rig) -> None:
    """What the table would have shown or acknowledged by now."""
    assert rig.journal is not None
    os.write(1, b"%d %s\n" % (rig.journal.seq, rig.journal.head.hex().encode()))


def told(rig: Rig, write: Callable[..., None]) -> Callable[..., None]:
    """A write that says so once it is done."""

    def telling(*args: Any) -> None:
        write(*args)
        tell(rig)

    return telling


def main(game: str, folder: Path, hands: int, mirror: str = "") -> None:
    """Plays, and ends the run in order."""
    rig = Rig(folder, setup_of(game), folder / "journal-mirror.db" if mirror else None, keep_every=1)
    assert rig.journal is not None
    rig.journal._store._connection.execute(f"PRAGMA wal_autocheckpoint={PAGES}").fetchall()
    for name in ("append", "keep"):
        setattr(rig.recorder, name, told(rig, getattr(rig.recorder, name)))
    tell(rig)
    rig.open()
    player = Player(rig, seed=len(game))
    for _ in range(hands):
        player.hand()
    rig.service.end_run("test")
    rig.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
