"""The shoe on a real pty: plugs pulled in mid-deal, noise, repeats, lost acknowledgements; cards that are wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from firmware_sim.faults import Fault
from firmware_sim.injection import on_the_felt
from tests.hil.rig import Rig, Snapshot, devices_ready, last_hand, pause, table, until

pytestmark = pytest.mark.hil


def cards(snap: Snapshot) -> int:
    return sum(len(b["cards"]) + len(b["drawn"]) for b in snap["boxes"]) + len(snap["dealer"]["cards"])


def dealt(count: int, rig: Rig) -> Snapshot:
    return rig.play_until(lambda s: s["phase"] == "dealing" and cards(s) >= count)


def finish(rig: Rig, hands: int = 1) -> None:
    """The hand goes on to its end, and the record is the felt's."""
    rig.play_hands(hands)
    rig.bench.new_deck(99)
    assert rig.stop()[0] == 0
    rig.audit()
    for hand in range(1, hands + 1):
        rig.felt_agrees(hand)


@pytest.mark.parametrize("seconds", [0.3, 3.0])
def test_the_plug_is_pulled_in_mid_deal(seconds: float) -> None:  # F14, F17, F24, F25
    with table(seed=3) as rig:
        before = dealt(4, rig)
        rig.bench.unplug_shoe(seconds)
        gone = rig.wait(lambda s: s["devices"]["shoe"] == "absent")
        assert gone["prompt"]["code"] == "TC-0823"
        assert (gone["phase"], cards(gone)) == ("dealing", cards(before))
        back = rig.wait(devices_ready)
        assert (back["phase"], cards(back), back["expects"]) == ("dealing", cards(before), before["expects"])
        finish(rig)
        assert len(rig.records("DeviceDown")) == 1  # the orderly end of the run is none
        (down,) = [line for line in map(json.loads, rig.log.splitlines()) if line["event"] == "device down"]
        assert (down["level"], down["device"]) == ("warning", "shoe")
        assert rig.recall(1)["overrides"] == []  # nobody had to do anything


def test_a_card_drawn_just_before_the_plug_comes_once() -> None:
    with table(seed=3) as rig:
        before = dealt(4, rig)
        rig.bench.shoe.lose_acks(1.5)  # the event is in the shoe's memory, and nothing says that it has arrived
        rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0))
        rig.bench.unplug_shoe(0.3)
        after = rig.wait(lambda s: cards(s) == cards(before) + 1 and devices_ready(s))
        assert after["phase"] == "dealing"
        finish(rig)


@pytest.mark.parametrize(
    "fault", [Fault.NOISE, Fault.DUPLICATE_FRAMES, Fault.SPLIT_FRAMES, Fault.LOST_ACK, Fault.SHOE_RESTART]
)
def test_a_bad_line_costs_no_card(fault: Fault) -> None:  # F1, F7, F8
    with table(seed=4) as rig:
        dealt(4, rig)
        rig.bench.inject(fault)
        finish(rig)
        assert "FaultRaised" not in [record["type"] for record in rig.records()]
        assert rig.stderr == ""


def troubles(rig: Rig) -> list[str]:
    return [record["data"]["code"] for record in rig.records("DeviceTroubled")]


def test_invented_cards_stop_the_hand_and_none_counts() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.FORGED_FRAMES)
        stopped = rig.wait(lambda s: s["phase"] == "fault")
        assert (stopped["prompt"]["code"], cards(stopped)) == ("TC-0323", cards(before))
        assert stopped["devices"]["shoe"] == "untrusted"
        rig.do("reset", "supervisor")
        rig.wait(devices_ready)
        finish(rig)
        assert {"forged", "tampered"} <= set(troubles(rig))


def test_a_swapped_shoe_deals_nothing_and_the_paired_one_goes_on() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.SHOE_SWAPPED)
        stopped = rig.wait(lambda s: s["phase"] == "fault")
        assert (stopped["prompt"]["code"], cards(stopped)) == ("TC-0323", cards(before))
        rig.wait(devices_ready)
        rig.do("reset", "supervisor")
        finish(rig)
        assert "wrong_key" in troubles(rig)
        ups = [up["data"] for up in rig.records("DeviceUp")]
        assert {up["serial"] for up in ups if up["device"] == "shoe"} == {"SIM-0001"}


def test_frames_played_again_are_on_record_and_cost_nothing() -> None:
    with table(seed=4) as rig:
        dealt(4, rig)
        rig.bench.inject(Fault.REPLAYED_FRAMES)
        assert until(lambda: "replayed" in troubles(rig))
        finish(rig)
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_frames_held_back_are_on_record_and_their_card_counts_once() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.HELD_FRAMES)
        rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0))
        assert until(lambda: "held_back" in troubles(rig))
        rig.wait(lambda s: cards(s) == cards(before) + 1 and devices_ready(s))
        finish(rig)
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_cards_drawn_while_the_daemon_is_away_are_fetched() -> None:  # F20
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.kill()
        drew = rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0))
        rig.start()
        rig.wait(lambda s: cards(s) == cards(before) + drew)  # the shoe is ready before its log has been read
        finish(rig)


def test_a_misread_card_stays_unknown_and_nobody_waits() -> None:
    with table(seed=3) as rig:
        snap = rig.play_until(lambda s: s["phase"] == "dealing" and s["expects"].get("place") == "box" and cards(s) > 3)
        box, index = snap["expects"]["box"], snap["expects"].get("index", 0)
        rig.bench.inject(Fault.UNREAD_CARD)
        after = rig.play_until(lambda s: cards(s) > cards(snap))
        assert after["boxes"][box - 1]["cards"][index] == "unknown"
        assert (after["phase"], after["expects"]["kind"]) == ("dealing", "card")
        finish(rig)


def test_an_open_card_that_is_not_read_is_entered_at_once() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: len(s["dealer"]["cards"]) == 4 and s["expects"].get("place") == "dealer")
        rig.bench.inject(Fault.UNREAD_CARD)
        asked = rig.play_until(lambda s: s["expects"]["kind"] == "entry")
        assert asked["expects"]["place"] == "dealer"
        refused = rig.tablectl(
            "do", "enter_card", "card=Xx", "--config", str(rig.config), "--as", "supervisor", pins=["2222"]
        )
        assert refused.returncode != 0
        assert refused.stderr.startswith("TC-05")
        finish(rig)
        assert rig.recall(1)["request"]["dealer"]["cards"].split()[4] == rig.bench.felts[1].dealer[4]


def test_a_card_twice_is_a_deck_fault_without_a_name() -> None:
    with table(seed=3) as rig:
        before = dealt(4, rig)
        twice = on_the_felt(rig.bench)[0]
        rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0), card=twice)
        held = rig.wait(lambda s: s["phase"] == "irregular")
        assert held["expects"]["cause"] == "deck_fault"
        rig.do("void_hand", "dealer", "supervisor", reason="deck fault")
        void = rig.wait(lambda s: last_hand(s) == 1)
        assert void["last_hand"]["outcome"] == "void"
        assert void["expects"]["kind"] == "deck"  # this deck is not dealt any more
        rig.do("deck", "dealer", "supervisor", deck="blue-2")
        rig.play_hands(2)
        assert rig.stop()[0] == 0
        rig.audit()
        outside = rig.log + rig.stderr + json.dumps(held)
        assert f'"{twice}"' not in outside
        rig.bench.new_deck(99)
        rig.felt_agrees(2)


def test_a_card_too_many_is_burned_by_a_supervisor() -> None:
    with table(seed=3) as rig:
        dealt(4, rig)
        rig.bench.inject(Fault.EXTRA_CARD)
        held = rig.play_until(lambda s: s["phase"] == "irregular")
        assert held["expects"]["cause"] == "extra_card"
        rig.do("resume", "dealer", "supervisor")
        rig.wait(lambda s: s["phase"] != "irregular")
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()
        assert len(rig.records("CardRefused")) == 1


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def test_twenty_plugs_leave_nothing_behind(record_property: pytest.RecordProperty) -> None:  # F14, F15  # type: ignore
    with table(seed=3) as rig:
        assert rig.child is not None
        pid = rig.child.pid
        before = descriptors(pid), threads(pid)
        for _ in range(20):
            rig.bench.unplug_shoe()
            rig.wait(lambda s: s["devices"]["shoe"] == "absent")
            rig.bench.replug_shoe()
            rig.wait(devices_ready)
        assert until(lambda: (descriptors(pid), threads(pid)) == before), (before, descriptors(pid), threads(pid))
        used = processor_s(pid)
        pause(2)
        idle = (processor_s(pid) - used) / 2
        rig.play_hands(2)
        resident = resident_mib(pid)
        record_property("idle_cpu", idle)
        record_property("rss_mib", resident)
        print(f"idle {idle:.1%} of a core, {resident:.1f} MiB resident, {before[0]} descriptors, {before[1]} threads")
        assert idle < 0.25
        assert resident < 64
        assert rig.stop()[0] == 0
        rig.audit()
