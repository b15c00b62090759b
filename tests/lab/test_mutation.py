"""M14: a journal of a thousand records, touched in every way that leaves a trace: found by both auditors, and where.

Every single byte is changed, in one of its bits; `make soak` changes all eight of each.
"""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import auditor as lab
import lab_journals
import mutation
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.cli.audit import CHECKS
from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.auditing import SIGNATURES_EVERY, Options
from controller.journal.codec import Registry
from controller.journal.keys import public_key
from controller.journal.verify import Report, audit

KNOWN = Registry(registry())
Place = mutation.Place


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab_journals.jpoker(tmp_path_factory.mktemp("thousand"), 1000)


@pytest.fixture(scope="module")
def rows(path: Path) -> list[mutation.Stored]:
    found = lab.rows_of(path)
    assert len(found) >= 1000
    return found


def ours(path: Path, **options: object) -> Report:
    return audit(path, KNOWN, Options(**options), CHECKS)  # type: ignore[arg-type]


def named(path: Path) -> tuple[Place, Place]:
    """The first bad record as each auditor names it."""
    first, findings = ours(path).first, lab.audit(path)[1]
    return (
        None if first is None else (first.seq, first.until or first.seq),
        (findings[0].first, findings[0].last) if findings else None,
    )


def test_untouched_it_passes(path: Path) -> None:
    assert named(path) == (None, None)


def test_every_single_byte(rows: list[mutation.Stored]) -> None:
    many = sum(len(value) for row in rows for value in row if isinstance(value, bytes))
    assert mutation.every_byte(rows, bits=1) == many + 2 * len(rows) > 600_000


def test_an_auditor_set_down_before_a_record_sees_what_one_sees_who_walked_there(rows: list[mutation.Stored]) -> None:
    """What makes every single byte cheap: the walk up to a record knows nothing of it. Shown with whole walks."""
    chosen = set(random.Random(2).sample(range(600_000), 40))
    touched = [each for n, each in enumerate(mutation.changed_bytes(rows, bits=1)) if n in chosen]
    ours, theirs, sparing = mutation.Ours(rows), mutation.Theirs(rows), mutation.Ours(rows, every=SIGNATURES_EVERY)
    for at, row in touched:
        file = [*rows[:at], row, *rows[at + 1 :]]
        for near, far in ((ours, ours), (theirs, theirs), (ours, sparing)):
            told, whole = near.look(at, [row]), far.look(0, file)
            assert told is not None and told == whole, f"record {at + 1}: {told}, {whole}"


def test_every_deleted_or_swapped_record(rows: list[mutation.Stored]) -> None:
    looks = mutation.Ours(rows).look, mutation.Theirs(rows).look
    for at in range(len(rows) - 1):
        for look in looks:
            assert look(at, mutation.deleted(rows, at)) == (at + 1, at + 2) or at == 0
            place = look(at, mutation.swapped(rows, at))
            assert place is not None and place[0] == at + 1


def test_every_record_changed_and_rehashed_without_the_key(rows: list[mutation.Stored]) -> None:
    """The next signature gives the forger away; the place is narrowed to the records that it covers."""
    looks = mutation.Ours(rows).look, mutation.Theirs(rows).look
    for at, row in enumerate(rows):
        body = row[mutation.BODY].replace(b'"synced":true', b'"synced":false')
        assert body != row[mutation.BODY]
        for look in looks:
            place = look(at, mutation.rehashed(rows, at, body))
            assert place is not None and place[0] <= at + 1 <= place[1], f"record {at + 1}: {place}"


@pytest.mark.parametrize("at", [0, 1, 8, 500, 900, -2])
def test_whole_files_with_a_record_deleted_swapped_or_rehashed(
    path: Path, rows: list[mutation.Stored], tmp_path: Path, at: int
) -> None:
    at %= len(rows)
    seq = at + 1
    gone = mutation.written(path, tmp_path / "gone.db", [*rows[:at], *rows[at + 1 :]])
    moved = mutation.written(path, tmp_path / "moved.db", [*rows[:at], *mutation.swapped(rows, at), *rows[at + 2 :]])
    for file in (gone, moved):
        for place in named(file):
            assert place is not None and place[0] == seq
    body = rows[at][mutation.BODY].replace(b'"synced":true', b'"synced":false')
    forged = mutation.rehashed(rows, at, body)
    refit = mutation.written(path, tmp_path / "refit.db", [*rows[:at], *forged, *rows[at + len(forged) :]])
    for place in named(refit):
        assert place is not None and place[0] <= seq <= place[1]


@pytest.mark.parametrize("keep", [3, 8, 40, 41, 500, 999])
def test_a_file_cut_anywhere(path: Path, rows: list[mutation.Stored], tmp_path: Path, keep: int) -> None:
    cut = mutation.written(path, tmp_path / "cut.db", rows[:keep])
    assert named(cut) == ((keep, keep), (keep, keep))
    head = rows[-1][mutation.HASH]
    assert [f.code for f in ours(cut, live=True, head=head).findings] == ["head"]
    assert lab.audit(cut, live=True, head=head.hex())[1][0].what.startswith("the given head is not in it")


def test_a_journal_written_anew_with_a_key_of_ones_own(path: Path, rows: list[mutation.Stored], tmp_path: Path) -> None:
    """Whole in itself: the public key on the opening sheet tells, and the head."""
    forged = mutation.written(path, tmp_path / "own.db", mutation.resigned(rows, Ed25519PrivateKey.generate()))
    key = lab.Chain()
    key.take(rows[0])
    assert key.key is not None
    sheet = key.key.public_bytes_raw().hex()
    assert named(forged) == (None, None)
    assert "key" in [f.code for f in ours(forged, key=public_key(sheet)).findings]
    assert lab.audit(forged, key=sheet)[1][0].first == 1
    assert [f.code for f in ours(forged, head=rows[-1][mutation.HASH]).findings] == ["head"]


def test_bytes_of_the_file_itself(path: Path, rows: list[mutation.Stored], tmp_path: Path) -> None:
    """Each so-many-th byte of the pages: found, or no record differs (free space, counters)."""
    target, unseen = tmp_path / "flipped.db", 0
    for place in mutation.flipped_files(path, target, stride=30_011):
        try:
            found = not ours(target, chain_only=True).ok
        except TableError:
            found = True
        if not found:
            assert lab.rows_of(target) == rows, f"byte {place}"
            unseen += 1
    assert unseen < 10


def test_an_index_that_points_elsewhere_is_found(path: Path, tmp_path: Path) -> None:
    """`recall` finds a hand's place by the index alone; what belongs to it is read off the chain."""
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    asked = "SELECT rootpage FROM sqlite_master WHERE name = 'journal_stream'"
    (root,), (size,) = connection.execute(asked).fetchone(), connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    raw, target = bytearray(path.read_bytes()), tmp_path / "index.db"
    raw[raw.index(b"hand/", (root - 1) * size) + 5] ^= 1
    target.write_bytes(raw)
    assert lab.rows_of(target) == lab.rows_of(path)
    assert [f.code for f in ours(target).findings] == ["schema"]
