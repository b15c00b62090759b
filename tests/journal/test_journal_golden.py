"""Journals of earlier releases stay readable: audited, recalled, settled again. Add a folder for each release."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from controller import settle
from controller.cli.audit import CHECKS
from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.auditing import Options
from controller.journal.codec import Registry
from controller.journal.hands import read_hand
from controller.journal.reader import Reader
from controller.journal.recall import recall
from controller.journal.verify import audit

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("journal-*/*.db"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_an_older_journal_is_audited_and_settles_again(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    report = audit(copy, Registry(registry()), Options(), CHECKS, None)
    assert report.findings == ()
    assert report.hands >= 2
    with Reader(copy) as reader:
        for number in range(1, 3):
            hand, findings = read_hand(reader, Registry(registry()), number, str(copy))
            told = recall(hand)
            assert findings == []
            assert settle.run(told["request"]) == told["answer"]


def test_a_changed_record_is_neither_recalled_nor_verified(tmp_path: Path) -> None:
    copy = Path(shutil.copy(GOLDEN[0], tmp_path))
    with sqlite3.connect(copy) as base:
        base.execute("DROP TRIGGER journal_no_update")
        seq, body = base.execute("SELECT seq, body FROM journal WHERE body LIKE '%JokerShown%' LIMIT 1").fetchone()
        base.execute("UPDATE journal SET body = ? WHERE seq = ?", (body.replace('"by":"board"', '"by":"other"'), seq))
    base.close()
    with Reader(copy) as reader, pytest.raises(TableError) as caught:
        read_hand(reader, Registry(registry()), 1, str(copy))
    assert caught.value.exit_code == 3
    assert f"record {seq} was changed" in caught.value.line()
