"""Archiving: the journal moves whole to another name and a new one goes on from it, in a step that no crash halves.

The old file is linked under its new name, then the finished new one takes the old name. Owns that order. It must never
write into the old file, nor leave the table without a journal for an instant.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.domain.events import RunEnded
from controller.errors import TableError
from controller.journal.archive import sha256_of
from controller.journal.journal import Journal
from controller.journal.records import RUN_ENDED, Continues, Stamp, StateKept
from controller.journal.store import owned, sync_directory
from controller.journal.witness import Seen

NEXT: Final = ".next"
"""A journal that is not in force yet is made under the other's name with this behind it."""


class Archived(msgspec.Struct, frozen=True):
    """What now lies under another name."""

    file: str
    sha256: str
    records: int
    first_hand: int
    last_hand: int
    head: str


def rotate(
    old: Journal, path: Path, make: Callable[[Path], Journal], state: tuple[dict[str, Any], str], stamp: Stamp
) -> Archived:
    """`old` is open and its table closed; it is closed here. `make` creates an empty journal of the same table."""
    first, what = old.first_hand, _unready(old)
    if what:
        old.close()
        raise TableError(232, f"nothing to archive: {what}", str(path), "play, close the table, stop tabled")
    name = f"{path.stem}-{first:06d}-{old.last_hand:06d}{path.suffix}"
    said = Continues(
        journal=old.identity.journal_id.hex(), file=name, sha256="", seq=old.seq, head=old.head.hex(),
        hand=old.last_hand,
    )  # fmt: skip
    old.close()
    with owned(path):
        if Path(f"{path}-wal").exists():
            raise TableError(233, "another program reads it", str(path), "stop that one, then archive")
        said = msgspec.structs.replace(said, sha256=sha256_of(path))
        new, _ = finished(path, make, said, state, "archived", stamp)
        _linked(path, path.with_name(name))
        new.rename(path)
        sync_directory(path.parent)
    return Archived(name, said.sha256, said.seq, first, said.hand, said.head)


def _unready(old: Journal) -> str:
    """Why it is not archived; empty where it may be."""
    if old.degraded:
        return "the main file takes no write"
    if not old.first_hand:
        return "no hand was played in it"
    ended = old.open_hand is None and old.last_type == RUN_ENDED
    return "" if ended else "it does not end with an orderly stop of a closed table"


def finished(
    path: Path,
    make: Callable[[Path], Journal],
    first: msgspec.Struct,
    state: tuple[dict[str, Any], str],
    reason: str,
    stamp: Stamp,
) -> tuple[Path, Seen]:
    """The new file beside `path`, on disk: what came before it, the table's state, a signature over both. And its head.

    What an earlier try left under that name is made anew.
    """
    new = path.with_name(f"{path.name}{NEXT}")
    making = path.with_name(f"{new.name}.making")  # an earlier finished one stays until this one is
    for left in (making, Path(f"{making}-wal"), Path(f"{making}-shm")):
        left.unlink(missing_ok=True)
    journal = make(making)
    try:
        kept = StateKept(state=state[0], memory=state[1])
        ended = RunEnded(reason=reason, head="", signature="")
        journal.append([first, kept, ended], hand=None, stamp=stamp)
        seen = Seen(journal.identity.journal_id.hex(), journal.seq, journal.head.hex())
    finally:
        journal.close()
    Path(f"{making}.lock").unlink(missing_ok=True)
    making.rename(new)
    sync_directory(path.parent)
    return new, seen


def _linked(path: Path, archive: Path) -> None:
    try:
        os.link(path, archive)
    except FileExistsError:
        if not archive.samefile(path):  # a try that was cut off had come so far
            raise TableError(234, "another file stands there", str(archive), "move that one away") from None
    except OSError as error:
        what = f"the file system takes no second name ({error.strerror})"
        raise TableError(234, what, str(archive), "keep journals on a file system with hard links") from None
