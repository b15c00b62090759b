"""Reveal and settling: the dealer's hand, box by box turned, discards named, agreed, paid; then the hand's end.

The money comes from `setup.settle` alone (both readings); nothing here knows what a hand is worth.
"""

from __future__ import annotations

from typing import Any

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain import prices
from controller.domain.cards import CardError, card_text, parse_card
from controller.domain.hand import dealer, jackpot, one_player
from controller.domain.hand.decisions import dealer_fee_of
from controller.domain.hand.expects import (
    Want,
    discards_missing,
    expects,
    in_settle_order,
    must_turn,
    next_for,
    settled_now,
    turn_queue,
    unread_dealer,
    waits_for_another,
)
from controller.domain.hand.request import request
from controller.domain.hand.setup import Differ, Setup, Unsettled
from controller.domain.paytable import Category, category_order
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import (
    BonusStep,
    Box,
    BoxStatus,
    Cause,
    Choice,
    Decision,
    FaceUp,
    Hand,
    StakeEntry,
    Table,
    Unread,
    known,
)

Result = tuple[ev.Event, ...] | Rejection

# A folded box that nobody looked at: lets both readings judge the dealer's hand before any box is turned.
NOBODY = Box(box=1, owner=1, ante=1, dealt=(Unread(),) * 5, decision=Decision.FOLD)


def reveal(table: Table, hand: Hand, setup: Setup) -> Result:
    """The dealer's cards are turned: all five must be known by now."""
    if hand.phase is not Phase.REVEAL or hand.qualifies is not None:
        return reject(Why.NOT_NOW, command="reveal", phase=hand.phase)
    if unread_dealer(hand) is not None and not hand.dealer_declared:
        return reject(Why.UNSETTLED, box=0, missing="a card of the dealer is unread (enter_card)")
    asked = request(hand, [NOBODY], setup, table.limits)
    try:
        told = setup.settle(asked)["dealer"]
    except Differ as differ:
        return readings_differ(0, asked, differ)
    except Unsettled as error:
        return unsettled(0, error)
    cards = tuple(known(slot) for slot in hand.dealer)
    return (ev.DealerRevealed(cards=cards, category=told["hand"], qualifies=told["qualifies"]),)


def turning(hand: Hand) -> bool:
    """The dealer has begun to turn his cards: more than the open one is named."""
    return sum(isinstance(slot, FaceUp) for slot in hand.dealer) > 1


def called(table: Table, hand: Hand, setup: Setup, boxes: list[Box]) -> tuple[ev.Event, ...]:
    """Boxes that would stay face down but may win a side bet are called to be turned (floor 1)."""
    return tuple(
        ev.TurnCalled(box=box.box)
        for box in boxes
        if (
            (box.bonus and box.bonus_step is not BonusStep.DONE) or box.jackpot or box.insurance or _names_discards(box)
        )
        and box.status in (BoxStatus.OPEN, BoxStatus.HELD)
        and not must_turn(box, hand)
        and not (hand.qualifies and box.decision is Decision.RAISE)
        and (box.insurance or _names_discards(box) or _side_bet_may_win(table, hand, box, setup))
    )


def _names_discards(box: Box) -> bool:
    """It exchanged and bought the dealer a card: the settle contract wants its final cards, whoever plays."""
    return box.choice is Choice.BUY and box.action.exchanges


def _side_bet_may_win(table: Table, hand: Hand, box: Box, setup: Setup) -> bool:
    try:
        stakes = setup.settle(request(hand, [box], setup, table.limits))["boxes"][0]["stakes"]
    except (Differ, Unsettled):
        return True  # an unread card, or a dispute of the readings: only the turn can tell
    names = ("jackpot",) if box.bonus_step is BonusStep.DONE else ("bonus", "jackpot")
    return any(stakes.get(name, {}).get("outcome") == "win" for name in names)


def turned(hand: Hand, cmd: cm.Turned, setup: Setup) -> Result:
    """The next box of the queue lies open."""
    if hand.box(cmd.box).status is BoxStatus.HELD:
        return reject(Why.HELD_BOX, box=cmd.box)
    queue = turn_queue(hand, setup)
    if not queue:
        return reject(Why.NOT_NOW, command="turned", phase=hand.phase)
    if queue[0].box != cmd.box:
        return reject(Why.TURN_FIRST, box=queue[0].box)
    box = queue[0]
    if box.turned:
        return reject(Why.NOT_NOW, command="turned", phase=hand.phase)
    dealt, drawn = tuple(known(s) for s in box.dealt), tuple(known(s) for s in box.drawn)
    return (ev.BoxTurned(box=box.box, dealt=dealt, drawn=drawn),)


def discarded(hand: Hand, cmd: cm.NameDiscards, setup: Setup) -> Result:
    """Names discards of the turned box; those named before stay, a named one is taken back by naming it again."""
    box = _current(hand, setup)
    if box is None or box.box != cmd.box or not box.turned or not box.action.exchanges:
        return reject(Why.NOT_NOW, command="discarded", phase=hand.phase)
    there = discardable(box, setup)
    named = list(box.discards or ())
    for word in cmd.cards.split():
        try:
            card = card_text(parse_card(word))
        except CardError:
            return reject(Why.BAD_CARD, card=word)
        if card not in there:
            return reject(Why.NOT_DISCARDABLE, card=card, box=box.box)
        named = [c for c in named if c != card] if card in named else [*named, card]
    if len(named) > box.count:
        return reject(Why.DISCARD_COUNT, box=box.box, count=box.count)
    return (ev.Discarded(box=box.box, cards=tuple(sorted(named, key=there.index))),)


def discardable(box: Box, setup: Setup) -> list[str]:
    """What a box can have thrown away: dealt cards; one after another also drawn ones but the last."""
    again = box.drawn[: box.count - 1] if box.count and prices.one_by_one(setup.rules) else ()
    return [known(slot) for slot in (*box.dealt, *again)]


def _current(hand: Hand, setup: Setup) -> Box | None:
    queue = turn_queue(hand, setup)
    return queue[0] if queue else None


def ready_to_settle(table: Table, hand: Hand, setup: Setup) -> Box | None:
    """The turned box whose cards are all named and whose money is not computed yet."""
    box = _current(hand, setup)
    if box is None or not box.turned or box.answer is not None or discards_missing(box):
        return None
    return box if expects(table, setup).kind is Want.CHECK else None


def judged(table: Table, hand: Hand, box: Box, setup: Setup) -> dict[str, Any] | tuple[ev.Event, ...]:
    """The box's answer by both readings, or the records of their disagreement. Unsettled where no rule settles it."""
    asked = request(hand, one_player.asked_with(hand, box, setup), setup, table.limits)
    try:
        answer: dict[str, Any] = setup.settle(asked)["boxes"][0]
    except Differ as differ:
        return readings_differ(box.box, asked, differ)
    return answer


def settle_box(table: Table, hand: Hand, box: Box, setup: Setup) -> tuple[ev.Event, ...]:
    """The box's money by both readings; waits for the discards' check where the hand is high enough."""
    try:
        answer = judged(table, hand, box, setup)
    except Unsettled as error:
        return unsettled(box.box, error)
    if isinstance(answer, tuple):
        return answer
    answer = less_bonus(answer, box)
    if not box.checked and _needs_check(box, answer, setup):
        return ()
    return (ev.BoxSettled(box=box.box, answer=public_answer(answer, turned=True)),)


def _needs_check(box: Box, answer: dict[str, Any], setup: Setup) -> bool:
    """From this category on the discards themselves are turned: dealer and player could pick the best five of six."""
    lowest, order = setup.procedure.discard_check_from, category_order(setup.rules.flush_over_full_house)
    if not box.action.exchanges or lowest not in order or box.declared is not None:
        return False
    return order.index(answer["hand"]) >= order.index(Category(lowest))


def less_bonus(answer: dict[str, Any], box: Box) -> dict[str, Any]:
    """The answer without a bonus that was decided before: what the dealer still has to move."""
    line = answer["stakes"].get("bonus")
    if box.bonus_step is not BonusStep.DONE or line is None:
        return answer
    return _less(answer, "bonus")


def _less(answer: dict[str, Any], name: str, left: dict[str, Any] | None = None) -> dict[str, Any]:
    """The answer without the line of this stake, or with `left` in its place."""
    line, lines = answer["stakes"][name], {n: left if n == name else one for n, one in answer["stakes"].items()}
    return {
        **answer,
        "stakes": {n: one for n, one in lines.items() if one is not None},
        "net": answer["net"] - line["profit"] + (left["profit"] if left else 0),
        "returned": answer["returned"] - _back(line) + (_back(left) if left else 0),
    }


def _back(line: dict[str, Any]) -> int:
    """Chips that go to the player by this line."""
    return int(line["staked"] + line["profit"]) if line["outcome"] in ("win", "push") else 0


def public_answer(answer: dict[str, Any], *, turned: bool) -> dict[str, Any]:
    """A box's answer as it may be shown: of an unturned box the money alone."""
    shown = ("box", "declared", "stakes", "cut_by_cap", "net", "returned", "shares") + (
        ("hand", "second", "final") if turned else ()
    )
    told = {key: answer[key] for key in shown if key in answer}
    hit, royal = told["stakes"].get("jackpot"), told["stakes"].get("bonus")
    if hit is not None and hit["outcome"] == "win":  # its prize stands when the whole hand is settled
        told = {**_less(told, "jackpot"), "jackpot_hit": True}
    if royal is not None and royal["outcome"] == "win" and "odds" not in royal:  # a part of the meter, as above
        stake_back = {"staked": royal["staked"], "outcome": "push", "profit": 0}
        told = {**_less(told, "bonus", stake_back), "jackpot_hit": True}
    return told


def unsettled(box: int, error: Unsettled) -> tuple[ev.Event, ...]:
    """The record of this box, or of the hand, is one that no rule settles: nothing is paid."""
    return (ev.FaultRaised(cause=str(Cause.UNSETTLED), detail=f"box {box}, {error}" if box else str(error)),)


def readings_differ(box: int, asked: dict[str, Any], differ: Differ) -> tuple[ev.Event, ...]:
    """Nothing is paid; both results go on record."""
    return (
        ev.ReadingsDiffered(box=box, request=asked, domain=differ.domain, referee=differ.referee),
        ev.FaultRaised(cause=str(Cause.READINGS_DIFFER), detail=f"box {box}" if box else "dealer"),
    )


def choose(hand: Hand, cmd: cm.TakeAnte | cm.BuyDealer, setup: Setup) -> Result:
    """The dealer does not play: the box in turn takes the ante, or pays for one of his cards."""
    if not dealer.offered(hand, setup):
        return reject(Why.NOT_OFFERED, what="dealer's card exchange")
    box = dealer.next_chooser(hand) if not hand.bought else None
    if box is None:
        return reject(Why.NOT_NOW, command=cmd.__struct_config__.tag, phase=hand.phase)
    if box.box != cmd.box:
        return reject(Why.NOT_THIS_BOX, box=cmd.box, lit=box.box)
    if isinstance(cmd, cm.TakeAnte):
        return (ev.AnteTaken(box=box.box),)
    fee = dealer_fee_of(box.ante, setup)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.dealer_exchange_fee, ante=box.ante)
    return (ev.DealerBought(box=box.box, fee=fee),)


def redrawn(hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """The bought card lies there: the dealer's final hand; nothing while another is to come."""
    if dealer.unread_drawn(hand) is not None:
        return ()
    cards = dealer.final_cards(hand, setup)
    if cards is None:
        return ()
    category, qualifies = dealer.judged(cards, hand, setup)
    return (ev.DealerRedrawn(cards=cards, category=category, qualifies=qualifies),)


def check(hand: Hand, cmd: cm.DiscardCheck, setup: Setup) -> Result:
    """The discards were turned and are the named ones."""
    box = _current(hand, setup)
    if box is None or box.box != cmd.box or next_for(box, hand).kind is not Want.CHECK:
        return reject(Why.NOT_NOW, command="discard_check", phase=hand.phase)
    return (ev.DiscardsChecked(box=box.box),)


def paid(hand: Hand, cmd: cm.Paid, setup: Setup) -> Result:
    """Chips moved, felt and record agree."""
    if hand.box(cmd.box).status is BoxStatus.HELD:
        return reject(Why.HELD_BOX, box=cmd.box)
    box = _current(hand, setup)
    if box is None or box.box != cmd.box:
        return reject(Why.NOT_NOW, command="paid", phase=hand.phase)
    if box.answer is None:
        return reject(Why.UNSETTLED, box=box.box, missing=_missing(box))
    return (ev.BoxPaid(box=box.box),)


def _missing(box: Box) -> str:
    if not box.turned:
        return "turn it"
    left = discards_missing(box)
    return f"name {left} discard(s)" if left else "a supervisor checks the discards"


def rest(table: Table, hand: Hand, setup: Setup) -> Result:
    """The dealer does not play: all boxes that stay face down are settled by one OK."""
    if expects(table, setup).kind is not Want.REST:
        return reject(Why.NOT_NOW, command="rest", phase=hand.phase)
    return settle_unturned(table, hand, setup)


def settle_unturned(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """Boxes that nobody turns: folded ones, and all others where the dealer does not play.

    One whose money cannot be told without its cards (it exchanged and bought the dealer a card) is called instead.
    """
    found: list[ev.Event] = []
    for box in settled_now(hand, setup):
        if box.status is not BoxStatus.OPEN or waits_for_another(box, hand, setup):
            continue
        try:
            answer = judged(table, hand, box, setup)
        except Unsettled:
            found.append(ev.TurnCalled(box=box.box))
            continue
        if isinstance(answer, tuple):
            return answer
        found.append(ev.BoxSettled(box=box.box, answer=public_answer(less_bonus(answer, box), turned=False)))
        found.append(ev.BoxPaid(box=box.box))
    return tuple(found)


def under_way(hand: Hand) -> bool:
    """Boxes are being settled: all of them, or those that took the ante before a bought card is drawn."""
    return hand.phase is Phase.SETTLING or (hand.chosen and not hand.takers_settled)


def differs(hand: Hand, cmd: cm.Differs) -> Result:
    """The felt does not agree with the record: the box is frozen for a supervisor."""
    box = hand.box(cmd.box)
    if not under_way(hand) or not box.turned or box.status is not BoxStatus.OPEN:
        return reject(Why.NOT_NOW, command="differs", phase=hand.phase)
    named: list[str] = []
    for word in cmd.cards.split():
        try:
            named.append(card_text(parse_card(word)))
        except CardError:
            return reject(Why.BAD_CARD, card=word)
    return (
        ev.BoxHeld(box=box.box, reason="differs", cards=tuple(named)),
        ev.CallRaised(reason=f"felt differs at box {box.box}"),
    )


def hold_box(hand: Hand, cmd: cm.Hold) -> Result:
    """A dispute: the other boxes are paid meanwhile."""
    box = hand.box(cmd.box)
    if not under_way(hand) or not box.playing or box.status is not BoxStatus.OPEN:
        return reject(Why.NOT_NOW, command="hold", phase=hand.phase)
    return (ev.BoxHeld(box=box.box, reason=cmd.reason),)


def release(table: Table, hand: Hand, cmd: cm.Release, setup: Setup) -> Result:
    """A supervisor closes the dispute: the box takes its place in the queue again, and is paid as recorded."""
    box = hand.box(cmd.box)
    if box.status is not BoxStatus.HELD:
        return reject(Why.NOTHING_HELD)
    cleared: tuple[ev.Event, ...] = (ev.CallCleared(),) if table.call else ()
    return (ev.BoxReleased(box=box.box), *cleared)


def whole_hand(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """The hand's settlement as one request and its answer, computed once more from everything that is known."""
    boxes = in_settle_order(hand, setup)
    asked = request(hand, boxes, setup, table.limits)
    try:
        answer = setup.settle(asked)
    except Differ as differ:
        return readings_differ(0, asked, differ)
    except Unsettled as error:
        return unsettled(0, error)
    nominal = tuple(b.box for b in boxes if hand.stake_entry is not StakeEntry.BEFORE_DEAL and not b.staked)
    return (ev.HandSettled(request=asked, answer=answer, nominal=nominal), *jackpot.moved(table, hand, answer))
