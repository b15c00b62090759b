"""The decks of a table: where each one is, what it has been through, and what the table waits for because of them.

Pure structs and questions about them. A deck is known by its mark; nothing here knows a card. How a deck moves from one
place to another is told by events alone.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

MOST_DECKS = 2  # one in play, one in the shuffler
_MARK = re.compile(r"[A-Za-z0-9-]{1,12}\Z")


class DeckPlace(StrEnum):
    """Where a deck is, and how far it may be trusted."""

    ASIDE = "aside"  # with the dealer: new, or dealt
    OFFERED = "offered"  # in the shuffler, but nobody has brought it to this table
    MACHINE = "machine"  # in the shuffler, not counted
    SHUFFLING = "shuffling"
    FAILED = "failed"  # in the shuffler, which could not shuffle it
    READY = "ready"  # in the shuffler: shuffled, all its cards there, each once
    OUT = "out"  # taken from there, to be dealt
    PLAY = "play"
    QUARANTINED = "quarantined"
    RETIRED = "retired"


GONE = frozenset({DeckPlace.QUARANTINED, DeckPlace.RETIRED})
IN_MACHINE = frozenset({DeckPlace.MACHINE, DeckPlace.SHUFFLING, DeckPlace.FAILED, DeckPlace.READY})


class Deck(msgspec.Struct, frozen=True, kw_only=True):
    """One deck. `hands` dealt with it, `minutes` that the table was open with it; `reason`: why it is out of play."""

    mark: str
    place: DeckPlace
    hands: int = 0
    minutes: int = 0
    reason: str = ""

    @property
    def usable(self) -> bool:
        """One of this table's decks, and not out of play."""
        return self.place not in GONE and self.place is not DeckPlace.OFFERED


class DeckRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the house keeps its decks; 0: no limit, never asked.

    `shuffler`: one is fitted, which counts. `inspects`: it sees faces too and finds cards that are there twice.
    """

    shuffler: bool = False
    inspects: bool = True
    life_hands: int = 0
    life_hours: int = 0
    stub_hands: int = 0


def is_mark(text: str) -> bool:
    """Whether a deck may be called so where a shuffler reads its mark."""
    return _MARK.match(text) is not None


def find(decks: tuple[Deck, ...], mark: str) -> Deck | None:
    """The deck of this mark."""
    return next((deck for deck in decks if deck.mark == mark), None)


def at(decks: tuple[Deck, ...], *places: DeckPlace) -> Deck | None:
    """The first deck in one of these places."""
    return next((deck for deck in decks if deck.place in places), None)


def worn(hands: int, minutes: int, rules: DeckRules) -> bool:
    """A deck has had its life."""
    return 0 < rules.life_hands <= hands or 0 < rules.life_hours * 60 <= minutes


def to_shuffle(decks: tuple[Deck, ...]) -> str | None:
    """The mark of the deck that the machine is to shuffle now."""
    deck = at(decks, DeckPlace.MACHINE)
    return deck.mark if deck is not None else None


class Waits(StrEnum):
    """What keeps the next hand from its deck, where a shuffler is fitted."""

    BRING = "bring"  # no deck is left: a supervisor brings one
    OFFERED = "offered"  # the one in the machine is not known: a supervisor accepts it
    DISTRUSTED = "distrusted"  # its line was attacked: two people look, or vouch for a deck
    ABSENT = "absent"  # no shuffler: it comes back, or a supervisor vouches for a deck
    TAKE_OUT = "take_out"
    WAIT = "wait"
    FAILED = "failed"
    PUT_IN = "put_in"


def waits(decks: tuple[Deck, ...], connected: bool) -> tuple[Waits, str]:
    """The one next step, and the mark of the deck that it is about."""
    offered, ready = at(decks, DeckPlace.OFFERED), at(decks, DeckPlace.READY)
    failed, moving = at(decks, DeckPlace.FAILED), at(decks, DeckPlace.MACHINE, DeckPlace.SHUFFLING)
    if ready is not None:
        return Waits.TAKE_OUT, ready.mark
    if offered is not None:
        return Waits.OFFERED, offered.mark
    if not any(deck.usable for deck in decks):
        return Waits.BRING, ""
    if not connected:
        return Waits.ABSENT, ""
    if failed is not None:
        return Waits.FAILED, failed.mark
    if moving is not None:
        return Waits.WAIT, moving.mark
    aside = at(decks, DeckPlace.ASIDE)
    return Waits.PUT_IN, aside.mark if aside is not None else ""
