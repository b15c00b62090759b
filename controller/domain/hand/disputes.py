"""Disputes that outlive their hand: the record settles the box as ever, its chips wait for people.

The hand that ends so is whole: both readings have computed it, the audit needs nothing of what comes later.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want, expects
from controller.domain.hand.settling import judged, less_bonus, public_answer
from controller.domain.hand.setup import Setup, Unsettled
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, BoxStatus, Hand, Table

Result = tuple[ev.Event, ...] | Rejection


def next_hand(table: Table, hand: Hand, setup: Setup) -> Result:
    """All other boxes are done; those that are held go on as disputes. Their results must be known."""
    if expects(table, setup).kind is not Want.RELEASE:
        return reject(Why.NOT_NOW, command="next_hand", phase=hand.phase)
    found: list[ev.Event] = []
    for box in hand.boxes:
        if box.status is not BoxStatus.HELD:
            continue
        settled = () if box.answer is not None else _settled(table, hand, box, setup)
        if isinstance(settled, Rejection):
            return settled
        found += (*settled, ev.DisputeDeferred(box=box.box))
    cleared: tuple[ev.Event, ...] = (ev.CallCleared(),) if table.call else ()
    return (*found, *cleared)


def _settled(table: Table, hand: Hand, box: Box, setup: Setup) -> Result:
    try:
        answer = judged(table, hand, box, setup)
    except Unsettled:
        return reject(Why.UNSETTLED, box=box.box, missing="release it first, its cards or discards are not named")
    if isinstance(answer, tuple):
        return answer
    return (ev.BoxSettled(box=box.box, answer=public_answer(less_bonus(answer, box), turned=box.turned)),)


def close_dispute(table: Table, cmd: cm.CloseDispute) -> Result:
    """People have decided. What was paid in the end stands beside the record, which stays as it is."""
    found = next((d for d in table.disputes if (d.hand, d.box) == (cmd.hand, cmd.box)), None)
    if found is None:
        return reject(Why.NOTHING_HELD)
    paid = found.returned if cmd.paid is None else cmd.paid
    if paid < 0:
        return reject(Why.BAD_ARGUMENT, what=f"paid {paid}: nothing or more")
    return (ev.DisputeClosed(hand=found.hand, box=found.box, recorded=found.returned, paid=paid, reason=cmd.reason),)
