"""The whole chain of each copy walked once a day while the table plays, in a thread of its own and with pauses.

Reads only. A file that does not hold is marked as suspect beside it, so that the next start walks all of it and makes
it anew from the other copy. It must never mend anything, nor take a core for itself.
"""

from __future__ import annotations

import contextlib
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
    """The walker of a journal's main file and, where there is one, of its mirror."""

    def __init__(
        self,
        path: Path,
        mirror: Path | None = None,
        first_s: float = FIRST_S,
        every_s: float = DAY_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._copies = {"": path} | ({"mirror: ": mirror} if mirror is not None else {})
        self._first_s, self._every_s, self._pause_s = first_s, every_s, pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chain", daemon=True)
        self.fault = ""
        """What did not hold; stays until the next start."""
        self.walked = 0
        """Records of the last whole walk of a file."""

    def start(self) -> None:
        """The first walk comes some minutes later: a start has other things to do."""
        self._thread.start()

    def close(self) -> None:
        """Ends at the next pause."""
        self._stop.set()
        self._thread.join()

    def look(self, path: Path) -> str:
        """One whole walk of a file; what does not hold, empty where all does or the walk was broken off."""
        try:
            with Reader(path) as reader:
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
        except OSError as error:
            return str(error)
        except (TableError, CodecError) as error:
            return getattr(error, "what", str(error))

    def _run(self) -> None:
        wait_s = self._first_s
        while not self.fault and not self._stop.wait(wait_s):
            wait_s = self._every_s
            self.fault = "; ".join(filter(None, (self._copy(name, path) for name, path in self._copies.items())))

    def _copy(self, name: str, path: Path) -> str:
        """What does not hold in a copy, which is marked then. One whose medium is gone is the writer's matter."""
        fault = self.look(path) and self.look(path)  # a reading that was disturbed is no fault of the file
        if not fault or not path.exists():
            return ""
        with contextlib.suppress(OSError):  # a medium that takes no mark takes no record either, and that is told
            suspect(path).touch()
        return name + fault
