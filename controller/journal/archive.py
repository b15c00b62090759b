"""The files of a table's past: from the journal in use back through each archived one that it goes on from.

Reads only. Names come from the records (`Continues`, `MemoryCleared`), files are looked for beside the
journal; none is ever moved here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.errors import TableError
from controller.journal.codec import CodecError, read_body
from controller.journal.hands import Finding
from controller.journal.reader import Reader
from controller.journal.records import Continues, MemoryCleared, stream_of
from controller.journal.summaries import RECALLED, Summary, latest

_BLOCK = 1 << 20


class Lost(msgspec.Struct, frozen=True):
    """Hands that no file has any more: a memory clear set theirs aside. `journal` is the file that says so."""

    journal: str
    first: int
    last: int
    aside: tuple[str, ...]

    @property
    def what(self) -> str:
        """For people."""
        where = ", ".join(self.aside) or "a file that was gone"
        return f"hands {self.first} to {self.last} lie before a memory clear, in {where}"

    def error(self, where: str) -> TableError:
        """For a command that was asked for one of them."""
        return TableError(257, self.what, where, "what such a file still holds is for a laboratory, record by record")


def second(reader: Reader) -> Continues | MemoryCleared | None:
    """Record 2, where it says what was before this file."""
    row = next((row for row in reader.rows(1) if row.seq == 2), None)
    body = read_body(row.body) if row is not None else None
    if body is None:
        return None
    match body.type:
        case "Continues":
            return msgspec.json.decode(body.data, type=Continues)
        case "MemoryCleared":
            return msgspec.json.decode(body.data, type=MemoryCleared)
    return None


def _second(path: Path) -> Continues | MemoryCleared | None:
    """As `second`; None also where the file cannot be read: whoever reads it hears why."""
    try:
        with Reader(path) as reader:
            return second(reader)
    except (TableError, CodecError, msgspec.MsgspecError):
        return None


def before(path: Path) -> Continues | None:
    """The archived file in front of this one; behind a memory clear, of the one that was lost."""
    said = _second(path)
    return said.before if isinstance(said, MemoryCleared) else said


def lost(path: Path) -> list[Lost]:
    """What memory clears lost between this journal and the files that lie beside it."""
    said = ((each, _second(each)) for each in files(path))
    return [_lost(each, cleared) for each, cleared in said if isinstance(cleared, MemoryCleared) and cleared.hand]


def _lost(path: Path, cleared: MemoryCleared) -> Lost:
    older = cleared.before.hand if cleared.before is not None else 0
    return Lost(path.name, older + 1, cleared.hand, cleared.aside)


def files(path: Path) -> Iterator[Path]:
    """This journal, and those before it that lie beside it, newest first. One that cannot be read is the last."""
    seen: set[Path] = set()
    while path.exists() and path not in seen:
        seen.add(path)
        yield path
        older = before(path)
        if older is None:
            return
        path = path.with_name(Path(older.file).name)


def absent(path: Path) -> Continues | None:
    """The older file that should lie beside these and does not, as its successor names it."""
    said = before(list(files(path))[-1]) if path.exists() else None
    return said if said is not None and not path.with_name(Path(said.file).name).exists() else None


def file_of(path: Path, hand: int) -> Path:
    """The file with that hand, or this one, which has none such. TableError where its file is away or lost."""
    found = holding(path, hand)
    why = why_not(path, hand) if found is None else None
    if why is not None:
        raise why
    return found or path


def why_not(path: Path, hand: int) -> TableError | None:
    """Why a hand that was played is in no file here: carried away, or lost."""
    away = absent(path)
    if away is not None and hand <= away.hand:
        what = f"hand {hand} is in {away.file} or before: that file is not beside the journal"
        return TableError(247, what, str(path), "bring the archived file back")
    return next((each.error(str(path)) for each in lost(path) if each.first <= hand <= each.last), None)


def holding(path: Path, hand: int) -> Path | None:
    """The file, from this one back, in which that hand was played."""
    for each in files(path):
        with Reader(each) as reader:
            if reader.stream(stream_of(hand)):
                return each
    return None


def latest_of(path: Path, many: int = RECALLED) -> list[Summary]:
    """The last hands, the newest first, from this file and as many before it as it takes."""
    found: list[Summary] = []
    for each in files(path):
        with Reader(each) as reader:
            found += latest(reader, _last_hand(reader), many - len(found))
        if len(found) >= many:
            break
    return found


def _last_hand(reader: Reader) -> int:
    bodies = (read_body(row.body) for row in reader.rows_back(reader.last + 1) if b'"hand":null' not in row.body)
    return next((body.hand for body in bodies if body.hand is not None), 0)


def check_links(path: Path) -> list[Finding]:
    """Whether each file goes on from the very file that lies beside it."""
    findings: list[Finding] = []
    for newer in files(path):
        older = before(newer)
        if older is None:
            break
        wrong = _link_wrong(path.with_name(Path(older.file).name), older)
        if wrong:
            findings.append(Finding(2, "archive", f"{newer.name} goes on from {older.file}: {wrong}"))
    return findings


def sha256_of(path: Path) -> str:
    """The hash of a whole file, hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _link_wrong(older: Path, said: Continues) -> str:
    if not older.is_file():
        return "it is not there"
    if sha256_of(older) != said.sha256:
        return "the file is another one (SHA-256)"
    try:
        with Reader(older) as reader:
            last = next(reader.rows_back(reader.last + 1))
    except (TableError, StopIteration):
        return "it cannot be read"
    return "" if (last.seq, last.hash.hex()) == (said.seq, said.head) else "it ends at another record"
