"""The shoe's own side of docs/protocol.md: a numbered device that cards leave one by one.

Sans-I/O. Knows cards by their text and what is physically in its throat; never the game.
"""

from __future__ import annotations

import os

from drivers.wire.cards import CARD_CODE
from drivers.wire.messages import CardState, EventKind, UnreadReason
from drivers.wire.session import Entropy
from firmware_sim.event_log import EventLog
from firmware_sim.numbered import NumberedDevice


class ShoeDevice(NumberedDevice):
    """One shoe. An empty one is no reason to inhibit."""

    def __init__(
        self,
        log: EventLog,
        serial: str = "SIM-0001",
        model: str = "SHOE/sim",
        *,
        key: bytes | None = None,
        entropy: Entropy = os.urandom,
    ) -> None:
        self.cards_left = 0
        super().__init__(log, serial, model, key=key, entropy=entropy)

    def card(self, card: str, now_ns: int) -> int:
        """A card left the shoe and was read. Returns its event number."""
        self.cards_left = max(0, self.cards_left - 1)
        return self.happen(EventKind.CARD, CARD_CODE[card], now_ns)

    def unread(self, reason: UnreadReason, now_ns: int) -> int:
        """A card left the shoe and could not be read."""
        self.cards_left = max(0, self.cards_left - 1)
        return self.happen(EventKind.CARD_UNREAD, reason, now_ns)

    def double_feed(self, now_ns: int) -> int:
        """Two cards left together. The next one waits for a level of its own: somebody must look first."""
        self.cards_left = max(0, self.cards_left - 2)
        self.deal = False
        return self.happen(EventKind.DOUBLE_FEED, 0, now_ns)

    def load(self, count: int, now_ns: int) -> None:
        """Lid open, a shuffled deck in, lid closed."""
        self.happen(EventKind.LID_OPEN, 0, now_ns)
        self.cards_left = count
        self.happen(EventKind.DECK_LOADED, count, now_ns)
        self.happen(EventKind.LID_CLOSED, 0, now_ns)

    def _card_state(self) -> CardState:
        return CardState.IN_THROAT if self.cards_left else CardState.NONE
