"""What comes over a shoe's line and is no message: echo, noise, junk, events that nobody can read."""

from __future__ import annotations

from fake_shoe import FakeShoe, Table
from test_shoe_session import ready_table

from drivers.events import CardRead, DeviceFault
from drivers.wire import messages as m
from drivers.wire.codec import to_bytes
from drivers.wire.framing import encode_frame
from drivers.wire.link import Link, Side


def test_f22_an_echo_is_told_once_and_does_no_harm() -> None:
    table = Table(FakeShoe())
    table.device.cards(51, 50)
    table.plug()
    echoed = table.driver.outgoing()
    table.give(echoed + b"\r\n^@^@junk")
    table.driver.opened(table.now_ns)
    table.run(2000)
    assert [event for event in table.codes() if event == "protocol"] == ["protocol"]
    assert table.journal == {1: "As", 2: "Ah"}


def test_f8_noise_is_told_once_and_never_answered() -> None:
    table = ready_table()
    table.said.clear()
    table.written.clear()
    junk = encode_frame(b"junk")[:-2] + b"\x77\x00"
    table.to_host = lambda data: data + junk * 5
    table.run(10_000)
    assert table.codes() == ["noise"]
    assert table.driver.link.noise == 5000
    assert len(table.written) < 10_000 // 200 * 30
    table.to_host = lambda data: data
    table.run(1500)
    table.give(junk)
    assert table.codes() == ["noise", "noise"], "a new burst"


def test_f8_a_device_that_answers_every_frame_with_junk() -> None:
    table = ready_table()
    table.device.cards(51)
    table.to_host = lambda data: b"\x00" + b"\x55" * 40 + b"\x00" if data else b""
    table.written.clear()
    table.run(4000)
    sent = Link(Side.DEVICE).receive(bytes(table.written))
    assert not any(isinstance(item, m.Resend) for item in sent)
    assert len(sent) <= 21
    table.to_host = lambda data: data
    table.run(1000)
    assert table.journal == {1: "As"}


def test_f53_an_unknown_card_code_is_a_fault_and_never_a_card() -> None:
    table = ready_table()
    table.device.cards(51)
    good = table.device.link.send(m.Event(1, m.EventKind.CARD, 51))
    assert good
    content = to_bytes(m.Event(1, m.EventKind.CARD, 51))[:-1] + b"\x35"
    table.to_host = lambda data: encode_frame(content) if data else b""
    table.said.clear()
    table.run(500)
    assert table.said[0] == DeviceFault("shoe", "unreadable_event", "unknown card code: 35")
    assert table.told(CardRead) == []
    assert table.codes().count("unreadable_event") == 1


def test_a_kind_of_the_cards_own_range_that_nobody_knows_is_no_note() -> None:
    """Kinds 03 to 0F tell of cards in some later page: never passed over, and nothing behind it is taken."""
    table = ready_table()
    table.device.cards(51)
    content = to_bytes(m.Event(1, m.EventKind.CARD, 51))[:-2] + b"\x03"
    table.to_host = lambda data: encode_frame(content) if data else b""
    table.said.clear()
    table.run(500)
    assert table.said[0] == DeviceFault("shoe", "unreadable_event", "unknown kind of event 03")
    assert table.told(CardRead) == []


def test_nothing_grows_under_junk() -> None:
    table = ready_table()
    for number in range(2000):
        kind = bytes([1, 0, 0x7F, number % 256])
        table.give(encode_frame(kind) + b"\xaa" * 500)
    assert len(table.driver._complaints._texts) <= 8
    assert len(table.driver.outgoing()) < 200
