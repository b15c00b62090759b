"""Early words before a write fails: a disk that fills up, a pinned reader, a slow disk (F65, F66, M13)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import ClassVar

import journal_samples as samples
import pytest

from controller.journal import durable as durables
from controller.journal.copies import one_file
from controller.journal.durable import Durable
from controller.journal.records import Row
from controller.journal.space import Space, space_of
from controller.journal.store import Store

GB = 1 << 30


@pytest.mark.parametrize(
    ("total", "free", "low", "full"),
    [
        (16 * GB, 4 * GB, False, False),
        (16 * GB, GB // 2, True, False),
        (16 * GB, GB // 10, True, True),
        (1000 * GB, 8 * GB, False, False),  # 99 % used, and room for years
        (1000 * GB, GB, True, False),
        (1000 * GB, GB // 5, True, True),
    ],
)
def test_95_percent_warns_and_99_percent_holds_the_next_hand(total: int, free: int, low: bool, full: bool) -> None:
    space = Space(total, free)
    assert (space.low, space.full) == (low, full)


def test_no_new_hand_on_a_full_disk_and_the_warning_comes_well_before(tmp_path: Path) -> None:
    samples.new(tmp_path / "journal.db").close()
    left = {"free": 4 * GB}
    durable = Durable(one_file(Store.open(tmp_path / "journal.db")), lambda _: Space(16 * GB, left["free"]))
    assert (durable.lacking(), durable.warnings()) == ("", {})
    left["free"] = 700 << 20
    assert durable.lacking() == ""
    assert durable.warnings() == {"disk_low": "the journal's disk is 95 % full (700 MB free)"}
    left["free"] = 100 << 20
    assert durable.lacking() == "disk: 99 % full"
    durable.close()
    assert space_of(tmp_path).total > space_of(tmp_path).free > 0
    assert space_of(tmp_path / "nowhere") == Space(0, 0)


def test_a_reader_that_never_finishes_is_told_with_the_size(tmp_path: Path) -> None:
    """F66: 20,000 records beside an open cursor."""
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    journal.append([samples.RunStarted()] * 10, hand=None, stamp=samples.stamp())
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    cursor = reader.execute("SELECT seq FROM journal, (SELECT 1 UNION SELECT 2)")
    cursor.fetchone()
    for _ in range(40):
        journal.append([samples.BoxVoided(box=1, reason="x" * 600)] * 500, hand=None, stamp=samples.stamp())
    told = journal.warnings()["reader_pinned"]
    assert told.startswith("WAL ")
    assert "MB, reader pinned" in told
    cursor.close()
    reader.close()
    journal.append([samples.BoxVoided(box=1, reason="x")] * 500, hand=None, stamp=samples.stamp())
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    assert "reader_pinned" not in journal.warnings()
    journal.close()


class Slow(Store):
    """Its next fsync takes three seconds of the test's clock."""

    clock: ClassVar[list[float]] = [0.0]

    def append(self, rows: list[Row]) -> None:  # type: ignore[override]
        super().append(rows)
        self.clock[0] += 3.0


def test_a_slow_fsync_is_told_for_a_while(tmp_path: Path) -> None:
    samples.new(tmp_path / "journal.db").close()
    Slow.clock[0] = 100.0
    durable = Durable(one_file(Slow.open(tmp_path / "journal.db")), clock_s=lambda: Slow.clock[0])
    other = samples.new(tmp_path / "other.db")
    row = other.append([samples.RunStarted()], hand=None, stamp=samples.stamp())[0]
    durable.append([next(r for r in other._store.rows() if r.seq == row.seq)])
    assert durable.warnings()["disk_slow"] == "the journal's disk took 3.0 s for a record"
    Slow.clock[0] += durables.SLOW_TOLD_S
    assert durable.warnings() == {}
    durable.close()
    other.close()
