"""A peer that is told text over TCP: a surveillance overlay, a receipt printer. It listens, the table calls it.

Faults: deaf (accepts and never reads), gone (its port is closed). Keeps what it was told.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable


class TextSink:
    """One peer on 127.0.0.1. `port` 0: any free one. `told` is called with each line."""

    def __init__(self, port: int = 0, *, deaf: bool = False, told: Callable[[str], None] | None = None) -> None:
        self.lines: list[str] = []
        self.deaf = deaf
        self._told = told
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", port))
        if deaf:  # a small window, so that it is full soon
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.port: int = self._listener.getsockname()[1]
        self._peer: socket.socket | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="text-sink", daemon=True)

    def start(self) -> TextSink:
        """Listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Gone: the connection and the port."""
        self._stop.set()
        for one in (self._peer, self._listener):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def wait(self, wanted: Callable[[list[str]], bool], timeout_s: float = 10.0) -> bool:
        """Until the lines so far are as wanted."""
        with self._changed:
            return self._changed.wait_for(lambda: wanted(self.lines), timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._peer, _ = self._listener.accept()
            except OSError:
                return
            if self.deaf:
                self._stop.wait()
                return
            with contextlib.suppress(OSError):
                self._read(self._peer)

    def _read(self, peer: socket.socket) -> None:
        with peer.makefile("r", encoding="utf-8", errors="replace", newline="\r\n") as stream:
            for line in stream:
                text = line.rstrip("\r\n")
                with self._changed:
                    self.lines.append(text)
                    self._changed.notify_all()
                if self._told is not None:
                    self._told(text)
