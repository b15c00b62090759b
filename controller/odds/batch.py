"""Many hands behind one kind of open card, and what each way to go on with them is worth. Exact; no policy.

All hands of a batch are states (see states) with the joker in the same place. A draw is summed over the ranks that
may come, in the open card's suit or not; the few cards that make a flush elsewhere are added as a correction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import NamedTuple

import numpy as np

from controller.odds.finals import Book, Shape
from controller.odds.payoff import Moments, Payoff
from controller.odds.ranks import POPCOUNT, RANKS, Bools, Floats, Ints, added, multisets
from controller.odds.scene import Counts, Scene

Raises = Callable[[Ints, Floats], Bools]
"""From codes and expectations of raising to whether the player raises."""


class Place(NamedTuple):
    """Where the joker is."""

    joker: str
    """`none`, `held` or `hidden`."""
    rank: int = 0
    inside: bool = False
    """A card of the 52 that lies in the open card's suit."""
    physical: bool = False
    """One of the 52 cards, and so missing among the natural ones."""


class Hands(NamedTuple):
    """States with the multisets and masks of all dead cards."""

    hand: Ints
    mask: Ints
    suited: Ints
    inside: Ints
    dead: Ints
    dead_mask: Ints
    joker_there: Ints
    """1: the joker card lies in the suit of `suited` (outside the open card's suit)."""

    def take(self, which: Ints) -> Hands:
        return Hands(*(part[which] for part in self))


class Draw(NamedTuple):
    """One card comes. `kept`: multiset of `size` natural cards; `flush`: mask of a part that a card can complete."""

    kept: Ints
    size: int
    joker: bool
    flush: Ints
    cost: float
    sixth: bool = False
    odd: Ints | None = None
    """Sixth card: rank of the card that is not of the suited part."""
    forced: bool = False


class _Came(NamedTuple):
    """A drawn card: how many there are, the dead cards then, and the final hand."""

    number: Floats
    row: Ints
    dead: Ints
    code: Ints
    pay: Floats
    wild: bool


class Batch:
    """Values draws and raises for hands of one scene."""

    def __init__(self, book: Book, payoff: Payoff, scene: Scene, place: Place) -> None:
        self.book, self.payoff, self.scene, self.place = book, payoff, scene, place
        self.low = book.low
        self.held = place.joker == "held"
        self.naturals = 4 if self.held else 5
        self.dead_size = self.naturals + (1 if place.physical and place.joker != "none" else 0)
        self.unseen = book.rules.deck_size - 6
        self.shapes = book.shapes

    def raise_counts(self, hands: Hands) -> tuple[Counts, Ints, Floats]:
        """Counts against the dealt hand, its code and its odds."""
        plain, flush = ("wild4", "suited4") if self.held else ("plain5", "suited5")
        code, pay = self.final(plain, hands.hand, exchanged=False)
        full = POPCOUNT[hands.suited] == self.naturals
        code = np.where(full, self.shapes[flush].code[hands.suited], code)
        pay = np.where(full, self.shapes[flush].pay[hands.suited], pay)
        row = self.scene.row(self.dead_size, hands.dead)
        total = comb(self.unseen, 4)
        return self.scene.counts(row, hands.dead_mask, code, total, wild=not self.held), code, pay

    def plain_ev(self, hands: Hands, draw: Draw) -> Floats:
        """Expectation of a draw as if no flush could be completed outside the open card's suit, or at all."""
        found = np.zeros(len(hands.hand))
        for came in self._plain(hands, draw):
            found += came.number * self._ev(came, draw)
        return found / self.unseen - draw.cost

    def flush_ev(self, hands: Hands, draw: Draw) -> Floats:
        """What plain_ev leaves out."""
        found = np.zeros(len(hands.hand))
        for flush, plain in self._flushes(hands, draw):
            found += flush.number * (self._ev(flush, draw) - self._ev(plain, draw))
        return found / self.unseen

    def moments(self, hands: Hands, draw: Draw, raises: Raises | None) -> Moments:
        """Everything about a draw."""
        nothing = np.zeros(len(hands.hand))
        found = Moments(*(nothing for _ in Moments._fields))
        for came in self._plain(hands, draw):
            found = found.plus(self._moments(came, draw, raises).scaled(came.number))
        for flush, plain in self._flushes(hands, draw):
            found = found.plus(self._moments(flush, draw, raises).scaled(flush.number))
            found = found.plus(self._moments(plain, draw, raises).scaled(-flush.number))
        return found.scaled(1.0 / self.unseen)

    def _counts(self, came: _Came) -> Counts:
        return self.scene.counts(came.row, came.dead, came.code, comb(self.unseen - 1, 4), wild=came.wild)

    def _ev(self, came: _Came, draw: Draw) -> Floats:
        ev = self.payoff.ev(self._counts(came), came.code, came.pay)
        return ev if draw.forced else np.maximum(ev, self.payoff.fold)

    def _moments(self, came: _Came, draw: Draw, raises: Raises | None) -> Moments:
        counts = self._counts(came)
        on = None if raises is None else raises(came.code, self.payoff.ev(counts, came.code, came.pay))
        return self.payoff.moments(counts, came.code, came.pay, draw.cost, on, draw.forced)

    def final(self, shape: str, index: Ints, *, exchanged: bool) -> tuple[Ints, Floats]:
        table: Shape = self.shapes[shape]
        if shape == "wild4":
            index = index + self.place.rank * len(multisets(4, self.low))
        return table.code[index], (table.pay_drawn if exchanged else table.pay)[index]

    def drawn(self, draw: Draw, rank: int) -> tuple[Ints, Floats]:
        """The final hand that a card of this rank makes, no flush."""
        shape = "plain6" if draw.sixth else "wild4" if draw.joker else "plain5"
        return self.final(shape, added(draw.size, self.low)[draw.kept, rank], exchanged=not draw.sixth)

    def _completed(self, draw: Draw, rank: int) -> tuple[Ints, Floats]:
        """The final hand that a card of this rank in the suit of the draw's flush makes."""
        mask = draw.flush | 1 << rank
        if not draw.sixth:
            return self.final("suited4" if draw.joker else "suited5", mask, exchanged=True)
        assert draw.odd is not None
        six, five = POPCOUNT[mask] == 6, POPCOUNT[mask] == 5
        code, pay = self.final("suited5+1", np.where(five, mask * RANKS + np.maximum(draw.odd, 0), 0), exchanged=False)
        all_code, all_pay = self.final("suited6", np.where(six, mask, 0), exchanged=False)
        return np.where(six, all_code, code), np.where(six, all_pay, pay)

    def _came(self, hands: Hands, number: Ints, rank: int, final: tuple[Ints, Floats], inside: Bools | bool) -> _Came:
        row = self.scene.row(self.dead_size + 1, added(self.dead_size, self.low)[hands.dead, rank])
        bit = np.where(inside, 1 << rank, 0)
        return _Came(number.astype(np.float64), row, hands.dead_mask | bit, *final, not self.held)

    def _plain(self, hands: Hands, draw: Draw) -> Iterator[_Came]:
        for rank in range(self.low, RANKS):
            final = self.drawn(draw, rank)
            yield self._came(hands, self.outside(hands, rank), rank, final, False)
            if rank != self.scene.open_rank and not self.is_joker(rank, inside=True):
                yield self._came(hands, 1 - ((hands.mask >> rank) & 1), rank, final, True)
        if self.place.joker == "hidden":
            yield self._joker(hands, self.final("wild4", draw.kept, exchanged=True))

    def _joker(self, hands: Hands, final: tuple[Ints, Floats]) -> _Came:
        row = self.scene.row(self.dead_size, hands.dead)
        return _Came(np.ones(len(row)), row, hands.dead_mask, *final, False)

    def outside(self, hands: Hands, rank: int) -> Ints:
        """Cards of a rank that may come and are not of the open card's suit."""
        held = multisets(self.naturals, self.low).counts[hands.hand, rank] - ((hands.mask >> rank) & 1)
        left: Ints = np.maximum(3 - held - int(self.is_joker(rank, inside=False)), 0)
        return left

    def is_joker(self, rank: int, *, inside: bool) -> bool:
        return self.place.physical and self.place.rank == rank and self.place.inside is inside

    def _flushes(self, hands: Hands, draw: Draw) -> Iterator[tuple[_Came, _Came]]:
        """Each card that completes a flush, as what it makes and as what _plain took it for."""
        some = draw.flush > 0
        if not some.any():
            return
        for rank in range(self.low, RANKS):
            number = self._completing(hands, rank) * some
            flush, plain = self._completed(draw, rank), self.drawn(draw, rank)
            # Places where no such hand exists have number 0; their codes only have to be codes.
            flush = np.where(number > 0, flush[0], 0), flush[1]
            yield (
                self._came(hands, number, rank, flush, hands.inside > 0),
                self._came(hands, number, rank, plain, hands.inside > 0),
            )
        if draw.sixth:
            yield from self._beside(hands, draw)
        if self.place.joker == "hidden":
            flush = self.final("suited4", draw.flush, exchanged=True)
            made, plain_came = (
                self._joker(hands, flush),
                self._joker(hands, self.final("wild4", draw.kept, exchanged=True)),
            )
            ways = some.astype(np.float64)
            yield made._replace(number=ways, code=np.maximum(made.code, 0)), plain_came._replace(number=ways)

    def _completing(self, hands: Hands, rank: int) -> Ints:
        """1 where the card of this rank in the suited part's suit may still come."""
        free = (hands.suited >> rank) & 1 == 0
        if rank == self.scene.open_rank or self.is_joker(rank, inside=True):
            free &= hands.inside == 0
        if self.is_joker(rank, inside=False):
            free &= hands.joker_there == 0
        found: Ints = free.astype(np.int64)
        return found

    def _beside(self, hands: Hands, draw: Draw) -> Iterator[tuple[_Came, _Came]]:
        """A sixth card that joins five suited ones from another suit."""
        five = POPCOUNT[draw.flush] == 5
        for rank in range(self.low, RANKS):
            index = np.where(five, draw.flush * RANKS + rank, 0)
            code, pay = self.final("suited5+1", index, exchanged=False)
            final, plain = (np.where(five, code, 0), pay), self.drawn(draw, rank)
            outer = rank != self.scene.open_rank
            ways = ((1, hands.inside == 0) if outer else (0, hands.inside == 0), None)
            # In the open card's suit: one card, if the suited part lies elsewhere.
            number = ways[0][0] * ways[0][1] * five
            yield self._came(hands, number, rank, final, True), self._came(hands, number, rank, plain, True)
            # In the suits that are neither: three if the part lies in the open card's suit, else two.
            number = np.where(hands.inside > 0, 3, 2) * five
            yield self._came(hands, number, rank, final, False), self._came(hands, number, rank, plain, False)
