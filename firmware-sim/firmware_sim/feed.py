"""The daemon's snapshots, as a person sees the lamps: a thread that reads `watch` on the control socket.

Reconnects by itself; keeps only the newest snapshot. Never sends a command: the robot acts by keys alone.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Snapshot = dict[str, Any]
RETRY_S = 0.1


class Feed:
    """The newest snapshot, and waiting for the next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.latest: Snapshot | None = None
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._sock: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)

    def start(self) -> None:
        """Begin to watch; the daemon may come later."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        sock = self._sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        with self._changed:
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def wait(self, wanted: Callable[[Snapshot], bool], timeout_s: float) -> Snapshot | None:
        """The first snapshot from now on (the present one included) that is as wanted; None when the time is over."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not self._stop.is_set():
                if self.latest is not None and wanted(self.latest):
                    return self.latest
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(left)
        return None

    def _run(self) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                sock.connect(str(self.path))
                self._sock = sock
                sock.sendall(b'{"op":"watch"}\n')
                self._read(sock)
            self._sock = None
            self._put(None)  # what the lamps showed is no longer known
            self._stop.wait(RETRY_S)

    def _read(self, sock: socket.socket) -> None:
        buffer = b""
        while not self._stop.is_set():
            chunk = sock.recv(1 << 16)
            if not chunk:
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line)
                snapshot = message.get("snapshot")
                if snapshot is not None:
                    self._put(snapshot)

    def _put(self, snapshot: Snapshot | None) -> None:
        with self._changed:
            self.latest = snapshot
            self._changed.notify_all()


def cards_on_table(snap: Snapshot) -> int:
    """Cards that the table has counted so far."""
    boxes = sum(len(box.get("cards") or ()) + len(box.get("drawn") or ()) for box in snap.get("boxes", ()))
    dealer = snap.get("dealer") or {}
    return boxes + len(dealer.get("cards") or ()) + (1 if dealer.get("after_exchange") else 0)


def devices_ready(snap: Snapshot) -> bool:
    """START would be refused otherwise: the dealer sees the device's lamp and waits."""
    devices = snap.get("devices") or {}
    source = "reader" if "reader" in devices else "shoe"
    needed = [] if snap.get("cards", "shoe") != "shoe" else [source]
    needed += ["board"] if snap.get("joker") else []
    return all(devices.get(name) in ("ready", "degraded") for name in needed)
