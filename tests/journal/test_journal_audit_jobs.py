"""The audit in parts and processes: what is handed in sees every hand once, however many work at it."""

from __future__ import annotations

from pathlib import Path

import journal_samples as samples
import pytest

from controller.journal.auditing import Checks, Options
from controller.journal.hands import Finding, Hand
from controller.journal.recall import check_draw
from controller.journal.verify import audit


def test_checks_that_are_handed_in_see_opened_hands_in_parts_and_processes(tmp_path: Path) -> None:
    path = samples.journal_file(tmp_path / "journal.db", 12)
    seen: list[int] = []

    def look(hand: Hand) -> list[Finding]:
        seen.append(hand.number)
        assert [record.event for record in hand.records][1:] == samples.hand_events(hand.number)[1:]
        return []

    assert audit(path, samples.REGISTRY, None, Checks((look,))).ok
    assert seen == list(range(1, 13))
    assert audit(path, samples.REGISTRY, Options(from_hand=9), Checks((look,))).hands == 4
    assert seen[12:] == [9, 10, 11, 12]


def _complain(hand: Hand) -> list[Finding]:
    return [Finding(hand.records[0].seq, "test", f"hand {hand.number}", hand.number)] if hand.number % 5 == 0 else []


def test_jobs_find_what_one_process_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.journal.auditing.PART_ROWS", 10)
    path = samples.journal_file(tmp_path / "journal.db", 12)
    one = audit(path, samples.REGISTRY, Options(jobs=1), Checks((check_draw, _complain)))
    two = audit(path, samples.REGISTRY, Options(jobs=2), Checks((check_draw, _complain)))
    assert one == two
    assert [finding.hand for finding in one.findings] == [5, 10]
    samples.tamper(path, [("UPDATE journal SET version = 9 WHERE seq = 90", ())])  # begun hands no longer count
    broken = [audit(path, samples.REGISTRY, Options(jobs=jobs), Checks((_complain,))) for jobs in (1, 2)]
    assert broken[0] == broken[1]
    assert [finding.code for finding in broken[0].findings] == ["chain"]
