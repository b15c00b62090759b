"""sd_notify: READY, WATCHDOG, STOPPING, EXTEND_TIMEOUT to systemd, from the main process only. Never waits.

No thread feeds the watchdog: `watchdog` is called by the loop when it has really gone round, and only then.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, MutableMapping

import msgspec

NAMES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
LEAST_GAP_NS = 500_000_000  # in a shutdown: never more than two a second
PATIENCE_NS = 5_000_000_000
STEP_S = 60.0
BLIND_WORK_S = 300.0


class NotifySettings(msgspec.Struct, frozen=True):
    """What systemd wants. `watchdog_ns` 0: no watchdog."""

    address: str | None
    watchdog_ns: int


def take_settings(environ: MutableMapping[str, str], pid: int) -> NotifySettings:
    """Reads systemd's variables and removes them: no child may speak in our name."""
    address, microseconds, for_pid = (environ.pop(name, "") for name in NAMES)
    ours = not for_pid or for_pid == str(pid)
    watchdog_us = int(microseconds) if microseconds.isascii() and microseconds.isdigit() and ours else 0
    return NotifySettings(address if address.startswith(("/", "@")) else None, watchdog_us * 1000)


class Patience:
    """A long start: asks for more time while it goes on, at most every five seconds (F75). `step` is cheap."""

    def __init__(self, notifier: Notifier, clock_ns: Callable[[], int]) -> None:
        self._notifier = notifier
        self._clock_ns = clock_ns
        self._last_ns = clock_ns()

    def begin(self, what: str) -> None:
        """A piece of work that cannot tell how far it is."""
        self._notifier.status(what)
        self._notifier.extend(BLIND_WORK_S)

    def step(self) -> None:
        """The start has come on by something."""
        now_ns = self._clock_ns()
        if now_ns - self._last_ns >= PATIENCE_NS:
            self._last_ns = now_ns
            self._notifier.extend(STEP_S)


class Notifier:
    """One socket to systemd. Without NOTIFY_SOCKET every call does nothing."""

    def __init__(self, settings: NotifySettings) -> None:
        self._pid = os.getpid()
        self._address = settings.address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if settings.address else None
        if self._socket is not None:
            self._socket.setblocking(False)
        # A third of the deadline: with a late wake-up of the loop it is still less than half.
        self._gap_ns = settings.watchdog_ns // 3
        self._last_ns: int | None = None
        self._ready = False
        self._stopping = False
        self.unsent = 0  # messages that systemd did not take

    @classmethod
    def from_environ(cls, environ: MutableMapping[str, str] | None = None) -> Notifier:
        """As systemd started us."""
        return cls(take_settings(os.environ if environ is None else environ, os.getpid()))

    def ready(self, status: str = "") -> None:
        """Start-up is complete; once."""
        if not self._ready:
            self._ready = True
            self._send("READY=1", status)

    def stopping(self, status: str = "") -> None:
        """An orderly stop has begun; once."""
        if not self._stopping:
            self._stopping = True
            self._gap_ns = max(self._gap_ns, LEAST_GAP_NS) if self._gap_ns else 0
            self._send("STOPPING=1", status)

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._send("", text)

    def extend(self, seconds: float) -> None:
        """Start-up or stop needs this much longer, counted from now."""
        self._send(f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def watchdog(self, now_ns: int) -> None:
        """The loop went round. Sent when a third of the deadline has passed since the last."""
        if self._gap_ns and (self._last_ns is None or now_ns - self._last_ns >= self._gap_ns):
            self._last_ns = now_ns
            self._send("WATCHDOG=1")

    def next_watchdog_ns(self, now_ns: int) -> int | None:
        """When the loop should have called `watchdog` again; None: no watchdog."""
        if not self._gap_ns:
            return None
        return now_ns if self._last_ns is None else self._last_ns + self._gap_ns

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, message: str, status: str = "") -> None:
        if self._socket is None or self._address is None or os.getpid() != self._pid:
            return
        lines = [message] if message else []
        if status:
            lines.append("STATUS=" + " ".join(status.split()))
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            self._socket.sendto("\n".join(lines).encode("utf-8", "backslashreplace"), address)
        except OSError:
            self.unsent += 1
