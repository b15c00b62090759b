"""The socket from a pin factory to the bench: a reader thread that connects anew; requests and replies for SPI.

Runs inside the daemon's process. Carries levels, outputs and transfers; knows no pin by name and decides nothing.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

from gpiozero.exc import BadPinFactory

SPI_TIMEOUT_S = 1.0
RETRY_S = 0.2

OnLevels = Callable[[dict[int, int], float, bool], None]  # levels, their time, whether these are all


class BenchMissing(BadPinFactory):  # type: ignore[misc]  # gpiozero ships no types
    """The bench is not there when the daemon starts."""


class BenchLink:
    """The socket to the bench: a reader thread, reconnecting; requests and replies for SPI."""

    def __init__(self, path: str, on_levels: OnLevels, on_gone: Callable[[], None]) -> None:
        self._path = path
        self._on_levels = on_levels
        self._on_gone = on_gone
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._pending: dict[int, list[int] | None] = {}  # a late reply finds no place and is dropped
        self._replied = threading.Condition()
        self._next_id = 0
        self.busy_until = 0.0  # on the monotonic clock: until then somebody else holds every line of the chip
        self._sock: socket.socket | None = self._connect()
        self._thread = threading.Thread(target=self._run, name="bench-link", daemon=True)

    def start(self) -> None:
        """Start reading; the first line holds all levels."""
        self._thread.start()

    def close(self) -> None:
        """Stop reading and leave the bench."""
        self._closed.set()
        self._drop()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def send(self, message: dict[str, Any]) -> bool:
        """One line to the bench; False when it is gone."""
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self._sock is None:
                return False
            try:
                self._sock.sendall(data)
            except OSError:
                return False
            return True

    def transfer(self, device: int, data: list[int]) -> list[int]:
        """One SPI transfer. Ones come back when nobody answers: an open line with a pull-up."""
        with self._replied:
            self._next_id += 1
            request = self._next_id
            self._pending[request] = None
        sent = self.send({"spi": request, "device": device, "data": data})
        with self._replied:
            if sent:
                self._replied.wait_for(lambda: self._pending[request] is not None or self._sock is None, SPI_TIMEOUT_S)
            return self._pending.pop(request) or [0xFF] * len(data)

    def _connect(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(self._path)
        except OSError as error:
            sock.close()
            raise BenchMissing(
                f"TC-0704 the bench is not there ({error.strerror}): {self._path}: "
                "start `firmware-sim run --bench --dir DIR` first"
            ) from error
        return sock

    def _drop(self) -> None:
        with self._lock:
            sock, self._sock = self._sock, None
        if sock is not None:
            # shutdown first: a close alone would leave the reader waiting in recv.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        with self._replied:
            self._replied.notify_all()

    def _run(self) -> None:
        while not self._closed.is_set():
            sock = self._sock
            if sock is not None:
                self._read(sock)
                self._drop()
                if not self._closed.is_set():
                    self._on_gone()
            if self._closed.wait(RETRY_S):
                return
            try:
                fresh = self._connect()
            except BenchMissing:
                continue
            with self._lock:
                self._sock = fresh

    def _read(self, sock: socket.socket) -> None:
        buffer = b""
        while True:
            try:
                chunk = sock.recv(65536)
            except OSError:
                return
            if not chunk:
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                self._take(json.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        if "levels" in message:
            self.busy_until = message.get("busy_until", self.busy_until)
            levels = {int(pin): level for pin, level in message["levels"].items()}
            self._on_levels(levels, message["t"], message.get("all", False))
        else:
            with self._replied:
                if message["reply"] in self._pending:
                    self._pending[message["reply"]] = message["data"]
                    self._replied.notify_all()
