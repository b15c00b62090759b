"""Somebody sits on the wire between host and shoe: nothing of his is accepted, each act is on record as what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from lossy import KEY, MS, World

from drivers.events import DeviceFault, DeviceLost, DeviceReady
from drivers.session_state import State
from drivers.wire import messages as m
from drivers.wire.framing import decode_frame, encode_frame
from drivers.wire.link import Link, Side
from drivers.wire.session import DeviceSeal, HostSeal
from firmware_sim.event_log import EventLog
from firmware_sim.shoe import ShoeDevice

OTHER = bytes(range(1, 33))


class Wire(World):
    """A good line with a man in the middle, who sees every frame and may put others in its place."""

    def __init__(self, folder: Path) -> None:
        super().__init__(1, folder, sealed=True)
        self.to_device.heal(), self.to_host.heal()
        self.seen_by_host: list[bytes] = []
        self.seen_by_device: list[bytes] = []
        self.for_host: Callable[[list[bytes]], list[bytes]] = lambda frames: frames
        self.for_device: Callable[[list[bytes]], list[bytes]] = lambda frames: frames

    def step(self) -> None:
        self.now_ns += 10 * MS
        due = self.shoe.next_tick_ns
        if due is not None and due <= self.now_ns:
            self.hear(self.shoe.tick(self.now_ns))
        for frame in self.for_device(frames(self.shoe.outgoing())):
            self.seen_by_device.append(frame)
            self.device.receive(frame, self.now_ns)
        self.device.tick(self.now_ns)
        for frame in self.for_host(frames(self.device.outgoing())):
            self.seen_by_host.append(frame)
            self.hear(self.shoe.receive(frame, self.now_ns))

    def pass_ms(self, ms: int) -> None:
        for _ in range(ms // 10):
            self.step()

    def card(self, text: str) -> None:
        self.truth[self.device.card(text, self.now_ns)] = text

    def put_to_host(self, data: bytes) -> None:
        self.hear(self.shoe.receive(data, self.now_ns))

    def codes(self) -> list[str]:
        return [event.code for event in self.said if isinstance(event, DeviceFault)]

    def sound(self) -> None:
        """The session lives, and the journal is the shoe's own log."""
        sessions = sum(isinstance(event, DeviceReady) for event in self.said)
        self.card("Kd")
        self.pass_ms(1000)
        assert self.journal == self.truth
        assert self.shoe.state is State.READY and self.device.deal
        assert sum(isinstance(event, DeviceReady) for event in self.said) == sessions


def frames(data: bytes) -> list[bytes]:
    return [frame + b"\0" for frame in data.split(b"\0") if frame]


def of_type(seen: list[bytes], message_type: int) -> list[bytes]:
    """Frames by the type that stands open in their headers (a frame is one COBS run away from its content)."""
    contents = [(frame, decode_frame(frame[:-1])) for frame in seen]
    return [frame for frame, content in contents if isinstance(content, bytes) and content[2] == message_type]


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    wire = Wire(tmp_path)
    wire.pass_ms(500)
    assert wire.shoe.state is State.READY and wire.device.deal
    wire.card("As")
    wire.pass_ms(100)
    assert wire.journal == {1: "As"} and wire.codes() == []
    yield wire
    wire.log.close()


def test_an_invented_card_is_refused_sealed_and_in_clear(wire: Wire) -> None:
    wire.put_to_host(encode_frame(bytes([1, 1, 0x83, 0]) + (900).to_bytes(8, "little") + bytes(26)))
    wire.put_to_host(Link(Side.DEVICE).send(m.Event(2, m.EventKind.CARD, 51)))
    assert wire.codes() == ["forged", "downgrade"]
    assert wire.journal == {1: "As"}
    wire.sound()


def test_an_invented_command_does_nothing_and_gets_no_answer(wire: Wire) -> None:
    wire.shoe.enable_deal(False)
    wire.pass_ms(100)
    assert not wire.device.deal
    sealed = bytes([1, 1, 0x05, 0]) + (900).to_bytes(8, "little") + bytes(29)
    for command in (encode_frame(sealed), Link(Side.HOST).send(m.DealEnable(99, 1))):
        wire.device.receive(command, wire.now_ns)
        assert wire.device.outgoing() == b"" and not wire.device.deal
    wire.shoe.enable_deal(True)
    wire.pass_ms(100)
    wire.sound()


def test_a_recorded_card_played_again_is_a_replay(wire: Wire) -> None:
    for frame in of_type(wire.seen_by_host, m.Event.TYPE):
        wire.put_to_host(frame)
    assert wire.codes() == ["replayed"]
    wire.sound()


def test_a_recorded_deal_enable_opens_no_shoe(wire: Wire) -> None:
    [enable] = of_type(wire.seen_by_device, m.DealEnable.TYPE)
    wire.shoe.enable_deal(False)
    wire.pass_ms(100)
    wire.device.receive(enable, wire.now_ns)
    assert not wire.device.deal and wire.device.outgoing() == b""


def test_a_deal_enable_held_back_with_the_whole_line_opens_no_shoe(wire: Wire) -> None:
    """Nothing is replayed and nothing is out of order: only time tells."""
    wire.shoe.enable_deal(False)
    wire.pass_ms(100)
    held: list[bytes] = []
    wire.for_device = lambda sent: held.extend(sent) or []  # type: ignore[func-returns-value]
    wire.pass_ms(300)  # a poll goes first: taken as fresh, it would make the command after it good
    wire.shoe.enable_deal(True)
    wire.pass_ms(1300)
    for frame in held:
        wire.device.receive(frame, wire.now_ns)
        assert not wire.device.deal
    wire.for_device = lambda sent: sent
    wire.pass_ms(2500)
    assert {"silent", "held_back"} <= set(wire.codes())
    wire.sound()


def test_answers_held_back_are_named_and_their_events_come_again(wire: Wire) -> None:
    held: list[bytes] = []
    wire.for_host = lambda sent: held.extend(sent) or []  # type: ignore[func-returns-value]
    wire.pass_ms(100)
    wire.card("2c")
    wire.pass_ms(1200)
    assert wire.journal == {1: "As"}
    for frame in held:
        wire.put_to_host(frame)
    assert "held_back" in wire.codes()
    wire.for_host = lambda sent: sent
    wire.pass_ms(1500)
    wire.sound()


def test_frames_in_another_order_count_once_or_come_again(wire: Wire) -> None:
    wire.for_host = lambda sent: list(reversed(sent))
    for card in ("2c", "3c", "4c"):
        wire.card(card)
    wire.pass_ms(3000)
    assert "replayed" in wire.codes()
    wire.for_host = lambda sent: sent
    wire.pass_ms(1000)
    wire.sound()


def test_frames_of_an_older_session_are_named(wire: Wire) -> None:
    old = of_type(wire.seen_by_host, m.Event.TYPE)
    wire.hear(wire.shoe.closed("device gone", wire.now_ns))
    wire.hear(wire.shoe.opened(wire.now_ns))
    wire.pass_ms(500)
    wire.card("2c")
    wire.pass_ms(200)
    for frame in old:
        wire.put_to_host(frame)
    assert wire.codes() == ["old_session"]
    wire.sound()


def test_another_device_with_another_key_in_mid_hand(wire: Wire, tmp_path: Path) -> None:
    """A rigged shoe that copies model, serial number and firmware."""
    paired, other = wire.device, ShoeDevice(EventLog(tmp_path / "other"), key=OTHER)
    wire.device = other
    for card in ("Ah", "Ad"):
        other.card(card, wire.now_ns)
    wire.pass_ms(7000)
    assert "wrong_key" in wire.codes()
    assert wire.journal == {1: "As"} and not other.deal
    assert any(isinstance(event, DeviceLost) for event in wire.said)
    wire.device = paired
    wire.pass_ms(2000)
    wire.sound()


def test_another_device_with_our_key_is_held_for_people(wire: Wire, tmp_path: Path) -> None:
    other = ShoeDevice(EventLog(tmp_path / "other"), "SIM-0009", key=KEY)
    wire.device = other
    for card in ("Ah", "Ad"):
        other.card(card, wire.now_ns)
    wire.pass_ms(7000)
    assert "device_changed" in wire.codes()
    assert wire.shoe.state is State.HELD and wire.journal == {1: "As"} and not other.deal


def test_a_device_in_clear_in_place_of_the_paired_one(wire: Wire, tmp_path: Path) -> None:
    wire.device = ShoeDevice(EventLog(tmp_path / "other"))
    wire.device.card("Ah", wire.now_ns)
    wire.hear(wire.shoe.closed("device gone", wire.now_ns))
    wire.hear(wire.shoe.opened(wire.now_ns))
    wire.pass_ms(1000)
    assert "downgrade" in wire.codes()
    assert wire.shoe.state is State.ASKING and wire.journal == {1: "As"}


@pytest.mark.parametrize("who", ["ask me", "a question", "a false answer"])
def test_no_session_ends_by_words_that_anybody_can_say(wire: Wire, who: str) -> None:
    hello = m.Hello(0, b"x" * 8, 1, 1, m.CardState.NONE, "SHOE", "SIM-0001", "1.0.0")
    stranger = Link(Side.DEVICE, DeviceSeal(OTHER, bytes))
    match who:
        case "ask me":
            wire.put_to_host(stranger.send(hello))
        case "a question":
            wire.device.receive(Link(Side.HOST, HostSeal(OTHER, bytes)).send(m.HelloAsk(5)), wire.now_ns)
        case _:
            ask = Link(Side.HOST, HostSeal(OTHER, bytes)).send(m.HelloAsk(5))
            stranger.receive(ask)
            wire.put_to_host(stranger.send(msgspec.structs.replace(hello, nonce=5)))
    wire.pass_ms(600)
    wire.sound()


def test_three_forged_frames_end_trust_and_a_flood_stays_a_few_words(wire: Wire) -> None:
    forged = encode_frame(bytes([1, 1, 0x83, 0]) + (900).to_bytes(8, "little") + bytes(26))
    for _ in range(2):
        wire.put_to_host(forged)
    assert wire.codes() == ["forged"]
    wire.put_to_host(forged)
    assert wire.codes() == ["forged", "tampered"]
    for _ in range(1000):
        wire.put_to_host(forged * 10)
    assert wire.codes().count("forged") == 1
    assert wire.codes().count("tampered") == 1
    wire.sound()
