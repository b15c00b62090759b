"""A shuffler whose line cannot be trusted: alarm and call; until two people have looked no deck is taken on its word.

Nor on one person's. The shoe's case is a fault of the hand (`dealing`); here the hand goes on, whose deck was counted
before. Knows no card.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.phases import DISTRUSTED
from controller.domain.state import LINE_DISTRUSTED, SHUFFLER, Table

ATTACKS = frozenset({"wrong_device", "wrong_key", "downgrade", *DISTRUSTED})
"""Troubles of a line after which people look at it, the shoe's as well as the shuffler's."""
CALL = "shuffler line"


def doubted(table: Table) -> bool:
    """Two people have not yet said what was on the shuffler's line."""
    return any(_its(alarm.code, alarm.subject) for alarm in table.alarms)


def shuffler_line(table: Table, cmd: cm.TroubleIn) -> tuple[ev.Event, ...]:
    """What a trouble of the shuffler calls for: nothing, or the alarm that stands from now on, once, and a call."""
    if cmd.device != SHUFFLER or cmd.code not in ATTACKS or doubted(table):
        return ()
    detail = f"{cmd.code}: {cmd.detail}"
    alarm = ev.AlarmRaised(id=table.next_alarm, code=LINE_DISTRUSTED, subject=SHUFFLER, detail=detail)
    return (alarm, ev.CallRaised(reason=CALL))


def asked_about(table: Table, number: int) -> bool:
    """Whether the alarm of this number is the one about the shuffler's line."""
    return any(alarm.id == number and _its(alarm.code, alarm.subject) for alarm in table.alarms)


def answered(table: Table, number: int) -> tuple[ev.Event, ...]:
    """The call that came with it is over, too."""
    return (ev.CallCleared(),) if asked_about(table, number) and table.call == CALL else ()


def _its(code: str, subject: str) -> bool:
    return (code, subject) == (LINE_DISTRUSTED, SHUFFLER)
