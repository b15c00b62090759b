"""F24 at the daemon's loop: the shuffler's plug is out for ten minutes, on a clock that leaves the waiting out.

Loop, driver, pump, pyusb and journal are the real ones; what rests between two tries is skipped, not slept.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckRules
from controller.runtime.loop import Loop
from controller.runtime.pairing import PairingDesk
from controller.runtime.parts import Line, Parts, Quit
from controller.runtime.peers import Peers
from controller.runtime.shuffling import Shuffling
from controller.table.keypad import Keypad
from drivers.events import PortClosed
from drivers.gpio.debounce import Debouncer
from drivers.shuffler import Shuffler
from drivers.transport.usb_port import UsbId, UsbPump, rest_s
from firmware_sim.shuffler import SimDeck
from firmware_sim.shuffler_unit import PRODUCT, SERIAL, VENDOR, ShufflerUnit
from firmware_sim.usb_backend import SimBackend
from firmware_sim.usb_bus import UsbBus
from firmware_sim.usb_link import HereBus

SECOND = 1_000_000_000
GONE_NS = 600 * SECOND
STUCK_S = 10.0
RED, BLUE = "R-1041", "B-2207"


class Warp:
    """The clock of this world: real time, and what was skipped while everybody rested."""

    def __init__(self) -> None:
        self._skipped = 0
        self._due: int | None = None  # until when the pump rests
        self._changed = threading.Condition()
        self.rests: list[float] = []

    def now_ns(self) -> int:
        return time.monotonic_ns() + self._skipped

    def rest(self, seconds: float) -> None:
        """The pump's."""
        with self._changed:
            self.rests.append(seconds)
            self._due = self.now_ns() + int(seconds * SECOND)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._due is None, STUCK_S)

    def skip(self, until_ns: int) -> bool:
        """To the pump's next try or to `until_ns`, whichever is sooner; whether the pump tries now."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._due is not None, STUCK_S), "the pump does not rest"
            assert self._due is not None
            tries = self._due <= until_ns
            self._skipped += max(0, min(self._due, until_ns) - self.now_ns())
            if tries:
                self._due = None
                self._changed.notify_all()
            return tries

    def release(self) -> None:
        with self._changed:
            self._due = None
            self._changed.notify_all()


class WarpedInbox(queue.Queue[Any]):
    """While the port is closed nothing is waited for."""

    def __init__(self, warp: Warp) -> None:
        super().__init__(1024)
        self._warp, self._closed = warp, False

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        with contextlib.suppress(queue.Empty):
            return self._taken(super().get(block=False))
        if not self._closed:
            return self._taken(super().get(timeout=timeout))
        if self._warp.skip(self._warp.now_ns() + int((timeout or 0) * SECOND)):
            return self._taken(super().get(timeout=STUCK_S))  # each try is told: closed again, or open
        raise queue.Empty

    def _taken(self, item: Any) -> Any:
        self._closed = isinstance(item, PortClosed)
        return item


class World:
    """What the loop shows and logs, counted; and the script of the plug, looked at once a round."""

    def __init__(self, unit: ShufflerUnit, state: Callable[[], str], counted: Callable[[], object]) -> None:
        self.lines: list[tuple[str, dict[str, Any]]] = []
        self.counts: Counter[str] = Counter()
        self.loop: Loop
        self.unplugged_ns = self.plugged_ns = self.usable_ns = 0
        self.while_gone: Counter[str] = Counter()
        self._unit, self._state, self._counted = unit, state, counted
        self._before: Counter[str] = Counter()
        self._deadline_s = time.monotonic() + 30.0

    def watchdog(self, now_ns: int) -> None:
        assert time.monotonic() < self._deadline_s, self.lines[-5:]
        ready = self._state() == "ready"
        if not self.unplugged_ns:
            if ready:
                self._unit.unplug()
                self.unplugged_ns, self._before = now_ns, Counter(self.counts)
        elif not self.plugged_ns:
            if now_ns - self.unplugged_ns >= GONE_NS:
                self.while_gone = self.counts - self._before
                self._unit.plug()
                self.plugged_ns = now_ns
        elif not self.usable_ns:
            if ready:
                self._unit.put_in(SimDeck(BLUE))
                self.usable_ns = now_ns
        elif self._counted():
            self.loop.quit(Quit("seen"))

    # what the loop asks of its surroundings

    def info(self, event: str, **keys: Any) -> None:
        self._said("info", event, keys)

    def warning(self, event: str, **keys: Any) -> None:
        self._said("warning", event, keys)

    def exception(self, event: str, **keys: Any) -> None:
        raise AssertionError(f"{event} {keys}")

    def _said(self, level: str, event: str, keys: dict[str, Any]) -> None:
        self.lines.append((f"{level} {event}", keys))
        self.counts["log"] += 1

    def publish(self, _snapshot: bytes, _version: int) -> None:
        self.counts["published"] += 1

    def show(self, _display: Any, _hand: int) -> None:
        self.counts["shown"] += 1

    def loop_alive(self) -> None:
        self.counts["rounds"] += 1


class Looped(Rig):
    """A table whose every change goes to the loop."""

    loop: Loop | None = None

    def changed(self) -> None:
        if self.loop is not None:
            self.loop.changed()


def health(rig: Rig) -> str:
    return str(rig.table.devices.get("shuffler", "absent"))


def parts(rig: Rig, world: Any, shuffler: Shuffler, pump: UsbPump, clock_ns: Callable[[], int]) -> Parts:
    return Parts(
        service=rig.service, lines=(Line(shuffler, pump),), source=None, pairing=PairingDesk({}),
        shuffling=Shuffling(shuffler), keypad=Keypad(), debouncer=Debouncer((), lambda _: False, clock_ns()),
        sensors=None, peers=Peers(None, None, "en", lambda: "", lambda: (0, "")), panel_faults=list, screen=world,
        server=world, notifier=world, log=world, housekeeping=lambda: None, log_trouble=lambda: None,
        journal_health=dict, recall=lambda *_: pytest.fail("nobody asks"), ask_pin=lambda *_: None, language="en",
        clock_ns=clock_ns,
    )  # fmt: skip


@contextlib.contextmanager
def ten_minutes_without(folder: Path) -> Iterator[tuple[Looped, World, Warp]]:
    """An open table; the plug goes out and, ten minutes later, in; then a deck is put in and counted."""
    warp, bus = Warp(), UsbBus()
    unit = ShufflerUnit(folder, bus)
    rig = Looped(folder, setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
    rig.connect("shoe", "board")
    rig.do(cm.OpenTable(), D1, S1)
    for mark in (RED, BLUE):  # the first is vouched for: a hand stands open with it
        rig.do(cm.Deck(deck=mark), S1)
    world = World(unit, lambda: health(rig), lambda: rig.events(ev.DeckVerified))
    inbox = WarpedInbox(warp)
    shuffler = Shuffler("shuffler", rig.table.shuffler.last_event, serial=SERIAL)
    wanted, backend = UsbId(VENDOR, PRODUCT, SERIAL), SimBackend(HereBus(bus))
    pump = UsbPump("shuffler", wanted, backend, inbox.put, warp.now_ns, rest=warp.rest, read_ms=20)
    rig.loop = world.loop = Loop(parts(rig, world, shuffler, pump, warp.now_ns), inbox)
    unit.start()
    pump.start()
    try:
        assert world.loop.run() == "seen"
        yield rig, world, warp
    finally:
        pump._stop.set()
        warp.release()
        pump.close()
        unit.stop()
        rig.close()


def test_f24_ten_minutes_without_the_shuffler_cost_one_loss_one_return_and_seconds(tmp_path: Path) -> None:
    began = time.monotonic()
    with ten_minutes_without(tmp_path) as (rig, world, warp):
        assert world.plugged_ns - world.unplugged_ns >= GONE_NS
        assert world.usable_ns - world.plugged_ns <= 5 * SECOND
        first = next(n for n in range(len(warp.rests)) if warp.rests[n] == 1.0)
        assert warp.rests[:first] == [rest_s(n) for n in range(1, first + 1)] == [0.1, 0.2, 0.4, 0.8]
        assert set(warp.rests[first:]) == {1.0}, "a device that is back is wanted at once"
        assert 590 <= len(warp.rests) <= 610
        assert [e.device for e in rig.events(ev.DeviceDown)] == ["shuffler"] * len(rig.events(ev.DeviceDown))
        assert 1 <= len(rig.events(ev.DeviceDown)) <= 2, "gone, and not connected"
        assert len([e for e in rig.events(ev.DeviceUp) if e.device == "shuffler"]) == 2
        closed = [keys["reason"] for said, keys in world.lines if said == "warning port closed"]
        assert closed == ["device gone", "not connected"]
        assert [e.deck for e in rig.events(ev.DeckVerified)] == [BLUE], "it serves"
        assert world.while_gone["log"] <= 6
        assert world.while_gone["published"] <= 6
        assert world.while_gone["rounds"] > 600
    assert time.monotonic() - began < GONE_NS / SECOND / 10
