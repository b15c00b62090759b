"""Where records become durable: the main file, and the mirror when the main file takes no write.

Owns which of the two is the durable one now. A record counts once the durable file has it. It must never write a record
into the main file that the mirror's chain does not lead to.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from controller.domain.events import JournalDegraded, JournalRepaired
from controller.errors import TableError
from controller.journal.copies import Pair, fill_up, first_difference, one_file, open_pair
from controller.journal.mirror import Mirror
from controller.journal.records import Row
from controller.journal.repairs import Repairs
from controller.journal.space import FULL_PERCENT, Space, space_of
from controller.journal.store import WAL_CAP_BYTES, JournalWriteError, Store
from controller.journal.witness import Witness, check

LEVEL_WAIT_S: Final = 0.5
"""At a hand's end the writer waits so long for the mirror."""
RETRY_LOOKS: Final = 5
"""A lost main file is tried at every fifth look: another program's lock would hold the table up for a second."""
BEHIND_LOOKS: Final = 5
"""So many looks in a row (one a second) with the mirror behind, and it counts as lost."""

REPAIRED: Final = b'"type":"JournalRepaired"'

SLOW_S: Final = 1.0
SLOW_TOLD_S: Final = 60.0


class Durable:
    """The files of one open journal. The writer's thread alone uses it."""

    def __init__(
        self,
        pair: Pair,
        disk: Callable[[Path], Space] = space_of,
        clock_s: Callable[[], float] = time.monotonic,
        witness: Witness | None = None,
        verified: Callable[[Path], Store] = Store.open,
        repairs: Repairs | None = None,
    ) -> None:
        self._witness, self._verified = witness, verified
        self._disk, self._clock_s = disk, clock_s
        self._slow_s = self._slow_at = 0.0
        self._main, self._path = pair.main, pair.path
        self._mirror = None if pair.mirror is None else Mirror(pair.mirror, pair.path)
        self._lacking, self._lost_main = pair.lacking, ""
        self._behind = {"mirror": 0, "witness": 0}
        self._looks = 0
        self._repairs = repairs
        self.repaired: tuple[JournalRepaired, ...] = repairs.pending if repairs is not None else ()
        self.store: Store = pair.durable
        if pair.main is None and self._mirror is not None:
            self._mirror.take_over()
            self._lacking, self._lost_main = "", pair.lacking.partition(": ")[2]
        self.degraded = (JournalDegraded(copy="main", fault=self._lost_main),) if self._lost_main else ()
        """What a run must have on record at once: it began without the main file."""

    @classmethod
    def open(
        cls, path: Path, mirror: Path | None, verified: Callable[[Path], Store], witness: Path | None = None
    ) -> Durable:
        """The one file, or both copies, level and verified; and led on from what the witness saw."""
        repairs = Repairs(path)
        pair = one_file(verified(path)) if mirror is None else open_pair(path, mirror, verified, repairs)
        if witness is None:
            return cls(pair, verified=verified, repairs=repairs)
        with contextlib.ExitStack() as undo:
            for store in filter(None, (pair.main, pair.mirror)):
                undo.callback(store.close)
            check(witness, pair.durable, repairs)
            undo.pop_all()
        return cls(pair, witness=Witness(witness, pair.durable), verified=verified, repairs=repairs)

    def append(self, rows: Sequence[Row]) -> None:
        """On disk in the durable file when it returns; JournalWriteError and nowhere otherwise."""
        began = self._clock_s()
        self.store.append(rows)
        ended = self._clock_s()
        if ended - began > SLOW_S:
            self._slow_s, self._slow_at = ended - began, ended
        if self._mirror is not None and not self._lost_main:
            self._mirror.follow(rows)
        if self._witness is not None:
            self._witness.follow(rows[-1].seq, rows[-1].hash)
        if self._repairs is not None and self._repairs.pending and any(REPAIRED in row.body for row in rows):
            self._repairs.recorded()

    def hand_ended(self) -> None:
        """The mirror is level now, or a moment later, or says why not."""
        if self._mirror is not None and not self._lost_main:
            self._mirror.level(LEVEL_WAIT_S)

    def switch(self, why: str) -> bool:
        """The mirror becomes the durable file, if it has all that the main file has."""
        store = None if self._mirror is None or self._lost_main else self._mirror.take_over()
        if store is None or self._main is None or (store.seq, store.head) != (self._main.seq, self._main.head):
            return False
        self.store, self._lost_main = store, why
        return True

    def switch_back(self) -> bool:
        """The main file gets what it lacks and is the durable one again, if it takes it."""
        if self._mirror is None or not self._lost_main or not self._main_is_there():
            return False
        assert self._main is not None
        try:
            fill_up(self._main, self.store)
        except (JournalWriteError, sqlite3.Error):
            return False
        if (self._main.seq, self._main.head) != (self.store.seq, self.store.head):
            return False
        self.store, self._lost_main = self._main, ""
        self._mirror.give_back()
        return True

    def _main_is_there(self) -> bool:
        """A main file that the start could not open is tried again; another story is the next start's matter."""
        if self._main is not None:
            return True
        try:
            main = self._verified(self._path)
        except TableError:
            return False
        if first_difference(main, self.store) or main.seq > self.store.seq:
            main.close()
            return False
        self._main = main
        return True

    def lacking(self) -> str:
        """Which copy is lost and why ("main: disk full"); empty while all are written. Asked once a second."""
        self._looks += 1
        if self._lost_main and self._looks % RETRY_LOOKS == 0:
            self.switch_back()
        if self._lost_main:
            return f"main: {self._lost_main}"
        if any(space.full for space in self._spaces()):
            return f"disk: {FULL_PERCENT} % full"
        mirror = self._lacking or self._not_following("mirror", self._mirror)
        return mirror or self._not_following("witness", self._witness)

    def _not_following(self, name: str, follower: Mirror | Witness | None) -> str:
        """Why a file that a thread of its own writes counts as lost; empty while it does not."""
        if follower is None:
            return ""
        self._behind[name] = self._behind[name] + 1 if follower.lag else 0
        if follower.fault:
            return f"{name}: {follower.fault}"
        return f"{name}: it is behind" if self._behind[name] > BEHIND_LOOKS else ""

    def warnings(self) -> dict[str, str]:
        """By code: a disk that fills up, a write-ahead file that some reader keeps from shrinking, a slow disk."""
        found = {}
        low = next((space for space in self._spaces() if space.low), None)
        if low is not None:
            found["disk_low"] = f"the journal's disk is {low.used_percent} % full ({low.free >> 20} MB free)"
        wal = self.store.wal_bytes()
        if wal > WAL_CAP_BYTES:
            found["reader_pinned"] = f"WAL {wal >> 20} MB, reader pinned: some program keeps the journal open"
        if self._slow_at and self._clock_s() - self._slow_at < SLOW_TOLD_S:
            found["disk_slow"] = f"the journal's disk took {self._slow_s:.1f} s for a record"
        return found

    def _spaces(self) -> list[Space]:
        paths = [self._path, *([] if self._mirror is None else [self._mirror.store.path])]
        return [self._disk(path.parent) for path in paths]

    def health(self) -> dict[str, object]:
        """For the snapshot: which file is the durable one, and how far the mirror is behind."""
        told: dict[str, object] = {"durable": "mirror" if self._lost_main else "main"}
        told["mirror"] = None if self._mirror is None else {"lag": self._mirror.lag}
        return told if self._witness is None else told | {"witness": {"lag": self._witness.lag}}

    def close(self) -> None:
        """Closes the files."""
        if self._witness is not None:
            self._witness.close()
        if self._main is not None:
            self._main.close()
        if self._mirror is not None:
            self._mirror.close()
