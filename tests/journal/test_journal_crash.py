"""kill -9 in the middle of writing: what was acknowledged is there, what was not is whole or absent (F68)."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import journal_samples as samples
import pytest

from controller.journal.auditing import Options
from controller.journal.verify import audit
from tests.children import Child

WRITER = Path(__file__).with_name("crashing_writer.py")


def _killed(path: Path, after: int) -> list[tuple[int, str]]:
    """Runs the writer, kills it once so many records were acknowledged; everything that it had told."""
    command = [sys.executable, str(WRITER), str(path)]
    told: list[tuple[int, str]] = []
    with Child(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            told.append(_told(line))
            if len(told) == after:
                writer.kill()
        writer.wait()
    return told


def _told(line: str) -> tuple[int, str]:
    seq, digest = line.split()
    return int(seq), digest


@pytest.mark.slow
def test_killed_at_random_points_the_acknowledged_prefix_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    samples.new(path).close()
    dice = random.Random(68)
    acknowledged: dict[int, str] = {}
    for _ in range(25):
        acknowledged |= dict(_killed(path, dice.randrange(1, 60)))
        report = audit(path, samples.REGISTRY, Options(live=True))
        assert report.ok, report.findings
        assert report.seq >= max(acknowledged)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    stored = {seq: digest.hex() for seq, digest in connection.execute("SELECT seq, hash FROM journal")}
    connection.close()
    assert {seq: stored.get(seq) for seq in acknowledged} == acknowledged
    _hands_are_whole(path)


def _hands_are_whole(path: Path) -> None:
    journal = samples.reopen(path)
    hands = [record for record in journal.replay() if record.hand is not None]
    numbers = []
    for number, records in groupby(hands, lambda record: record.hand):
        events = [record.event for record in records]
        assert number is not None
        assert events == samples.hand_events(number)[: len(events)]
        numbers.append(number)
    assert numbers == list(range(1, len(numbers) + 1))
    journal.close()
