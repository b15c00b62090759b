"""What the dealer may hold behind one open card: counts of his hands below, at and above any strength.

A scene fixes the rank of the open card and where the joker is. Rows are multisets of dead ranks (all cards the player
knows but the open one), masks the dead ranks of the open card's suit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from controller.odds.dealer import Below, Flushes, hidden_masks, pattern_counts
from controller.odds.finals import Book
from controller.odds.ranks import KEY, RANKS, Ints, added, mask_members, multisets


class Counts(NamedTuple):
    """Numbers of dealer's hands: those that do not play, below, up to, and all."""

    idle: Ints
    below: Ints
    upto: Ints
    total: int


class Source:
    """Dealer's hands of one kind (natural, or with the joker among the hidden cards)."""

    def __init__(self, rows: Below, flushes: Flushes, codes: int) -> None:
        every = np.arange(codes + 2, dtype=np.int64)
        self.rows, self.flushes = rows, flushes
        self.width = rows.rows.shape[1]
        self.column = rows.column(every)
        self.flush_column = flushes.column(every)

    def below(self, row: Ints, dead: Ints, code: Ints) -> Ints:
        plain = self.rows.flat[row * self.width + self.column[code]]
        found: Ints = plain + self.flushes.flat[self.flushes.row_of[dead] + self.flush_column[code]]
        return found


def _sum(sources: list[Source], row: Ints, dead: Ints, code: Ints) -> Ints:
    found = sources[0].below(row, dead, code)
    for source in sources[1:]:
        found = found + source.below(row, dead, code)
    return found


class Scene:
    """One open card. `joker` says where the joker is: none, held (known and dead), or hidden among the unseen."""

    def __init__(self, book: Book, open_rank: int, joker: str, joker_rank: int, most_dead: int) -> None:
        self.book = book
        self.open_rank = open_rank
        self.joker_rank = joker_rank
        self.most_dead = most_dead
        self.offsets: dict[int, int] = {}
        self.natural = self._source(4, "plain5", "suited5")
        self.wild = self._source(3, "wild4", "suited4") if joker == "hidden" else None

    def of_sizes(self, sizes: tuple[int, ...]) -> Scene:
        """With a row for every multiset of these sizes."""
        parts: list[Ints] = []
        for size in sizes:
            self.offsets[size] = sum(len(part) for part in parts)
            parts.append(multisets(size, self.book.low).counts)
        self.fill(np.concatenate(parts))
        return self

    def fill(self, dead: Ints) -> None:
        """With these rows."""
        self.dead = dead
        for source in (self.natural, self.wild):
            if source is not None:
                source.rows.fill(dead)

    def with_joker_rank(self, rank: int) -> None:
        """The joker's rank matters for own_rank_trips alone."""
        if self.wild is not None and rank != self.joker_rank and self.book.rules.own_rank_trips:
            self.joker_rank = rank
            self.wild = self._source(3, "wild4", "suited4")
            self.wild.rows.fill(self.dead)
        self.joker_rank = rank

    def row(self, size: int, hand: Ints) -> Ints:
        """Rows of dead multisets of this size."""
        return hand + self.offsets[size]

    def counts(self, row: Ints, dead: Ints, code: Ints, total: int, *, wild: bool) -> Counts:
        """For each dead row and mask, against the strength `code`. `wild`: the joker is still among the unseen."""
        floor = self.book.qualify
        low = np.maximum(code, floor)
        high = np.where(code < floor, floor, code + 1)
        sources = [self.natural]
        if wild and self.wild is not None:
            sources.append(self.wild)
        idle = _sum(sources, row, dead, np.full(1, floor))
        return Counts(idle, _sum(sources, row, dead, low), _sum(sources, row, dead, high), total)

    def fill_drawn(self, dead: Ints, drawn: int) -> None:
        """With a row for every multiset of drawn ranks beside these dead ones."""
        self.dead = dead + multisets(drawn).counts
        for source in (self.natural, self.wild):
            if source is not None:
                source.rows.fill_drawn(dead, drawn)

    def _source(self, hidden: int, plain: str, suited: str) -> Source:
        book, open_rank = self.book, self.open_rank
        live = np.where(np.arange(RANKS) < book.low, 0, 4)
        live[open_rank] -= 1
        index, counts = pattern_counts(hidden, book.low, live)
        table = self._codes(plain)
        rows = Below(counts, table[added(hidden, book.low)[index, open_rank]], live)
        masks = hidden_masks(hidden, book.low, 1 << open_rank)
        whole = masks | 1 << open_rank
        sets = multisets(hidden + 1, book.low).index(KEY[mask_members(whole, hidden + 1)].sum(axis=1))
        flushes = Flushes(masks, book.shapes[suited].code[whole], table[sets], self.most_dead, 1 << open_rank)
        return Source(rows, flushes, len(book.values))

    def _codes(self, shape: str) -> Ints:
        table = self.book.shapes[shape].code
        return table.reshape(RANKS, -1)[self.joker_rank] if shape == "wild4" else table
