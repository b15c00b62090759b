"""A look at the machine's supply and heat every few seconds, in a thread of its own: the firmware may be slow.

Decides nothing and records nothing: the table's tick reads what stands here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from controller.supply import Reading, Verdict

EVERY_S: Final = 5.0


class SupplyWatch:
    """The watcher of one machine. `read` gives what it says now; `clock_ns` is monotonic."""

    def __init__(self, read: Callable[[], Reading], clock_ns: Callable[[], int], every_s: float = EVERY_S) -> None:
        self._read, self._clock_ns, self._every_s = read, clock_ns, every_s
        self._verdict = Verdict()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supply", daemon=True)

    @property
    def warnings(self) -> Mapping[str, str]:
        """By code; replaced whole at each look."""
        return self._verdict.warnings

    @property
    def failing(self) -> str:
        """Why no new hand may begin; empty where one may."""
        return self._verdict.failing

    def start(self) -> None:
        """The first look at once."""
        self._thread.start()

    def close(self) -> None:
        """Ends at once."""
        self._stop.set()
        self._thread.join()

    def look(self) -> None:
        """One look."""
        self._verdict.take(self._read(), self._clock_ns())

    def _run(self) -> None:
        self.look()
        while not self._stop.wait(self._every_s):
            self.look()
