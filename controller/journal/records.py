"""The shapes of the journal: stamp, row, body, record, and the events that are the journal's own.

Frozen data only. A record's repr names its number and type and never shows what is inside.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import msgspec

SCHEMA: Final = 1
"""Version of the body's layout, in record 1."""

HAND_OPENED: Final = "HandOpened"
HAND_ENDED: Final = "HandEnded"
RUN_STARTED: Final = "RunStarted"
RUN_ENDED: Final = "RunEnded"
TABLE_OPENED: Final = "TableOpened"
JOURNAL_OPENED: Final = "JournalOpened"
CHECKPOINT: Final = "Checkpoint"
STATE_KEPT: Final = "StateKept"
CONTINUES: Final = "Continues"
MEMORY_CLEARED: Final = "MemoryCleared"
METER_MOVED: Final = "MeterMoved"
SIGNED: Final = frozenset({CHECKPOINT, RUN_ENDED})
"""Types whose data hold `head` and `signature`, which the journal fills in."""


def stream_of(hand: int | None) -> str:
    """The column `stream`: the records of one hand are found by it."""
    return "table" if hand is None else f"hand/{hand}"


class Stamp(msgspec.Struct, frozen=True):
    """When and by which run: labels only, order is `seq`. `synced` is false while the wall clock cannot be trusted."""

    t: str
    mono: int
    run: str
    synced: bool = True


class Row(msgspec.Struct, frozen=True):
    """A record as it is stored. The hash runs over `prev` and `body`; the other columns are derived from the body."""

    seq: int
    stream: str
    version: int
    prev: bytes
    hash: bytes
    body: bytes

    def __repr__(self) -> str:
        return f"Row(seq={self.seq})"


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything of a record. `data` holds the public fields, `sealed` and `wrapped` the others (docs/journal.md)."""

    seq: int
    t: str
    mono: int
    run: str
    synced: bool
    type: str
    v: int
    hand: int | None
    data: msgspec.Raw
    sealed: str | None
    wrapped: str | None
    key_commit: str | None

    def __repr__(self) -> str:
        return f"Body(seq={self.seq}, type={self.type!r})"


class SealedEvent(msgspec.Struct, frozen=True):
    """An event whose hidden fields could not be opened with the keys at hand. They are absent, never guessed."""

    type: str
    public: dict[str, Any]
    hidden: frozenset[str]


def field_of(event: msgspec.Struct | None, name: str) -> Any:
    """A field; None where there is no event, no such field, or the field is sealed."""
    return event.public.get(name) if isinstance(event, SealedEvent) else getattr(event, name, None)


class Record(msgspec.Struct, frozen=True):
    """One decoded record."""

    seq: int
    hand: int | None
    type: str
    stamp: Stamp
    event: msgspec.Struct
    hash: bytes

    @property
    def sealed(self) -> bool:
        """Whether hidden fields are still shut."""
        return isinstance(self.event, SealedEvent)

    def __repr__(self) -> str:
        return f"Record(seq={self.seq}, type={self.type!r})"


class JournalOpened(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type"):
    """Record 1: which journal, which table, and the public key that its checkpoints are checked with."""

    journal: str
    table: str
    public_key: str
    schema: int


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type"):
    """Signed at every hand's end. `head` is the hash of the record before; the journal fills both fields."""

    head: str = ""
    signature: str = ""


class StateKept(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type"):
    """The table between two hands, as all records before make it, so that a start need not read them all.

    `opened`: the record of the rules in force, 0 where the table is closed; `before`: the kept state before this one.
    `memory` (JSON) may name cards of boxes that were never turned, so only the table itself opens it.
    """

    WRAPPED: ClassVar[frozenset[str]] = frozenset({"memory"})
    state: dict[str, Any]
    memory: str
    opened: int = 0
    before: int = 0


class Continues(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type"):
    """Record 2 of a journal that goes on from an archived one: its id, file, last record, and the last hand in it."""

    journal: str
    file: str
    sha256: str
    seq: int
    head: str
    hand: int


class LostFile(msgspec.Struct, frozen=True, kw_only=True):
    """A journal file that does not hold: the last record that could be read in it (0: none), the highest hand named."""

    file: str
    sha256: str
    seq: int
    head: str
    hand: int


class FoundMeter(msgspec.Struct, frozen=True, kw_only=True):
    """What a lost file says last of the jackpot, and in which record. Nobody vouches for it but the file itself."""

    file: str
    seq: int
    meter: str
    reserve: str
    hits: int


class MemoryCleared(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type"):
    """Record 2 of a journal that two people began because no copy of the old one held. Hands count on from `hand`.

    `found`: the jackpot that the lost files tell last. `meter`, `reserve`: what the two decided that it begins with;
    "" where the table's next opening says. `witness`: the name under which the old witness was set aside; "" for none.
    `before`: the archived journal in front of the lost ones, as they name it, or as its name beside them does.
    """

    lost: tuple[LostFile, ...]
    aside: tuple[str, ...]
    operators: tuple[str, ...]
    hand: int
    found: FoundMeter | None = None
    meter: str = ""
    reserve: str = ""
    witness: str = ""
    before: Continues | None = None
