"""The line between the daemon's USB backend and the bench's bus: JSON lines, one call and one answer at a time.

Owns both ends of it. A read that waits holds its connection, so calls take one from a small pool. The bench sees by the
connections' end that a process has gone, and gives back what it held.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from firmware_sim.usb_bus import UsbBus, UsbFailure

ENODEV = 19
ANSWER_S = 5.0
CALLS = frozenset({"enumerate", "open", "close", "string", "claim", "release", "kernel_driver", "detach", "write",
                   "read", "clear_halt", "reset"})  # fmt: skip


class UsbCalls(Protocol):
    """Where a backend's calls go."""

    def call(self, name: str, *args: Any) -> Any:
        """The answer; UsbFailure with the number of the error."""


class HereBus:
    """A bus in this process, for tests of a driver alone."""

    def __init__(self, bus: UsbBus) -> None:
        self._bus = bus

    def call(self, name: str, *args: Any) -> Any:
        """Straight through."""
        return answer(self._bus, "here", name, args)


def answer(bus: UsbBus, client: str, name: str, args: Any) -> Any:
    """One call at the bus."""
    if name == "open":
        return bus.open(client, *args)
    act: Callable[..., Any] = getattr(bus, name)
    return act(*args)


class UsbLink:
    """The daemon's end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._client = f"{os.getpid()}-{id(self)}"
        self._lock = threading.Lock()
        self._free: list[socket.socket] = []

    def call(self, name: str, *args: Any) -> Any:
        """Over the socket. Without the bench there is nothing on the bus."""
        plain = [arg.hex() if isinstance(arg, bytes) else arg for arg in args]
        try:
            told = self._ask({"client": self._client, "call": name, "args": plain})
        except OSError:
            if name == "enumerate":
                return []
            raise UsbFailure(ENODEV) from None
        if "error" in told:
            raise UsbFailure(told["error"][0])
        return bytes.fromhex(told["value"]) if name == "read" else told["value"]

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        sock = self._take()
        try:
            sock.sendall(json.dumps(question).encode() + b"\n")
            line = sock.makefile("rb").readline()
            if not line:
                raise ConnectionError("the bench has gone")
        except OSError:
            sock.close()
            raise
        with self._lock:
            self._free.append(sock)
        told: dict[str, Any] = json.loads(line)
        return told

    def _take(self) -> socket.socket:
        with self._lock:
            if self._free:
                return self._free.pop()
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(ANSWER_S)
        try:
            sock.connect(str(self._path))
        except OSError:
            sock.close()
            raise
        return sock


class UsbServer:
    """The bench's end: every connection has a thread."""

    def __init__(self, path: Path, bus: UsbBus) -> None:
        self._path, self._bus = path, bus
        self._listener: socket.socket | None = None
        self._lock = threading.Lock()
        self._open: dict[socket.socket, str] = {}

    def start(self) -> None:
        """Listen; a socket that an earlier run has left is replaced."""
        self._path.unlink(missing_ok=True)
        listener = self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self._path))
        listener.listen()
        threading.Thread(target=self._accept, args=(listener,), name="usb-accept", daemon=True).start()

    def stop(self) -> None:
        """Every connection ends."""
        sockets = [self._listener, *self._open] if self._listener else [*self._open]
        for sock in sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        self._path.unlink(missing_ok=True)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self._open[client] = ""
            threading.Thread(target=self._serve, args=(client,), name="usb-client", daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), sock.makefile("rb") as lines:
            for line in lines:
                question = json.loads(line)
                self._open[sock] = question["client"]
                sock.sendall(json.dumps(self._answer(question)).encode() + b"\n")
        with self._lock:
            client = self._open.pop(sock, "")
            last = client not in self._open.values()
        sock.close()
        if client and last:
            self._bus.gone(client)

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        name, args = question["call"], question["args"]
        if name not in CALLS:
            return {"error": [None]}
        if name == "write":
            args = [args[0], bytes.fromhex(args[1])]
        try:
            value = answer(self._bus, question["client"], name, args)
        except UsbFailure as failure:
            return {"error": [failure.number]}
        return {"value": value.hex() if isinstance(value, bytes) else value}
