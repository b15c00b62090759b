"""The clock that labels records: wall time, and whether it can be trusted. Durations are monotonic time, everywhere.

Says when the wall clock has jumped and when it stands before what the journal has seen. It must never decide an
interval, nor correct anything.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.domain.events import ClockStepped
from controller.journal.records import Stamp

STEP_S: Final = 1.0
TIME_ERROR: Final = 5  # adjtimex(2): the kernel's clock is not synchronised
TIMEX_BYTES: Final = 208
TIMESYNC: Final = Path("/run/systemd/timesync/synchronized")


class Clock:
    """Wall time as a label, monotonic time for everything else. Both and the sync state can be handed in."""

    def __init__(
        self,
        run: str,
        wall_s: Callable[[], float] = time.time,
        mono_ns: Callable[[], int] = time.monotonic_ns,
        synced: Callable[[], bool] | None = None,
    ) -> None:
        self._run, self._wall_s, self._mono_ns, self._synced = run, wall_s, mono_ns, synced or kernel_synced

    def stamp(self) -> Stamp:
        """For a record."""
        return Stamp(label(self._wall_s()), self._mono_ns(), self._run, self._synced())

    def now_s(self) -> tuple[float, float]:
        """Wall and monotonic seconds."""
        return self._wall_s(), self._mono_ns() / 1e9


class Steps:
    """Watches the wall clock beside the monotonic one, looked at once a second. `last_s`: the journal's last time."""

    def __init__(self, clock: Clock, last_s: float) -> None:
        self._clock = clock
        self._highest_s = last_s
        wall, mono = clock.now_s()
        self._seen_s, self._offset = wall, wall - mono

    def look(self, behind: str) -> ClockStepped | None:
        """What is to be recorded: a jump of more than a second, or a change of what `behind` (Table.clock) says."""
        wall, mono = self._clock.now_s()
        expected, stepped = mono + self._offset, wall - mono - self._offset
        before = self._seen_s if abs(stepped) > STEP_S else wall
        self._offset, self._seen_s = wall - mono, wall
        if stepped <= -STEP_S:
            self._highest_s = max(self._highest_s, expected)
        now_behind = label(self._highest_s) if wall < self._highest_s - STEP_S else ""
        if abs(stepped) <= STEP_S and bool(now_behind) == bool(behind):
            return None
        moved = round(stepped * 1000) if abs(stepped) > STEP_S else 0
        return ClockStepped(before=label(before), now=label(wall), step_ms=moved, behind=now_behind)


def label(wall_s: float) -> str:
    """Wall time as text, UTC."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="milliseconds")


def kernel_synced() -> bool:
    """Whether something keeps the kernel's clock right (NTP, an RTC that was read counts for nothing)."""
    buffer = ctypes.create_string_buffer(TIMEX_BYTES)
    try:
        state = ctypes.CDLL(None).adjtimex(buffer)
    except (AttributeError, OSError):
        state = -1
    return state not in (-1, TIME_ERROR) or TIMESYNC.exists()
