"""The shuffler as a thing: device, its place on the bus and a thread that lets its time pass.

The only place where shuffler and bus meet a clock.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from drivers.wire.framing import encode_frame
from drivers.wire.messages import VERSION, Event
from drivers.wire.session import SEALED
from firmware_sim.event_log import EventLog
from firmware_sim.key_memory import KeyMemory
from firmware_sim.shuffler import ShufflerDevice, SimDeck
from firmware_sim.usb_bus import UsbBus, UsbDevice

VENDOR, PRODUCT, SERIAL = 0x1209, 0x5348, "SIM-0002"
TICK_S = 0.02


class ShufflerUnit:
    """One shuffler on `bus`; its memory in `folder/shuffler-events`, its key, if any, in `folder/shuffler-key`."""

    def __init__(self, folder: Path, bus: UsbBus) -> None:
        self.bus = bus
        self._log = EventLog(folder / "shuffler-events")
        memory = KeyMemory(folder / "shuffler-key")
        self.device = ShufflerDevice(self._log, SERIAL, key=memory.read())
        self.device.keep_key = memory.write
        self.usb = UsbDevice(VENDOR, PRODUCT, SERIAL, self._hear)
        self.usb.reset_hook = self._bus_reset
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shuffler", daemon=True)

    def start(self) -> None:
        """Plug in and run."""
        self.bus.plug(self.usb)
        self._thread.start()

    def stop(self) -> None:
        """Unplug and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        self.unplug()
        self._log.close()

    def open_pairing(self, seconds: float = 60.0) -> None:
        """Somebody sets the switch inside the machine: it takes a new key for a minute."""
        with self._lock:
            self.device.pairing_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def plug(self) -> None:
        """The plug goes in, under a new address."""
        self.bus.plug(self.usb)

    def unplug(self) -> None:
        """The plug is pulled; the machine keeps its supply."""
        self.bus.unplug(self.usb)

    def restart(self) -> None:
        """Power off and on."""
        self.unplug()
        with self._lock:
            self.device.restart()
        self.plug()

    def put_in(self, deck: SimDeck) -> None:
        """A deck goes in."""
        with self._lock:
            self.device.put_in(deck, time.monotonic_ns())
            self._say()

    def take_out(self) -> SimDeck | None:
        """It comes out."""
        with self._lock:
            deck = self.device.take_out(time.monotonic_ns())
            self._say()
            return deck

    def jam(self) -> None:
        """A card is stuck."""
        with self._lock:
            self.device.jam(time.monotonic_ns())
            self._say()

    def forge(self) -> None:
        """Somebody on the wire invents counts: whole frames, sealed by nobody."""
        with self._lock:
            for number in range(6):
                head = bytes([VERSION, SEALED, Event.TYPE, 0]) + (2**40 + number).to_bytes(8, "little")
                self.bus.send(self.usb, encode_frame(head + os.urandom(40)))

    def swap(self) -> Callable[[], None]:
        """Another machine with the same number on its plug and a key of its own. Returns how to swap back."""
        mine = self.device.key
        self._become(os.urandom(32) if mine else None)
        return lambda: self._become(mine)

    def _become(self, key: bytes | None) -> None:
        self.unplug()
        with self._lock:
            self.device.key = key
            self.device.restart()
        self.plug()

    def refuse_access(self, seconds: float) -> None:
        """The device node is there before its rule is."""
        self.usb.faults.no_access_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def _hear(self, data: bytes) -> None:
        with self._lock:
            self.device.receive(data, time.monotonic_ns())
            self._say()

    def _bus_reset(self) -> None:
        with self._lock:
            self.device.forget_settings()

    def _say(self) -> None:
        self.bus.send(self.usb, self.device.outgoing())

    def _run(self) -> None:
        while not self._stop.wait(TICK_S):
            with self._lock:
                self.device.tick(time.monotonic_ns())
                self._say()
