"""The journal as the table's service knows it: each record with its time, the state of copies and clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller.domain import events as ev
from controller.domain.state import Table
from controller.journal.journal import Journal
from controller.journal.store import JournalWriteError
from controller.runtime.clock import Clock, Steps
from controller.table import keeping
from controller.table.statistics import Statistics


class Recorder:
    """The journal behind the clock."""

    def __init__(
        self, journal: Journal, clock: Clock, last_s: float = 0.0, chain_fault: Callable[[], str] = str
    ) -> None:
        self._journal = journal
        self._chain_fault = chain_fault
        self._clock = clock
        self._steps = Steps(clock, last_s)

    def append(self, events: Sequence[ev.Event], hand: int | None) -> None:
        """Durable when it returns."""
        self._journal.append(events, hand=hand, stamp=self._clock.stamp())

    def fail_over(self, error: JournalWriteError) -> ev.JournalDegraded:
        """The mirror becomes the durable file."""
        return self._journal.fail_over(error, self._clock.stamp())

    def keep(self, table: Table, statistics: Statistics) -> None:
        """The state between two hands on record."""
        self._journal.keep(*keeping.kept(table, statistics), self._clock.stamp())

    def knows(self, head: str) -> bool:
        """Whether one of the newest records, or the end of the file before, has this hash."""
        return self._journal.knows(head)

    def lacking(self) -> str:
        """Which copy is lost and why; or that the chain does not hold."""
        fault = self._chain_fault()
        return self._journal.lacking() or (f"chain: {fault}" if fault else "")

    def clock_step(self, behind: str) -> ev.ClockStepped | None:
        """A jump of the wall clock, or that it stands before the journal's last time otherwise than `behind` says."""
        return self._steps.look(behind)

    def warnings(self) -> dict[str, str]:
        """What is not well with the disks, by code."""
        return self._journal.warnings()

    @property
    def degraded(self) -> Sequence[ev.JournalDegraded]:
        """That the main file could not be opened at the start: the mirror carries the table."""
        return self._journal.degraded

    @property
    def repaired(self) -> Sequence[ev.JournalRepaired]:
        """What the start had to make anew."""
        return self._journal.repaired
