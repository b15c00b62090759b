"""Results without cards: what people declare of the dealer, or of a turned box, and when that is taken.

What a declared hand pays is asked of both readings at once; a word that they refuse is refused here.
"""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want, expects
from controller.domain.hand.request import request
from controller.domain.hand.settling import NOBODY, readings_differ, reveal
from controller.domain.hand.setup import Differ, Setup, Unsettled
from controller.domain.legal import in_game
from controller.domain.paytable import category_order
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, CardSource, Declaration, Hand, Table

Result = tuple[ev.Event, ...] | Rejection


def declare(table: Table, hand: Hand, cmd: cm.Declare, setup: Setup) -> Result:
    """The dealer's hand, which turns it too; or the result of the box that is turned now."""
    if not cmd.box:
        return _dealer(table, hand, cmd, setup)
    box = hand.box(cmd.box)
    if not _waits(table, hand, box, setup):
        return reject(Why.NOT_NOW, command="declare", phase=hand.phase)
    said = Declaration(hand=cmd.hand, against=cmd.against, second=cmd.second)
    asked = request(hand, [msgspec.structs.replace(box, declared=said)], setup, table.limits)
    try:
        setup.settle(asked)
    except Differ as differ:
        return readings_differ(box.box, asked, differ)
    except Unsettled:
        if box.jackpot or box.bonus:
            return reject(Why.NEEDS_CARDS, box=box.box)
        return reject(Why.DECLARED_WRONG, box=box.box, said=" ".join(filter(None, (cmd.hand, cmd.against, cmd.second))))
    return (ev.ResultDeclared(box=box.box, hand=cmd.hand, against=cmd.against, second=cmd.second),)


def categories(setup: Setup) -> list[str]:
    """The hands that can be said in this game, the lowest first."""
    ranked = category_order(setup.rules.flush_over_full_house)
    return [str(one) for one in ranked if in_game(setup.rules, one)]


def _waits(table: Table, hand: Hand, box: Box, setup: Setup) -> bool:
    """The box is turned and its cards are asked for, or it was declared already and is not paid."""
    want = expects(table, setup)
    if want.box != box.box or not box.turned or hand.cards is CardSource.SHOE:
        return False
    return want.kind in (Want.DECLARE, Want.ENTRY) or (want.kind is Want.PAID and box.declared is not None)


def _dealer(table: Table, hand: Hand, cmd: cm.Declare, setup: Setup) -> Result:
    want = expects(table, setup)
    if want.kind is not Want.DECLARE or want.box:
        return reject(Why.NOT_NOW, command="declare", phase=hand.phase)
    said = msgspec.structs.replace(hand, dealer_declared=cmd.hand)
    try:
        setup.settle(request(said, [NOBODY], setup, table.limits))
    except Unsettled:
        return reject(Why.DECLARED_WRONG, box=0, said=cmd.hand)
    except Differ:
        pass  # `reveal` finds the same and stops the table with both answers
    told = reveal(table, said, setup)
    return told if isinstance(told, Rejection) else (ev.ResultDeclared(box=0, hand=cmd.hand), *told)
