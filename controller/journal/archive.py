"""The files of a table's past: from the journal in use back through each archived one that it goes on from.

Reads only. Names come from the records (`Continues`), files are looked for beside the journal; none is ever moved here.
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
from controller.journal.records import CONTINUES, Continues, stream_of
from controller.journal.summaries import RECALLED, Summary, latest

_continues = msgspec.json.Decoder(Continues)
_BLOCK = 1 << 20


def continues(reader: Reader) -> Continues | None:
    """What a journal says of the one before it."""
    row = next((row for row in reader.rows(1) if row.seq == 2), None)
    body = read_body(row.body) if row is not None else None
    return _continues.decode(body.data) if body is not None and body.type == CONTINUES else None


def _before(path: Path) -> Continues | None:
    """As `continues`; None also where the file cannot be read: whoever reads it hears why."""
    try:
        with Reader(path) as reader:
            return continues(reader)
    except (TableError, CodecError, msgspec.MsgspecError):
        return None


def files(path: Path) -> Iterator[Path]:
    """This journal, and those before it that lie beside it, newest first. One that cannot be read is the last."""
    seen: set[Path] = set()
    while path.exists() and path not in seen:
        seen.add(path)
        yield path
        before = _before(path)
        if before is None:
            return
        path = path.with_name(Path(before.file).name)


def absent(path: Path) -> Continues | None:
    """The older file that should lie beside these and does not, as its successor names it."""
    said = _before(list(files(path))[-1]) if path.exists() else None
    return said if said is not None and not path.with_name(Path(said.file).name).exists() else None


def file_of(path: Path, hand: int) -> Path:
    """The file with that hand, or this one, which has none such. TableError where its file was carried away."""
    found = holding(path, hand)
    away = None if found is not None else absent(path)
    if away is not None and hand <= away.hand:
        what = f"hand {hand} is in {away.file} or before: that file is not beside the journal"
        raise TableError(247, what, str(path), "bring the archived file back")
    return found or path


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
        before = _before(newer)
        if before is None:
            break
        wrong = _link_wrong(path.with_name(Path(before.file).name), before)
        if wrong:
            findings.append(Finding(2, "archive", f"{newer.name} goes on from {before.file}: {wrong}"))
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
