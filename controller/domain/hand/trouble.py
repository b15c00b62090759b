"""When a hand leaves the straight way: held, resumed, voided, corrected. The ways out of it."""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.cards import CardError, card_text, deck, parse_card
from controller.domain.hand import decisions
from controller.domain.hand.authority import before_the_first_card
from controller.domain.hand.betting import stake_wrong
from controller.domain.hand.dealing import hold, missing, seen_cards
from controller.domain.hand.expects import Want, current_decider, deal_place, drawing, expects, public_cards
from controller.domain.hand.setup import Setup
from controller.domain.phases import HELD, Health, JokerPhase, Phase, may_return, next_phase, serves
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import UNKNOWN, UNPAYABLE, BonusStep, BoxStatus, CardSource, Cause, Choice, Hand, Table

Result = tuple[ev.Event, ...] | Rejection
MOST_LOST = 52
MOST = 10**12  # minor units; a larger number is a slip of the keys


def irregular(hand: Hand, cmd: cm.Irregular) -> Result:
    """The dealer declares it; nothing moves until a supervisor decides."""
    if hand.phase not in HELD or hand.settled:
        return reject(Why.NOT_NOW, command="irregular", phase=hand.phase)
    return (*hold(hand, Cause.DECLARED, None), ev.CallRaised(reason=cmd.reason))


def resume(table: Table, hand: Hand, cmd: cm.Resume, setup: Setup) -> Result:
    """Plays on: an extra card is burned, a doubtful one stays unknown. Side bets that differ are taken as counted."""
    if hand.phase is Phase.LOCKED:
        phase = next_phase(hand.phase, "counted")
        assert phase is not None
        return (ev.Resumed(cause=str(Cause.SIDE_BETS), phase=phase), *arm(setup))
    if hand.phase is not Phase.IRREGULAR or hand.back is None or hand.cause is None:
        return reject(Why.NOTHING_HELD)
    if cmd.cause not in ("", hand.cause):
        return reject(Why.NOTHING_HELD)
    if hand.cause is Cause.DOOR:  # it goes on by itself when the door is closed
        return reject(Why.DOOR, door=", ".join(table.doors))
    assert may_return("resume", Phase.IRREGULAR, hand.back)
    return (ev.Resumed(cause=str(hand.cause), phase=hand.back), *_call_answered(table))


def _call_answered(table: Table) -> tuple[ev.Event, ...]:
    """Whoever was called has come and decided."""
    return (ev.CallCleared(),) if table.call else ()


def pinned(table: Table, cmd: cm.Command, setup: Setup) -> cm.Command:
    """An act that must wait, tied to what its person saw: agreed to later, it must not hit something else."""
    hand = table.hand
    match cmd:
        case cm.EnterCard():
            want = expects(table, setup)
            return msgspec.structs.replace(cmd, place=want.place, box=want.box, index=want.index + 1)
        case cm.Resume() if hand is not None and hand.phase is Phase.IRREGULAR:
            return msgspec.structs.replace(cmd, cause=str(hand.cause))
        case cm.Reset() if hand is not None:
            return msgspec.structs.replace(cmd, cause=str(hand.fault_cause))
        case _:
            return cmd


def arm(setup: Setup) -> tuple[ev.Event, ...]:
    return (ev.JokerArmed(),) if setup.joker and setup.procedure.joker_time != "after_deal" else ()


def reset(table: Table, hand: Hand, cmd: cm.Reset, setup: Setup) -> Result:
    """The fault's cause is gone. Cards lost with the shoe's events lie on the felt as unknown ones."""
    if hand.phase is not Phase.FAULT or hand.fault_back is None or hand.fault_cause is None:
        return reject(Why.NOTHING_HELD)
    if hand.fault_cause in UNPAYABLE:
        return reject(Why.NOT_NOW, command="reset", phase="readings differ: void_hand")
    if cmd.cause not in ("", hand.fault_cause):
        return reject(Why.NOTHING_HELD)
    doubted = Cause.READS_DOUBTED in hand.faults
    if doubted and cmd.number is None:
        return reject(Why.BAD_ARGUMENT, what="number: how many cards lie there that were not read (0: none)")
    lost, most = hand.lost if cmd.number is None else cmd.number, MOST_LOST if doubted else hand.lost
    if not 0 <= lost <= most:
        return reject(Why.BAD_ARGUMENT, what=f"number {lost}: 0 to {most} cards were lost")
    unknown = _unknown_cards(hand, lost, setup)
    if doubted and len(unknown) < lost:
        return reject(Why.BAD_ARGUMENT, what=f"number {lost}: only {len(unknown)} cards can lie there")
    assert may_return("reset", Phase.FAULT, hand.fault_back)
    reset_to = ev.FaultReset(cause=str(hand.fault_cause), phase=hand.fault_back)
    return (reset_to, *_adopted(table, hand), *unknown, *_call_answered(table))


def _adopted(table: Table, hand: Hand, *, over: bool = False) -> tuple[ev.Event, ...]:
    """After any doubt of the shoe's log, whatever else was wrong beside it. `over`: the hand ends with that."""
    doubt = {Cause.SHOE, Cause.DEVICE_CHANGED, Cause.EVENT_DIFFERS, Cause.OLD_JOURNAL}
    dealt = not over and hand.fault_back not in (Phase.DECK_CHECK, Phase.BETTING)
    return adopt_shoe(table, dealt=dealt) if doubt.intersection(hand.faults) else ()


def adopt_shoe(table: Table, *, dealt: bool = False) -> tuple[ev.Event, ...]:
    """The shoe's log goes on from where it stands: after the journal's last event, or where a new log ends.

    Another shoe's numbers have nothing to do with ours, and what its log holds was dealt elsewhere. Of events that an
    older copy of the journal does not know, those count that may lie on the felt: of a hand that is being dealt.
    """
    shoe = table.shoe
    ours = shoe.serial == shoe.owner and (dealt or not shoe.ahead)
    return (ev.ShoeAdopted(event_no=min(shoe.log_last, shoe.last_event) if ours else shoe.log_last),)


def _unknown_cards(hand: Hand, lost: int, setup: Setup) -> list[ev.Event]:
    """The places that the lost cards went to, in the order of the deal."""
    from controller.domain.evolve import evolve  # noqa: PLC0415 - evolve imports nothing from here; local for clarity

    found: list[ev.Event] = []
    table = Table(hand=hand, boxes=setup.boxes)
    back = hand.fault_back
    for _ in range(lost):
        now = table.hand
        assert now is not None
        place = deal_place(now, setup) if back is Phase.DEALING else None
        box = current_decider(now, setup) if back is Phase.DECISIONS else None
        bought = expects(_back(table, now), setup) if back is Phase.REVEAL else None
        if place is not None:
            where = (place.place, place.box, place.index)
        elif box is not None and drawing(box, setup):
            where = ("draw", box.box, len(box.drawn))
        elif bought is not None and bought.kind is Want.CARD:
            where = (bought.place, 0, bought.index)
        else:
            break
        card = ev.CardDealt(
            place=where[0],
            box=where[1],
            index=where[2],
            card=UNKNOWN,
            unread=True,
            reason="lost",
            device=setup.source,
            event_no=0,
        )
        found.append(card)
        table = evolve(table, card)
    return found


def _back(table: Table, hand: Hand) -> Table:
    """The table as it was before the fault."""
    assert hand.fault_back is not None
    return msgspec.structs.replace(table, hand=msgspec.structs.replace(hand, phase=hand.fault_back))


def void_hand(table: Table, hand: Hand, cmd: cm.VoidHand) -> Result:
    """A misdeal: all stakes go back; key and seed are revealed as ever."""
    if next_phase(hand.phase, "void") is None or hand.settled:  # settled: the meter has moved, a hit waits
        return reject(Why.NOT_NOW, command="void_hand", phase=hand.phase)
    return ended_void(table, hand, cmd.reason)


def ended_void(table: Table, hand: Hand, reason: str) -> tuple[ev.Event, ...]:
    """The end of a hand that pays nothing; what stood in doubt with it ends too."""
    unseen = hand.joker is JokerPhase.DRAWN
    return (
        *((ev.JokerVoided(reason=reason),) if unseen else ()),
        *_adopted(table, hand, over=True),
        *_call_answered(table),
        ev.HandEnded(hand=hand.number, outcome="void", key=str(hand.key), seed=str(hand.seed), reason=reason),
    )


def void_box(hand: Hand, cmd: cm.VoidBox) -> Result:
    """A dead hand (wrong number of cards): its stakes go back, the others play on."""
    box = hand.box(cmd.box)
    held = hand.back if hand.phase is Phase.IRREGULAR else hand.phase
    if not box.ante:
        return reject(Why.NO_STAKE)
    if (
        not box.playing
        or box.status in (BoxStatus.PAID, BoxStatus.DEFERRED)
        or held in (Phase.BETTING, Phase.DECK_CHECK, Phase.FAULT)
    ):
        return reject(Why.NOT_NOW, command="void_box", phase=hand.phase)
    return (ev.BoxVoided(box=cmd.box, reason=cmd.reason),)


def enter_card(table: Table, hand: Hand, cmd: cm.EnterCard, setup: Setup) -> Result:
    """Names the unread card of a place that lies open, or several of the same box in order; all of them or none."""
    from controller.domain.evolve import evolve_all  # noqa: PLC0415 - as in _unknown_cards

    found: tuple[ev.Event, ...] = ()
    first = expects(table, setup)
    for word in cmd.card.split() or [cmd.card]:
        same = expects(table, setup).box == first.box
        one = _entered(table, hand, word, cmd, setup) if same else reject(Why.NOT_UNREAD)
        if isinstance(one, Rejection):
            return one
        found = (*found, *one)
        table = evolve_all(table, one)
        assert table.hand is not None
        hand, cmd = table.hand, cm.EnterCard(card=cmd.card)
    return found


def _entered(table: Table, hand: Hand, word: str, cmd: cm.EnterCard, setup: Setup) -> Result:
    """One card. A refusal names an equal public card only."""
    want = expects(table, setup)
    if want.kind is not Want.ENTRY:
        return reject(Why.NOT_UNREAD)
    if (cmd.place and cmd.place != want.place) or (cmd.box and cmd.box != want.box):
        return reject(Why.NOT_UNREAD)
    if cmd.index and cmd.index - 1 != want.index:
        return reject(Why.NOT_UNREAD)
    try:
        card = parse_card(word)
    except CardError:
        return reject(Why.BAD_CARD, card=word)
    if card not in deck(setup.rules.deck_size):
        return reject(Why.BAD_CARD, card=word)
    text = card_text(card)
    if text in public_cards(hand):
        return reject(Why.PUBLIC_CARD, card=text)
    if text in seen_cards(hand):
        return reject(Why.DECK_FAULT)
    entered = ev.CardEntered(place=want.place, box=want.box, index=want.index, card=text)
    lying = {"dealer": hand.dealer, "dealer_draw": hand.dealer_drawn}.get(want.place)
    if lying is not None and want.index >= len(lying):  # an open card dealt by hand: named as it comes
        return (ev.CardsByHand(place=want.place, box=0, count=1), entered)
    return (entered,)


# --- without the board -----------------------------------------------------------------------------------------------


def announce(table: Table, hand: Hand, setup: Setup) -> Result:
    """The drawn joker becomes public by word of mouth, where the board cannot show it. It stays the same one."""
    faulty = hand.phase is Phase.FAULT and hand.fault_cause is Cause.BOARD
    dead = table.devices.get("board", Health.ABSENT) is not Health.READY
    waits = expects(table, setup).kind is Want.BOARD and dead
    if hand.joker is not JokerPhase.DRAWN or hand.slot is None or not (faulty or waits):
        return reject(Why.NOT_NOW, command="announce", phase=hand.phase)
    cleared = reset(table, hand, cm.Reset(), setup) if faulty else ()
    if isinstance(cleared, Rejection):
        return cleared
    return (*cleared, ev.JokerShown(slot=str(hand.slot), by="dealer"))


# --- without the shoe ------------------------------------------------------------------------------------------------


def manual(table: Table, cmd: cm.Manual) -> Result:
    """From here on cards are dealt by hand. Those that were read keep their readings."""
    phase = table.phase
    if not table.open or table.cards is not CardSource.SHOE or phase in (Phase.IRREGULAR, Phase.FAULT):
        return reject(Why.NOT_NOW, command="manual", phase=phase)
    return (ev.CardsSwitched(cards=str(CardSource.AT_TURN), reason=cmd.reason), *_call_answered(table))


def automatic(table: Table, setup: Setup) -> Result:
    """The shoe serves again: between hands, once it is there."""
    if table.hand is None or table.cards is CardSource.SHOE:
        return reject(Why.NOT_NOW, command="automatic", phase=table.phase)
    if table.hand.phase not in (Phase.DECK_CHECK, Phase.BETTING):
        return reject(Why.HAND_RUNNING)
    if setup.procedure.cards is not CardSource.SHOE:
        return reject(Why.NOT_OFFERED, what="cards from a shoe")
    device = serves("lock", table.devices, joker=False, source=setup.source)
    if device is not None:
        return reject(missing(table, device), device=device)
    shoe = table.shoe
    anew = shoe.serial != shoe.owner or shoe.log_last < shoe.last_event or shoe.ahead
    back = ev.CardsSwitched(cards=str(CardSource.SHOE), reason="ready")
    return (*(adopt_shoe(table) if anew else ()), back)


def correct_stake(table: Table, hand: Hand, cmd: cm.CorrectStake, setup: Setup) -> Result:
    """The chips on the felt govern, until the box is paid. The plate binds the dealer alone, not a supervisor."""
    box = hand.box(cmd.box)
    bonus = box.bonus if cmd.bonus is None else cmd.bonus
    if not 0 < cmd.ante <= MOST or not 0 <= bonus <= MOST:
        return reject(Why.BAD_ARGUMENT, what=f"ante {cmd.ante}, bonus {bonus}: amounts are positive")
    if not box.playing or box.status is not BoxStatus.OPEN or hand.phase is Phase.DECK_CHECK:
        return reject(Why.NOT_NOW, command="correct_stake", phase=hand.phase)
    if bonus and not setup.rules.bonus_table:
        return reject(Why.NO_BONUS)
    if bonus and bonus != box.bonus and (hand.cards is CardSource.NONE or box.declared is not None):
        return reject(Why.NEEDS_CARDS, box=box.box)  # a declared result settles no bonus
    if bonus and setup.bonus_royal and bonus not in (shares := setup.rules.jackpot.jackpot_share):
        return reject(Why.BONUS_SHARE, bonus=bonus, box=box.box, stakes=", ".join(map(str, sorted(shares))))
    if bonus != box.bonus and box.bonus_step is not BonusStep.NONE:
        return reject(Why.BAD_ARGUMENT, what=f"bonus of box {box.box}: it is decided already")
    if before_the_first_card(hand):
        if box.carried and cmd.ante != box.ante:
            return reject(Why.CARRIED, box=box.box)
        wrong = stake_wrong(box.box, cmd.ante, bonus, box.jackpot, table, setup)
        if wrong is not None:
            return wrong
    if bonus and box.blind and "bonus" not in setup.rules.blind_extras:
        return reject(Why.BLIND, box=box.box)
    fee = decisions.fee_of(box.count, box.sixth, cmd.ante, setup)
    if fee is None:
        return reject(Why.FEE_NOT_WHOLE, fee="the", ante=cmd.ante)
    if box.choice is Choice.BUY and decisions.dealer_fee_of(cmd.ante, setup) is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.dealer_exchange_fee, ante=cmd.ante)
    if box.insured:
        high = decisions.insurance_bound(cmd.ante, setup, int(table.limits["cap"]))
        if not cmd.ante <= box.insurance <= high:
            return reject(Why.INSURANCE_RANGE, amount=box.insurance, box=box.box, low=cmd.ante, high=high)
    return (ev.StakeCorrected(box=cmd.box, ante=cmd.ante, bonus=bonus, fee=fee),)
