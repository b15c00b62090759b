"""How the USB pump finds its device, and what keeps it from it: permissions, drivers, strangers, twins. Real pyusb."""

from __future__ import annotations

import errno

import pytest
from serial_doubles import Inbox
from usb_doubles import Echo, Times, pump, pumping, seen

from drivers.events import PortClosed
from drivers.transport import usb_port
from drivers.transport.pump import PortUnavailable
from firmware_sim.usb_backend import SimBackend
from firmware_sim.usb_bus import UsbBus, UsbFailure
from firmware_sim.usb_link import HereBus

NO_PERMISSION = "no permission: check the udev rule and the group"


@pytest.mark.parametrize(("refused_s", "told"), [(1.5, False), (2.9, False), (4.0, True)])
def test_f34_permission_may_take_three_seconds(refused_s: float, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    bus, device, inbox, times = UsbBus(), Echo(), Inbox(), Times()
    monkeypatch.setattr("firmware_sim.usb_bus.time.monotonic_ns", lambda: times.ns)
    device.faults.no_access_until_ns = int(refused_s * 1e9)
    bus.plug(device)
    port = pump(bus, inbox.post, backoff=usb_port.rest_s, rest=times.rest)
    port._clock_ns = lambda: times.ns
    port.start()
    try:
        inbox.until_opened()
    finally:
        port.close()
    reasons = {event.reason for event in inbox.all if isinstance(event, PortClosed)}
    assert reasons == ({"no permission: check the udev rule and the group"} if told else set())
    assert times.ns < (refused_s + 1.1) * 1e9


def test_a_kernel_driver_is_sent_away() -> None:
    bus, device, inbox = UsbBus(), Echo(), Inbox()
    device.faults.kernel_driver = True
    bus.plug(device)
    with pumping(bus, inbox):
        inbox.until_opened()
        assert device.faults.kernel_driver is False


def test_another_program_holds_it() -> None:
    bus, device, inbox = UsbBus(), Echo(), Inbox()
    bus.plug(device)
    other = bus.open("another", device.address)
    bus.claim(other)
    with pumping(bus, inbox):
        assert inbox.until_closed().reason == "in use by another program"
        bus.gone("another")
        inbox.until_opened()


def test_another_serial_number_is_another_device() -> None:
    bus, inbox = UsbBus(), Inbox()
    bus.plug(Echo("SIM-9999"))
    with pumping(bus, inbox):
        assert inbox.until_closed().reason == "not connected"
        bus.plug(Echo())
        inbox.until_opened()


def test_two_of_the_same_serial_number_are_refused() -> None:
    bus, inbox = UsbBus(), Inbox()
    bus.plug(Echo())
    bus.plug(Echo())
    with pumping(bus, inbox):
        assert inbox.until_closed().reason == "two devices with the same serial number"


@pytest.mark.parametrize("between", ["it served", "it was away"])
def test_f34_each_plug_has_three_seconds_of_its_own(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bus, device, inbox, times = UsbBus(), Echo(), Inbox(), Times()
    monkeypatch.setattr("firmware_sim.usb_bus.time.monotonic_ns", lambda: times.ns)

    def again() -> None:
        """Plugged in anew, refused for two seconds more."""
        times.then = lambda: None
        device.faults.no_access_until_ns = times.ns + 2_000_000_000
        bus.plug(device)

    def away_for_a_moment() -> None:
        if times.ns >= 2_000_000_000:
            times.then = again
            bus.unplug(device)

    device.faults.no_access_until_ns = 2_000_000_000 if between == "it served" else 99_000_000_000
    times.then = (lambda: None) if between == "it served" else away_for_a_moment
    bus.plug(device)
    port = pump(bus, inbox.post, backoff=usb_port.rest_s, rest=times.rest)
    port._clock_ns = lambda: times.ns
    port.start()
    try:
        if between == "it served":
            inbox.until_opened()
            with bus.changed:  # nobody sees the bus without it
                bus.unplug(device)
                again()
        inbox.until_opened()
    finally:
        port.close()
    reasons = {event.reason for event in inbox.all if isinstance(event, PortClosed)}
    assert NO_PERMISSION not in reasons
    assert times.ns > 4_000_000_000


class Fresh(SimBackend):
    """Devices that nobody has configured yet, as some systems leave them."""

    configured = False

    def set_configuration(self, dev_handle: int, config_value: int) -> None:
        self.configured = True

    def get_configuration(self, dev_handle: int) -> int:
        return int(self.configured)


def test_a_device_without_a_configuration_gets_its_first() -> None:
    bus, inbox = UsbBus(), Inbox()
    bus.plug(Echo())
    with pumping(bus, inbox, backend=Fresh(HereBus(bus))):
        inbox.until_opened()


class Keyboard(SimBackend):
    """Our numbers on a device of another class: no vendor's own interface."""

    def get_interface_descriptor(self, dev: object, intf: int, alt: int, config: int) -> object:
        found = super().get_interface_descriptor(dev, intf, alt, config)
        found.bInterfaceClass = 3
        return found


def test_another_kind_of_device_under_the_same_numbers_is_said_to_be_that() -> None:
    bus, inbox = UsbBus(), Inbox()
    bus.plug(Echo())
    with pumping(bus, inbox, backend=Keyboard(HereBus(bus))):
        assert inbox.until_closed().reason.startswith("another kind of device: it has no bulk endpoints")


def test_a_stranger_that_goes_while_it_is_asked_keeps_nobody_from_his_device(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, stranger, inbox = UsbBus(), Echo("SIM-9999"), Inbox()
    bus.plug(stranger)
    bus.plug(Echo())
    told = bus.string

    def string(handle: int) -> str:
        serial = told(handle)
        if serial == stranger.serial:
            raise UsbFailure(errno.ENODEV)
        return serial

    monkeypatch.setattr(bus, "string", string)
    with pumping(bus, inbox):
        inbox.until_opened()
        assert inbox.now() == []


def test_both_ends_begin_anew_before_the_first_read() -> None:
    """Whoever had the device before may have left them out of step."""
    bus, inbox = UsbBus(), Inbox()
    bus.plug(Echo())
    with pumping(bus, inbox):
        inbox.until_opened()
        assert seen(lambda: any(call == "read" for call, _ in bus.calls))
    calls = [call for call, _ in bus.calls]
    assert "detach" not in calls, "no driver had it"
    assert calls.index("claim") < calls.index("clear_halt"), "first it is ours"
    assert calls[: calls.index("read")].count("clear_halt") == 2


def test_without_libusb_it_is_said_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    real = object()
    for found in (None, real):
        monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda found=found: found)
        if found is None:
            with pytest.raises(PortUnavailable, match=r"libusb 1\.0 is not installed"):
                usb_port.libusb1()
        else:
            assert usb_port.libusb1() is real
