"""Somebody on the shuffler's line: people are called, no deck is taken on its word, and none on one person's.

First with the troubles as the driver tells them, then with a sealed shuffler on a wire that somebody sits on.
"""

from __future__ import annotations

import contextlib
import queue
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from harness import D1, S1, S2, Rig, make_setup
from loop_rig import KEY, MS, LoopRig, Wire

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckRules, Waits
from controller.domain.hand.expects import Want
from controller.domain.phases import Health, Phase
from controller.domain.state import SHUFFLER
from controller.runtime.loop import Loop
from controller.runtime.parts import Line
from controller.runtime.shuffling import Shuffling
from controller.table import prompts
from drivers.pairing import Pairable
from drivers.shuffler import Shuffler
from drivers.wire import decks as wire_decks
from drivers.wire import messages as m
from drivers.wire.framing import encode_frame
from drivers.wire.link import Link, Side
from drivers.wire.session import HostSeal
from firmware_sim.event_log import EventLog
from firmware_sim.shuffler import ShufflerDevice, SimDeck

RED, BLUE = "R-1041", "B-2207"
WORDS = "line_distrusted"
ATTACKS = ["tampered", "unreadable_event", "wrong_key", "wrong_device", "downgrade"]


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """An open table between hands; both decks are known, none is counted."""
    rig = Rig(tmp_path, setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
    rig.connect("shoe", "board")
    rig.connect(SHUFFLER, serial="SH-7", log_last=0)
    rig.do(cm.OpenTable(), D1, S1)
    for mark in (RED, BLUE):
        rig.do(cm.Deck(deck=mark), S1)
    yield rig
    rig.close()


def attack(rig: Rig, code: str = "tampered") -> None:
    rig.device(cm.TroubleIn(device=SHUFFLER, code=code, detail="somebody is on the wire"))


def count_out(rig: Rig, mark: str = RED) -> None:
    """Into the machine, counted, and out of it."""
    for kind in ("deck_in", "shuffle_started", "shuffle_done", "deck_out"):
        rig.machine(kind, mark, count=52 if kind == "shuffle_done" else 0)


def number(rig: Rig) -> str:
    return prompts.prompt(rig.table, rig.want, rig.setup).code


@pytest.mark.parametrize("code", ATTACKS)
def test_an_attack_calls_people_once_and_has_its_own_prompt(rig: Rig, code: str) -> None:
    attack(rig, code)
    attack(rig, code)
    assert [(a.code, a.subject) for a in rig.table.alarms] == [(WORDS, SHUFFLER)]
    assert rig.table.alarms[0].detail == f"{code}: somebody is on the wire"
    assert [one.reason for one in rig.events(ev.CallRaised)] == [rig.table.call] == ["shuffler line"]
    assert (rig.want.kind, rig.want.cause, number(rig)) == (Want.SHUFFLE, Waits.DISTRUSTED, "TC-0862")
    assert len(rig.events(ev.DeviceTroubled)) == 2, "each is on record by name"


@pytest.mark.parametrize("code", ["forged", "replayed", "old_session", "held_back", "noise"])
def test_what_was_refused_once_is_on_record_and_calls_nobody(rig: Rig, code: str) -> None:
    attack(rig, code)
    assert (rig.table.alarms, rig.table.call) == ((), "")
    count_out(rig)
    assert rig.phase is Phase.BETTING


def test_meanwhile_no_deck_is_taken_and_none_is_vouched_for_by_one_person(rig: Rig) -> None:
    attack(rig)
    count_out(rig)
    assert (rig.phase, number(rig)) == (Phase.DECK_CHECK, "TC-0862")
    for one in (D1, S1):  # alone each of them only asks
        assert rig.do(cm.Deck(deck=BLUE), one).waiting
    assert rig.events(ev.DeckTaken) == []
    rig.do(cm.Deck(deck=BLUE), S1, S2)
    assert [(e.deck, e.source) for e in rig.events(ev.DeckTaken)] == [(BLUE, "supervisor")]
    assert rig.phase is Phase.BETTING and rig.table.alarms, "the line has not been looked at"


def test_two_people_answer_and_the_shuffler_serves_again(rig: Rig) -> None:
    attack(rig)
    assert rig.table.devices[SHUFFLER] is Health.UNTRUSTED
    rig.connect(SHUFFLER, serial="SH-7", log_last=0)  # introducing itself again does not help
    count_out(rig)
    answer = cm.AnswerAlarm(alarm=rig.table.alarms[0].id, reason="a box on the cable, taken away")
    assert rig.do(answer, S1).waiting, "not one person alone"
    rig.do(answer, S2)
    assert (rig.table.alarms, rig.table.call, rig.table.devices[SHUFFLER]) == ((), "", Health.READY)
    assert [(e.deck, e.source) for e in rig.events(ev.DeckTaken)] == [(RED, SHUFFLER)]
    attack(rig)
    assert len(rig.table.alarms) == 1, "the next attack is news"


def test_a_hand_that_is_played_goes_on_and_the_next_deck_waits(rig: Rig) -> None:
    count_out(rig)
    rig.stake(b1=10).lock()
    attack(rig, "wrong_key")
    assert (rig.phase, rig.table.call) == (Phase.DEALING, "shuffler line")
    rig.finish()
    count_out(rig, BLUE)
    assert (rig.phase, number(rig)) == (Phase.DECK_CHECK, "TC-0862")


# --- a wire that somebody sits on ------------------------------------------------------------------------------------


class Wired(LoopRig):
    """A sealed shuffler at the daemon's loop, in virtual time."""

    PORT = SHUFFLER

    def __init__(self, folder: Path) -> None:
        self.loop: Loop | None = None
        self.now_ns = 1000 * MS
        Rig.__init__(self, folder, setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
        chance = random.Random(7).randbytes
        self.wire, self.memory = Wire(), EventLog(folder / "shuffler-events")
        self.machine_here = ShufflerDevice(self.memory, key=KEY)
        seal = HostSeal(KEY, chance)
        driver = Shuffler(SHUFFLER, 0, seal=seal)
        self._line = Line(Pairable(driver, seal, chance), self.wire)
        parts = msgspec.structs.replace(self._parts(None), shuffling=Shuffling(driver))
        self.loop = Loop(parts, queue.Queue())
        self.connect("shoe", "board")
        self.plug(self.machine_here)
        self.do(cm.OpenTable(), D1, S1)
        for mark in (RED, BLUE):
            self.do(cm.Deck(deck=mark), S1)


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Wired]:
    rig = Wired(tmp_path)
    assert (rig.table.devices[SHUFFLER], rig.codes()) == (Health.READY, [])
    yield rig
    rig.memory.close()
    rig.close()


def counts(rig: Wired) -> list[str]:
    return [event.kind for event in rig.events(ev.ShufflerTold)]


def test_six_forged_counts_are_no_counts_and_an_alarm(wired: Wired) -> None:
    for n in range(6):
        wired.to_host(encode_frame(bytes([1, 1, m.Event.TYPE, 0]) + (900 + n).to_bytes(8, "little") + bytes(40)))
        wired.pass_ms(200)
    assert wired.codes() == ["forged", "tampered"] and counts(wired) == []
    assert (number(wired), wired.table.devices[SHUFFLER]) == ("TC-0862", Health.UNTRUSTED)
    wired.machine_here.put_in(SimDeck(RED), wired.now_ns)
    wired.pass_ms(2000)
    wired.machine_here.take_out(wired.now_ns)
    wired.pass_ms(500)
    assert wired.events(ev.DeckTaken) == [], "its own frames are heard, its deck waits for people"
    wired.do(cm.AnswerAlarm(alarm=1, reason="cable changed"), S1, S2)
    assert counts(wired) == ["deck_in", "shuffle_started", "shuffle_done", "deck_out"]
    assert [event.deck for event in wired.events(ev.DeckTaken)] == [RED]


def test_another_machine_in_its_place_is_told_as_what_it_is(wired: Wired, tmp_path: Path) -> None:
    with contextlib.closing(EventLog(tmp_path / "other-events")) as memory:
        other = ShufflerDevice(memory, key=bytes(range(1, 33)))
        other.put_in(SimDeck(RED), wired.now_ns)
        wired.plug(other)
        wired.pass_ms(3000)
        assert "wrong_key" in wired.codes() and counts(wired) == []
        assert (number(wired), other.acked) == ("TC-0862", 0)
        assert len(wired.table.alarms) == 1, "told once, as long as it is there"


def test_a_count_in_clear_between_the_sealed_ones_is_a_downgrade(wired: Wired) -> None:
    out = wire_decks.pack(m.EventKind.DECK_OUT, wire_decks.DeckReport(deck=RED))
    wired.to_host(Link(Side.DEVICE).send(m.Event(1, m.EventKind.DECK_OUT, 0, detail=out)))
    assert wired.codes() == ["downgrade"] and counts(wired) == []
    assert number(wired) == "TC-0862"
