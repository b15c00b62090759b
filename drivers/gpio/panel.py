"""Buttons, keys, switch, door and the jackpot lamp on their pins. Owns the gpiozero devices while it lives (F47).

An edge callback runs in gpiozero's thread: it notes name, level and time, posts them and returns. It never decides,
never blocks, never raises.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Full
from threading import Lock
from typing import Any

from gpiozero import DigitalOutputDevice, InputDevice

from drivers.events import DeviceFault, Edge
from drivers.gpio.errors import PortError, backend_errors
from drivers.gpio.pins import INPUTS, JACKPOT_LAMP
from drivers.holders import holders

Post = Callable[[Edge], object]
OLDEST_NS = 1_000_000_000  # an edge said to be older than this has a time that means nothing


class _Line:
    """One input pin. A plain InputDevice: gpiozero's button classes drop an edge that repeats the last level (F37)."""

    def __init__(self, panel: Panel, name: str, bcm: int, factory: Any) -> None:
        self.name = name
        self._panel = panel
        self._factory = factory
        self._device = InputDevice(bcm, pull_up=True, pin_factory=factory)
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed

    def active(self) -> bool:
        return bool(self._device.value)

    def close(self) -> None:
        self._device.close()

    def _changed(self, ticks: Any, state: Any) -> None:
        try:
            self._panel.edge(Edge(self.name, not state, self._panel.clock_ns() - self._age_ns(ticks)))
        except Full:
            self._panel.count("edge_lost", self.name)
        except Exception:  # noqa: BLE001 - one of the named guards: an error here would end gpiozero's thread for every pin
            self._panel.count("edge_guard", self.name)

    def _age_ns(self, ticks: Any) -> int:
        # The kernel's stamp, where there is one: edges that waited keep their distance.
        age = round(self._factory.ticks_diff(self._factory.ticks(), ticks) * 1e9)
        return age if 0 <= age < OLDEST_NS else 0


class Panel:
    """Posts an Edge for every change of an input. `post` never waits: a full inbox raises queue.Full and is counted."""

    def __init__(
        self,
        factory: Any,
        post: Post,
        clock_ns: Callable[[], int],
        *,
        inputs: Mapping[str, int] = INPUTS,
        lamp: int = JACKPOT_LAMP,
    ) -> None:
        self.clock_ns = clock_ns
        self._post = post
        self._lock = Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._open: list[Any] = []
        self._lines: dict[str, _Line] = {}
        try:
            self._lamp = self._own("jackpot lamp", lamp, partial(_lamp, lamp, factory))
            for name, bcm in inputs.items():
                self._lines[name] = self._own(name, bcm, partial(_Line, self, name, bcm, factory))
        except PortError:
            self.close()
            raise

    def edge(self, edge: Edge) -> None:
        """For the callbacks: on to the inbox."""
        self._post(edge)

    def count(self, code: str, name: str) -> None:
        """For the callbacks: an edge did not get through."""
        with self._lock:
            self._counts[code, name] += 1

    def take_faults(self) -> list[DeviceFault]:
        """Edges lost since the last call. Asked for, not posted: it is the inbox that was full."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        return [DeviceFault("panel", code, f"{name}: {n} edge(s)") for (code, name), n in sorted(counts.items())]

    def read_level(self, name: str) -> bool:
        """The level now: True = active (low)."""
        try:
            return self._lines[name].active()
        except backend_errors() as cause:
            raise PortError("gpio_failed", f"pin cannot be read: {cause}", name, "check the GPIO device") from cause

    def read_levels(self) -> dict[str, bool]:
        return {name: self.read_level(name) for name in self._lines}

    def set_jackpot_lamp(self, lit: bool) -> None:
        """From the output thread."""
        try:
            self._lamp.value = int(lit)
        except backend_errors() as cause:
            where = f"{self._lamp.pin}"
            raise PortError("gpio_failed", f"lamp cannot be set: {cause}", where, "check the GPIO device") from cause

    def close(self) -> None:
        """Lamp low before its line is given back (F44); the pull-down keeps it so. May be called twice."""
        while self._open:
            device = self._open.pop()
            if isinstance(device, DigitalOutputDevice):
                with suppress(*backend_errors()):
                    device.off()
            device.close()

    def _own(self, name: str, bcm: int, make: Callable[[], Any]) -> Any:
        try:
            device = make()
        except backend_errors() as cause:
            code = "gpio_busy" if "busy" in str(cause).lower() else "gpio_unavailable"
            raise PortError(
                code, f"pin cannot be opened: {cause}", f"GPIO{bcm} ({name})", "see who holds it with gpioinfo"
            ) from cause
        self._open.append(device)
        return device


def _lamp(bcm: int, factory: Any) -> DigitalOutputDevice:
    return DigitalOutputDevice(bcm, initial_value=False, pin_factory=factory)


def chip_holder() -> str:
    """Who else has a GPIO chip open, in words."""
    found, complete = holders(list(Path("/dev").glob("gpiochip*")))
    others = [f"pid {pid} ({name})" for pid, name in found.items() if pid != os.getpid()]
    if others:
        return f"the chip is open in {' and '.join(others)}"
    return "nobody else has the chip open" if complete else "who holds it is told to root alone"


def open_panel(
    make: Callable[[], Panel],
    wait_s: Callable[[float], object],
    *,
    attempts: int = 20,
    holder: Callable[[], str] = chip_holder,
) -> Panel:
    """Opens the panel although the last process holds its lines still (F43): tries for 5 s, then names the holder."""
    for _ in range(attempts - 1):
        try:
            return make()
        except PortError as fault:
            if fault.code != "gpio_busy":
                raise
            wait_s(0.25)
    try:
        return make()
    except PortError as fault:
        if fault.code != "gpio_busy":
            raise
        raise PortError(fault.code, f"{fault.what}, {holder()}", fault.where, fault.remedy) from fault
