"""The shoe's driver: a numbered device whose events are cards, and which may give them or not.

Owns the wanted deal level and the words of a shoe's events; the session is drivers.numbered's. Never guesses a card.
"""

from __future__ import annotations

from drivers.events import DeviceEvent
from drivers.numbered import NumberedDriver
from drivers.shoe_events import told
from drivers.wire.messages import Event
from drivers.wire.session import HostSeal


class Shoe(NumberedDriver):
    """One shoe."""

    HOLDS_FOR_OLDER = True

    def __init__(self, name: str, last_event: int, *, expected: str = "SHOE", seal: HostSeal | None = None) -> None:
        super().__init__(name, last_event, expected=expected, seal=seal)

    def enable_deal(self, enabled: bool) -> None:
        """May cards be drawn? A level: repeated until the device confirms it."""
        self._want_level(enabled)

    def _told(self, event: Event) -> DeviceEvent:
        return told(self.name, event, sealed=self._link.sealed)
