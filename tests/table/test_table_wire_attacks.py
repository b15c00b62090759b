"""Somebody on the shoe's wire, or another shoe on it, against the daemon's loop: none accepted, each on record by name.

tests/sim/test_attacks.py shows the same at the driver; here the journal, the hand and the people are real too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import S1
from loop_rig import KEY, Frames, LoopRig

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.phases import Phase
from controller.domain.state import Cause
from drivers.wire import messages as m
from drivers.wire.framing import decode_frame, encode_frame
from drivers.wire.link import Link, Side
from firmware_sim.event_log import EventLog
from firmware_sim.shoe import ShoeDevice

OTHER = bytes(range(1, 33))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[LoopRig]:
    """Three cards of a hand are dealt."""
    rig = LoopRig(tmp_path)
    rig.open().stake(b1=10, b2=10).lock()
    rig.pass_ms(300)
    for _ in range(3):
        rig.card()
    assert (rig.phase, rig.codes(), rig.on_record()) == (Phase.DEALING, [], rig.drawn)
    yield rig
    rig.memory.close()
    rig.close()


def events_in(seen: Frames) -> Frames:
    """Frames that carry events; their type stands open in the header."""
    contents = [(frame, decode_frame(frame[:-1])) for frame in seen]
    return [frame for frame, content in contents if isinstance(content, bytes) and content[2] == m.Event.TYPE]


def inject(rig: LoopRig) -> None:
    """A card sealed by nobody."""
    rig.to_host(encode_frame(bytes([1, 1, m.Event.TYPE, 0]) + (900).to_bytes(8, "little") + bytes(26)))


def replay(rig: LoopRig) -> None:
    for frame in events_in(rig.wire.seen_by_host):
        rig.to_host(frame)


def hold_back(rig: LoopRig) -> None:
    held: Frames = []
    rig.wire.for_host = lambda sent: held.extend(sent) or []  # type: ignore[func-returns-value]
    rig.draw()
    rig.pass_ms(1300)
    rig.wire.heal()
    card = held.index(events_in(held)[0]) + 1
    for frame in held[:card]:
        rig.to_host(frame)
    assert rig.on_record() == rig.drawn[:-1], "too old to be believed: it comes again"
    for frame in held[card:]:
        rig.to_host(frame)


def reorder(rig: LoopRig) -> None:
    """Two frames change places, again and again."""
    late: Frames = []

    def swapped(sent: Frames) -> Frames:
        if not sent:
            return []
        now, late[:] = [*sent, *late], []
        if len(now) < 2:
            late[:] = now
            return []
        return now[::-1]

    rig.wire.for_host = swapped
    rig.draw()
    rig.pass_ms(1500)
    rig.wire.heal()
    rig.pass_ms(1000)


def older_session(rig: LoopRig) -> None:
    recorded = events_in(rig.wire.seen_by_host)
    rig.plug(rig.shoe)
    rig.draw()
    rig.pass_ms(100)
    for frame in recorded:
        rig.to_host(frame)


@pytest.mark.parametrize(
    ("attack", "code"),
    [
        (inject, "forged"),
        (replay, "replayed"),
        (hold_back, "held_back"),
        (reorder, "replayed"),
        (older_session, "old_session"),
    ],
)
def test_frames_on_the_wire_change_nothing_and_are_on_record(
    rig: LoopRig, attack: Callable[[LoopRig], None], code: str
) -> None:
    attack(rig)
    rig.pass_ms(1500)
    assert rig.on_record() == rig.drawn, "every card once, in order, and no other"
    assert code in rig.codes() and set(rig.codes()) <= {code, "silent"}
    assert rig.events(ev.FaultRaised) == []
    rig.finish()
    assert rig.on_record() == rig.drawn


def in_clear(folder: Path) -> ShoeDevice:
    """Everything is copied but the key: it talks as a shoe that was never paired."""
    return ShoeDevice(EventLog(folder / "other"))


def our_key(folder: Path) -> ShoeDevice:
    """It proves our key; its serial number is another."""
    return ShoeDevice(EventLog(folder / "other"), "SIM-0009", key=KEY)


def another_key(folder: Path) -> ShoeDevice:
    return ShoeDevice(EventLog(folder / "other"), key=OTHER)


@pytest.mark.parametrize(
    ("make", "code", "cause"),
    [
        (in_clear, "downgrade", Cause.SHOE),
        (our_key, "device_changed", Cause.DEVICE_CHANGED),
        (another_key, "wrong_key", Cause.SHOE),
    ],
)
def test_another_shoe_in_mid_hand_stops_it_and_deals_nothing(
    rig: LoopRig, tmp_path: Path, make: Callable[[Path], ShoeDevice], code: str, cause: Cause
) -> None:
    other = make(tmp_path)
    for card in ("Ah", "Ad", "Ac", "As", "Kh", "Kd", "Kc", "Ks"):  # its numbers go on where ours stand
        other.card(card, rig.now_ns)
    rig.plug(other)
    rig.pass_ms(7000)
    assert code in rig.codes()
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, cause)
    assert rig.on_record() == rig.drawn and not other.deal and other.acked == 0
    rig.plug(rig.paired)
    rig.do(cm.Reset(), S1)
    rig.pass_ms(1000)
    rig.finish()
    assert rig.on_record() == rig.drawn


def test_a_card_in_clear_put_between_the_sealed_ones_is_a_downgrade(rig: LoopRig) -> None:
    """The protocol cannot be talked down to frames without a seal: play stops, a supervisor looks at the line."""
    last = rig.table.shoe.last_event
    rig.to_host(Link(Side.DEVICE).send(m.Event(last + 1, m.EventKind.CARD, 51)))
    assert rig.codes() == ["downgrade"]
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.SHOE)
    assert rig.table.shoe.last_event == last
    rig.do(cm.Reset(), S1)
    rig.pass_ms(1000)
    rig.finish()
    assert rig.on_record() == rig.drawn
