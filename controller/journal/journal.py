"""The table's journal: events in, durable records out, and back again at the next start.

Owns the chain's head, the open hand's key and the checkpoints. A record that `append` returned is on disk; one that it
did not return does not exist. It must never keep a fact in memory that the file refused.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from controller.domain.events import JournalDegraded, JournalRepaired
from controller.errors import TableError
from controller.journal import chain
from controller.journal.acts import is_act
from controller.journal.archive import holding, latest_of, lost
from controller.journal.codec import Codec, CodecError, Draft, Registry, read_body
from controller.journal.copies import NOT_OURS, one_file
from controller.journal.durable import Durable
from controller.journal.hands import read_hand
from controller.journal.keys import Keys
from controller.journal.opening import Owner, newest_kept, open_verified, refused
from controller.journal.reader import Reader
from controller.journal.recall import recall
from controller.journal.records import (
    CONTINUES,
    HAND_ENDED,
    HAND_OPENED,
    MEMORY_CLEARED,
    SCHEMA,
    SIGNED,
    TABLE_OPENED,
    Checkpoint,
    Continues,
    JournalOpened,
    MemoryCleared,
    Record,
    Row,
    Stamp,
    StateKept,
    stream_of,
)
from controller.journal.sealing import Entropy, SealError
from controller.journal.store import JournalWriteError, Store
from controller.journal.summaries import RECALLED, Summary, latest
from controller.journal.walk import Identity, identity

ID_BYTES = 16
HEAD_DIGITS, HEADS_BACK = 16, 5000


class Journal:
    """An open journal. One thread uses it."""

    def __init__(self, files: Durable, who: Identity, keys: Keys, registry: Registry, entropy: Entropy) -> None:
        self._files = files
        self._keys = keys
        self._entropy = entropy
        self._codec = Codec(registry, who.journal_id, keys.credential)
        self.identity = who
        self.last_hand, self._key = self._find_hand()
        self.kept = newest_kept(files.store)
        self._opened = self._find_opened()

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        table: str,
        keys: Keys,
        registry: Registry,
        entropy: Entropy,
        stamp: Stamp,
    ) -> Journal:
        """A new journal with a random id; record 1 holds table and public key."""
        journal_id = entropy(ID_BYTES)
        event = JournalOpened(journal=journal_id.hex(), table=table, public_key=keys.public_hex, schema=SCHEMA)
        body = Codec(registry, journal_id, keys.credential).encode(Draft(event, 1, None, stamp, None), entropy)
        store = Store.create(path, (stream_of(None), 1, body))
        return cls(Durable(one_file(store)), identity(store.one_row(1)), keys, registry, entropy)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        table: str,
        keys: Keys,
        registry: Registry,
        entropy: Entropy,
        mirror: Path | None = None,
        witness: Path | None = None,
    ) -> Journal:
        """An existing journal with its mirror, verified and not older than its witness.

        Exit code 3 where it does not hold and cannot be repaired.
        """
        owner = Owner(table, keys)
        with contextlib.ExitStack() as undo:
            verified = partial(open_verified, owner=owner, shared=mirror is not None)
            files = Durable.open(path, mirror, verified, witness)
            undo.callback(files.close)
            try:
                journal = cls(files, identity(files.store.one_row(1)), keys, registry, entropy)
            except SealError:
                what = "what it wrapped for the table does not open with this credential key"
                raise refused(what, path, NOT_OURS) from None
            except CodecError as error:
                raise refused(str(error), path) from None
            except sqlite3.Error as error:
                raise refused(f"the file is damaged ({error})", path) from None
            undo.pop_all()
            return journal

    @property
    def _store(self) -> Store:
        return self._files.store

    @property
    def seq(self) -> int:
        """Number of the last record."""
        return self._store.seq

    @property
    def head(self) -> bytes:
        """Hash of the last record: printed at shift close, sent to the witness."""
        return self._store.head

    @property
    def first_hand(self) -> int:
        """The first hand in this file; 0 where there is none."""
        first = self._hands_before() + 1
        return first if self.last_hand >= first else 0

    @property
    def last_type(self) -> str:
        """What the last record is."""
        row = self._store.one_row(self.seq)
        return "" if row is None else read_body(row.body).type

    @property
    def open_hand(self) -> int | None:
        """The hand that has begun and not ended."""
        return None if self._key is None else self.last_hand

    def append(self, events: Sequence[msgspec.Struct], *, hand: int | None, stamp: Stamp) -> list[Record]:
        """Records the events, all or none, and returns them once they are on disk.

        A hand's end adds a checkpoint, and so does an act outside the play that moves money.
        """
        batch = _Batch(self, hand, stamp)
        for event in events:
            batch.add(event)
        batch.sign()
        if batch.rows:
            self._files.append(batch.rows)
        self._key, self.last_hand, self._opened = batch.key, batch.last_hand, batch.opened
        if batch.ended:
            self._files.hand_ended()
        return batch.records

    def fail_over(self, error: JournalWriteError, stamp: Stamp) -> JournalDegraded:
        """The main file took no write: the mirror is the durable file now, and this its next record.

        JournalWriteError, the first one, where no copy takes it.
        """
        degraded = JournalDegraded(copy="main", fault=str(error.fault))
        if not self._files.switch(str(error.fault)):
            raise error
        try:
            self.append([degraded], hand=None, stamp=stamp)
        except JournalWriteError:
            self._files.switch_back()
            raise error from None
        return degraded

    def knows(self, head: str) -> bool:
        """Whether one of the newest records, or the end of the file before, has this hash: hex, at least 16 digits.

        A head is noted when the table closes, so not many records can have followed it.
        """
        wanted = head.strip().lower()
        if len(wanted) < HEAD_DIGITS:
            return False
        newest = (row.hash.hex() for row in itertools.islice(self._store.rows_back(self.seq + 1), HEADS_BACK))
        before = self.continues
        return any(each.startswith(wanted) for each in (*newest, before.head if before is not None else ""))

    def lacking(self) -> str:
        """Which copy is lost and why; empty where none is. Now and then a lost main file is tried again first."""
        return self._files.lacking()

    @property
    def repaired(self) -> tuple[JournalRepaired, ...]:
        """What the start had to make anew; to be recorded."""
        return self._files.repaired

    @property
    def degraded(self) -> tuple[JournalDegraded, ...]:
        """That this run began without the main file; to be recorded with its first record."""
        return self._files.degraded

    def health(self) -> dict[str, object]:
        """Of its files, for the snapshot."""
        return self._files.health()

    def warnings(self) -> dict[str, str]:
        """What is not well with its disks, by code: early, before a write fails."""
        return self._files.warnings()

    def checkpoint(self, stamp: Stamp) -> Record:
        """A signed record between hands (shift close)."""
        return self.append([Checkpoint()], hand=None, stamp=stamp)[0]

    def keep(self, state: dict[str, Any], memory: str, stamp: Stamp) -> None:
        """The table's state between hands, whole and signed, for the next start. `memory` is wrapped."""
        event = StateKept(state=state, memory=memory, opened=self._opened, before=self.kept)
        self.kept = self.append([event, Checkpoint()], hand=None, stamp=stamp)[0].seq

    def kept_states(self) -> Iterator[Record]:
        """The kept states, newest first."""
        seq = self.kept
        while seq:
            row = self._store.one_row(seq)
            if row is None:
                return
            record = self._codec.record(read_body(row.body), row.hash, None)
            yield record
            seq = getattr(record.event, "before", 0)

    def replay(self, after: int = 0) -> Iterator[Record]:
        """All decoded records behind `after`, in order of `seq` and no other."""
        key: bytes | None = None
        for row in self._store.rows(after):
            body = read_body(row.body)
            record = self._codec.record(body, row.hash, key if body.hand is not None else None)
            if body.type == HAND_OPENED:
                key = _hand_key(record.event)
            yield record

    def replay_hand(self, hand: int) -> list[Record]:
        """The decoded records of one hand."""
        key: bytes | None = None
        records: list[Record] = []
        for row in self._store.stream(stream_of(hand)):
            records.append(self._codec.record(read_body(row.body), row.hash, key))
            if records[-1].type == HAND_OPENED:
                key = _hand_key(records[-1].event)
        return records

    def recall(self, hand: int) -> dict[str, Any]:
        """A hand as any outsider may read it: of an open hand nothing that is sealed, in spite of our own keys."""
        where, older = f"hand {hand}", self._older
        if hand > self._hands_before():
            return recall(read_hand(self._store, self._codec.registry, hand, where)[0])
        older = None if older is None else holding(older, hand)
        if older is None:
            away = TableError(211, "its file is not beside the journal", where, "bring the archived file back")
            raise next((each.error(where) for each in lost(self._store.path) if each.first <= hand <= each.last), away)
        with Reader(older) as reader:
            return recall(read_hand(reader, self._codec.registry, hand, where)[0])

    def summaries(self) -> list[Summary]:
        """The last hands in a line each, the newest first, from public facts."""
        found, older = latest(self._store, self.last_hand), self._older
        if older is not None and len(found) < RECALLED:
            found += latest_of(older, RECALLED - len(found))
        return found

    def wal_bytes(self) -> int:
        """Size of the write-ahead file, for health: beyond store.WAL_CAP_BYTES a reader is pinned."""
        return self._store.wal_bytes()

    def close(self) -> None:
        """Closes the file; the caller has recorded RunEnded before."""
        self._files.close()

    def _find_hand(self) -> tuple[int, bytes | None]:
        for row in self._store.rows_back(self._store.seq + 1):
            if b'"type":"Hand' not in row.body:
                continue
            body = read_body(row.body)
            if body.hand is not None and body.type == HAND_ENDED:
                return body.hand, None
            if body.hand is not None and body.type == HAND_OPENED:
                return body.hand, _hand_key(self._codec.decode(body, None))
        return self._hands_before(), None

    @property
    def continues(self) -> Continues | None:
        """The archived journal that this one goes on from."""
        found = self._second()
        return found if isinstance(found, Continues) else None

    @property
    def _older(self) -> Path | None:
        """Where the archived file in front of this one lies; behind a memory clear, of the one that was lost."""
        found = self._second()
        said = found.before if isinstance(found, MemoryCleared) else found
        return self._store.path.with_name(said.file) if isinstance(said, Continues) else None

    def _second(self) -> msgspec.Struct | None:
        """Record 2 where it says what came before this file."""
        row = self._store.one_row(2)
        body = read_body(row.body) if row is not None else None
        return self._codec.decode(body, None) if body is not None and body.type in (CONTINUES, MEMORY_CLEARED) else None

    def _hands_before(self) -> int:
        """The last hand before this file's first."""
        return int(getattr(self._second(), "hand", 0))

    def _find_opened(self) -> int:
        """Number of the record with the rules in force last."""
        newest = next(self.kept_states(), None)
        for row in self._store.rows_back(self._store.seq + 1):
            if newest is not None and row.seq <= newest.seq:
                return getattr(newest.event, "opened", 0)
            if b'"type":"TableOpened"' in row.body and read_body(row.body).type == TABLE_OPENED:
                return row.seq
        return 0

    def rules_in_force(self) -> msgspec.Struct | None:
        """The last TableOpened; None where this file has none."""
        row = self._store.one_row(self._opened) if self._opened else None
        return None if row is None else self._codec.decode(read_body(row.body), None)


class _Batch:
    """The rows of one append, chained in memory; nothing of the journal changes until they are on disk."""

    def __init__(self, journal: Journal, hand: int | None, stamp: Stamp) -> None:
        self._journal = journal
        self._hand = hand
        self._stamp = stamp
        self.seq, self.head = journal.seq, journal.head
        self.key, self.last_hand, self.opened = journal._key, journal.last_hand, journal._opened
        self.ended = self._owed = False
        self.rows: list[Row] = []
        self.records: list[Record] = []

    def add(self, event: msgspec.Struct) -> None:
        """One more event; what a hand's start and end bring with them."""
        name = type(event).__name__
        if name == HAND_OPENED:
            self._open(event)
        elif self._hand is not None and self.key is None:
            raise CodecError(f"{name} for hand {self._hand}, which is not open")
        self._write(event, self._hand)
        if name == TABLE_OPENED:
            self.opened = self.seq
        if name == HAND_ENDED:
            self._end(event)

    def sign(self) -> None:
        """A checkpoint where an act has none yet."""
        if self._owed:
            self._write(Checkpoint(), None)

    def _open(self, event: msgspec.Struct) -> None:
        if self.key is not None or getattr(event, "hand", None) != self._hand or self._hand is None:
            raise CodecError(f"hand {self._hand} cannot open: another is open, or its number differs")
        self.key, self.last_hand = _hand_key(event), self._hand

    def _end(self, event: msgspec.Struct) -> None:
        if _hand_key(event) != self.key:
            raise CodecError("a hand ends with another key than its own")
        self.key, self.ended = None, True
        self._write(Checkpoint(), None)

    def _write(self, event: msgspec.Struct, hand: int | None) -> None:
        journal, seq, name = self._journal, self.seq + 1, type(event).__name__
        if name in SIGNED:
            event = msgspec.structs.replace(event, head=self.head.hex(), signature="")
        key = self.key if hand is not None else None
        body = journal._codec.encode(Draft(event, seq, hand, self._stamp, key), journal._entropy)
        if name in SIGNED:
            sig = journal._keys.sign(chain.signed_message(journal.identity.journal_id, seq, self.head, body))
            event, body = msgspec.structs.replace(event, signature=sig), chain.signed(body, sig)
        digest = chain.link(self.head, body)
        version = getattr(type(event), "V", 1)
        self.rows.append(Row(seq, stream_of(hand), version, self.head, digest, body))
        self.records.append(Record(seq, hand, name, self._stamp, event, digest))
        self.seq, self.head = seq, digest
        self._owed = name not in SIGNED and (self._owed or is_act(name, hand))


def _hand_key(event: msgspec.Struct) -> bytes:
    try:
        return bytes.fromhex(getattr(event, "key", ""))
    except ValueError:
        raise CodecError("the key of a hand is no hex text") from None
