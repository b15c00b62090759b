"""One client of the control socket without the socket: lines in, lines out, bounded both ways. No I/O.

Answers are kept in order. Of snapshots only the newest is kept: a slow reader misses old ones and holds nobody up.
"""

from __future__ import annotations

import enum
from collections import deque

from controller.control.protocol import MAX_LINE, Peer

MAX_IN_FLIGHT = 8  # requests of one client in the loop's hands; more wait in its own socket
MAX_WAITING_OUT = 256 * 1024  # bytes of answers not taken; then nothing more is read from that client


class Overlong(enum.Enum):
    """Stands in the stream of lines for one that was longer than MAX_LINE."""

    LINE = enum.auto()


class Connection:
    """Buffers and counts of one client."""

    def __init__(self, number: int, peer: Peer) -> None:
        self.number = number
        self.peer = peer
        self.watching = False
        self.in_flight = 0
        self.ended = False  # the client sends nothing more
        self.lines: deque[bytes | Overlong] = deque()
        self._partial = bytearray()
        self._skipping = False
        self._out: deque[bytes] = deque()
        self._out_bytes = 0
        self._sent = 0
        self._snapshot: bytes | None = None

    # --- in

    def feed(self, data: bytes) -> None:
        """Bytes as they came, in any cut."""
        *complete, rest = data.split(b"\n")
        for piece in complete:
            self._extend(piece)
            self._finish_line()
        self._extend(rest)

    def end(self) -> None:
        """The client has closed its side; a last line without its newline counts."""
        self.ended = True
        if self._partial or self._skipping:
            self._finish_line()

    def _extend(self, piece: bytes) -> None:
        if not self._skipping:
            self._partial += piece
        if len(self._partial) > MAX_LINE:
            self._partial.clear()
            self._skipping = True

    def _finish_line(self) -> None:
        if self._skipping:
            self.lines.append(Overlong.LINE)
        elif line := bytes(self._partial).strip():
            self.lines.append(line)
        self._partial.clear()
        self._skipping = False

    def next_line(self) -> bytes | Overlong | None:
        """The next request to work on; None: none, or this client has enough in hand."""
        if not self.lines or self.in_flight >= MAX_IN_FLIGHT or self._out_bytes >= MAX_WAITING_OUT:
            return None
        return self.lines.popleft()

    def wants_read(self) -> bool:
        return not self.ended and not self.lines

    # --- out

    def queue(self, line: bytes) -> None:
        """An answer: never dropped."""
        self._out.append(line)
        self._out_bytes += len(line)

    def offer(self, snapshot: bytes) -> None:
        """A snapshot: it takes the place of one not yet begun."""
        self._snapshot = snapshot

    def idle(self) -> bool:
        """Nothing waits to be sent."""
        return not self._out and self._snapshot is None

    def outgoing(self) -> memoryview | None:
        """What to send next; None: nothing."""
        if not self._out and self._snapshot is not None:
            self.queue(self._snapshot)
            self._snapshot = None
        return memoryview(self._out[0])[self._sent :] if self._out else None

    def sent(self, count: int) -> None:
        """So many bytes of `outgoing` have gone."""
        self._sent += count
        if self._sent == len(self._out[0]):
            self._out_bytes -= len(self._out.popleft())
            self._sent = 0

    def finished(self) -> bool:
        """The client has ended and has everything it asked for."""
        return self.ended and not self.lines and self.in_flight == 0 and self.idle()
