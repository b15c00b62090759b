"""The run, people at the table, and a hand's opening."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from controller.domain.events.base import Event


class RunStarted(Event, frozen=True, kw_only=True, tag=True):
    """A daemon took up the journal. `hardware` names port, USB backend and pin factory (design: no `if simulated`).

    `off_s`: wall seconds since the record before it; -1 where there is none, or the clock went back.
    """

    version: str
    mode: str
    hardware: dict[str, str]
    config_hash: str
    off_s: int = 0


class RunEnded(Event, frozen=True, kw_only=True, tag=True):
    """An orderly stop. `signature` covers journal id, seq and head of the record before this one (docs/journal.md)."""

    reason: str
    head: str
    signature: str


class OperatorSignedOn(Event, frozen=True, kw_only=True, tag=True):
    """Somebody stands at the table in this role from now on."""

    operator: str
    role: str


class LimitsAnnounced(Event, frozen=True, kw_only=True, tag=True):
    """Another plate, from hand `hand` on."""

    limits: dict[str, Any]
    hand: int


class LastHandAnnounced(Event, frozen=True, kw_only=True, tag=True):
    """After this hand no bets are taken; 0: taken back."""

    hand: int


class OperatorSignedOff(Event, frozen=True, kw_only=True, tag=True):
    """The role is empty again."""

    operator: str
    role: str


class TableOpened(Event, frozen=True, kw_only=True, tag=True):
    """Play may begin. Every house rule in force is a value here: the rule set whole, procedure and plate.

    `head`: of this journal, as people gave it from the last slip; empty where they gave none.
    """

    rules_id: str
    house_edge: str = ""
    rules: dict[str, Any]
    rules_hash: str
    procedure: dict[str, Any]
    limits: dict[str, Any]
    boxes: int
    sensors: dict[str, Any] = msgspec.field(default_factory=dict)
    doors: dict[str, Any] = msgspec.field(default_factory=dict)
    decks: dict[str, Any] = msgspec.field(default_factory=dict)
    head: str = ""


class TableClosed(Event, frozen=True, kw_only=True, tag=True):
    """No more hands."""


class TrainingStarted(Event, frozen=True, kw_only=True, tag=True):
    """The last record before training: what follows stands in another journal, of this number."""

    session: int


class TrainingEnded(Event, frozen=True, kw_only=True, tag=True):
    """The table is itself again. Names the training's journal and its head, and the shoe's last event in it.

    `problem` says why the other fields are empty, where they are.
    """

    session: int
    journal: str = ""
    head: str = ""
    hands: int = 0
    shoe_event: int = 0
    problem: str = ""


class TrainingLeft(Event, frozen=True, kw_only=True, tag=True):
    """In a training's journal: back to the table proper."""


class Authorised(Event, frozen=True, kw_only=True, tag=True):
    """Who answers for the act that follows, beyond the dealer alone (grades B and C)."""

    command: str
    grade: str
    operators: tuple[str, ...]


class ApprovalAsked(Event, frozen=True, kw_only=True, tag=True):
    """An act waits for people. `command` is the act as JSON; `operators`: who agreed, with their roles."""

    id: int
    name: str
    command: dict[str, Any]
    operators: dict[str, tuple[str, ...]]
    missing: str


class ApprovalJoined(Event, frozen=True, kw_only=True, tag=True):
    """One more person agreed; others are still missing."""

    id: int
    operators: dict[str, tuple[str, ...]]
    missing: str


class ApprovalClosed(Event, frozen=True, kw_only=True, tag=True):
    """The waiting act was carried out, turned down, or no longer makes sense."""

    id: int
    outcome: str


class Rejected(Event, frozen=True, kw_only=True, tag=True):
    """A refused command or press: the first of its kind at once, repeats counted."""

    command: str
    code: str
    origin: str
    count: int


class Recalled(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor looked at a past hand."""

    hand: int
    operators: tuple[str, ...]


class CallRaised(Event, frozen=True, kw_only=True, tag=True):
    """The dealer asks for the supervisor (CALL lamp)."""

    reason: str


class CallCleared(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor came."""


class HandOpened(Event, frozen=True, kw_only=True, tag=True):
    """First record of a hand: its key, wrapped. The codec adds `key_commit`."""

    WRAPPED: ClassVar[frozenset[str]] = frozenset({"key"})
    hand: int
    key: str


class DeckTaken(Event, frozen=True, kw_only=True, tag=True):
    """The deck may be dealt. `source` says what vouches for it: shuffler, supervisor, unchecked."""

    deck: str
    source: str


class DeckQuarantined(Event, frozen=True, kw_only=True, tag=True):
    """The deck is not to be dealt again; another must be named. `deck`: which, else the one in play."""

    reason: str
    deck: str = ""


class PhaseEntered(Event, frozen=True, kw_only=True, tag=True):
    """The phase travels in the event."""

    phase: str
    trigger: str
