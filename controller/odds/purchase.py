"""What a box gains by buying the dealer a card when he does not play, knowing his five cards. Natural games only.

Exact for a dealt hand. After a draw the suits of the drawn cards that are not of the open card's suit are not
followed here: they only matter where four hidden cards of one such suit are a draw to a flush.
"""

from __future__ import annotations

import numpy as np

from controller.domain.paytable import Category
from controller.odds.finals import Book
from controller.odds.payoff import BET, Payoff
from controller.odds.ranks import KEY, RANKS, Bools, Floats, Ints, mask_members, multisets, subsets

_CHUNK = 100
_Parts = tuple[Floats, Floats, Floats, float]


def can_pay(book: Book, payoff: Payoff, pay: Floats) -> Bools:
    """Where buying can be right at all: a bought game rarely comes, and most that come lose to a strong hand."""
    fee = float(book.rules.dealer_exchange_fee or 0)
    most = 0.34 if book.rules.dealer_exchange_card == "highest" else 0.5
    found: Bools = most * (payoff.win + BET * pay) + (1 - most) * max(_fail(book), 0.0) - fee > payoff.idle
    return found


def _fail(book: Book) -> float:
    return 1.0 if book.rules.dealer_exchange_fail_ante == "paid" else 0.0


class Purchase:
    """Of one open card's rank: the dealer's hands that do not play, and what each becomes with every rank."""

    def __init__(self, book: Book, payoff: Payoff, open_rank: int) -> None:
        self.book, self.payoff, self.open_rank = book, payoff, open_rank
        self.mode = book.rules.dealer_exchange_card
        masks = subsets(4, book.low)
        masks = masks[(masks >> open_rank) & 1 == 0]
        keys = KEY[mask_members(masks, 4)].sum(axis=1) + KEY[open_rank]
        codes = book.shapes["plain5"].code[multisets(5, book.low).index(keys)]
        masks = masks[codes < book.qualify]
        self.masks = masks
        self.hidden = mask_members(masks, 4)
        self.whole = masks | 1 << open_rank
        ranks = mask_members(self.whole, 5)
        self.gone = {"highest": ranks[:, 4], "lowest": ranks[:, 0], "add": np.full(len(masks), -1)}[self.mode]
        self.becomes = self._becomes()
        self.plain = np.unique(self.becomes)
        flush = book.shapes["suited5"].code
        of_flushes = flush[(flush >= 0) & (book.numbers[flush] == book.ranking.number[Category.FLUSH])]
        self.rare = book.lowest(Category.STRAIGHT_FLUSH)
        self.flushes = int(of_flushes.min()) - 1, int(of_flushes.max())

    def _becomes(self) -> Ints:
        """[pattern, rank that comes] -> code by ranks; -1 where that card is drawn again."""
        table = np.zeros((len(self.masks), RANKS), dtype=np.int64)
        five = multisets(5, self.book.low)
        plain = self.book.shapes["plain5"].code
        held = ((self.whole[:, None] >> np.arange(RANKS)) & 1) @ KEY
        for rank in range(RANKS):
            if self.mode == "add":
                six = held + KEY[rank]
                ways = [plain[five.index(six - KEY[r])] for r in mask_members(self.whole, 5).T]
                table[:, rank] = np.maximum.reduce([*ways, plain[five.index(held)]])
            else:
                table[:, rank] = plain[five.index(held - KEY[self.gone] + KEY[rank])]
                if self.book.rules.dealer_exchange_redraw_same_rank:
                    table[self.gone == rank, rank] = -1
        return table

    def gain(self, dead: Ints, masks: Ints, code: Ints, pay: Floats, unseen: int) -> Floats:
        """Mean gain over all dealer's hands, by [hand, rank] dead cards, [hand, suit] dead masks (the open card's suit
        first), code and odds."""
        found = np.zeros(len(code))
        for which in self._alike(code, pay):
            for start in range(0, len(which), _CHUNK):
                some = which[start : start + _CHUNK]
                found[some] = self._gain(dead[some], masks[some], code[some], float(pay[some[0]]), unseen)
        return found

    def _alike(self, code: Ints, pay: Floats) -> list[Ints]:
        """Groups of hands that stand alike to everything the dealer can get but other flushes."""
        place = 2 * np.searchsorted(self.plain, code) + np.searchsorted(self.plain, code, side="right")
        above = (code > self.flushes[0]).astype(np.int64) + (code > self.flushes[1])
        rare = np.where(code >= self.rare, code, 0)
        key = (place * 4 + above, rare, (pay * 8).astype(np.int64))
        _, group = np.unique(np.stack(key), axis=1, return_inverse=True)
        return [np.flatnonzero(group.ravel() == one) for one in range(int(group.max()) + 1)]

    def _value(self, code: Ints, mine: Ints | int, pay: float) -> Floats:
        """What the bought hand `code` means for a box of strength `mine`."""
        fail, win = _fail(self.book), self.payoff.win + BET * pay
        played = np.where(code < mine, win, np.where(code == mine, self.payoff.tie, self.payoff.lost))
        return np.where(code < 0, 0.0, np.where(code < self.book.qualify, fail, played))

    def _gain(self, dead: Ints, masks: Ints, mine: Ints, pay: float, unseen: int) -> Floats:
        """For one group of hands."""
        live = np.maximum(4 - dead, 0).astype(np.float64)
        live[:, : self.book.low] = 0
        value = self._value(self.becomes, int(mine[0]), pay)
        own = (self.whole[:, None] >> np.arange(RANKS)) & 1
        gone = np.maximum(self.gone, 0)
        left = np.full((len(dead), len(self.masks)), float(unseen - 4))
        if self.mode != "add" and self.book.rules.dealer_exchange_redraw_same_rank:
            left -= live[:, gone] - 1.0
        bought = live @ value.T - (own * value).sum(axis=1)
        fee = float(self.book.rules.dealer_exchange_fee or 0)
        plain = np.maximum(bought / left - fee - self.payoff.idle, 0.0)
        ways = live[:, self.hidden].prod(axis=2)
        suits = [1 - ((m[:, None] >> np.arange(RANKS)) & 1) for m in masks.T]
        for suit in suits:
            suit[:, : self.book.low] = 0
        ways -= suits[0][:, self.hidden].prod(axis=2)
        total = (ways * plain).sum(axis=1)
        total += self._drawing(live, suits, (bought, left, plain, fee), mine, pay)
        mean: Floats = total / _choose4(unseen)
        return mean

    def _drawing(self, live: Floats, suits: list[Ints], parts: _Parts, mine: Ints, pay: float) -> Floats:
        """What changes where four of the dealer's cards share a suit and the fifth is the one replaced (or any)."""
        total = np.zeros(len(live))
        for place in range(4):
            use = self._replaced(self.hidden[:, place])
            if use.any():
                other = self.hidden[use, place]
                three = np.delete(self.hidden[use], place, axis=1)
                ways = suits[0][:, three].prod(axis=2) * (live[:, other] - suits[0][:, other])
                four = (1 << three).sum(axis=1) | 1 << self.open_rank
                total += self._correction(use, four, ways, suits[0], parts, mine, pay)
        use = self._replaced(np.full(len(self.masks), self.open_rank))
        if use.any():
            for suit in suits[1:]:
                ways = suit[:, self.hidden[use]].prod(axis=2)
                total += self._correction(use, self.masks[use], ways, suit, parts, mine, pay)
        return total

    def _replaced(self, ranks: Ints) -> Bools:
        """Patterns in which this card may be the one that does not fit the suit."""
        return np.ones(len(ranks), dtype=bool) if self.mode == "add" else ranks == self.gone

    def _correction(
        self, use: Bools, four: Ints, ways: Floats, suit: Ints, parts: _Parts, mine: Ints, pay: float
    ) -> Floats:
        bought, left, plain, fee = parts
        change = self._flush_change(use, four, suit, mine, pay)
        worth = np.maximum((bought[:, use] + change) / left[:, use] - fee - self.payoff.idle, 0.0)
        total: Floats = (ways * (worth - plain[:, use])).sum(axis=1)
        return total

    def _flush_change(self, use: Bools, four: Ints, suited: Ints, mine: Ints, pay: float) -> Floats:
        """[hand, pattern] sum over the cards of one suit: as a flush instead of what the rank alone makes."""
        free = ((four[:, None] >> np.arange(RANKS)) & 1) == 0
        ranks = np.arange(RANKS)
        made = self.book.shapes["suited5"].code[np.where(free, four[:, None] | 1 << ranks, four[:, None])]
        can = free & (made >= 0) & (self.becomes[use] >= 0)
        plain = self._value(self.becomes[use], int(mine[0]), pay)
        if self.flushes[0] < int(mine[0]) <= self.flushes[1]:  # a flush of one's own: each compares differently
            ours = self._value(np.maximum(made, 0)[None], mine[:, None, None], pay)
            each: Floats = np.einsum("npx,nx->np", np.where(can, ours - plain, 0.0), suited.astype(np.float64))
            return each
        flush = self._value(np.maximum(made, 0), int(mine[0]), pay)
        found: Floats = suited.astype(np.float64) @ np.where(can, flush - plain, 0.0).T
        return found


def _choose4(n: int) -> float:
    return n * (n - 1) * (n - 2) * (n - 3) / 24
