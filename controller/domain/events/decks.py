"""What becomes of decks: what a shuffler tells, who brings and checks them, when one is out of play."""

from __future__ import annotations

from controller.domain.events.base import Event


class ShufflerTold(Event, frozen=True, kw_only=True, tag=True):
    """A numbered event of the shuffler about a deck: mark and numbers, never a card. `kind` as in docs/protocol.md."""

    device: str
    event_no: int
    kind: str
    deck: str
    count: int
    doubles: int
    unread: int
    reason: str


class ShufflerAdopted(Event, frozen=True, kw_only=True, tag=True):
    """The shuffler's log goes on after this number: a machine that is new here, or one whose log began anew."""

    event_no: int


class DeckVerified(Event, frozen=True, kw_only=True, tag=True):
    """The shuffler found all cards of the game: who counted (device), when told, at whose table (people).

    `inspected`: it saw every face, and each card is there once. False: it only counted.
    """

    deck: str
    count: int
    model: str
    serial: str
    firmware: str
    sealed: bool
    dealer: str
    inspector: str
    inspected: bool = True


class DeckBrought(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor brought this deck to the table, or accepted the one that lies in the shuffler."""

    deck: str


class DeckRetired(Event, frozen=True, kw_only=True, tag=True):
    """A planned change: the deck has had its life (`reason` life) or was taken from the table (change)."""

    deck: str
    hands: int
    minutes: int
    reason: str


class DeckAged(Event, frozen=True, kw_only=True, tag=True):
    """So many minutes the table was open with its decks."""

    minutes: int


class StubCounted(Event, frozen=True, kw_only=True, tag=True):
    """The cards left after the last hand were counted; `counted` -1: another number, not given."""

    expected: int
    counted: int
