"""Peers that are only told text, over TCP sockets as they are: one reads, one never does, one is gone."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from serial_doubles import Inbox, descriptors, threads

from drivers.events import DeviceFault, DeviceLost, DeviceReady, PortClosed
from drivers.text_peer import TextPeer
from drivers.transport.pump import PortUnavailable
from drivers.transport.serial_port import SerialPump
from drivers.transport.tcp_port import address, open_tcp
from firmware_sim.text_sink import TextSink

MS = 1_000_000


@pytest.fixture
def sink() -> Iterator[TextSink]:
    one = TextSink().start()
    yield one
    one.stop()


def tcp(port: int, inbox: Inbox, **how: float) -> SerialPump:
    opener = open_tcp
    return SerialPump("overlay", f"tcp://127.0.0.1:{port}", 9600, inbox.post, time.monotonic_ns, opener=opener, **how)  # type: ignore[arg-type]


def test_what_is_told_before_the_line_stands_waits_for_it() -> None:
    peer = TextPeer("overlay", "OVERLAY/text", most=2)
    for text in ("a\n", "b\n", "c\n"):
        peer.say(text, 1)
    assert peer.outgoing() == b""
    assert peer.next_tick_ns is None
    assert peer.opened(2) == [DeviceReady("overlay", "OVERLAY/text", "", "", "", 0, 0)]
    assert peer.outgoing() == b"b\r\nc\r\n"
    assert peer.next_tick_ns == 2
    assert peer.tick(2) == [DeviceFault("overlay", "lost", "1 texts while it was away")]
    assert (peer.tick(3), peer.next_tick_ns, peer.outgoing()) == ([], None, b"")
    peer.say("d\n", 4)
    assert peer.outgoing() == b"d\r\n"
    assert peer.closed("device gone", 5) == [DeviceLost("overlay", "device gone")]
    assert peer.closed("device gone", 6) == []
    peer.opened(7)
    assert peer.outgoing() == b""  # an overlay's lines are of their moment


def test_a_slip_that_a_broken_line_may_have_lost_is_printed_again() -> None:
    peer = TextPeer("printer", "PRINTER/text", most=20, encoding="cp866", again=True)
    peer.opened(0)
    peer.say("old\n", 0)
    peer.say("раздача\n", 9_000 * MS)
    assert peer.outgoing().endswith("раздача\r\n".encode("cp866"))
    peer.closed("device gone", 10_000 * MS)
    peer.say("next\n", 11_000 * MS)
    peer.opened(12_000 * MS)
    assert peer.outgoing() == "раздача\r\nnext\r\n".encode("cp866")


def test_a_text_that_the_printer_cannot_show_is_printed_all_the_same() -> None:
    peer = TextPeer("printer", "PRINTER/text", most=20)
    peer.opened(0)
    peer.say("стол 1\n", 0)
    assert peer.outgoing() == b"???? 1\r\n"


def test_lines_reach_a_peer_on_tcp_and_it_may_come_back(sink: TextSink) -> None:
    """F14, F15: a new connection, no descriptor or thread left over."""
    before = (descriptors(), threads())
    inbox = Inbox()
    port = tcp(sink.port, inbox)
    port.start()
    inbox.until_opened()
    port.write(b"one\r\n")
    assert sink.wait(lambda lines: lines == ["one"])
    assert sink._peer is not None
    sink._peer.shutdown(socket.SHUT_RDWR)
    sink._peer.close()
    assert inbox.until_closed().reason == "device gone"
    inbox.until_opened()
    port.write(b"two\r\n")
    assert sink.wait(lambda lines: lines[-1] == "two")
    port.close()
    sink.stop()
    assert (descriptors() <= before[0], threads() <= before[1]) == (True, True)


def test_a_peer_that_never_reads_costs_its_own_line_only() -> None:
    """F19: writes return at once, the connection ends with a reason, closing takes no time."""
    deaf = TextSink(deaf=True).start()
    inbox = Inbox()
    port = tcp(deaf.port, inbox, write_timeout_s=0.2)
    port.start()
    inbox.until_opened()
    closed = None
    started = time.monotonic()
    while closed is None and time.monotonic() - started < 10:
        asked = time.monotonic()
        port.write(b"x" * 30_000)
        assert time.monotonic() - asked < 0.1
        closed = next((event for event in inbox.now() if isinstance(event, PortClosed)), None)
        time.sleep(0.001)  # paces the flood, decides nothing
    assert closed is not None
    assert "takes no bytes" in closed.reason
    asked = time.monotonic()
    port.close()
    assert time.monotonic() - asked < 3
    deaf.stop()


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(PortUnavailable, match="no connection"):
        open_tcp(f"tcp://127.0.0.1:{port}", 0)


@pytest.mark.parametrize("text", ["tcp://host", "tcp://:1", "tcp://a:0", "tcp://a:65536", "tcp://a:1x", "udp://a:1"])
def test_what_is_no_address(text: str) -> None:
    assert address(text) is None
    with pytest.raises(PortUnavailable, match="not an address"):
        open_tcp(text, 0)


def test_addresses() -> None:
    assert address("tcp://overlay.pit:9100") == ("overlay.pit", 9100)
    assert address("tcp://[::1]:9100") == ("::1", 9100)
