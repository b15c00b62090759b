"""The bench's side of the pins: levels go out, outputs and SPI transfers come in, over a Unix socket of JSON lines.

Holds the level of every driven wire, so that a daemon that connects later finds a held key held.
Knows no names of keys.
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

from firmware_sim.errors import BenchError

SpiChip = Callable[[list[int]], list[int]]


class GpioServer:
    """Wires and chips of the bench."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outputs: dict[int, int] = {}
        self.busy_s = 0.0  # fault: so long after it connected nobody gets a pin
        self.on_connect: Callable[[], None] = lambda: None  # before the first levels are told
        self._levels: dict[int, int] = {}
        self._chips: dict[int, SpiChip] = {}
        self._clients: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._threads: list[threading.Thread] = []

    def attach(self, device: int, chip: SpiChip) -> None:
        """The chip behind this chip select."""
        self._chips[device] = chip

    def start(self) -> None:
        """Listen; an old socket file of a bench that died is replaced."""
        self._refuse_a_second_bench()
        self.path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._spawn(self._accept, self._listener)

    def stop(self) -> None:
        """Everything off: who is connected sees the bench gone."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            self.path.unlink(missing_ok=True)
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(timeout=2)

    def drive(self, levels: dict[int, int]) -> None:
        """Set wires; who is connected sees the edges with the bench's time."""
        with self._lock:  # one writer at a time: lines of two threads must not mix
            self._levels.update(levels)
            self._tell(self._clients, levels, everything=False)

    @property
    def connected(self) -> int:
        """How many pin factories are connected."""
        return len(self._clients)

    def _refuse_a_second_bench(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(self.path))
            except OSError:
                return
        raise BenchError(
            709, "a bench is running here already", str(self.path), "stop it or use another --dir", exit_code=5
        )

    def _tell(self, clients: list[socket.socket], levels: dict[int, int], *, everything: bool) -> None:
        message: dict[str, Any] = {"t": time.monotonic(), "levels": levels}
        if everything:
            message["all"] = True
            message["busy_until"] = message["t"] + self.busy_s
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        for client in clients:
            with contextlib.suppress(OSError):
                client.sendall(data)

    def _spawn(self, work: Callable[[socket.socket], None], sock: socket.socket) -> None:
        thread = threading.Thread(target=work, args=(sock,), name="gpio-bench", daemon=True)
        self._threads = [old for old in self._threads if old.is_alive()]
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.on_connect()
            with self._lock:
                # Under the lock: no edge falls between the first levels and the list of clients.
                self._tell([client], dict(self._levels), everything=True)
                self._clients.append(client)
            self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        buffer, driven = b"", set[int]()
        with client:
            while True:
                try:
                    chunk = client.recv(65536)
                except OSError:
                    break
                if not chunk:
                    break
                *lines, buffer = (buffer + chunk).split(b"\n")
                for message in map(json.loads, lines):
                    driven |= {message["out"]} if "out" in message else set()
                    self._take(client, message)
        with self._lock:
            self._clients.remove(client)
            for pin in driven:  # its lines are inputs again: the pull at each decides
                self.outputs.pop(pin, None)

    def _take(self, client: socket.socket, message: dict[str, Any]) -> None:
        if "out" in message:
            self.outputs[message["out"]] = message["level"]
            return
        chip = self._chips.get(message["device"])
        data = message["data"]
        answer = chip(data) if chip is not None else [0xFF] * len(data)
        reply = json.dumps({"reply": message["spi"], "data": answer}, separators=(",", ":")).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):
            client.sendall(reply)
