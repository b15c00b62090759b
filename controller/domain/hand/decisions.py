"""The lit box decides: fold, bet, exchange, sixth card, insurance; what is offered is public, whatever it holds."""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain import prices
from controller.domain.hand import by_hand, dealer
from controller.domain.hand.expects import current_decider, drawing
from controller.domain.hand.setup import Setup
from controller.domain.play import Action
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import DOC, Box, Hand
from controller.errors import TableError

Result = tuple[ev.Event, ...] | Rejection
Act = cm.Fold | cm.Bet | cm.Exchange | cm.Buy6 | cm.Insure | cm.FixDraw


def decision(hand: Hand, cmd: Act, setup: Setup, cap: int) -> Result:
    """One decision of the lit box; any other box is refused. `cap` is the plate's maximum payout."""
    box = current_decider(hand, setup)
    if box is None:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    if hand.box(cmd.box).blind:
        return reject(Why.BLIND, box=cmd.box)
    if box.box != cmd.box:
        return reject(Why.NOT_THIS_BOX, box=cmd.box, lit=box.box)
    counting = isinstance(cmd, cm.FixDraw) or (isinstance(cmd, cm.Exchange) and not prices.one_by_one(setup.rules))
    if not by_hand.by_hand(hand) or not drawing(box, setup) or counting:
        return _judged(hand, box, cmd, setup, cap)
    result = _judged(hand, by_hand.served(box), cmd, setup, cap)
    return result if isinstance(result, Rejection) else (by_hand.draws(box), *result)


def _judged(hand: Hand, box: Box, cmd: Act, setup: Setup, cap: int) -> Result:
    match cmd:
        case cm.Exchange():
            return _served(hand, _exchange(box, cmd, setup), box, setup)
        case cm.Buy6():
            return _served(hand, _buy6(box, setup), box, setup)
        case cm.FixDraw():
            return _fix(box, setup)
        case _ if box.awaits_draw:
            return reject(Why.CARDS_COMING, box=box.box)
        case cm.Fold() if box.insured:
            return reject(Why.INSURED, box=box.box)
        case cm.Fold():
            return _fold(box, setup)
        case cm.Insure():
            return insure(hand, box, cmd, setup, cap)
        case cm.Bet():
            return (ev.BetMade(box=box.box, amount=2 * box.ante),)


def _served(hand: Hand, result: Result, box: Box, setup: Setup) -> Result:
    """Refused where the deck has not enough cards left (`stub_policy = announced_limit`)."""
    if isinstance(result, Rejection):
        return result
    left = dealer.cards_for_draws(hand, setup)
    more = sum(e.count - box.count if isinstance(e, ev.ExchangeAsked) else 1 for e in result)
    return result if more <= left else reject(Why.STUB_SHORT, box=box.box, left=left)


def insurable(hand: Hand, setup: Setup) -> bool:
    """Insurance is offered; not where the joker is the dealer's own open card, since he always plays then (Q82)."""
    return setup.rules.insurance and hand.slot != DOC


def options(hand: Hand, box: Box, setup: Setup) -> tuple[str, ...]:
    """The words of what the lit box may do now, by public facts alone."""
    words: list[str] = []
    left = dealer.cards_for_draws(hand, setup)
    by_their_word = by_hand.by_hand(hand) and drawing(box, setup)
    if by_their_word and prices.one_by_one(setup.rules):
        box = by_hand.served(box)
    more = exchange_more(box, setup)
    more = more if more - box.count <= left else 0
    if by_their_word:
        box = by_hand.served(box)
    if not box.awaits_draw:
        words.append("bet")
        if box.insured:
            return ("bet", "insure")
        if not must_bet(box, setup):
            words.append("fold")
    if more:
        words.append("exchange")
    if _may_buy6(box, setup) and left:
        words.append("buy6")
    if insurable(hand, setup) and not box.awaits_draw and not box.insurance_carried:
        words.append("insure")
    if box.awaits_draw and not box.fixed and setup.procedure.draw_timing == "after_all":
        words.append("fix_draw")
    return tuple(words)


def must_bet(box: Box, setup: Setup) -> bool:
    """A raise compelled by the number of cards exchanged (Q28, Q29)."""
    return box.action.exchanges and box.count in setup.rules.force_raise_after


def exchange_more(box: Box, setup: Setup) -> int:
    """The next larger number of cards that the box may throw away; 0 if none. Fixed by the first replacement.

    One after another: one more, once the last one has been replaced.
    """
    if prices.one_by_one(setup.rules):
        return 0 if box.awaits_draw or box.sixth or box.insured else box.count + 1
    if box.drawn or box.fixed or box.sixth or box.insured:
        return 0
    return next((n for n in prices.offered_counts(setup.rules) if n > box.count), 0)


def _exchange(box: Box, cmd: cm.Exchange, setup: Setup) -> Result:
    offered = prices.offered_counts(setup.rules)
    if not offered:
        return reject(Why.NOT_OFFERED, what="exchange")
    if box.insured:
        return reject(Why.INSURED, box=box.box)
    if prices.one_by_one(setup.rules):
        return _one_more(box, cmd, setup)
    if box.sixth or box.drawn or box.fixed:
        return reject(Why.ONE_ACTION, box=box.box)
    count = cmd.count or exchange_more(box, setup)
    if count not in offered:
        names = ", ".join(str(n) for n in offered)
        return reject(Why.EXCHANGE_COUNT, count=count or box.count + 1, offered=names)
    fee = fee_of(count, False, box.ante, setup)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.exchange_fee[count], ante=box.ante)
    return (ev.ExchangeAsked(box=box.box, count=count, fee=fee),)


def _one_more(box: Box, cmd: cm.Exchange, setup: Setup) -> Result:
    """One card more, thrown away after the one before has been replaced. It may be that one."""
    if box.sixth:
        return reject(Why.ONE_ACTION, box=box.box)
    if box.awaits_draw:
        return reject(Why.CARDS_COMING, box=box.box)
    if cmd.count > 1:
        return reject(Why.EXCHANGE_COUNT, count=cmd.count, offered="1, again and again")
    fee = fee_of(box.count + 1, False, box.ante, setup)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.exchange_fee[1] * (box.count + 1), ante=box.ante)
    return (ev.ExchangeAsked(box=box.box, count=box.count + 1, fee=fee),)


def fee_of(count: int, sixth: bool, ante: int, setup: Setup) -> int | None:
    """What the cards cost in minor units; None where it does not come out whole (Q24)."""
    try:
        exchange = prices.fee(setup.rules, count, ante) if count else 0
        return exchange + (prices.sixth_card_fee(setup.rules, ante) if sixth else 0)
    except TableError:
        return None


def _may_buy6(box: Box, setup: Setup) -> bool:
    """One action a box, or an exchange whose cards have come and then a sixth card (Q30)."""
    if setup.rules.sixth_card_fee is None or box.sixth or box.insured:
        return False
    return box.action is Action.NONE or (setup.rules.max_actions > 1 and not box.awaits_draw)


def _buy6(box: Box, setup: Setup) -> Result:
    if setup.rules.sixth_card_fee is None:
        return reject(Why.NOT_OFFERED, what="sixth card")
    if box.insured:
        return reject(Why.INSURED, box=box.box)
    if not _may_buy6(box, setup):
        return reject(Why.ONE_ACTION, box=box.box)
    fee = fee_of(0, True, box.ante, setup)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.sixth_card_fee, ante=box.ante)
    return (ev.SixthBought(box=box.box, fee=fee),)


def insure(hand: Hand, box: Box, cmd: cm.Insure, setup: Setup, cap: int) -> Result:
    """Taken from any box up to a bound that tells nothing of its cards; judged when the box is turned (floor 1)."""
    if not insurable(hand, setup):
        return reject(Why.NOT_OFFERED, what="insurance")
    if box.insurance_carried:
        return reject(Why.INSURED, box=box.box)
    amount = cmd.amount or box.insurance or box.ante
    high = insurance_bound(box.ante, setup, cap)
    if not box.ante <= amount <= high:
        return reject(Why.INSURANCE_RANGE, amount=amount, box=box.box, low=box.ante, high=high)
    return (ev.InsuranceStaked(box=box.box, amount=amount),)


def insurance_bound(ante: int, setup: Setup, cap: int) -> int:
    """The most that a box may insure, whatever it holds."""
    return prices.insurance_bound(msgspec.structs.replace(setup.rules, cap=cap), ante)


def dealer_fee_of(ante: int, setup: Setup) -> int | None:
    """What the dealer's card costs; None where it does not come out whole."""
    try:
        return prices.dealer_fee(setup.rules, ante)
    except TableError:
        return None


def _fix(box: Box, setup: Setup) -> Result:
    if setup.procedure.draw_timing != "after_all" or box.fixed or not box.awaits_draw:
        return reject(Why.NOT_NOW, command="fix_draw", phase="decisions")
    return (ev.DrawFixed(box=box.box),)


def _fold(box: Box, setup: Setup) -> Result:
    if must_bet(box, setup):
        return reject(Why.MUST_BET, box=box.box)
    return (ev.Folded(box=box.box),)
