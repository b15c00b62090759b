"""The part of a game that is not summed over all deals: draws of several cards, and buying the dealer a card.

Hands are drawn at random, evenly over all strengths; for each, every choice is still valued exactly. Only the gain
over what the exact sum already contains is averaged, so that the error is small and known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from controller.domain.cards import JOKER, Card, deck
from controller.domain.paytable import Category
from controller.odds.finals import Book
from controller.odds.hand import Adviser, Choice, Shown
from controller.odds.open_joker import classes
from controller.odds.payoff import Moments, Payoff
from controller.odds.ranks import RANKS, Floats

Progress = Callable[[float], None]


_GOLDEN, _SILVER = 0.6180339887498949, 0.41421356237309515
_BLOCK = 8
_Player = tuple[int, tuple[Card, ...], int]
"""Code, a representative, and how many hands are like it."""


class Gain(NamedTuple):
    """Mean gain in antes, its standard error, and what it changes in the other moments and in the choices."""

    mean: float
    stderr: float
    moments: dict[str, float]
    choices: dict[str, float]


def needs_draws(book: Book) -> bool:
    """More than one card may be exchanged."""
    return any(count > 1 for count in book.rules.exchange_fee)


def needs_sixth(book: Book) -> bool:
    """A sixth card in a game with a joker is in no sum over all deals."""
    return book.rules.sixth_card_fee is not None and book.joker != "none"


def _in_the_sum(book: Book, choice: Choice) -> bool:
    return len(choice.gone) < 2 and not (choice.name == "buy6" and needs_sixth(book))


def needs_purchase(book: Book) -> bool:
    return book.rules.dealer_exchange_fee is not None and book.joker == "none"


def draws_gain(book: Book, payoff: Payoff, hands: int, seed: int, progress: Progress | None = None) -> Gain:
    """What exchanging more than one card adds to the best of folding, raising, one card and a sixth card.

    With a joker the sixth card is no part of that best: what it adds is in this gain too.
    """
    adviser = Adviser(book, payoff, buys=False)

    def value(shown: Shown) -> tuple[float, Floats, dict[str, float]]:
        every = adviser.choices(shown)
        best, base = every[0], next(choice for choice in every if _in_the_sum(book, choice))
        if best is base:
            return 0.0, np.zeros(len(Moments._fields)), {}
        change = np.concatenate(adviser.moments(shown, best)) - np.concatenate(adviser.moments(shown, base))
        return best.ev - base.ev, change, {name_of(best): 1.0, name_of(base): -1.0}

    return _mean(book, value, hands, 0.05, np.random.default_rng(seed), progress)


def purchase_gain(book: Book, payoff: Payoff, hands: int, seed: int, progress: Progress | None = None) -> Gain:
    """What buying the dealer a card adds to the best of everything else."""
    without, buying = (Adviser(book, payoff, buys=buys) for buys in (False, True))

    def value(shown: Shown) -> tuple[float, Floats, dict[str, float]]:
        most = 1 if is_strong(book, shown) else 5
        gain = buying.choices(shown, most)[0].ev - without.choices(shown, most)[0].ev
        return gain, np.zeros(len(Moments._fields)), {}

    return _mean(book, value, hands, 0.15, np.random.default_rng(seed + 1), progress)


_Value = Callable[[Shown], tuple[float, Floats, dict[str, float]]]


def _mean(
    book: Book, value: _Value, hands: int, strong: float, rng: np.random.Generator, progress: Progress | None
) -> Gain:
    """Two strata: `strong` is the part of the sample that goes to dealt straights and better."""
    players = _players(book)
    floor = book.lowest(Category.STRAIGHT)
    split = int(np.searchsorted([code for code, _, _ in players], floor))
    parts = [(players[:split], hands - int(hands * strong)), (players[split:], max(int(hands * strong), 2))]
    every = sum(ways for _, _, ways in players)
    mean, variance, done = 0.0, 0.0, 0
    moments, choices = np.zeros(len(Moments._fields)), dict[str, float]()
    for part, size in parts:
        share = sum(ways for _, _, ways in part) / every
        gains = np.zeros(size)
        shown = _deals(book, part, size, rng)
        for number in _order(shown):
            gains[number], change, names = value(shown[number])
            moments += change * share / size
            for name, sign in names.items():
                choices[name] = choices.get(name, 0.0) + sign * share / size
            done += 1
            if progress is not None:
                progress(done / hands)
        mean += share * float(gains.mean())
        variance += (share * _stderr(gains)) ** 2

    return Gain(mean, variance**0.5, dict(zip(Moments._fields, moments.tolist(), strict=True)), choices)


def is_strong(book: Book, shown: Shown) -> bool:
    """A straight or better: nobody throws away more than one card of it."""
    value = book.ranking.value(shown.cards, JOKER if JOKER in shown.cards else shown.joker)
    return book.ranking.number[book.ranking.category(value)] >= book.ranking.number[Category.STRAIGHT]


def name_of(choice: Choice) -> str:
    return f"exchange_{len(choice.gone)}" if choice.name == "exchange" else choice.name


def _stderr(gains: Floats) -> float:
    """Of a mean over hands in rising strength: neighbouring blocks are alike, so their differences are what is random.

    Where no hand gained anything, it is as if one in all of them had gained a tenth of an ante.
    """
    size = _BLOCK if len(gains) >= 4 * _BLOCK else 1
    blocks = gains[: len(gains) // size * size].reshape(-1, size).mean(axis=1)
    if len(blocks) < 2:
        return float("inf")
    if not gains.any():
        return 0.1 / len(gains)
    return float(np.sqrt(np.square(np.diff(blocks)).sum() / (2 * (len(blocks) - 1)) / len(blocks)))


def _order(shown: list[Shown]) -> list[int]:
    """By open card and joker, so that what these share is made once."""
    return sorted(range(len(shown)), key=lambda i: (shown[i].open >> 2, (shown[i].joker or 0) >> 2))


def _deals(book: Book, players: list[_Player], hands: int, rng: np.random.Generator) -> list[Shown]:
    """Random deals in rising strength of the player's hand, one from each stretch of equal size."""
    ends = np.cumsum([ways for _, _, ways in players])
    at = (np.arange(hands) + rng.random(hands)) / hands * ends[-1]
    picked = np.searchsorted(ends, at, side="right").tolist()
    # The open card runs through all ranks every few hands, the joker in a rhythm of its own.
    opens, jokers = ((rng.random() + np.arange(hands) * step) % 1.0 for step in (_GOLDEN, _SILVER))
    where = zip(picked, opens.tolist(), jokers.tolist(), strict=True)
    return [_deal(book, players[place][1], (opened, joker), rng) for place, opened, joker in where]


def _players(book: Book) -> list[_Player]:
    """Each class of hands, by strength."""
    found: list[_Player] = []
    for size in (5, 4) if book.rules.deck_size == 53 else (5,):
        every = classes(size)
        for masks, ways in zip(every.masks.tolist(), every.weight.tolist(), strict=True):
            cards = [Card(4 * r + suit) for suit in range(4) for r in range(RANKS) if masks[suit] >> r & 1]
            if min(cards) >> 2 >= book.low:
                hand = (*cards, JOKER) if size == 4 else tuple(cards)
                value = book.ranking.value(hand, JOKER if size == 4 else None)
                found.append((int(np.searchsorted(book.values, value)), hand, ways))
    return sorted(found)


def _deal(book: Book, cards: tuple[Card, ...], at: tuple[float, float], rng: np.random.Generator) -> Shown:
    """A deal of these cards; the open card and the joker's slot lie at these parts of all there are."""
    rest = [card for card in deck(book.rules.deck_size) if card not in cards]
    shuffled = [cards[place] for place in rng.permutation(5).tolist()]
    open_card = rest[int(at[0] * len(rest))]
    joker: Card | None = None
    if book.rules.variant == "jpoker":
        slot = int(at[1] * (52 + book.rules.doc_weight))
        joker = Card(slot) if slot < 52 else open_card
    return Shown(tuple(shuffled), open_card, joker)
