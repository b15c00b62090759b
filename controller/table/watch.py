"""Keeps the live statistics beside the table and says which alarms are to be recorded. Runs on the loop thread.

Looks only when a hand has ended or a device has gone; an alarm that stands, or was answered lately, is not due again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from controller.domain import events as ev
from controller.domain.state import Table
from controller.table import alarms
from controller.table.alarms import Due
from controller.table.statistics import BLIND, BY_HAND, OPEN, Statistics, fold_all
from controller.watch_config import AlarmsSection

LOOKED_AT = (ev.HandEnded, ev.DeviceDown)


class Watch:
    """The statistics of one table. `clock_s`: wall time in seconds, a label."""

    def __init__(self, statistics: Statistics, limits: AlarmsSection, clock_s: Callable[[], float]) -> None:
        self.statistics = statistics
        self.shown = summary(statistics)
        self._limits = limits
        self._clock_s = clock_s
        self._look = False

    def saw(self, events: Sequence[ev.Event]) -> None:
        """These are on disk."""
        self.statistics = fold_all(self.statistics, events, self._clock_s())
        if any(isinstance(event, LOOKED_AT) for event in events):
            self._look = True
            self.shown = summary(self.statistics)

    def due(self, table: Table) -> tuple[ev.AlarmRaised, ...]:
        """What is to be recorded now; empty at most times."""
        if not self._look:
            return ()
        new = [found for found in alarms.due(self.statistics, self._limits) if self._new(found, table)]
        self._look = bool(new)  # until they are recorded
        return tuple(
            ev.AlarmRaised(id=table.next_alarm + n, code=found.code, subject=found.subject, detail=found.detail)
            for n, found in enumerate(new)
        )

    def _new(self, found: Due, table: Table) -> bool:
        key = (found.code, found.subject)
        if any((alarm.code, alarm.subject) == key for alarm in table.alarms):
            return False
        answered = self.statistics.answered.get(key)
        return answered is None or self.statistics.total - answered >= self._limits.quiet_hands


def summary(s: Statistics) -> dict[str, Any]:
    """What everybody may see: counts of facts that are public. Not how alike two decks were."""
    draws, value, chance = alarms.jokers(s)
    return {
        "hands": s.count("hands"),
        "readers": {whom: [s.count("unread", whom), s.count("cards", whom)] for whom in s.subjects("cards")},
        "drops": dict(Counter(device for _, device in s.drops)),
        "dealers": {whom: _dealer(s, whom) for whom in s.subjects("hands") if whom.startswith("dealer ")},
        "wins": {
            alarms.named(whom, kind): [s.count("won" + kind, whom), s.count("decided" + kind, whom)]
            for kind in (BY_HAND, BLIND, OPEN)  # last what "all" means: the open boxes
            for whom in s.subjects("decided" + kind)
        },
        "jokers": {"draws": draws, "chi_square": round(value, 1), "chance": round(chance, 6)} if draws else {},
    }


def _dealer(s: Statistics, whom: str) -> dict[str, int]:
    return {what: s.count(what, whom) for what in ("hands", "undos", "voids", "overrides", "power_losses")}
