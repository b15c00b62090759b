"""What every pump shares: a thread that connects for ever, tells how a connection ended, and rests before the next.

Owns the thread, the bytes that wait to be sent and the back-off. What a connection is, serial_port.py and usb_port.py
know. Never makes a writer wait; ends every kind of failure in one PortClosed.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from drivers.events import PortClosed
from drivers.ports import ClockNs, Post

MAX_UNSENT = 65_536
CLOSE_S = 2.0


class PortUnavailable(Exception):
    """The port cannot be opened; the text says why."""


class PortGone(Exception):
    """The connection ended; the text says how."""


def back_off(attempt: int) -> float:
    """Seconds before the next try: 0.1, 0.2, 0.4 ... 1.6: whoever comes back is usable within 2 s."""
    return min(0.1 * 2.0 ** min(attempt - 1, 10), 1.6)


class Pump(ABC):
    """Connects, carries bytes, connects anew. `post` gets PortOpened, PortBytes, PortClosed from the pump's thread."""

    def __init__(
        self,
        name: str,
        post: Post,
        clock_ns: ClockNs,
        *,
        backoff: Callable[[int], float] = back_off,
        rest: Callable[[float], object] | None = None,
    ) -> None:
        self._name, self._post, self._clock_ns = name, post, clock_ns
        self._backoff = backoff
        self._stop = threading.Event()
        self._rest = rest or self._stop.wait
        self._lock = threading.Lock()  # guards _unsent, _connected and whatever wakes the one who sends
        self._unsent = bytearray()
        self._connected = False
        self._reason: str | None = None
        self._failures = 0
        self._thread: threading.Thread | None = None

    # -- any thread -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, for ever, until closed."""
        self._thread = threading.Thread(target=self._run, name=f"port-{self._name}", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Hand over bytes to be sent. Never waits; dropped while the port is closed."""
        with self._lock:
            if not data or not self._connected or len(self._unsent) > MAX_UNSENT:
                return
            self._unsent += data
            self._wake_up()

    def close(self) -> None:
        """End for good, within two seconds even if the device or the inbox is stuck."""
        self._stop.set()
        with self._lock:
            self._wake_up()
        if self._thread is not None:
            self._thread.join(CLOSE_S)
            if self._thread.is_alive():
                return  # stuck in `post`: a daemon thread, it gives back its descriptors when it is let go
        self._give_back()

    # -- the pump's thread ------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._report_and_rest()
                self._connect()
            except Exception as error:  # noqa: BLE001 - the pump's top: whatever it is ends the connection, never the pump
                self._failures += 1
                self._reason = self._ended(error)
            finally:
                self._give_back()

    def _report_and_rest(self) -> None:
        failed, reason, self._reason = self._failures, self._reason, None
        if self._stop.is_set() or not failed:
            return
        try:
            if reason is not None:
                self._post(PortClosed(self._name, reason, failed, self._clock_ns()))
        finally:
            self._rest(self._backoff(failed))

    def _connect(self) -> None:
        if not self._stop.is_set():
            self._connection()

    def _begin(self) -> None:
        """A connection stands: bytes may be handed over."""
        with self._lock:
            self._unsent.clear()
            self._connected = True

    def _end(self) -> None:
        with self._lock:
            self._connected = False
            self._unsent.clear()

    # -- what a kind of port does -----------------------------------------------------------------------------

    @abstractmethod
    def _connection(self) -> None:
        """Open, then carry bytes until told to stop; raises whatever ends the connection."""

    @abstractmethod
    def _give_back(self) -> None:
        """Close what is open."""

    @abstractmethod
    def _ended(self, error: Exception) -> str | None:
        """Why, in one line for people; None: not worth telling yet."""

    @abstractmethod
    def _wake_up(self) -> None:
        """Bytes wait, or the end has come; the lock is held."""
