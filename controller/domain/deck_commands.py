"""What people and the shuffler say of decks; found in commands as well, whatever asks for them."""

from __future__ import annotations

from controller.domain.device_commands import Command, Said


class Deck(Command, frozen=True, kw_only=True, tag="deck"):
    """Another deck; `out`: the one that it takes the place of (a planned change)."""

    deck: Said
    out: Said = ""


class StubCount(Command, frozen=True, kw_only=True, tag="stub_count"):
    """So many cards the last hand has left in the deck; -1: another number than expected."""

    number: int


class DeckSaid(Command, frozen=True, kw_only=True, tag="deck_said"):
    """The shuffler tells of a deck (docs/protocol.md): mark and numbers."""

    device: str
    event_no: int
    kind: str
    deck: Said
    count: int = 0
    doubles: int = 0
    unread: int = 0
    reason: str = ""


class DeckTime(Command, frozen=True, kw_only=True, tag="deck_time"):
    """So many minutes have passed with the table open."""

    minutes: int
