"""Both copies of a journal at the start: compared, the bad one made anew from the good one, or refused with the reason.

Owns the decision which copy tells the truth. It must never delete a file: what is bad is set aside under another name.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from controller.domain.events import JournalDegraded, JournalRepaired, RunStarted
from controller.errors import TableError
from controller.journal.codec import read_body
from controller.journal.reader import Reader
from controller.journal.records import CONTINUES, Continues, Row
from controller.journal.repairs import Repairs
from controller.journal.store import NO_ROOM, JournalWriteError, Store

Opener = Callable[[Path], Store]
HELD: Final = 5
CHUNK: Final = 2000
MOST_OF_ONE: Final = 1000
"""Records of one append at the most, by far."""
DEGRADED: Final = JournalDegraded.__name__
STARTED: Final = RunStarted.__name__
NOT_OURS: Final = "check table.id and the key files that table.toml names; bring back this table's own key or journal"


class Pair(msgspec.Struct, frozen=True):
    """Two level copies of the journal at `path`; where one is not to be had it is None and `lacking` says why.

    `mirror` None and `lacking` empty: none is wanted. `main` None: the mirror carries the table.
    """

    path: Path
    main: Store | None
    mirror: Store | None
    lacking: str = ""

    @property
    def durable(self) -> Store:
        """The one that records go to first."""
        store = self.main or self.mirror
        assert store is not None
        return store


def one_file(store: Store) -> Pair:
    """A journal without a mirror."""
    return Pair(store.path, store, None)


def open_pair(main: Path, mirror: Path, verified: Opener, repairs: Repairs) -> Pair:
    """Both copies, level; what was mended is noted. TableError where no copy holds, or they tell different stories."""
    if main.exists() and mirror.exists() and main.samefile(mirror):  # two write-ahead files would ruin it
        remedy = "name two files on two media in table.toml, and remove the link"
        raise TableError(245, "journal and mirror are one and the same file", f"{main}, {mirror}", remedy)
    with contextlib.ExitStack() as undo:
        first, wrong = _tried(verified, main, undo)
        second, wrong_too = _tried(verified, mirror, undo)
        if wrong is not None and wrong.exit_code == NO_ROOM:
            if second is None:
                raise wrong
            pair = _without_main(main, second, wrong, verified)
        elif first is not None and second is not None:
            pair = _compared(first, second, verified, repairs)
        elif first is not None and wrong_too is not None and wrong_too.exit_code == NO_ROOM:
            pair = Pair(main, first, None, lacking=f"mirror: {wrong_too.what}")
        elif first is not None:
            pair = _mirror_anew(first, mirror, wrong_too, verified, repairs)
        elif second is not None:
            pair = _main_anew(main, second, _why(main, wrong), verified, repairs)
        else:
            raise _neither(main, mirror, wrong, wrong_too)
        undo.pop_all()
        return pair


def _neither(main: Path, mirror: Path, wrong: TableError | None, wrong_too: TableError | None) -> TableError:
    what = f"neither copy of the journal holds: {wrong.what if wrong else ''}; {wrong_too.what if wrong_too else ''}"
    remedies = {error.remedy for error in (wrong, wrong_too) if error is not None}
    remedy = NOT_OURS if remedies == {NOT_OURS} else "restore a copy, or a memory clear by two people"
    return TableError(227, what, f"{main}, {mirror}", remedy, exit_code=3)


def first_difference(first: Store, second: Store) -> int:
    """The lowest number whose records differ, within what both have; 0 where none does. Hashes are chained."""
    low, high = 0, min(first.seq, second.seq)
    if first.hash_of(high) == second.hash_of(high):
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        if first.hash_of(middle) == second.hash_of(middle):
            low = middle
        else:
            high = middle
    return high


def fill_up(behind: Store, ahead: Store) -> None:
    """The records that one copy has more, in the other. JournalWriteError where it takes none."""
    for rows in _chunks(ahead.rows(behind.seq)):
        behind.append(rows)


def aside_name(path: Path) -> str:
    """The next free name for a bad file; not one that a write-ahead file already has."""
    taken = {each.name.removesuffix("-wal") for each in path.parent.glob(f"{path.name}.aside-*")}
    return next(name for i in itertools.count(1) if (name := f"{path.name}.aside-{i}") not in taken)


def set_aside(path: Path) -> str:
    """Another name for a bad file and its write-ahead file; the new name."""
    name = aside_name(path)
    for tail in ("-wal", ""):
        part = Path(f"{path}{tail}")
        if part.exists():
            part.rename(path.with_name(f"{name}{tail}"))
    return name


def _tried(verified: Opener, path: Path, undo: contextlib.ExitStack) -> tuple[Store | None, TableError | None]:
    try:
        return undo.enter_context(verified(path)), None
    except TableError as error:
        if error.exit_code == HELD:
            raise
        return None, error


def _why(path: Path, wrong: TableError | None) -> str:
    return "there was none" if not path.exists() else wrong.what if wrong else ""


def _noted(repairs: Repairs, copy: str, path: Path, why: str) -> JournalRepaired:
    """That a copy is about to be made anew, and under which name the bad one will lie."""
    return repairs.note(JournalRepaired(copy=copy, why=why, aside=aside_name(path) if path.exists() else ""))


def _anew(path: Path, noted: JournalRepaired, good: Store) -> None:
    if noted.aside:
        set_aside(path)
    good.copy_to(path)


def _mirror_anew(main: Store, path: Path, wrong: TableError | None, verified: Opener, repairs: Repairs) -> Pair:
    noted = _noted(repairs, "mirror", path, _why(path, wrong))
    try:
        _anew(path, noted, main)
        return Pair(main.path, main, verified(path))
    except (OSError, sqlite3.Error) as error:
        repairs.withdraw(noted)
        return Pair(main.path, main, None, lacking=f"mirror: it cannot be made ({error})")


def _main_anew(path: Path, mirror: Store, why: str, verified: Opener, repairs: Repairs) -> Pair:
    noted = _noted(repairs, "main", path, why)
    try:
        _anew(path, noted, mirror)
    except (OSError, sqlite3.Error) as error:
        what = f"the journal cannot be made anew from its mirror ({error})"
        raise TableError(228, what, str(path), "repair the disk", exit_code=3) from None
    return Pair(path, verified(path), mirror)


def _without_main(path: Path, mirror: Store, wrong: TableError, verified: Opener) -> Pair:
    """The main file takes no write now: it is read, so that the mirror lacks nothing of it, and the mirror carries on.

    `wrong` where it cannot be read either, or the mirror has no room for it: what it holds may be missing.
    """
    copy = mirror.path.with_name(f"{mirror.path.name}.reading")
    try:
        _read_into(path, copy, wrong)
        with _tried_copy(verified, copy) as main:
            if main is not None:
                _carried_over(main, mirror, f"{path}, {mirror.path}")
    except (OSError, sqlite3.Error, JournalWriteError):
        raise wrong from None
    finally:
        for tail in ("", "-wal", "-shm", ".lock"):
            Path(f"{copy}{tail}").unlink(missing_ok=True)
    return Pair(path, None, mirror, lacking=f"main: {wrong.what}")


def _read_into(path: Path, copy: Path, wrong: TableError) -> None:
    try:
        with Reader(path) as reader:
            reader.copy_to(copy)
    except TableError:
        raise wrong from None


@contextlib.contextmanager
def _tried_copy(verified: Opener, copy: Path) -> Iterator[Store | None]:
    """None where it does not hold: then the mirror is the good copy, as ever."""
    try:
        store = verified(copy)
    except TableError:
        yield None
        return
    with store:
        yield store


def _carried_over(main: Store, mirror: Store, where: str) -> None:
    """The mirror gets what it lacks of a main file that is only read; refused where they tell two stories."""
    fork = first_difference(main, mirror)
    if fork:
        _must_be_unacknowledged(main, mirror, fork, where)
    elif main.seq < mirror.seq:
        _must_not_be_older(main, mirror, where)
    else:
        fill_up(mirror, main)


def _compared(main: Store, mirror: Store, verified: Opener, repairs: Repairs) -> Pair:
    fork = first_difference(main, mirror)
    if fork == 1 and _goes_on_from(main, mirror):
        return _mirror_archived(main, mirror, verified, repairs)
    if fork:
        return _forked(main, mirror, fork, verified, repairs)
    if main.seq < mirror.seq:
        return _main_behind(main, mirror, repairs)
    if main.seq == mirror.seq:
        return Pair(main.path, main, mirror)
    try:
        fill_up(mirror, main)
    except JournalWriteError as error:
        mirror.close()
        return Pair(main.path, main, None, lacking=f"mirror: {error.fault}")
    return Pair(main.path, main, mirror)


def _goes_on_from(main: Store, mirror: Store) -> Continues | None:
    """Whether the mirror holds the journal that was archived when this one began."""
    row = main.one_row(2)
    body = read_body(row.body) if row is not None else None
    if body is None or body.type != CONTINUES:
        return None
    said = msgspec.json.decode(body.data, type=Continues)
    return said if said.head == mirror.head.hex() else None


def _mirror_archived(main: Store, mirror: Store, verified: Opener, repairs: Repairs) -> Pair:
    """The mirror's old file moves to the archive's name as the main one did; a new one is made."""
    said = _goes_on_from(main, mirror)
    assert said is not None
    path, archive = mirror.path, mirror.path.with_name(f"mirror-{Path(said.file).name}")
    mirror.close()
    noted = repairs.note(JournalRepaired(copy="mirror", why="a new journal began", aside=archive.name))
    try:
        if archive.exists():
            raise FileExistsError(f"{archive} stands there")
        path.rename(archive)
        main.copy_to(path)
    except (OSError, sqlite3.Error) as error:
        repairs.withdraw(noted)
        return Pair(main.path, main, None, lacking=f"mirror: it cannot be made ({error})")
    return Pair(main.path, main, verified(path))


def _main_behind(main: Store, mirror: Store, repairs: Repairs) -> Pair:
    """The end of a degraded run, or a disk that lost what it had said was written: filled up. A whole run: refused."""
    missing = mirror.seq - main.seq
    _must_not_be_older(main, mirror, f"{main.path}, {mirror.path}")
    repairs.note(JournalRepaired(copy="main", why=f"{missing} records were in the mirror only"))
    fill_up(main, mirror)
    return Pair(main.path, main, mirror)


def _must_not_be_older(main: Store, mirror: Store, where: str) -> None:
    """A start that the main file lacks, unless it began, or was begun in, a time without the main file."""
    kinds = [read_body(row.body).type for row in mirror.rows(main.seq)]
    degraded = kinds[0] == DEGRADED or kinds[:2] == [STARTED, DEGRADED]
    if not degraded and STARTED in kinds:
        what = f"an old copy: it ends at record {main.seq}, its mirror goes on to {mirror.seq} over a later start"
        raise _refused(230, what, where)


def _forked(main: Store, mirror: Store, fork: int, verified: Opener, repairs: Repairs) -> Pair:
    """What the main file kept of a write that failed was never acknowledged; any other difference is no accident."""
    _must_be_unacknowledged(main, mirror, fork, f"{main.path}, {mirror.path}")
    path = main.path
    main.close()
    return _main_anew(path, mirror, f"record {fork} and what followed were never acknowledged", verified, repairs)


def _must_be_unacknowledged(main: Store, mirror: Store, fork: int, where: str) -> None:
    """One append can have failed and been kept: a second one follows an answer, and so was told to somebody."""
    row = mirror.one_row(fork)
    if row is None or read_body(row.body).type != DEGRADED or not _one_append(main, fork):
        what = f"the two copies tell different stories from record {fork} on: a cloned card, or somebody's work"
        raise _refused(231, what, where)


def _one_append(store: Store, first: int) -> bool:
    """Whether all from that record on is one act: the records of an append have one stamp."""
    bodies = [read_body(row.body) for row in itertools.islice(store.rows(first - 1), MOST_OF_ONE)]
    stamps = {(body.run, body.mono) for body in bodies}
    return len(stamps) == 1 and bodies[-1].seq == store.seq


def _refused(code: int, what: str, where: str) -> TableError:
    remedy = "find out which is right, move the other away: it is made anew"
    return TableError(code, what, where, remedy, exit_code=3)


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while chunk := list(itertools.islice(rows, CHUNK)):
        yield chunk
