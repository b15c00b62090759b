"""A serial port that is really a pty, published under a stable link; it can be pulled out and put back.

Pulling it out closes both ends, as an unplugged USB adapter does. What is written while nobody reads is lost once the
kernel's buffer is full, as on a line without flow control. Owns the file descriptors; knows nothing of the protocol.
"""

from __future__ import annotations

import contextlib
import os
import pty
import tty
from pathlib import Path


class PtyPort:
    """The device's end of the line at `link`."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master = -1
        self._slave = -1

    @property
    def fileno(self) -> int:
        """The device's end, or -1 while unplugged."""
        return self._master

    def plug(self) -> None:
        """Make a new pty and put its path under the link. A plugged port stays as it is."""
        if self._master >= 0:
            return
        self._master, self._slave = pty.openpty()
        # Raw from the first byte: without it the kernel would echo the host's frames back to it.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fresh = self.link.with_name(self.link.name + ".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.link)

    def unplug(self) -> None:
        """Both ends are gone, and the link with them."""
        if self._master < 0:
            return
        self.link.unlink(missing_ok=True)
        for fd in (self._slave, self._master):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._master = self._slave = -1

    def read(self) -> bytes:
        """What came since the last call; empty when nothing did or the port is unplugged."""
        if self._master < 0:
            return b""
        try:
            return os.read(self._master, 4096)
        except (BlockingIOError, OSError):
            return b""

    def write(self, data: bytes) -> int:
        """Send what the line takes; the rest is lost. Returns the bytes taken."""
        if self._master < 0 or not data:
            return 0
        try:
            return os.write(self._master, data)
        except (BlockingIOError, OSError):
            return 0
