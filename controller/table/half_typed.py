"""What a finger has half done at the keys: a stake, a card, a declared result. Pure; a restart forgets it.

Each function takes what was typed so far and one key, and gives what is typed now and the act once it is complete.
"""

from __future__ import annotations

import msgspec

from controller.domain import cards
from controller.domain import commands as cm
from controller.domain.hand.declaring import categories
from controller.domain.hand.expects import public_cards
from controller.domain.hand.settling import discardable
from controller.domain.hand.setup import Setup
from controller.domain.state import Box, Hand

ROW = 6  # box keys
KEYS = {f"K{n}": n for n in range(1, 5)}
ENDS = ("win", "lose", "tie")
JOKER_TEXT = cards.card_text(cards.JOKER)
JOKER_RANK, WITH_JOKER = 13, 53  # the 53rd card is stepped to behind the deuce


class Edit(msgspec.Struct, frozen=True):
    """A box whose stake is being typed with chips."""

    box: int
    stake: dict[str, int]
    field: str = "ante"


class Entry(msgspec.Struct, frozen=True):
    """A card being entered: rank 12 (ace) first, no suit yet; JOKER_RANK is the 53rd card, which has none."""

    rank: int | None = None
    suit: int | None = None

    def text(self) -> str:
        """As far as it is known: `K-`, `-s`."""
        if self.rank == JOKER_RANK:
            return JOKER_TEXT
        rank = "-" if self.rank is None else cards.RANKS[self.rank]
        return rank + ("-" if self.suit is None else cards.SUITS[self.suit])


class Declaring(msgspec.Struct, frozen=True):
    """A result being declared: category, and who wins."""

    hand: str = ""
    against: str = ""

    def lines(self) -> tuple[str, ...]:
        """For the display."""
        return ("DECLARE:", self.hand.replace("_", " ").upper() or "-", self.against.upper() or "1 WIN 2 LOSE 3 TIE")


def pages(box: Box, setup: Setup) -> int:
    """How many rows of cards the digits can name discards from: the dealt ones, and what was drawn and thrown away."""
    again = len(discardable(box, setup)) - len(box.dealt)
    return 1 + -(-again // ROW)


def row(box: Box, page: int, setup: Setup) -> list[str]:
    """The cards that keys 1, 2, ... name on this page."""
    there = discardable(box, setup)
    dealt, again = there[: len(box.dealt)], there[len(box.dealt) :]
    return dealt if page == 0 else again[(page - 1) * ROW : page * ROW]


def enter(entry: Entry, key: str, hand: Hand, setup: Setup) -> tuple[Entry, cm.EnterCard | None]:
    """FOLD and BET step the ranks that are not public in all suits, keys 1 to 4 the suit, OK enters."""
    ranks = _open_ranks(hand, setup)
    if key in ("BET", "FOLD"):
        step = 1 if key == "BET" else -1
        at = ranks.index(entry.rank) + step if entry.rank in ranks else 0
        return Entry(ranks[at % len(ranks)], entry.suit), None
    if key in KEYS:
        return Entry(entry.rank, KEYS[key] - 1), None
    if key == "OK" and "-" not in entry.text():
        return Entry(), cm.EnterCard(card=entry.text())
    return entry, None


def _open_ranks(hand: Hand, setup: Setup) -> list[int]:
    public = public_cards(hand)
    ranks = [r for r in range(12, -1, -1) if any(cards.RANKS[r] + s not in public for s in cards.SUITS)]
    extra = setup.rules.deck_size == WITH_JOKER and JOKER_TEXT not in public
    return [*ranks, JOKER_RANK] if extra else ranks


def declare(said: Declaring, key: str, box: int, setup: Setup) -> tuple[Declaring | None, cm.Declare | None]:
    """FOLD and BET step the categories, keys 1 to 3 say who wins (box, dealer, nobody), OK declares. Box 0: dealer."""
    order = categories(setup)
    if key in ("BET", "FOLD"):
        step = 1 if key == "BET" else -1
        at = order.index(said.hand) + step if said.hand else 0
        return Declaring(order[at % len(order)], said.against), None
    if box and KEYS.get(key, len(ENDS) + 1) <= len(ENDS):
        return Declaring(said.hand, ENDS[KEYS[key] - 1]), None
    if key == "OK" and said.hand:
        return None, cm.Declare(box=box, hand=said.hand, against=said.against)
    return said, None
