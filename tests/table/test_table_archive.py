"""A journal moves to the archive, the table goes on in a new file: same state, hands counted on, all provable."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from archiving import archived, play, played
from click.testing import CliRunner
from crash_checks import strace_there
from crash_images import moments
from harness import Rig
from harness_parts import open_journal

from controller.cli.audit import CHECKS, audit_command
from controller.cli.find import find_command
from controller.cli.recall import _from_file
from controller.domain import events as ev
from controller.errors import TableError
from controller.journal.archive import check_links, files, sha256_of
from controller.journal.codec import Registry
from controller.journal.records import Continues
from controller.journal.verify import Options, Report, audit
from controller.table import past

FIRST = "journal-000001-000004.db"  # three hands, and the one that stood open for bets when the table closed


def checked(path: Path) -> Report:
    return audit(path, Registry(ev.registry()), Options(), CHECKS)


def taken_up(rig: Rig, folder: Path, mirror: Path | None = None) -> Rig:
    """The same table in its new file."""
    rig.journal, rig.mirror = open_journal(folder, mirror), mirror
    rig._start(past.replay(rig.journal).table)
    rig.connect()
    return rig


def test_the_table_goes_on_in_a_new_file(tmp_path: Path) -> None:
    rig = played(tmp_path, 3)
    before = rig.table
    told = archived(tmp_path)
    assert (told.file, told.first_hand, told.last_hand, told.sha256) == (FIRST, 1, 4, sha256_of(tmp_path / FIRST))
    taken_up(rig, tmp_path)
    assert rig.journal is not None
    assert rig.journal.continues == Continues(
        journal=rig.journal.continues.journal if rig.journal.continues else "",
        file=FIRST, sha256=told.sha256, seq=told.records, head=told.head, hand=4,
    )  # fmt: skip
    assert (rig.table.hands, rig.table.meter, rig.table.jokers) == (before.hands, before.meter, before.jokers)
    assert rig.table.shoe.last_event == before.shoe.last_event
    rig.open()
    assert rig.hand.number == 5
    play(rig, 2)
    reports = [checked(path) for path in files(tmp_path / "journal.db")]
    assert [(report.findings, report.hands) for report in reports] == [((), 3), ((), 4)]
    assert reports[0].totals["first"] == reports[1].totals["last"]  # the meter goes over from file to file
    assert check_links(tmp_path / "journal.db") == []


def test_hands_of_every_file_are_recalled(tmp_path: Path) -> None:
    rig = played(tmp_path, 3)
    hands = {number: _from_file(number, tmp_path / "journal.db")[0].records[-1] for number in (1, 2, 3)}
    archived(tmp_path)
    play(taken_up(rig, tmp_path).open(), 2)
    archived(tmp_path)
    taken_up(rig, tmp_path).open()
    assert rig.journal is not None
    for number in range(1, 8):
        assert rig.journal.recall(number)["outcome"] == ("not_played" if number in (4, 7) else "settled")
        found = _from_file(number, tmp_path / "journal.db")[0].records[-1]
        assert number not in hands or found == hands[number]
    rig.close()
    assert [path.name for path in files(tmp_path / "journal.db")] == ["journal.db", "journal-000005-000007.db", FIRST]
    (tmp_path / FIRST).rename(tmp_path / "away")
    rig.journal = open_journal(tmp_path)
    with pytest.raises(TableError, match="its file is not beside the journal"):
        rig.journal.recall(2)
    rig.close()
    with pytest.raises(TableError, match=f"hand 2 is in {FIRST} or before"):
        _from_file(2, tmp_path / "journal.db")
    with pytest.raises(TableError, match="no hand 99 in this journal"):
        _from_file(99, tmp_path / "journal.db")
    listed = CliRunner().invoke(find_command, [str(tmp_path / "journal.db"), "--archive"])
    assert listed.exit_code == 0
    assert listed.stdout.endswith("4 hands\n")
    assert listed.stderr.startswith(f"TC-0247 hands up to 4 are not listed: {FIRST} is not beside the journal")


@pytest.mark.parametrize("harm", ["half", "a text", "a folder", "another record 2"])
def test_a_damaged_archive_is_a_finding_and_the_rest_is_audited(tmp_path: Path, harm: str) -> None:
    rig = played(tmp_path, 3)
    archived(tmp_path)
    play(taken_up(rig, tmp_path).open(), 1)
    rig.close()
    spoil(tmp_path / FIRST, harm)
    done = CliRunner().invoke(audit_command, [str(tmp_path / "journal.db"), "--archive", "--live"])
    assert (done.exit_code, isinstance(done.exception, SystemExit)) == (1, True)
    assert done.stdout.splitlines()[1].startswith("audit: OK 2 hands")
    assert f"{FIRST}: " in done.stdout
    assert "audit: FAILED 1 finding" in done.stdout
    assert f"journal.db goes on from {FIRST}: " in done.stderr


def spoil(path: Path, harm: str) -> None:
    data = path.read_bytes()
    match harm:
        case "half":
            path.write_bytes(data[: len(data) // 2])
        case "a text":
            path.write_text("carried away")
        case "a folder":
            path.unlink()
            path.mkdir()
        case _:
            at = data.index(b'"seq":2,')
            path.write_bytes(data[: at - 1] + b'"' + data[at:])


def test_an_archived_file_that_was_changed_or_exchanged_is_found(tmp_path: Path) -> None:
    rig = played(tmp_path, 3)
    archived(tmp_path)
    play(taken_up(rig, tmp_path).open(), 1)
    good = (tmp_path / FIRST).read_bytes()
    with sqlite3.connect(tmp_path / FIRST) as db:
        db.execute("PRAGMA user_version = 7")
    db.close()
    assert [f.what for f in check_links(tmp_path / "journal.db")] == [
        f"journal.db goes on from {FIRST}: the file is another one (SHA-256)"
    ]
    (tmp_path / FIRST).write_bytes(good)
    assert check_links(tmp_path / "journal.db") == []
    (tmp_path / FIRST).unlink()
    assert [f.what for f in check_links(tmp_path / "journal.db")] == [
        f"journal.db goes on from {FIRST}: it is not there"
    ]


def test_an_open_or_crashed_table_is_not_archived(tmp_path: Path) -> None:
    rig = played(tmp_path, 1)
    taken_up(rig, tmp_path).open()
    rig.close()
    with pytest.raises(TableError, match="does not end with an orderly stop") as error:
        archived(tmp_path)
    assert (error.value.code, error.value.exit_code) == ("TC-0232", 2)
    assert sorted(path.name for path in tmp_path.glob("journal*.db*")) == ["journal.db", "journal.db.lock"]


def test_an_empty_journal_is_not_archived_twice(tmp_path: Path) -> None:
    played(tmp_path, 1)
    archived(tmp_path)
    with pytest.raises(TableError, match="no hand was played in it"):
        archived(tmp_path)


def test_the_mirror_goes_over_to_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    mirror = tmp_path / "stick" / "mirror.db"
    rig = played(tmp_path, 2)
    open_journal(tmp_path, mirror).close()
    archived(tmp_path, mirror)
    taken_up(rig, tmp_path, mirror)
    begun, repaired = rig.events(ev.JournalRepaired)
    assert (begun.copy, begun.why) == ("mirror", "there was none")  # by an opening that came to no record
    assert (repaired.copy, repaired.aside) == ("mirror", "mirror-journal-000001-000003.db")
    assert checked(mirror.with_name(repaired.aside)).findings == ()
    play(rig.open(), 1)
    assert checked(mirror).findings == ()
    assert checked(tmp_path / "journal.db").head == checked(mirror).head


@pytest.mark.skipif(not strace_there(), reason="strace is not installed (`make test` as root installs it)")
@pytest.mark.parametrize("power", [False, True])
def test_cut_off_at_any_call_the_table_has_its_journal(power: bool, tmp_path: Path) -> None:
    """The old one whole or the new one whole, and archiving again brings it to its end."""
    origin, again = tmp_path / "run", tmp_path / "again"
    script = Path(__file__).with_name("archiving.py")
    seen = {went_on(again) for _ in moments(script, origin, again, power=power, seed=4)}
    assert seen == {False, True}


def went_on(folder: Path) -> bool:
    """Whether the new journal is in force; either way nothing is lost."""
    journal = open_journal(folder)
    table, new = past.replay(journal).table, journal.continues is not None
    journal.close()
    assert table.hands == 3  # two, and the one that was never played
    if not new:
        archived(folder)
    assert [(r.findings, r.hands) for r in map(checked, files(folder / "journal.db"))][-1] == ((), 3)
    assert check_links(folder / "journal.db") == []
    return new
