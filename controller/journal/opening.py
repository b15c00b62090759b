"""Opening a journal file for writing: is it a journal, is it ours, does it hold.

From the last but one signed record and the newest kept state on; a small file whole. It must never mend what it reads:
what does not hold is a TableError, and others decide what becomes of the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import TableError
from controller.journal import chain
from controller.journal.acts import Act, is_act
from controller.journal.chain_watch import suspect
from controller.journal.codec import CodecError, read_body
from controller.journal.copies import NOT_OURS
from controller.journal.keys import Keys
from controller.journal.records import SIGNED, STATE_KEPT
from controller.journal.store import Store
from controller.journal.walk import Identity, Walker, identity

WHOLE_UP_TO = 10_000
"""Records up to which the start walks the whole file: a tenth of a second. The audit walks any."""


class Owner(msgspec.Struct, frozen=True):
    """Whose journal is expected."""

    table: str
    keys: Keys


def open_verified(path: Path, owner: Owner, *, shared: bool = False) -> Store:
    """The file, held and verified. Exit code 3 where it does not hold, 5 where another process holds it."""
    with contextlib.ExitStack() as undo:
        store = undo.enter_context(Store.open(path, shared=shared))
        try:
            who = identity(store.one_row(1))
            _same(who, owner, path)
            whole = store.seq <= WHOLE_UP_TO or suspect(path).exists()
            verify_from(store, who, 1 if whole else _anchor(store), path)
        except CodecError as error:
            raise refused(str(error), path) from None
        except sqlite3.Error as error:
            raise refused(f"the file is damaged ({error})", path) from None
        undo.pop_all()
        suspect(path).unlink(missing_ok=True)
        return store


def verify_from(store: Store, who: Identity, start: int, path: Path) -> None:
    """The chain from that record to the end, and no act behind the last signature, which nobody's key vouches for."""
    before = store.one_row(start - 1)
    walker = Walker(who, start - 1, before.hash if before is not None else chain.GENESIS)
    act: Act | None = None
    for row in store.rows(start - 1):
        fault = walker.step(row)
        if fault is not None:
            raise refused(fault.what, path)
        body = walker.body
        if body is not None and body.type in SIGNED:
            act = None
        elif body is not None and is_act(body.type, body.hand):
            act = act or Act(body.seq, body.hand, body.type)
    if act is not None:
        raise TableError(258, f"the journal does not count: {act}", str(path), APPENDED, exit_code=3)


APPENDED: Final = (
    "somebody has worked on the file: keep it, run `tablectl audit`, restore a copy that ends before that record; "
    "where there is none, a memory clear by two people"
)
MEND: Final = "run `tablectl audit`, then restore the mirror or set the file aside"


def refused(what: str, path: Path, remedy: str = MEND) -> TableError:
    """The one line for a journal that does not hold."""
    return TableError(208, f"the journal does not verify: {what}", str(path), remedy, exit_code=3)


def newest_kept(store: Store) -> int:
    """The newest kept state that a signature stands right behind; 0 where there is none. Others count for nothing."""
    signed = False
    for row in store.rows_back(store.seq + 1):
        if signed and b'"type":"StateKept"' in row.body and read_body(row.body).type == STATE_KEPT:
            return row.seq
        signed = b'"signature":"' in row.body
    return 0


def _anchor(store: Store) -> int:
    """The last but one signed record, or the newest kept state where that is older: the replay begins there."""
    kept, signed = newest_kept(store), 0
    for row in store.rows_back(store.seq + 1):
        signed += b'"signature":"' in row.body
        if signed >= 2 and row.seq <= kept:
            return row.seq
    return 1


def _same(who: Identity, owner: Owner, path: Path) -> None:
    if who.opened.table != owner.table:
        raise refused(f"it is the journal of table {who.opened.table}, not {owner.table}", path, NOT_OURS)
    if who.opened.public_key != owner.keys.public_hex:
        raise refused("its checkpoints are signed with another key than this table's", path, NOT_OURS)
