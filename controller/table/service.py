"""The table's one writer: an act goes in; events are decided, made durable, folded and only then shown.

Runs on the loop thread. Owns the state. Never waits for a display, a socket or a person; never acknowledges or shows
what the journal has not taken.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve, evolve_all
from controller.domain.hand import Act, decide, doors
from controller.domain.hand.advance import advance
from controller.domain.hand.dealing import fault
from controller.domain.hand.expects import Expect, Want, expects
from controller.domain.hand.setup import Entropy, Setup
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Cause, Table
from controller.journal.store import JournalWriteError
from controller.table import keeping
from controller.table.statistics import Statistics
from controller.table.watch import Watch

MACHINE_CALL = "power or heat"


class Recorder(Protocol):
    """Where events become durable (journal.Journal behind a clock)."""

    def append(self, events: Sequence[ev.Event], hand: int | None) -> None:
        """All or none; returns after the fsync. JournalWriteError where it cannot."""

    def fail_over(self, error: JournalWriteError) -> ev.JournalDegraded:
        """The other copy is the durable file from here on, and has this on record; the error where there is none."""

    def keep(self, table: Table, statistics: Statistics) -> None:
        """The state between two hands on record, for the next start."""

    def clock_step(self, behind: str) -> ev.ClockStepped | None:
        """Whether the wall clock jumped, or stands before the journal's last time otherwise than `behind` says."""

    def warnings(self) -> Mapping[str, str]:
        """What is not well with the journal's disks, by code."""

    def knows(self, head: str) -> bool:
        """Whether one of the newest records, or the end of the file before, has this hash (hex, at least 16 digits)."""

    def lacking(self) -> str:
        """Which copy is lost and why, as in Table.degraded; empty where none is."""

    @property
    def degraded(self) -> Sequence[ev.JournalDegraded]:
        """That this run began without the main file."""

    @property
    def repaired(self) -> Sequence[ev.JournalRepaired]:
        """What the start had to make anew."""


class Machine(Protocol):
    """What is known of the machine's supply and heat."""

    @property
    def warnings(self) -> Mapping[str, str]:
        """By code, with the remedy."""

    @property
    def failing(self) -> str:
        """Why no new hand may begin; empty where one may."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of an act. `events` holds the public names of what happened; `keys` what people want with a key."""

    events: tuple[str, ...] = ()
    rejection: Rejection | None = None
    waiting: int = 0
    keys: tuple[ev.PairingAsked | ev.DeviceUnpaired, ...] = ()


class Service:
    """State, decide, journal, evolve, in that order."""

    def __init__(
        self,
        setup: Setup,
        table: Table,
        recorder: Recorder,
        entropy: Callable[[int], bytes],
        changed: Callable[[], None],
        watch: Watch | None = None,
        keep_every: int = keeping.EVERY,
        machine: Machine | None = None,
    ) -> None:
        self._machine = machine
        self.keep_every = keep_every
        self.setup = setup
        self.table = table
        self.not_recording = ""
        self.warnings: dict[str, str] = {}
        """What is not well with the journal's disks and the machine, by code."""
        self._recorder = recorder
        self._entropy = entropy
        self._changed = changed
        self._watch = watch
        self._refusals: dict[tuple[str, str, str], int] = {}

    @property
    def want(self) -> Expect:
        """What the table waits for."""
        return expects(self.table, self.setup)

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts of public facts, for the snapshot."""
        return self._watch.shown if self._watch is not None else {}

    @property
    def deal_enabled(self) -> bool:
        """Whether the shoe may give a card now."""
        return self.want.kind is Want.CARD and not self.not_recording

    @property
    def contradicted(self) -> bool:
        """The shoe said something else than the journal has: its event is not acknowledged."""
        hand = self.table.hand
        return hand is not None and Cause.EVENT_DIFFERS in hand.faults

    def act(self, act: Act) -> Outcome:
        """One act, whole. A rejection changes nothing but its own record."""
        result = self._strange_head(act) or decide(self.table, act, self.setup, self._fresh())
        if isinstance(result, Rejection):
            self._refused(act, result)
            return Outcome(rejection=result)
        if not result:
            return Outcome()
        try:
            self._record(result)
        except JournalWriteError as error:
            return self._freeze(error)
        alarms = self._alarms()
        self._changed()
        asked = next((e.id for e in result if isinstance(e, ev.ApprovalAsked | ev.ApprovalJoined)), 0)
        keys = tuple(e for e in result if isinstance(e, ev.PairingAsked | ev.DeviceUnpaired))
        return Outcome(events=tuple(type(e).__name__ for e in (*result, *alarms)), waiting=asked, keys=keys)

    def _strange_head(self, act: Act) -> Rejection | None:
        """People opened with the head that they had noted, and it is not this journal's."""
        head = act.command.head if isinstance(act.command, cm.OpenTable) else ""
        return None if not head or self._recorder.knows(head) else reject(Why.HEAD_UNKNOWN, head=head[:16])

    def take_up(self, started: ev.RunStarted, *more: ev.Event) -> None:
        """A run begins with these records, and whatever the last run's end left undone follows now."""
        self._record((started, *self._recorder.degraded, *more, *self._recorder.repaired))
        self._look_at_copies()
        self._look_at_clock()
        unwatched = doors.was_off(self.table, self.setup, started.off_s)
        if unwatched:
            self._record(unwatched)
        self._follow()

    def _follow(self) -> None:
        """What the last record left to happen by itself."""
        while more := advance(self.table, self.setup, self._fresh()):
            self._record(more)
        self._changed()

    def end_run(self, reason: str) -> None:
        """An orderly stop: the journal's last record, signed."""
        self._flush_refusals()
        self._record((ev.RunEnded(reason=reason, head="", signature=""),))

    def record(self, event: ev.Event) -> None:
        """A fact that changes nothing at the table (somebody recalled a hand)."""
        self._record((event,))

    def record_fault(self, cause: Cause, detail: str) -> None:
        """The loop's own last resort: an error in the program stops the table with a reason, not with a guess."""
        raised = fault(self.table, cause, detail)
        if not raised:
            return
        try:
            self._record(raised)
        except JournalWriteError as error:
            self._freeze(error)
            return
        self._changed()

    def tick(self) -> None:
        """Once a second: repeated refusals go on record; a frozen journal is tried again, what it cut off follows."""
        try:
            self._look_at_copies()
            self._look_at_clock()
            self._look_at_machine()
            self._look_at_warnings()
            self._flush_refusals()
            if self.not_recording:
                self._record((ev.DeviceTroubled(device="journal", code="recording_again", detail=""),))
            if self.table.open and self.table.hand is None:  # a hand's end was recorded, the next one's beginning not
                self._follow()
        except JournalWriteError as error:
            self._freeze(error)

    def refuse(self, act: Act, rejection: Rejection) -> None:
        """An act that never reached the table (stale, joker not lit) is on record too."""
        self._refused(act, rejection)

    def refuse_press(self, key: str) -> None:
        """A press that was meant for an earlier step of the hand."""
        hand = self.table.hand.number if self.table.hand else self.table.hands
        self._count_refusal((f"key {key}", reject(Why.STALE, hand=hand, version=self.table.version).code, "keys"))

    def _fresh(self) -> Entropy:
        return Entropy(self._entropy(32).hex(), self._entropy(32).hex())

    def _record(self, events: Sequence[ev.Event]) -> None:
        """Durable first, then folded. A hand's end closes one transaction, what follows it is the next."""
        for hand, group in _by_hand(self.table, events):
            self._durable(group, hand)
            self.table = evolve_all(self.table, group)
            if self._watch is not None:
                self._watch.saw(group)
            if isinstance(group[-1], ev.HandEnded) and self.table.hands % self.keep_every == 0:
                with contextlib.suppress(JournalWriteError):  # what was to be recorded is; the next write will say it
                    self._recorder.keep(self.table, self._watch.statistics if self._watch else Statistics())
        if self.not_recording:
            self.not_recording = ""
            self._changed()

    def _durable(self, group: Sequence[ev.Event], hand: int | None) -> None:
        try:
            self._recorder.append(group, hand)
        except JournalWriteError as error:
            self.table = evolve(self.table, self._recorder.fail_over(error))
            self._recorder.append(group, hand)

    def _look_at_copies(self) -> None:
        """A copy is lost, or there again: on record, since no new hand starts while one is."""
        lacking = self._recorder.lacking()
        if lacking == self.table.degraded:
            return
        copy, _, fault = (lacking or self.table.degraded).partition(": ")
        self._record((ev.JournalDegraded(copy=copy, fault=fault) if lacking else ev.JournalRestored(copy=copy),))
        self._changed()

    def _look_at_clock(self) -> None:
        stepped = self._recorder.clock_step(self.table.clock_behind)
        if stepped is not None:
            self._record((stepped,))
            self._changed()

    def _look_at_machine(self) -> None:
        """Supply or heat have been wrong for long: on record, and somebody is called; or they are well again."""
        failing = self._machine.failing if self._machine is not None else ""
        if bool(failing) == bool(self.table.failing):
            return
        called = (ev.CallRaised(reason=MACHINE_CALL),) if not self.table.call else ()
        self._record((ev.MachineFailing(fault=failing), *called) if failing else (ev.MachineWell(),))
        self._changed()

    def _look_at_warnings(self) -> None:
        """Each kind of trouble of disks and machine once on record, again after it was gone; its text to be shown."""
        machine = dict(self._machine.warnings) if self._machine is not None else {}
        warnings = {**self._recorder.warnings(), **machine}
        new = [code for code in warnings if code not in self.warnings]
        told = warnings != self.warnings
        self.warnings = warnings
        if new:
            of = {code: "machine" if code in machine else "journal" for code in new}
            self._record(tuple(ev.DeviceTroubled(device=of[c], code=c, detail=warnings[c]) for c in new))
        if told:
            self._changed()

    def _alarms(self) -> tuple[ev.Event, ...]:
        """What the statistics call for now that this has happened; with the next event where the disk takes nothing."""
        due = self._watch.due(self.table) if self._watch is not None else ()
        try:
            if due:
                self._record(due)
        except JournalWriteError as error:
            self._freeze(error)
            return ()
        return due

    def _freeze(self, error: JournalWriteError) -> Outcome:
        what = self.not_recording = str(error.fault)
        self._changed()
        return Outcome(rejection=reject(Why.NOT_RECORDING, what=what))

    def _refused(self, act: Act, rejection: Rejection) -> None:
        """The first of its kind at once, repeats counted (they are recorded by `tick`)."""
        self._count_refusal((str(act.command.__struct_config__.tag), rejection.code, act.origin))

    def _count_refusal(self, key: tuple[str, str, str]) -> None:
        if key in self._refusals:
            self._refusals[key] += 1
            return
        self._refusals[key] = 1
        try:
            self._record((ev.Rejected(command=key[0], code=key[1], origin=key[2], count=1),))
        except JournalWriteError as error:
            self._freeze(error)
        else:
            self._refusals[key] = 0

    def _flush_refusals(self) -> None:
        counted = [
            ev.Rejected(command=command, code=code, origin=origin, count=count)
            for (command, code, origin), count in self._refusals.items()
            if count
        ]
        if counted:
            self._record(counted)
        self._refusals.clear()


def _by_hand(table: Table, events: Sequence[ev.Event]) -> list[tuple[int | None, list[ev.Event]]]:
    """Runs of events of one hand, in order."""
    hand = table.hand.number if table.hand else None
    groups: list[tuple[int | None, list[ev.Event]]] = [(hand, [])]
    for event in events:
        if isinstance(event, ev.HandOpened):
            groups.append((event.hand, []))
        groups[-1][1].append(event)
        if isinstance(event, ev.HandEnded):
            groups.append((None, []))
    return [group for group in groups if group[1]]


def public_outcome(outcome: Outcome, table: Table, language: str) -> dict[str, Any]:
    """What a client hears of an act that was not refused."""
    answer: dict[str, Any] = {"done": list(outcome.events), "hand": table.hand.number if table.hand else table.hands,
                              "phase": str(table.phase)}  # fmt: skip
    if outcome.waiting:
        entry = next((w for w in table.waiting if w.id == outcome.waiting), None)
        answer |= {"waiting": outcome.waiting, "missing": entry.missing if entry else ""}
    return answer
