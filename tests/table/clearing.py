"""A memory clear of a table of the harness. Run as a program: plays, spoils both copies, then clears."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from archiving import STAMP, played
from harness_parts import TABLE, open_journal, registry

from controller.cli.memory_clear import _after
from controller.journal import keys as key_files
from controller.journal.clearing import clear
from controller.journal.journal import Journal
from controller.journal.opening import Owner, open_verified
from controller.journal.records import FoundMeter, MemoryCleared
from controller.journal.witness import Seen, write

MAIN, MIRROR, WITNESS = "journal.db", "journal-mirror.db", "journal.witness"


def made(path: Path) -> Journal:
    """An empty journal of the same table, with an id of its own."""
    keys = key_files.load(path.parent)
    return Journal.create(path, table=TABLE, keys=keys, registry=registry(), entropy=os.urandom, stamp=STAMP)


def opened(folder: Path) -> Journal:
    """As a start opens it: both copies, and the witness."""
    return Journal.open(
        folder / MAIN, table=TABLE, keys=key_files.load(folder), registry=registry(), entropy=os.urandom,
        mirror=folder / MIRROR, witness=folder / WITNESS,
    )  # fmt: skip


def cleared(folder: Path, witness: str = WITNESS) -> MemoryCleared:
    """Both copies cleared; the jackpot goes on with what they tell."""
    verified = partial(open_verified, owner=Owner(TABLE, key_files.load(folder)))
    paths = [folder / MAIN, folder / MIRROR]
    return clear(paths, verified, made, _after, ("s1", "s2"), STAMP, told_last, folder / witness)


def told_last(found: FoundMeter | None) -> tuple[str, str]:
    """The two people take what the files tell."""
    assert found is not None
    return found.meter, found.reserve


def spoil(path: Path, at: bytes) -> None:
    """Four bytes of the first such record, on disk."""
    place = path.read_bytes().index(at)
    file = os.open(path, os.O_RDWR)
    os.pwrite(file, b"XXXX", place)
    os.fsync(file)
    os.close(file)


def lost(folder: Path) -> None:
    """Two hands, a mirror and a witness; then neither copy holds."""
    played(folder, 2)
    journal = open_journal(folder, folder / MIRROR)
    seen = Seen(journal.identity.journal_id.hex(), journal.seq, journal.head.hex())
    journal.close()
    write(folder / WITNESS, seen)
    spoil(folder / MAIN, b'"type":"Locked"')
    spoil(folder / MIRROR, b'"type":"CardDealt"')


if __name__ == "__main__":
    lost(Path(sys.argv[1]))
    os.write(1, b"1 begin\n")
    cleared(Path(sys.argv[1]))
