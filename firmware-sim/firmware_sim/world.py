"""What is physically so: the deck of each hand, which card lies where, what was thrown away.

The world knows every card, as the felt does. It never speaks to the daemon; only the shoe and the keys do.
Decks depend on the seed and the hand's number alone, so that a run repeats whatever its timing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from firmware_sim.errors import BenchError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = "JK"


class Place(StrEnum):
    """Where a card goes; the words of the snapshot's `expects`."""

    BOX = "box"
    DEALER = "dealer"
    DRAW = "draw"
    DEALER_DRAW = "dealer_draw"


def fresh_deck(size: int) -> list[str]:
    """All cards of a deck of 52, 53 (with the joker) or 36 (sixes up), in order."""
    ranks = RANKS[4:] if size == 36 else RANKS
    deck = [rank + suit for suit in SUITS for rank in ranks]
    if size == 53:
        deck.append(JOKER)
    if len(deck) != size:
        raise BenchError(701, "no such deck", f"{size} cards", "use 36, 52 or 53")
    return deck


def is_card(text: str) -> bool:
    """True for a card as this project writes it."""
    return text == JOKER or (len(text) == 2 and text[0] in RANKS and text[1] in SUITS)


@dataclass
class BoxCards:
    """The cards of one box: dealt, drawn, and the positions thrown away, in the order in which they went."""

    dealt: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    thrown: tuple[int, ...] = ()

    def held(self) -> list[str]:
        """What the player holds now; each replacement in its predecessor's place, a bought card last."""
        held, spare, _ = self._played()
        return held + spare

    def gone(self) -> list[str]:
        """What lies beside the box: where cards go one after another, a drawn one may be among them."""
        return self._played()[2]

    def _played(self) -> tuple[list[str], list[str], list[str]]:
        held, spare, gone = list(self.dealt), list(self.drawn), []
        for position in self.thrown:
            if position < len(held):
                gone.append(held[position])
                held[position] = spare.pop(0) if spare else held[position]
        return held, spare, gone


class World:
    """One table's cards. Not thread-safe: the bench holds a lock around it."""

    def __init__(self, seed: int, deck_size: int = 52) -> None:
        self.seed = seed
        self.deck_size = deck_size
        self.hand = 0
        self.boxes: dict[int, BoxCards] = {}
        self.dealer: list[str] = []
        self.loose: list[str] = []  # drawn when nobody expected a card
        self._deck: list[str] = []
        self._stacked: list[str] | None = None

    def shuffle(self, hand: int) -> None:
        """A new shuffled deck and an empty felt for this hand; a stacked deck is used once."""
        self.hand = hand
        self.boxes, self.dealer, self.loose = {}, [], []
        deck = fresh_deck(self.deck_size)
        Random(f"{self.seed}/deck/{hand}").shuffle(deck)
        if self._stacked is not None:
            first, self._stacked = self._stacked, None
            deck = first + [card for card in deck if card not in first]
        self._deck = deck

    def stack(self, cards: list[str]) -> None:
        """These cards come first in the next shuffled deck, in this order (twice the same card: a bad deck)."""
        for card in cards:
            if not is_card(card):
                raise BenchError(702, "not a card", card, "write cards as As Td 9c, the 53rd as JK")
        self._stacked = list(cards)

    def put_on_top(self, card: str) -> None:
        """The next card out of the shoe is this one, be it twice in the deck."""
        self._deck.insert(0, card)

    @property
    def left(self) -> int:
        """Cards still in the shoe."""
        return len(self._deck)

    def take(self) -> str:
        """The next card leaves the shoe."""
        if not self._deck:
            raise BenchError(703, "the shoe is empty", f"hand {self.hand}", "start a new hand")
        return self._deck.pop(0)

    def lay(self, card: str, place: Place | None, box: int = 0) -> None:
        """The card is laid where the dealer put it."""
        match place:
            case Place.BOX:
                self.box(box).dealt.append(card)
            case Place.DRAW:
                self.box(box).drawn.append(card)
            case Place.DEALER:
                self.dealer.append(card)
            case Place.DEALER_DRAW | None:
                self.loose.append(card)

    def box(self, box: int) -> BoxCards:
        """The cards of a box, empty at first."""
        return self.boxes.setdefault(box, BoxCards())

    def take_back(self, box: int) -> None:
        """The table did not take the exchange: what has not been replaced stays in the player's hand."""
        held = self.box(box)
        held.thrown = held.thrown[: len(held.drawn)]

    def throw_away(self, box: int, positions: tuple[int, ...]) -> None:
        """The player lays these positions of the dealt five face down beside the box."""
        self.box(box).thrown = positions
