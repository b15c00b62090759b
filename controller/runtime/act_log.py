"""What an act leaves in the technician's log: names of public facts only, never a card."""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain.hand import Act
from controller.domain.state import Table
from controller.runtime.logs import TotalLogger
from controller.table.service import Outcome


def log_act(log: TotalLogger, act: Act, outcome: Outcome, table: Table) -> None:
    """One line for the act; a lost device, a device in trouble and an alarm have one of their own."""
    hand = table.hand.number if table.hand else table.hands
    log.info("act", by=act.origin, events=list(outcome.events), hand=hand, phase=str(table.phase))
    if isinstance(act.command, cm.DeviceOut) and "DeviceDown" in outcome.events:
        gone = act.command
        log.warning("device down", urgent=True, device=gone.device, reason=gone.reason, hand=hand)
    if isinstance(act.command, cm.TroubleIn) and "DeviceTroubled" in outcome.events:
        told = act.command
        log.warning("device troubled", device=told.device, code=told.code, detail=told.detail, hand=hand)
    for alarm in table.alarms[-outcome.events.count("AlarmRaised") :] if "AlarmRaised" in outcome.events else ():
        log.warning("alarm", code=alarm.code, subject=alarm.subject, detail=alarm.detail)
