"""An older copy put back, another table's card: refused at the start by a file on another medium (T15, T16)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal.journal import Journal
from controller.journal.records import Continues, MemoryCleared
from controller.journal.witness import Witness


class Watched:
    """A journal, and its witness in another folder."""

    def __init__(self, folder: Path, name: str = "journal.db") -> None:
        self.path = folder / name
        self.witness = folder / "stick" / "witness.json"
        self.witness.parent.mkdir(exist_ok=True)
        samples.new(self.path).close()

    def open(self) -> Journal:
        return samples.reopen(self.path, witness=self.witness)

    def play(self, hands: int, first: int = 1) -> None:
        journal = self.open()
        samples.play(journal, hands, first)
        journal.close()

    def copy(self) -> Path:
        kept = self.path.with_name("kept.db")
        shutil.copy(self.path, kept)
        return kept

    def put_back(self, kept: Path) -> None:
        self.path.unlink()
        shutil.copy(kept, self.path)

    def refused(self) -> TableError:
        before = self.path.read_bytes(), self.witness.read_bytes()
        with pytest.raises(TableError) as caught:
            self.open()
        assert (self.path.read_bytes(), self.witness.read_bytes()) == before, "evidence was touched"
        assert caught.value.exit_code == 3
        return caught.value


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def why(journal: Journal) -> list[tuple[str, str]]:
    said = [(repaired.copy, repaired.why) for repaired in journal.repaired]
    journal.close()
    return said


def witness_of(journal: Journal) -> Witness:
    assert journal._files._witness is not None
    return journal._files._witness


def test_it_knows_the_newest_record_and_its_first_writing_is_on_record(watched: Watched) -> None:
    journal = watched.open()
    assert [(r.copy, r.why) for r in journal.repaired] == [("witness", "there was none")]
    samples.play(journal, 2)
    assert witness_of(journal).level(10)
    assert (journal.lacking(), journal.health()["witness"]) == ("", {"lag": 0})
    seq, head = journal.seq, journal.head.hex()
    journal.close()
    said = json.loads(watched.witness.read_text())
    assert said == {"journal": journal.identity.journal_id.hex(), "seq": seq, "head": head}
    assert why(watched.open()) == []


def test_an_old_copy_put_back_is_refused(watched: Watched) -> None:
    """T15: whole and signed in itself, and older than what this table has confirmed."""
    watched.play(2)
    kept = watched.copy()
    watched.play(1, 3)
    newer = watched.path.read_bytes()
    watched.put_back(kept)
    error = watched.refused()
    assert (error.code, "an old copy" in error.what, "witness saw record" in error.what) == ("TC-0249", True, True)
    watched.path.write_bytes(newer)
    assert why(watched.open()) == []


def test_a_copy_that_lacks_one_record_is_refused(watched: Watched) -> None:
    watched.play(1)
    kept = watched.copy()
    journal = watched.open()
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.close()
    watched.put_back(kept)
    assert watched.refused().code == "TC-0249"


def test_a_copy_that_went_on_elsewhere_is_refused(watched: Watched) -> None:
    """T16: two cards from one image; each is a good journal of the same table with the same keys."""
    watched.play(1)
    kept = watched.copy()
    watched.play(1, 2)
    watched.put_back(kept)
    journal = samples.reopen(watched.path)  # on another machine, without the witness
    samples.play(journal, 3, 2)
    journal.close()
    error = watched.refused()
    assert (error.code, "cloned card" in error.what) == ("TC-0250", True)


def test_another_journal_of_the_same_table_is_refused(watched: Watched) -> None:
    watched.play(1)
    watched.path.unlink()
    samples.new(watched.path).close()
    assert watched.refused().code == "TC-0250"


def test_a_witness_that_is_behind_is_no_reason(watched: Watched) -> None:
    """The power fails between a record and the witness's next write."""
    watched.play(1)
    seen = watched.witness.read_bytes()
    watched.play(2, 2)
    watched.witness.write_bytes(seen)
    assert why(watched.open()) == []


@pytest.mark.parametrize("data", [b"", b"{}", b'{"journal": 3}', b"\xff\xfe", b"x" * 5000])
def test_a_spoilt_witness_is_set_aside_and_said(watched: Watched, data: bytes) -> None:
    watched.play(1)
    watched.witness.write_bytes(data)
    journal = watched.open()
    [said] = journal.repaired
    journal.close()
    assert (said.copy, said.why, said.aside) == ("witness", "it held something else", "witness.json.aside-1")
    assert watched.witness.with_name(said.aside).read_bytes() == data


def test_a_medium_that_takes_nothing_lets_no_hand_start_until_it_does(watched: Watched) -> None:
    journal = watched.open()
    witness = witness_of(journal)
    assert witness.level(10)
    watched.witness.unlink()
    watched.witness.parent.rmdir()
    samples.play(journal, 1)
    with witness._changed:
        assert witness._changed.wait_for(lambda: witness.fault, 10)
    assert journal.lacking() == "witness: it cannot be written (No such file or directory)"
    watched.witness.parent.mkdir()
    assert witness.level(10)
    assert journal.lacking() == ""
    journal.close()


def continued(watched: Watched) -> None:
    """What archiving leaves: the file under another name, and one that goes on from it."""
    old = samples.reopen(watched.path)
    said = Continues(
        journal=old.identity.journal_id.hex(), file="old.db", sha256="", seq=old.seq, head=old.head.hex(), hand=2
    )
    old.close()
    watched.path.rename(watched.path.with_name("old.db"))
    new = samples.new(watched.path)
    new.append([said], hand=None, stamp=samples.stamp())
    new.close()


def test_the_journal_that_goes_on_from_an_archived_one_is_accepted(watched: Watched) -> None:
    watched.play(2)
    continued(watched)
    assert why(watched.open()) == []
    assert json.loads(watched.witness.read_text())["seq"] == 2


def test_one_that_goes_on_from_an_older_copy_is_not(watched: Watched) -> None:
    watched.play(2)
    kept = watched.copy()
    watched.play(1, 3)
    watched.put_back(kept)
    continued(watched)
    assert watched.refused().code == "TC-0249"


def test_the_file_from_before_archiving_is_not_accepted_any_more(watched: Watched) -> None:
    watched.play(2)
    continued(watched)
    watched.open().close()
    watched.put_back(watched.path.with_name("old.db"))
    assert watched.refused().code == "TC-0250"


def cleared(watched: Watched) -> None:
    """A journal that says it was begun by a memory clear."""
    watched.path.unlink()
    new = samples.new(watched.path)
    new.append([MemoryCleared(lost=(), aside=(), operators=("s1", "s2"), hand=2)], hand=None, stamp=samples.stamp())
    new.close()


def test_a_journal_that_only_says_it_was_cleared_is_not_accepted(watched: Watched) -> None:
    """The memory clear begins the witness itself; a file whose record 2 says so may be any older one."""
    watched.play(2)
    cleared(watched)
    assert watched.refused().code == "TC-0250"


def test_the_file_of_a_memory_clear_is_not_accepted_when_it_was_archived(watched: Watched) -> None:
    """Put back in place of the one that goes on from it: an older copy like any other."""
    watched.play(2)
    watched.witness.unlink()  # as the clear sets it aside
    cleared(watched)
    watched.open().close()
    kept = watched.copy()
    watched.play(2, 3)
    continued(watched)
    watched.open().close()
    watched.put_back(kept)
    assert watched.refused().code == "TC-0250"


def test_the_file_is_whole_whenever_the_writing_is_cut_off(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.play(1)
    before = watched.witness.read_bytes()
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    from controller.journal import witness  # noqa: PLC0415

    with pytest.raises(OSError, match="Input/output"):
        witness.write(watched.witness, witness.Seen("ab", 9, "cd"))
    assert watched.witness.read_bytes() == before
