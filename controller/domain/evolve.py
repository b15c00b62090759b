"""evolve(table, event) -> table: what each event does to the state. Pure, total, and never a decision.

One function per event, found by the event's class. Whatever is journalled can be folded: a wrong fact must have been
refused by decide, before it became one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from controller.domain import events as ev
from controller.domain.phases import Health, JokerPhase, Phase, next_health
from controller.domain.state import (
    UNKNOWN,
    Action,
    Box,
    BoxStatus,
    Cause,
    Choice,
    Decision,
    FaceDown,
    FaceUp,
    Hand,
    Secret,
    Slot,
    Stake,
    Table,
    Unread,
    Waiting,
)

E = TypeVar("E", bound=ev.Event)
Fold = Callable[[Table, Any], Table]
_FOLDS: dict[type[ev.Event], Fold] = {}

RECENT_EVENTS = 64
RECENT_JOKERS = 12
replace = msgspec.structs.replace

# The dealer's own acts that he may take back (grade A), and what makes that too late: a physical fact.
UNDOABLE = (ev.StakeSet, ev.OwnerSet, ev.BlindSet, ev.Folded, ev.BetMade, ev.ExchangeAsked, ev.SixthBought,
            ev.DrawFixed, ev.InsuranceStaked, ev.AnteTaken, ev.DealerBought, ev.Discarded)  # fmt: skip
PHYSICAL = (ev.Locked, ev.CardDealt, ev.JokerShown, ev.DealerRevealed, ev.DealerRedrawn, ev.BoxTurned, ev.BoxPaid,
            ev.CardEntered, ev.BoxVoided, ev.Irregularity, ev.FaultRaised, ev.HandOpened, ev.HandEnded,
            ev.StakeCorrected, ev.BoxHeld, ev.DiscardsChecked)  # fmt: skip


def evolve(table: Table, event: ev.Event) -> Table:
    """The state after one event."""
    before = table.hand
    fold = _FOLDS.get(type(event))
    if fold is None:  # nothing that anyone at the table could see
        return table
    table = fold(table, event)
    undo = table.undo
    if isinstance(event, UNDOABLE) and before is not None:
        undo = (*undo, before)
    elif isinstance(event, PHYSICAL):
        undo = ()
    return replace(table, version=table.version + 1, undo=undo)


def evolve_all(table: Table, events: Iterable[ev.Event]) -> Table:
    """The state after several events."""
    for event in events:
        table = evolve(table, event)
    return table


def _on(kind: type[E]) -> Callable[[Callable[[Table, E], Table]], Callable[[Table, E], Table]]:
    def register(fold: Callable[[Table, E], Table]) -> Callable[[Table, E], Table]:
        _FOLDS[kind] = fold
        return fold

    return register


def _hand(table: Table, **changes: Any) -> Table:
    assert table.hand is not None
    return replace(table, hand=replace(table.hand, **changes))


def _box(table: Table, number: int, **changes: Any) -> Table:
    assert table.hand is not None
    boxes = tuple(replace(b, **changes) if b.box == number else b for b in table.hand.boxes)
    return _hand(table, boxes=boxes)


def _slot(card: str) -> Slot:
    return Unread() if card == UNKNOWN else FaceDown(card)


def _up(slots: tuple[Slot, ...], cards: Iterable[str]) -> tuple[Slot, ...]:
    shown = (Unread() if card == UNKNOWN else FaceUp(card) for card in cards)
    return tuple(slot if isinstance(slot, FaceUp) else new for slot, new in zip(slots, shown, strict=True))


def _put(slots: tuple[Slot, ...], index: int, slot: Slot) -> tuple[Slot, ...]:
    return (*slots[:index], slot, *slots[index + 1 :])


# --- the run and the table -------------------------------------------------------------------------------------------


@_on(ev.RunStarted)
def _run_started(table: Table, event: ev.RunStarted) -> Table:
    return replace(table, devices={})


@_on(ev.OperatorSignedOn)
def _signed_on(table: Table, event: ev.OperatorSignedOn) -> Table:
    return replace(table, signed_on={**table.signed_on, event.role: event.operator})


@_on(ev.OperatorSignedOff)
def _signed_off(table: Table, event: ev.OperatorSignedOff) -> Table:
    return replace(table, signed_on={r: o for r, o in table.signed_on.items() if r != event.role})


@_on(ev.TableOpened)
def _table_opened(table: Table, event: ev.TableOpened) -> Table:
    return replace(
        table, open=True, rules_hash=event.rules_hash, limits=event.limits, boxes=event.boxes, quarantined=""
    )


@_on(ev.TableClosed)
def _table_closed(table: Table, event: ev.TableClosed) -> Table:
    return replace(table, open=False, hand=None, stakes=(), waiting=())


@_on(ev.ApprovalAsked)
def _approval_asked(table: Table, event: ev.ApprovalAsked) -> Table:
    entry = Waiting(
        id=event.id, name=event.name, command=event.command, operators=event.operators, missing=event.missing
    )
    return replace(table, waiting=(*table.waiting, entry), next_waiting=event.id + 1)


@_on(ev.ApprovalJoined)
def _approval_joined(table: Table, event: ev.ApprovalJoined) -> Table:
    waiting = tuple(
        replace(w, operators=event.operators, missing=event.missing) if w.id == event.id else w for w in table.waiting
    )
    return replace(table, waiting=waiting)


@_on(ev.ApprovalClosed)
def _approval_closed(table: Table, event: ev.ApprovalClosed) -> Table:
    return replace(table, waiting=tuple(w for w in table.waiting if w.id != event.id))


@_on(ev.CallRaised)
def _call_raised(table: Table, event: ev.CallRaised) -> Table:
    return replace(table, call=event.reason)


@_on(ev.CallCleared)
def _call_cleared(table: Table, event: ev.CallCleared) -> Table:
    return replace(table, call="")


@_on(ev.LimitsChanged)
def _limits_changed(table: Table, event: ev.LimitsChanged) -> Table:
    return replace(table, limits=event.limits)


@_on(ev.DeviceUp)
def _device_up(table: Table, event: ev.DeviceUp) -> Table:
    health = next_health(table.devices.get(event.device, Health.ABSENT), "identified")
    shoe = table.shoe
    if event.device == "shoe":
        shoe = replace(
            shoe, serial=event.serial, firmware=event.firmware, boot_id=event.boot_id, log_last=event.log_last
        )
    return replace(table, devices={**table.devices, event.device: health}, shoe=shoe)


@_on(ev.ShoeAdopted)
def _shoe_adopted(table: Table, event: ev.ShoeAdopted) -> Table:
    return replace(table, shoe=replace(table.shoe, last_event=event.event_no, recent=()))


@_on(ev.DeviceDown)
def _device_down(table: Table, event: ev.DeviceDown) -> Table:
    return replace(table, devices={**table.devices, event.device: Health.ABSENT})


@_on(ev.DeviceTroubled)
def _device_troubled(table: Table, event: ev.DeviceTroubled) -> Table:
    health = next_health(table.devices.get(event.device, Health.ABSENT), "misbehaves")
    return replace(table, devices={**table.devices, event.device: health})


# --- a hand opens and ends -------------------------------------------------------------------------------------------


@_on(ev.HandOpened)
def _hand_opened(table: Table, event: ev.HandOpened) -> Table:
    stakes = {s.box: s for s in table.stakes}
    boxes = tuple(_proposed(n, stakes.get(n)) for n in range(1, table.boxes + 1))
    hand = Hand(number=event.hand, key=Secret(event.key), phase=Phase.DECK_CHECK, boxes=boxes)
    return replace(table, hand=hand, hands=event.hand)


def _proposed(number: int, stake: Stake | None) -> Box:
    if stake is None:
        return Box(box=number, owner=number)
    return Box(
        box=number,
        owner=stake.owner,
        ante=stake.ante,
        bonus=stake.bonus,
        jackpot=stake.jackpot,
        blind=stake.blind,
        backers=stake.backers,
    )


@_on(ev.DeckTaken)
def _deck_taken(table: Table, event: ev.DeckTaken) -> Table:
    return replace(table, quarantined="")


@_on(ev.DeckQuarantined)
def _deck_quarantined(table: Table, event: ev.DeckQuarantined) -> Table:
    return replace(table, quarantined=event.reason)


@_on(ev.PhaseEntered)
def _phase_entered(table: Table, event: ev.PhaseEntered) -> Table:
    return _hand(table, phase=Phase(event.phase))


@_on(ev.HandEnded)
def _hand_ended(table: Table, event: ev.HandEnded) -> Table:
    assert table.hand is not None
    return replace(table, hand=None, waiting=(), last_hand=_public_result(table.hand, event))


def _public_result(hand: Hand, event: ev.HandEnded) -> dict[str, Any]:
    """What the table may go on showing of the hand: turned cards and money, nothing of folded or unturned boxes."""
    boxes = [
        {
            "box": b.box,
            "turned": b.turned,
            "dealt": [s.card for s in b.dealt if isinstance(s, FaceUp)] if b.turned else [],
            "drawn": [s.card for s in b.drawn if isinstance(s, FaceUp)] if b.turned else [],
            "discards": list(b.discards or ()),
            "decision": b.decision,
            "count": b.count,
            "status": b.status,
            "ante": b.ante,
            "answer": b.answer,
        }
        for b in hand.boxes
        if b.ante
    ]
    joker = str(hand.slot) if hand.joker is JokerPhase.SHOWN else None
    return {
        "hand": event.hand,
        "outcome": event.outcome,
        "dealer": list(hand.dealer_final),
        "dealer_hand": hand.dealer_category,
        "plays": hand.qualifies,
        "joker": joker,
        "boxes": boxes,
    }


# --- betting ---------------------------------------------------------------------------------------------------------


@_on(ev.StakeSet)
def _stake_set(table: Table, event: ev.StakeSet) -> Table:
    changes: dict[str, Any] = {
        "ante": event.ante,
        "bonus": event.bonus,
        "jackpot": event.jackpot,
        "backers": event.backers,
    }
    if not event.ante:
        changes |= {"owner": event.box, "blind": False}
    return _box(table, event.box, **changes)


@_on(ev.OwnerSet)
def _owner_set(table: Table, event: ev.OwnerSet) -> Table:
    return _box(table, event.box, owner=event.owner)


@_on(ev.BlindSet)
def _blind_set(table: Table, event: ev.BlindSet) -> Table:
    return _box(table, event.box, blind=event.blind)


@_on(ev.StakeCorrected)
def _stake_corrected(table: Table, event: ev.StakeCorrected) -> Table:
    assert table.hand is not None
    box = table.hand.box(event.box)
    scale = {"bet": 2 * event.ante} if box.bet else {}
    return _box(table, event.box, ante=event.ante, bonus=event.bonus, answer=None, **scale)


@_on(ev.CountGiven)
def _count_given(table: Table, event: ev.CountGiven) -> Table:
    return _hand(table, counted=event.number)


@_on(ev.Locked)
def _locked(table: Table, event: ev.Locked) -> Table:
    """The stakes stand in the event itself, so that a hand can be folded without the hands before it."""
    stakes = msgspec.convert(event.stakes, tuple[Stake, ...])
    lying = {s.box: s for s in stakes}
    boxes = tuple(_raised_if_blind(_proposed(n, lying.get(n))) for n in range(1, table.boxes + 1))
    table = replace(table, stakes=stakes, limits=event.limits)
    return _hand(table, boxes=boxes, commitment=event.commitment, seed=Secret(event.seed), counted=event.counted)


def _raised_if_blind(box: Box) -> Box:
    return replace(box, decision=Decision.RAISE, bet=2 * box.ante) if box.ante and box.blind else box


# --- cards and joker -------------------------------------------------------------------------------------------------


def _heard(table: Table, event_no: int, what: str) -> Table:
    recent = (*table.shoe.recent, (event_no, Secret(what)))[-RECENT_EVENTS:]
    return replace(table, shoe=replace(table.shoe, last_event=event_no, recent=recent))


@_on(ev.CardDealt)
def _card_dealt(table: Table, event: ev.CardDealt) -> Table:
    assert table.hand is not None
    if event.event_no:
        table = _heard(table, event.event_no, event.card)
    slot = Unread() if event.unread else _slot(event.card)
    hand = table.hand
    assert hand is not None
    table = _hand(table, unread=hand.unread + isinstance(slot, Unread))
    match event.place:
        case "box":
            return _box(table, event.box, dealt=(*hand.box(event.box).dealt, slot))
        case "draw":
            return _box(table, event.box, drawn=(*hand.box(event.box).drawn, slot))
        case "dealer":
            return _hand(table, dealer=(*hand.dealer, slot))
        case _:
            return _hand(table, dealer_drawn=(*hand.dealer_drawn, slot))


@_on(ev.CardRefused)
def _card_refused(table: Table, event: ev.CardRefused) -> Table:
    table = _heard(table, event.event_no, "")
    return _hand(table, burned=table.hand.burned + 1) if table.hand else table


@_on(ev.DeviceNoted)
def _device_noted(table: Table, event: ev.DeviceNoted) -> Table:
    return _heard(table, event.event_no, f"note:{event.kind}")


@_on(ev.EventsMissed)
def _events_missed(table: Table, event: ev.EventsMissed) -> Table:
    return _heard(table, event.last, "")


@_on(ev.OpenCardShown)
def _open_card_shown(table: Table, event: ev.OpenCardShown) -> Table:
    assert table.hand is not None
    dealer = table.hand.dealer
    index = next(i for i, slot in enumerate(dealer) if isinstance(slot, FaceDown) and slot.card == event.card)
    return _hand(table, dealer=_put(dealer, index, FaceUp(event.card)))


@_on(ev.JokerArmed)
def _joker_armed(table: Table, event: ev.JokerArmed) -> Table:
    return _hand(table, joker=JokerPhase.ARMED)


@_on(ev.StopTimedOut)
def _stop_timed_out(table: Table, event: ev.StopTimedOut) -> Table:
    return _hand(table, stop_late=True)


@_on(ev.JokerDrawn)
def _joker_drawn(table: Table, event: ev.JokerDrawn) -> Table:
    return _hand(table, joker=JokerPhase.DRAWN, slot=Secret(event.slot))


@_on(ev.JokerShown)
def _joker_shown(table: Table, event: ev.JokerShown) -> Table:
    table = replace(table, jokers=(*table.jokers, event.slot)[-RECENT_JOKERS:])
    return _hand(table, joker=JokerPhase.SHOWN)


# --- decisions -------------------------------------------------------------------------------------------------------


@_on(ev.Folded)
def _folded(table: Table, event: ev.Folded) -> Table:
    return _box(table, event.box, decision=Decision.FOLD)


@_on(ev.BetMade)
def _bet_made(table: Table, event: ev.BetMade) -> Table:
    return _box(table, event.box, decision=Decision.RAISE, bet=event.amount)


@_on(ev.ExchangeAsked)
def _exchange_asked(table: Table, event: ev.ExchangeAsked) -> Table:
    return _box(table, event.box, action=Action.EXCHANGE, count=event.count, fee=event.fee)


@_on(ev.DrawFixed)
def _draw_fixed(table: Table, event: ev.DrawFixed) -> Table:
    return _box(table, event.box, fixed=True)


@_on(ev.SixthBought)
def _sixth_bought(table: Table, event: ev.SixthBought) -> Table:
    return _box(table, event.box, action=Action.BUY6, count=1, fee=event.fee)


@_on(ev.InsuranceStaked)
def _insurance_staked(table: Table, event: ev.InsuranceStaked) -> Table:
    return _box(table, event.box, insurance=event.amount)


@_on(ev.Undone)
def _undone(table: Table, event: ev.Undone) -> Table:
    return replace(table, hand=table.undo[-1], undo=table.undo[:-1])


# --- reveal and settling ---------------------------------------------------------------------------------------------


@_on(ev.DealerRevealed)
def _dealer_revealed(table: Table, event: ev.DealerRevealed) -> Table:
    assert table.hand is not None
    return _hand(
        table,
        dealer=_up(table.hand.dealer, event.cards),
        dealer_final=event.cards,
        dealer_category=event.category,
        qualifies=event.qualifies,
    )


@_on(ev.AnteTaken)
def _ante_taken(table: Table, event: ev.AnteTaken) -> Table:
    return _box(table, event.box, choice=Choice.TAKE)


@_on(ev.DealerBought)
def _dealer_bought(table: Table, event: ev.DealerBought) -> Table:
    return _box(table, event.box, choice=Choice.BUY)


@_on(ev.TakersSettled)
def _takers_settled(table: Table, event: ev.TakersSettled) -> Table:
    return _hand(table, takers_settled=True)


@_on(ev.DealerRedrawn)
def _dealer_redrawn(table: Table, event: ev.DealerRedrawn) -> Table:
    return _hand(
        table,
        dealer_final=event.cards,
        dealer_category=event.category,
        qualifies=event.qualifies,
        bought=True,
    )


@_on(ev.TurnCalled)
def _turn_called(table: Table, event: ev.TurnCalled) -> Table:
    return _box(table, event.box, note="called")


@_on(ev.BoxTurned)
def _box_turned(table: Table, event: ev.BoxTurned) -> Table:
    assert table.hand is not None
    box = table.hand.box(event.box)
    return _box(table, event.box, turned=True, dealt=_up(box.dealt, event.dealt), drawn=_up(box.drawn, event.drawn))


@_on(ev.Discarded)
def _discarded(table: Table, event: ev.Discarded) -> Table:
    return _box(table, event.box, discards=event.cards)


@_on(ev.DiscardsChecked)
def _discards_checked(table: Table, event: ev.DiscardsChecked) -> Table:
    return _box(table, event.box, checked=True)


@_on(ev.CardEntered)
def _card_entered(table: Table, event: ev.CardEntered) -> Table:
    assert table.hand is not None
    slot = FaceUp(event.card, entered=True)
    if event.place in ("dealer", "dealer_draw"):
        field = "dealer" if event.place == "dealer" else "dealer_drawn"
        return _hand(table, **{field: _put(getattr(table.hand, field), event.index, slot)})
    box = table.hand.box(event.box)
    if event.place == "box":
        return _box(table, event.box, dealt=_put(box.dealt, event.index, slot))
    return _box(table, event.box, drawn=_put(box.drawn, event.index, slot))


@_on(ev.BoxSettled)
def _box_settled(table: Table, event: ev.BoxSettled) -> Table:
    return _box(table, event.box, answer=event.answer)


@_on(ev.BoxPaid)
def _box_paid(table: Table, event: ev.BoxPaid) -> Table:
    return _box(table, event.box, status=BoxStatus.PAID)


@_on(ev.BoxHeld)
def _box_held(table: Table, event: ev.BoxHeld) -> Table:
    return _box(table, event.box, status=BoxStatus.HELD, note=event.reason)


@_on(ev.BoxReleased)
def _box_released(table: Table, event: ev.BoxReleased) -> Table:
    return _box(table, event.box, status=BoxStatus.OPEN, note="released")


@_on(ev.BoxVoided)
def _box_voided(table: Table, event: ev.BoxVoided) -> Table:
    return _box(table, event.box, status=BoxStatus.VOID, note=event.reason)


@_on(ev.CardRedirected)
def _card_redirected(table: Table, event: ev.CardRedirected) -> Table:
    assert table.hand is not None
    source, target = table.hand.box(event.source), table.hand.box(event.target)
    table = _box(table, event.target, drawn=(*target.drawn, source.drawn[-1]))
    return _box(table, event.source, drawn=source.drawn[:-1])


# --- what goes wrong -------------------------------------------------------------------------------------------------


@_on(ev.Irregularity)
def _irregularity(table: Table, event: ev.Irregularity) -> Table:
    assert table.hand is not None
    return _hand(table, phase=Phase.IRREGULAR, back=table.hand.phase, cause=Cause(event.cause), detail=event.place)


@_on(ev.Resumed)
def _resumed(table: Table, event: ev.Resumed) -> Table:
    changes: dict[str, Any] = {"phase": Phase(event.phase), "back": None, "cause": None, "detail": ""}
    if event.cause == Cause.TOO_MANY_UNREAD:
        changes["unread"] = 0  # the supervisor has seen them; the count to the next halt begins anew
    return _hand(table, **changes)


@_on(ev.FaultRaised)
def _fault_raised(table: Table, event: ev.FaultRaised) -> Table:
    if table.hand is None:
        return table
    back = table.hand.fault_back if table.hand.phase is Phase.FAULT else table.hand.phase
    return _hand(table, phase=Phase.FAULT, fault_back=back, fault_cause=Cause(event.cause), detail=event.detail)


@_on(ev.FaultReset)
def _fault_reset(table: Table, event: ev.FaultReset) -> Table:
    return _hand(table, phase=Phase(event.phase), fault_back=None, fault_cause=None, detail="")
