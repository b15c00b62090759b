"""A bonus that is paid before the settlement (`bonus_pay_time`): at the deal's end, or with the box's bet (Q49).

A bonus that may win is called; its box shows the dealt cards, is paid, and plays on. One that is lost goes at once. The
money comes from `setup.settle` alone; the hand's own settlement says the same once more, and nobody is paid twice.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want, expects
from controller.domain.hand.request import request
from controller.domain.hand.setup import Differ, Setup, Unsettled
from controller.domain.play import Action
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import BonusStep, Box, Cause, Decision, Hand, Table, Unread, known

Result = tuple[ev.Event, ...] | Rejection
# The bonus alone is asked after: by the dealt cards, and by whether a draw forfeits it, never by the dealer's.
ALONE = {"bonus_on_fold": "initial", "force_raise_after": []}


def follows(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """What is due now: lost bonuses go, others are called; a called one is computed once its cards lie open."""
    for box in hand.boxes:
        if box.bonus_step is BonusStep.NONE and _due(box, setup):
            return _first_word(table, hand, box, setup)
        if box.bonus_step is BonusStep.SHOWN and box.bonus_line is None and not _unread(box):
            return _computed(table, hand, box, setup)
    return ()


def _due(box: Box, setup: Setup) -> bool:
    if not box.playing or not box.bonus:
        return False
    when = str(setup.rules.bonus_pay_time)
    if when == "with_bet" and box.decision is Decision.RAISE:  # a blind box's sixth card takes it, once it has come
        return not box.awaits_draw or str(setup.rules.bonus_on_draw) == "initial"
    return when == "at_deal"


def _unread(box: Box) -> bool:
    return any(isinstance(slot, Unread) for slot in box.dealt)


def asked(table: Table, hand: Hand, box: Box, setup: Setup) -> dict[str, Any]:
    """The settle request of the bonus alone."""
    kept = {"action": box.action, "count": box.count, "drawn": box.drawn, "sixth": box.sixth}
    if str(setup.rules.bonus_on_draw) == "initial":
        kept = {"action": Action.NONE, "count": 0, "drawn": (), "sixth": False}
    alone = msgspec.structs.replace(
        box, decision=Decision.FOLD, blind=False, carried=False, insurance=0, insurance_carried=False, jackpot=0, **kept
    )
    found = request(hand, [alone], setup, table.limits)
    return {**found, "set": {**found["set"], **ALONE}}


def line_of(table: Table, hand: Hand, box: Box, setup: Setup) -> dict[str, Any]:
    """The bonus's line by both readings. Differ, or Unsettled where a card of it is unread."""
    line: dict[str, Any] = setup.settle(asked(table, hand, box, setup))["boxes"][0]["stakes"]["bonus"]
    return line


def _first_word(table: Table, hand: Hand, box: Box, setup: Setup) -> tuple[ev.Event, ...]:
    try:
        line = line_of(table, hand, box, setup)
    except Unsettled:
        return (ev.BonusCalled(box=box.box),)  # only the cards themselves can tell
    except Differ as differ:
        return _differ(table, hand, box, setup, differ)
    return (ev.BonusCalled(box=box.box),) if line["outcome"] == "win" else (ev.BonusSettled(box=box.box, line=line),)


def _computed(table: Table, hand: Hand, box: Box, setup: Setup) -> tuple[ev.Event, ...]:
    try:
        return (ev.BonusSettled(box=box.box, line=line_of(table, hand, box, setup)),)
    except Unsettled as error:
        return (ev.FaultRaised(cause=str(Cause.UNSETTLED), detail=f"box {box.box}, {error}"),)
    except Differ as differ:
        return _differ(table, hand, box, setup, differ)


def _differ(table: Table, hand: Hand, box: Box, setup: Setup, differ: Differ) -> tuple[ev.Event, ...]:
    request_ = asked(table, hand, box, setup)
    told = ev.ReadingsDiffered(box=box.box, request=request_, domain=differ.domain, referee=differ.referee)
    return (told, ev.FaultRaised(cause=str(Cause.READINGS_DIFFER), detail=f"box {box.box}"))


def step(table: Table, hand: Hand, cmd: cm.Turned | cm.Paid, setup: Setup) -> Result:
    """In the decisions: the called box shows its dealt cards; the bonus has been paid."""
    want = expects(table, setup)
    wanted = Want.TURN if isinstance(cmd, cm.Turned) else Want.PAID
    if (want.kind, want.box) != (wanted, cmd.box):
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    box = hand.box(cmd.box)
    if isinstance(cmd, cm.Paid):
        return (ev.BonusPaid(box=box.box),)
    return (ev.BonusShown(box=box.box, dealt=tuple(known(slot) for slot in box.dealt)),)


def begun(*boxes: Box) -> bool:
    """Whether a bonus of these has been called or decided: their dealt cards and its stake are not changed any more."""
    return any(box.bonus_step is not BonusStep.NONE for box in boxes)
