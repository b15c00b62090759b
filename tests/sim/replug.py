"""A plug that is pulled and put back, over and over, on a real pty with the real pump; what it costs.

Not a test itself: test_replug.py pulls some, tests/soak_line.py two thousand.
"""

from __future__ import annotations

import contextlib
import os
import queue
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from drivers.events import CardRead, DeviceEvent, DeviceFault, DeviceLost, DeviceReady, PortBytes, PortClosed, PortEvent
from drivers.shoe import Shoe
from drivers.transport.serial_port import SerialPump
from drivers.wire.session import HostSeal
from firmware_sim.shoe_unit import ShoeUnit

KEY = bytes(range(32))
USABLE_S = 2.0


@dataclass
class Found:
    """Of a whole run."""

    slowest_s: float = 0.0
    cards: list[str | None] = field(default_factory=list)
    told: int = 0
    descriptors: int = 0
    threads: int = 0
    busy_s: float = 0.0


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


class Host:
    """What tabled's loop does with one line."""

    def __init__(self, path: Path) -> None:
        self.shoe = Shoe("shoe", 0, seal=HostSeal(KEY, os.urandom))
        self._inbox: queue.SimpleQueue[PortEvent] = queue.SimpleQueue()
        self.pump = SerialPump("shoe", str(path), 115_200, self._inbox.put, time.monotonic_ns)
        self.told: list[DeviceEvent] = []
        self.pump.start()

    def until(self, kind: type[DeviceEvent], timeout_s: float) -> None:
        """The next event of this kind."""
        before, deadline = self._count(kind), time.monotonic() + timeout_s
        while self._count(kind) == before:
            assert time.monotonic() < deadline, f"no {kind.__name__} within {timeout_s} s: {self.told[-5:]}"
            self._round()

    def _count(self, kind: type[DeviceEvent]) -> int:
        return sum(isinstance(event, kind) for event in self.told)

    def _round(self) -> None:
        with contextlib.suppress(queue.Empty):
            match self._inbox.get(timeout=0.01):
                case PortBytes(data=data):
                    self._hear(self.shoe.receive(data, time.monotonic_ns()))
                case PortClosed(reason=reason):
                    self._hear(self.shoe.closed(reason, time.monotonic_ns()))
                case _:
                    self._hear(self.shoe.opened(time.monotonic_ns()))
        self._hear(self.shoe.tick(time.monotonic_ns()))
        self.pump.write(self.shoe.outgoing())

    def _hear(self, events: list[DeviceEvent]) -> None:
        self.told += events
        for event in events:
            if isinstance(event, CardRead):
                self.shoe.acknowledge(event.event_no)


@contextlib.contextmanager
def _bench() -> Iterator[tuple[ShoeUnit, Host]]:
    with tempfile.TemporaryDirectory(prefix="link-plug-", dir="/tmp") as name:
        (Path(name) / "shoe-key").write_bytes(KEY)
        unit = ShoeUnit(Path(name), seed=1)
        unit.start()
        host = Host(Path(name) / "shoe")
        try:
            yield unit, host
        finally:
            host.pump.close()
            unit.stop()


def run(cycles: int, *, card_every: int = 50) -> Found:
    """So many plugs pulled; AssertionError where a return takes too long, or something is left over."""
    found = Found()
    with _bench() as (unit, host):
        host.until(DeviceReady, 5)
        host.shoe.enable_deal(True)
        descriptors, threads = _descriptors(), threading.active_count()
        busy = time.process_time()
        for number in range(cycles):
            unit.unplug()
            host.until(DeviceLost, 5)
            back = time.monotonic()
            unit.plug()
            host.until(DeviceReady, USABLE_S)
            found.slowest_s = max(found.slowest_s, time.monotonic() - back)
            if number % card_every == 0:
                _one_card(unit, host)
        found.busy_s = time.process_time() - busy
        found.descriptors, found.threads = _descriptors() - descriptors, threading.active_count() - threads
        found.cards = [event.card for event in host.told if isinstance(event, CardRead)]
        found.told = sum(not isinstance(event, CardRead | DeviceFault) for event in host.told)
    assert abs(found.descriptors) <= 1 and found.threads == 0, found
    assert found.told <= 2 * cycles + 3, "one loss and one return each, no more"
    assert found.busy_s < 0.1 * cycles, found
    return found


def _one_card(unit: ShoeUnit, host: Host) -> None:
    deadline = time.monotonic() + USABLE_S
    while not unit.card("As"):
        assert time.monotonic() < deadline, "back, and deals nothing"
        host._round()
    host.until(CardRead, USABLE_S)
