"""Cards dealt by hand on a whole table: no shoe at all, and a shoe that dies in mid-hand (M17)."""

from __future__ import annotations

import pytest

from tests.hil.rig import Snapshot, devices_ready, last_hand, table

pytestmark = pytest.mark.hil

NO_SHOE = {'cards = "shoe"': 'cards = "at_turn"', '[shoe]\nport = "shoe"\nkey = "shoe.key"\n\n': ""}


def named(snap: Snapshot) -> int:
    """Cards of the dealer that lie open."""
    return sum(card != "back" for card in snap["dealer"]["cards"])


def test_a_table_without_a_shoe_plays_and_resumes() -> None:
    with table(seed=3, changes=NO_SHOE) as rig:
        rig.play_until(lambda s: s["expects"]["kind"] == "deal")
        rig.restart_same()
        rig.play_until(lambda s: s["phase"] == "reveal" and named(s) == 2)  # in the middle of his four
        rig.restart_same()
        rig.play_hands(1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(1)
        assert rig.records("CardDealt") == []
        assert [record["data"]["cards"] for record in rig.records("Locked")] == ["at_turn"]


def test_a_shoe_that_dies_in_mid_hand_and_serves_the_next() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "dealing" and len(s["dealer"]["cards"]) == 2)
        rig.bench.unplug_shoe()
        gone = rig.wait(lambda s: s["prompt"]["code"] == "TC-0823")
        assert "manual" in gone["allowed"]
        rig.do("manual", "supervisor", reason="shoe dead")
        by_hand = rig.wait(lambda s: s["expects"]["kind"] == "deal")
        assert by_hand["cards"] == "at_turn"
        rig.restart_same()
        rig.play_hands(1)
        assert rig.now["cards"] == "at_turn"
        rig.bench.replug_shoe()
        rig.wait(lambda s: s["devices"].get("shoe") == "ready" and devices_ready(s))
        rig.do("automatic", "supervisor")
        read = len(rig.records("CardDealt"))
        rig.play_until(lambda s: last_hand(s) == 1 and len(s["dealer"]["cards"]) == 1)
        assert len(rig.records("CardDealt")) > read
        rig.play_hands(2)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(1)
        rig.felt_agrees(2)
        said = [record["data"] for record in rig.records("Authorised")]
        assert [one["operators"] for one in said if one["command"] == "manual"] == [["supervisor"]]
