"""Fingers on the table's keys: presses, holds and chords as level changes on wires, with bounce where a fault wants it.

Knows the wires of docs/wiring.md by name and nothing of the game. Times are those of a quick hand: a press lasts 25 ms,
more than twice the debounce of 10 ms.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic, sleep

from firmware_sim.errors import BenchError
from firmware_sim.gpio_server import GpioServer
from firmware_sim.wiring import INPUTS

PRESS_S = 0.025
GAP_S = 0.015
HOLD_S = 0.7
BOUNCE_S = 0.001
BOUNCES = 2
MOST_CHANGES = 20  # a second: more than 24 level changes are no finger but a fault (docs/wiring.md)


class Panel:
    """The keys, buttons, key switch and door."""

    def __init__(self, gpio: GpioServer, pause: Callable[[float], None] = sleep) -> None:
        self._gpio = gpio
        self._pause = pause
        self._lock = threading.RLock()
        self._stuck: set[str] = set()
        self._ready_at: dict[str, float] = {}
        self.bouncing = False

    def power_on(self) -> None:
        """Every wire at its resting level."""
        self._gpio.drive({wire.pin: wire.rest for wire in INPUTS.values()})

    def press(self, name: str) -> None:
        """A short press."""
        self.chord(name)

    def hold(self, name: str, seconds: float = HOLD_S) -> None:
        """A long press."""
        with self._lock:
            self._rest(name)
            self._set(name, active=True)
            self._pause(seconds)
            self._set(name, active=False)
            self._pause(GAP_S)

    def chord(self, *names: str) -> None:
        """Several keys down together, up together."""
        with self._lock:
            self._rest(*names)
            for name in names:
                self._set(name, active=True)
            self._pause(PRESS_S)
            for name in names:
                self._set(name, active=False)
            self._pause(GAP_S)

    def turn(self, name: str, *, on: bool) -> None:
        """A switch that stays where it is put (SWITCH, DOOR)."""
        with self._lock:
            self._set(name, active=on)

    def stick(self, name: str) -> None:
        """This key goes down and stays down."""
        with self._lock:
            self._set(name, active=True)
            self._stuck.add(name)

    def storm(self, name: str, edges: int = 60) -> None:
        """A contact that does not know what it wants, and is open again at the end."""
        with self._lock:
            for number in range(edges):
                self._set(name, active=number % 2 == 0)
            self._set(name, active=False)

    def free(self, name: str) -> None:
        """The stuck key comes up."""
        with self._lock:
            self._stuck.discard(name)
            self._set(name, active=False)

    def _rest(self, *names: str) -> None:
        """A finger does not hammer: so many changes of one key in a second and no more."""
        now = monotonic()
        self._pause(max(0.0, *(self._ready_at.get(name, now) - now for name in names)))
        changes = 2 * (1 + 2 * BOUNCES) if self.bouncing else 2
        for name in names:
            self._ready_at[name] = monotonic() + changes / MOST_CHANGES

    def _set(self, name: str, *, active: bool) -> None:
        wire = INPUTS.get(name)
        if wire is None:
            raise BenchError(707, "no such key", name, f"use one of {' '.join(INPUTS)}")
        if name in self._stuck:
            return
        down, up = 1 - wire.rest, wire.rest
        if self.bouncing:
            for _ in range(BOUNCES):  # contacts close and open again within 4 ms
                self._gpio.drive({wire.pin: down if active else up})
                self._pause(BOUNCE_S)
                self._gpio.drive({wire.pin: up if active else down})
                self._pause(BOUNCE_S)
        self._gpio.drive({wire.pin: down if active else up})
