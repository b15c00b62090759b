"""Small parts of a host's end of the line: how often to complain, and a command repeated until it is confirmed.

Pure; time comes in as an argument. Owns no bytes and no device.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from drivers.wire.messages import DealEnable, Done, Resend, Result

MS = 1_000_000
BURST_QUIET_NS = 1_000 * MS
BURST_AGAIN_NS = 60_000 * MS
REPEAT_NS = 500 * MS
RETRY_NS = 1_000 * MS


class Burst:
    """Says once per burst that something is wrong. A second of quiet ends a burst; a long one is told each minute."""

    def __init__(self) -> None:
        self._last_ns: int | None = None
        self._told_ns = 0

    def tell(self, now_ns: int) -> bool:
        """It happened (again): is it to be told?"""
        fresh = self._last_ns is None or now_ns - self._last_ns >= BURST_QUIET_NS
        self._last_ns = now_ns
        if fresh or now_ns - self._told_ns >= BURST_AGAIN_NS:
            self._told_ns = now_ns
            return True
        return False


class DealLevel:
    """The wanted level of DEAL_ENABLE: the same command until its DONE, a new one for a new wish."""

    def __init__(self, ids: Iterator[int] | None = None) -> None:
        self.wanted = False
        self.ids = ids or count(1)  # of every command to this device: they grow, whichever it is
        self._command_id = 0
        self._pending = False
        self._send_ns = 0

    @property
    def due_ns(self) -> int | None:
        """When the command goes out (again); None while nothing is open."""
        return self._send_ns if self._pending else None

    def ask_anew(self, at_ns: int) -> None:
        """A new session, another wish, or a device that does not do as confirmed: a new command."""
        self._command_id = next(self.ids)
        self._pending = True
        self._send_ns = at_ns

    def send(self, now_ns: int) -> DealEnable | None:
        """The command, if it is due."""
        if not self._pending or now_ns < self._send_ns:
            return None
        self._send_ns = now_ns + REPEAT_NS
        return DealEnable(self._command_id, int(self.wanted))

    def done(self, answer: Done, now_ns: int) -> Result | None:
        """The result if it answers the open command, else None: late answers answer nothing."""
        if not self._pending or answer.command_id != self._command_id:
            return None
        self._pending = False
        if answer.result is not Result.DONE:
            self.ask_anew(now_ns + RETRY_NS)
        return answer.result

    def seen(self, dealing: bool, now_ns: int) -> None:
        """The device says what it does: ask anew if that is not what it confirmed."""
        if not self._pending and dealing != self.wanted:
            self.ask_anew(now_ns + RETRY_NS)


class Gap:
    """A hole in the numbers: asked for at most once in 500 ms, and not before the device had time to fill it itself."""

    def __init__(self) -> None:
        self.from_no = 0  # of the question that is open
        self._ask_ns = 0
        self._behind_ns: int | None = None

    def forget(self) -> None:
        """A new session, or the hole is filled or given up."""
        self.from_no, self._behind_ns = 0, None

    def anew(self) -> None:
        """A new session: nothing was asked."""
        self.forget()
        self._ask_ns = 0

    def moved(self) -> None:
        """The next event has come."""
        self._behind_ns = None

    def ask(self, from_no: int, now_ns: int) -> Resend | None:
        """The question, unless it was asked just now."""
        if now_ns < self._ask_ns:
            return None
        self.from_no, self._ask_ns = from_no, now_ns + REPEAT_NS
        return Resend(from_no)

    def behind(self, last: int, log_last: int, now_ns: int) -> Resend | None:
        """The device says that it has more than it sends."""
        if log_last <= last:
            self._behind_ns = None
        elif self._behind_ns is None:
            self._behind_ns = now_ns
        elif now_ns - self._behind_ns >= REPEAT_NS:
            return self.ask(last + 1, now_ns)
        return None
