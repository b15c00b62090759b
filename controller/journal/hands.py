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
from controller.journal.records import HAND_ENDED, HAND_OPENED, STATE_KEPT, TABLE_OPENED, Body, Record, Row, stream_of
from controller.journal.sealing import KEY_BYTES, SealError
from controller.journal.walk import Identity, Walker, identity

Pair = tuple[Row, Body]

_TOUCHED = "keep the file as it is; compare it with the mirror, the archive and the witness from the named record on"
_WRONG = "take the table out of use; recall the hand, hear who played it, and compare the surveillance record"
REMEDIES: dict[str, str] = {
    "file": "keep the file as it is; take the mirror or the newest good copy, and audit that",
    "identity": _TOUCHED,
    "schema": _TOUCHED,
    "chain": _TOUCHED,
    "head": "find the file that ends with the given head: this one was cut back or put back",
    "key": "compare the public key with the opening sheet of this table: the file may be another table's",
    "run": _TOUCHED,
    "end": "if the table is running add --live; else somebody cut the file, or its power: compare the mirror",
    "event": "audit with the program version that wrote the journal; if that finds it too, keep file and table apart",
    "hand": _WRONG,
    "key_commit": _WRONG,
    "seal": _WRONG,
    "draw": _WRONG,
    "archive": "bring back the very file that is named; if it was changed, keep it apart and compare the mirror's",
    "act": "somebody may have appended it: ask the people it names, compare the mirror; it proves nothing by itself",
    "meter": "stop the progressive; compare the meter's own record of wins and drops with the named hand",
}
"""What to do about a finding, by its code: docs/journal.md lists them."""

SHUT = "a sealed field does not open with the hand's own key"


class Rows(Protocol):
    """Where rows come from: a file read only, or the daemon's own store."""

    def rows(self, after: int = 0) -> Iterator[Row]: ...

    def rows_back(self, before: int) -> Iterator[Row]: ...

    def stream(self, name: str) -> list[Row]: ...


class Finding(msgspec.Struct, frozen=True):
    """One thing that does not hold. `until` differs from `seq` where the place is only known as a range.

    `seq` 0: of the file, and of no record that could be named.
    """

    seq: int
    code: str
    what: str
    hand: int | None = None
    until: int | None = None

    @property
    def shows_at(self) -> tuple[bool, int]:
        """By this findings are ordered: the record at which each shows, what names none behind them."""
        return self.seq == 0, self.until or self.seq

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES[self.code]


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


class _Opened(msgspec.Struct, frozen=True):
    opened: int = 0


_opened = msgspec.json.Decoder(_Opened)
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
    """Hand `number` as any outsider may read it, its records vouched for by the signature behind them.

    TableError where there is no such hand, or where its records do not verify (exit code 3).
    """
    try:
        who = identity(next(source.rows(0), None))
        pairs = [pair for pair in excerpt(source, who, number, where) if pair[1].hand == number]
        return decode_hand(who, registry, number, pairs, rules_before(source, registry, pairs[0][0].seq))
    except CodecError as error:
        remedy = "run `tablectl audit` on the file"
        raise TableError(208, f"the journal does not verify: {error}", where, remedy, exit_code=3) from None


def excerpt(source: Rows, who: Identity, number: int, where: str) -> list[Pair]:
    """The chain from a hand's first record to the signature behind its last one (an open hand: to the journal's end).

    The look-up by stream gives the place alone: what belongs to the hand is read off the chain. CodecError where it
    does not hold, TableError where there is no such hand.
    """
    rows = source.stream(stream_of(number))
    if not rows:
        raise TableError(211, f"no hand {number} in this journal", where, "hands count from 1")
    walker = Walker(who, rows[0].seq - 1, rows[0].prev)
    pairs: list[Pair] = []
    ended = 0
    for row in source.rows(rows[0].seq - 1):
        fault = walker.step(row)
        if fault is not None or walker.body is None:
            raise CodecError(fault.what if fault else f"record {row.seq} is not to be read")
        pairs.append((row, walker.body))
        ended = row.seq if walker.body.type == HAND_ENDED else ended
        if ended and walker.signed > ended:
            return pairs
    if ended:
        raise CodecError(f"no signature follows record {ended}: cut")
    return pairs


def rules_before(source: Rows, registry: Registry, seq: int) -> msgspec.Struct | None:
    """The TableOpened in force at a record."""
    for row in source.rows_back(seq):
        if b'"type":"TableOpened"' in row.body and (body := read_body(row.body)).type == TABLE_OPENED:
            return decode_rules(registry, body)
        if b'"type":"StateKept"' in row.body and (body := read_body(row.body)).type == STATE_KEPT:
            return _rules_of(source, registry, _opened.decode(body.data).opened)
    return None


def _rules_of(source: Rows, registry: Registry, opened: int) -> msgspec.Struct | None:
    """The TableOpened that a kept state points at."""
    row = next(source.rows(opened - 1), None) if opened else None
    body = None if row is None else read_body(row.body)
    return decode_rules(registry, body) if body is not None and body.type == TABLE_OPENED else None


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
