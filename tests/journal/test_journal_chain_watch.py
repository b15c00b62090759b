"""The whole chain walked while the writer holds the file; what is found is mended at the next start (F63)."""

from __future__ import annotations

from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal import opening
from controller.journal.chain_watch import ChainWatch, suspect

TOUCH = [('UPDATE journal SET body = replace(body, \'"reason":"dead"\', \'"reason":"fine"\') WHERE seq = 2', ())]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal longer than a start walks, with its mirror; record 2 is far in front of what a start looks at."""
    monkeypatch.setattr(opening, "WHOLE_UP_TO", 10)
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    journal.append([samples.BoxVoided(box=1, reason="dead")], hand=None, stamp=samples.stamp())
    samples.play(journal, 6)
    journal.keep({}, "{}", samples.stamp())
    samples.play(journal, 4, first=7)
    journal.close()
    samples.reopen(path, tmp_path / "mirror.db").close()
    return path


def test_a_journal_that_holds_is_walked_to_its_end_while_it_is_written(path: Path) -> None:
    journal = samples.reopen(path)
    watch = ChainWatch(path, pause_s=0)
    assert (watch.look(path), watch.walked) == ("", journal.seq)
    samples.play(journal, 1, first=11)
    assert (watch.look(path), watch.walked) == ("", journal.seq)
    journal.close()


def test_an_old_record_that_was_touched_is_found_and_the_next_start_mends_it(path: Path) -> None:
    journal = samples.reopen(path, path.with_name("mirror.db"))
    samples.tamper(path, TOUCH)
    watch = ChainWatch(path, first_s=0, pause_s=0)
    watch.start()
    watch._thread.join(30)
    assert not watch._thread.is_alive()  # what it has found stands until the next start
    watch.close()
    assert watch.fault == "record 2 was changed: its hash does not fit"
    assert suspect(path).exists()
    journal.close()
    journal = samples.reopen(path, path.with_name("mirror.db"))
    assert [(r.copy, r.aside) for r in journal.repaired] == [("main", "journal.db.aside-1")]
    assert not suspect(path).exists()
    assert ChainWatch(path, pause_s=0).look(path) == ""
    journal.close()


def walked(path: Path, mirror: Path) -> ChainWatch:
    """One watch over both, that has come to a fault."""
    watch = ChainWatch(path, mirror, first_s=0, pause_s=0)
    watch.start()
    watch._thread.join(30)
    assert not watch._thread.is_alive()
    return watch


def test_an_old_record_of_the_mirror_is_found_before_the_mirror_is_needed(path: Path) -> None:
    mirror = path.with_name("mirror.db")
    samples.tamper(mirror, TOUCH)
    journal = samples.reopen(path, mirror)  # the start looks at the end of it
    assert journal.repaired == ()
    assert walked(path, mirror).fault == "mirror: record 2 was changed: its hash does not fit"
    assert (suspect(path).exists(), suspect(mirror).exists()) == (False, True)
    journal.close()
    journal = samples.reopen(path, mirror)
    assert [(r.copy, r.aside) for r in journal.repaired] == [("mirror", "mirror.db.aside-1")]
    assert not suspect(mirror).exists()
    assert ChainWatch(path, pause_s=0).look(mirror) == ""
    journal.close()


def test_both_are_marked_where_both_do_not_hold(path: Path) -> None:
    mirror = path.with_name("mirror.db")
    journal = samples.reopen(path, mirror)
    samples.tamper(path, TOUCH)
    samples.tamper(mirror, TOUCH)
    what = "record 2 was changed: its hash does not fit"
    assert walked(path, mirror).fault == f"{what}; mirror: {what}"
    assert suspect(path).exists()
    assert suspect(mirror).exists()
    journal.close()


def test_a_mirror_that_was_pulled_out_is_no_fault_of_the_chain(path: Path) -> None:
    """That it takes no record is told by its writer."""
    watch = ChainWatch(path, path.with_name("gone") / "mirror.db", pause_s=0)
    assert watch._copy("mirror: ", path.with_name("gone") / "mirror.db") == ""
    assert watch._copy("", path) == ""


def test_without_a_mirror_the_start_is_refused_until_somebody_restores_it(path: Path) -> None:
    samples.tamper(path, TOUCH)
    samples.reopen(path).close()  # what a start looks at holds
    suspect(path).touch()
    for _ in range(2):
        with pytest.raises(TableError, match="record 2 was changed") as error:
            samples.reopen(path)
        assert error.value.exit_code == 3


def test_it_ends_at_once_when_the_table_stops(path: Path) -> None:
    watch = ChainWatch(path)  # the first walk is minutes away
    watch.start()
    watch.close()
    assert not watch._thread.is_alive()
    assert watch.fault == ""
