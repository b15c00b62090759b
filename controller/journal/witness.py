"""The witness of the head: a small file on another medium with the newest record's number and hash.

At a start the journal must lead to what it saw: an older copy put back, or another table's card, does not. A thread
writes it behind the records and never holds one up. It holds no facts and must never be a reason to mend a journal.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

import msgspec

from controller.domain.events import JournalRepaired
from controller.errors import TableError
from controller.journal.codec import read_body
from controller.journal.copies import aside_name, set_aside
from controller.journal.records import CONTINUES, Continues
from controller.journal.repairs import Repairs
from controller.journal.store import Store, write_whole
from controller.journal.walk import identity

PAUSE_S: Final = 0.2
"""Between two writes, so that a hand does not wear a stick out; what matters is the newest record."""
RETRY_S: Final = 1.0
CLOSE_WAIT_S: Final = 2.0
MOST_BYTES: Final = 4096


class Seen(msgspec.Struct, frozen=True):
    """Of which journal the witness saw which record last: id and hash in hex."""

    journal: str
    seq: int
    head: str


def check(path: Path, store: Store, repairs: Repairs) -> None:
    """TableError (exit code 3) where the journal does not lead to what its witness saw; a lost witness is noted."""
    seen, why = _read(path)
    if seen is None:
        _set_aside(path, why, repairs)
    elif seen.journal != identity(store.one_row(1)).journal_id.hex():
        _goes_on_from(path, store, seen)
    else:
        _leads_to(path, store, seen)


def write(path: Path, seen: Seen) -> None:
    """Whole or as it was, whenever the power fails. OSError where the medium takes nothing."""
    write_whole(path, msgspec.json.encode(seen) + b"\n")


def _read(path: Path) -> tuple[Seen | None, str]:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=Seen), ""
    except FileNotFoundError:
        return None, "there was none"
    except OSError as error:
        return None, f"it could not be read ({error.strerror})"
    except msgspec.MsgspecError:
        return None, "it held something else"


def _set_aside(path: Path, why: str, repairs: Repairs) -> None:
    """What stands there under another name."""
    noted = repairs.note(JournalRepaired(copy="witness", why=why, aside=aside_name(path) if path.exists() else ""))
    try:
        if noted.aside:
            set_aside(path)
    except OSError:  # a medium that takes no rename takes no new witness either, and that is told
        repairs.withdraw(noted)
        repairs.note(JournalRepaired(copy="witness", why=why))


def _leads_to(path: Path, store: Store, seen: Seen) -> None:
    if store.seq < seen.seq:
        raise _older(path, store, f"it ends at record {store.seq}, its witness saw record {seen.seq}")
    found = store.hash_of(seen.seq)
    if found is None or found.hex() != seen.head:
        raise _another(path, store, f"its record {seen.seq} is not the one that its witness saw")


def _goes_on_from(path: Path, store: Store, seen: Seen) -> None:
    """The journal that the witness saw may have been archived; this one then says so.

    One that a memory clear began says nothing of the kind: the clear itself begins its witness.
    """
    row = store.one_row(2)
    body = read_body(row.body) if row is not None else None
    said = msgspec.json.decode(body.data, type=Continues) if body is not None and body.type == CONTINUES else None
    if said is None or said.journal != seen.journal:
        raise _another(path, store, f"its witness saw another one ({seen.journal[:8]}) and this does not go on from it")
    if said.seq < seen.seq:
        what = f"it goes on from record {said.seq} of {said.file}, of which its witness saw record {seen.seq}"
        raise _older(path, store, what)
    if said.seq == seen.seq and said.head != seen.head:
        raise _another(path, store, f"record {seen.seq} of {said.file} is not the one that its witness saw")


def _older(path: Path, store: Store, what: str) -> TableError:
    remedy = "bring the newer copy back; where it is lost for good, move the witness away: that is on record"
    return TableError(249, f"an old copy of the journal: {what}", f"{store.path}, {path}", remedy, exit_code=3)


def _another(path: Path, store: Store, what: str) -> TableError:
    remedy = "find out whose journal this is; only where it is right, move the witness away: that is on record"
    what = f"a cloned card, or somebody's work: {what}"
    return TableError(250, what, f"{store.path}, {path}", remedy, exit_code=3)


class Witness:
    """The file that is being written. `store` says which journal, and where it stands now."""

    def __init__(self, path: Path, store: Store) -> None:
        self._path = path
        self._journal = identity(store.one_row(1)).journal_id.hex()
        self._goal = (store.seq, store.head)
        self._written = 0
        self._changed = threading.Condition()
        self._closing = False
        self._fault = ""
        self._thread = threading.Thread(target=self._run, name="witness", daemon=True)
        self._thread.start()

    @property
    def lag(self) -> int:
        """Records that it has not heard of."""
        return max(0, self._goal[0] - self._written)

    @property
    def fault(self) -> str:
        """Why the last write failed; empty where it did not."""
        return self._fault

    def follow(self, seq: int, head: bytes) -> None:
        """A record that is on disk. Returns at once."""
        with self._changed:
            self._goal = (seq, head)
            self._changed.notify_all()

    def level(self, timeout_s: float) -> bool:
        """Waits until it has heard of everything."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.lag, timeout_s)

    def close(self) -> None:
        """Writes what is owed; a medium that hangs is left behind."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(CLOSE_WAIT_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self.lag)
                closing, goal = self._closing, self._goal
            if goal[0] > self._written:
                self._write(*goal)
            if closing:
                return
            with self._changed:
                self._changed.wait_for(lambda: self._closing, RETRY_S if self._fault else PAUSE_S)

    def _write(self, seq: int, head: bytes) -> None:
        fault = ""
        try:
            write(self._path, Seen(self._journal, seq, head.hex()))
        except OSError as error:
            fault = f"it cannot be written ({error.strerror})"
        with self._changed:
            self._fault = fault
            self._written = self._written if fault else seq
            self._changed.notify_all()
