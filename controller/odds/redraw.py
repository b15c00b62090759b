"""How often a dealer who does not play gets a hand with one more card, when nothing else is known. Whole numbers."""

from __future__ import annotations

import numpy as np

from controller.odds.finals import Book
from controller.odds.ranks import KEY, RANKS, mask_members, multisets, subsets

_SUITS = 4**5 - 4
"""Suits of five different ranks that are no flush."""


def redraw_chance(book: Book) -> tuple[int, int]:
    """Good cards and all cards that may come, over every hand that does not play. For a card that is replaced."""
    rules = book.rules
    if rules.dealer_exchange_card == "add":
        raise ValueError("a card is added, not replaced")
    masks = subsets(5, book.low)
    five, plain = multisets(5, book.low), book.shapes["plain5"].code
    ranks = mask_members(masks, 5)
    keys = KEY[ranks].sum(axis=1)
    idle = plain[five.index(keys)] < book.qualify
    masks, ranks, keys = masks[idle], ranks[idle], keys[idle]
    gone = ranks[:, 4 if rules.dealer_exchange_card == "highest" else 0]
    good = total = 0
    for rank in range(book.low, RANKS):
        comes = np.ones(len(masks), dtype=bool)
        if rules.dealer_exchange_redraw_same_rank:
            comes = gone != rank
        live = np.where((masks >> rank) & 1, 3, 4) * comes
        plays = plain[five.index(keys - KEY[gone] + KEY[rank])] >= book.qualify
        # The four that stay share a suit in 4 x 3 of the assignments; there a card of that suit is a flush as well.
        left = (masks & ~(1 << gone)) >> rank & 1
        flush = 12 * ((left == 0) & comes & ~plays)
        good += int((_SUITS * live * plays + flush).sum())
        total += int((_SUITS * live).sum())
    return good, total
