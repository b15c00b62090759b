"""The USB pump at the real pyusb, on a simulated bus: every error by its number, and the way back from each."""

from __future__ import annotations

import errno
import threading
import time

import pytest
import usb.core
from usb_doubles import WANTED, echoing, seen

from drivers.events import PortBytes, PortClosed
from drivers.transport.pump import PortUnavailable
from drivers.transport.usb_port import MOST_CLEARS, RESET_AGAIN_NS, Verdict, backend_named, verdict
from firmware_sim.shuffler_unit import PRODUCT, VENDOR
from firmware_sim.usb_backend import SimBackend
from firmware_sim.usb_bus import IN, OUT, UsbFailure


def test_bytes_go_both_ways() -> None:
    with echoing() as (bus, device, port, inbox):
        port.write(b"hello")
        bus.send(device, b"there")
        assert inbox.bytes(5) == b"there"
        assert seen(lambda: bytes(device.heard) == b"hello")


def test_nobody_is_made_to_wait_by_a_read() -> None:
    """A second thread sends: with one, a write would wait for a read of ten seconds to end."""
    with echoing(read_ms=1000) as (_, device, port, _):
        arrived = threading.Event()
        device.hears = lambda data: (device.heard.extend(data), arrived.set())
        port.write(b"now")
        assert arrived.wait(0.5)


def test_f33_a_quiet_device_is_not_gone() -> None:
    with echoing() as (bus, device, _, inbox):
        device.faults.read_errors.extend([errno.ETIMEDOUT] * 5)
        assert seen(lambda: not device.faults.read_errors)
        bus.send(device, b"still here")
        assert inbox.bytes(10) == b"still here"
        assert not any(isinstance(event, PortClosed) for event in inbox.all)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENODEV, "device gone"),
        (errno.EIO, "device gone"),
        (None, "unknown USB fault: unplug the device and plug it in again"),
    ],
)
def test_f33_errors_are_told_by_number(number: int | None, reason: str) -> None:
    with echoing() as (_, device, _, inbox):
        device.faults.read_errors.append(number)
        assert inbox.until_closed().reason == reason
        inbox.until_opened()  # and it is looked for again


def test_f33_no_text_is_ever_looked_at() -> None:
    texts = ["Operation timed out", "No such device", "Input/output error", "gone"]
    for text in texts:
        assert verdict(usb.core.USBError(text, None, None)) is Verdict.UNKNOWN
        assert verdict(usb.core.USBError(text, None, errno.ENODEV)) is Verdict.GONE
        assert verdict(usb.core.USBTimeoutError(text, None, errno.ETIMEDOUT)) is Verdict.NO_NEWS


def test_f27_a_reset_makes_the_handle_dead_and_the_device_is_found_afresh() -> None:
    with echoing() as (bus, device, port, inbox):
        before = device.address
        device.faults.stalls_again = device.faults.stalled = True  # a stall that clearing does not end
        assert inbox.until_closed().reason == "device deaf: it answers nothing"
        inbox.until_opened()
        assert device.resets == 1
        assert device.address != before
        reset_at = max(place for place, (call, _) in enumerate(bus.calls) if call == "reset")
        dead = bus.calls[reset_at][1]
        assert {call for call, handle in bus.calls[reset_at + 1 :] if handle == dead} <= {
            "release"
        }  # given back, no more
        port.write(b"again")
        bus.send(device, b"alive")
        assert inbox.bytes(5) == b"alive"


def test_a_stall_that_ends_by_clearing_costs_nothing() -> None:
    with echoing() as (bus, device, _, inbox):
        device.faults.stalled = True
        assert seen(lambda: not device.faults.stalled)
        bus.send(device, b"on")
        assert inbox.bytes(2) == b"on"
        assert device.resets == 0


def test_stalls_with_bytes_in_between_never_add_up_to_a_reset() -> None:
    with echoing() as (bus, device, _, inbox):
        for _ in range(2 * MOST_CLEARS):
            device.faults.stalled = True
            assert seen(lambda: not device.faults.stalled)
            bus.send(device, b".")
            assert inbox.bytes(1) == b"."
        assert device.resets == 0


def test_failures_are_counted_in_a_row() -> None:
    """What came ends the row: the next loss is a first one, and its rest is short."""
    with echoing() as (bus, device, _, inbox):
        for _ in range(2):
            bus.send(device, b"here")
            assert inbox.bytes(4) == b"here"
            with bus.changed:
                bus.unplug(device)
                bus.plug(device)
            assert inbox.until_closed().attempt == 1
            inbox.until_opened()


@pytest.mark.parametrize(
    ("number", "reason", "resets"),
    [(errno.EIO, "device gone", 0), (errno.ETIMEDOUT, "device takes no bytes (write timed out)", 1)],
)
def test_f19_what_cannot_be_sent_ends_the_connection_though_nothing_is_to_be_read(
    number: int, reason: str, resets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with echoing() as (bus, device, port, inbox):

        def fail(_handle: int, _data: bytes) -> int:
            monkeypatch.undo()
            raise UsbFailure(number)

        monkeypatch.setattr(bus, "write", fail)
        port.write(b"?")
        assert inbox.until_closed().reason == reason
        inbox.until_opened()
        assert device.resets == resets
        bus.send(device, b"on")
        assert inbox.bytes(2) == b"on", "the new connection knows nothing of it"


def test_f32_after_time_outs_the_halt_is_cleared() -> None:
    with echoing(read_ms=100) as (bus, device, port, inbox):
        device.faults.deaf_after_timeout = True
        port.write(b"?")  # an answer is due
        assert seen(lambda: device.out_of_step)
        bus.send(device, b"done")
        assert inbox.bytes(4) == b"done"
        assert device.resets == 0


def test_f32_a_deaf_endpoint_is_reset() -> None:
    with echoing() as (bus, device, port, inbox):
        device.faults.deaf = True
        port.write(b"?")
        assert inbox.until_closed().reason == "device deaf: it answers nothing"
        inbox.until_opened()
        bus.send(device, b"back")
        assert inbox.bytes(4) == b"back"


def test_f32_a_reset_that_brought_no_byte_is_not_repeated_for_a_minute() -> None:
    """Whoever has no key answers nothing, however often it is reset; meanwhile the port stays open."""
    time_ns = [0]
    with echoing(clock_ns=lambda: time_ns[0]) as (bus, device, port, inbox):

        def reads() -> int:
            return sum(call == "read" for call, _ in bus.calls)

        port.write(b"?")
        assert inbox.until_closed().reason == "device deaf: it answers nothing"
        for resets in (1, 2):
            inbox.until_opened()
            port.write(b"?")
            begun = reads()
            assert seen(lambda begun=begun: reads() >= begun + 40), "many time-outs"
            assert device.resets == resets
            assert inbox.now() == []
            time_ns[0] += RESET_AGAIN_NS
            inbox.until_closed()
        inbox.until_opened()
        bus.send(device, b"alive")
        assert inbox.bytes(5) == b"alive"
        port.write(b"?")
        inbox.until_closed()
        assert seen(lambda: device.resets == 4), "it was heard: the next silence is a new one"


def test_f27_a_stall_that_no_reset_ends_is_asked_no_faster_than_a_read() -> None:
    rests: list[float] = []
    with echoing(clock_ns=lambda: 0, rest=rests.append) as (_, device, _, inbox):

        def stall() -> None:
            device.faults.stalls_again = device.faults.stalled = True

        device.reset_hook = stall
        stall()
        inbox.until_closed()
        inbox.until_opened()
        assert seen(lambda: rests.count(0.02) >= 20)
        assert device.resets == 1
        assert inbox.now() == []
        device.faults.stalled = False


@pytest.mark.parametrize("asked", [False, True])
def test_a_device_that_owes_no_answer_is_never_called_deaf(asked: bool) -> None:
    with echoing() as (bus, device, port, inbox):
        if asked:
            port.write(b"?")
            assert seen(lambda: bool(device.heard))
            bus.send(device, b"!")
            assert inbox.bytes(1) == b"!"

        def reads() -> int:
            return sum(call == "read" for call, _ in bus.calls)

        begun = reads()
        assert seen(lambda: reads() >= begun + 40), "many time-outs"
        assert device.resets == 0
        assert inbox.now() == []


def test_what_was_not_sent_is_dropped_with_the_connection() -> None:
    with echoing() as (bus, device, port, inbox):
        bus.unplug(device)
        assert inbox.until_closed().reason == "device gone"
        port.write(b"stale")
        bus.plug(device)
        inbox.until_opened()
        port.write(b"fresh")
        bus.send(device, b"x")
        inbox.bytes(1)
        assert seen(lambda: bool(device.heard))
        assert bytes(device.heard) == b"fresh"


def test_two_hundred_plugs_leave_no_thread_and_no_handle() -> None:
    with echoing() as (bus, device, port, inbox):
        before = threading.active_count()
        for _ in range(200):
            bus.unplug(device)
            inbox.until_closed()
            bus.plug(device)
            inbox.until_opened()
        assert threading.active_count() <= before
        assert len(bus._handles) == 1
        port.write(b"ok")


def test_closing_ends_within_two_seconds_while_a_read_waits() -> None:
    with echoing(read_ms=1000) as (bus, device, port, _):
        begun = time.monotonic()
        port.close()
        assert time.monotonic() - begun < 2
        assert device.claimed_by == 0
        assert bus._handles == {}
    assert not [t for t in threading.enumerate() if "shuffler" in t.name]


def test_backends_are_found_by_name() -> None:
    assert isinstance(backend_named("firmware_sim"), SimBackend)
    with pytest.raises(PortUnavailable, match="no USB backend is called nobody"):
        backend_named("nobody")


def test_the_simulated_device_is_what_the_pump_looks_for() -> None:
    assert (WANTED.vendor, WANTED.product) == (VENDOR, PRODUCT)
    assert (IN & 0x80, OUT & 0x80) == (0x80, 0)


def test_a_read_is_posted_with_its_port() -> None:
    with echoing() as (bus, device, _, inbox):
        bus.send(device, b"z")
        event = inbox.next()
        assert isinstance(event, PortBytes)
        assert (event.port, event.data) == ("shuffler", b"z")
