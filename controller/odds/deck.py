"""The strength of every hand of a deck at once, in the order of itertools.combinations. A speed path, no other reading.

Four cards are a state (their ranks, and their suit if they share one); with a fifth card the state's row tells the
strength. States of all prefixes are built one card at a time, so that the work is a few passes over 2.6 million places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from controller.odds.finals import Book
from controller.odds.ranks import KEY, RANKS, Ints, added, multisets, subsets

Codes = NDArray[np.int16]


class Deck:
    """Tables of one rule set; `codes()` does the work."""

    def __init__(self, book: Book) -> None:
        self.book = book
        rules = book.rules
        self.cards = np.arange(4 * book.low, 52)
        self.joker = rules.deck_size == 53
        self.size = rules.deck_size
        self.plain = len(multisets(4, book.low))
        self.steps = {size: self._step(size) for size in (2, 3)}
        self.rows = self._rows()

    def codes(self) -> Codes:
        """Codes of all five-card hands; with 53 cards the joker is the last card."""
        state, last = self._pairs()
        for size in (2, 3):
            state, last = self._longer(state, last, size)
        counts = self.size - 1 - last
        index = np.repeat(state * self.size + last + 1 - _shift(counts), counts)
        index += np.arange(len(index), dtype=np.int32)
        return self.rows.ravel().take(index)

    def _pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        first, second = np.triu_indices(len(self.cards), 1)
        return self._state((first, second), 2), second.astype(np.int32)

    def _state(self, places: tuple[Ints, ...], size: int) -> NDArray[np.int32]:
        """State of a few cards given one by one: multiset, or a suit and a mask of ranks behind the multisets."""
        cards = [self.cards[place] for place in places]
        key = sum(KEY[card >> 2] for card in cards)
        one_suit = np.logical_and.reduce([(card ^ cards[0]) & 3 == 0 for card in cards[1:]])
        mask = np.bitwise_or.reduce([1 << (card >> 2) for card in cards])
        plain = multisets(size, self.book.low).index(np.asarray(key))
        found = np.where(one_suit, len(multisets(size, self.book.low)) + (cards[0] & 3) * (1 << RANKS) + mask, plain)
        return found.astype(np.int32)

    def _longer(
        self, state: NDArray[np.int32], last: NDArray[np.int32], size: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Every state with each later card of the natural deck."""
        step = self.steps[size]
        many = len(self.cards)
        counts = many - 1 - last
        shift = _shift(counts)
        place = np.arange(int(counts.sum()), dtype=np.int32)
        index = np.repeat(state * many + last + 1 - shift, counts) + place
        after = np.repeat(last + 1 - shift, counts) + place
        return step.ravel().take(index), after

    def _step(self, size: int) -> NDArray[np.int32]:
        """[state of `size` cards, card] -> state of one card more."""
        low, cards = self.book.low, self.cards
        here, there = multisets(size, low), multisets(size + 1, low)
        plain = added(size, low)[:, cards >> 2]
        masks = np.arange(1 << RANKS)
        bits = (masks[:, None] >> np.arange(RANKS)) & 1
        index = here.index(bits @ KEY)
        suits = np.arange(4)
        longer = len(there) + suits[:, None, None] * (1 << RANKS) + (masks[None, :, None] | 1 << (cards >> 2))
        same = suits[:, None, None] == (cards & 3)[None, None, :]
        suited = np.where(same, longer, plain[index][None])
        return np.concatenate([plain, suited.reshape(-1, len(cards))]).astype(np.int32)

    def _rows(self) -> Codes:
        """[state of four cards, fifth card] -> code."""
        book, low = self.book, self.book.low
        shapes = book.shapes
        fives = shapes["plain5"].code[added(4, low)[:, self.cards >> 2]]
        masks = subsets(4, low)
        suits = np.arange(4)
        rank, suit = self.cards >> 2, self.cards & 3
        sets = multisets(4, low).index(((masks[:, None] >> np.arange(RANKS)) & 1) @ KEY)
        flush = shapes["suited5"].code[masks[:, None] | 1 << rank]
        mixed = np.where(suits[:, None, None] == suit, flush[None], fives[sets][None])
        table = np.zeros((4, 1 << RANKS, len(self.cards)), dtype=np.int32)
        table[:, masks] = mixed
        rows = np.concatenate([fives, table.reshape(-1, len(self.cards))])
        if self.joker:
            column = np.zeros((4, 1 << RANKS), dtype=np.int32)
            column[:, masks] = shapes["suited4"].code[masks]
            wild = shapes["wild4"].code.reshape(RANKS, -1)[0]
            rows = np.concatenate([rows, np.concatenate([wild, column.ravel()])[:, None]], axis=1)
        return np.ascontiguousarray(rows.astype(np.int16))


def _shift(counts: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where each stretch of places begins."""
    shift = np.zeros(len(counts), dtype=np.int32)
    np.cumsum(counts[:-1], out=shift[1:])
    return shift
