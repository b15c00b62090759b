"""Faults of a device as the bench's switches make them, and what the daemon does: restarts, swaps, thieves, busy pins.

One fault of docs/bench.md by its number each; the hand goes on, and every card of the record lay on the felt.
"""

from __future__ import annotations

import time

import pytest

from firmware_sim.demo_files import SHUFFLER
from firmware_sim.faults import Fault
from firmware_sim.shoe_unit import ShoeUnit
from firmware_sim.text_unit import code_table
from tests.hil.rig import Rig, Snapshot, devices_ready, table, until
from tests.hil.test_shoe_line import cards, dealt, finish, troubles

pytestmark = pytest.mark.hil

TRAY = '[tray]\nport = "tray"\ncodes = "codes.toml"\n\n[gpio]'


def stopped(rig: Rig, code: str) -> Snapshot:
    return rig.wait(lambda s: s["phase"] == "fault" and s["prompt"]["code"] == code)


def test_f9_a_shoe_that_restarts_when_its_port_is_opened_is_held_and_its_banner_is_no_card() -> None:
    """The daemon is restarted in mid-hand: silence for 2 s, a banner, a log that counts from 1 again."""
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.kill()
        rig.bench.inject(Fault.RESTART_ON_OPEN)
        openings = rig.bench.shoe.port.openings
        rig.start()
        assert cards(stopped(rig, "TC-0323")) == cards(before)
        assert rig.bench.shoe.port.openings == openings + 1, "opened once; no probe"
        assert {"noise", "log_restarted"} <= set(troubles(rig))
        rig.do("reset", "supervisor")
        finish(rig)


def test_f12_a_shuffler_at_the_shoes_port_is_named_and_deals_nothing() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.WRONG_DEVICE)
        assert cards(stopped(rig, "TC-0323")) == cards(before)
        rig.wait(devices_ready)
        rig.do("reset", "supervisor")
        finish(rig)
        said = [trouble["data"]["detail"] for trouble in rig.records("DeviceTroubled")]
        assert "wrong device: expected SHOE, got SHUFFLER" in said


def test_f12_two_devices_at_each_others_ports_tell_no_card() -> None:
    with Rig(seed=4, changes={"[gpio]": TRAY}) as rig:
        (rig.folder / "codes.toml").write_text(code_table(), "utf-8")
        rig.start()
        rig.open_table()
        before = dealt(4, rig)
        rig.bench.inject(Fault.PORTS_SWAPPED)
        rig.wait(lambda s: s["devices"]["shoe"] == "absent")
        rig.bench.tray.card("As")  # its code comes in at the shoe's port
        rig.wait(devices_ready)
        assert cards(rig.now) == cards(before)
        finish(rig)
        assert rig.recall(1)["overrides"] == []
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_f16_a_reader_without_a_lock_steals_bytes_and_no_card_is_lost_or_invented() -> None:
    with table(seed=5) as rig:
        dealt(3, rig)
        rig.bench.inject(Fault.FOREIGN_READER)
        finish(rig)
        assert rig.bench.thief is not None and rig.bench.thief.taken > 0
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_f22_a_shoe_that_talks_into_an_echoing_port_loses_no_card() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        shoe = rig.bench.shoe
        rig.bench.inject(Fault.EARLY_FRAMES)
        rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0))
        rig.wait(lambda s: cards(s) == cards(before) + 1 and devices_ready(s))
        assert until(lambda: shoe.deal or rig.now["expects"]["kind"] != "card"), "the shoe serves as ever"
        assert isinstance(shoe, ShoeUnit) and shoe.device._link.noise > 0, "it has heard itself, zeros as ^@"
        finish(rig)
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_f6_f7_an_event_that_comes_again_as_another_card_is_a_fault_and_no_card() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.CHANGED_EVENT)
        held = rig.wait(lambda s: s["phase"] == "fault")
        assert (held["expects"]["cause"], cards(held)) == ("event_differs", cards(before))
        rig.do("void_hand", "supervisor", "witness", reason="shoe")
        rig.play_hands(2)
        assert rig.stop()[0] == 0
        rig.audit()


def test_f20_a_card_that_the_shoe_has_forgotten_is_an_unknown_place() -> None:
    with table(seed=4) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.EVENTS_LOST)
        rig.bench.draw_card(before["expects"]["place"], before["expects"].get("box", 0))
        held = rig.wait(lambda s: s["phase"] == "fault")
        assert held["expects"]["cause"] == "cards_lost"
        rig.do("reset", "supervisor")
        assert cards(rig.wait(lambda s: s["phase"] == "dealing")) == cards(before) + 1
        finish(rig)


def downs(rig: Rig) -> list[str]:
    return [down["data"]["reason"] for down in rig.records("DeviceDown") if down["data"]["device"] == "shuffler"]


def test_f33_one_usb_error_of_each_number_is_told_by_it_and_the_shuffler_is_found_again() -> None:
    with Rig("oasis_ru", 3, {"[gpio]": SHUFFLER + "[gpio]"}) as rig:
        rig.start()
        bus = rig.bench.decks.unit.usb

        def ups() -> int:
            return sum(up["data"]["device"] == "shuffler" for up in rig.records("DeviceUp"))

        for fault, reasons in USB_ERRORS:
            assert until(lambda: ups() > len(downs(rig)))
            rig.bench.inject(fault)
            assert until(lambda: not bus.faults.read_errors)
            assert until(lambda: downs(rig) == reasons), (fault, downs(rig))  # noqa: B023
        rig.bench.inject(Fault.SHUFFLER_KERNEL)
        assert until(lambda: not bus.faults.kernel_driver), "sent away"
        assert until(lambda: ups() > len(downs(rig)))
        assert rig.stop()[0] == 0
        rig.audit()


GONE = "device gone"
USB_ERRORS = (
    (Fault.SHUFFLER_TIMEOUT, []),  # no news
    (Fault.SHUFFLER_IO, [GONE]),
    (Fault.SHUFFLER_GONE, [GONE, GONE]),
    (Fault.SHUFFLER_UNKNOWN, [GONE, GONE, "unknown USB fault: unplug the device and plug it in again"]),
)


def test_f43_pins_that_are_busy_for_three_seconds_delay_a_start() -> None:
    with Rig() as rig:
        rig.bench.inject(Fault.PINS_BUSY)
        began = time.monotonic()
        rig.start()
        assert rig.records("RunStarted")[0]["mono"] / 1e9 > began + 3.0, "it waited for them"
        assert rig.stderr == ""
        assert rig.stop()[0] == 0


def test_two_cards_that_leave_together_are_burned_and_counted_in_the_stub() -> None:
    with Rig(seed=4, changes={"[gpio]": "[decks]\nstub_count_hands = 1\n\n[gpio]"}) as rig:
        rig.start()
        rig.open_table()
        before = dealt(4, rig)
        rig.bench.inject(Fault.DOUBLE_FEED)
        held = rig.play_until(lambda s: s["phase"] == "irregular")
        assert (held["prompt"]["code"], held["call"]) == ("TC-0343", "double feed at the shoe")
        assert (len(rig.bench.world.loose), cards(held)) == (2, cards(before))
        rig.do("resume", "supervisor")
        counted = rig.play_until(lambda s: s["expects"]["kind"] == "stub")
        assert counted["expects"]["count"] == rig.bench.world.left, "what lies in the shoe"
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(1)


def test_a_shoe_that_jams_or_stands_open_says_why_and_goes_on_at_the_same_card() -> None:
    with table(seed=4) as rig:
        for fault, reason in ((Fault.SHOE_JAM, "jam"), (Fault.SHOE_LID, "lid_open")):
            before = dealt(4, rig)
            rig.bench.inject(fault)
            refused = rig.wait(lambda s: s["prompt"]["code"] == "TC-0861")
            assert (refused["troubles"]["shoe"]["refuses"], cards(refused)) == (reason, cards(before))
            again = rig.wait(lambda s: s["devices"]["shoe"] == "ready")
            assert (again["prompt"], cards(again)) == (before["prompt"], cards(before))
        finish(rig)
