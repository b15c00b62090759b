"""The journal as the table's service knows it: every record with its time, and the copies' state with it.

Owns the clock that labels records. Wall time is a label and decides nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from controller.domain import events as ev
from controller.domain.state import Table
from controller.journal.journal import Journal
from controller.journal.records import Stamp
from controller.journal.store import JournalWriteError
from controller.table import keeping
from controller.table.statistics import Statistics


class Clock:
    """Wall time as a label, monotonic time for everything else."""

    def __init__(self, run: str) -> None:
        self._run = run

    def stamp(self) -> Stamp:
        """For a record."""
        return Stamp(datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic_ns(), self._run)


class Recorder:
    """The journal behind the clock."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock

    def append(self, events: Sequence[ev.Event], hand: int | None) -> None:
        """Durable when it returns."""
        self._journal.append(events, hand=hand, stamp=self._clock.stamp())

    def fail_over(self, error: JournalWriteError) -> ev.JournalDegraded:
        """The mirror becomes the durable file."""
        return self._journal.fail_over(error, self._clock.stamp())

    def keep(self, table: Table, statistics: Statistics) -> None:
        """The state between two hands on record."""
        self._journal.keep(*keeping.kept(table, statistics), self._clock.stamp())

    def lacking(self) -> str:
        """Which copy is lost and why."""
        return self._journal.lacking()

    @property
    def repaired(self) -> Sequence[ev.JournalRepaired]:
        """What the start had to make anew."""
        return self._journal.repaired
