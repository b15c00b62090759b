"""Records appended by hash alone, without the table's key: no start counts them, and both auditors name the first."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import auditor as lab
import lab_journals
import pytest
from harness_parts import open_journal, registry

from controller.cli.audit import CHECKS
from controller.domain import events as ev
from controller.errors import TableError
from controller.journal import opening
from controller.journal.auditing import Options
from controller.journal.records import Stamp
from controller.journal.verify import audit
from controller.journal.witness import Seen, write
from controller.table import past

RUN = "deadbeef"
LIVE = Options(live=True)
STAMP = Stamp("2026-01-01T00:00:00+00:00", 1, "after")
Forged = tuple[str, int | None, dict[str, Any]]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab_journals.progressive(tmp_path_factory.mktemp("honest") / "table")


@pytest.fixture
def path(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(honest.parent, tmp_path / "table")) / honest.name


def meter(path: Path) -> tuple[str, str]:
    journal = open_journal(path.parent)
    table = past.replay(journal).table
    journal.close()
    return table.meter, table.reserve


def append(path: Path, *forged: Forged) -> int:
    """What a thief with the file and without the keys can do; the number of the first record that he adds."""
    file = sqlite3.connect(path, isolation_level=None)
    rows = file.execute("SELECT seq, body, hash FROM journal ORDER BY seq").fetchall()
    last, first, prev = json.loads(rows[-1][1]), rows[-1][0] + 1, rows[-1][2]
    started = next(body for body in (json.loads(row[1]) for row in rows) if body["type"] == "RunStarted")
    for seq, (kind, hand, data) in enumerate((("RunStarted", None, started["data"]), *forged), first):
        body = last | {"seq": seq, "type": kind, "v": 1, "data": data, "hand": hand, "sealed": None, "run": RUN}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(prev + text.encode()).digest()
        file.execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", (seq, "table", 1, prev, digest, text))
        prev = digest
    file.close()
    return int(first)


def correction(path: Path) -> Forged:
    before, reserve = meter(path)
    facts = {"before": before, "after": "99999", "reserve_before": reserve, "reserve": reserve}
    return "MeterCorrected", None, {**facts, "operators": ["s1", "s2"], "reason": "counted"}


def acts(path: Path) -> dict[str, Forged]:
    before, reserve = meter(path)
    return {
        "MeterCorrected": correction(path),
        "MeterMoved": ("MeterMoved", None, {"before": before, "after": "9", "reserve": reserve, "cause": "hand 4"}),
        "DisputeClosed": ("DisputeClosed", None, {"hand": 1, "box": 1, "recorded": 0, "paid": 900, "reason": "agreed"}),
        "CarriedReturned": ("CarriedReturned", None, {"box": 1, "ante": 500, "insurance": 0}),
    }


@pytest.mark.parametrize("kind", ["MeterCorrected", "MeterMoved", "DisputeClosed", "CarriedReturned"])
def test_no_start_counts_an_appended_act_and_both_auditors_name_it(kind: str, path: Path) -> None:
    seq = append(path, acts(path)[kind]) + 1
    with pytest.raises(TableError, match=f"record {seq} .{kind}. moves money and is not signed") as refused:
        open_journal(path.parent)
    assert (refused.value.code, refused.value.exit_code) == ("TC-0258", 3)
    first = audit(path, registry(), LIVE, CHECKS).first
    assert first is not None
    assert (first.seq, first.code) == (seq, "act")
    assert lab.audit(path, live=True)[1][0][:2] == (seq, seq)


def test_a_witness_that_saw_the_orderly_stop_does_not_let_it_pass(path: Path) -> None:
    forged = correction(path)
    journal = open_journal(path.parent)
    witness = path.with_name("witness.json")
    write(witness, Seen(journal.identity.journal_id.hex(), journal.seq, journal.head.hex()))
    journal.close()
    append(path, forged)
    with pytest.raises(TableError, match="is not signed") as refused:
        open_journal(path.parent, witness=witness)
    assert refused.value.code == "TC-0258"


def test_a_later_run_signs_nothing_for_an_earlier_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a table did that did not look: its next checkpoint stands behind the forged record. Found all the same."""
    seq = append(path, correction(path)) + 1
    with monkeypatch.context() as blind:
        blind.setattr(opening, "is_act", lambda *_: False)
        journal = open_journal(path.parent)
        journal.checkpoint(STAMP)
        journal.close()
    findings = audit(path, registry(), LIVE, CHECKS).findings
    assert (seq, "act") in [(finding.seq, finding.code) for finding in findings]
    assert seq in [finding.first for finding in lab.audit(path, live=True)[1]]


@pytest.mark.parametrize("spoilt", ["main", "mirror"])
def test_the_copy_without_it_repairs_the_other(spoilt: str, path: Path) -> None:
    forged, mirror = correction(path), path.with_name("mirror.db")
    before = meter(path)
    open_journal(path.parent, mirror=mirror).close()
    append(path if spoilt == "main" else mirror, forged)
    journal = open_journal(path.parent, mirror=mirror)
    done = journal.repaired[-1]  # behind the mirror's making, which no record has told yet
    assert (done.copy, "moves money" in done.why) == (spoilt, True)
    assert (past.replay(journal).table.meter, past.replay(journal).table.reserve) == before
    journal.close()


def test_what_the_table_itself_records_is_signed_in_the_same_transaction(path: Path) -> None:
    journal = open_journal(path.parent)
    table = past.replay(journal).table
    fixed = ev.MeterCorrected(
        before=table.meter, after="30000", reserve_before=table.reserve, reserve="7", operators=("s1", "s2"), reason="r"
    )
    records = journal.append([ev.CallRaised(reason="meter"), fixed], hand=None, stamp=STAMP)
    journal.close()
    assert [record.type for record in records] == ["CallRaised", "MeterCorrected", "Checkpoint"]
    assert meter(path) == ("30000", "7")
