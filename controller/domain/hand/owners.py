"""Who plays which box: two boxes of one player, who joins and leaves, and what LOCK asks of all boxes of one player.

An owner's number is the lowest of his boxes, so that an empty box never belongs to somebody who sits elsewhere.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.setup import Setup
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, Hand

Result = tuple[ev.Event, ...] | Rejection


def owner(hand: Hand, cmd: cm.Owner) -> Result:
    """Two boxes of one player, or (named as its own owner) a box that leaves the others."""
    if not 1 <= cmd.owner <= len(hand.boxes):
        return reject(Why.NO_SUCH_BOX, box=cmd.owner, boxes=len(hand.boxes))
    owners = {b.box: b.owner for b in hand.boxes}
    if cmd.owner == cmd.box:
        return changes(hand, {**owners, **left(hand, cmd.box), cmd.box: cmd.box})
    joined = {owners[cmd.box], owners[cmd.owner]}
    together = [n for n, whose in owners.items() if whose in joined]
    return changes(hand, {**owners, **dict.fromkeys(together, min(together))})


def left(hand: Hand, leaving: int) -> dict[int, int]:
    """New owner numbers of those who played together with a box that leaves them."""
    whose = hand.box(leaving).owner
    others = [b.box for b in hand.boxes if b.owner == whose and b.box != leaving]
    return dict.fromkeys(others, min(others)) if others else {}


def first_boxes(boxes: list[Box]) -> dict[int, int]:
    """Each owner's lowest box in play: his number from LOCK on."""
    return {box.owner: min(b.box for b in boxes if b.owner == box.owner) for box in boxes}


def changes(hand: Hand, owners: dict[int, int], *, joined: bool = False) -> tuple[ev.OwnerSet, ...]:
    """The events of what differs, one act together."""
    differing = [(n, whose) for n, whose in sorted(owners.items()) if hand.box(n).owner != whose]
    return tuple(ev.OwnerSet(box=n, owner=whose, joined=joined or i > 0) for i, (n, whose) in enumerate(differing))


def owners_wrong(boxes: list[Box], setup: Setup) -> Rejection | None:
    """Open boxes and equal antes of one player."""
    for number in sorted({b.owner for b in boxes}):
        mine = [b for b in boxes if b.owner == number]
        open_boxes = sum(1 for b in mine if not b.blind)
        if open_boxes > setup.procedure.max_open_boxes:
            return reject(Why.TOO_MANY_OPEN, owner=number, count=open_boxes, high=setup.procedure.max_open_boxes)
        if setup.procedure.equal_antes and len({b.ante for b in mine}) > 1:
            return reject(Why.UNEQUAL, box=mine[0].box)
    return None
