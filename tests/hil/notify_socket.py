"""A stand-in for systemd's end of the notify socket: who says what, and when, as the kernel tells it."""

from __future__ import annotations

import socket
import struct
import threading
import time
from pathlib import Path


class Systemd:
    """A NOTIFY_SOCKET that notes who says what, and when."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[tuple[float, int, str]] = []
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._sock.bind(str(path))
        self._sock.settimeout(0.1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(2)
        self._sock.close()

    def said(self, word: str) -> list[tuple[float, int]]:
        """Times and senders of this message."""
        return [(t, pid) for t, pid, text in list(self.heard) if word in text.splitlines()]

    def silent_s(self) -> float:
        """Seconds since the watchdog was last fed."""
        return time.monotonic() - max(t for t, _ in self.said("WATCHDOG=1"))

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                data, extra, _, _ = self._sock.recvmsg(4096, socket.CMSG_SPACE(12))
            except TimeoutError:
                continue
            pid = struct.unpack("3i", extra[0][2][:12])[0] if extra else 0
            self.heard.append((time.monotonic(), pid, data.decode()))
