"""What wakes the serial pump, and that nothing else does: no byte waits for a time-out, and no pump spins."""

from __future__ import annotations

import itertools
import os
import select
from collections.abc import Iterator

import pytest
from serial_doubles import Inbox, Line, descriptors, pump
from usb_doubles import seen

from drivers.events import PortClosed
from drivers.transport import serial_port


def test_a_byte_goes_out_at_once_and_the_pump_rests_again(
    line: Line, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []

    def counted(*what: object) -> object:
        rounds.append(1)
        return select.select(*what)  # type: ignore[arg-type]

    monkeypatch.setattr(serial_port, "SELECT_S", 60.0)
    monkeypatch.setattr(serial_port, "select", type("Counted", (), {"select": staticmethod(counted)}))
    port = pump(line.path, inbox)
    port.start()
    try:
        inbox.until_opened()
        for _ in range(3):
            port.write(b"now")
            assert line.read_all(3) == b"now", "long before the time-out"
        assert inbox.soon(0.2) == []
        assert len(rounds) < 20
    finally:
        port.close()


def test_f16_bytes_that_another_program_took_are_no_loss_of_the_port(
    line: Line, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The port was readable, and when we come to read it somebody was quicker: nothing there, and nothing wrong."""
    thief = os.open(line.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    stolen: list[bytes] = []

    def read(descriptor: int, size: int) -> bytes:
        if os.isatty(descriptor) and not stolen:
            stolen.append(os.read(thief, size))
        return os.read(descriptor, size)

    monkeypatch.setattr(serial_port, "os", type("Os", (), {**vars(os), "read": staticmethod(read)}))
    port = pump(line.path, inbox)
    port.start()
    try:
        inbox.until_opened()
        line.send(b"taken")
        assert seen(lambda: stolen == [b"taken"])
        line.send(b"left over")
        assert inbox.bytes(9) == b"left over"
        assert not any(isinstance(event, PortClosed) for event in inbox.all)
    finally:
        port.close()
        os.close(thief)


def test_a_port_that_was_probed_and_never_started_is_given_back(line: Line, inbox: Inbox) -> None:
    before = descriptors()
    port = pump(line.path, inbox)
    port.probe()
    port.close()
    assert descriptors() == before


@pytest.fixture
def slow(line: Line, inbox: Inbox) -> Iterator[serial_port.SerialPump]:
    """Each look at the clock costs 150 ms of the 200 ms after which a device that takes nothing is given up."""
    clock = itertools.count(0, 150_000_000)
    port = serial_port.SerialPump(
        "shoe", line.path, 115_200, inbox.post, lambda: next(clock), write_timeout_s=0.2, rest=lambda _s: None
    )
    port.start()
    inbox.until_opened()
    yield port
    port.close()


def test_f19_a_device_that_is_slow_but_takes_bytes_is_not_given_up(
    slow: serial_port.SerialPump, line: Line, inbox: Inbox
) -> None:
    slow.write(bytes(60_000))
    assert len(line.read_all(60_000)) == 60_000
    assert inbox.now() == []


def test_f19_a_device_that_is_told_nothing_takes_nothing_and_is_not_given_up(
    slow: serial_port.SerialPump, line: Line, inbox: Inbox
) -> None:
    for _ in range(10):
        line.send(b".")
        assert inbox.bytes(1) == b"."
    assert not any(isinstance(event, PortClosed) for event in inbox.all)
