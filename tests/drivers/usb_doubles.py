"""The real pyusb on a simulated bus in this process, a pump on it, and a shuffler with a behaviour of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from serial_doubles import Inbox

from drivers.events import (
    DeckTold,
    DeviceEvent,
    DeviceFault,
    DeviceLost,
    DeviceNote,
    DeviceReady,
    PortBytes,
    PortClosed,
    PortOpened,
)
from drivers.shuffler import Shuffler
from drivers.transport.usb_port import UsbId, UsbPump
from drivers.wire.session import HostSeal
from firmware_sim.shuffler_unit import PRODUCT, SERIAL, VENDOR, ShufflerUnit
from firmware_sim.usb_backend import SimBackend
from firmware_sim.usb_bus import UsbBus, UsbDevice
from firmware_sim.usb_link import HereBus

WANTED = UsbId(VENDOR, PRODUCT, SERIAL)
WAIT_S = 8.0


def seen(wanted: Callable[[], object], wait_s: float = WAIT_S) -> bool:
    """Looks again and again until it is so."""
    until = time.monotonic() + wait_s
    while not wanted():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


class Echo(UsbDevice):
    """A device that keeps what it hears and says what a test tells it to."""

    def __init__(self, serial: str = SERIAL) -> None:
        self.heard = bytearray()
        super().__init__(VENDOR, PRODUCT, serial, self.heard.extend)


def pump(bus: UsbBus, post: Callable[..., None], backend: SimBackend | None = None, **options: object) -> UsbPump:
    options.setdefault("backoff", lambda _attempt: 0.01)
    options.setdefault("read_ms", 20)
    options.setdefault("clock_ns", time.monotonic_ns)
    backend = backend or SimBackend(HereBus(bus))
    return UsbPump("shuffler", WANTED, backend, post, **options)  # type: ignore[arg-type]


class Times:
    """Virtual time: resting is what passes it. `then` may make something happen meanwhile."""

    def __init__(self) -> None:
        self.ns = 0
        self.then: Callable[[], None] = lambda: None

    def rest(self, seconds: float) -> None:
        self.ns += int(seconds * 1e9)
        self.then()


@contextmanager
def echoing(**options: object) -> Iterator[tuple[UsbBus, Echo, UsbPump, Inbox]]:
    """A pump that has connected to an echoing device."""
    bus, device, inbox = UsbBus(), Echo(), Inbox()
    bus.plug(device)
    with pumping(bus, inbox, **options) as port:
        inbox.until_opened()
        yield bus, device, port, inbox


@contextmanager
def pumping(bus: UsbBus, inbox: Inbox, **options: object) -> Iterator[UsbPump]:
    """A pump that runs, and does not outlive the test."""
    port = pump(bus, inbox.post, **options)  # type: ignore[arg-type]
    port.start()
    try:
        yield port
    finally:
        port.close()


class Host:
    """What the daemon's loop does with a shuffler, without a table: pump, driver and a memory that is the disk."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.bus = UsbBus()
        self.unit = ShufflerUnit(folder, self.bus)
        key = folder / "shuffler-key"
        seal = HostSeal(key.read_bytes(), os.urandom) if key.exists() else None
        self.driver = Shuffler("shuffler", 0, seal=seal)
        self.inbox = Inbox()
        options.setdefault("read_ms", 300)
        self.port = pump(self.bus, self.inbox.post, **options)
        self.said: list[DeviceEvent] = []
        self.last = 0
        self.wish: str | None = None
        self.opened = 0

    def __enter__(self) -> Host:
        self.unit.start()
        self.port.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.port.close()
        self.unit.stop()

    def run(self, wanted: Callable[[], object], wait_s: float = WAIT_S) -> bool:
        """Serves the port until it is so; false where it never is."""
        until = time.monotonic() + wait_s
        while not wanted():
            if time.monotonic() > until:
                return False
            self._serve()
        return True

    def _serve(self) -> None:
        for item in self.inbox.soon(0.01):
            match item:
                case PortOpened():
                    self.opened += 1
                    said = self.driver.opened(item.t_ns)
                case PortBytes():
                    said = self.driver.receive(item.data, item.t_ns)
                case PortClosed():
                    said = self.driver.closed(item.reason, item.t_ns)
            self._take(said)
        due, now = self.driver.next_tick_ns, time.monotonic_ns()
        if due is not None and now >= due:
            self._take(self.driver.tick(now))
        self.port.write(self.driver.outgoing())

    def _take(self, said: list[DeviceEvent]) -> None:
        for event in said:
            self.said.append(event)
            if isinstance(event, DeckTold | DeviceNote) and event.event_no == self.last + 1:
                self.last = event.event_no
                if isinstance(event, DeckTold):
                    self.wish = {"deck_in": event.deck}.get(event.kind)
                self.driver.acknowledge(self.last)
        self.driver.shuffle(self.wish)

    def told(self, kind: str) -> list[DeckTold]:
        return [event for event in self.said if isinstance(event, DeckTold) and event.kind == kind]

    def codes(self) -> list[str]:
        return [event.code for event in self.said if isinstance(event, DeviceFault)]

    def ready(self) -> int:
        return sum(isinstance(event, DeviceReady) for event in self.said)

    def lost(self) -> list[str]:
        return [event.reason for event in self.said if isinstance(event, DeviceLost)]
