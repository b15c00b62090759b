"""The whole chain walked once a day while the table plays, in a thread of its own and with pauses.

Reads only. A file that does not hold is marked as suspect beside it, so that the next start walks all of it and makes
it anew from the mirror. It must never mend anything, nor take a core for itself.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from controller.errors import TableError
from controller.journal.codec import CodecError
from controller.journal.reader import BATCH, Reader
from controller.journal.walk import Walker, identity

FIRST_S: Final = 600.0
DAY_S: Final = 86_400.0
PAUSE_S: Final = 0.05
SIGNATURES_EVERY: Final = 64


def suspect(path: Path) -> Path:
    """The mark beside a journal that did not hold."""
    return path.with_name(f"{path.name}.suspect")


class ChainWatch:
    """The walker of one journal file."""

    def __init__(self, path: Path, first_s: float = FIRST_S, every_s: float = DAY_S, pause_s: float = PAUSE_S) -> None:
        self._path, self._first_s, self._every_s, self._pause_s = path, first_s, every_s, pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chain", daemon=True)
        self.fault = ""
        """What did not hold; stays until the next start."""
        self.walked = 0
        """Records of the last whole walk."""

    def start(self) -> None:
        """The first walk comes some minutes later: a start has other things to do."""
        self._thread.start()

    def close(self) -> None:
        """Ends at the next pause."""
        self._stop.set()
        self._thread.join()

    def look(self) -> str:
        """One whole walk; what does not hold, empty where all does or the walk was broken off."""
        try:
            with Reader(self._path) as reader:
                walker = Walker(identity(next(reader.rows(0), None)), every=SIGNATURES_EVERY)
                for number, row in enumerate(reader.rows(0), 1):
                    fault = walker.step(row)
                    if fault is not None:
                        return fault.what
                    if number % BATCH == 0 and self._stop.wait(self._pause_s):
                        return ""
                fault = walker.settle()
                self.walked = walker.seq
                return "" if fault is None else fault.what
        except (TableError, CodecError) as error:
            return getattr(error, "what", str(error))

    def _run(self) -> None:
        wait_s = self._first_s
        while not self._stop.wait(wait_s):
            wait_s = self._every_s
            if self.look() and (again := self.look()):  # a reading that was disturbed is no fault of the file
                suspect(self._path).touch()
                self.fault = again
                return
