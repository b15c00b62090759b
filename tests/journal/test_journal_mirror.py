"""The second copy follows, takes over, makes the other anew; both bad, or two stories: refused (F63, F64, F65)."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import journal_samples as samples
import pytest

from controller.domain.events import JournalDegraded
from controller.errors import TableError
from controller.journal.copies import first_difference
from controller.journal.journal import Journal
from controller.journal.store import JournalWriteError, Store, WriteFault
from controller.journal.verify import Options, audit


class Copies(samples.Copies):
    def level(self) -> bool:
        with Store.open(self.main) as main, Store.open(self.mirror) as mirror:
            return (main.seq, main.head) == (mirror.seq, mirror.head) and not first_difference(main, mirror)

    def bodies(self, path: Path) -> list[bytes]:
        with contextlib.closing(sqlite3.connect(path)) as db:
            return [row[0].encode() for row in db.execute("SELECT body FROM journal ORDER BY seq")]


@pytest.fixture
def copies(tmp_path: Path) -> Copies:
    return Copies(tmp_path)


@contextlib.contextmanager
def readonly(store: Store) -> Iterator[None]:
    """What a remount does: every write is refused by SQLite itself."""
    store._connection.execute("PRAGMA query_only=ON").fetchall()
    yield
    with contextlib.suppress(sqlite3.ProgrammingError):  # closed meanwhile
        store._connection.execute("PRAGMA query_only=OFF").fetchall()


def main_of(journal: Journal) -> Store:
    return journal._files._main


def mirror_of(journal: Journal) -> Store:
    assert journal._files._mirror is not None
    return journal._files._mirror._store


def test_the_mirror_has_every_record_at_a_hands_end(copies: Copies) -> None:
    journal = copies.open()
    assert [(r.copy, r.why) for r in journal.repaired] == [("mirror", "there was none")]
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    for number in range(1, 4):
        journal.append(samples.hand_events(number), hand=number, stamp=samples.stamp())
        assert (mirror_of(journal).seq, mirror_of(journal).head) == (journal.seq, journal.head)
    assert (journal.lacking(), journal.health()) == ("", {"durable": "main", "mirror": {"lag": 0}})
    journal.close()
    assert copies.level()
    assert audit(copies.mirror, samples.REGISTRY, Options(live=True)).ok
    assert copies.open().repaired == ()


def test_a_read_only_main_file_and_the_hand_goes_on_in_the_mirror(copies: Copies) -> None:
    """F64: the mirror's first own record says so; when the main file takes writes again it is filled up."""
    journal = copies.open()
    events = samples.hand_events(1)
    journal.append(events[:4], hand=1, stamp=samples.stamp())
    with readonly(main_of(journal)):
        with pytest.raises(JournalWriteError) as error:
            journal.append(events[4:5], hand=1, stamp=samples.stamp())
        assert error.value.fault is WriteFault.READ_ONLY
        kept = main_of(journal).seq
        assert journal.fail_over(error.value, samples.stamp()).copy == "main"
        journal.append(events[4:], hand=1, stamp=samples.stamp())
        assert (journal.lacking(), journal.health()["durable"]) == ("main: file system read-only", "mirror")
        assert [r.type for r in journal.replay(kept)][:2] == ["JournalDegraded", "JokerDrawn"]
    assert "" in [journal.lacking() for _ in range(5)]
    assert journal.health()["durable"] == "main"
    samples.play(journal, 1, first=2)
    journal.close()
    assert copies.level()
    assert audit(copies.main, samples.REGISTRY, Options(live=False)).ok


def test_a_degraded_run_that_stopped_fills_the_main_file_up_at_the_next_start(copies: Copies) -> None:
    journal = copies.open()
    with readonly(main_of(journal)):
        with pytest.raises(JournalWriteError) as error:
            samples.play(journal, 1)
        journal.fail_over(error.value, samples.stamp())
        samples.play(journal, 2)
        journal.close()
    assert not copies.level()
    journal = copies.open()
    assert [(r.copy, r.aside) for r in journal.repaired] == [("main", "")]
    assert journal.last_hand == 2
    journal.close()
    assert copies.level()


def test_neither_takes_a_write_and_nothing_is_recorded(copies: Copies) -> None:
    """F65: disk full on both; whichever takes a write first goes on, and nothing committed is lost."""
    journal = copies.open()
    events = samples.hand_events(1)
    journal.append(events[:3], hand=1, stamp=samples.stamp())
    assert journal._files._mirror is not None
    assert journal._files._mirror.level(10)
    seq = journal.seq
    with readonly(main_of(journal)):
        with readonly(mirror_of(journal)):
            with pytest.raises(JournalWriteError) as error:
                journal.append(events[3:4], hand=1, stamp=samples.stamp())
            for _ in range(2):
                with pytest.raises(JournalWriteError) as again:
                    journal.fail_over(error.value, samples.stamp())
                assert (again.value.fault, journal.seq) == (WriteFault.READ_ONLY, seq)
            assert journal.lacking() == ""  # nothing was recorded in one copy alone
        journal.fail_over(error.value, samples.stamp())
        journal.append(events[3:], hand=1, stamp=samples.stamp())
    assert "" in [journal.lacking() for _ in range(5)]
    journal.close()
    assert copies.level()
    assert audit(copies.main, samples.REGISTRY, Options(live=True)).ok


def test_a_mirror_that_fails_holds_nothing_up_and_catches_up(copies: Copies) -> None:
    journal = copies.open()
    with readonly(mirror_of(journal)):
        for number in (1, 2):
            journal.append(samples.hand_events(number), hand=number, stamp=samples.stamp())
        assert journal.lacking() == "mirror: file system read-only"
    assert journal._files._mirror is not None
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    mirror = journal._files._mirror
    with mirror._changed:
        assert mirror._changed.wait_for(lambda: not mirror.lag, 10)
    assert journal.lacking() == ""
    journal.close()
    assert copies.level()


@pytest.mark.parametrize("which", ["main", "mirror"])
@pytest.mark.parametrize("harm", ["four bytes", "half", "gone", "a record", "no header"])
def test_one_bad_copy_is_made_anew_from_the_good_one(copies: Copies, which: str, harm: str) -> None:
    """F63. The bad file is set aside, never deleted."""
    copies.play(40)
    bad, good = (copies.main, copies.mirror) if which == "main" else (copies.mirror, copies.main)
    right = copies.bodies(good)
    spoil(bad, harm)
    spoilt = bad.read_bytes() if bad.exists() else b""
    journal = samples.opened(copies.main, copies.mirror)
    (repaired,) = journal.repaired
    assert repaired.copy == which
    assert [row.body for row in journal._store.rows()] == right
    journal.close()
    assert copies.level()
    assert repaired.aside == ("" if harm == "gone" else f"{bad.name}.aside-1")
    assert harm == "gone" or bad.with_name(repaired.aside).read_bytes() == spoilt


def spoil(path: Path, harm: str) -> None:
    data = path.read_bytes()
    match harm:
        case "four bytes":
            middle = data.index(b'"type":"CardDealt"', len(data) // 2)
            path.write_bytes(data[:middle] + b"XXXX" + data[middle + 4 :])
        case "half":
            path.write_bytes(data[: len(data) // 2])
        case "gone":
            path.unlink()
        case "a record":
            samples.tamper(path, [("DELETE FROM journal WHERE seq = 30", ())])
        case _:
            path.write_bytes(b"\0" * 100 + data[100:])


def test_both_bad_are_refused_and_left_as_they_are(copies: Copies) -> None:
    copies.play(3)
    for path in (copies.main, copies.mirror):
        spoil(path, "four bytes")
    before = copies.main.read_bytes(), copies.mirror.read_bytes()
    with pytest.raises(TableError, match="neither copy of the journal holds") as error:
        copies.open()
    assert (error.value.exit_code, error.value.code) == (3, "TC-0227")
    assert (copies.main.read_bytes(), copies.mirror.read_bytes()) == before


def test_an_old_copy_put_back_is_refused(copies: Copies) -> None:
    copies.play(2)
    shutil.copy(copies.main, copies.main.with_name("old"))
    copies.play(1, first=3)
    shutil.copy(copies.main.with_name("old"), copies.main)
    with pytest.raises(TableError, match="an old copy: it ends at record") as error:
        copies.open()
    assert (error.value.exit_code, error.value.code) == (3, "TC-0230")
    copies.main.rename(copies.main.with_name("older"))  # what the remedy says
    journal = copies.open()
    assert journal.last_hand == 3
    journal.close()


def test_a_cloned_card_is_refused(copies: Copies) -> None:
    """Two tables went on from one image; one of them gets the other's stick."""
    copies.play(2)
    for path in (copies.main, copies.mirror):
        shutil.copy(path, path.with_name("clone"))
    copies.play(1, first=3)
    shutil.copy(copies.mirror, copies.mirror.with_name("ours"))
    shutil.copy(copies.main, copies.main.with_name("ours"))
    for path in (copies.main, copies.mirror):
        shutil.copy(path.with_name("clone"), path)
    copies.play(2, first=3)
    shutil.copy(copies.mirror.with_name("ours"), copies.mirror)
    with pytest.raises(TableError, match=r"different stories from record \d+ on: a cloned card") as error:
        copies.open()
    assert (error.value.exit_code, error.value.code) == (3, "TC-0231")


def test_a_mirror_of_another_process_is_refused(copies: Copies) -> None:
    copies.play(1)
    with Store.open(copies.mirror), pytest.raises(TableError, match="holds the journal") as error:
        copies.open()
    assert error.value.exit_code == 5
    copies.open().close()


def test_what_a_failed_write_left_in_the_main_file_is_set_aside(copies: Copies) -> None:
    """fsync said no, the disk kept it all the same: nobody was told of it, so the mirror's story holds."""
    copies.play(1)
    stale = copies.mirror.with_name("before")
    shutil.copy(copies.mirror, stale)
    journal = samples.reopen(copies.main)
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.close()
    shutil.copytree(copies.main.parent / "keys", stale.parent / "keys")
    journal = samples.reopen(stale)
    journal.append([JournalDegraded(copy="main", fault="input/output error")], hand=None, stamp=samples.stamp())
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.close()
    stale.replace(copies.mirror)
    journal = copies.open()
    (repaired,) = journal.repaired
    assert (repaired.copy, repaired.aside) == ("main", "journal.db.aside-1")
    assert "never acknowledged" in repaired.why
    journal.close()
    assert copies.level()


@pytest.mark.parametrize("runs", [1, 2])
def test_an_act_that_was_acknowledged_is_not_undone_by_one_forged_record(copies: Copies, runs: int) -> None:
    """A stick cut back to a signed record, with a JournalDegraded that needs no key behind it: no story of ours."""
    copies.play(2)
    for run in range(1, runs):
        copies.play(1, first=2 + run)
    cut = next(n for n, body in enumerate(copies.bodies(copies.mirror), 1) if b'"Checkpoint"' in body)
    forge_degraded(copies.mirror, cut)
    before = copies.main.read_bytes()
    with pytest.raises(TableError, match=f"different stories from record {cut + 1} on") as error:
        copies.open()
    assert (error.value.exit_code, error.value.code) == (3, "TC-0231")
    assert (copies.main.read_bytes(), list(copies.main.parent.glob("*.aside*"))) == (before, [])


def forge_degraded(path: Path, cut: int) -> None:
    """All behind that record is gone, and one stands there by its hash alone."""
    body = json.loads(samples.body_of(path, cut)) | {"seq": cut + 1, "type": "JournalDegraded", "hand": None}
    body["data"] = {"copy": "main", "fault": "input/output error"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    samples.tamper(
        path,
        [
            ("DELETE FROM journal WHERE seq > ?", (cut,)),
            ("INSERT INTO journal VALUES (?, 'table', 1, zeroblob(32), zeroblob(32), ?)", (cut + 1, text)),
        ],
    )
    samples.rehash(path)


def test_without_its_medium_the_table_says_so(copies: Copies) -> None:
    copies.play(1)
    shutil.rmtree(copies.mirror.parent)
    journal = copies.open()
    assert journal.lacking() == "mirror: it cannot be made (unable to open database file)"
    journal.close()
