"""The memory clear: a new journal where no copy of the old one holds. The bad files are set aside, never deleted.

Reads of the old files whatever can still be read, so that record 2 names them and hands count on. The new file is
finished before an old one moves, so a try that is cut off is brought to its end by the next. It must never run where a
copy still holds.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.errors import TableError
from controller.journal.archive import before, sha256_of
from controller.journal.chain import link
from controller.journal.codec import CodecError, read_body
from controller.journal.copies import aside_name
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.journal.records import (
    MEMORY_CLEARED,
    STATE_KEPT,
    Continues,
    FoundMeter,
    LostFile,
    MemoryCleared,
    Row,
    Stamp,
)
from controller.journal.rotation import NEXT, finished
from controller.journal.store import Store, owned, sync_directory
from controller.journal.walk import identity
from controller.journal.witness import Seen, write

_HAND = re.compile(rb'"hand":(\d{1,9})')
_ARCHIVED = re.compile(r"-\d{6,9}-(\d{6,9})$")
_OF_THE_METER = frozenset({"MeterMoved", "MeterCorrected", "Locked", "JackpotHit", STATE_KEPT})
_BLOCK, _OVERLAP = 1 << 20, 64


def lost_file(path: Path) -> LostFile:
    """What a bad file still tells: its hash, the last record that can be read, the highest hand number in it."""
    seq, head = 0, ""
    try:
        with Reader(path) as reader:
            row = next(reader.rows_back(reader.last + 1), None)
        seq, head = (row.seq, row.hash.hex()) if row is not None else (0, "")
    except TableError:
        pass
    return LostFile(file=path.name, sha256=sha256_of(path), seq=seq, head=head, hand=highest_hand(path))


def highest_hand(path: Path) -> int:
    """From the bytes, whatever the database is worth; the write-ahead file counts, too."""
    highest = 0
    for part in (path, Path(f"{path}-wal")):
        if not part.exists():
            continue
        with part.open("rb") as file:
            tail = b""
            while block := file.read(_BLOCK):
                numbers = (int(number) for number in _HAND.findall(tail + block))
                highest, tail = max(highest, *numbers, 0), block[-_OVERLAP:]
    return highest


def hands_beside(path: Path) -> int:
    """The highest hand number of files set aside earlier, by their bytes, and of archived ones, by their names."""
    aside = (highest_hand(each) for each in path.parent.glob(f"{path.name}.aside-*") if each.is_file())
    return max([0, *aside, *map(_hands, _archives(path))])


def found_meter(paths: list[Path]) -> FoundMeter | None:
    """What these files say last of the jackpot, the newest of them; None where nothing of it can be read."""
    found = [meter for meter in map(_last_meter, paths) if meter is not None]
    return max(found, key=lambda meter: meter.seq, default=None)


def _last_meter(path: Path) -> FoundMeter | None:
    try:
        with Reader(path) as reader:
            return _meter_in(path, _told(reader.salvaged()))
    except TableError:
        return None


def _told(rows: Iterator[Row]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Number, type and data of each record that tells of the jackpot, and is whole by its own hash."""
    for row in rows:
        if link(row.prev, row.body) != row.hash:
            continue
        with contextlib.suppress(CodecError, msgspec.MsgspecError):
            body = read_body(row.body)
            if body.type in _OF_THE_METER:
                yield row.seq, body.type, msgspec.json.decode(body.data, type=dict)


def _meter_in(path: Path, newest_first: Iterator[tuple[int, str, dict[str, Any]]]) -> FoundMeter | None:
    found: dict[str, Any] = {}
    hits = 0
    for seq, kind, data in newest_first:
        if kind == "JackpotHit":
            hits = max(hits, data.get("id", 0))
            continue
        said = data.get("state", {}) if kind == STATE_KEPT else {"meter": data.get("after", ""), **data}
        if not found and said.get("meter"):
            found = {"seq": seq, "meter": said["meter"], "reserve": said.get("reserve", "0")}
        if kind == STATE_KEPT:
            hits = max(hits, said.get("hits", 0))
            break
    return FoundMeter(file=path.name, hits=hits, **found) if found else None


class _Lost(msgspec.Struct, frozen=True):
    """A bad file: its name in table.toml, where it lies now, and the name that it is set aside under."""

    path: Path
    file: Path
    aside: str


def remains(paths: list[Path]) -> list[Path]:
    """What lies beside main file and mirror of a table's past: files set aside, and archived ones."""
    aside = [each for path in paths for each in _asides(path)]
    return aside + _archives(paths[0])


def clear(
    paths: list[Path],
    verified: Callable[[Path], Store],
    make: Callable[[Path], Journal],
    state: Callable[[MemoryCleared], tuple[dict[str, Any], str]],
    operators: tuple[str, ...],
    stamp: Stamp,
    decide: Callable[[FoundMeter | None], tuple[str, str]] = lambda _: ("", ""),
    witness: Path | None = None,
) -> MemoryCleared:
    """`paths`: main file, and mirror where there is one. `state` gives a table's kept state to begin with.

    `decide` gives meter and reserve to begin with, or refuses, before anything is set aside.
    """
    there = [path for path in paths if path.exists()]
    if not there and not remains(paths):
        raise TableError(236, "no journal is there", str(paths[0]), "`tabled --init` makes the first one")
    for path in there:
        _must_be_bad(path, verified)
    try:
        with owned(paths[0]):
            return _cleared(paths, make, state, operators, stamp, decide, witness)
    except (OSError, sqlite3.Error) as error:
        remedy = "repair or free the disk, then run it again: it goes on from there"
        raise TableError(254, f"the memory clear is not finished ({error})", str(paths[0]), remedy) from None


def _cleared(
    paths: list[Path],
    make: Callable[[Path], Journal],
    state: Callable[[MemoryCleared], tuple[dict[str, Any], str]],
    operators: tuple[str, ...],
    stamp: Stamp,
    decide: Callable[[FoundMeter | None], tuple[str, str]],
    witness: Path | None,
) -> MemoryCleared:
    begun = _begun(paths[0])
    lost = _lost(paths, begun)
    found = found_meter([each.file for each in lost])
    meter, reserve = decide(found)
    files = tuple(msgspec.structs.replace(lost_file(each.file), file=each.path.name) for each in lost)
    cleared = MemoryCleared(
        lost=files, aside=tuple(each.aside for each in lost), operators=operators,
        hand=max([hands_beside(paths[0]), *(each.hand for each in files)]), found=found, meter=meter, reserve=reserve,
        witness=_witness_aside(witness, begun), before=_before(paths[0], lost),
    )  # fmt: skip
    new, seen = finished(paths[0], make, cleared, state(cleared), "memory cleared", stamp)
    if witness is not None:
        _begin_witness(witness, cleared.witness, seen)
    for each in lost:
        _set_aside(each.path, each.aside)
    new.rename(paths[0])
    sync_directory(paths[0].parent)
    return cleared


def _before(path: Path, lost: list[_Lost]) -> Continues | None:
    """The archived file that a lost one went on from; where none can be read, the newest that lies beside it."""
    told = next(filter(None, (before(each.file) for each in lost)), None)
    return told or next(filter(None, map(_archived, reversed(_archives(path)))), None)


def _archived(path: Path) -> Continues | None:
    """An archived file as it lies there, whatever its successor said of it; None where it cannot be read."""
    with contextlib.suppress(TableError, CodecError, msgspec.MsgspecError), Reader(path) as reader:
        who, last = identity(next(reader.rows(0), None)), next(reader.rows_back(reader.last + 1))
        return Continues(
            journal=who.journal_id.hex(), file=path.name, sha256=sha256_of(path), seq=last.seq, head=last.hash.hex(),
            hand=_hands(path),
        )  # fmt: skip
    return None


def _archives(path: Path) -> list[Path]:
    """Archived files beside it, by the last hand in their names."""
    beside = path.parent.glob(f"{path.stem}-*{path.suffix}")
    return sorted((each for each in beside if _ARCHIVED.search(each.stem)), key=_hands)


def _hands(archived: Path) -> int:
    found = _ARCHIVED.search(archived.stem)
    return int(found[1]) if found is not None else 0


def _begun(path: Path) -> MemoryCleared | None:
    """What a try that was cut off was about to say: it knew which files it would set aside."""
    with contextlib.suppress(TableError, CodecError, msgspec.MsgspecError):
        with Reader(path.with_name(f"{path.name}{NEXT}")) as reader:
            body = next((read_body(row.body) for row in reader.rows(1)), None)
        if body is not None and body.type == MEMORY_CLEARED:
            return msgspec.json.decode(body.data, type=MemoryCleared)
    return None


def _lost(paths: list[Path], begun: MemoryCleared | None) -> list[_Lost]:
    """The bad files, those included that a try that was cut off has set aside; without any, the newest set aside."""
    there = [_Lost(path, path, aside_name(path)) for path in paths if path.exists()]
    gone = [_Lost(path, _asides(path)[-1], _asides(path)[-1].name) for path in paths if _was_set_aside(path)]
    cut_off = [each for each in gone if begun is not None and each.aside in begun.aside]
    taken_up = cut_off or ([] if there else gone)
    for each in taken_up:
        _set_aside(each.path, each.aside)  # its write-ahead file may still lie under the old name
    return sorted([*there, *taken_up], key=lambda each: paths.index(each.path))


def _was_set_aside(path: Path) -> bool:
    return not path.exists() and bool(_asides(path))


def _asides(path: Path) -> list[Path]:
    """Files set aside under this name, the newest last, without their write-ahead files."""
    numbered = ((each.name.rpartition("-")[2], each) for each in path.parent.glob(f"{path.name}.aside-*"))
    return [each for _, each in sorted((int(number), each) for number, each in numbered if number.isdecimal())]


def _set_aside(path: Path, aside: str) -> None:
    """The file first: without its write-ahead file it might hold, and be an older one."""
    for tail in ("", "-wal"):
        part = Path(f"{path}{tail}")
        if part.exists():
            name = f"{aside}{tail}"
            part.rename(path.with_name(name if not path.with_name(name).exists() else f"{aside_name(path)}{tail}"))
            sync_directory(path.parent)
    Path(f"{path}-shm").unlink(missing_ok=True)  # an index of the write-ahead file that SQLite makes anew


def _witness_aside(witness: Path | None, begun: MemoryCleared | None) -> str:
    """The name for the old witness; of a try that was cut off, the name that it has given."""
    if witness is None:
        return ""
    if begun is not None and begun.witness and witness.with_name(begun.witness).exists():
        return begun.witness
    return aside_name(witness) if witness.exists() else ""


def _begin_witness(witness: Path, aside: str, seen: Seen) -> None:
    """Before any old file moves: a journal that its witness does not know is not started."""
    try:
        if aside and not witness.with_name(aside).exists():
            witness.rename(witness.with_name(aside))
        write(witness, seen)
    except OSError as error:
        remedy = "put its medium in, or take journal.witness out of table.toml; no journal was set aside"
        raise TableError(255, f"the witness cannot be begun anew ({error.strerror})", str(witness), remedy) from None


def _must_be_bad(path: Path, verified: Callable[[Path], Store]) -> None:
    try:
        store = verified(path)
    except TableError as error:
        if error.exit_code != 3:
            raise
        return
    store.close()
    raise TableError(237, "this copy holds: nothing is cleared", str(path), "start tabled: it mends the other from it")
