"""What a byte port and a device on one offer to the loop thread. Shapes only: no I/O, no game.

Whoever holds one of these needs no module of a transport or of a certain device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from drivers.events import DeviceEvent, PortEvent

Post = Callable[[PortEvent], None]  # puts a fact into the daemon's inbox; may wait, never loses it
ClockNs = Callable[[], int]  # monotonic nanoseconds


class BytePort(Protocol):
    """A pump that carries bytes. Everything it hears goes to its `post`."""

    def start(self) -> None:
        """Begin to connect, for ever, until closed."""

    def write(self, data: bytes) -> None:
        """Hand over bytes to be sent. Never waits; dropped while the port is closed."""

    def close(self) -> None:
        """End for good, within a bounded time. Posts nothing afterwards."""


class Device(Protocol):
    """A device on a byte port, as seen from the loop thread (sans-I/O)."""

    @property
    def name(self) -> str:
        """As in every event, and the name of its port."""

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open."""

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone or did not open."""

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes came, in any cut."""

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """Time passed; to be called at `next_tick_ns` at the latest."""

    def outgoing(self) -> bytes:
        """The bytes to write since the last call."""


class CardSource(Device, Protocol):
    """A device whose numbered events are the cards that are dealt."""

    def acknowledge(self, event_no: int) -> None:
        """This event, and every one before it, is on disk."""

    def adopt(self, event_no: int) -> None:
        """People have decided that the count goes on after this number."""

    def enable_deal(self, enabled: bool) -> None:
        """May cards be drawn? A level: repeated until the device confirms it."""
