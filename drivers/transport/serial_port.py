"""A serial port as a pump: one thread that carries bytes both ways. The only importer of `serial`.

Owns the descriptor, exclusive access and raw mode. Never reads meaning into a byte, never leaves a descriptor open.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import serial

from drivers.events import PortBytes, PortOpened
from drivers.holders import holders
from drivers.ports import ClockNs, Post
from drivers.transport.pump import PortGone, PortUnavailable, Pump, back_off

READ_SIZE = 4096
SELECT_S = 0.5
PTY_MAJORS = range(136, 144)


class PortBusy(PortUnavailable):
    """Another program holds the port."""

    def __init__(self, path: str, pid: int | None) -> None:
        super().__init__(f"port in use by pid {pid}" if pid else "port busy (another program holds it)")
        self.path = path
        self.pid = pid


class OpenPort(Protocol):
    """An open descriptor, as pyserial gives it."""

    def fileno(self) -> int:
        """The descriptor, non-blocking."""

    def close(self) -> None:
        """Give it back."""


def port_holder(path: str) -> int | None:
    """The process that holds the lock on this port, or has it open without one, as far as we may see it."""
    try:
        device = os.stat(path)
        locks = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    wanted = f"{os.major(device.st_dev):02x}:{os.minor(device.st_dev):02x}:{device.st_ino}"
    for words in map(str.split, locks):
        if len(words) > 5 and words[5] == wanted and words[4].isdecimal():
            return int(words[4])
    return _opener(path)


def _opener(path: str) -> int | None:
    """Who closed the port to others knows no lock (ModemManager, F10): the first process that has it open."""
    try:
        found, _ = holders([Path(path)])
    except OSError:
        return None
    return next((pid for pid in found if pid != os.getpid()), None)


def open_serial(path: str, baud: int) -> OpenPort:
    """Open once: locked, then raw, then exclusive. Raises PortUnavailable, or what the driver raises."""
    port = serial.Serial(port=None, baudrate=baud, timeout=0, write_timeout=0, exclusive=True)
    port.port = path
    try:
        with contextlib.ExitStack() as undo:
            undo.callback(_close_quietly, port)  # before anybody asks who holds it
            port.open()  # pyserial locks before it touches the settings, and makes the line raw before anything else
            _exclude_others(port.fileno())
            _set_quiet(port.fileno())
            undo.pop_all()
    except OSError as error:
        raise _unavailable(path, error) from error
    opened: OpenPort = port
    return opened


def _unavailable(path: str, error: OSError) -> PortUnavailable:
    match error.errno:
        case errno.EBUSY | errno.EAGAIN:
            return PortBusy(path, port_holder(path))
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return PortUnavailable("no such port")
        case errno.EACCES | errno.EPERM:
            return PortUnavailable("no permission: check the udev rule and the group")
    return PortUnavailable(describe(error))


def _exclude_others(descriptor: int) -> None:
    """Programs that know no lock are kept out as well, by the kernel.

    Not on a pseudo-terminal: it keeps the mark when its holder is killed, as long as its other end lives, and would
    then be closed to us too. The lock holds there as everywhere.
    """
    if os.major(os.fstat(descriptor).st_rdev) not in PTY_MAJORS:
        fcntl.ioctl(descriptor, termios.TIOCEXCL)


def _set_quiet(descriptor: int) -> None:
    """Without HUPCL the kernel leaves DTR alone when we close; some devices restart when it changes.

    With VMIN 0, as pyserial has it, "nothing there" and "hung up" read alike: no bytes. With 1 only the latter does.
    """
    settings = termios.tcgetattr(descriptor)
    settings[2] &= ~termios.HUPCL
    settings[6][termios.VMIN] = 1
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)


def _close_quietly(port: OpenPort) -> None:
    """Unsent bytes are thrown away first: closing would wait for a device that takes none."""
    with contextlib.suppress(OSError, termios.error, ValueError, TypeError):
        termios.tcflush(port.fileno(), termios.TCOFLUSH)
    with contextlib.suppress(OSError, termios.error):
        port.close()


def describe(error: BaseException) -> str:
    """One line for people. Texts of unexpected errors stay out: they may quote bytes, and bytes may be cards."""
    if isinstance(error, (PortUnavailable, PortGone)):
        return str(error)
    if isinstance(error, (OSError, termios.error)):
        number = error.errno if isinstance(error, OSError) else error.args[0] if error.args else None
        if number in (errno.EIO, errno.ENODEV, errno.ENXIO):
            return "device gone"
        return os.strerror(number) if isinstance(number, int) else "not a serial port, or its driver refused"
    return f"driver failed ({type(error).__name__})"


class SerialPump(Pump):
    """Opens, reads, writes, reconnects. `post` gets PortOpened, PortBytes and PortClosed, from the pump's thread."""

    def __init__(
        self,
        name: str,
        path: str,
        baud: int,
        post: Post,
        clock_ns: ClockNs,
        *,
        backoff: Callable[[int], float] = back_off,
        rest: Callable[[float], object] | None = None,
        opener: Callable[[str, int], OpenPort] = open_serial,
        write_timeout_s: float = 1.0,
    ) -> None:
        super().__init__(name, post, clock_ns, backoff=backoff, rest=rest)
        self._path, self._baud, self._opener = path, baud, opener
        self._write_timeout_ns = int(write_timeout_s * 1e9)
        self._wake: tuple[int, int] | None = None
        self._port: OpenPort | None = None

    # -- any thread -------------------------------------------------------------------------------------------

    def probe(self) -> None:
        """Open now and keep the port for the thread. Raises PortBusy or PortUnavailable; call before `start`."""
        try:
            self._port = self._opener(self._path, self._baud)
        except (OSError, termios.error) as error:
            raise PortUnavailable(describe(error)) from error

    def start(self) -> None:
        """Begin to connect, for ever, until closed."""
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        os.set_blocking(write_end, False)
        self._wake = (read_end, write_end)
        super().start()

    def close(self) -> None:
        """End for good, within two seconds even if the device or the inbox is stuck."""
        super().close()
        if self._thread is not None and self._thread.is_alive():
            return
        with self._lock:
            for descriptor in self._wake or ():
                os.close(descriptor)
            self._wake = None

    def _wake_up(self) -> None:
        if self._wake is not None:
            with contextlib.suppress(BlockingIOError):  # full: it is awake already
                os.write(self._wake[1], b"!")

    # -- the pump's thread ------------------------------------------------------------------------------------

    def _ended(self, error: Exception) -> str | None:
        return describe(error)

    def _connection(self) -> None:
        assert self._wake is not None
        port = self._port = self._port or self._opener(self._path, self._baud)
        self._begin()
        self._post(PortOpened(self._name, self._clock_ns()))
        blocked_ns: int | None = None
        while not self._stop.is_set():
            readable, writable, woken = self._wait(port.fileno(), self._wake[0])
            # First of all, and without asking whether the line takes it: an acknowledgement may wait. Each call to the
            # system on the way there would give the interpreter away and wait for it again.
            blocked_ns = self._write_some(port.fileno(), writable or woken, blocked_ns)
            if woken:
                os.read(self._wake[0], READ_SIZE)
            if readable:
                self._read(port.fileno())

    def _wait(self, descriptor: int, wake: int) -> tuple[bool, bool, bool]:
        with self._lock:
            to_write = [descriptor] if self._unsent else []
        readable, writable, _ = select.select([descriptor, wake], to_write, [], SELECT_S)
        return descriptor in readable, bool(writable), wake in readable

    def _read(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, READ_SIZE)
        except BlockingIOError:
            return
        if not data:
            raise PortGone("device gone")
        self._failures = 0
        self._post(PortBytes(self._name, data, self._clock_ns()))

    def _write_some(self, descriptor: int, writable: bool, blocked_ns: int | None) -> int | None:
        """What the device takes now. Returns since when it has taken nothing; raises when that is too long."""
        with self._lock:
            data = bytes(self._unsent[:READ_SIZE])
        if not data:
            return None
        sent = 0
        if writable:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(descriptor, data)
        if sent:
            with self._lock:
                del self._unsent[:sent]
            return None
        now_ns = self._clock_ns()
        if blocked_ns is not None and now_ns - blocked_ns >= self._write_timeout_ns:
            raise PortGone("device takes no bytes (write timed out)")
        return now_ns if blocked_ns is None else blocked_ns

    def _give_back(self) -> None:
        self._end()
        port, self._port = self._port, None
        if port is not None:
            _close_quietly(port)
