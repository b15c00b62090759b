"""Folds of stakes, cards and joker, decisions."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain import events as ev
from controller.domain.evolve.decks import shuffler_missed
from controller.domain.evolve.discard_tray import cleared
from controller.domain.evolve.folding import dealt_slot, heard, on, proposed, put, replace, with_box, with_hand
from controller.domain.phases import JokerPhase, Phase
from controller.domain.play import Action
from controller.domain.state import (
    SHUFFLER,
    Box,
    CardSource,
    Cause,
    Decision,
    FaceDown,
    FaceUp,
    Hand,
    Secret,
    Slot,
    Stake,
    StakeEntry,
    Table,
    Unread,
)

RECENT_JOKERS = 12
UNCOUNTED = frozenset({Cause.CARDS_LOST, Cause.READS_DOUBTED})


@on(ev.StakeSet)
def _stake_set(table: Table, event: ev.StakeSet) -> Table:
    changes: dict[str, Any] = {
        "ante": event.ante,
        "bonus": event.bonus,
        "jackpot": event.jackpot,
        "backers": event.backers,
    }
    if not event.ante:
        changes |= {"owner": event.box, "blind": False}
    return with_box(table, event.box, **changes)


@on(ev.OwnerSet)
def _owner_set(table: Table, event: ev.OwnerSet) -> Table:
    return with_box(table, event.box, owner=event.owner)


@on(ev.BlindSet)
def _blind_set(table: Table, event: ev.BlindSet) -> Table:
    extras = {"blind_sixth": event.buy6, "blind_insurance": event.insurance}
    return with_box(table, event.box, blind=event.blind, **extras)


@on(ev.StakeEntered)
def _stake_entered(table: Table, event: ev.StakeEntered) -> Table:
    return with_box(_restaked(table, event), event.box, staked=True)


@on(ev.StakeCorrected)
def _stake_corrected(table: Table, event: ev.StakeCorrected) -> Table:
    return _restaked(table, event)


def _restaked(table: Table, event: ev.StakeCorrected | ev.StakeEntered) -> Table:
    """The chips that lie there, in this hand and as proposed for the next."""
    assert table.hand is not None
    box = table.hand.box(event.box)
    changes = {"ante": event.ante, "bonus": event.bonus, "fee": event.fee, "bet": 2 * event.ante if box.bet else 0}
    backers = box.backers if event.ante == box.ante else ()  # whose chips were wrong is not known: the box counts
    stakes = tuple(
        replace(s, ante=event.ante, bonus=event.bonus, backers=backers) if s.box == event.box else s
        for s in table.stakes
    )
    return with_box(replace(table, stakes=stakes), event.box, answer=None, backers=backers, **changes)


@on(ev.CountGiven)
def _count_given(table: Table, event: ev.CountGiven) -> Table:
    return with_hand(table, counted=event.number)


@on(ev.Locked)
def _locked(table: Table, event: ev.Locked) -> Table:
    """The stakes stand in the event itself, so that a hand can be folded without the hands before it."""
    stakes = msgspec.convert(event.stakes, tuple[Stake, ...])
    lying = {s.box: s for s in stakes}
    boxes = tuple(_raised_if_blind(proposed(n, lying.get(n))) for n in range(1, table.boxes + 1))
    fresh = tuple(replace(s, carried=False, insurance=0, insurance_carried=False) for s in stakes)
    left = tuple(s for s in table.carried if s.box not in lying)
    cards = CardSource(event.cards)
    table = replace(table, stakes=fresh, carried=left, limits=event.limits, cards=cards)
    table = cleared(table)
    return with_hand(
        table,
        boxes=boxes,
        commitment=event.commitment,
        seed=Secret(event.seed),
        counted=event.counted,
        cards=cards,
        stake_entry=StakeEntry(event.stake_entry),
        meter=event.meter,
        reserve=event.reserve,
    )


def _raised_if_blind(box: Box) -> Box:
    return replace(box, decision=Decision.RAISE, bet=2 * box.ante) if box.ante and box.blind else box


@on(ev.CardDealt)
def _card_dealt(table: Table, event: ev.CardDealt) -> Table:
    assert table.hand is not None
    if event.event_no:
        table = given(heard(table, event.device, event.event_no, event.card))
    slot = Unread() if event.unread else dealt_slot(event.card)
    hand = table.hand
    assert hand is not None
    table = with_hand(table, unread=hand.unread + isinstance(slot, Unread))
    return _laid(table, hand, event.place, event.box, (slot,))


def given(table: Table) -> Table:
    """One card more has left the shoe since the deck was taken."""
    return table if table.given is None else replace(table, given=table.given + 1)


def _laid(table: Table, hand: Hand, place: str, box: int, slots: tuple[Slot, ...]) -> Table:
    """More cards at a place."""
    match place:
        case "box":
            return with_box(table, box, dealt=(*hand.box(box).dealt, *slots))
        case "draw":
            return with_box(table, box, drawn=(*hand.box(box).drawn, *slots))
        case "dealer":
            return with_hand(table, dealer=(*hand.dealer, *slots))
        case "burn":
            return with_hand(table, burns=(*hand.burns, *slots))
        case _:
            return with_hand(table, dealer_drawn=(*hand.dealer_drawn, *slots))


@on(ev.CardsByHand)
def _cards_by_hand(table: Table, event: ev.CardsByHand) -> Table:
    assert table.hand is not None
    return _laid(table, table.hand, event.place, event.box, (Unread(by_hand=True),) * event.count)


@on(ev.CardRefused)
def _card_refused(table: Table, event: ev.CardRefused) -> Table:
    table = given(heard(table, event.device, event.event_no, ""))
    hand = table.hand
    if hand is None or table.cards is not CardSource.SHOE:  # dealt by hand, it was counted as it lay there
        return table
    if UNCOUNTED.intersection(hand.faults):  # dealt behind the lost ones: it lies at the place after theirs
        return with_hand(table, lost=hand.lost + 1)
    return with_hand(table, burned=hand.burned + 1)


@on(ev.CardsBurned)
def _cards_burned(table: Table, event: ev.CardsBurned) -> Table:
    table = replace(table, given=None if table.given is None else table.given + event.count)
    if table.hand is None or table.cards is not CardSource.SHOE:  # dealt by hand, they were counted as they lay there
        return table
    return with_hand(table, burned=table.hand.burned + event.count)


@on(ev.DeviceNoted)
def _device_noted(table: Table, event: ev.DeviceNoted) -> Table:
    return heard(table, event.device, event.event_no, f"note:{event.kind}")


@on(ev.ReadDoubted)
def _read_doubted(table: Table, event: ev.ReadDoubted) -> Table:
    return heard(table, event.device, event.event_no, "")


@on(ev.EventsMissed)
def _events_missed(table: Table, event: ev.EventsMissed) -> Table:
    table = heard(table, event.device, event.last, "")
    if event.device == SHUFFLER:
        return shuffler_missed(table)
    table = replace(table, given=None)  # nobody knows how many cards were among them
    idle = table.cards is not CardSource.SHOE
    if idle or table.hand is None or table.hand.phase in (Phase.DECK_CHECK, Phase.BETTING):
        return table
    return with_hand(table, lost=table.hand.lost + event.last - event.first + 1)


@on(ev.OpenCardShown)
def _open_card_shown(table: Table, event: ev.OpenCardShown) -> Table:
    assert table.hand is not None
    dealer = table.hand.dealer
    index = next(i for i, slot in enumerate(dealer) if isinstance(slot, FaceDown) and slot.card == event.card)
    return with_hand(table, dealer=put(dealer, index, FaceUp(event.card)))


@on(ev.JokerArmed)
def _joker_armed(table: Table, event: ev.JokerArmed) -> Table:
    return with_hand(table, joker=JokerPhase.ARMED)


@on(ev.StopTimedOut)
def _stop_timed_out(table: Table, event: ev.StopTimedOut) -> Table:
    return with_hand(table, stop_late=True)


@on(ev.JokerDrawn)
def _joker_drawn(table: Table, event: ev.JokerDrawn) -> Table:
    return with_hand(table, joker=JokerPhase.DRAWN, slot=Secret(event.slot))


@on(ev.JokerShown)
def _joker_shown(table: Table, event: ev.JokerShown) -> Table:
    table = replace(table, jokers=(*table.jokers, event.slot)[-RECENT_JOKERS:])
    return with_hand(table, joker=JokerPhase.SHOWN, announced=event.by == "dealer")


@on(ev.Folded)
def _folded(table: Table, event: ev.Folded) -> Table:
    return with_box(table, event.box, decision=Decision.FOLD)


@on(ev.BetMade)
def _bet_made(table: Table, event: ev.BetMade) -> Table:
    return with_box(table, event.box, decision=Decision.RAISE, bet=event.amount)


@on(ev.ExchangeAsked)
def _exchange_asked(table: Table, event: ev.ExchangeAsked) -> Table:
    return with_box(table, event.box, action=Action.EXCHANGE, count=event.count, fee=event.fee)


@on(ev.DrawFixed)
def _draw_fixed(table: Table, event: ev.DrawFixed) -> Table:
    return with_box(table, event.box, fixed=True)


@on(ev.SixthBought)
def _sixth_bought(table: Table, event: ev.SixthBought) -> Table:
    assert table.hand is not None
    box = table.hand.box(event.box)
    action = Action.BOTH if box.action.exchanges else Action.BUY6
    return with_box(table, event.box, action=action, sixth=True, fee=box.fee + event.fee)


@on(ev.InsuranceStaked)
def _insurance_staked(table: Table, event: ev.InsuranceStaked) -> Table:
    return with_box(table, event.box, insurance=event.amount)


@on(ev.Undone)
def _undone(table: Table, event: ev.Undone) -> Table:
    return replace(table, hand=table.undo[-1], undo=table.undo[:-1])
