"""`tablectl archive` between two runs of a whole table: hands count on, and the past is told from the archived file."""

from __future__ import annotations

import json

import pytest

from tests.hil.commands import tablectl_here
from tests.hil.rig import table

pytestmark = pytest.mark.hil


def test_archived_between_two_runs() -> None:
    with table(seed=3) as rig:
        held = tablectl_here("archive", "--config", str(rig.config))
        assert (held.returncode, held.stderr[:7]) == (5, "TC-0206")
        rig.play_hands(1)
        rig.bench.new_deck(99)
        rig.do("close_table", "supervisor")
        told = rig.recall(1)
        assert rig.stop()[0] == 0
        done = json.loads(tablectl_here("archive", "--config", str(rig.config), "--json").stdout)
        assert (done["file"], done["first_hand"], done["last_hand"]) == ("journal-000001-000002.db", 1, 2)
        rig.start()
        rig.open_table()
        assert rig.now["hand"] == 3
        asked = rig.tablectl("recall", "1", "--json", "--config", str(rig.config), "--as", "supervisor", pins=["2222"])
        assert json.loads(asked.stdout)["draw"] == told["draw"]
        assert rig.recall(1) == told  # from the files, without the daemon
        assert rig.stop()[0] == 0
        both = tablectl_here("audit", str(rig.journal), "--archive")
        assert (both.returncode, both.stderr) == (0, "")
        assert both.stdout.splitlines()[-1].startswith("journal-000001-000002.db: audit: OK 2 hands")


def test_archived_by_itself_at_a_start() -> None:
    with table(seed=3, changes={'path = "journal.db"': 'path = "journal.db"\narchive_hands = 2'}) as rig:
        rig.play_hands(1)
        rig.bench.new_deck(99)
        rig.do("close_table", "supervisor")
        assert rig.stop()[0] == 0
        rig.start()
        assert [record["type"] for record in rig.records()[1:4]] == ["Continues", "StateKept", "RunEnded"]
        rig.open_table()
        assert rig.now["hand"] == 3
        assert rig.stop()[0] == 0
        assert rig.recall(1)["outcome"] == "settled"
