"""Voided hands settled as if they had been played: whom the void spared, for a report, from the hand's own records.

Reads a hand that has ended and revealed its key, and no other; pays nothing. What was not decided is not guessed.
"""

from __future__ import annotations

import msgspec

from controller.domain import events as ev
from controller.domain.evolve import evolve
from controller.domain.hand import one_player
from controller.domain.hand.request import request
from controller.domain.hand.settling import less_bonus
from controller.domain.hand.setup import Differ, Setup, Unsettled
from controller.domain.state import Box, BoxStatus, Hand, Table, Unread
from controller.journal.hands import Hand as Recorded
from controller.table.audit import events_of, setup_of

HAND_CARDS = 5


class Voided(msgspec.Struct, frozen=True):
    """`nets` by box: what each decided box would have won or lost; `open`: boxes of which nobody can say."""

    hand: int
    reason: str
    phase: str
    dealer: str
    by: tuple[str, ...]
    nets: dict[str, int]
    open: tuple[int, ...]


def as_if(recorded: Recorded, dealer: str) -> Voided | None:
    """The hand as its decisions stood when it was voided; None where it was not, or cannot be read."""
    opened = recorded.opened
    if not recorded.revealed or not isinstance(opened, ev.TableOpened):
        return None
    setup = setup_of(recorded.table, opened)
    table = Table(open=True, boxes=opened.boxes, limits=opened.limits, rules_hash=opened.rules_hash)
    by: tuple[str, ...] = ()
    for _, event in events_of(recorded):
        if isinstance(event, ev.Authorised):
            by = event.operators
        if isinstance(event, ev.HandEnded):
            return None if event.outcome != "void" else _voided(table, setup, event, dealer, by)
        table = evolve(table, event)
    return None


def _voided(table: Table, setup: Setup, ended: ev.HandEnded, dealer: str, by: tuple[str, ...]) -> Voided:
    hand = table.hand
    assert hand is not None
    nets = {box.box: _net(table, hand, box, setup) for box in hand.boxes if box.ante}
    return Voided(
        hand=ended.hand,
        reason=ended.reason,
        phase=str(hand.fault_back or hand.back or hand.phase),
        dealer=dealer,
        by=by,
        nets={str(box): net for box, net in nets.items() if net is not None},
        open=tuple(box for box, net in nets.items() if net is None),
    )


def _net(table: Table, hand: Hand, box: Box, setup: Setup) -> int | None:
    """None where a card or a decision is missing."""
    slots = (*hand.dealer, *box.dealt, *box.drawn)
    whole = len(hand.dealer) == HAND_CARDS == len(box.dealt) and not any(isinstance(slot, Unread) for slot in slots)
    joker = hand.slot is not None or not setup.joker
    if not whole or not joker or box.status is BoxStatus.VOID:
        return None
    boxes = one_player.asked_with(hand, box, setup)
    if any(b.decision is None or b.awaits_draw for b in boxes):
        return None
    try:
        answer = setup.settle(request(hand, boxes, setup, table.limits))["boxes"][0]
        return int(less_bonus(answer, box)["net"])  # what was paid before the void was not spared
    except (Differ, Unsettled):
        return None
