"""Appending, reopening, ownership and write faults, on real files."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal import store as stores
from controller.journal.auditing import Options
from controller.journal.codec import Codec, CodecError, Registry, read_body
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.journal.records import SealedEvent
from controller.journal.store import JournalWriteError, Store, WriteFault
from controller.journal.verify import audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_pragmas_on_the_writing_connection(path: Path) -> None:
    """F62: a committed hand survives a power cut only with FULL."""
    samples.new(path).close()
    with Store.open(path) as store:
        assert store.pragma("journal_mode") == b"wal"
        assert store.pragma("synchronous") == 2


def test_what_was_recorded_comes_back(path: Path) -> None:
    samples.journal_file(path, 2)
    journal = samples.reopen(path)
    events = [record.event for record in journal.replay() if record.hand == 2]
    assert events == samples.hand_events(2)
    assert [record.seq for record in journal.replay()] == list(range(1, journal.seq + 1))
    assert (journal.last_hand, journal.open_hand) == (2, None)
    assert [record.event for record in journal.replay_hand(1)] == samples.hand_events(1)


def test_an_open_hand_is_taken_up_again(path: Path) -> None:
    journal = samples.new(path)
    events = samples.hand_events(1)
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.append(events[:4], hand=1, stamp=samples.stamp())
    journal.close()
    journal = samples.reopen(path)
    assert journal.open_hand == 1
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp(run="2"))
    journal.append(events[4:], hand=1, stamp=samples.stamp(run="2"))
    assert [record.event for record in journal.replay_hand(1)] == events
    assert journal.open_hand is None


def test_one_append_is_one_transaction_and_ends_a_hand_with_a_checkpoint(path: Path) -> None:
    journal = samples.new(path)
    records = journal.append(samples.hand_events(1), hand=1, stamp=samples.stamp())
    assert [record.type for record in records][-2:] == ["HandEnded", "Checkpoint"]
    assert [record.seq for record in records] == list(range(2, 2 + len(records)))
    assert journal.head == records[-1].hash
    journal.append([], hand=None, stamp=samples.stamp())
    assert journal.checkpoint(samples.stamp()).seq == journal.seq


def test_sql_refuses_to_change_or_delete(path: Path) -> None:
    samples.journal_file(path, 1)
    connection = sqlite3.connect(path)
    for statement in (
        "UPDATE journal SET body = '{}' WHERE seq = 2",
        "DELETE FROM journal WHERE seq = 2",
        "INSERT OR REPLACE INTO journal SELECT seq, stream, version, prev, hash, '{}' FROM journal WHERE seq = 2",
        "INSERT INTO journal SELECT seq + 500, stream, version, prev, hash, body FROM journal WHERE seq = 2",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()


def test_bodies_are_canonical_and_hold_everything(path: Path) -> None:
    samples.journal_file(path, 1)
    for seq in range(1, 12):
        body = samples.body_of(path, seq)
        fields = json.loads(body)
        assert json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == body
        assert fields["seq"] == seq


@pytest.mark.parametrize(
    ("hand", "event"),
    [
        (None, samples.CardDealt(place="box", card="As")),
        (5, samples.CardDealt(place="box", card="As")),
        (2, samples.HandOpened(hand=3, key="00" * 32)),
    ],
)
def test_events_outside_their_hand_are_refused_without_their_cards(
    path: Path, hand: int | None, event: samples.Sample
) -> None:
    journal = samples.new(path)
    with pytest.raises(CodecError) as error:
        journal.append([event], hand=hand, stamp=samples.stamp())
    assert "As" not in str(error.value)
    assert journal.seq == 1


def test_a_hand_ends_only_with_its_own_key(path: Path) -> None:
    journal = samples.new(path)
    journal.append(samples.hand_events(1)[:1], hand=1, stamp=samples.stamp())
    with pytest.raises(CodecError, match="another key"):
        journal.append(samples.hand_events(2)[-1:], hand=1, stamp=samples.stamp())
    assert journal.open_hand == 1


def test_a_link_to_the_journal_is_no_second_journal(path: Path) -> None:
    """The lock is beside the file itself, so a name that leads to it is refused at the start, as the file is."""
    journal = samples.new(path)
    link, folder = path.with_name("other.db"), path.parent / "elsewhere"
    link.symlink_to(path)
    folder.symlink_to(path.parent, target_is_directory=True)
    for name in (link, folder / path.name):
        with pytest.raises(TableError, match="holds the journal") as error:
            Store.open(name)
        assert error.value.exit_code == 5
    with Reader(link) as reader:  # a reader by that name reads the write-ahead file, too
        assert (reader.file, reader.last) == (link, 1)
    journal.close()
    with Store.open(link) as store:
        assert store.seq == 1


def test_a_second_process_is_refused_and_told_whose_it_is(path: Path) -> None:
    journal = samples.new(path)
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path; import journal_samples
from controller.errors import TableError
try:
    journal_samples.reopen(Path({str(path)!r}))
except TableError as error:
    print(error.line()); raise SystemExit(error.exit_code)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 5, result.stderr
    assert f"process {os.getpid()} holds the journal" in result.stdout
    journal.close()
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_journal_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(TableError) as error:
        Store.open(path)
    assert error.value.exit_code == 3
    with pytest.raises(TableError) as error:
        audit(path, samples.REGISTRY)
    assert error.value.exit_code == (3 if b"\xff" in content else 2)


def test_a_missing_file_and_one_that_is_there(path: Path) -> None:
    with pytest.raises(TableError, match="no journal there"):
        Store.open(path)
    samples.new(path).close()
    with pytest.raises(TableError, match="stands there already"):
        samples.new(path)


def test_disk_full_records_nothing_and_goes_on_when_there_is_room(path: Path) -> None:
    """F65 at this layer."""
    journal = samples.new(path)
    journal.append(samples.hand_events(1)[:2], hand=1, stamp=samples.stamp())
    connection = journal._store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 1}").fetchall()
    card = samples.CardDealt(place="box", card="As")
    written = journal.seq
    with pytest.raises(JournalWriteError, match="NOT RECORDING: disk full") as error:
        for _ in range(200):
            written = journal.append([card] * 3, hand=1, stamp=samples.stamp())[-1].seq
    assert error.value.fault is WriteFault.FULL
    assert journal.seq == written
    assert [record.seq for record in journal.replay()] == list(range(1, written + 1))
    connection.execute("PRAGMA max_page_count = 100000").fetchall()
    assert journal.append([card], hand=1, stamp=samples.stamp())[0].seq == written + 1
    journal.close()
    assert samples.reopen(path).open_hand == 1


class Broken:
    """A connection whose writes fail: what a worn card or a remount does (F64)."""

    def __init__(self, inner: sqlite3.Connection, code: int) -> None:
        self._inner, self._code = inner, code
        self.failing = True

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        if self.failing and statement == "COMMIT":
            error = sqlite3.OperationalError("failed")
            error.sqlite_errorcode = self._code
            raise error
        return self._inner.execute(statement, values)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (sqlite3.SQLITE_READONLY, WriteFault.READ_ONLY),
        (sqlite3.SQLITE_IOERR_FSYNC, WriteFault.INPUT_OUTPUT),
        (sqlite3.SQLITE_BUSY, WriteFault.BUSY),
        (sqlite3.SQLITE_CORRUPT, WriteFault.OTHER),
    ],
)
def test_a_failed_commit_leaves_nothing_behind(path: Path, code: int, fault: WriteFault) -> None:
    journal = samples.new(path)
    store = journal._store
    broken = Broken(store._connection, code)
    store._connection = broken  # type: ignore[assignment]
    seq, head = journal.seq, journal.head
    with pytest.raises(JournalWriteError) as error:
        journal.append(samples.hand_events(1)[:2], hand=1, stamp=samples.stamp())
    assert (error.value.fault, journal.seq, journal.head, journal.open_hand) == (fault, seq, head, None)
    broken.failing = False
    journal.append(samples.hand_events(1), hand=1, stamp=samples.stamp())
    journal.close()
    assert audit(path, samples.REGISTRY, Options(live=True)).ok


@pytest.mark.parametrize("gone", ["", "-wal"])
def test_a_file_that_was_moved_away_is_not_written_on(path: Path, gone: str) -> None:
    """SQLite would write on into a file that no start finds again. Put back, it goes on."""
    journal = samples.new(path)
    samples.play(journal, 1)
    seq, file, aside = journal.seq, Path(f"{path}{gone}"), path.with_name("aside")
    file.rename(aside)
    with pytest.raises(JournalWriteError) as error:
        samples.play(journal, 1, first=2)
    assert error.value.fault is WriteFault.GONE
    shutil.copyfile(aside, file)  # a copy is another file
    with pytest.raises(JournalWriteError):
        samples.play(journal, 1, first=2)
    aside.rename(file)
    assert journal.seq == seq
    samples.play(journal, 1, first=2)
    journal.close()
    reopened = samples.reopen(path)
    assert reopened.last_hand == 2
    reopened.close()


def test_reading_pins_nothing(path: Path) -> None:
    """F66: neither a replay that stopped half-way nor a reader beside it keeps the write-ahead file growing."""
    journal = samples.new(path)
    journal.append([samples.RunStarted()] * 1200, hand=None, stamp=samples.stamp())
    halfway = journal.replay()
    next(halfway)
    for _ in range(60):
        journal.append([samples.RunStarted()] * 100, hand=None, stamp=samples.stamp())
    assert journal.wal_bytes() < stores.WAL_CAP_BYTES
    assert not journal._store._connection.in_transaction
    busy, _, _ = journal._store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert (busy, journal.wal_bytes()) == (0, 0)


def test_a_pinned_reader_shows_in_the_size(path: Path) -> None:
    journal = samples.new(path)
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    cursor = reader.execute("SELECT seq FROM journal, (SELECT 1 UNION SELECT 2)")
    cursor.fetchone()
    for _ in range(40):
        journal.append([samples.BoxVoided(box=1, reason="x" * 20_000)] * 25, hand=None, stamp=samples.stamp())
    assert journal.wal_bytes() > stores.WAL_CAP_BYTES
    reader.close()


def test_order_is_the_number_whatever_the_clock_says(path: Path) -> None:
    """F69, F70: the label jumps nine hours on and two weeks back; the flag says that it cannot be trusted."""
    journal = samples.new(path)
    labels = ["2025-03-01T12:00:00Z", "2025-03-01T21:00:00Z", "2025-02-15T12:00:00Z"]
    for number, label in enumerate(labels, 1):
        stamp = samples.stamp(t=label, synced=number == 1)
        journal.append(samples.hand_events(number), hand=number, stamp=stamp)
    opened = [record for record in journal.replay() if record.type == "HandOpened"]
    assert [record.hand for record in opened] == [1, 2, 3]
    assert [record.stamp.t for record in opened] == labels
    assert [record.stamp.synced for record in opened] == [True, False, False]


def test_another_table_or_key_is_refused(path: Path) -> None:
    samples.new(path).close()
    keys = samples.keys_in(path.parent / "keys")
    other = samples.keys_in(path.parent / "other")
    for table, these in (("T2", keys), ("T1", other)):
        with pytest.raises(TableError) as error:
            Journal.open(path, table=table, keys=these, registry=samples.REGISTRY, entropy=os.urandom)
        assert error.value.exit_code == 3
    samples.reopen(path).close()


def test_secrets_wrapped_outside_a_hand_open_with_the_credential(path: Path) -> None:
    journal = samples.new(path)
    journal.append([samples.Told(secret="Qh")], hand=None, stamp=samples.stamp())
    assert list(journal.replay())[-1].event == samples.Told(secret="Qh")
    assert b"Qh" not in samples.body_of(path, 2)


def test_without_a_key_a_field_stays_shut(path: Path) -> None:
    journal = samples.new(path)
    journal.append(samples.hand_events(1), hand=1, stamp=samples.stamp())
    codec = Codec(samples.REGISTRY, journal.identity.journal_id, None)
    event = codec.decode(read_body(samples.body_of(path, 4)), None)
    assert event == SealedEvent("CardDealt", {"place": "box"}, frozenset({"card"}))


def test_the_daemon_recalls_of_an_open_hand_only_what_is_public(path: Path) -> None:
    journal = samples.new(path)
    for number in (1, 2):
        events = samples.hand_events(number)
        journal.append(events if number == 1 else events[:6], hand=number, stamp=samples.stamp())
    done, open_hand = journal.recall(1), journal.recall(2)
    assert done["request"] == samples.hand_events(1)[-2].request
    assert (open_hand["outcome"], open_hand["request"]) == ("open", None)
    (promised,) = {event.commitment for event in samples.hand_events(2) if hasattr(event, "commitment")}
    assert (open_hand["draw"]["commitment"], open_hand["draw"]["shown"]) == (promised, "Jc")
    assert [open_hand["draw"][name] for name in ("seed", "revealed", "slot")] == [None, None, None]
    with pytest.raises(TableError, match="no hand 3"):
        journal.recall(3)


def test_the_start_names_the_first_bad_record_of_the_tail(path: Path) -> None:
    """From the last but one signature; what lies before it is the audit's."""
    samples.journal_file(path, 3)
    samples.tamper(path, [("UPDATE journal SET body = replace(body, '\"stop\"', '\"halt\"') WHERE seq = 31", ())])
    with pytest.raises(TableError, match="record 31 was changed") as error:
        samples.reopen(path)
    assert error.value.exit_code == 3
    samples.tamper(path, [("UPDATE journal SET body = replace(body, '\"halt\"', '\"stop\"') WHERE seq = 31", ())])
    samples.reopen(path).close()
    samples.tamper(path, [("DELETE FROM journal WHERE seq = 1", ())])
    with pytest.raises(TableError, match="record 1 is missing") as error:
        samples.reopen(path)
    assert error.value.exit_code == 3


def test_older_data_is_lifted_to_todays_version(path: Path) -> None:
    class BoxVoided(samples.Sample, frozen=True, tag=True):
        V = 2
        box: int
        reason: str
        by: str

    def lift(fields: dict[str, object]) -> dict[str, object]:
        return {**fields, "by": "nobody"}

    journal = samples.new(path)
    journal.append([samples.BoxVoided(box=3, reason="dead")], hand=None, stamp=samples.stamp())
    body = read_body(samples.body_of(path, 2))
    classes = {**samples.CLASSES, "BoxVoided": BoxVoided}
    lifted = Registry(classes, {("BoxVoided", 1): lift}).decode(body)
    assert lifted == BoxVoided(box=3, reason="dead", by="nobody")
    with pytest.raises(CodecError, match="nothing lifts version 1"):
        Registry(classes).decode(body)
