"""What the loop drives, as it knows it: ports, screen, server, and the two items that are its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from controller.control.pins import Verdict
from controller.control.protocol import Answer
from controller.domain import commands as cm
from controller.domain.hand.authority import Identity
from controller.runtime.logs import TotalLogger
from controller.runtime.notify import Notifier
from controller.runtime.pairing import PairingDesk
from controller.runtime.peers import Peers
from controller.runtime.shuffling import Shuffling
from controller.table import lamps
from controller.table.keypad import Keypad
from controller.table.menu import ReadHands, Supervised
from controller.table.service import Service
from drivers.events import DeviceFault
from drivers.gpio.debounce import Debouncer
from drivers.gpio.sensors import BetSensors
from drivers.ports import CardSource, Device

TO_TRAINING, TO_TABLE = "to training", "to the table"
"""Reasons of a run's end after which this process begins another run."""


class Quit(msgspec.Struct, frozen=True):
    """SIGTERM or SIGINT, or a change between table and training: stop in order."""

    reason: str


class PinSaid(msgspec.Struct, frozen=True):
    """The PIN desk's answer to an act at the key switch."""

    command: cm.Command | ReadHands
    version: int
    verdict: Verdict


class Port(Protocol):
    """drivers.transport.serial_port.SerialPump."""

    def write(self, data: bytes) -> None: ...


class Line(msgspec.Struct, frozen=True):
    """A device and the port that it speaks through."""

    device: Device
    port: Port


class Server(Protocol):
    """controller.control.server.ControlServer."""

    def publish(self, snapshot: bytes, version: int) -> None: ...

    def loop_alive(self) -> None: ...


class Screen(Protocol):
    """controller.runtime.outputs.Outputs."""

    def show(self, display: lamps.Display, hand: int) -> None: ...

    def lamp_test(self) -> None: ...


class Parts(msgspec.Struct):
    """What the loop drives; made by app.py."""

    service: Service
    lines: tuple[Line, ...]  # every device on a byte port
    source: CardSource | None  # the one among them whose cards are dealt
    pairing: PairingDesk
    shuffling: Shuffling
    keypad: Keypad
    debouncer: Debouncer
    sensors: BetSensors | None
    peers: Peers
    panel_faults: Callable[[], list[DeviceFault]]
    screen: Screen
    server: Server
    notifier: Notifier
    log: TotalLogger
    housekeeping: Callable[[], None]
    log_trouble: Callable[[], str | None]
    journal_health: Callable[[], dict[str, object]]
    recall: Callable[[int, tuple[Identity, ...]], Answer]
    ask_pin: Callable[[Supervised, int], None]
    language: str
    clock_ns: Callable[[], int]
