"""The lit box decides: fold, bet, exchange, sixth card, insurance; what is offered is public, whatever it holds."""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import offers
from controller.domain.hand.expects import current_decider
from controller.domain.hand.setup import Setup
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Action, Box, Hand

Result = tuple[ev.Event, ...] | Rejection
Act = cm.Fold | cm.Bet | cm.Exchange | cm.Buy6 | cm.Insure | cm.FixDraw


def decision(hand: Hand, cmd: Act, setup: Setup) -> Result:
    """One decision of the lit box; any other box is refused."""
    box = current_decider(hand, setup)
    if box is None:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    if hand.box(cmd.box).blind:
        return reject(Why.BLIND, box=cmd.box)
    if box.box != cmd.box:
        return reject(Why.NOT_THIS_BOX, box=cmd.box, lit=box.box)
    match cmd:
        case cm.Exchange():
            return _exchange(box, cmd, setup)
        case cm.Buy6():
            return _buy6(box, setup)
        case cm.FixDraw():
            return _fix(box, setup)
        case _ if box.awaits_draw:
            return reject(Why.CARDS_COMING, box=box.box)
        case cm.Fold():
            return _fold(box, setup)
        case cm.Insure():
            return reject(Why.NOT_OFFERED, what="insurance")
        case cm.Bet():
            return (ev.BetMade(box=box.box, amount=2 * box.ante),)


def options(box: Box, setup: Setup) -> tuple[str, ...]:
    """The words of what the lit box may do now, by public facts alone."""
    words: list[str] = []
    if not box.awaits_draw:
        words.append("bet")
        if not must_bet(box, setup):
            words.append("fold")
    if exchange_more(box, setup):
        words.append("exchange")
    if box.action is Action.NONE and setup.rules.sixth_card_fee is not None:
        words.append("buy6")
    if box.awaits_draw and not box.fixed and setup.procedure.draw_timing == "after_all":
        words.append("fix_draw")
    return tuple(words)


def must_bet(box: Box, setup: Setup) -> bool:
    """A raise compelled by the number of cards exchanged (Q28, Q29)."""
    return box.action is Action.EXCHANGE and box.count in setup.rules.force_raise_after


def exchange_more(box: Box, setup: Setup) -> int:
    """The next larger number of cards that the box may throw away; 0 if none. Fixed by the first replacement."""
    if box.drawn or box.fixed or box.action is Action.BUY6:
        return 0
    return next((n for n in offers.exchange_counts(setup.rules) if n > box.count), 0)


def _exchange(box: Box, cmd: cm.Exchange, setup: Setup) -> Result:
    offered = offers.exchange_counts(setup.rules)
    if not offered:
        return reject(Why.NOT_OFFERED, what="exchange")
    if box.action is Action.BUY6 or box.drawn or box.fixed:
        return reject(Why.ONE_ACTION, box=box.box)
    count = cmd.count or exchange_more(box, setup)
    if count not in offered:
        names = ", ".join(str(n) for n in offered)
        return reject(Why.EXCHANGE_COUNT, count=count or box.count + 1, offered=names)
    fee = offers.fee_of(setup.rules, count, box.ante)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.exchange_fee[count], ante=box.ante)
    return (ev.ExchangeAsked(box=box.box, count=count, fee=fee),)


def _buy6(box: Box, setup: Setup) -> Result:
    if setup.rules.sixth_card_fee is None:
        return reject(Why.NOT_OFFERED, what="sixth card")
    if box.action is not Action.NONE:
        return reject(Why.ONE_ACTION, box=box.box)
    return reject(Why.UNSUPPORTED, what="sixth card")


def _fix(box: Box, setup: Setup) -> Result:
    if setup.procedure.draw_timing != "after_all" or box.fixed or not box.awaits_draw:
        return reject(Why.NOT_NOW, command="fix_draw", phase="decisions")
    return (ev.DrawFixed(box=box.box),)


def _fold(box: Box, setup: Setup) -> Result:
    if must_bet(box, setup):
        return reject(Why.MUST_BET, box=box.box)
    return (ev.Folded(box=box.box),)
