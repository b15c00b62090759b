"""A table with a shoe and a shuffler on USB: the real daemon, pyusb and a simulated bus; two decks in turn."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest

from firmware_sim.deck_desk import place_of
from firmware_sim.demo_files import SHUFFLER
from firmware_sim.faults import Fault
from tests.hil.rig import Rig, Snapshot, devices_ready, last_hand, pause

pytestmark = pytest.mark.hil


def counts(snap: Snapshot) -> bool:
    return devices_ready(snap) and snap["devices"].get("shuffler") == "ready"


@contextlib.contextmanager
def table(seed: int = 3, more: str = "") -> Iterator[Rig]:
    """Opened, with two decks that a supervisor has brought. `more`: further keys of the shuffler's section."""
    with Rig("oasis_ru", seed, {"[gpio]": f"{SHUFFLER.rstrip()}\n{more}\n\n[gpio]"}) as rig:
        rig.spawn()
        rig.wait(counts)
        rig.do("open_table", "dealer", "supervisor")
        rig.wait_for_keys()
        for mark in ("R-1041", "B-2207"):
            rig.do("deck", "supervisor", deck=mark)
        yield rig


def data(rig: Rig, kind: str) -> list[dict[str, Any]]:
    return [record["data"] for record in rig.records(kind)]


def finish(rig: Rig) -> None:
    assert rig.stop()[0] == 0
    rig.audit()
    assert rig.stderr == ""


def test_decks_are_counted_and_take_turns() -> None:
    with table() as rig:
        rig.play_hands(3)
        finish(rig)
        assert data(rig, "RunStarted")[0]["hardware"]["usb_backend"] == "firmware_sim"
        taken = [(one["deck"], one["source"]) for one in data(rig, "DeckTaken")]
        assert taken[:3] == [("R-1041", "shuffler"), ("B-2207", "shuffler"), ("R-1041", "shuffler")]
        verified = data(rig, "DeckVerified")
        assert {(one["count"], one["serial"], one["sealed"], one["dealer"]) for one in verified} == {
            (52, "SIM-0002", True, "dealer")
        }


def test_a_shuffler_that_only_counts_serves_and_is_known_for_what_it_is() -> None:
    with table(more="inspects = false") as rig:
        rig.bench.inject(Fault.SHUFFLER_BLIND)
        rig.play_hands(1)
        assert [one for one in rig.now["health"]["warnings"] if "only counts" in one]
        rig.bench.inject(Fault.DECK_SHORT)  # to the deck that goes in next
        rig.play_hands(2)
        finish(rig)
        assert {one["source"] for one in data(rig, "DeckTaken")} == {"shuffler"}
        assert {(one["count"], one["inspected"]) for one in data(rig, "DeckVerified")} == {(52, False)}
        assert [one["reason"] for one in data(rig, "DeckQuarantined")] == ["wrong_count"]


def test_f24_the_shuffler_is_gone_for_a_while_and_nobody_minds() -> None:
    with table() as rig:
        assert rig.child is not None
        pid = rig.child.pid
        rig.play_until(lambda s: s["phase"] == "dealing" and s["expects"]["kind"] == "card")
        rig.bench.decks.unplug()
        rig.wait(lambda s: s["devices"]["shuffler"] == "absent")
        after = rig.play_until(lambda s: last_hand(s) == 1)  # the hand goes on to its end
        assert after["last_hand"]["outcome"] == "settled"
        pause(2.0)  # away for longer than any back-off
        assert rig.now["prompt"]["code"] in ("TC-0848", "TC-0846", "TC-0803", "TC-0804")
        rig.bench.decks.unit.plug()
        plugged = time.monotonic()
        rig.wait(counts)
        assert time.monotonic() - plugged < 5
        rig.play_hands(3)
        assert rig.child.pid == pid
        assert rig.child.poll() is None
        finish(rig)
        assert {one["source"] for one in data(rig, "DeckTaken")} == {"shuffler"}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(Fault.DECK_SHORT, "wrong_count"), (Fault.DECK_DOUBLE, "card_twice"), (Fault.DECK_WRONG, "wrong_deck")],
)
def test_r7_a_wrong_deck_is_out_of_play_and_another_is_brought(fault: Fault, reason: str) -> None:
    with table() as rig:
        rig.bench.inject(fault)  # to the deck that goes in first
        rig.play_hands(2)
        snap = rig.now
        finish(rig)
        [out] = data(rig, "DeckQuarantined")
        assert out["reason"] == reason
        assert place_of(snap, out["deck"]) == "quarantined"
        assert out["deck"] not in {one["deck"] for one in data(rig, "DeckTaken")}


@pytest.mark.parametrize(
    "fault",
    [
        Fault.SHUFFLER_STALL,
        Fault.SHUFFLER_DEAF,
        Fault.SHUFFLER_RENUMBER,
        Fault.SHUFFLER_RESTART,
        Fault.SHUFFLER_FORGETS,
        Fault.SHUFFLER_NO_ACCESS,
    ],
)
def test_faults_of_the_bus_cost_no_hand(fault: Fault) -> None:
    with table() as rig:
        rig.play_until(lambda s: s["phase"] == "dealing")
        rig.bench.inject(fault)
        rig.play_hands(2)
        rig.wait(counts)
        finish(rig)
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_f29_a_frame_that_breaks_off_costs_no_hand_and_is_on_record() -> None:
    """The shuffler serves on, marked as one that misbehaved."""
    with table() as rig:
        rig.play_until(lambda s: s["phase"] == "dealing")
        rig.bench.inject(Fault.SHUFFLER_SHORT)
        rig.play_hands(2)
        assert rig.now["devices"]["shuffler"] in ("ready", "degraded")
        finish(rig)
        troubles = {one["code"] for one in data(rig, "DeviceTroubled") if one["device"] == "shuffler"}
        assert troubles and troubles <= {"truncated", "noise", "protocol"}
        assert "FaultRaised" not in [record["type"] for record in rig.records()]


def test_killed_in_the_middle_of_a_shuffle_the_table_finds_its_decks() -> None:
    with table() as rig:
        rig.play_until(lambda s: place_of(s, "R-1041") == "machine" or place_of(s, "R-1041") == "shuffling")
        rig.kill()
        rig.spawn()
        rig.wait(counts)
        rig.play_hands(1)
        finish(rig)
        started = [one["deck"] for one in data(rig, "ShufflerTold") if one["kind"] == "shuffle_started"]
        assert started.count("R-1041") == 1  # the order was not given twice


def test_a_backend_that_nobody_brings_is_one_line() -> None:
    with Rig("oasis_ru", 3, {"[gpio]": SHUFFLER.replace("firmware_sim", "nobody") + "[gpio]"}) as rig:
        assert rig.spawn().wait(15) == 4
        assert rig.stderr.startswith("TC-0339 no USB backend is called nobody: shuffler.usb_backend: ")
