"""The catalogue of an archived journal: its hands in a line each, in a file beside it, so that a search is quick.

A copy of public facts that anybody may delete and anybody make again, and no evidence: what is found in it is read with
`recall`. It must never be taken for another file's, nor stand half written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.journal.archive import files
from controller.journal.reader import Reader
from controller.journal.store import sync_directory
from controller.journal.summaries import Summary, summaries
from controller.journal.walk import identity

KIND: Final = "table-controller catalogue 1"
_lines = msgspec.json.Encoder()
_summary = msgspec.json.Decoder(Summary)


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First line: of which file (id of the journal, number and hash of its last record), and SHA-256 of the lines."""

    kind: str
    journal: str
    seq: int
    head: str
    hands: int
    sha256: str


_head = msgspec.json.Decoder(Head)


def catalogue_of(path: Path) -> Path:
    """Where the catalogue of a journal file lies."""
    return path.with_name(f"{path.name}.hands")


def hands(path: Path) -> Iterator[Summary]:
    """All hands of a journal file in order: from its catalogue where that fits, else from the records."""
    with Reader(path) as reader:
        lines = _fitting(path, reader)
        yield from summaries(reader.rows()) if lines is None else (_summary.decode(line) for line in lines)


def lacking(path: Path) -> list[Path]:
    """The archived files behind this one that have no catalogue that fits. The one in use never has: it grows."""
    found = []
    for each in list(files(path))[1:]:
        with Reader(each) as reader:
            if _fitting(each, reader) is None:
                found.append(each)
    return found


def make(path: Path) -> int:
    """Writes the catalogue of an archived file: whole or not there, crash included. How many hands are in it."""
    with Reader(path) as reader:
        lines = [_lines.encode(summary) for summary in summaries(reader.rows())]
        said = Head(
            kind=KIND, **_tail(reader), hands=len(lines), sha256=hashlib.sha256(b"\n".join(lines)).hexdigest()
        )  # fmt: skip
    target = catalogue_of(path)
    making = target.with_name(f"{target.name}.making")
    with making.open("wb") as file:
        file.write(b"\n".join([_lines.encode(said), *lines]))
        file.flush()
        os.fsync(file.fileno())
    making.rename(target)
    sync_directory(path.parent)
    return len(lines)


def _fitting(path: Path, reader: Reader) -> list[bytes] | None:
    """The lines of the catalogue; None where there is none, or another file's, or one that is not as it was written."""
    try:
        first, *lines = catalogue_of(path).read_bytes().split(b"\n")
        said = _head.decode(first)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    whole = said.sha256 == hashlib.sha256(b"\n".join(lines)).hexdigest() and said.hands == len(lines)
    return lines if whole and said.kind == KIND and _tail(reader) == _claimed(said) else None


def _claimed(said: Head) -> dict[str, str | int]:
    return {"journal": said.journal, "seq": said.seq, "head": said.head}


def _tail(reader: Reader) -> dict[str, Any]:
    """Which file it is: by its first and its last record."""
    last = next(reader.rows_back(reader.last + 1))
    return {"journal": identity(next(reader.rows(0), None)).opened.journal, "seq": last.seq, "head": last.hash.hex()}
