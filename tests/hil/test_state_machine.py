"""The state machine from outside: answers come after the act, records in the order of causes (F56, F57, F60, F81)."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from controller.control.client import Client
from controller.errors import TableError
from firmware_sim.demo_files import PINS
from tests.hil.rig import Rig, Snapshot, last_hand, table, until
from tests.hil.test_not_recording import stuck

pytestmark = pytest.mark.hil


def dealing(snap: Snapshot, cards: int) -> bool:
    lie = sum(len(box["cards"]) for box in snap["boxes"]) + len(snap["dealer"]["cards"])
    return bool(snap["phase"] == "dealing" and lie == cards)


def void(rig: Rig, snap: Snapshot) -> Any:
    """The supervisor's void of the hand that he sees."""
    with Client(rig.folder / "control.sock") as client:
        people = [("supervisor", PINS["supervisor"])]
        return client.do("void_hand", {"reason": "test"}, hand=snap["hand"], version=snap["version"], identities=people)


def test_f56_an_answer_tells_the_state_after_the_act_or_that_it_was_refused() -> None:
    with table(seed=3) as rig:
        snap = rig.play_until(lambda s: dealing(s, 3))
        with stuck(rig), pytest.raises(TableError) as refused:  # the loop is busy with the disk for a second
            void(rig, snap)
        assert refused.value.code == "TC-0548"
        rig.wait(lambda s: s["health"]["recording"])
        now = rig.now
        assert (now["hand"], now["phase"]) == (snap["hand"], "dealing")
        with pytest.raises(TableError) as stale:
            void(rig, {**snap, "version": snap["version"] - 1})
        assert stale.value.code == "TC-0502"
        answer = void(rig, rig.now)
        assert "HandEnded" in answer.outcome["done"]
        assert answer.version > snap["version"]
        rig.wait(lambda s: s["version"] >= answer.version)  # the answer may be here before the snapshot
        assert rig.now["last_hand"]["outcome"] == "void"
        rig.play_hands(snap["hand"] + 1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()


def test_f57_a_card_stands_before_what_it_opens() -> None:
    """The last card of the deal, then the phase that it opens; a turned box, then its settlement; nothing overtakes."""
    with table("oasis_ru", seed=3) as rig:
        rig.play_hands(1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        kinds = [(record["type"], record["data"]) for record in rig.records() if record["hand"] == 1]
        names = [name for name, _ in kinds]
        opened = {data["phase"]: at for at, (name, data) in enumerate(kinds) if name == "PhaseEntered"}
        deal = [
            at for at, (name, data) in enumerate(kinds) if name == "CardDealt" and data["place"] in ("box", "dealer")
        ]
        assert max(deal) < opened["decisions"] < opened["reveal"] < opened["settling"]
        assert names[opened["decisions"] - 1] in ("CardDealt", "OpenCardShown")
        for box in {data["box"] for name, data in kinds if name == "BoxTurned"}:
            order = [
                name
                for name, data in kinds
                if data.get("box") == box and name in ("BoxTurned", "BoxSettled", "BoxPaid")
            ]
            assert order == sorted(order, key=["BoxTurned", "BoxSettled", "BoxPaid"].index)
        assert names[-1] == "HandEnded"


def test_f60_a_client_that_hangs_up_in_mid_request_leaves_all_of_it_or_nothing() -> None:
    with table(seed=3) as rig:
        snap = rig.play_until(lambda s: dealing(s, 3))
        people = [{"operator": "supervisor", "pin": PINS["supervisor"]}]
        act = {"name": "void_hand", "args": {"reason": "test"}, "hand": snap["hand"], "version": snap["version"]}
        line = {"op": "do", **act, "as": people}
        for cut in (40, None):  # half a request, then a whole one whose sender does not wait
            with socket.socket(socket.AF_UNIX) as sock:
                sock.connect(str(rig.folder / "control.sock"))
                sock.sendall((json.dumps(line) + "\n").encode()[:cut])
        assert until(lambda: rig.now["hand"] > snap["hand"] or dealing(rig.now, 3))
        records = rig.records()  # once: the request may be served between two looks
        voided = [r for r in records if r["type"] == "HandEnded" and r["data"]["outcome"] == "void"]
        said = [r for r in records if r["type"] == "Authorised" and r["data"]["command"] == "void_hand"]
        assert len(voided) == len(said) <= 1
        after = max(last_hand(rig.now), snap["hand"]) + 1
        rig.play_hands(after)  # the next card is taken, whatever became of it
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()


def test_f81_a_full_log_disk_is_named_and_the_hand_is_played_and_recorded() -> None:
    with table(seed=3, changes={'file = "tabled.log"': 'file = "/dev/full"'}) as rig:
        told = rig.wait(lambda s: any("log folder" in warning for warning in s["health"]["warnings"]))
        assert "log folder /dev: No space left on device" in told["health"]["warnings"]
        rig.play_hands(1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(1)
