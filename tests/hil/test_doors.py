"""The door's contact through the whole table, and the shoe's lid, which opens for every deck."""

from __future__ import annotations

import pytest

from firmware_sim.faults import Fault
from tests.hil.rig import Rig, last_hand, pause, until
from tests.hil.script import Script

pytestmark = pytest.mark.hil

STOP_NOW = {'enclosure = "finish_hand"': 'enclosure = "stop_now"'}


def test_the_door_stops_play_and_play_goes_on() -> None:
    with Rig("jpoker", changes=STOP_NOW) as rig:
        rig.start()
        rig.open_table()
        script = Script(rig)
        script.box_in(1)
        rig.bench.new_deck(1)
        script.start()
        script.card()
        before = rig.now["expects"]
        rig.bench.turn("DOOR", on=True)
        rig.wait(lambda s: s["prompt"]["code"] == "TC-0333")
        assert until(lambda: rig.bench.display.text()[0].startswith("DOOR OPEN"))
        rig.bench.turn("DOOR", on=False)
        rig.wait(lambda s: s["expects"] == before)
        assert [a["code"] for a in rig.now["alarms"]] == ["door_open"]
        rig.do("answer_alarm", "supervisor", alarm=rig.now["alarms"][0]["id"], reason="a fuse")
        rig.bench.dealer.enabled.set()
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()


def test_a_door_open_at_start_keeps_the_first_hand_from_beginning() -> None:
    with Rig("jpoker") as rig:
        rig.bench.turn("DOOR", on=True)
        rig.start()
        rig.open_table()
        rig.wait(lambda s: s["doors"] == {"enclosure": "open"})
        script = Script(rig)
        script.box_in(1)
        snap = script.key("START", lambda s: s["health"]["refused"] is not None)
        assert snap["health"]["refused"]["code"] == "TC-0555"
        rig.bench.turn("DOOR", on=False)
        rig.wait(lambda s: s["doors"] == {"enclosure": "was opened"})
        rig.bench.new_deck(1)
        script.start()


def test_a_door_contact_that_chatters_is_no_closed_door() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        for n in range(60):
            rig.bench.turn("DOOR", on=n % 2 == 0)
            pause(0.02)
        rig.wait(lambda s: s["doors"] == {"enclosure": "open"})
        assert "key DOOR" in [r["data"]["device"] for r in rig.records("DeviceTroubled")]
        rig.wait(lambda s: s["doors"] == {"enclosure": "was opened"})  # quiet, and closed


def test_a_door_that_was_open_in_mid_deal_changes_nothing_but_the_record() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        rig.open_table()
        rig.bench.plan_fault(Fault.DOOR_OPEN, 1)
        rig.play_hands(1)
        rig.wait(lambda s: s["doors"] != {"enclosure": "open"})
        assert [a["code"] for a in rig.now["alarms"]] == ["door_open"]
        assert [r["data"]["door"] for r in rig.records("DoorClosed") if r["data"]["door"] != "shoe"] == ["enclosure"]


def test_the_lid_opens_for_each_deck_without_an_alarm() -> None:
    with Rig("jpoker", seed=3) as rig:
        rig.start()
        rig.open_table()
        rig.play_until(lambda s: last_hand(s) >= 2)
        opened = [r["data"]["door"] for r in rig.records("DoorOpened")]
        assert opened
        assert set(opened) == {"shoe"}
        assert rig.records("AlarmRaised") == []
