"""Folds of bet sensors, doors and alarms."""

from __future__ import annotations

from controller.domain import events as ev
from controller.domain.evolve.folding import on, replace, trusting, with_hand
from controller.domain.state import LINE_DISTRUSTED, Alarm, Table

MOST_BOXES = 7


@on(ev.SensorsRead)
def _sensors_read(table: Table, event: ev.SensorsRead) -> Table:
    known = {box: box in event.chips for box in range(1, MOST_BOXES + 1) if box not in event.unknown}
    return replace(table, sensors=known)


@on(ev.LateBet)
def _late_bet(table: Table, event: ev.LateBet) -> Table:
    assert table.hand is not None
    return with_hand(table, late=(*table.hand.late, event.box))


@on(ev.LateBetReturned)
def _late_bet_returned(table: Table, event: ev.LateBetReturned) -> Table:
    assert table.hand is not None
    return with_hand(table, late=tuple(box for box in table.hand.late if box != event.box))


@on(ev.DoorOpened)
def _door_opened(table: Table, event: ev.DoorOpened) -> Table:
    marks = (*(door for door in table.door_marks if door != event.door), event.door)
    return replace(table, doors=(*table.doors, event.door), door_marks=marks)


@on(ev.DoorClosed)
def _door_closed(table: Table, event: ev.DoorClosed) -> Table:
    return replace(table, doors=tuple(door for door in table.doors if door != event.door))


@on(ev.LampsTested)
def _lamps_tested(table: Table, event: ev.LampsTested) -> Table:
    return replace(table, lamp_test="ok" if event.ok else event.detail)


@on(ev.AlarmRaised)
def _alarm_raised(table: Table, event: ev.AlarmRaised) -> Table:
    alarm = Alarm(id=event.id, code=event.code, subject=event.subject, detail=event.detail, hand=table.hands)
    return replace(table, alarms=(*table.alarms, alarm), next_alarm=event.id + 1)


@on(ev.AlarmAnswered)
def _alarm_answered(table: Table, event: ev.AlarmAnswered) -> Table:
    found = next((a for a in table.alarms if a.id == event.id), None)
    table = replace(table, alarms=tuple(a for a in table.alarms if a != found))
    return trusting(table, found.subject) if found is not None and found.code == LINE_DISTRUSTED else table
