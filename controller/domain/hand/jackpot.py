"""The progressive at this table: fed by settled hands, hits frozen and awarded. The arithmetic is the settlement's.

A hit is recognised when the box is turned; prizes stand once the whole hand is settled, since two royals share.
"""

from __future__ import annotations

from typing import Any

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.setup import Setup
from controller.domain.money import exact, exact_text
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, Hand, Hit, Table

Result = tuple[ev.Event, ...] | Rejection
MOST = 10**12  # minor units; a larger number is a slip of the keys


def opened(table: Table, setup: Setup) -> tuple[ev.Event, ...]:
    """The meter's first amount, when a table with a jackpot opens for the first time."""
    if not setup.jackpot or table.meter:
        return ()
    return (ev.MeterMoved(before="", after=setup.meter_start, reserve="0", cause="first opening"),)


def asked(hand: Hand, boxes: list[Box], setup: Setup) -> dict[str, Any] | None:
    """The jackpot's part of a settle request; None where nothing of it bears on these boxes."""
    if not hand.meter or not (setup.bonus_royal or any(box.jackpot for box in boxes)):
        return None
    changes = {"reserve": hand.reserve} if hand.reserve != "0" else {}
    return {"meter": hand.meter, **({"set": changes} if changes else {})}


def moved(table: Table, hand: Hand, answer: dict[str, Any]) -> tuple[ev.Event, ...]:
    """After the settlement: the meter with this hand's contributions and prizes, and the hits, in one transaction."""
    told = answer.get("jackpot")
    if told is None:
        return ()
    cause = f"hand {hand.number}"
    meter = ev.MeterMoved(
        before=hand.meter, after=told["meter"], reserve=told.get("reserve", hand.reserve), cause=cause
    )
    prizes = [(int(box), prize) for box, prize in told.get("prizes", {}).items() if prize]
    hits = (ev.JackpotHit(id=table.hits + n, box=box, prize=prize) for n, (box, prize) in enumerate(prizes, 1))
    return (meter, *hits)


def pending(hand: Hand) -> Hit | None:
    """The first hit that is not awarded yet."""
    return next((hit for hit in hand.hits if not hit.awarded), None)


def award(hand: Hand | None, cmd: cm.Award) -> Result:
    """Pays a frozen hit."""
    hit = pending(hand) if hand is not None else None
    if hit is None or hit.id != cmd.hit:
        return reject(Why.NO_HIT, hit=cmd.hit)
    return (ev.JackpotAwarded(id=hit.id, box=hit.box, prize=hit.prize),)


def correct(table: Table, cmd: cm.CorrectMeter, operators: tuple[str, ...], setup: Setup) -> Result:
    """Another amount on the meter, with a reason, while no bet is locked: it stood still, and no hit waits."""
    if table.hand is not None and table.hand.phase not in (Phase.DECK_CHECK, Phase.BETTING):
        return reject(Why.HAND_RUNNING)
    if not setup.jackpot or not table.meter:
        return reject(Why.NO_JACKPOT)
    meter, reserve = amount_text(cmd.meter), amount_text(cmd.reserve) if cmd.reserve else table.reserve
    if not meter or not reserve:
        return reject(Why.BAD_ARGUMENT, what="meter and reserve: amounts like 10250.70, nothing below zero")
    if not cmd.reason.strip():
        return reject(Why.BAD_ARGUMENT, what="reason: say why")
    return (
        ev.MeterCorrected(
            before=table.meter,
            after=meter,
            reserve_before=table.reserve,
            reserve=reserve,
            operators=operators,
            reason=cmd.reason,
        ),
    )


def amount_text(text: str) -> str:
    """As the meter is written; empty where it is no decimal amount that a meter can have."""
    try:
        amount = exact(text)
    except ValueError:
        return ""
    written = exact_text(amount, 2 if amount.denominator > 1 else 0)
    return written if 0 <= amount <= MOST and "/" not in written else ""


def above_limit(cmd: cm.Award, table: Table) -> bool:
    """Whether the prize takes two people beside the dealer."""
    hits = table.hand.hits if table.hand else ()
    prize = next((hit.prize for hit in hits if hit.id == cmd.hit), 0)
    return prize > int(table.limits.get("award_limit", 0))
