"""The loop's dealings with the shuffler: what is on disk, what it shall do, where its log goes on; and the decks' time.

Runs on the loop thread. Holds nothing of a deck: the wish for a shuffle is computed from the state each time.
"""

from __future__ import annotations

from controller.domain import decks
from controller.domain.decks import DeckRules
from controller.domain.state import Table
from drivers.events import DeckTold, DeviceEvent, DeviceNote, EventsLost
from drivers.shuffler import Shuffler

STEP_MINUTES = 10
STEP_NS = STEP_MINUTES * 60 * 1_000_000_000


class Shuffling:
    """Without a shuffler it only counts time."""

    def __init__(self, shuffler: Shuffler | None) -> None:
        self._shuffler = shuffler
        self._since_ns: int | None = None

    def recorded(self, event: DeviceEvent, table: Table) -> None:
        """An event of it is on disk."""
        device = self._shuffler
        if device is not None and isinstance(event, DeckTold | DeviceNote | EventsLost) and event.device == device.name:
            device.acknowledge(table.shuffler.last_event)

    def adopted(self, events: tuple[str, ...], table: Table) -> None:
        """People or a new machine have decided where its log goes on."""
        if self._shuffler is not None and "ShufflerAdopted" in events:
            self._shuffler.adopt(table.shuffler.last_event)

    def serve(self, table: Table) -> None:
        """What the state wants of it."""
        if self._shuffler is not None:
            self._shuffler.shuffle(decks.to_shuffle(table.decks))

    def minutes(self, now_ns: int, table: Table, rules: DeckRules) -> int:
        """Minutes that are to be recorded now: in steps, and only where somebody limits a deck's life."""
        if not table.open or not rules.life_hours:
            self._since_ns = None
            return 0
        if self._since_ns is None:
            self._since_ns = now_ns
        if now_ns - self._since_ns < STEP_NS:
            return 0
        self._since_ns += STEP_NS
        return STEP_MINUTES
