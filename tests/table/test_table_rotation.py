"""A journal that has come to its limit is archived at the start of a closed table, and of no other."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

import msgspec
import pytest
from archiving import STAMP, play, played
from crash_player import setup_of
from harness import D1, S1, S2, Rig
from harness_parts import TABLE, open_journal
from test_table_archive import checked, taken_up
from test_table_every_game import Player

from controller import archiving
from controller.config import Config
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.journal import keys as key_files
from controller.journal.archive import check_links, files
from controller.journal.journal import Journal
from controller.journal.records import Continues
from controller.runtime.notify import Notifier, NotifySettings, Patience


def configured(folder: Path, most: int | None) -> Config:
    """The harness's table as table.toml would name it."""
    sections = {
        "table": {"id": TABLE, "rules": "jpoker", "boxes": 6},
        "limits": {"ante_min": 1, "ante_max": 9, "cap": 99, "chips": [1, 2, 3, 4, 5, 6]},
        "journal": {"path": str(folder / "journal.db"), "archive_hands": most},
        "keys": {"credential": str(folder / key_files.CREDENTIAL), "signing": str(folder / key_files.SIGNING)},
        "control": {"operators": "operators.json"},
    }
    return msgspec.convert(sections, Config)


def started(folder: Path, most: int | None) -> Continues | None:
    """As tabled begins; what the journal then in force goes on from."""
    patience = Patience(Notifier(NotifySettings(None, 0)), lambda: 0)
    journal, replayed = archiving.taken_up(lambda: open_journal(folder), configured(folder, most), patience, STAMP)
    with contextlib.closing(journal):
        assert replayed.table.hands == journal.last_hand
        return journal.continues


def test_a_file_with_so_many_hands_is_archived_at_the_start(tmp_path: Path) -> None:
    rig = played(tmp_path, 2)
    assert [started(tmp_path, most) for most in (None, 4)] == [None, None]
    said = started(tmp_path, 3)
    assert said is not None
    assert (said.file, said.hand) == ("journal-000001-000003.db", rig.table.hands)
    assert started(tmp_path, 3) == said  # the new one has no hand yet
    play(taken_up(rig, tmp_path).open(), 2)
    assert [report.findings for report in map(checked, files(tmp_path / "journal.db"))] == [(), ()]
    again = started(tmp_path, 3)
    assert again is not None
    assert again.file == "journal-000004-000006.db"
    assert check_links(tmp_path / "journal.db") == []


@pytest.mark.parametrize("killed", [True, False])
def test_a_table_that_is_open_or_was_killed_goes_on_in_its_file(tmp_path: Path, killed: bool) -> None:
    rig = Rig(tmp_path, setup_of("jpoker")).open()
    Player(rig, seed=1).hand()
    if killed:
        rig.do(cm.CloseTable(), D1, S1, S2)
    else:
        rig.service.end_run("test")
    rig.close()
    assert started(tmp_path, 1) is None


def begun(folder: Path) -> Journal:
    """With mirror and witness, at its limit of hands."""
    mirror, witness = folder / "stick" / "mirror.db", folder / "third" / "witness.json"
    patience = Patience(Notifier(NotifySettings(None, 0)), lambda: 0)
    opened = partial(open_journal, folder, mirror, witness)
    return archiving.taken_up(opened, configured(folder, 1), patience, STAMP)[0]


def recorded(journal: Journal) -> list[str]:
    """A run that says what was mended, and stops in order."""
    said = [repaired.copy for repaired in journal.repaired]
    started = ev.RunStarted(version="0", mode="bench", hardware={}, config_hash="")
    journal.append(
        [started, *journal.repaired, ev.RunEnded(reason="test", head="", signature="")], hand=None, stamp=STAMP
    )
    journal.close()
    return said


@pytest.mark.parametrize(
    ("lost", "mended"), [("journal.db", ["main"]), ("stick/mirror.db", ["mirror"]), ("third/witness.json", ["witness"])]
)
def test_what_a_start_mends_is_on_record_before_the_file_is_archived(
    tmp_path: Path, lost: str, mended: list[str]
) -> None:
    """Else the new journal would know of nothing but itself."""
    for name in ("stick", "third"):
        (tmp_path / name).mkdir()
    played(tmp_path, 2)
    assert recorded(begun(tmp_path)) == ["mirror", "witness"]
    (tmp_path / lost).unlink()
    journal = begun(tmp_path)
    assert journal.continues is None
    assert recorded(journal) == mended
    with contextlib.closing(begun(tmp_path)) as journal:
        assert journal.continues is not None


def test_what_hinders_it_is_said_and_keeps_no_table_from_its_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(tmp_path, 2)
    taken_name = tmp_path / "journal-000001-000003.db"
    taken_name.touch()
    assert started(tmp_path, 1) is None
    assert capsys.readouterr().err.startswith("TC-0234 another file stands there")
    taken_name.unlink()
    (tmp_path / "journal.db.next").unlink()  # of that try
    (tmp_path / "journal.db.next").mkdir()  # nothing can be made under that name
    assert started(tmp_path, 1) is None
    assert capsys.readouterr().err.startswith("TC-0253 not archived")
    (tmp_path / "journal.db.next").rmdir()
    assert started(tmp_path, 1) is not None
