"""The second copy: follows the main file in a thread of its own, record by record, and never alters one.

Owns the mirror's file while it follows. The writer's thread only hands rows over and never waits here, but for a
moment at a hand's end. A mirror that fails says so and goes on trying; it must never hold up a record.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from controller.journal.reader import read_rows
from controller.journal.records import Row
from controller.journal.store import JournalWriteError, Store

RETRY_S: Final = 1.0
MOST_ROWS: Final = 5000
"""Rows kept in memory for a mirror that is behind; beyond, they are read from the main file again."""


class Mirror:
    """A mirror that is being written. `store` was opened shared and is level, or behind and a prefix."""

    def __init__(self, store: Store, main: Path) -> None:
        self._store = store
        self._main = main
        self._rows: deque[Row] = deque()
        self._changed = threading.Condition()
        self._using = threading.Lock()  # the file belongs to whoever holds it
        self._goal = store.seq
        self._following = True
        self._closing = False
        self._fault = ""
        self._thread = threading.Thread(target=self._run, name="mirror", daemon=True)
        self._thread.start()

    @property
    def store(self) -> Store:
        """Its file."""
        return self._store

    @property
    def lag(self) -> int:
        """Records that the main file has and the mirror has not."""
        return max(0, self._goal - self._store.seq)

    @property
    def fault(self) -> str:
        """Why the last write to it failed; empty where it did not."""
        return self._fault

    def follow(self, rows: Sequence[Row]) -> None:
        """Rows that are on disk in the main file. Returns at once."""
        with self._changed:
            if len(self._rows) + len(rows) > MOST_ROWS:
                self._rows.clear()
            self._rows += rows
            self._goal = rows[-1].seq
            self._changed.notify_all()

    def level(self, timeout_s: float) -> bool:
        """Waits until nothing is behind, unless it fails or takes longer than this."""
        with self._changed:
            self._changed.wait_for(lambda: not self.lag or self._fault, timeout_s)
            return not self.lag

    def take_over(self) -> Store | None:
        """The mirror's file for the writer's own use, level with all that was recorded; None where it cannot be."""
        with self._using:
            self._advance()
            if self.lag or self._fault:
                return None
            self._following = False
            return self._store

    def give_back(self) -> None:
        """The main file is level with it again: it follows from here."""
        with self._changed:
            self._rows.clear()
            self._goal, self._fault = self._store.seq, ""
            self._following = True
            self._changed.notify_all()

    def close(self) -> None:
        """Writes what can be written, then gives the file free."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        if self._following:
            self._advance()
        self._store.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or (self.lag and not self._fault), RETRY_S)
                if self._closing:
                    return
            with self._using:
                if self._following and self.lag:
                    self._advance()

    def _advance(self) -> None:
        """Everything that is behind, in few transactions."""
        try:
            while self.lag:
                self._store.append(self._next())
                self._fault = ""
        except JournalWriteError as error:
            self._fault = str(error.fault)
        except (sqlite3.Error, LookupError) as error:
            self._fault = f"the main file cannot be read ({error})"
        with self._changed:
            self._changed.notify_all()

    def _next(self) -> list[Row]:
        with self._changed:
            while self._rows and self._rows[0].seq <= self._store.seq:
                self._rows.popleft()
            rows = list(self._rows)
        if rows and rows[0].seq == self._store.seq + 1:
            return rows
        return self._from_main()

    def _from_main(self) -> list[Row]:
        uri = f"file:{quote(str(self._main.absolute()))}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.text_factory = bytes
            rows = []
            for row in read_rows(connection, self._store.seq):
                rows.append(row)
                if len(rows) == MOST_ROWS:
                    break
        if not rows:
            raise LookupError("it has fewer records than it had")
        return rows
