"""Cards as small integers, and their text. Owns the notation; knows no game.

A card is 4 * rank + suit: rank 0 is the deuce and 12 the ace, suits 0 to 3 are clubs, diamonds, hearts, spades;
52 is the joker of the 53-card deck (`JK`). Text: rank `23456789TJQKA` (or `10`), then suit `cdhs` or its sign (full or
outlined). Devices have codes of their own (drivers.wire.cards); this is for what people type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType

Card = NewType("Card", int)

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = Card(52)

_TEXT = [r + s for r in RANKS for s in SUITS] + ["JK"]
_CARD = {text: Card(i) for i, text in enumerate(_TEXT)}
_CARD |= {"10" + s: Card(8 * 4 + i) for i, s in enumerate(SUITS)}
_CARD |= {
    text.replace(suit, sign): card
    for text, card in list(_CARD.items())
    if text != "JK"
    for suit, signs in zip(SUITS, ("\u2663\u2667", "\u2666\u2662", "\u2665\u2661", "\u2660\u2664"), strict=True)
    for sign in signs
    if text.endswith(suit)
}


class CardError(ValueError):
    """A text that is not a card, or a card where it cannot be. The message names both."""


def parse_card(text: str) -> Card:
    """`As`, `Td`, `10d`, `A\u2660`, `JK`. Strict: any other spelling is a CardError, never a guess."""
    try:
        return _CARD[text]
    except KeyError:
        raise CardError(f"{text!r} is not a card (rank 23456789TJQKA or 10, then suit cdhs; JK)") from None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Cards separated by blanks. A CardError where one is wrong or stands twice."""
    cards = tuple(parse_card(word) for word in text.split())
    seen: set[Card] = set()
    for place, card in enumerate(cards, 1):
        if card in seen:
            raise CardError(f"{card_text(card)} stands twice (again at place {place})")
        seen.add(card)
    return cards


def card_text(card: Card) -> str:
    """The two characters that name a card everywhere (`T` for ten)."""
    return _TEXT[card]


def cards_text(cards: Iterable[Card]) -> str:
    """Cards separated by single blanks."""
    return " ".join(_TEXT[card] for card in cards)


def rank_of(card: Card) -> int:
    """0 (deuce) to 12 (ace). The joker has none: 13, above every rank, so that a misuse shows."""
    return card >> 2


def suit_of(card: Card) -> int:
    """0 to 3: clubs, diamonds, hearts, spades."""
    return card & 3


def deck(size: int) -> tuple[Card, ...]:
    """The cards of a deck: 52, 53 (with the joker) or 36 (sixes up, rules of S001)."""
    match size:
        case 52:
            return tuple(Card(i) for i in range(52))
        case 53:
            return tuple(Card(i) for i in range(53))
        case 36:
            return tuple(Card(i) for i in range(16, 52))
        case _:
            raise ValueError(f"no deck of {size} cards")
