"""Odds of the rounds in which the dealer's open card is the joker: any of the four suits may now make his flush.

Hands are classes under exchange of suits, with the dead ranks of each suit. A draw is valued only where an upper
bound, taken by ranks alone, says that it might be the best choice; the bound never rules out a best choice, so the
result stays exact.
"""

from __future__ import annotations

import functools
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from controller.odds.dealer import Below, Flushes, hidden_masks, pattern_counts
from controller.odds.finals import Book
from controller.odds.payoff import Moments, Payoff
from controller.odds.play import Progress, Totals
from controller.odds.ranks import KEY, POPCOUNT, RANKS, Floats, Ints, added, mask_members, multisets, removed
from controller.odds.scene import Counts
from controller.odds.states import distinct
from controller.odds.strategies import Strategy

SUITS = 4


class Classes(NamedTuple):
    """Hands of five natural cards up to exchange of suits: ranks, ranks by suit, and how many there are."""

    hand: Ints
    masks: Ints
    """[class, suit]"""
    weight: Ints


@functools.cache
def classes(size: int = 5) -> Classes:
    cards = np.array(list(combinations(range(52), size)), dtype=np.int64)
    masks = np.zeros((len(cards), SUITS), dtype=np.int64)
    for suit in range(SUITS):
        masks[:, suit] = (((cards & 3) == suit) << (cards >> 2)).sum(axis=1)
    masks.sort(axis=1)
    packed = masks @ (1 << (RANKS * np.arange(SUITS, dtype=np.int64)))
    _, first, weight = np.unique(packed, return_index=True, return_counts=True)
    keys = KEY[cards[first] >> 2].sum(axis=1)
    return Classes(multisets(size).index(keys), masks[first], weight.astype(np.int64))


class Table:
    """The dealer's four hidden cards beside the joker."""

    def __init__(self, book: Book, joker_rank: int, most_dead: int) -> None:
        self.book = book
        live = np.full(RANKS, 4)
        index, counts = pattern_counts(4, 0, live)
        codes = book.shapes["wild4"].code.reshape(RANKS, -1)[joker_rank]
        self.rows = Below(counts, codes[index], live)
        masks = hidden_masks(4, 0, 0)
        sets = multisets(4).index(KEY[mask_members(masks, 4)].sum(axis=1))
        self.flushes = Flushes(masks, book.shapes["suited4"].code[masks], codes[sets], most_dead, 0)
        every = np.arange(len(book.values) + 2)
        self.column, self.flush_column = self.rows.column(every), self.flushes.column(every)
        self.width = self.rows.rows.shape[1]
        self.start: dict[int, int] = {}

    def of_sizes(self, sizes: tuple[int, ...]) -> Table:
        """With a row for every multiset of these sizes."""
        self.start = {size: sum(len(multisets(s)) for s in sizes if s < size) for size in sizes}
        self.rows.fill(np.concatenate([multisets(size).counts for size in sizes]))
        return self

    def plain_counts(self, row: Ints, code: Ints, total: int) -> Counts:
        """As if no dealer's hand were a flush."""
        floor, low, high = self._thresholds(code)
        idle, below, upto = (
            self.rows.flat[row * self.width + self.column[at]].astype(np.int64) for at in (floor, low, high)
        )
        return Counts(idle, below, upto, total)

    def counts(self, row: Ints, masks: Ints, code: Ints, total: int) -> Counts:
        found = self.plain_counts(row, code, total)
        starts = [self.flushes.row_of[masks[:, suit]] for suit in range(SUITS)]
        more = [self._more(starts, at) for at in self._thresholds(code)]
        return Counts(found.idle + more[0], found.below + more[1], found.upto + more[2], total)

    def _more(self, starts: list[Ints], code: Ints) -> Ints:
        column = self.flush_column[code]
        found = np.zeros(len(starts[0]), dtype=np.int64)
        for start in starts:
            found += self.flushes.flat[start + column]
        return found

    def _thresholds(self, code: Ints) -> tuple[Ints, Ints, Ints]:
        floor = self.book.qualify
        return np.full(1, floor), np.maximum(code, floor), np.where(code < floor, floor, code + 1)


class _Hands(NamedTuple):
    hand: Ints
    masks: Ints
    dead: Ints
    """Multiset of all dead cards."""
    dead_masks: Ints
    weight: Floats

    def take(self, which: Ints) -> _Hands:
        return _Hands(self.hand[which], self.masks[which], self.dead[which], self.dead_masks[which], self.weight[which])


def play_open(book: Book, payoff: Payoff, strategy: Strategy, totals: Totals, progress: Progress | None = None) -> None:
    """Adds all deals whose open card is the joker: one of the 52 (J-poker), or the 53rd card."""
    physical = book.rules.variant == "jpoker"
    sizes = (6, 7) if physical else (5, 6)
    weight = float(book.rules.doc_weight + 1) if physical else 1.0
    table = None
    for rank in range(RANKS if physical else 1):
        if table is None or book.rules.own_rank_trips:
            table = Table(book, rank, sizes[-1]).of_sizes(sizes)
        for suit in range(SUITS if physical else 1):
            one = _Open(book, payoff, table, _hands(rank, suit, weight) if physical else _whole(weight), sizes[0])
            one.play(strategy, totals)
        if progress is not None:
            progress((rank + 1) / RANKS)


def _whole(weight: float) -> _Hands:
    every = classes()
    return _Hands(every.hand, every.masks, every.hand, every.masks, weight * every.weight.astype(np.float64))


def _hands(rank: int, suit: int, weight: float) -> _Hands:
    """The hands that do not hold this open card."""
    every = classes()
    some = np.flatnonzero((every.masks[:, suit] >> rank) & 1 == 0)
    dead_masks = every.masks[some].copy()
    dead_masks[:, suit] |= 1 << rank
    hand = every.hand[some]
    ways = weight * every.weight[some].astype(np.float64)
    return _Hands(hand, every.masks[some], added(5)[hand, rank], dead_masks, ways)


class _Open:
    """One open card."""

    def __init__(self, book: Book, payoff: Payoff, table: Table, hands: _Hands, size: int) -> None:
        self.book, self.payoff, self.table, self.hands, self.size = book, payoff, table, hands, size
        self.unseen = book.rules.deck_size - 6
        self.flush_floor = int(book.shapes["suited4"].code[book.shapes["suited4"].code >= 0].min())

    def play(self, strategy: Strategy, totals: Totals) -> None:
        hands = self.hands
        code, pay = self._dealt()
        counts = self.table.counts(self._row(self.size, hands.dead), hands.dead_masks, code, comb(self.unseen, 4))
        raise_ev = self.payoff.ev(counts, code, pay)
        raised = raise_ev >= self.payoff.fold if strategy.raises is None else strategy.raises(code, raise_ev)
        choice = np.full(len(code), -1, dtype=np.int64)
        if strategy.draws == "best" and 1 in self.book.rules.exchange_fee:
            choice = self._best(np.maximum(raise_ev, self.payoff.fold))
        stay = choice < 0
        totals.ways += float(hands.weight.sum())
        totals.qualifies += float(hands.weight @ (1.0 - counts.idle / counts.total))
        moments = self.payoff.moments(counts, code, pay, 0.0, raised, False)
        for name, chosen in (("raise", stay & raised), ("fold", stay & ~raised)):
            totals.add(hands.weight * chosen, moments, name)
        for slot in range(5):
            which = np.flatnonzero(choice == slot)
            if len(which):
                totals.add(hands.weight[which], self._moments(which, slot), "exchange_1")

    def _row(self, size: int, dead: Ints) -> Ints:
        row: Ints = dead + self.table.start[size]
        return row

    def _dealt(self) -> tuple[Ints, Floats]:
        plain, flush = self.book.shapes["plain5"], self.book.shapes["suited5"]
        whole = self.hands.masks.max(axis=1)
        full = POPCOUNT[whole] == 5
        code = np.where(full, flush.code[whole], plain.code[self.hands.hand])
        return code, np.where(full, flush.pay[whole], plain.pay[self.hands.hand])

    def _gone(self, slot: int) -> Ints:
        gone: Ints = distinct(5, 0)[self.hands.hand, slot]
        return gone

    def _best(self, best: Floats) -> Ints:
        choice = np.full(len(best), -1, dtype=np.int64)
        cost = float(self.book.rules.exchange_fee[1])
        for slot in range(5):
            gone = self._gone(slot)
            bound = self._bound(slot)[self.hands.hand] - cost
            flush, _ = self._flush(np.arange(len(gone)), slot)
            which = np.flatnonzero((gone >= 0) & ((bound > best) | (flush > 0)))
            ev = self._sum(which, slot)
            better = which[ev > best[which]]
            best[better] = ev[ev > best[which]]
            choice[better] = slot
        return choice

    def _bound(self, slot: int) -> Floats:
        """By rank multiset: at least what a draw is worth that completes no flush."""
        hands = np.arange(len(multisets(5)))
        gone = np.maximum(distinct(5, 0)[:, slot], 0)
        kept = removed(5)[hands, gone]
        dead = np.zeros_like(hands)
        dead[self.hands.hand] = self.hands.dead
        found = np.zeros(len(hands))
        shape = self.book.shapes["plain5"]
        for rank in range(RANKS):
            final = added(4)[kept, rank]
            code, pay = shape.code[final], shape.pay_drawn[final]
            counts = self.table.plain_counts(
                self._row(self.size + 1, added(self.size)[dead, rank]), code, comb(self.unseen - 1, 4)
            )
            most = np.where(code < self.flush_floor, self.payoff.ev(counts, code, pay), 1.0 + 2.0 * pay)
            live = np.maximum(4 - multisets(self.size).counts[dead, rank], 0)
            found += live * (most if self._forced else np.maximum(most, self.payoff.fold))
        return found / self.unseen

    @property
    def _forced(self) -> bool:
        return 1 in self.book.rules.force_raise_after

    def _flush(self, which: Ints, slot: int) -> tuple[Ints, Ints]:
        """Ranks of the kept cards if they share a suit (else 0), and that suit."""
        masks, gone = self.hands.masks[which], np.maximum(self._gone(slot)[which], 0)
        suit = POPCOUNT[masks].argmax(axis=1)
        part = masks[np.arange(len(which)), suit]
        size = POPCOUNT[part]
        bits = (part[:, None] >> np.arange(RANKS)) & 1
        odd = (multisets(5).counts[self.hands.hand[which]] - bits).argmax(axis=1)
        kept = np.where(size == 5, part & ~(1 << gone), np.where((size == 4) & (odd == gone), part, 0))
        return kept, suit

    def _draws(self, which: Ints, slot: int) -> list[tuple[Floats, Ints, Floats, Counts]]:
        """Every card that may come: how many, the final hand, the dealer's counts."""
        hands = self.hands.take(which)
        kept = removed(5)[hands.hand, np.maximum(self._gone(slot)[which], 0)]
        flush, flush_suit = self._flush(which, slot)
        plain, suited = self.book.shapes["plain5"], self.book.shapes["suited5"]
        found = []
        for rank in range(RANKS):
            final = added(4)[kept, rank]
            row = self._row(self.size + 1, added(self.size)[hands.dead, rank])
            for suit in range(SUITS):
                number = 1 - ((hands.dead_masks[:, suit] >> rank) & 1)
                whole = np.where((flush > 0) & (flush_suit == suit) & (number > 0), flush | 1 << rank, 0)
                code = np.where(whole > 0, suited.code[whole], plain.code[final])
                pay = np.where(whole > 0, suited.pay_drawn[whole], plain.pay_drawn[final])
                masks = hands.dead_masks.copy()
                masks[:, suit] |= 1 << rank
                counts = self.table.counts(row, masks, code, comb(self.unseen - 1, 4))
                found.append((number.astype(np.float64), code, pay, counts))
        return found

    def _sum(self, which: Ints, slot: int) -> Floats:
        found = np.zeros(len(which))
        for number, code, pay, counts in self._draws(which, slot):
            ev = self.payoff.ev(counts, code, pay)
            found += number * (ev if self._forced else np.maximum(ev, self.payoff.fold))
        return found / self.unseen - float(self.book.rules.exchange_fee[1])

    def _moments(self, which: Ints, slot: int) -> Moments:
        cost = float(self.book.rules.exchange_fee[1])
        found = Moments(*(np.zeros(len(which)) for _ in Moments._fields))
        for number, code, pay, counts in self._draws(which, slot):
            one = self.payoff.moments(counts, code, pay, cost, None, self._forced)
            found = found.plus(one.scaled(number))
        return found.scaled(1.0 / self.unseen)
