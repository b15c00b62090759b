"""Pseudo-terminals as serial lines, and an inbox that a test waits at."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import threading
import time
from pathlib import Path
from typing import TypeVar

from drivers.events import PortBytes, PortClosed, PortEvent, PortOpened
from drivers.transport.serial_port import SerialPump

WAIT_S = 5.0
Kind = TypeVar("Kind", PortOpened, PortClosed)


class Line:
    """A pty as the kernel makes it: cooked, with echo. `path` is what a pump opens; the test holds the other end."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)

    def send(self, data: bytes) -> None:
        os.write(self.master, data)

    def read(self, wait_s: float = 0.0) -> bytes:
        """What has come, waiting a little for the first byte."""
        if not select.select([self.master], [], [], wait_s)[0]:
            return b""
        try:
            return os.read(self.master, 65_536)
        except OSError:  # nobody has the other end open
            return b""

    def read_all(self, size: int) -> bytes:
        data, until = b"", time.monotonic() + WAIT_S
        while len(data) < size and time.monotonic() < until:
            data += self.read(0.1)
        return data

    def unplug(self) -> None:
        if self.master >= 0:
            os.close(self.master)
            self.master = -1


class Inbox:
    """Everything a pump posts."""

    def __init__(self) -> None:
        self._queue: queue.Queue[PortEvent] = queue.Queue()
        self.all: list[PortEvent] = []

    def post(self, event: PortEvent) -> None:
        self._queue.put(event)

    def next(self, wait_s: float = WAIT_S) -> PortEvent:
        event = self._queue.get(timeout=wait_s)
        self.all.append(event)
        return event

    def now(self) -> list[PortEvent]:
        """What is there already."""
        found: list[PortEvent] = []
        while not self._queue.empty():
            found.append(self.next())
        return found

    def soon(self, wait_s: float) -> list[PortEvent]:
        """What comes within a moment."""
        try:
            first = self.next(wait_s)
        except queue.Empty:
            return []
        return [first, *self.now()]

    def until_opened(self) -> PortOpened:
        return self._until(PortOpened)

    def until_closed(self) -> PortClosed:
        return self._until(PortClosed)

    def _until(self, kind: type[Kind]) -> Kind:
        """The next of this kind. A pump that fails over and over posts for ever: the wait ends all the same."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                event = self.next(max(0.001, deadline - time.monotonic()))
                if isinstance(event, kind):
                    return event
        raise AssertionError(f"no {kind.__name__} in {WAIT_S} s; the last ones: {self.all[-3:]}")

    def bytes(self, size: int) -> bytes:
        data, deadline = b"", time.monotonic() + WAIT_S
        while len(data) < size:
            assert time.monotonic() < deadline, f"{len(data)} bytes of {size}; the last events: {self.all[-3:]}"
            event = self.next()
            if isinstance(event, PortBytes):
                data += event.data
        return data


def pump(path: str | Path, inbox: Inbox, **options: object) -> SerialPump:
    options.setdefault("backoff", lambda _attempt: 0.01)
    return SerialPump("shoe", str(path), 115_200, inbox.post, time.monotonic_ns, **options)  # type: ignore[arg-type]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def threads() -> int:
    return threading.active_count()
