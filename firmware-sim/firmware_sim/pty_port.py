"""A serial port that is really a pty, published under a stable link; it can be pulled out and put back.

The bench holds the device's end only: what the host sets on its end (raw mode, exclusive use) ends when the host closes
it, as on a real port. Unplugging ends the connection as a pulled USB adapter does. What the line does not take is
lost, for there is no flow control. Owns the file descriptor; knows nothing of the protocol.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
from pathlib import Path

MOST = 1 << 16


class PtyPort:
    """The device's end of the line at `link`."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master = -1
        self._taken = -1
        self.idle = False  # nobody has the host's end open
        self.openings = 0  # how often somebody opened the host's end of a port that nobody had open

    @property
    def fileno(self) -> int:
        """The device's end, or -1 while unplugged."""
        return self._master

    def plug(self, *, taken: bool = False) -> None:
        """Make a new pty and put its path under the link. A plugged port stays as it is.

        `taken`: somebody has locked the host's end before anybody else sees it, until `let_go`.
        """
        if self._master >= 0:
            return
        self._master, slave = pty.openpty()
        path = os.ttyname(slave)
        if taken:
            fcntl.flock(slave, fcntl.LOCK_EX)
            self._taken = slave
        else:
            os.close(slave)
        self.idle = not taken
        os.set_blocking(self._master, False)
        fresh = self.link.with_name(self.link.name + ".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(path)
        fresh.replace(self.link)

    def let_go(self) -> None:
        """Whoever had taken the host's end gives it back."""
        if self._taken >= 0:
            os.close(self._taken)
            self._taken = -1

    def unplug(self) -> None:
        """The device's end is gone, and the link with it; the host's end hangs up."""
        self.let_go()
        if self._master < 0:
            return
        self.link.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.close(self._master)
        self._master = -1

    def read(self) -> bytes:
        """What came since the last call; empty when nothing did or the port is unplugged.

        Reads until nothing is left: only that end tells whether somebody has the port open. Bytes alone do not, an
        echo of our own comes from a port that nobody has.
        """
        data = b""
        while self._master >= 0 and len(data) < MOST:
            try:
                data += os.read(self._master, 4096)
            except BlockingIOError:
                self.openings += self.idle
                self.idle = False
                break
            except OSError:  # EIO: the host's end is closed
                self.idle = True
                break
        return data

    def write(self, data: bytes) -> int:
        """Send what the line takes; the rest is lost. Returns the bytes taken."""
        if self._master < 0 or not data:
            return 0
        try:
            return os.write(self._master, data)
        except OSError:
            return 0
