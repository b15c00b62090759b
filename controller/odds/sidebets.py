"""House edges of the bonus and the jackpot: by the dealt five cards alone, so that no way to play changes them.

The bonus is valued as if it were always decided by the dealt hand; where a draw or a fold forfeits it, the player
loses more.
"""

from __future__ import annotations

import numpy as np

from controller.domain.paytable import Category
from controller.odds.dealt import mean
from controller.odds.finals import Book
from controller.odds.ranks import Ints


def side_bets(book: Book) -> dict[str, float]:
    """What is offered: `bonus_edge`; `jackpot_fixed` and `jackpot_per_10000` returns, `jackpot_break_even` meter."""
    found: dict[str, float] = {}
    if book.rules.bonus_table:
        found["bonus_edge"] = bonus_edge(book)
    if book.rules.jackpot.jackpot_mode == "side_bet":
        found |= jackpot(book)
    return found


def bonus_edge(book: Book) -> float:
    return -mean(book, lambda values: _bonus_profit(book, values), joker_works=book.rules.bonus_joker)


def _bonus_profit(book: Book, values: Ints) -> Ints:
    """Profit of one chip: the highest entry that the hand reaches, with the conditions on pairs and trips."""
    rules, number = book.rules, book.ranking.number
    categories = values >> 28
    odds = np.full(len(values), -1, dtype=np.int64)
    for entry in sorted(rules.bonus_table, key=number.__getitem__):
        paid = rules.bonus_table[entry] - (1 if rules.bonus_pays == "for_one" else 0)
        odds[categories >= number[entry]] = paid
    first, second = ((values >> shift & 15) + 1 for shift in (20, 16))  # ranks as on the cards: 2 to 14
    if rules.bonus_sevens:
        pairs = categories == number[Category.TWO_PAIR]
        odds[pairs & (first != 7) & (second != 7)] = -1
    if rules.bonus_trips_min_rank is not None:
        odds[(categories == number[Category.TRIPS]) & (first < rules.bonus_trips_min_rank)] = -1
    return odds


def jackpot(book: Book) -> dict[str, float]:
    """Returns of a stake of one chip."""
    rules, number = book.rules.jackpot, book.ranking.number

    def chance(category: Category) -> float:
        return mean(book, lambda values: values >> 28 == number[category], joker_works=rules.jackpot_joker)

    fixed = sum(prize * chance(category) for category, prize in rules.fixed.items())
    share = chance(Category.ROYAL_FLUSH) + float(rules.sf_share) * chance(Category.STRAIGHT_FLUSH)
    return {
        "jackpot_fixed": fixed,
        "jackpot_per_10000": 10_000 * share,
        "jackpot_break_even": (1.0 - fixed) / share if share else float("inf"),
    }
