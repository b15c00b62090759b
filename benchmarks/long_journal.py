"""Writes long journals as the real codec, keys and signatures make them: one real hand, again and again.

Each hand gets a key, seals and signatures of its own, about 50 kB; nothing that a table records is left out. Without
fsync: nobody needs these files after a power cut.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from harness import D1, S1, Rig, make_setup
from harness_parts import TABLE, open_journal
from test_table_every_game import Player

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve_all
from controller.domain.state import Table
from controller.journal import keys as key_files
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.records import Stamp
from controller.journal.rotation import rotate
from controller.journals import begin_journal
from controller.table import keeping
from controller.table.statistics import SPAN, Statistics, fold_all

GAME: Final = "oasis_ru"
BOXES: Final = 6
YEAR: Final = 400_000
"""Hands of one table in a year."""
_BEGAN: Final = datetime(2024, 1, 1, tzinfo=UTC)
_PACE: Final = timedelta(days=365) / YEAR
_OF_THE_NEXT_HAND: Final = (ev.HandOpened, ev.HandEnded, ev.DeckTaken, ev.PhaseEntered)


class Writer:
    """One table's journal, continued by as many hands as are asked for, in one file or in several."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "journal.db"
        rig = Rig(folder, make_setup(GAME, boxes=BOXES, ante_min=10)).open()
        Player(rig, seed=6).hand()
        assert rig.journal is not None
        self._hand = [r.event for r in rig.journal.replay_hand(1) if isinstance(r.event, ev.Event)]
        rig.close()
        for old in folder.glob("journal*"):
            old.unlink()
        self._opening, self._closing = _around(rig.setup)
        self.table, self.statistics, self.file = Table(), Statistics(), 1
        self._keys = key_files.load(folder)
        made = begin_journal(self.path, table=TABLE, keys=self._keys, stamp=self._stamp())
        self.journal = quick(made)
        self._append(self._opening, None)

    def until(self, hands: int) -> None:
        """More hands, up to this number, and a stop."""
        for number in range(self.table.hands + 1, hands + 1):
            key = os.urandom(32).hex()
            self._append([_numbered(event, number, key) for event in self._hand], number)
            if number % keeping.EVERY == 0:
                self.journal.keep(*keeping.kept(self.table, self.statistics), self._stamp())
        self.journal.append([ev.RunEnded(reason="bench", head="", signature="")], hand=None, stamp=self._stamp())

    def again(self) -> None:
        """The file was closed to be measured."""
        self.journal = quick(open_journal(self.folder))

    def next_file(self) -> None:
        """The table closes, its journal moves to the archive, the next one begins."""
        ended = ev.RunEnded(reason="bench", head="", signature="")
        self._append([*self._closing, ended], None)
        make = partial(begin_journal, table=TABLE, keys=self._keys, stamp=self._stamp())
        rotate(self.journal, self.path, make, keeping.kept(self.table, self.statistics, SPAN), self._stamp())
        self.file += 1
        self.again()
        self._append(self._opening, None)

    def _append(self, events: list[ev.Event], hand: int | None) -> None:
        """On record and in the state."""
        self.journal.append(events, hand=hand, stamp=self._stamp(hand))
        self.table = evolve_all(self.table, events)
        self.statistics = fold_all(self.statistics, events, _seconds(self.table.hands))

    def _stamp(self, hand: int | None = None) -> Stamp:
        number = self.table.hands if hand is None else hand
        t = (_BEGAN + number * _PACE).isoformat(timespec="milliseconds")
        return Stamp(t, number, f"run{self.file}")


def quick(journal: Journal) -> Journal:
    """A file that nobody needs after a power cut."""
    journal._store._connection.execute("PRAGMA synchronous=OFF").fetchall()
    return journal


def registry() -> Registry:
    """The table's events."""
    return Registry(ev.registry())


def _around(setup: object) -> tuple[list[ev.Event], list[ev.Event]]:
    """What is on record when the table opens, and when it closes."""
    rig = Rig(None, setup).open()  # type: ignore[arg-type]
    opening = rig.events()
    rig.do(cm.CloseTable(), D1, S1)
    closing = rig.events()[len(opening) :]
    told = [[event for event in part if not isinstance(event, _OF_THE_NEXT_HAND)] for part in (opening, closing)]
    return told[0], told[1]


def _seconds(hand: int) -> float:
    return (_BEGAN + hand * _PACE).timestamp()


def _numbered(event: ev.Event, number: int, key: str) -> ev.Event:
    if isinstance(event, ev.HandOpened):
        return msgspec.structs.replace(event, hand=number, key=key)
    if isinstance(event, ev.HandEnded):
        return msgspec.structs.replace(event, hand=number, key=key)
    return event
