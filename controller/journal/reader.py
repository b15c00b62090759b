"""Reading a journal file without leaving a trace on it: for audits, recalls and whoever has a copy.

A file with an empty write-ahead log is opened immutable. One that a running daemon holds is read beside it. A crashed
copy is read from a private copy of both files, so that SQLite's own recovery touches nothing that is evidence.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final
from urllib.parse import quote

from controller.errors import TableError
from controller.journal.records import Row
from controller.journal.schema import APPLICATION_ID, schema_fault

BATCH: Final = 512
LAST_NUMBER: Final = (1 << 63) - 1
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_COLUMNS: Final = "SELECT seq, stream, version, prev, hash, body FROM journal"


def read_rows(connection: sqlite3.Connection, start: int, *, newest_first: bool = False) -> Iterator[Row]:
    """Rows behind (or, newest first, in front of) `start`. Each batch is fetched whole: no cursor stays open (F66)."""
    start = min(start, LAST_NUMBER)  # a file that somebody made may end there, and no number follows
    where = "WHERE seq < ? ORDER BY seq DESC" if newest_first else "WHERE seq > ? ORDER BY seq"
    while True:
        batch = connection.execute(f"{_COLUMNS} {where} LIMIT {BATCH}", (start,)).fetchall()
        yield from (_row(*columns) for columns in batch)
        if len(batch) < BATCH:
            return
        start = batch[-1][0]


_KINDS: Final = (int, bytes, int, bytes, bytes, bytes)


def _row(*columns: Any) -> Row:
    """A row of a file that somebody made may hold anything, whatever its table says."""
    for value, kind in zip(columns, _KINDS, strict=True):
        if not isinstance(value, kind):
            raise sqlite3.DataError(f"record {columns[0]} holds a column of another kind")
    seq, stream, *rest = columns
    return Row(seq, str(stream, "utf-8", "replace"), *rest)


def read_stream(connection: sqlite3.Connection, name: str) -> list[Row]:
    """All rows of one stream (`hand/17`), in order."""
    found = connection.execute(f"{_COLUMNS} WHERE stream = ? ORDER BY seq", (name,)).fetchall()
    return [_row(*columns) for columns in found]


class Reader:
    """A journal file, read only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path
        """What is really read: the file, or its private copy, which others may open as well while this reader lives."""
        self._private: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._connection = self._connect()
            self.last = self._last()
        except sqlite3.Error as error:
            self._forget()
            if "no such" in str(error) and not self._marked:  # a table or a column: another program's file
                raise _no_journal(f"an SQLite file without a journal in it ({error})", path) from None
            remedy = "restore it from the mirror or a copy"
            raise TableError(203, f"not a readable journal ({error})", str(path), remedy, exit_code=3) from None

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Rows behind `after`, in order. TableError where the file cannot be read on."""
        return self._guard(read_rows(self._connection, after), after)

    def rows_back(self, before: int) -> Iterator[Row]:
        """Rows in front of `before`, newest first."""
        return self._guard(read_rows(self._connection, before, newest_first=True), before)

    def salvaged(self) -> Iterator[Row]:
        """Every row that can still be read, newest first, over damaged pages; one look-up each, so it is slow."""
        for seq in range(self.last, 0, -1):
            with contextlib.suppress(sqlite3.Error):
                yield from (_row(*found) for found in self._connection.execute(f"{_COLUMNS} WHERE seq = ?", (seq,)))

    def stream(self, name: str) -> list[Row]:
        """All rows of one stream (`hand/17`), in order."""
        try:
            return read_stream(self._connection, name)
        except sqlite3.Error as error:
            where = f"{self.path}, {name}"
            raise TableError(207, f"damaged ({error})", where, "restore the mirror or a copy", exit_code=3) from None

    def schema_fault(self) -> str:
        """In what the file beside its records is not as the table made it; empty where it is."""
        return schema_fault(self._connection)

    def page_fault(self) -> str:
        """What SQLite itself finds wrong with pages and index (which `recall` looks hands up in); empty: nothing."""
        try:
            told = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0].decode(errors="replace")
        except sqlite3.Error as error:
            return str(error)
        return "" if told == "ok" else " ".join(told.split())

    def has_hash(self, digest: bytes) -> bool:
        """Whether some record has this hash."""
        return self._connection.execute("SELECT 1 FROM journal WHERE hash = ?", (digest,)).fetchone() is not None

    def copy_to(self, path: Path) -> None:
        """Every page as it stands, as another file. OSError or sqlite3.Error where that takes nothing."""
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as target:
            self._connection.backup(target)

    def close(self) -> None:
        """Closes the file; a private copy is removed."""
        self._connection.close()
        self._forget()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _guard(self, rows: Iterator[Row], at: int) -> Iterator[Row]:
        try:
            for row in rows:
                at = row.seq
                yield row
        except sqlite3.Error as error:
            where = f"{self.path} beyond record {at}"
            raise TableError(207, f"damaged ({error})", where, "restore the mirror or a copy", exit_code=3) from None

    def _connect(self) -> sqlite3.Connection:
        try:
            with self.path.open("rb") as file:
                begins = file.read(_HEADER_BYTES)
        except OSError as error:
            raise _no_journal(f"not to be opened ({error.strerror})", self.path) from None
        self._marked = begins[68:72] == APPLICATION_ID.to_bytes(4, "big")
        if not begins.startswith(_MAGIC):
            raise _no_journal("an empty file" if not begins else "not an SQLite file", self.path)
        self.file, options = self._source()
        connection = sqlite3.connect(
            f"file:{quote(str(self.file.absolute()))}?{options}", uri=True, isolation_level=None
        )
        connection.text_factory = bytes
        if self._private is not None:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return connection

    def _source(self) -> tuple[Path, str]:
        wal = Path(f"{self.path.resolve()}-wal")
        if not wal.exists() or wal.stat().st_size == 0:
            return self.path, "mode=ro&immutable=1"
        if _held(lock_file(self.path)):
            return self.path, "mode=ro"
        self._private = tempfile.TemporaryDirectory(prefix="journal-")
        copy = Path(self._private.name) / "journal.db"
        shutil.copyfile(self.path, copy)
        shutil.copyfile(wal, f"{copy}-wal")
        return copy, "mode=rw"

    def _last(self) -> int:
        """The highest number, by one look-up; 0 in an empty table, and where somebody put something else there."""
        found = self._connection.execute("SELECT seq FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        return found[0] if found is not None and isinstance(found[0], int) else 0

    def _forget(self) -> None:
        if self._private is not None:
            self._private.cleanup()


def _no_journal(what: str, path: Path) -> TableError:
    return TableError(202, what, str(path), "name a journal file")


def lock_file(path: Path) -> Path:
    """What the owner of that journal locks: beside the file itself, whatever link it was named by."""
    return Path(f"{path.resolve()}.lock")


def _held(lock: Path) -> bool:
    """Whether a living writer holds the journal."""
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
