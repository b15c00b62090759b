"""Folds of the run, of people and devices, and of a hand's opening and end."""

from __future__ import annotations

from typing import Any

from controller.domain import events as ev
from controller.domain.evolve.decks import hand_over, put_away
from controller.domain.evolve.discard_tray import cleared, left_on_the_felt, was_away
from controller.domain.evolve.folding import on, proposed, replace, trusting, with_hand
from controller.domain.pending import Announced, Dispute
from controller.domain.phases import AHEAD, DISTRUSTED, Health, JokerPhase, Phase, next_health
from controller.domain.state import (
    REFUSES,
    SHUFFLER,
    UNPAIRED,
    BoxStatus,
    CardSource,
    FaceUp,
    Hand,
    Secret,
    ShoeMemory,
    Stake,
    Table,
    Trouble,
    Waiting,
)

LONG_S = 60  # a restart is no time away


@on(ev.RunStarted)
def _run_started(table: Table, event: ev.RunStarted) -> Table:
    off_s = event.off_s if event.off_s < 0 or event.off_s >= LONG_S else 0
    return replace(table, devices={}, troubles={}, sensors={}, off_s=off_s, failing="")  # the new run looks anew


@on(ev.OperatorSignedOn)
def _signed_on(table: Table, event: ev.OperatorSignedOn) -> Table:
    return replace(table, signed_on={**table.signed_on, event.role: event.operator})


@on(ev.OperatorSignedOff)
def _signed_off(table: Table, event: ev.OperatorSignedOff) -> Table:
    return replace(table, signed_on={r: o for r, o in table.signed_on.items() if r != event.role})


@on(ev.TableOpened)
def _table_opened(table: Table, event: ev.TableOpened) -> Table:
    cards = CardSource(event.procedure.get("cards", "shoe"))
    opened = replace(table, open=True, rules_hash=event.rules_hash, limits=event.limits, boxes=event.boxes, cards=cards)
    return trusting(opened)


@on(ev.TableClosed)
def _table_closed(table: Table, event: ev.TableClosed) -> Table:
    table = cleared(replace(table, open=False, hand=None, stakes=(), waiting=(), announced=Announced()))
    return put_away(table)


@on(ev.TrainingStarted)
def _training_started(table: Table, event: ev.TrainingStarted) -> Table:
    return replace(table, training=event.session, trainings=event.session, signed_on={}, waiting=())


@on(ev.TrainingEnded)
def _training_ended(table: Table, event: ev.TrainingEnded) -> Table:
    """Cards of the training are no news of this journal's."""
    last = max(table.shoe.last_event, event.shoe_event)
    recent = table.shoe.recent if last == table.shoe.last_event else ()
    return replace(table, training=0, shoe=replace(table.shoe, last_event=last, recent=recent))


@on(ev.TrainingLeft)
def _training_left(table: Table, event: ev.TrainingLeft) -> Table:
    return table


@on(ev.ApprovalAsked)
def _approval_asked(table: Table, event: ev.ApprovalAsked) -> Table:
    entry = Waiting(
        id=event.id, name=event.name, command=event.command, operators=event.operators, missing=event.missing
    )
    return replace(table, waiting=(*table.waiting, entry), next_waiting=event.id + 1)


@on(ev.ApprovalJoined)
def _approval_joined(table: Table, event: ev.ApprovalJoined) -> Table:
    waiting = tuple(
        replace(w, operators=event.operators, missing=event.missing) if w.id == event.id else w for w in table.waiting
    )
    return replace(table, waiting=waiting)


@on(ev.ApprovalClosed)
def _approval_closed(table: Table, event: ev.ApprovalClosed) -> Table:
    return replace(table, waiting=tuple(w for w in table.waiting if w.id != event.id))


@on(ev.CallRaised)
def _call_raised(table: Table, event: ev.CallRaised) -> Table:
    return replace(table, call=event.reason)


@on(ev.CallCleared)
def _call_cleared(table: Table, event: ev.CallCleared) -> Table:
    return replace(table, call="")


@on(ev.LimitsChanged)
def _limits_changed(table: Table, event: ev.LimitsChanged) -> Table:
    told = replace(table.announced, limits={}, from_hand=0)  # what is changed by hand takes the announcement's place
    return replace(table, limits=event.limits, announced=told)


@on(ev.LimitsAnnounced)
def _limits_announced(table: Table, event: ev.LimitsAnnounced) -> Table:
    return replace(table, announced=replace(table.announced, limits=event.limits, from_hand=event.hand))


@on(ev.LastHandAnnounced)
def _last_hand_announced(table: Table, event: ev.LastHandAnnounced) -> Table:
    return replace(table, announced=replace(table.announced, last_hand=event.hand))


@on(ev.DeviceUp)
def _device_up(table: Table, event: ev.DeviceUp) -> Table:
    health = next_health(table.devices.get(event.device, Health.ABSENT), "identified")
    shoe = table.shoe
    if event.device == "shoe":
        shoe = _introduced(shoe, event)
    table = was_away(table) if event.device == "tray" else table
    shuffler = _introduced(table.shuffler, event) if event.device == SHUFFLER else table.shuffler
    table = _at_rest(table, event.device)
    return replace(table, devices={**table.devices, event.device: health}, shoe=shoe, shuffler=shuffler)


def _at_rest(table: Table, device: str) -> Table:
    """No trouble of it is known any more."""
    return replace(table, troubles={name: one for name, one in table.troubles.items() if name != device})


def _introduced(memory: ShoeMemory, event: ev.DeviceUp) -> ShoeMemory:
    return replace(
        memory,
        owner=memory.owner or event.serial,
        model=event.model,
        serial=event.serial,
        firmware=event.firmware,
        boot_id=event.boot_id,
        log_last=event.log_last,
        sealed=event.sealed,
    )


@on(ev.ShoeAdopted)
def _shoe_adopted(table: Table, event: ev.ShoeAdopted) -> Table:
    shoe = table.shoe
    same = (shoe.owner, shoe.last_event) == (shoe.serial, event.event_no)
    recent = shoe.recent if same else ()
    return replace(table, shoe=replace(shoe, owner=shoe.serial, last_event=event.event_no, recent=recent, ahead=""))


@on(ev.DeviceDown)
def _device_down(table: Table, event: ev.DeviceDown) -> Table:
    table = was_away(table) if event.device == "tray" else table
    if table.refuses(event.device) != UNPAIRED:
        table = _at_rest(table, event.device)
    return replace(table, devices={**table.devices, event.device: Health.ABSENT})


@on(ev.DevicePaired)
def _device_paired(table: Table, event: ev.DevicePaired) -> Table:
    return _at_rest(table, event.device)


def _trouble(table: Table, event: ev.DeviceTroubled) -> Trouble:
    """What it refuses stands until it is there anew, whatever else is told of it meanwhile."""
    word = event.detail.rpartition(": ")[2] if event.code == "inhibited" else event.code
    refuses = word if word in REFUSES else table.refuses(event.device)
    return Trouble(code=event.code, detail=event.detail, refuses=refuses)


@on(ev.DeviceTroubled)
def _device_troubled(table: Table, event: ev.DeviceTroubled) -> Table:
    table = replace(table, troubles={**table.troubles, event.device: _trouble(table, event)})
    if event.device not in table.devices:  # a key, the journal: nothing waits for its health
        return table
    health = next_health(table.devices[event.device], "distrusted" if event.code in DISTRUSTED else "misbehaves")
    table = replace(table, devices={**table.devices, event.device: health})
    if event.device == "shoe" and event.code == AHEAD and table.shoe.serial == table.shoe.owner:
        return replace(table, shoe=replace(table.shoe, ahead=event.detail))
    return table


@on(ev.HandOpened)
def _hand_opened(table: Table, event: ev.HandOpened) -> Table:
    stakes = {s.box: s for s in (*table.stakes, *table.carried)}
    boxes = tuple(proposed(n, stakes.get(n)) for n in range(1, table.boxes + 1))
    hand = Hand(number=event.hand, key=Secret(event.key), phase=Phase.DECK_CHECK, boxes=boxes)
    return replace(table, hand=hand, hands=event.hand)


@on(ev.PhaseEntered)
def _phase_entered(table: Table, event: ev.PhaseEntered) -> Table:
    return with_hand(table, phase=Phase(event.phase))


@on(ev.HandEnded)
def _hand_ended(table: Table, event: ev.HandEnded) -> Table:
    hand = table.hand
    assert hand is not None
    shown = table.last_hand if event.outcome == "not_played" else _public_result(hand, event)
    carried = _carried(table, hand) if event.outcome == "settled" else table.carried
    disputes = (*table.disputes, *_deferred(hand))
    table = hand_over(table, _left_the_deck(hand), event.outcome != "not_played")
    table = left_on_the_felt(table, hand, event.outcome)
    table = replace(table, hand=None, waiting=(), last_hand=shown, carried=carried, disputes=disputes)
    return table if event.outcome == "not_played" else replace(table, door_marks=table.doors, off_s=0)


def _left_the_deck(hand: Hand) -> int:
    """Cards that this hand took, wherever they went."""
    boxes = sum(len(box.dealt) + len(box.drawn) for box in hand.boxes)
    return boxes + len(hand.dealer) + len(hand.dealer_drawn) + len(hand.burns) + hand.burned


def _deferred(hand: Hand) -> tuple[Dispute, ...]:
    """Boxes that stay disputed past their hand, with what the record says of them."""
    return tuple(
        Dispute(
            hand=hand.number,
            box=b.box,
            net=(b.answer or {}).get("net", 0),
            returned=(b.answer or {}).get("returned", 0),
            reason=b.note,
        )
        for b in hand.boxes
        if b.status is BoxStatus.DEFERRED
    )


def _carried(table: Table, hand: Hand) -> tuple[Stake, ...]:
    """What a settled hand leaves on its boxes: ante and bet of a tie, insurance of a beaten hand (S001)."""
    left = [s for s in table.carried if not hand.box(s.box).ante]
    for box in hand.boxes:
        stakes = (box.answer or {}).get("stakes", {})
        tied = stakes.get("ante", {}).get("outcome") == "carry"
        insured = stakes.get("insurance", {}).get("outcome") == "carry"
        if tied or insured:
            left.append(
                Stake(
                    box=box.box,
                    owner=box.owner,
                    ante=box.ante,
                    backers=box.backers,
                    carried=tied,
                    insurance=stakes["insurance"]["staked"] if insured else 0,
                    insurance_carried=insured,
                )
            )
    return tuple(left)


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
        "stake_entry": str(hand.stake_entry),
    }
