"""The serial pump over real pseudo-terminals, and over openers that fail in every way."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest
import serial
from fake_shoe import FakeShoe
from serial_doubles import WAIT_S, Inbox, Line, descriptors, pump, threads

from drivers.events import CardRead, DeviceReady, PortBytes, PortClosed, PortOpened
from drivers.shoe import Shoe
from drivers.transport import pump as pumps
from drivers.transport import serial_port
from drivers.transport.pump import PortUnavailable, back_off
from drivers.transport.serial_port import (
    PortBusy,
    describe,
    open_serial,
    port_holder,
)
from tests.children import Child


def test_all_256_values_pass_both_ways_unchanged(line: Line, inbox: Inbox) -> None:
    every = bytes(range(256)) * 3
    port = pump(line.path, inbox)
    port.start()
    assert inbox.until_opened().port == "shoe"
    line.send(every)
    assert inbox.bytes(len(every)) == every
    port.write(every)
    assert line.read_all(len(every)) == every
    port.close()
    assert [event for event in inbox.now() if not isinstance(event, PortBytes)] == []


def test_writing_to_a_closed_port_is_dropped(line: Line, inbox: Inbox) -> None:
    port = pump(line.path, inbox)
    port.write(b"stale")
    port.start()
    inbox.until_opened()
    port.write(b"fresh")
    assert line.read_all(5) == b"fresh"
    port.close()
    port.write(b"late")
    port.close()


def test_f9_the_port_is_opened_once_and_closing_leaves_the_lines_alone(line: Line, inbox: Inbox) -> None:
    opened: list[str] = []

    def opener(path: str, baud: int) -> serial_port.OpenPort:
        opened.append(path)
        return open_serial(path, baud)

    looking = os.open(line.path, os.O_RDWR | os.O_NOCTTY)
    settings = termios.tcgetattr(looking)
    settings[2] |= termios.HUPCL  # as on a real port; a pty has it clear
    termios.tcsetattr(looking, termios.TCSANOW, settings)
    port = pump(line.path, inbox, opener=opener)
    port.probe()
    port.start()
    inbox.until_opened()
    settings = termios.tcgetattr(looking)
    os.close(looking)
    assert not settings[2] & termios.HUPCL
    assert not settings[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
    port.close()
    assert opened == [line.path]


def test_f14_twenty_unplugs_leave_no_descriptor(tmp_path: Path, inbox: Inbox) -> None:
    link = tmp_path / "shoe"
    before = descriptors()
    port = pump(link, inbox)
    port.start()
    for round_no in range(20):
        line = Line()
        fresh = tmp_path / "fresh"
        fresh.symlink_to(line.path)
        fresh.replace(link)
        inbox.until_opened()
        line.send(b"hello")
        assert inbox.bytes(5) == b"hello"
        line.unplug()
        closed = inbox.until_closed()
        assert (closed.reason, closed.attempt) == ("device gone", 1), round_no
    port.close()
    assert descriptors() == before


def test_f15_two_thousand_connections_that_fail_leave_nothing(inbox: Inbox) -> None:
    before = descriptors(), threads()

    def opener(_path: str, baud: int) -> serial_port.OpenPort:
        line = Line()
        try:
            return open_serial(line.path, baud)
        finally:
            line.unplug()

    port = pump("/dev/none", inbox, opener=opener, backoff=lambda _: 0.0)
    port.start()
    for attempt in range(1, 2001):
        assert inbox.until_closed().attempt == attempt
    port.close()
    assert (descriptors(), threads()) == before


def test_f16_a_second_instance_is_refused_by_name_and_takes_no_byte(line: Line, inbox: Inbox) -> None:
    first, other = pump(line.path, inbox), Inbox()
    first.start()
    inbox.until_opened()
    second = pump(line.path, other)
    line.send(b"0123")
    with pytest.raises(PortBusy, match=f"port in use by pid {os.getpid()}") as caught:
        second.probe()
    assert (caught.value.path, caught.value.pid) == (line.path, os.getpid())
    line.send(b"4567")
    assert inbox.bytes(8) == b"01234567"
    second.start()
    assert other.until_closed().reason == f"port in use by pid {os.getpid()}"
    first.close()
    assert other.until_opened()
    second.close()


def test_f10_a_program_that_knows_no_lock_is_named_too(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """ModemManager takes a port with TIOCEXCL alone: the kernel says EBUSY, and no lock says who."""

    def busy(_self: serial.Serial) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(serial.Serial, "open", busy)
    with pytest.raises(PortBusy, match=r"port busy \(another program holds it\)"):
        open_serial(line.path, 115_200)
    script = "import sys; f = open(sys.argv[1], 'rb', 0); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, line.path]
    with Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as modem:
        assert modem.stdout is not None and modem.stdout.readline() == b"open\n"
        with pytest.raises(PortBusy, match=f"port in use by pid {modem.pid}"):
            open_serial(line.path, 115_200)
        modem.communicate()


def test_f10_busy_for_ten_seconds_is_waited_for_with_back_off(line: Line, inbox: Inbox) -> None:
    waited: list[float] = []

    def opener(path: str, baud: int) -> serial_port.OpenPort:
        if sum(waited) < 10:
            raise PortBusy(path, 4242)
        return open_serial(path, baud)

    port = pump(line.path, inbox, opener=opener, rest=waited.append, backoff=back_off)
    port.start()
    inbox.until_opened()
    port.close()  # before anything can fail: a pump that is left alone would take the next test's pty
    closed = [event for event in inbox.all if isinstance(event, PortClosed)]
    assert {event.reason for event in closed} == {"port in use by pid 4242"}
    assert len(closed) == len(waited) <= 10  # no hammering: 0.1 s first, never more often than every 1.6 s in the end
    assert waited[:5] == [0.1, 0.2, 0.4, 0.8, 1.6] and set(waited[5:]) == {1.6}


def test_f16_another_process_is_named(line: Line) -> None:
    script = (
        "import sys; from drivers.transport.serial_port import open_serial\n"
        "port = open_serial(sys.argv[1], 115200); print('open', flush=True); sys.stdin.read()"
    )
    with Child([sys.executable, "-c", script, line.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"open\n"
        with pytest.raises(PortBusy, match=f"port in use by pid {holder.pid}"):
            open_serial(line.path, 115_200)
        holder.kill()
    open_serial(line.path, 115_200).close()
    assert port_holder(line.path) is None


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (serial.SerialException(errno.EIO, "read failed"), "device gone"),
        (OSError(errno.ENODEV, "in_waiting"), "device gone"),
        (termios.error(errno.EIO, "tcflush"), "device gone"),
        (termios.error(errno.EINVAL, "odd"), "Invalid argument"),
        (serial.SerialException("device reports readiness to read but returned no data"), "not a serial port"),
        (UnicodeDecodeError("ascii", b"\xffAs", 0, 1, "secret"), "driver failed (UnicodeDecodeError)"),
        (KeyError("As"), "driver failed (KeyError)"),
    ],
)
def test_f17_every_kind_of_error_is_one_line(error: Exception, text: str) -> None:
    assert describe(error).startswith(text)
    assert "As" not in describe(error)


def test_f17_an_unplug_is_one_event_and_reconnection_begins(line: Line, inbox: Inbox) -> None:
    port = pump(line.path, inbox)
    port.start()
    inbox.until_opened()
    port.write(b"x" * 100)
    line.unplug()
    port.write(b"y" * 100)
    assert inbox.until_closed().reason == "device gone"
    again = inbox.until_closed()
    assert (again.reason, again.attempt) == ("no such port", 2)
    port.close()


def test_f19_a_device_that_takes_no_bytes_makes_nobody_wait(line: Line, inbox: Inbox) -> None:
    port = pump(line.path, inbox, write_timeout_s=0.6)
    port.start()
    inbox.until_opened()
    began = time.monotonic()
    for _ in range(200):
        port.write(b"z" * 1000)
    assert time.monotonic() - began < 0.5
    line.send(b"card")
    assert inbox.bytes(4) == b"card", "reading goes on"
    assert inbox.until_closed().reason == "device takes no bytes (write timed out)"
    inbox.until_opened()
    began = time.monotonic()
    port.close()
    assert time.monotonic() - began < 3.0


def test_f19_closing_is_bounded_even_if_the_inbox_is_stuck(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pumps, "CLOSE_S", 0.2)
    gate, entered = threading.Event(), threading.Event()

    def stuck(_event: object) -> None:
        entered.set()
        gate.wait(WAIT_S)

    port = serial_port.SerialPump("shoe", line.path, 115_200, stuck, time.monotonic_ns)
    port.start()
    assert entered.wait(WAIT_S)
    writer = threading.Thread(target=lambda: [port.write(b"z") for _ in range(pumps.MAX_UNSENT + 2)], daemon=True)
    writer.start()
    writer.join(WAIT_S)
    assert not writer.is_alive(), "no pipe that wakes the pump fills up"
    began = time.monotonic()
    port.close()
    assert time.monotonic() - began < 1.0
    assert all(os.fstat(end) for end in port._wake or ()) and port._wake, "its thread still waits with them"
    gate.set()


def test_f23_whatever_connecting_raises_it_tries_again(line: Line, inbox: Inbox) -> None:
    failures: list[Exception] = [
        serial.SerialException(errno.ENOENT, "could not open port"),
        OSError(errno.EBUSY, "busy"),
        termios.error(errno.EIO, "tcgetattr"),
        ValueError("baud"),
        UnicodeDecodeError("ascii", b"\xff", 0, 1, "bad"),
        KeyError("x"),
        AssertionError(),
    ]
    rests: list[float] = []

    def opener(path: str, baud: int) -> serial_port.OpenPort:
        if failures:
            raise failures.pop(0)
        return open_serial(path, baud)

    port = pump(line.path, inbox, opener=opener, rest=rests.append, backoff=back_off)
    port.start()
    inbox.until_opened()
    closed = [event for event in inbox.all if isinstance(event, PortClosed)]
    assert [event.attempt for event in closed] == [1, 2, 3, 4, 5, 6, 7]
    assert rests == [0.1, 0.2, 0.4, 0.8, 1.6, 1.6, 1.6]
    line.send(b"still alive")
    assert inbox.bytes(11) == b"still alive"
    port.close()


def test_f23_an_inbox_that_raises_does_not_end_the_pump(line: Line, inbox: Inbox) -> None:
    raised: list[object] = []

    def post(event: object) -> None:
        if len(raised) < 3:
            raised.append(event)
            raise RuntimeError("inbox")
        inbox.post(event)  # type: ignore[arg-type]

    port = serial_port.SerialPump("shoe", line.path, 115_200, post, time.monotonic_ns, rest=lambda _: None)
    port.start()
    inbox.until_opened()
    port.close()
    assert [type(event) for event in raised] == [PortOpened, PortClosed, PortClosed]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.ENOENT, ""), "no such port"),
        (OSError(errno.EACCES, ""), "no permission: check the udev rule and the group"),
        (OSError(errno.EBUSY, ""), "port busy"),
        (OSError(errno.EIO, ""), "device gone"),
    ],
)
def test_why_a_port_is_not_to_be_had(error: OSError, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: serial.Serial) -> None:
        raise error

    monkeypatch.setattr(serial.Serial, "open", fail)
    with pytest.raises(PortUnavailable, match=text):
        open_serial("/dev/none", 115_200)


def test_a_file_is_no_port(tmp_path: Path, inbox: Inbox) -> None:
    plain = tmp_path / "file"
    plain.write_bytes(b"")
    before = descriptors()
    with pytest.raises(PortUnavailable, match="not a serial port"):
        pump(plain, inbox).probe()
    with pytest.raises(PortUnavailable, match="no such port"):
        pump(tmp_path / "nothing", inbox).probe()
    assert descriptors() == before


def test_f22_from_a_cooked_echoing_line_to_a_shoe_in_order(line: Line, inbox: Inbox) -> None:
    """The device talks before anybody has made the line raw, and the kernel echoes it back to the device."""
    device, driver = FakeShoe(), Shoe("shoe", 0)
    device.cards(*range(12))
    line.send(device.hello(0) + b"\x00" + device.event(1, 0))
    port = pump(line.path, inbox)
    port.start()
    said: list[object] = []
    until = time.monotonic() + WAIT_S
    while len(said) < 14 and time.monotonic() < until:
        now_ns = time.monotonic_ns()
        for event in inbox.now():
            match event:
                case PortOpened():
                    said += driver.opened(now_ns)
                case PortBytes(data=data):
                    for told in driver.receive(data, now_ns):
                        said.append(told)
                        if isinstance(told, CardRead):
                            driver.acknowledge(told.event_no)
        if driver.next_tick_ns is not None and driver.next_tick_ns <= now_ns:
            said += driver.tick(now_ns)
        port.write(driver.outgoing())
        answer = device.run(line.read(0.01), now_ns)
        if answer:
            line.send(answer)
        if device.acked == 12:
            break
    port.close()
    assert device.acked == 12
    cards = [event for event in said if isinstance(event, CardRead)]
    assert [card.event_no for card in cards] == list(range(1, 13))
    assert sum(isinstance(event, DeviceReady) for event in said) == 1
