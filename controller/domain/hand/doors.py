"""Doors: one that is open keeps the next hand from beginning, or stops play at once; closed, everything is as before.

Each opening raises an alarm that somebody answers with name and reason. A closed door holds nothing.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.chips import locked
from controller.domain.hand.dealing import hold
from controller.domain.hand.setup import Setup
from controller.domain.phases import HELD, Phase
from controller.domain.rejections import Rejection
from controller.domain.state import Cause, Hand, Table

SHOE_LID = {"lid_open": True, "lid_closed": False}  # notes of the shoe
SHOE = "shoe"
STOP_NOW = "stop_now"


def door_in(table: Table, door: str, is_open: bool, setup: Setup) -> tuple[ev.Event, ...]:
    """A contact says so. The shoe's lid may be opened between hands: a deck goes in."""
    effect = setup.doors.effect(door)
    if not effect or (door in table.doors) == is_open:
        return ()
    if not is_open:
        return (ev.DoorClosed(door=door),)
    opened = ev.DoorOpened(door=door, effect=effect)
    if door == SHOE and not (table.hand is not None and locked(table.hand)):
        return (opened,)
    return (opened, _alarm(table, "door_open", door, f"opened in {table.phase}"))


def with_lid(
    noted: tuple[ev.Event, ...] | Rejection, table: Table, cmd: cm.NoteIn, setup: Setup
) -> tuple[ev.Event, ...] | Rejection:
    """A note of the shoe that is on record for the first time may tell of its lid."""
    is_open = SHOE_LID.get(cmd.kind)
    fresh = isinstance(noted, tuple) and any(isinstance(event, ev.DeviceNoted) for event in noted)
    if is_open is None or cmd.device != SHOE or isinstance(noted, Rejection) or not fresh:
        return noted
    return (*noted, *door_in(table, SHOE, is_open, setup))


def follows(table: Table, hand: Hand, setup: Setup) -> tuple[ev.Event, ...]:
    """Play stops while a door that stops it is open, and goes on where it was once all of them are closed."""
    stopped = any(setup.doors.effect(door) == STOP_NOW for door in table.doors)
    if stopped and hand.phase in HELD and not hand.settled:
        return hold(hand, Cause.DOOR, None)
    if not stopped and hand.phase is Phase.IRREGULAR and hand.cause is Cause.DOOR and hand.back is not None:
        return (ev.Resumed(cause=str(Cause.DOOR), phase=hand.back),)
    return ()


def was_off(table: Table, setup: Setup, off_s: int) -> tuple[ev.Event, ...]:
    """While the table was off nobody watched its doors."""
    watched = setup.doors.enclosure or setup.doors.shoe
    if not watched or 0 <= off_s < 60 * setup.doors.off_minutes:
        return ()
    hours = f"for {off_s // 3600} h {off_s // 60 % 60} min" if off_s >= 0 else "nobody knows how long"
    return (_alarm(table, "was_off", "table", f"was off, {hours}"),)


def _alarm(table: Table, code: str, subject: str, detail: str) -> ev.AlarmRaised:
    return ev.AlarmRaised(id=table.next_alarm, code=code, subject=subject, detail=detail)
