"""The journal's file, for its one writer: SQLite, one append-only table, a commit that is on disk before it returns.

Owns the schema, the pragmas and the exclusive ownership. It knows rows of bytes and nothing of what they say; it must
never update or delete, and never hold a read open.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final

from controller.errors import TableError
from controller.journal import chain
from controller.journal.reader import lock_file, read_rows, read_stream
from controller.journal.records import Row
from controller.journal.schema import APPLICATION_ID, STATEMENTS, schema_fault
from controller.journal.space import space_of

LOCK_TRIES: Final = 5
WAL_CAP_BYTES: Final = 16 * 1024 * 1024
SIDE_FILES_BYTES: Final = 256 * 1024
"""SQLite wants less beside a journal before it reads one (32 KiB of index, and the first frames)."""
NO_ROOM: Final = 4
"""Exit code: the disk is not to be had."""


class WriteFault(StrEnum):
    """Why a record could not be written."""

    FULL = "disk full"
    READ_ONLY = "file system read-only"
    INPUT_OUTPUT = "input/output error"
    BUSY = "another process holds the file"
    GONE = "the file was moved or removed"
    OTHER = "write refused"


class JournalWriteError(TableError):
    """Nothing of the append is recorded: nothing may be shown or acknowledged until a write succeeds."""

    def __init__(self, fault: WriteFault, where: str) -> None:
        super().__init__(210, f"NOT RECORDING: {fault}", where, "free the disk or call the technician", exit_code=3)
        self.fault = fault


class Store:
    """An open journal file, held by this process alone."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int) -> None:
        self._path = path
        self._connection = connection
        self._lock = lock
        self._known = True
        self.seq, self.head = _tail(connection)
        self._files = _inodes(path)

    @classmethod
    def create(cls, path: Path, first: tuple[str, int, bytes]) -> Store:
        """A new file with its first record: both or nothing."""
        with _opening(path) as lock:
            connection = _connect(path)
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise TableError(204, "a journal stands there already", str(path), "open it, or archive it first")
            _begin_file(connection, first)
            sync_directory(path.parent)
            return cls(path, connection, lock)

    @classmethod
    def open(cls, path: Path, *, shared: bool = False) -> Store:
        """An existing file. Exit code 3 where it is no journal, 5 where another process holds it.

        `shared`: several threads use it, one at a time (the mirror).
        """
        if not path.exists():
            raise TableError(201, "no journal there", str(path), "name the file, or make one with `tabled --init`")
        with _opening(path) as lock:
            connection = _connect(path, shared=shared)
            strange = schema_fault(connection)
            if not strange:
                return cls(path, connection, lock)
            connection.close()
            remedy = "run `tablectl audit`, then restore the mirror or set the file aside"
            raise TableError(208, f"the journal does not verify: {strange}", str(path), remedy, exit_code=3)

    def append(self, rows: Sequence[Row]) -> None:
        """All rows in one transaction, on disk when it returns; JournalWriteError and none of them otherwise."""
        if _inodes(self._path) != self._files:  # SQLite would go on writing into a file that nobody finds again
            raise JournalWriteError(WriteFault.GONE, str(self._path))
        try:
            self._recheck()
            self._known = False
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(_INSERT, [_values(row) for row in rows])
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            raise JournalWriteError(_fault(error), str(self._path)) from error
        self._known = True
        self.seq, self.head = rows[-1].seq, rows[-1].hash

    def rows(self, after: int = 0) -> Iterator[Row]:
        """All rows behind `after`, in order, without a read transaction between batches."""
        return read_rows(self._connection, after)

    def rows_back(self, before: int) -> Iterator[Row]:
        """Rows in front of `before`, newest first."""
        return read_rows(self._connection, before, newest_first=True)

    def stream(self, name: str) -> list[Row]:
        """All rows of one stream, in order."""
        return read_stream(self._connection, name)

    def one_row(self, seq: int) -> Row | None:
        """The row of that number."""
        return next((row for row in self.rows(seq - 1) if row.seq == seq), None)

    def hash_of(self, seq: int) -> bytes | None:
        """The hash of one record; None where it is not there."""
        found = self._connection.execute("SELECT hash FROM journal WHERE seq = ?", (seq,)).fetchone()
        return None if found is None else found[0]

    def copy_to(self, path: Path) -> None:
        """The whole file, record for record, as a new one under that name: whole or not there (crash included)."""
        made = path.with_name(f"{path.name}.making")
        made.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as target:
            self._connection.backup(target)
        _sync_file(made)
        made.rename(path)
        sync_directory(path.parent)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def wal_bytes(self) -> int:
        """Size of the write-ahead file; beyond WAL_CAP_BYTES some reader is pinned."""
        try:
            return Path(f"{self._path}-wal").stat().st_size
        except FileNotFoundError:
            return 0

    def pragma(self, name: str) -> int | str:
        """A setting as SQLite sees it (self-test)."""
        value: int | str = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
        return value

    def close(self) -> None:
        """Closes the file and gives it free."""
        self._connection.close()
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _recheck(self) -> None:
        """After a failed write the file, not memory, says where the chain stands."""
        if not self._known and _tail(self._connection) != (self.seq, self.head):
            raise sqlite3.IntegrityError("the tail changed under a failed write")

    def _undo(self) -> None:
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:  # the fault itself has ended the transaction
                return


_INSERT: Final = "INSERT INTO journal(seq, stream, version, prev, hash, body) VALUES (?, ?, ?, ?, ?, ?)"


def _values(row: Row) -> tuple[int, str, int, bytes, bytes, str]:
    return row.seq, row.stream, row.version, row.prev, row.hash, row.body.decode()


def _connect(path: Path, *, shared: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=not shared)
    connection.text_factory = bytes  # the chain runs over stored bytes, and a touched body may not be UTF-8
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "trusted_schema=OFF", f"journal_size_limit={WAL_CAP_BYTES}"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def _begin_file(connection: sqlite3.Connection, first: tuple[str, int, bytes]) -> None:
    stream, version, body = first
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    for statement in STATEMENTS:
        connection.execute(statement)
    digest = chain.link(chain.GENESIS, body)
    connection.execute(_INSERT, _values(Row(1, stream, version, chain.GENESIS, digest, body)))
    connection.execute("COMMIT")


def _inodes(path: Path) -> tuple[int, ...]:
    """Which files lie under the journal's names now: the database and, once it is read, its write-ahead file."""
    found = []
    for name in (path, Path(f"{path}-wal")):
        try:
            found.append(name.stat().st_ino)
        except OSError:
            found.append(0)
    return tuple(found)


def _tail(connection: sqlite3.Connection) -> tuple[int, bytes]:
    found = connection.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
    return (0, chain.GENESIS) if found is None else (found[0], found[1])


@contextlib.contextmanager
def _opening(path: Path) -> Iterator[int]:
    """The ownership for a Store that is being opened; given back if that fails, whatever the reason."""
    with contextlib.ExitStack() as undo:
        lock = _own(path)
        undo.callback(os.close, lock)
        try:
            yield lock
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None
        undo.pop_all()


def _own(path: Path) -> int:
    """Exclusive ownership by a lock file beside the journal. The kernel gives it free when the holder dies."""
    beside = str(lock_file(path))
    try:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno == errno.EROFS:
            raise _read_only(path, error.strerror) from None
        raise TableError(205, f"lock not made ({error.strerror})", beside, "check the directory", exit_code=3) from None
    try:
        _flock(lock)
    except OSError as error:
        holder = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise TableError(205, f"lock refused ({error.strerror})", beside, "check the disk", exit_code=3) from None
        remedy = "stop that one first"
        raise TableError(206, f"process {holder} holds the journal", str(path), remedy, exit_code=5) from None
    with contextlib.suppress(OSError):  # the lock holds without a name in it: a full disk takes none
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock


@contextlib.contextmanager
def owned(path: Path) -> Iterator[None]:
    """Ownership of a journal whose file is not open. Exit code 5 where another process holds it."""
    lock = _own(path)
    try:
        yield
    finally:
        os.close(lock)


def _flock(lock: int) -> None:
    for _ in range(LOCK_TRIES - 1):
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # a reader that looks whether we live holds it for an instant
            os.sched_yield()
    return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_whole(path: Path, data: bytes) -> None:
    """A small file, whole or as it was, whenever the power fails. OSError where the medium takes nothing."""
    made = path.with_name(f"{path.name}.making")
    with made.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Names in it survive a power cut."""
    _sync_file(directory)


def _sync_file(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unreadable(path: Path, error: sqlite3.Error) -> TableError:
    """A disk without room for SQLite's side files says nothing about the journal: never a reason to set it aside."""
    if _fault(error) in (WriteFault.FULL, WriteFault.INPUT_OUTPUT) and space_of(path.parent).free < SIDE_FILES_BYTES:
        remedy = "make room on that disk, then start again; the journal itself is not at fault"
        return TableError(244, f"no room to open the journal ({error})", str(path), remedy, exit_code=NO_ROOM)
    if _fault(error) is WriteFault.READ_ONLY:
        return _read_only(path, str(error))
    remedy = "set it aside and restore the mirror or a copy"
    return TableError(203, f"not a readable journal ({error})", str(path), remedy, exit_code=3)


def _read_only(path: Path, why: str | None) -> TableError:
    """Nor does a file system that was remounted: what stands there may be sound, and nothing can be made anew there."""
    remedy = "repair that disk (`tablectl doctor`), then start again"
    return TableError(251, f"the journal's file system is read-only ({why})", str(path), remedy, exit_code=NO_ROOM)


def _fault(error: sqlite3.Error) -> WriteFault:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return {
        sqlite3.SQLITE_FULL: WriteFault.FULL,
        sqlite3.SQLITE_READONLY: WriteFault.READ_ONLY,
        sqlite3.SQLITE_IOERR: WriteFault.INPUT_OUTPUT,
        sqlite3.SQLITE_CANTOPEN: WriteFault.INPUT_OUTPUT,
        sqlite3.SQLITE_BUSY: WriteFault.BUSY,
        sqlite3.SQLITE_LOCKED: WriteFault.BUSY,
    }.get(code, WriteFault.OTHER)
