"""Named ways to play. Each says which draw it takes and when it raises; `best` is the engine's own choice.

`s002` is the strategy of the Oasis page that the house works by: one card at four to a straight flush (even from a
pair), at four to a flush or to an open-ended straight without a pair; a pair or better is raised, ace-king where
raising loses less than folding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from controller.domain.paytable import Category
from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.odds.batch import Hands, Raises
from controller.odds.finals import Book
from controller.odds.ranks import KEY, POPCOUNT, RANKS, Bools, Ints, multisets

NAMES = ("best", "raise-all", "pair-or-better", "ace-king-or-better", "s002")


class Strategy(NamedTuple):
    name: str
    raises: Raises | None
    """None: whichever is better."""
    draws: str
    """`best`, `none` or `s002`."""


def strategy(book: Book, name: str) -> Strategy:
    """The strategy by its name. TableError for a name that does not exist, or not in this game."""
    pair = book.lowest(Category.PAIR)
    floors = {"raise-all": 0, "pair-or-better": pair, "ace-king-or-better": book.lowest(Category.ACE_KING)}
    if name == "best":
        return Strategy(name, None, "best")
    if name in floors:
        floor = floors[name]
        return Strategy(name, lambda code, _: code >= floor, "none")
    if name == "s002":
        _needs_one_card(book.rules)
        king = book.lowest(Category.ACE_KING)
        return Strategy(name, lambda code, ev: (code >= pair) | ((code >= king) & (ev >= -1.0)), "s002")
    raise TableError(421, f"no strategy {name!r}", "--strategy", f"one of {', '.join(NAMES)}")


def _needs_one_card(rules: RuleSet) -> None:
    if 1 not in rules.exchange_fee or rules.variant in ("joker53", "jpoker"):
        raise TableError(421, "s002 exchanges one card, without a joker", f"rule set {rules.id}", "another strategy")


def s002_discard(book: Book, hands: Hands, code: Ints) -> Ints:
    """Rank that goes, or -1 where the hand stays as it is."""
    members = multisets(5, book.low)
    number = book.numbers[code]
    pair, nothing = (book.ranking.number[c] for c in (Category.PAIR, Category.ACE_KING))
    four = POPCOUNT[hands.suited] == 4
    odd = _odd_rank(members.keys[hands.hand], hands.suited)
    straight = four & (number <= pair) & _in_straight(book)[hands.suited]
    flush = four & (number <= nothing)
    open_end = np.where(number <= nothing, _beside_run()[_rank_mask(members.counts[hands.hand])], -1)
    return np.where(straight | flush, odd, open_end)


def _rank_mask(counts: Ints) -> Ints:
    mask: Ints = ((counts > 0) << np.arange(RANKS)).sum(axis=1)
    return mask


def _odd_rank(keys: Ints, suited: Ints) -> Ints:
    """Rank of the fifth card beside four suited ones (0 where there are not four)."""
    bits = (suited[:, None] >> np.arange(RANKS)) & 1
    left = np.where(POPCOUNT[suited] == 4, keys - bits @ KEY, 1)
    odd: Ints = np.searchsorted(KEY, left)
    return np.minimum(odd, RANKS - 1)


def _in_straight(book: Book) -> Bools:
    """By mask: whether these ranks lie within some straight."""
    fits: Bools = np.zeros(1 << RANKS, dtype=bool)
    order = book.ranking.number[Category.STRAIGHT]
    table = book.shapes["plain5"].code
    straights = multisets(5, book.low).members[book.numbers[table] == order]
    masks = np.arange(1 << RANKS)
    for ranks in straights.tolist():
        whole = sum(1 << rank for rank in ranks)
        fits |= (masks & ~whole) == 0
    return fits


def _beside_run() -> Ints:
    """By mask of five different ranks: the rank beside four in sequence that either end can complete; else -1."""
    table = np.full(1 << RANKS, -1, dtype=np.int64)
    for low in range(RANKS - 4):
        run = 15 << low
        for rank in range(RANKS):
            if not run >> rank & 1:
                table[run | 1 << rank] = rank
    return table
