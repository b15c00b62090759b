"""Bet sensors: a chip is a side bet while bets are open, late after LOCK, missed where it goes before the box is done.

What LOCK has fixed is never changed by a sensor. Sensors that tell nothing decide nothing: the side bets are then
counted by hand.
"""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import betting
from controller.domain.hand.expects import lit
from controller.domain.hand.setup import BetSensors, Setup
from controller.domain.phases import PLAY, Phase
from controller.domain.rejections import Rejection
from controller.domain.state import Box, BoxStatus, Decision, Hand, Table

TAKEN = "side_bet_lifted"


def sensors_in(table: Table, cmd: cm.SensorsIn, setup: Setup) -> tuple[ev.Event, ...]:
    """What changed on the sensors, and what it means now."""
    meant = setup.sensors
    if meant is None or (set(cmd.chips) | set(cmd.unknown)) - set(range(1, setup.boxes + 1)):
        return ()
    read = ev.SensorsRead(chips=cmd.chips, unknown=cmd.unknown)
    hand = table.hand
    if hand is None:
        return (read,)
    changed = [
        (hand.box(n), n in cmd.chips)
        for n in range(1, len(hand.boxes) + 1)
        if n not in cmd.unknown and table.sensors.get(n) != (n in cmd.chips)
    ]
    if hand.phase is Phase.BETTING:
        return (read, *(e for box, chip in changed for e in _staked(table, hand, box, chip, setup)))
    if not locked(hand):
        return (read,)
    found: list[ev.Event] = [read]
    for box, chip in changed:
        found += _late(hand, box) if chip else _gone(table, hand, box, meant, found)
    return tuple(found)


def locked(hand: Hand) -> bool:
    """Bets are closed, whatever holds the hand since."""
    return bool({hand.phase, hand.back, hand.fault_back} & set(PLAY))


def _staked(table: Table, hand: Hand, box: Box, chip: bool, setup: Setup) -> tuple[ev.Event, ...]:
    """Bets are open: the chip is the stake, and no chip is none. A box that is out gets it when it comes in."""
    assert setup.sensors is not None
    field = setup.sensors.field
    if not box.playing or bool(getattr(box, field)) == chip:
        return ()
    asked = cm.SetStake(box=box.box, **{field: _amount(box, setup.sensors) if chip else 0})
    made = betting.stake(table, hand, asked, setup)
    if isinstance(made, Rejection):
        return (ev.Rejected(command="chip", code=made.code, origin="device", count=1),)
    return tuple(msgspec.structs.replace(e, sensed=True) for e in made)


def _amount(box: Box, meant: BetSensors) -> int:
    return int(getattr(box, meant.field)) or meant.amount


def _late(hand: Hand, box: Box) -> tuple[ev.Event, ...]:
    return () if lit(box) or box.box in hand.late else (ev.LateBet(box=box.box),)


def _gone(table: Table, hand: Hand, box: Box, meant: BetSensors, found: list[ev.Event]) -> tuple[ev.Event, ...]:
    if box.box in hand.late:
        return (ev.LateBetReturned(box=box.box),)
    if not lit(box) or collectable(hand, box, meant):
        return ()
    number = table.next_alarm + sum(isinstance(e, ev.AlarmRaised) for e in found)
    what = f"the chip left box {box.box} in {hand.phase}"
    return (
        ev.SideBetLifted(box=box.box),
        ev.AlarmRaised(id=number, code=TAKEN, subject=f"box {box.box}", detail=what),
        ev.CallRaised(reason=f"chip taken, box {box.box}"),
    )


def collectable(hand: Hand, box: Box, meant: BetSensors) -> bool:
    """The dealer may take the chip up: the box is done, folded, being paid, or its bonus is lost by an exchange."""
    if meant.collect_at_lock or box.status is not BoxStatus.OPEN or box.answer is not None:
        return True
    if box.decision is Decision.FOLD or (meant.field == "bonus" and box.count > 0):
        return True
    return hand.phase is Phase.SETTLING and not hand.qualifies and not box.called


def standing(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """Bets open: proposed side bets stand only where a chip lies, and where one lies it stands."""
    if setup.sensors is None:
        return ()
    hand = msgspec.structs.replace(hand, phase=Phase.BETTING)  # as it will be: these events come with that one
    known = [(box, table.sensors[box.box]) for box in hand.boxes if box.box in table.sensors]
    return tuple(e for box, chip in known for e in _staked(table, hand, box, chip, setup))
