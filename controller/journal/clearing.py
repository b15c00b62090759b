"""The memory clear: a new journal where no copy of the old one holds. The bad files are set aside, never deleted.

Reads of the old files whatever can still be read, so that record 2 names them and hands count on. It must never
run where a copy still holds.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.domain.events import RunEnded
from controller.errors import TableError
from controller.journal.archive import sha256_of
from controller.journal.codec import CodecError, read_body
from controller.journal.copies import set_aside
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.journal.records import STATE_KEPT, FoundMeter, LostFile, MemoryCleared, Row, Stamp, StateKept
from controller.journal.store import Store, owned

_HAND = re.compile(rb'"hand":(\d{1,9})')
_ARCHIVED = re.compile(r"-\d{6,9}-(\d{6,9})$")
_OF_THE_METER = frozenset({"MeterMoved", "MeterCorrected", "JackpotHit", STATE_KEPT})
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
    named = (_ARCHIVED.search(each.stem) for each in path.parent.glob(f"{path.stem}-*{path.suffix}"))
    return max(0, *aside, *(int(found[1]) for found in named if found is not None))


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
    """Number, type and data of each record that tells of the jackpot."""
    for row in rows:
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
        said = data.get("state", {}) if kind == STATE_KEPT else data | {"meter": data.get("after", "")}
        if not found and said.get("meter"):
            found = {"seq": seq, "meter": said["meter"], "reserve": said.get("reserve", "0")}
        if kind == STATE_KEPT:
            hits = max(hits, said.get("hits", 0))
            break
    return FoundMeter(file=path.name, hits=hits, **found) if found else None


def clear(
    paths: list[Path],
    verified: Callable[[Path], Store],
    make: Callable[[Path], Journal],
    state: Callable[[MemoryCleared], tuple[dict[str, Any], str]],
    operators: tuple[str, ...],
    stamp: Stamp,
    decide: Callable[[FoundMeter | None], tuple[str, str]] = lambda _: ("", ""),
) -> MemoryCleared:
    """`paths`: main file, and mirror where there is one. `state` gives a table's kept state to begin with.

    `decide` gives meter and reserve to begin with, or refuses, before anything is set aside.
    """
    there = [path for path in paths if path.exists()]
    if not there:
        raise TableError(236, "no journal is there", str(paths[0]), "`tabled --init` makes the first one")
    for path in there:
        _must_be_bad(path, verified)
    found = found_meter(there)
    meter, reserve = decide(found)
    with owned(paths[0]):
        lost = tuple(lost_file(path) for path in there)
        aside = tuple(set_aside(path) for path in there)
    hand = max(hands_beside(paths[0]), *(each.hand for each in lost))
    cleared = MemoryCleared(
        lost=lost, aside=aside, operators=operators, hand=hand, found=found, meter=meter, reserve=reserve
    )
    journal = make(paths[0])
    public, memory = state(cleared)
    kept = StateKept(state=public, memory=memory)
    journal.append([cleared, kept, RunEnded(reason="memory cleared", head="", signature="")], hand=None, stamp=stamp)
    journal.close()
    return cleared


def _must_be_bad(path: Path, verified: Callable[[Path], Store]) -> None:
    try:
        store = verified(path)
    except TableError as error:
        if error.exit_code != 3:
            raise
        return
    store.close()
    raise TableError(237, "this copy holds: nothing is cleared", str(path), "start tabled: it mends the other from it")
