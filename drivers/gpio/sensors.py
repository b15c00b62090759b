"""Bet sensors of the boxes: samples of the joker board's answer to levels that hold. Pure; no clock, no game.

A level counts when every sample said so for the settle time. A chip that lies there at start is no act, unless it was
expected (its bet is in the journal): the sensor is then unknown until it has been seen free (F39). So is one that
chatters (F37). Samples that did not come tell nothing; after a second without any, nothing is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from drivers.events import ButtonFault, SensorLevels

MS = 1_000_000


class SensorTiming(msgspec.Struct, frozen=True):
    """When a level counts, and when a sensor is broken (docs/wiring.md section 5)."""

    settle_ns: int = 300 * MS  # chips are laid slowly, and hands pass over them
    start_ns: int = 1000 * MS  # at start, and after a fault
    gap_ns: int = 1000 * MS  # no good answer for so long: nothing is known any more
    storm: int = 10  # more changes than this within storm_ns: no hand does that
    storm_ns: int = 3000 * MS


class _Sensor:
    """One box. `known` is the level that counts; None while it settles or is broken."""

    def __init__(self, box: int, *, expected: bool, timing: SensorTiming) -> None:
        self.box = box
        self.known: bool | None = None
        self._timing = timing
        self._expected = expected
        self._broken = False
        self._level: bool | None = None
        self._since_ns = 0
        self._changes: deque[int] = deque()

    def sample(self, level: bool, now_ns: int) -> str:
        """Returns what is wrong, once; empty otherwise."""
        if level != self._level:
            self._level, self._since_ns = level, now_ns
            if self._storm(now_ns):
                return self._break("chatters")
        window_ns = self._timing.start_ns if self.known is None else self._timing.settle_ns
        return self._settled(level) if now_ns - self._since_ns >= window_ns else ""

    def forget(self) -> None:
        """Nothing was heard for too long: what lay there last may still lie there."""
        self._expected = self._expected if self.known is None else self.known
        self.known = self._level = None
        self._changes.clear()

    def _settled(self, level: bool) -> str:
        if level and self.known is None and not self._expected:
            return "" if self._broken else self._break("chip at start")
        self.known, self._broken, self._expected = level, False, False
        return ""

    def _break(self, reason: str) -> str:
        said, self._broken = self._broken, True
        self.known, self._expected = None, False
        self._changes.clear()
        return "" if said else reason

    def _storm(self, now_ns: int) -> bool:
        self._changes.append(now_ns)
        while now_ns - self._changes[0] > self._timing.storm_ns:
            self._changes.popleft()
        return len(self._changes) > self._timing.storm


class BetSensors:
    """All sensors of a table. Feed every board report's `sensors`; a change of what is known comes back whole."""

    def __init__(self, boxes: int, *, expected: Iterable[int] = (), timing: SensorTiming | None = None) -> None:
        self._timing = timing or SensorTiming()
        lit = frozenset(expected)
        self._sensors = [_Sensor(n, expected=n in lit, timing=self._timing) for n in range(1, boxes + 1)]
        self._heard_ns: int | None = None
        self._told: tuple[bool | None, ...] = (None,) * boxes

    def sample(self, mask: int | None, now_ns: int) -> list[SensorLevels | ButtonFault]:
        """One answer of the board: bit 0 is box 1; None where the answer was no answer."""
        found: list[SensorLevels | ButtonFault] = []
        if mask is None:
            if self._heard_ns is not None and now_ns - self._heard_ns >= self._timing.gap_ns:
                self._forget()
        else:
            if self._heard_ns is not None and now_ns - self._heard_ns > self._timing.gap_ns:
                self._forget()
            self._heard_ns = now_ns
            found += self._each(mask, now_ns)
        return found + self._changed(now_ns)

    def _each(self, mask: int, now_ns: int) -> list[ButtonFault]:
        wrong = [(s.box, s.sample(bool(mask >> (s.box - 1) & 1), now_ns)) for s in self._sensors]
        return [ButtonFault(f"sensor {box}", reason) for box, reason in wrong if reason]

    def _forget(self) -> None:
        self._heard_ns = None
        for sensor in self._sensors:
            sensor.forget()

    def _changed(self, now_ns: int) -> list[SensorLevels]:
        known = tuple(s.known for s in self._sensors)
        if known == self._told:
            return []
        self._told = known
        return [
            SensorLevels(
                chips=tuple(s.box for s in self._sensors if s.known),
                unknown=tuple(s.box for s in self._sensors if s.known is None),
                t_ns=now_ns,
            )
        ]
