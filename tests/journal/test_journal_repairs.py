"""What a start mended comes to the record, whatever becomes of that start: it fails later, or is cut off (F63)."""

from __future__ import annotations

import shutil
from pathlib import Path

import journal_samples as samples
import pytest

from controller.domain.events import JournalRepaired
from controller.journal.codec import read_body
from controller.journal.journal import Journal
from controller.journal.store import Store

Said = tuple[str, str, str]
ASIDE = "witness.json.aside-1"


class PowerCut(BaseException):
    """Nothing of the process comes after it."""


class Table:
    """Main file, mirror and witness, each in a folder of its own; a hand played."""

    def __init__(self, folder: Path) -> None:
        self.main = folder / "journal.db"
        self.mirror, self.witness = folder / "stick" / "mirror.db", folder / "third" / "witness.json"
        for path in (self.mirror, self.witness):
            path.parent.mkdir()
        samples.new(self.main).close()
        journal = self.run()
        samples.play(journal, 1)
        journal.close()

    def run(self) -> Journal:
        """A start that comes to its first records."""
        return samples.reopen(self.main, self.mirror, self.witness)

    def fails(self) -> list[Said]:
        """A start that mends, and ends before a record: no pin chip, no operators."""
        journal = samples.opened(self.main, self.mirror, self.witness)
        journal.close()
        return told(journal)

    @property
    def noted(self) -> Path:
        return self.main.with_name("journal.db.repairs")

    def spoil(self) -> None:
        self.main.write_bytes(b"\0" * 100 + self.main.read_bytes()[100:])
        self.witness.write_bytes(b"?")


def told(journal: Journal) -> list[Said]:
    return [(each.copy, each.why, each.aside) for each in journal.repaired]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_start_that_fails_later_leaves_its_repairs_to_the_next(table: Table) -> None:
    table.spoil()
    said = table.fails()
    assert [(copy, aside) for copy, _, aside in said] == [("main", "journal.db.aside-1"), ("witness", ASIDE)]
    assert table.fails() == said  # and to the one after it
    journal = table.run()
    assert told(journal) == said
    recorded = [read_body(row.body) for row in journal._store.rows() if b'"JournalRepaired"' in row.body]
    assert len(recorded) == 4  # the first start's two, these two
    journal.close()
    assert not table.noted.exists()
    assert table.fails() == []


@pytest.mark.parametrize("at", ["set_aside", "copy_to", "witness"])
def test_a_start_cut_off_in_a_repair_has_it_noted(table: Table, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note is on disk before a file moves; what the next start finds is told behind it."""

    def cut(*_: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched:
        match at:
            case "set_aside":
                patched.setattr("controller.journal.copies.set_aside", cut)
            case "copy_to":
                patched.setattr(Store, "copy_to", cut)
            case _:
                patched.setattr("controller.journal.witness.set_aside", cut)
        table.spoil()
        with pytest.raises(PowerCut):
            table.fails()
    assert table.noted.exists()
    again = table.fails()
    expected = {
        "set_aside": [("main", "journal.db.aside-1"), ("main", "journal.db.aside-1"), ("witness", ASIDE)],
        "copy_to": [("main", "journal.db.aside-1"), ("main", ""), ("witness", ASIDE)],
        "witness": [("main", "journal.db.aside-1"), ("witness", ASIDE), ("witness", ASIDE)],
    }[at]
    assert [(copy, aside) for copy, _, aside in again] == expected
    assert table.main.with_name("journal.db.aside-1").exists()


def test_a_mirror_that_cannot_be_made_is_no_repair(table: Table) -> None:
    shutil.rmtree(table.mirror.parent)
    assert table.fails() == []
    assert not table.noted.exists()


@pytest.mark.parametrize("data", [b"", b"[{}]", b"\xff", b'{"copy": "main"}'])
def test_a_note_that_nobody_can_read_keeps_no_table_from_its_start(table: Table, data: bytes) -> None:
    table.noted.write_bytes(data)
    assert table.fails() == []


def test_an_event_of_another_kind_does_not_take_the_note_away(table: Table) -> None:
    table.spoil()
    said = table.fails()
    journal = samples.opened(table.main, table.mirror, table.witness)
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    journal.close()
    assert table.noted.exists()
    journal = table.run()
    assert told(journal) == said
    assert all(isinstance(each, JournalRepaired) for each in journal.repaired)
    journal.close()
