"""Which alarms the statistics call for: thresholds in, findings out. Pure; raises nothing itself (table.watch does).

What an alarm says is a count and its limit, or a probability; never a card.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from controller.domain.cards import RANKS, SUITS
from controller.domain.state import DOC
from controller.table.chances import chi_square, chi_square_tail, more_wins, normal_tail, poisson_tail
from controller.table.statistics import BLIND, BY_HAND, OPEN, Statistics
from controller.watch_config import AlarmsSection

CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)


class Due(msgspec.Struct, frozen=True):
    """An alarm that ought to stand."""

    code: str
    subject: str
    detail: str


def due(s: Statistics, limits: AlarmsSection) -> list[Due]:
    """All that the statistics call for now, whether it stands already or not."""
    return [*_rates(s, limits), *_counts(s, limits), *_wins(s, limits), *_jokers(s, limits), *_decks(s, limits)]


# code, what is counted, of how many what, per so many, the limit's name
_RATES = (
    ("reader_errors", "unread", "cards", 1000, "reader_errors_per_1000"),
    ("undos", "undos", "hands", 100, "undos_per_100"),
    ("voids", "voids", "hands", 100, "voids_per_100"),
    ("overrides", "overrides", "hands", 100, "overrides_per_100"),
    ("late_bets", "late_bets", "hands", 100, "late_bets_per_100"),
)


def _rates(s: Statistics, limits: AlarmsSection) -> Iterator[Due]:
    for code, what, of, per, name in _RATES:
        limit = int(getattr(limits, name))
        for whom in s.subjects(what):
            count, base = s.count(what, whom), s.count(of, whom)
            if count >= limits.least_events and count * per > limit * base:
                yield Due(code, whom, f"{count} in {base} {of}, limit {limit} in {per}")


def _counts(s: Statistics, limits: AlarmsSection) -> Iterator[Due]:
    for whom in s.subjects("power_losses"):
        count = s.count("power_losses", whom)
        if count >= limits.power_losses:
            yield Due("power_losses", whom, f"{count} between LOCK and the hand's end, limit {limits.power_losses - 1}")
    for whom in s.subjects("tray_differs"):
        count = s.count("tray_differs", whom)
        if count >= limits.tray_differs:
            yield Due("tray_differs", whom, f"{count} hands against the discard tray, limit {limits.tray_differs - 1}")
    for device in sorted({device for _, device in s.drops}):
        count = sum(1 for _, name in s.drops if name == device)
        if count >= limits.drops_per_hour:
            yield Due("device_drops", device, f"{count} in an hour, limit {limits.drops_per_hour - 1}")
    if s.count("contributions", "meter"):
        yield Due("contribution", "meter", f"{s.count('contributions', 'meter')} hand(s) fed it more than was staked")
    if len(s.ended) > limits.hands_per_minute:
        yield Due("pace", "table", f"{len(s.ended)} hands in a minute, limit {limits.hands_per_minute}")


def _wins(s: Statistics, limits: AlarmsSection) -> Iterator[Due]:
    """A box, a dealer, or both together, at which players win oftener than elsewhere at this table."""
    for kind in (OPEN, BLIND, BY_HAND):
        yield from _wins_of(s, limits, kind)


def named(whom: str, kind: str) -> str:
    """Whom the count is of, for people: of dealers whole hands are counted anyway."""
    return whom if kind == BY_HAND else whom + kind


def _wins_of(s: Statistics, limits: AlarmsSection, kind: str) -> Iterator[Due]:
    all_decided, all_won = s.count("decided" + kind, "all"), s.count("won" + kind, "all")
    for whom in s.subjects("decided" + kind):
        decided, won = s.count("decided" + kind, whom), s.count("won" + kind, whom)
        others = all_decided - decided
        if whom == "all" or min(decided, others) < limits.least_hands:
            continue
        more = 100 * (won / decided - (all_won - won) / others)
        chance = more_wins(won, decided, all_won - won, others)
        if more >= limits.wins_margin and chance * limits.chance < 1:
            told = f"{won} of {decided} won, elsewhere {all_won - won} of {others}; {_text(chance)}"
            yield Due("wins", named(whom, kind), told)


def jokers(s: Statistics) -> tuple[int, float, float]:
    """Draws, chi-square against the weights, and the chance of so much or more."""
    slots = [*CARDS, DOC] if s.doc_weight else list(CARDS)
    counts = [s.count("joker", slot) for slot in slots]
    value = chi_square(counts, [s.doc_weight or 1 if slot == DOC else 1 for slot in slots]) if sum(counts) else 0.0
    return sum(counts), value, chi_square_tail(value, len(slots) - 1)


def _jokers(s: Statistics, limits: AlarmsSection) -> Iterator[Due]:
    draws, value, chance = jokers(s)
    if draws >= limits.joker_draws and chance * limits.chance < 1:
        yield Due("jokers", "board", f"{draws} draws, chi-square {value:.1f}; {_text(chance)}")


def decks(s: Statistics) -> tuple[float, float]:
    """The chances of so many kept neighbours (the last hand's, and all that are remembered), and of such an order."""
    if not s.likeness:
        return 1.0, 1.0
    latest = min(poisson_tail(one.kept, one.expected) for one in s.likeness[-2:])
    together = poisson_tail(sum(one.kept for one in s.likeness), math.fsum(one.expected for one in s.likeness))
    orders = [one.order for one in s.likeness if one.compared]
    sum_of_orders = abs(math.fsum(orders)) / math.sqrt(len(orders)) if orders else 0.0
    return min(latest, together), min(1.0, 2 * normal_tail(sum_of_orders))  # taken up from either end


def _decks(s: Statistics, limits: AlarmsSection) -> Iterator[Due]:
    kept, order = decks(s)
    if kept * limits.chance < 1:
        yield Due("deck_neighbours", "shuffle", f"cards that lay side by side came out so again; {_text(kept)}")
    if order * limits.chance < 1:
        yield Due("deck_order", "shuffle", f"cards came out in the order of the hand before; {_text(order)}")


def _text(chance: float) -> str:
    return f"by chance 1 in {1 / chance:.1e}" if chance > 0 else "by chance never"
