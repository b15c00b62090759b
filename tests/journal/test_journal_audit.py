"""The audit against a forger: every byte, cut, swapped and rehashed records, heads, runs and keys."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import journal_samples as samples
import msgspec
import pytest

from controller.errors import TableError
from controller.journal.auditing import Checks, Options
from controller.journal.chain_pass import Unsigned
from controller.journal.hands import REMEDIES, Finding, Hand
from controller.journal.keys import public_key
from controller.journal.recall import check_draw
from controller.journal.verify import Report, audit


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.journal_file(tmp_path_factory.mktemp("original") / "journal.db")


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(original, tmp_path / "copy.db"))


def check(path: Path, **options: Any) -> Report:
    if "head" in options:
        options["head"] = bytes.fromhex(options["head"])
    return audit(path, samples.REGISTRY, Options(**options), Checks((check_draw,)))


def first_bad(path: Path, **options: Any) -> int:
    report = check(path, **options)
    assert report.first is not None
    return report.first.seq


def test_a_good_journal_passes_and_stays_as_it_was(path: Path) -> None:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    report = check(path)
    assert report.ok, report.findings
    assert (report.hands, report.records) == (3, 3 + 3 * 9 + 1)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


@pytest.mark.parametrize("seq", [1, 2, 4, 7, 12, 31])
def test_every_byte_of_a_record_counts(original: Path, tmp_path: Path, seq: int) -> None:
    """In the file itself, wherever the body lies in its pages."""
    raw, body = original.read_bytes(), samples.body_of(original, seq)
    at = raw.index(body)
    target = tmp_path / "flipped.db"
    for place in range(at, at + len(body)):
        flipped = bytearray(raw)
        flipped[place] ^= 0x01
        target.write_bytes(flipped)
        assert first_bad(target) == seq, f"byte {place - at} of record {seq}"


@pytest.mark.parametrize("column", ["prev", "hash"])
def test_every_byte_of_the_links_counts(path: Path, column: str) -> None:
    for at in range(32):
        target = path.with_name("flipped.db")
        shutil.copyfile(path, target)
        statement = f"SELECT {column} FROM journal WHERE seq = 9"
        value = bytearray(sqlite3.connect(target).execute(statement).fetchone()[0])
        value[at] ^= 0x80
        samples.tamper(target, [(f"UPDATE journal SET {column} = ? WHERE seq = 9", (bytes(value),))])
        assert first_bad(target) == 9


@pytest.mark.parametrize("change", ["stream = 'table'", "stream = 'hand/2'", "version = 7"])
def test_columns_beside_the_body_count(path: Path, change: str) -> None:
    samples.tamper(path, [(f"UPDATE journal SET {change} WHERE seq = 6", ())])
    assert first_bad(path) == 6


GUARDS = {
    "a guard dropped": (["DROP TRIGGER journal_no_delete"], "journal_no_delete is missing"),
    "a guard that lets through": (
        [
            "DROP TRIGGER journal_in_order",
            "CREATE TRIGGER journal_in_order BEFORE INSERT ON journal BEGIN SELECT 1; END",
        ],
        "journal_in_order was made anew",
    ),
    "the index dropped": (["DROP INDEX journal_stream"], "journal_stream is missing"),
    "a table beside it": (["CREATE TABLE note(x)"], "the file holds 'note'"),
    "a view in its place": (["ALTER TABLE journal RENAME TO old", "CREATE VIEW journal AS SELECT * FROM old"], "anew"),
    "another mark": (["PRAGMA application_id = 7"], "application_id"),
}


@pytest.mark.parametrize("name", GUARDS)
def test_a_file_that_is_not_as_the_table_made_it(original: Path, path: Path, name: str) -> None:
    """Every record may still hold; that somebody took the guards away is a finding, and no table goes on writing."""
    statements, what = GUARDS[name]
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    report = check(path)
    assert report.first is not None
    assert (report.first.code, report.first.seq) == ("schema", 0)  # of no record
    assert what in report.first.what
    shutil.copytree(original.with_name("keys"), path.with_name("keys"))
    with pytest.raises(TableError, match=r"does not verify") as error:
        samples.reopen(path)
    assert error.value.exit_code == 3


def test_the_guards_stand_behind_what_names_a_record(path: Path) -> None:
    samples.tamper(path, [("UPDATE journal SET version = 9 WHERE seq = 7", ()), ("CREATE TABLE note(x)", ())])
    assert [(finding.code, finding.seq) for finding in check(path).ordered()] == [("chain", 7), ("schema", 0)]


def test_an_index_that_hides_a_record_names_it(path: Path) -> None:
    """`recall` looks hands up by it; every record still holds."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        guards = db.execute("SELECT * FROM sqlite_schema WHERE type != 'table'").fetchall()

    def without(kinds: tuple[str, ...], act: str) -> None:
        marks = ", ".join("?" * len(kinds))
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA writable_schema = ON")
            db.execute(f"DELETE FROM sqlite_schema WHERE type IN ({marks})", kinds)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute(act)
            db.execute("PRAGMA writable_schema = ON")
            put_back = [guard for guard in guards if guard[0] in kinds]
            db.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", put_back)

    without(("trigger",), "UPDATE journal SET stream = 'hidden' WHERE seq = 8")
    without(("trigger", "index"), "UPDATE journal SET stream = 'hand/1' WHERE seq = 8")
    report = check(path)
    assert [(finding.code, finding.seq) for finding in report.findings] == [("schema", 8)]


def test_what_no_signature_covers_is_said_and_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    samples.play(journal, 2)
    signed = journal.seq
    assert audit(path, samples.REGISTRY, Options(live=True)).unsigned is None
    late = samples.stamp(run="later", t="2025-03-02T08:00:00Z")
    journal.append([samples.RunStarted()], hand=None, stamp=late)
    journal.append(samples.hand_events(3)[:3], hand=3, stamp=samples.stamp(run="later"))
    report = audit(path, samples.REGISTRY, Options(live=True))
    assert (report.ok, report.unsigned) == (True, Unsigned(4, signed + 1, "2025-03-02T08:00:00Z"))
    journal.append(samples.hand_events(3)[3:], hand=3, stamp=samples.stamp(run="later"))
    assert audit(path, samples.REGISTRY, Options(live=True)).unsigned is None
    journal.close()


def test_a_record_in_front_of_the_first(path: Path) -> None:
    """`recall` reads a hand by its stream: a row before record 1 must not slip into it."""
    row = "INSERT INTO journal VALUES (-5, 'hand/1', 1, zeroblob(32), zeroblob(32), '{}')"
    samples.tamper(path, [(row, ())])
    report = check(path)
    assert report.first is not None
    assert "before record 1" in report.first.what


@pytest.mark.parametrize(
    "change", ["stream = 5", "stream = NULL", "prev = NULL", "hash = 7", "body = NULL", "body = 7"]
)
def test_columns_of_another_kind(path: Path, change: str) -> None:
    """A table made anew without its types may hold anything; the record is named all the same."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (
        "CREATE TABLE loose(seq INTEGER, stream, version, prev, hash, body)",
        "INSERT INTO loose SELECT * FROM journal",
        "DROP TABLE journal",
        "ALTER TABLE loose RENAME TO journal",
        f"UPDATE journal SET {change} WHERE seq = 7",
    ):
        connection.execute(statement)
    connection.close()
    codes = {finding.code for finding in check(path).findings}
    assert {"file", "schema"} <= codes
    assert "record 7" in check(path).ordered()[0].what


def test_a_body_that_is_no_text(path: Path) -> None:
    samples.tamper(path, [("UPDATE journal SET body = CAST(x'ff80ff' AS TEXT) WHERE seq = 8", ())])
    assert first_bad(path) == 8
    samples.rehash(path)
    assert first_bad(path) == 8


@pytest.mark.parametrize("seq", [1, 5, 12, 30])
def test_a_deleted_record_is_missed(path: Path, seq: int) -> None:
    samples.tamper(path, [("DELETE FROM journal WHERE seq = ?", (seq,))])
    assert first_bad(path) == seq


def test_swapped_records_are_found(path: Path) -> None:
    moves = [(9, -9), (10, 9), (-9, 10)]
    samples.tamper(path, [("UPDATE journal SET seq = ? WHERE seq = ?", (to, at)) for at, to in moves])
    assert first_bad(path) == 9
    samples.rehash(path)
    assert first_bad(path) == 9  # the number inside the body


def test_a_cut_end_is_found(path: Path) -> None:
    """Cut inside a run: at once. Cut back to an older stop: by the head that was noted."""
    head = check(path).head
    samples.tamper(path, [("DELETE FROM journal WHERE seq > 20", ())])
    report = check(path)
    assert report.first is not None
    assert (report.first.seq, report.first.code) == (20, "end")
    assert check(path, live=True).ok
    assert first_bad(path, live=True, head=head) == 20


def test_a_cut_back_to_an_older_stop_needs_the_head(path: Path, tmp_path: Path) -> None:
    older = check(path).head
    work = tmp_path / "journal.db"
    shutil.copyfile(path, work)
    run = samples.journal_file(tmp_path / "two.db", 1)
    first_stop = check(run).head
    journal = samples.reopen(run)
    samples.play(journal, 2, first=2)
    journal.close()
    report = check(run)
    assert report.ok, report.findings
    assert report.hands == 3
    assert check(run, head=report.head).ok
    assert check(run, head=first_stop.upper()).ok
    samples.tamper(run, [("DELETE FROM journal WHERE seq > 13", ())])
    assert check(run).ok
    assert not check(run, head=report.head).ok
    assert not check(run, head=older).ok


@pytest.mark.parametrize("seq", [1, 2, 3, 4, 6, 8, 11, 12, 13, 20, 31])
def test_a_forger_without_the_key_is_found(original: Path, path: Path, seq: int) -> None:
    """The label of time is changed and the whole chain made to fit: the next signature does not hold."""
    body = samples.body_of(path, seq).replace(b"2025-03-01", b"2025-03-02").decode()
    samples.tamper(path, [("UPDATE journal SET body = ? WHERE seq = ?", (body, seq))])
    assert first_bad(path) == seq
    samples.rehash(path)
    report = check(path)
    assert report.first is not None
    assert report.first.until is not None
    assert report.first.seq <= seq <= report.first.until
    shutil.copytree(original.with_name("keys"), path.with_name("keys"))
    with pytest.raises(TableError, match=r"record \d+ does not hold") as error:
        samples.reopen(path)
    assert error.value.exit_code == 3


def test_appended_records_of_a_stranger_are_found(path: Path) -> None:
    body = samples.body_of(path, 31).replace(b'"seq":31', b'"seq":32').decode()
    samples.tamper(path, [("INSERT INTO journal VALUES (32, 'table', 1, zeroblob(32), zeroblob(32), ?)", (body,))])
    samples.rehash(path)
    assert first_bad(path) == 32


def test_a_journal_of_another_key_is_known_by_the_opening_sheet(original: Path, path: Path, tmp_path: Path) -> None:
    own = samples.keys_in(original.with_name("keys")).public
    other = samples.keys_in(tmp_path / "strange").public_hex
    assert check(path, key=own).ok
    assert first_bad(path, key=public_key(other)) == 1


def test_a_hand_that_was_sealed_with_another_key_than_promised(tmp_path: Path) -> None:
    """The table itself lies: the chain and its signatures are right, the revealed key is not the promised one."""
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    events = samples.hand_events(1)
    journal.append(events[:-1], hand=1, stamp=samples.stamp())
    journal._key = bytes(32)
    lie = msgspec.structs.replace(events[-1], key=bytes(32).hex())
    journal.append([lie], hand=1, stamp=samples.stamp())
    journal.append([samples.RunEnded()], hand=None, stamp=samples.stamp())
    journal.close()
    report = check(path)
    assert [(finding.code, finding.hand) for finding in report.findings] == [("key_commit", 1)]


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("JokerDrawn", {"slot": "2c"}, "the seeds give"),
        ("JokerShown", {"slot": "2c"}, "the board showed"),
        ("Locked", {"commitment": "00" * 32}, "commitment does not fit"),
        ("Locked", {"seed": "00" * 32}, "commitment does not fit"),
        ("HandEnded", {"seed": "00" * 32}, "another seed"),
    ],
)
def test_a_false_draw_is_found(tmp_path: Path, name: str, change: dict[str, Any], what: str) -> None:
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    opened = samples.TableOpened(rules={"doc_weight": 3}, rules_hash=samples.RULES_HASH)
    journal.append([samples.RunStarted(), opened], hand=None, stamp=samples.stamp())
    for event in samples.hand_events(1):
        lie = msgspec.structs.replace(event, **change) if type(event).__name__ == name else event
        journal.append([lie], hand=1, stamp=samples.stamp())
    journal.append([samples.RunEnded()], hand=None, stamp=samples.stamp())
    journal.close()
    report = check(path)
    assert [finding.code for finding in report.findings] == ["draw"]
    assert what in report.findings[0].what


def test_progress_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.journal.auditing.PROGRESS_EVERY", 10)
    told: list[tuple[str, int, int]] = []
    audit(path, samples.REGISTRY, None, None, lambda *step: told.append(step))
    assert told == [("chain", 10, 31), ("chain", 20, 31), ("chain", 30, 31), ("chain", 31, 31), ("hands", 31, 31)]


def test_half_a_file_and_a_torn_page(original: Path, tmp_path: Path) -> None:
    raw = original.read_bytes()
    target = tmp_path / "torn.db"
    target.write_bytes(raw[: len(raw) // 2])
    _refused_or_found(target)
    page = len(raw) // 4096 // 2 * 4096
    target.write_bytes(raw[:page] + bytes(4096) + raw[page + 4096 :])
    _refused_or_found(target)


def _refused_or_found(path: Path) -> None:
    try:
        assert not check(path).ok
    except TableError as error:
        assert error.exit_code == 3


def test_a_crashed_copy_is_read_with_its_wal_and_left_alone(tmp_path: Path) -> None:
    journal = samples.new(tmp_path / "journal.db")
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.append(samples.hand_events(1)[:3], hand=1, stamp=samples.stamp())
    copy = tmp_path / "evidence"
    copy.mkdir()
    for name in ("journal.db", "journal.db-wal"):
        shutil.copyfile(tmp_path / name, copy / name)
    live = check(tmp_path / "journal.db", live=True)
    assert (live.ok, live.records) == (True, 5)
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in copy.iterdir()}
    os.chmod(copy, 0o500)
    report = check(copy / "journal.db", live=True)
    os.chmod(copy, 0o700)
    assert (report.ok, report.records, report.head) == (True, 5, journal.head.hex())
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in copy.iterdir()} == before


def test_a_hand_that_nobody_opened_and_numbers_that_jump(tmp_path: Path) -> None:
    journal = samples.new(tmp_path / "journal.db")
    journal.append(samples.hand_events(1), hand=1, stamp=samples.stamp())
    journal.append(samples.hand_events(3), hand=3, stamp=samples.stamp())
    journal.append([samples.RunEnded()], hand=None, stamp=samples.stamp())
    journal.close()
    report = check(tmp_path / "journal.db")
    assert report.first is not None
    assert report.first.code == "hand"


def test_every_kind_of_finding_says_what_to_do() -> None:
    """Codes as the program's own text has them, beside the table of remedies and the page."""
    room = Path(__file__).parents[2]
    source = "".join(path.read_text("utf-8") for path in (room / "controller").rglob("*.py"))
    used = set(re.findall(r"Finding\([^\"()]*(?:\([^()]*\))?[^\"()]*\"([a-z_]+)\"", source))
    used |= set(re.findall(r"_find\([^\"]*?\"([a-z_]+)\"", source))
    assert {"chain", "schema", "meter", "archive", "end"} <= used <= set(REMEDIES)
    page = (room / "docs/journal.md").read_text("utf-8")
    assert all(f"`{code}`" in page for code in REMEDIES)


def test_a_check_that_cannot_take_a_hand_is_a_finding(path: Path) -> None:
    def fail(hand: Hand) -> list[Finding]:
        raise TableError(401, "no such rules", f"hand {hand.number}", "none")

    report = audit(path, samples.REGISTRY, None, Checks((fail,)))
    assert [(finding.seq, finding.hand) for finding in report.findings] == [(4, 1), (13, 2), (22, 3)]
