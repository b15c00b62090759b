"""The table's state between hands as a record, and back: so that a start folds from there and not from record 1.

Owns the two directions, for the state and for what the statistics remember. Whatever does not come back exactly is
passed over, and the start folds all records. The order of a deck is never kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from controller.domain.state import Secret, Table
from controller.journal.records import StateKept
from controller.table.decks import Likeness
from controller.table.statistics import Counts, Key, Statistics

EVERY = 50
"""Hands from one kept state to the next: a start reads a few thousand records, whatever the file has."""
OF_A_HAND = frozenset({"hand", "undo"})
"""Fields of the table that are empty between hands."""

replace = msgspec.structs.replace


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """What only the table itself reads again: the shoe's recent events, and the statistics.

    `window` has the counts of the newest hands; those before them stand in the kept state before.
    """

    recent: tuple[tuple[int, str], ...] = ()
    rules_hash: str = ""
    deck_size: int = 52
    doc_weight: int | None = None
    dealer: str = ""
    total: int = 0
    window: tuple[Counts, ...] = ()
    likeness: tuple[Likeness, ...] = ()
    drops: tuple[tuple[float, str], ...] = ()
    ended: tuple[float, ...] = ()
    raised: tuple[tuple[int, Key], ...] = ()
    answered: tuple[tuple[Key, int], ...] = ()


def kept(table: Table, statistics: Statistics, hands: int = EVERY) -> tuple[dict[str, Any], str]:
    """The public part, and as JSON what may name cards that nobody turned. `hands`: that many counts go with it."""
    assert table.hand is None
    assert not table.undo
    s = statistics
    memory = Memory(
        recent=tuple((number, str(card)) for number, card in table.shoe.recent),
        rules_hash=s.rules_hash, deck_size=s.deck_size, doc_weight=s.doc_weight, dealer=s.dealer,
        total=s.total, window=s.window[-hands:], likeness=s.likeness, drops=s.drops, ended=s.ended,
        raised=tuple(s.raised.items()), answered=tuple(s.answered.items()),
    )  # fmt: skip
    public = replace(table, shoe=replace(table.shoe, recent=()))
    state: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(public, enc_hook=str))
    return state, msgspec.json.encode(memory).decode()


def restored(newest_first: Iterable[StateKept], span: int) -> tuple[Table, Statistics] | None:
    """State and statistics of the newest; None where there is none, or this program does not read it."""
    found = iter(newest_first)
    try:
        newest = next(found, None)
        if newest is None:
            return None
        memory = _memory(newest)
        shoe_recent = tuple((number, Secret(card)) for number, card in memory.recent)
        table = _table(newest.state)
        window = (*_older(memory, found, span), *memory.window)[-span:]
    except (msgspec.MsgspecError, TypeError):
        return None
    return replace(table, shoe=replace(table.shoe, recent=shoe_recent)), _statistics(memory, window, span)


def _table(state: dict[str, Any]) -> Table:
    parts = {
        field.name: msgspec.convert(state[field.name], field.type, dec_hook=_secret, strict=False)
        for field in msgspec.structs.fields(Table)
        if field.name in state and field.name not in OF_A_HAND
    }
    return Table(**parts)


def _older(newest: Memory, before: Iterator[StateKept], span: int) -> tuple[Counts, ...]:
    """Counts of the hands in front of the newest window, as far as the span goes and the rules are the same."""
    older: tuple[Counts, ...] = ()
    first = newest.total - len(newest.window)  # hands counted in front of what is collected
    wanted = max(0, min(span, newest.total) - len(newest.window))
    while len(older) < wanted:
        event = next(before, None)
        memory = Memory() if event is None else _memory(event)
        if memory.rules_hash != newest.rules_hash or not memory.window or memory.total < first:
            break
        more = memory.window[: len(memory.window) - (memory.total - first)]
        if not more:
            break
        older, first = (*more, *older), first - len(more)
    return older[-wanted:] if wanted else ()


def _statistics(memory: Memory, window: tuple[Counts, ...], span: int) -> Statistics:
    tally: Counter[Key] = Counter()
    for counts in window:
        tally.update(dict(counts))
    return Statistics(
        span=span, rules_hash=memory.rules_hash, deck_size=memory.deck_size, doc_weight=memory.doc_weight,
        dealer=memory.dealer, stopped=False, total=memory.total, window=window, tally=dict(tally),
        likeness=memory.likeness, drops=memory.drops, ended=memory.ended, raised=dict(memory.raised),
        answered=dict(memory.answered),
    )  # fmt: skip


def _memory(event: StateKept) -> Memory:
    return msgspec.json.decode(event.memory, type=Memory)


def _secret(kind: type, value: object) -> object:
    return kind(value)
