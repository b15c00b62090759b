"""What was archived before a memory clear is found behind it, and what the clear lost is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from archiving import archived, play, played
from clearing import MAIN, WITNESS, cleared, lost, opened, spoil
from click.testing import CliRunner
from test_table_archive import FIRST, taken_up

from controller.cli.audit import audit_command
from controller.cli.find import find_command
from controller.cli.recall import _from_file
from controller.errors import TableError
from controller.journal.archive import check_links, files
from controller.journal.recall import recall

GONE = f"hands 5 to 7 lie before a memory clear, in {MAIN}.aside-1"


@pytest.fixture(params=["its record 2", "the name beside it"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Hands 1 to 4 archived, 5 to 7 in a file that is cleared; the archive is known by one thing or the other."""
    rig = played(tmp_path, 3)
    archived(tmp_path)
    play(taken_up(rig, tmp_path).open(), 2)
    spoil(tmp_path / MAIN, b'"type":"Locked"')
    if request.param == "the name beside it":
        spoil(tmp_path / MAIN, b'"type":"Continues"')
    assert cleared(tmp_path).hand == 7
    return tmp_path


def test_hands_of_the_archive_are_recalled_and_the_lost_ones_named(folder: Path) -> None:
    journal = opened(folder)
    assert journal.recall(2)["outcome"] == _recalled(folder, 2) == "settled"
    assert [summary.hand for summary in journal.summaries()] == [4, 3, 2, 1]
    with pytest.raises(TableError) as running:
        journal.recall(6)
    journal.close()
    with pytest.raises(TableError) as copied:
        _recalled(folder, 6)
    assert [(e.value.code, e.value.what) for e in (running, copied)] == [("TC-0257", GONE)] * 2
    (folder / FIRST).rename(folder / "away")
    with pytest.raises(TableError, match=f"hand 2 is in {FIRST} or before"):
        _recalled(folder, 2)


def _recalled(folder: Path, hand: int) -> str:
    return str(recall(_from_file(hand, folder / MAIN)[0])["outcome"])


def test_the_audit_goes_over_the_clear_and_says_what_it_could_not_see(folder: Path) -> None:
    done = CliRunner().invoke(audit_command, [str(folder / MAIN), "--archive"])
    assert done.exit_code == 0
    assert f"{FIRST}: " in done.stdout
    assert "audit: OK 4 hands" in done.stdout
    assert f"{MAIN}: {GONE}: not audited" in done.stderr
    assert check_links(folder / MAIN) == []
    found = CliRunner().invoke(find_command, [str(folder / MAIN), "--archive"])
    assert found.stderr.startswith(f"TC-0257 {GONE}")
    (folder / FIRST).write_bytes(b"another")
    assert CliRunner().invoke(audit_command, [str(folder / MAIN), "--archive"]).exit_code == 1


def test_a_second_clear_still_knows_the_archive(folder: Path) -> None:
    spoil(folder / MAIN, b'"type":"RunEnded"')
    assert cleared(folder).hand == 7
    assert [path.name for path in files(folder / MAIN)] == [MAIN, FIRST]


def test_without_an_archive_all_hands_are_before_the_clear(tmp_path: Path) -> None:
    lost(tmp_path)
    cleared(tmp_path)
    assert (tmp_path / WITNESS).exists()
    with pytest.raises(TableError, match="hands 1 to 3 lie before a memory clear"):
        _recalled(tmp_path, 1)
