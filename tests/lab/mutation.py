"""What somebody with the file can do to it, record by record, and whether an auditor names the place.

An auditor walks from record to record, so a walk up to record k - 1 is the same with k touched or not: each touched
record is put before a walker that stands in front of it. Whole files are touched as well, at a stride.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import auditor as lab
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.codec import CodecError
from controller.journal.records import Row
from controller.journal.walk import Walker, identity

Stored = lab.Row
Place = tuple[int, int] | None
"""Records named by an auditor; None where nothing was found."""

SEQ, STREAM, VERSION, PREV, HASH, BODY = range(6)
BITS = 8
DROP = "DROP TRIGGER journal_no_update", "DROP TRIGGER journal_no_delete", "DROP TRIGGER journal_in_order"


class Ours:
    """The table's own walk, set down before any record. `every`: which signatures it checks, as an audit does."""

    def __init__(self, rows: Sequence[Stored], every: int = 1) -> None:
        self._rows, self._every = rows, every
        self._who = identity(Row(*_columns(rows[0])))

    def look(self, at: int, touched: Sequence[Stored]) -> Place:
        """Walks over `touched`, which stand in the file from index `at` on."""
        before = self._rows[at - 1] if at else None
        place = (before[SEQ], before[HASH]) if before else ()
        walker = Walker(self._who, *place, every=self._every)
        for row in touched:
            try:
                if at == 0 and row is touched[0]:
                    identity(Row(*_columns(row)))
            except CodecError:
                return 1, 1
            fault = walker.step(Row(*_columns(row)))
            if fault is not None:
                return fault.seq, fault.until
        last = walker.settle()
        return None if last is None else (last.seq, last.until)


class Theirs:
    """The laboratory's walk."""

    def __init__(self, rows: Sequence[Stored]) -> None:
        self._rows = rows
        self._first = lab.Chain()
        self._first.take(rows[0])

    def look(self, at: int, touched: Sequence[Stored]) -> Place:
        """As above."""
        chain = lab.Chain()
        if at:
            before = self._rows[at - 1]
            chain = lab.Chain(before[SEQ], before[HASH], before[SEQ], self._first.journal, self._first.key)
        for row in touched:
            finding = chain.take(row)[1]
            if finding is not None:
                return finding.first, finding.last
        return None


def _columns(row: Stored) -> tuple[int, str, int, bytes, bytes, bytes]:
    seq, stream, version, prev, digest, body = row
    return seq, stream.decode("utf-8", "replace"), version, prev, digest, body


def changed_bytes(rows: Sequence[Stored], bits: int) -> Iterator[tuple[int, Stored]]:
    """Index of a record, and the record with one bit changed: of every byte of each column so many bits, beginning with
    another one at each place."""
    count = 0
    for at, row in enumerate(rows):
        for column in (STREAM, PREV, HASH, BODY):
            value = row[column]
            assert isinstance(value, bytes)
            for place in range(len(value)):
                for bit in range(count + place, count + place + bits):
                    other = bytearray(value)
                    other[place] ^= 1 << bit % 8
                    yield at, (*row[:column], bytes(other), *row[column + 1 :])  # type: ignore[misc]
            count += len(value)
        for column in (SEQ, VERSION):
            yield at, (*row[:column], int(row[column]) + 1, *row[column + 1 :])  # type: ignore[misc]


def deleted(rows: Sequence[Stored], at: int) -> list[Stored]:
    """What stands at a deleted record's place."""
    return list(rows[at + 1 : at + 2])


def swapped(rows: Sequence[Stored], at: int) -> list[Stored]:
    """Two neighbours that have changed places, numbers and all."""
    first, second = rows[at], rows[at + 1]
    return [(first[SEQ], *second[1:]), (second[SEQ], *first[1:])]


def rehashed(rows: Sequence[Stored], at: int, body: bytes) -> list[Stored]:
    """Another body, and every link and signature's head behind it made to fit by someone without the key, as far as the
    next signature."""
    made: list[Stored] = []
    prev = rows[at][PREV]
    for n in range(at, len(rows)):
        row = rows[n]
        text = body if n == at else row[BODY]
        signed = b'"signature":"' in text
        if signed:
            text = text.replace(row[PREV].hex().encode(), prev.hex().encode())
        digest = hashlib.sha256(prev + text).digest()
        made.append((row[SEQ], row[STREAM], row[VERSION], prev, digest, text))
        prev = digest
        if signed:
            break
    return made


def resigned(rows: Sequence[Stored], key: Ed25519PrivateKey) -> list[Stored]:
    """The whole journal by somebody with a key of his own, which he writes into record 1."""
    chain = lab.Chain()
    chain.take(rows[0])
    assert chain.key is not None
    own, table = key.public_key().public_bytes_raw().hex(), chain.key.public_bytes_raw().hex()
    made: list[Stored] = []
    prev = bytes(32)
    for row in rows:
        text = row[BODY].replace(table.encode(), own.encode())
        if b'"signature":"' in text:
            body = lab.parsed(text)
            assert body is not None
            empty = text.replace(body["data"]["signature"].encode(), b"").replace(
                row[PREV].hex().encode(), prev.hex().encode()
            )
            label = lab.prefixed(b"table-controller journal signature 1")
            message = label + chain.journal + row[SEQ].to_bytes(8, "big") + hashlib.sha256(prev + empty).digest()
            text = empty.replace(b'"signature":""', b'"signature":"%s"' % key.sign(message).hex().encode())
        digest = hashlib.sha256(prev + text).digest()
        made.append((row[SEQ], row[STREAM], row[VERSION], prev, digest, text))
        prev = digest
    return made


def written(original: Path, target: Path, rows: Sequence[Stored]) -> Path:
    """A file as the table made it, but with these rows."""
    shutil.copyfile(original, target)
    connection = sqlite3.connect(target, isolation_level=None)
    guards = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
    for statement in (*DROP, "BEGIN", "DELETE FROM journal"):
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO journal VALUES (?, CAST(? AS TEXT), ?, ?, ?, CAST(? AS TEXT))", [tuple(row) for row in rows]
    )
    for statement in ("COMMIT", *guards, "PRAGMA wal_checkpoint(TRUNCATE)"):
        connection.execute(statement).fetchall()
    connection.close()
    return target


def flipped_files(path: Path, target: Path, stride: int) -> Iterator[int]:
    """The file's own bytes, one changed at a time in `target`; yields the place."""
    raw = path.read_bytes()
    for place in range(stride // 2, len(raw), stride):
        target.write_bytes(raw[:place] + bytes([raw[place] ^ 0x10]) + raw[place + 1 :])
        yield place


def every_byte(rows: Sequence[Stored], bits: int) -> int:
    """Puts every changed record before both auditors. Their number; AssertionError with the first that passes."""
    count = 0
    both: tuple[Callable[[int, Sequence[Stored]], Place], ...] = (Ours(rows).look, Theirs(rows).look)
    for at, row in changed_bytes(rows, bits):
        for look in both:
            place = look(at, [row])
            assert place is not None and place[0] <= rows[at][SEQ] <= place[1], f"record {at + 1}: {place}"
        count += 1
    return count
