"""The journal takes no write for a while: nothing is acknowledged or shown; when it takes one, play goes on (F64)."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.hil.rig import Rig, Snapshot, table, until

pytestmark = pytest.mark.hil


@contextlib.contextmanager
def stuck(rig: Rig) -> Iterator[None]:
    """Another program holds the file's write lock."""
    with contextlib.closing(sqlite3.connect(rig.journal, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("ROLLBACK")


def frozen(snap: Snapshot) -> bool:
    return not snap["health"]["recording"]


def count(snap: Snapshot) -> int:
    return sum(len(box["cards"]) for box in snap["boxes"]) + len(snap["dealer"]["cards"])


def test_a_card_that_cannot_be_recorded_is_neither_shown_nor_lost() -> None:
    with table(seed=3) as rig:
        rig.play_hands(1)
        before = rig.play_until(lambda s: s["phase"] == "dealing" and count(s) == 3)
        expects = before["expects"]
        with stuck(rig):
            recall = rig.tablectl("recall", "1", "--config", str(rig.config), "--as", "supervisor", pins=["2222"])
            assert recall.stderr.startswith("TC-0210 NOT RECORDING")  # who looks is on record, or does not look
            assert recall.stdout == ""
            assert until(lambda: rig.bench.draw_card(expects["place"], expects.get("box", 0)))
            assert count(rig.wait(frozen)) == 3
        after = rig.wait(lambda s: not frozen(s) and count(s) == 4)
        assert after["phase"] == "dealing"
        rig.play_hands(2)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        assert rig.stderr == ""
        rig.audit()
        rig.felt_agrees(2)


def test_a_stop_that_cannot_be_recorded_says_so() -> None:
    with table(seed=3) as rig:
        before = rig.play_until(lambda s: s["phase"] == "decisions")
        with stuck(rig):
            code, _ = rig.stop()
        assert code == 3
        assert rig.stderr.startswith("TC-0210 NOT RECORDING")
        assert len(rig.stderr.splitlines()) == 1
        assert rig.bench.display.text()[1].strip() == "OUT OF SERVICE"
        after = rig.start()
        assert (after["phase"], after["expects"]) == ("decisions", before["expects"])
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()
