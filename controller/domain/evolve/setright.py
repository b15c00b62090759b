"""Folds of what people set right."""

from __future__ import annotations

from controller.domain import events as ev
from controller.domain.evolve.folding import on, put, replace, with_box, with_hand
from controller.domain.state import Box, BoxStatus, FaceUp, Slot, Table


@on(ev.DisputeDeferred)
def _dispute_deferred(table: Table, event: ev.DisputeDeferred) -> Table:
    return with_box(table, event.box, status=BoxStatus.DEFERRED)


@on(ev.DisputeClosed)
def _dispute_closed(table: Table, event: ev.DisputeClosed) -> Table:
    left = tuple(d for d in table.disputes if (d.hand, d.box) != (event.hand, event.box))
    return replace(table, disputes=left)


@on(ev.HandsSwapped)
def _hands_swapped(table: Table, event: ev.HandsSwapped) -> Table:
    assert table.hand is not None
    first, second = table.hand.box(event.first), table.hand.box(event.second)
    table = _relaid(table, first, second.dealt)
    return _relaid(table, second, first.dealt)


def _relaid(table: Table, box: Box, dealt: tuple[Slot, ...]) -> Table:
    """Other cards at a box: what was said of the old ones falls."""
    return with_box(table, box.box, dealt=dealt, discards=None, checked=False, declared=None, answer=None)


@on(ev.CardReassigned)
def _card_reassigned(table: Table, event: ev.CardReassigned) -> Table:
    assert table.hand is not None
    for box in table.hand.boxes:
        table = _renamed(table, box, {event.card: event.was, event.was: event.card})
    return table


def _renamed(table: Table, box: Box, names: dict[str, str]) -> Table:
    """The open cards of a box under their new names."""

    def new(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
        for index, slot in enumerate(slots):
            if isinstance(slot, FaceUp) and slot.card in names:
                slots = put(slots, index, FaceUp(names[slot.card], entered=True))
        return slots

    dealt, drawn = new(box.dealt), new(box.drawn)
    if (dealt, drawn) == (box.dealt, box.drawn):
        return table
    return with_box(table, box.box, dealt=dealt, drawn=drawn, discards=None, checked=False, answer=None)


@on(ev.CardReplaced)
def _card_replaced(table: Table, event: ev.CardReplaced) -> Table:
    assert table.hand is not None
    dealt = table.hand.box(event.box).dealt
    return with_hand(with_box(table, event.box, dealt=dealt[:-1]), burned=table.hand.burned + 1)
