"""A program that reads somebody else's serial port and knows no lock: each byte goes to whoever is quicker.

A thread with a descriptor of its own. Keeps nothing of what it takes but how much it was.
"""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path

BITE = 16
LOOK_S = 0.05


class PortThief:
    """Reads the port behind `link` for so many seconds, until it is stopped or the port is gone."""

    def __init__(self, link: Path, seconds: float) -> None:
        self.taken = 0
        self._descriptor = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._until = time.monotonic() + seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="thief", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """It ends, and is gone when this returns."""
        self._stop.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        try:
            while not self._stop.is_set() and time.monotonic() < self._until:
                if select.select([self._descriptor], [], [], LOOK_S)[0]:
                    self._bite()
        except OSError:
            pass  # the port was unplugged
        finally:
            os.close(self._descriptor)

    def _bite(self) -> None:
        try:
            data = os.read(self._descriptor, BITE)
        except BlockingIOError:
            return  # the other one was quicker
        if not data:
            raise OSError("hung up")
        self.taken += len(data)
