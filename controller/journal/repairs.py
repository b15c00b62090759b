"""What a start mends and no record tells yet, in a small file beside the journal.

Written before the repair, removed once records hold it, so that no start that fails or is cut off in between takes it
along; what was cut off may be told twice. It must never keep a table from its start.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from controller.domain.events import JournalRepaired
from controller.journal.store import sync_directory, write_whole


class Repairs:
    """The repairs of this start, behind those of earlier ones that came to no record."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(f"{journal.name}.repairs")
        self.pending: tuple[JournalRepaired, ...] = ()
        with contextlib.suppress(OSError, msgspec.MsgspecError):  # what nobody can read tells nothing
            self.pending = msgspec.json.decode(self._path.read_bytes(), type=tuple[JournalRepaired, ...])

    def note(self, repair: JournalRepaired) -> JournalRepaired:
        """On disk when it returns; where the main file's disk takes nothing, in this run's memory."""
        self.pending = (*self.pending, repair)
        self._write()
        return repair

    def withdraw(self, repair: JournalRepaired) -> None:
        """It could not be made."""
        self.pending = tuple(each for each in self.pending if each is not repair)
        self._write()

    def recorded(self) -> None:
        """All of them are on record."""
        self.pending = ()
        self._write()

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            if self.pending:
                write_whole(self._path, msgspec.json.encode(self.pending))
            elif self._path.exists():
                self._path.unlink()
                sync_directory(self._path.parent)
