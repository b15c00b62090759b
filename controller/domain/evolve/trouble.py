"""Folds of irregularities and faults, and of what befalls the journal itself."""

from __future__ import annotations

from typing import Any

from controller.domain import events as ev
from controller.domain.evolve.folding import on, replace, trusting, with_hand
from controller.domain.phases import Phase
from controller.domain.state import UNPAYABLE, CardSource, Cause, Table


@on(ev.Irregularity)
def _irregularity(table: Table, event: ev.Irregularity) -> Table:
    assert table.hand is not None
    return with_hand(table, phase=Phase.IRREGULAR, back=table.hand.phase, cause=Cause(event.cause), detail=event.place)


@on(ev.Resumed)
def _resumed(table: Table, event: ev.Resumed) -> Table:
    changes: dict[str, Any] = {"phase": Phase(event.phase), "back": None, "cause": None, "detail": ""}
    if event.cause == Cause.TOO_MANY_UNREAD:
        changes["unread"] = 0  # the supervisor has seen them; the count to the next halt begins anew
    return with_hand(table, **changes)


@on(ev.FaultRaised)
def _fault_raised(table: Table, event: ev.FaultRaised) -> Table:
    if table.hand is None:
        return table
    hand, cause = table.hand, Cause(event.cause)
    faults = hand.faults if cause in hand.faults else (*hand.faults, cause)
    if UNPAYABLE & set(hand.faults):  # nothing that comes after it makes the hand payable again
        return with_hand(table, faults=faults)
    back = hand.fault_back if hand.phase is Phase.FAULT else hand.phase
    return with_hand(table, phase=Phase.FAULT, fault_back=back, fault_cause=cause, faults=faults, detail=event.detail)


@on(ev.FaultReset)
def _fault_reset(table: Table, event: ev.FaultReset) -> Table:
    phase = Phase(event.phase)
    reset = with_hand(table, phase=phase, fault_back=None, fault_cause=None, faults=(), lost=0, detail="")
    return trusting(reset)


@on(ev.CardsSwitched)
def _cards_switched(table: Table, event: ev.CardsSwitched) -> Table:
    table = replace(table, cards=CardSource(event.cards))
    return with_hand(table, cards=table.cards) if table.hand is not None else table


@on(ev.JournalDegraded)
def _journal_degraded(table: Table, event: ev.JournalDegraded) -> Table:
    return replace(table, degraded=f"{event.copy}: {event.fault}")


@on(ev.JournalRestored)
def _journal_restored(table: Table, event: ev.JournalRestored) -> Table:
    return replace(table, degraded="")


@on(ev.MachineFailing)
def _machine_failing(table: Table, event: ev.MachineFailing) -> Table:
    return replace(table, failing=event.fault)


@on(ev.MachineWell)
def _machine_well(table: Table, event: ev.MachineWell) -> Table:
    return replace(table, failing="")


@on(ev.ClockStepped)
def _clock_stepped(table: Table, event: ev.ClockStepped) -> Table:
    return replace(table, clock_behind=event.behind)
