"""The sealed session, end to end between two links: what it lets through, and how it names what it does not."""

from __future__ import annotations

import itertools

import pytest

from drivers.wire import messages as m
from drivers.wire.framing import Framer, decode_frame, encode_frame
from drivers.wire.link import BadMessage, Begun, Late, Link, Received, Side
from drivers.wire.session import AGE_NS, DeviceSeal, HostSeal, NoSession, Tamper, Tampered, key_id

KEY = bytes(range(32))
OTHER = bytes(range(1, 33))
BOOT = b"\xb0" * 8
MS = 1_000_000


def counting(start: int = 1):
    numbers = itertools.count(start)
    return lambda count: next(numbers).to_bytes(count, "big")


class Pair:
    """Host and device, and a line in the tester's hands."""

    def __init__(self, host_key: bytes | None = KEY, device_key: bytes = KEY) -> None:
        self.host = Link(Side.HOST, HostSeal(host_key, counting(1)))
        self.device = Link(Side.DEVICE, DeviceSeal(device_key, counting(1000)))
        self.now_ns = 0

    def hello(self, nonce: int) -> m.Hello:
        return m.Hello(nonce, BOOT, 1, 9, m.CardState.NONE, "SHOE", "S-1", "1.0")

    def ask(self, nonce: int = 7) -> list[Received]:
        """The question and its answer, as far as the host hears it."""
        assert self.device.receive(self.host.send(m.HelloAsk(nonce)), self.now_ns) == [m.HelloAsk(nonce)]
        return self.host.receive(self.device.send(self.hello(nonce), now_ns=self.now_ns))

    def begin(self, nonce: int = 7) -> None:
        assert self.ask(nonce) == [self.hello(nonce)]
        assert self.to_device(m.Poll(1, 0)) == [Begun(nonce), m.Poll(1, 0)]
        assert self.to_host(m.Status(1, 9, 0)) == [m.Status(1, 9, 0)]

    def to_device(self, message: m.Message) -> list[Received]:
        return self.device.receive(self.host.send(message), self.now_ns)

    def to_host(self, message: m.Message) -> list[Received]:
        return self.host.receive(self.device.send(message, now_ns=self.now_ns))


def kinds(items: list[Received]) -> list[Tamper]:
    return [item.kind for item in items if isinstance(item, Tampered)]


def test_a_handshake_and_messages_both_ways() -> None:
    pair = Pair()
    pair.begin()
    card = m.Event(10, m.EventKind.CARD, 51)
    for message in (m.Status(1, 9, 0), card, m.Lost(1, 2), m.Done(1, m.Result.DONE)):
        assert pair.to_host(message) == [message]
    for message in (m.Ack(10), m.Resend(3), m.DealEnable(1, 1), m.Poll(2, 10)):
        assert pair.to_device(message) == [message]


def test_a_card_cannot_be_read_on_the_line() -> None:
    """Two cards differ nowhere but in what is sealed, and have the same length."""
    pair = Pair()
    pair.begin()
    [one] = Framer().feed(pair.device.send(m.Event(10, m.EventKind.CARD, 51)))
    [two] = Framer().feed(pair.device.send(m.Event(10, m.EventKind.CARD_UNREAD, 1)))
    assert isinstance(one, bytes) and isinstance(two, bytes) and len(one) == len(two)
    assert one[:4] == two[:4] == bytes([1, 1, 0x83, 0])
    assert bytes([10, 0, 0, 0, 0, 0, 0, 0, 1, 51]) not in one


def test_the_longest_message_fits() -> None:
    hello = m.Hello(7, BOOT, 1, 9, m.CardState.NONE, "SHOE" + "x" * 28, "S" * 32, "F" * 32, 9)
    pair = Pair()
    pair.device.receive(pair.host.send(m.HelloAsk(7)))
    assert pair.host.receive(pair.device.send(hello)) == [hello]


@pytest.mark.parametrize("place", range(4, 46))
def test_no_byte_of_a_sealed_frame_can_be_changed(place: int) -> None:
    pair = Pair()
    pair.begin()
    content = decode_frame(pair.device.send(m.Event(10, m.EventKind.CARD, 51))[:-1])
    assert isinstance(content, bytes)
    changed = bytearray(content)
    changed[place % len(content)] ^= 1
    got = pair.host.receive(encode_frame(bytes(changed)))
    assert kinds(got) == [Tamper.FORGED] or (place % len(content) < 4 and isinstance(got[0], BadMessage | Tampered))


def test_the_header_is_sealed_too() -> None:
    """The AGAIN mark and the type stand open and are part of the seal."""
    for place, value in ((2, 0x84), (3, 1)):
        pair = Pair()
        pair.begin()
        content = decode_frame(pair.device.send(m.Event(10, m.EventKind.CARD, 51))[:-1])
        assert isinstance(content, bytes)
        changed = bytearray(content)
        changed[place] = value
        assert kinds(pair.host.receive(encode_frame(bytes(changed)))) == [Tamper.FORGED]


def test_a_replay_and_a_wrong_order_are_refused_both_ways() -> None:
    pair = Pair()
    pair.begin()
    first, second = pair.device.send(m.Status(1, 9, 0)), pair.device.send(m.Status(1, 9, 0))
    assert pair.host.receive(second) == [m.Status(1, 9, 0)]
    assert kinds(pair.host.receive(first + second)) == [Tamper.REPLAYED, Tamper.REPLAYED]
    order = [pair.host.send(m.DealEnable(1, 1)), pair.host.send(m.DealEnable(2, 0))]
    assert pair.device.receive(order[1]) == [m.DealEnable(2, 0)]
    assert kinds(pair.device.receive(order[0] + order[1])) == [Tamper.REPLAYED, Tamper.REPLAYED]


def test_another_devices_key_opens_nothing() -> None:
    pair = Pair(device_key=OTHER)
    [refused] = pair.ask()
    assert refused == Tampered(Tamper.WRONG_KEY, pair.hello(7))
    with pytest.raises(ValueError, match="no session"):
        pair.host.send(m.Poll(1, 0))


def test_a_host_that_is_not_paired_believes_nobody() -> None:
    assert kinds(Pair(host_key=None).ask()) == [Tamper.UNPAIRED]


def test_a_recorded_hello_does_not_answer_a_new_question() -> None:
    pair = Pair()
    pair.begin()
    pair.device.receive(pair.host.send(m.HelloAsk(8)))
    recorded = pair.device.send(pair.hello(8))
    fresh = Link(Side.HOST, HostSeal(KEY, counting(500)))
    fresh.send(m.HelloAsk(8))
    assert kinds(fresh.receive(recorded)) == [Tamper.WRONG_KEY]


def test_frames_of_the_session_before_are_named() -> None:
    pair = Pair()
    pair.begin(7)
    old_event, old_poll = pair.device.send(m.Status(1, 9, 0)), pair.host.send(m.Poll(2, 0))
    pair.begin(8)
    assert kinds(pair.host.receive(old_event)) == [Tamper.OLD_SESSION]
    assert kinds(pair.device.receive(old_poll)) == [Tamper.OLD_SESSION]


def test_what_was_on_its_way_when_a_session_began_is_no_attack() -> None:
    """A host that was restarted does not know the keys of its last run; the device may still speak with them."""
    pair = Pair()
    pair.begin()
    leftover = pair.device.send(m.Event(10, m.EventKind.CARD, 51))
    pair.host = Link(Side.HOST, HostSeal(KEY, counting(700)))
    assert pair.ask(9) == [pair.hello(9)]
    assert kinds(pair.host.receive(leftover)) == [Tamper.OLD_SESSION]
    assert pair.to_device(m.Poll(1, 0)) == [Begun(9), m.Poll(1, 0)]
    assert pair.to_host(m.Status(1, 9, 0)) == [m.Status(1, 9, 0)]
    assert kinds(pair.host.receive(leftover)) == [Tamper.FORGED]


def test_an_invented_question_ends_no_session() -> None:
    """Anyone can ask who a device is; only the first message under the new keys ends the old session."""
    pair = Pair()
    pair.begin()
    stranger = Link(Side.HOST, HostSeal(OTHER, counting(77)))
    assert pair.device.receive(stranger.send(m.HelloAsk(99))) == [m.HelloAsk(99)]
    assert pair.device.send(pair.hello(99))
    assert pair.to_device(m.Poll(2, 0)) == [m.Poll(2, 0)]
    assert pair.to_host(m.Status(2, 9, 0)) == [m.Status(2, 9, 0)]


def test_the_same_question_again_changes_nothing() -> None:
    pair = Pair()
    question = pair.host.send(m.HelloAsk(7))
    pair.device.receive(question)
    answers = [pair.device.send(pair.hello(7)), pair.device.send(pair.hello(7))]
    assert pair.host.receive(answers[0]) == [pair.hello(7)]
    assert pair.host.receive(answers[1]) == []
    assert pair.to_device(m.Poll(1, 0)) == [Begun(7), m.Poll(1, 0)]
    pair.device.receive(question)
    again = pair.device.send(pair.hello(7))
    assert pair.host.receive(again) == []
    assert pair.to_device(m.Poll(2, 0)) == [m.Poll(2, 0)]


def test_in_clear_to_a_sealed_end_is_a_downgrade() -> None:
    pair = Pair()
    pair.begin()
    assert kinds(pair.host.receive(Link(Side.DEVICE).send(m.Event(10, m.EventKind.CARD, 51)))) == [Tamper.DOWNGRADE]
    assert kinds(pair.device.receive(Link(Side.HOST).send(m.DealEnable(9, 1)))) == [Tamper.DOWNGRADE]
    assert pair.to_device(m.Poll(2, 0)) == [m.Poll(2, 0)]


def test_sealed_to_a_clear_end_is_a_protocol_error() -> None:
    pair = Pair()
    pair.begin()
    assert Link(Side.HOST).receive(pair.device.send(m.Status(1, 9, 0))) == [BadMessage("security 1, expected 0")]


def test_an_echo_stays_an_echo() -> None:
    pair = Pair()
    pair.begin()
    assert pair.host.receive(pair.host.send(m.Poll(2, 0))) == [BadMessage("our own message 02 came back (echo)")]


def test_a_host_message_that_may_be_a_second_old_is_late() -> None:
    pair = Pair()
    pair.begin()
    pair.to_host(m.Status(1, 9, 0))
    held = pair.host.send(m.DealEnable(1, 1))
    pair.now_ns = AGE_NS
    assert pair.device.receive(held, pair.now_ns) == [m.DealEnable(1, 1)]
    held = pair.host.send(m.DealEnable(2, 1))
    pair.now_ns = AGE_NS + 1
    assert pair.device.receive(held, pair.now_ns) == [Late(m.DealEnable(2, 1))]
    assert pair.to_device(m.Poll(2, 0)) == [Late(m.Poll(2, 0))]
    pair.to_host(m.Status(2, 9, 0))
    assert pair.to_device(m.Poll(3, 0)) == [m.Poll(3, 0)]


def test_a_device_without_session_says_so_and_a_host_ignores_what_it_cannot_know() -> None:
    pair = Pair()
    pair.begin()
    reborn = Link(Side.DEVICE, DeviceSeal(KEY, counting(5000)))
    assert reborn.receive(pair.host.send(m.Poll(2, 0))) == [NoSession(m.Poll.TYPE)]
    newcomer = Link(Side.HOST, HostSeal(KEY, counting(9000)))
    assert newcomer.receive(pair.device.send(m.Status(1, 9, 0))) == []
    assert newcomer.receive(reborn.send(pair.hello(0))) == [pair.hello(0)]


def test_a_sealed_frame_that_is_too_short_is_a_protocol_error() -> None:
    pair = Pair()
    pair.begin()
    for content in (bytes([1, 1, 0x82, 0]), bytes([1, 1, 0x82, 0]) + bytes(23), bytes([1, 1, 0x81, 0]) + bytes(20)):
        [found] = pair.host.receive(encode_frame(content))
        assert isinstance(found, BadMessage)


def test_a_key_has_a_name_that_is_not_the_key() -> None:
    assert key_id(KEY) != key_id(OTHER) and len(key_id(KEY)) == 16
    assert key_id(KEY) not in KEY.hex()
