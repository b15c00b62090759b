"""The laboratory's auditor beside the table's: good journals pass both, a lie of a table with its keys neither."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import archiving
import auditor as lab
import lab_journals
import msgspec
import pytest
from click.testing import CliRunner
from harness import D1, S1, Rig, make_setup
from harness_parts import open_journal, registry

from controller.cli.audit import CHECKS, audit_command
from controller.cli.evidence import evidence_command
from controller.cli.find import find_command
from controller.cli.recall import recall_command
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.journal.records import Record, StateKept
from controller.journal.verify import audit
from controller.table import past

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("auditor.py")
GOLDEN = sorted((ROOT / "tests/golden").glob("journal-*/*.db"))
replace = msgspec.structs.replace


def test_it_knows_nothing_of_ours() -> None:
    tree = ast.parse(SCRIPT.read_text("utf-8"))
    modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    modules |= {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    rooms = {str(module).partition(".")[0] for module in modules}
    assert rooms - {"cryptography"} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_golden_journals_pass_and_give_the_same_head(path: Path) -> None:
    report = audit(path, registry(), None, CHECKS)
    done = subprocess.run([sys.executable, str(SCRIPT), str(path)], capture_output=True, text=True, check=False)
    assert done.stdout == f"OK {report.hands} hands, {report.records} records, head {report.head}\n"


@pytest.fixture(scope="module")
def jpoker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab_journals.jpoker(tmp_path_factory.mktemp("honest") / "jpoker", 250)


@pytest.fixture(scope="module")
def progressive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab_journals.progressive(tmp_path_factory.mktemp("honest") / "progressive")


def test_a_void_hand_a_hit_and_an_honest_copy_pass(jpoker: Path, progressive: Path, tmp_path: Path) -> None:
    for name, path in (("a", jpoker), ("b", progressive)):
        copy = lab_journals.retold(path, tmp_path / name, lambda record: record.event)  # type: ignore[return-value, arg-type]
        for file in (path, copy):
            assert audit(file, registry(), None, CHECKS).findings == ()
            assert lab.audit(file)[1] == []
    outcomes = audit(jpoker, registry(), None, CHECKS).outcomes
    assert outcomes["void"] >= 1


LIES: dict[str, tuple[str, type[ev.Event], Callable[[Any], Any]]] = {
    "another slot was drawn": ("jpoker", ev.JokerDrawn, lambda e: replace(e, slot="2c" if e.slot != "2c" else "3c")),
    "the board showed another": ("jpoker", ev.JokerShown, lambda e: replace(e, slot="2c" if e.slot != "2c" else "3c")),
    "another commitment": ("jpoker", ev.Locked, lambda e: replace(e, commitment="00" * 32)),
    "another seed": ("jpoker", ev.Locked, lambda e: replace(e, seed="11" * 32)),
    "another seed revealed": ("jpoker", ev.HandEnded, lambda e: replace(e, seed="11" * 32)),
    "another draw number": ("jpoker", ev.JokerDrawn, lambda e: replace(e, draw=2)),
    "the meter taken up lower": ("progressive", ev.Locked, lambda e: replace(e, meter="24000")),
    "the meter grew by less": ("progressive", ev.MeterMoved, lambda e: replace(e, after="25000.10")),
    "a hit out of order": ("progressive", ev.JackpotHit, lambda e: replace(e, id=7)),
    "an award of more": ("progressive", ev.JackpotAwarded, lambda e: replace(e, prize=e.prize + 1)),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_of_the_table_is_found(jpoker: Path, progressive: Path, tmp_path: Path, name: str) -> None:
    game, kind, tell = LIES[name]
    told: list[int] = []

    def lie(record: Record) -> Any:
        first = isinstance(record.event, kind) and not told and (record.hand or 0) >= 1
        first = first and getattr(record.event, "before", "x") != ""
        told.extend([record.seq] if first else [])
        return tell(record.event) if first else record.event

    path = lab_journals.retold({"jpoker": jpoker, "progressive": progressive}[game], tmp_path / "lie", lie)
    ours, theirs = audit(path, registry(), None, CHECKS).findings, lab.audit(path)[1]
    assert theirs and ours
    assert told[0] in [finding.seq for finding in ours]
    assert theirs[0].first == told[0]


def test_a_journal_that_goes_on_from_another(tmp_path: Path) -> None:
    """Hands go on counting, the meter is taken up where the kept state has it; a false one is found by both."""
    old = lab_journals.progressive(tmp_path / "table")
    archiving.archived(old.parent)
    rig = Rig(setup=make_setup("oasis_ru", jackpot_stake=1, meter="25000", award_limit=100))
    rig.folder, rig.taint = old.parent, False
    rig.journal = open_journal(old.parent)
    rig._start(past.replay(rig.journal).table)
    rig.connect()
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10)
    rig.do(cm.SetStake(box=1, jackpot=1))
    rig.lay("As Kd 9c 6d 3h", b1=lab_journals.NOTHING).ok().finish()
    new = lab_journals.ended(rig)
    report = audit(new, registry(), None, CHECKS)
    assert report.findings == ()
    assert lab.audit(new)[1] == []
    assert (report.totals["first"], report.totals["last"]) == ("10001.80", "10002.50")
    first = next(row for row in lab.rows_of(new) if b'"type":"HandOpened"' in row[5])
    assert lab.parsed(first[5])["hand"] == 6  # type: ignore[index]
    done = CliRunner().invoke(audit_command, [str(new), "--archive"])
    assert done.exit_code == 0, done.output
    assert done.output.count("audit: OK") == 2
    listed = CliRunner().invoke(recall_command, ["--json", str(new)])
    assert [hand["hand"] for hand in json.loads(listed.output)["hands"]] == [7, 6, 5, 4, 3, 2, 1]
    journal = open_journal(old.parent)
    assert [summary.hand for summary in journal.summaries()] == [7, 6, 5, 4, 3, 2, 1]
    journal.close()
    found = CliRunner().invoke(find_command, [str(new), "--archive", "--hit", "--json"])
    assert json.loads(found.output)["hand"] == 2
    told = CliRunner().invoke(evidence_command, ["2", str(new), "--out", str(tmp_path / "pack")])
    assert told.exit_code == 0, told.output

    def lie(record: Record) -> Any:
        event = record.event
        return replace(event, state={**event.state, "meter": "9"}) if isinstance(event, StateKept) else event

    false = lab_journals.retold(new, tmp_path / "lie", lie)
    for first in (audit(false, registry(), None, CHECKS).findings[0].seq, lab.audit(false)[1][0].first):
        assert first > 3


def test_a_hand_left_out_at_the_seam_is_found(tmp_path: Path) -> None:
    path = lab_journals.jpoker(tmp_path / "table", 120)
    first = next(row[0] for row in lab.rows_of(path) if b'"type":"HandOpened"' in row[5])
    gone = lab_journals.retold(path, tmp_path / "gone", lambda r: r.event, without=1)  # type: ignore[arg-type, return-value]
    assert audit(gone, registry(), None, CHECKS).findings[0].seq == first
    assert lab.audit(gone)[1][0].first == first
