"""The plain reader at the discard tray: sees every card once more, independent of what dealt it. Sans-I/O.

A plain reader in all that concerns lines and codes; what it says is no deal, has no number and waits for nobody.
"""

from __future__ import annotations

from drivers.events import CardRead, DeviceEvent, DoubtfulRead, TrayRead
from drivers.reader_ascii import PlainReader
from drivers.reader_codes import CodeTable

UNKNOWN = "??"


class TrayReader:
    """One reader. A scan that nobody knows is a card all the same, unknown."""

    def __init__(self, name: str, table: CodeTable) -> None:
        self._reader = PlainReader(name, table, 0)

    @property
    def name(self) -> str:
        """As in every event."""
        return self._reader.name

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        return self._reader.next_tick_ns

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open."""
        return self._seen(self._reader.opened(now_ns))

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone or did not open."""
        return self._seen(self._reader.closed(reason, now_ns))

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        return self._seen(self._reader.receive(data, now_ns))

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """A line without an end is an unknown card."""
        return self._seen(self._reader.tick(now_ns))

    def outgoing(self) -> bytes:
        """Nothing is ever said to it."""
        return b""

    def _seen(self, events: list[DeviceEvent]) -> list[DeviceEvent]:
        found: list[DeviceEvent] = []
        for event in events:
            match event:
                case CardRead():
                    self._reader.acknowledge(event.event_no)
                    found.append(TrayRead(event.device, event.card or UNKNOWN))
                case DoubtfulRead():
                    self._reader.acknowledge(event.event_no)
                    if event.reason != "away":
                        found.append(TrayRead(event.device, UNKNOWN))
                case _:
                    found.append(event)
        return found
