"""A peer that is only told text: surveillance overlay, receipt printer. Sans-I/O, on the loop thread.

Owns what waits to be sent, bounded, and what was sent so lately that a broken line may have lost it. Hears nothing,
waits for nobody: a peer that takes no bytes costs its own lines, never the table's time.
"""

from __future__ import annotations

from collections import deque

from drivers.events import DeviceEvent, DeviceFault, DeviceReady
from drivers.losses import Losses
from drivers.wire.pacing import MS

LATELY_NS = 5_000 * MS


class TextPeer:
    """`most`: texts that wait while it is away. `again`: what was sent just before the line broke is sent once more."""

    def __init__(self, name: str, model: str, *, most: int, encoding: str = "ascii", again: bool = False) -> None:
        self._name, self._model, self._encoding = name, model, encoding
        self._most, self._again = most, again
        self._waiting: deque[bytes] = deque()
        self._sent: deque[tuple[int, bytes]] = deque()
        self._out = bytearray()
        self._open = False
        self._now_ns = 0
        self._lost = 0
        self._losses = Losses(name)

    @property
    def name(self) -> str:
        """As in every event."""
        return self._name

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        return self._now_ns if self._lost and self._open else None

    def say(self, text: str, now_ns: int) -> None:
        """One text, lines ended by newlines. The oldest that waits gives way when there are too many."""
        self._now_ns = now_ns
        data = text.replace("\n", "\r\n").encode(self._encoding, "replace")
        if self._open:
            self._send(data)
            return
        self._waiting.append(data)
        if len(self._waiting) > self._most:
            self._waiting.popleft()
            self._lost += 1

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The line stands: what waited goes out."""
        self._now_ns, self._open = now_ns, True
        self._losses.ready()
        while self._waiting:
            self._send(self._waiting.popleft())
        return [DeviceReady(self._name, self._model, "", "", "", 0, 0)]

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The line is gone or did not open. Told once for each reason."""
        self._now_ns, self._open = now_ns, False
        self._out.clear()
        if self._again:
            self._waiting.extendleft(data for t_ns, data in reversed(self._sent) if now_ns - t_ns < LATELY_NS)
        self._sent.clear()
        return self._losses.lost(reason)

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Whatever it says, nobody listens."""
        return []

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """What was lost while it was away is told when it is back."""
        lost, self._lost = self._lost, 0
        return [DeviceFault(self._name, "lost", f"{lost} texts while it was away")] if lost else []

    def outgoing(self) -> bytes:
        """The bytes to write since the last call."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def _send(self, data: bytes) -> None:
        self._out += data
        self._sent.append((self._now_ns, data))
        while self._sent and self._now_ns - self._sent[0][0] >= LATELY_NS:
            self._sent.popleft()
