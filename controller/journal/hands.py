"""A whole hand as an outsider reads it: opened with the key that its last record reveals, and with no other.

Owns the way from rows to a hand and back to the table's rules in force. It must never use a key before its commitment
has been checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from controller.errors import TableError
from controller.journal import chain
from controller.journal.codec import Codec, CodecError, Registry, read_body
from controller.journal.records import HAND_ENDED, HAND_OPENED, TABLE_OPENED, Body, Record, Row, stream_of
from controller.journal.sealing import KEY_BYTES, SealError
from controller.journal.walk import Identity, identity

Pair = tuple[Row, Body]

SHUT = "a sealed field does not open with the hand's own key"


class Rows(Protocol):
    """Where rows come from: a file read only, or the daemon's own store."""

    def rows(self, after: int = 0) -> Iterator[Row]: ...

    def rows_back(self, before: int) -> Iterator[Row]: ...

    def stream(self, name: str) -> list[Row]: ...


class Finding(msgspec.Struct, frozen=True):
    """One thing that does not hold. `until` differs from `seq` where the place is only known as a range."""

    seq: int
    code: str
    what: str
    hand: int | None = None
    until: int | None = None


class Hand(msgspec.Struct, frozen=True):
    """The decoded records of one hand, the rules in force (`opened`: the TableOpened before it) and where it lies."""

    number: int
    table: str
    opened: msgspec.Struct | None
    records: tuple[Record, ...]
    revealed: bool

    def all(self, name: str) -> list[Record]:
        """The records of that type whose fields are open."""
        return [record for record in self.records if record.type == name and not record.sealed]

    def last(self, name: str) -> Record | None:
        """The last open record of that type."""
        return next(iter(reversed(self.all(name))), None)

    def __repr__(self) -> str:
        return f"Hand(number={self.number}, records={len(self.records)})"


class _Key(msgspec.Struct, frozen=True):
    key: str


_key = msgspec.json.Decoder(_Key)


def decode_hand(
    who: Identity, registry: Registry, number: int, rows: Sequence[Pair], opened: msgspec.Struct | None
) -> tuple[Hand, list[Finding]]:
    """The hand of these rows, and what is wrong with its key and its seals."""
    codec = Codec(registry, who.journal_id, None)
    key, findings = _revealed(number, rows[0][1], rows[-1][1])
    records: list[Record] = []
    for row, body in rows:
        try:
            records.append(codec.record(body, row.hash, key))
        except SealError:
            findings.append(Finding(row.seq, "seal", f"record {row.seq}: {SHUT}", number))
        except CodecError as error:
            findings.append(Finding(row.seq, "event", f"record {row.seq}: {error}", number))
    return Hand(number, who.opened.table, opened, tuple(records), key is not None), findings


def read_hand(source: Rows, registry: Registry, number: int, where: str) -> tuple[Hand, list[Finding]]:
    """Hand `number` as any outsider may read it. TableError where there is none."""
    try:
        who = identity(next(source.rows(0), None))
        pairs = [(row, read_body(row.body)) for row in source.stream(stream_of(number))]
        broken = next((row.seq for row, _ in pairs if chain.link(row.prev, row.body) != row.hash), None)
        if broken is not None:
            raise CodecError(f"record {broken} was changed")
        if not pairs:
            raise TableError(211, f"no hand {number} in this journal", where, "hands count from 1")
        return decode_hand(who, registry, number, pairs, rules_before(source, registry, pairs[0][0].seq))
    except CodecError as error:
        remedy = "run `tablectl audit` on the file"
        raise TableError(208, f"the journal does not verify: {error}", where, remedy, exit_code=3) from None


def rules_before(source: Rows, registry: Registry, seq: int) -> msgspec.Struct | None:
    """The TableOpened in force at a record."""
    for row in source.rows_back(seq):
        if b'"type":"TableOpened"' in row.body and (body := read_body(row.body)).type == TABLE_OPENED:
            return decode_rules(registry, body)
    return None


def decode_rules(registry: Registry, body: Body | None) -> msgspec.Struct | None:
    """The event of a body that carries the rules in force."""
    return None if body is None else registry.decode(body)


def _revealed(number: int, first: Body, last: Body) -> tuple[bytes | None, list[Finding]]:
    """The key that the hand's last record reveals, if it is the promised one."""
    if first.type != HAND_OPENED:
        return None, [Finding(first.seq, "hand", f"record {first.seq}: hand {number} does not begin", number)]
    if last.type != HAND_ENDED:
        return None, []
    try:
        key = bytes.fromhex(_key.decode(last.data).key)
    except (msgspec.MsgspecError, ValueError):
        key = b""
    if len(key) != KEY_BYTES or chain.key_commit(key) != first.key_commit:
        what = f"record {last.seq}: the revealed key of hand {number} is not the one that was promised"
        return None, [Finding(last.seq, "key_commit", what, number)]
    return key, []
