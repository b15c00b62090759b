"""Where log lines go: stderr or a file, through a thread of its own. A full disk or a stuck reader stops nobody.

Lines that could not be written are counted; the count is the first thing written when it works again.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from pathlib import Path

from controller.errors import TableError

STDERR = 2
_PASSING = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}  # these may pass while the table runs; a wrong path does not


class LogSink:
    """A bounded queue and its writer. `write` never waits and never raises."""

    def __init__(self, path: Path | None = None, descriptor: int = STDERR, room: int = 2000) -> None:
        self._path = path
        self._descriptor = descriptor if path is None else self._open_first(path)
        self._lines: deque[bytes] = deque()
        self._room = room
        self._changed = threading.Condition()
        self._closing = False
        self._lost = 0
        self._unsaid = 0
        self._trouble: str | None = None
        self._torn = False
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    @staticmethod
    def _open(path: Path) -> int:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)

    def _open_first(self, path: Path) -> int:
        try:
            return self._open(path)
        except OSError as error:
            if error.errno in _PASSING:
                return -1
            what = f"cannot write the log, {error.strerror}"
            raise TableError(110, what, str(path), "make the folder, or correct log.file") from None

    def write(self, line: bytes) -> None:
        """Takes a line, newline included; none is kept beyond the room there is."""
        with self._changed:
            if len(self._lines) >= self._room:
                self._lost += 1
                self._unsaid += 1
            else:
                self._lines.append(line)
                self._changed.notify()

    @property
    def lost(self) -> int:
        """Lines that nobody will ever read."""
        return self._lost

    @property
    def trouble(self) -> str | None:
        """What is wrong just now, with the folder's name; None: nothing."""
        return self._trouble

    def close(self, timeout_s: float = 2.0) -> None:
        """Writes what is there, as long as that takes no longer than this."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout_s)
        if self._path is not None and self._descriptor >= 0 and not self._thread.is_alive():
            os.close(self._descriptor)
            self._descriptor = -1

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closing)
                if not self._lines:
                    return
                line = self._lines.popleft()
            self._put(line)

    def _put(self, line: bytes) -> None:
        try:
            if self._descriptor < 0 and self._path is not None:
                self._descriptor = self._open(self._path)
            if self._unsaid:
                self._whole(b'{"level":"warning","event":"log_lines_lost","count":%d}\n' % self._unsaid)
                self._unsaid = 0
            self._whole(line)
            self._trouble = None
        except OSError as error:
            with self._changed:
                self._lost += 1
                self._unsaid += 1
            where = f"log folder {self._path.parent}" if self._path else "log on stderr"
            self._trouble = f"{where}: {error.strerror}"

    def _whole(self, line: bytes) -> None:
        """A whole line; after one that was cut by an error, on a line of its own."""
        rest = memoryview(b"\n" + line if self._torn else line)
        while rest:
            sent = os.write(self._descriptor, rest)
            self._torn = sent < len(rest)
            rest = rest[sent:]
