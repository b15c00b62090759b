"""Folds of the reader at the discard tray, and what a hand leaves to be compared with it."""

from __future__ import annotations

from controller.domain import events as ev
from controller.domain.evolve.folding import on, replace
from controller.domain.state import CardSource, FaceDown, FaceUp, Hand, Table, Unread
from controller.domain.tray import Tray


@on(ev.TrayRead)
def _tray_read(table: Table, event: ev.TrayRead) -> Table:
    return replace(table, tray=replace(table.tray, seen=(*table.tray.seen, event.card)))


def was_away(table: Table) -> Table:
    """The reader has come (back): what it did not see says nothing."""
    return replace(table, tray=replace(table.tray, patchy=True))


def left_on_the_felt(table: Table, hand: Hand, outcome: str) -> Table:
    """The hand has ended: its cards go to the tray. One that was dealt by hand cannot be compared."""
    if outcome == "not_played" or hand.cards is not CardSource.SHOE:
        return table
    boxes = (slot for box in hand.boxes for slot in (*box.dealt, *box.drawn))
    slots = [*hand.dealer, *hand.dealer_drawn, *boxes, *hand.burns]
    known = tuple(slot.card for slot in slots if isinstance(slot, FaceDown | FaceUp))
    loose = hand.burned + hand.lost + sum(isinstance(slot, Unread) for slot in slots)
    return replace(table, tray=replace(table.tray, hand=hand.number, dealt=known, loose=loose))


def cleared(table: Table) -> Table:
    """What was compared is forgotten."""
    return replace(table, tray=Tray())
