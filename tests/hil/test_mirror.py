"""A whole table with a mirror: the main file stuck in mid-hand, or spoilt between two runs (F63, F64)."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from tests.hil.commands import tablectl_here
from tests.hil.rig import Rig, Snapshot, table, until
from tests.hil.test_not_recording import stuck

pytestmark = pytest.mark.hil

WITH_MIRROR = {'path = "journal.db"': 'path = "journal.db"\nmirror = "mirror.db"'}


def degraded(snap: Snapshot) -> str:
    return str(snap["health"]["journal"]["degraded"])


def bodies(path: object) -> list[bytes]:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return [row[0] for row in db.execute("select body from journal order by seq")]


def finish(rig: Rig, hands: int) -> None:
    rig.play_hands(hands)
    rig.bench.new_deck(99)
    assert rig.stop()[0] == 0
    rig.audit()
    rig.felt_agrees(hands)
    assert bodies(rig.journal) == bodies(rig.folder / "mirror.db")
    assert tablectl_here("audit", str(rig.folder / "mirror.db")).returncode == 0


def test_the_hand_goes_on_with_the_mirror_and_is_level_again() -> None:
    with table(seed=3, changes=WITH_MIRROR) as rig:
        rig.play_until(lambda s: s["phase"] == "dealing" and len(s["dealer"]["cards"]) == 2)
        with stuck(rig):
            after = rig.play_until(lambda s: s["phase"] == "decisions" and degraded(s) != "")
            assert degraded(after) == "main: another process holds the file"
            assert after["health"]["recording"]
        rig.wait(lambda s: not degraded(s))
        finish(rig, 1)


def test_killed_and_its_main_file_spoilt_it_starts_from_the_mirror() -> None:
    with table(seed=3, changes=WITH_MIRROR) as rig:
        rig.play_hands(1)
        before = rig.play_until(lambda s: s["phase"] == "decisions")
        assert until(lambda: bodies(rig.journal) == bodies(rig.folder / "mirror.db"))  # it follows a moment later
        rig.kill()
        data = rig.journal.read_bytes()
        rig.journal.write_bytes(data[: len(data) // 2])
        rig.journal.with_name("journal.db-wal").unlink()
        after = rig.start()
        assert (after["phase"], after["expects"], after["joker"]) == (
            before["phase"],
            before["expects"],
            before["joker"],
        )
        assert [r["data"]["copy"] for r in rig.records("JournalRepaired")][-1] == "main"
        assert (rig.folder / "journal.db.aside-1").stat().st_size == len(data) // 2
        finish(rig, 2)
