"""A USB device as a pump: bulk transfers both ways, found by vendor, product and serial number. Only importer of `usb`.

Owns claim, halts, resets and the meaning of errors, which is by number and never by text. A handle that has failed is
never used again: after a reset the device is found afresh. Never reads meaning into a byte.
"""

from __future__ import annotations

import contextlib
import errno
import threading
from collections.abc import Callable
from enum import StrEnum
from importlib.metadata import entry_points
from typing import Any

import msgspec
import usb.backend.libusb1
import usb.core
import usb.util

from drivers.events import PortBytes, PortOpened
from drivers.ports import ClockNs, Post
from drivers.transport.pump import PortGone, PortUnavailable, Pump, back_off

BACKENDS = "table_controller.usb_backends"
READ_SIZE = 4096  # a multiple of every packet size
READ_MS = 300  # longer than the host's heartbeat, so that a healthy line has no time-outs
WRITE_MS = 1000
QUIET_READS = 3  # so many time-outs in a row, though something was sent: is the endpoint deaf?
MOST_CLEARS = 3
RESET_AGAIN_NS = 60_000_000_000  # a reset that brought no byte: it has no power, no key, or is broken
PERMISSION_NS = 3_000_000_000  # udev may need a moment after the device node has appeared
MOST_REST_S = 1.0
VENDOR_CLASS = 0xFF
US_ENGLISH = 0x0409


class UsbId(msgspec.Struct, frozen=True):
    """Which device: a genuine serial number proves nothing, but another one is another device."""

    vendor: int
    product: int
    serial: str


class Verdict(StrEnum):
    """What an error means."""

    NO_NEWS = "no news"
    STALL = "the device stalls"
    GONE = "device gone"
    PERMISSION = "no permission: check the udev rule and the group"
    BUSY = "in use by another program"
    UNKNOWN = "unknown USB fault: unplug the device and plug it in again"


_BY_NUMBER: dict[int, Verdict] = {
    errno.ETIMEDOUT: Verdict.NO_NEWS,
    errno.EINTR: Verdict.NO_NEWS,
    errno.EAGAIN: Verdict.NO_NEWS,
    errno.EPIPE: Verdict.STALL,
    errno.EOVERFLOW: Verdict.STALL,
    errno.ENODEV: Verdict.GONE,
    errno.EIO: Verdict.GONE,
    errno.ENOENT: Verdict.GONE,
    errno.ENXIO: Verdict.GONE,
    errno.ESHUTDOWN: Verdict.GONE,
    errno.EPROTO: Verdict.GONE,
    errno.EACCES: Verdict.PERMISSION,
    errno.EPERM: Verdict.PERMISSION,
    errno.EBUSY: Verdict.BUSY,
}


def verdict(error: usb.core.USBError) -> Verdict:
    """By number alone; an error without one is unknown, not harmless."""
    return _BY_NUMBER.get(error.errno, Verdict.UNKNOWN) if error.errno is not None else Verdict.UNKNOWN


def backend_named(name: str) -> Any:
    """The backend that a distribution registers under this name. PortUnavailable where there is none."""
    found = [point for point in entry_points(group=BACKENDS) if point.name == name]
    if not found:
        raise PortUnavailable(f"no USB backend is called {name}")
    return found[0].load()()


def libusb1() -> Any:
    """The real one. PortUnavailable where its library is not installed."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        raise PortUnavailable("libusb 1.0 is not installed")
    return backend


def rest_s(attempt: int) -> float:
    """Seconds before the next try: short, a device that is back is wanted at once."""
    return min(back_off(attempt), MOST_REST_S)


class UsbPump(Pump):
    """Finds, claims, reads, writes, resets, finds again. A second thread sends while the first one reads."""

    def __init__(
        self,
        name: str,
        wanted: UsbId,
        backend: Any,
        post: Post,
        clock_ns: ClockNs,
        *,
        backoff: Callable[[int], float] = rest_s,
        rest: Callable[[float], object] | None = None,
        read_ms: int = READ_MS,
    ) -> None:
        super().__init__(name, post, clock_ns, backoff=backoff, rest=rest)
        self._wanted, self._backend, self._read_ms = wanted, backend, read_ms
        self._sendable = threading.Condition(self._lock)
        self._device: Any = None
        self._sender: threading.Thread | None = None
        self._send_failed = ""  # guarded by _lock
        self._sent_since_heard = False  # guarded by _lock
        self._reset = False
        self._reset_ns: int | None = None  # of the last one, as long as nothing has been heard since
        self._refused_ns: int | None = None

    def _wake_up(self) -> None:
        self._sendable.notify_all()

    # -- finding it -------------------------------------------------------------------------------------------

    def _connection(self) -> None:
        device = self._device = self._find()
        inward, outward = _pipes(device)
        _claim(device, inward.interface)
        self._refused_ns = None
        for pipe in (inward, outward):  # whoever had it before may have left the two ends out of step
            device.clear_halt(pipe.address)
        self._begin()
        self._sender = threading.Thread(target=self._send_all, args=(outward,), name=f"send-{self._name}", daemon=True)
        self._sender.start()
        self._post(PortOpened(self._name, self._clock_ns()))
        self._hear_all(device, inward)

    def _find(self) -> Any:
        """The one device of this identity, open. Raises PortUnavailable, or what the backend raises."""
        ids = {"idVendor": self._wanted.vendor, "idProduct": self._wanted.product}
        found = [d for d in usb.core.find(find_all=True, backend=self._backend, **ids) if self._is_wanted(d)]
        if len(found) == 1:
            return found[0]
        for device in found:
            _let_go(device)
        self._refused_ns = None
        raise PortUnavailable("two devices with the same serial number" if found else "not connected")

    def _is_wanted(self, device: Any) -> bool:
        try:
            _open(device)
            serial = usb.util.get_string(device, device.iSerialNumber, US_ENGLISH) if device.iSerialNumber else ""
        except usb.core.USBError as error:
            _let_go(device)
            if verdict(error) is Verdict.GONE:
                return False
            raise
        if serial != self._wanted.serial:
            _let_go(device)
            return False
        return True

    # -- carrying ---------------------------------------------------------------------------------------------

    def _hear_all(self, device: Any, inward: _Pipe) -> None:
        quiet = clears = 0
        while not self._stop.is_set():
            data = self._hear(device, inward)
            self._sender_lives()
            if data:
                quiet = clears = self._failures = 0
                self._reset_ns = None
                self._post(PortBytes(self._name, data, self._clock_ns()))
                continue
            if data is None:
                clears += 1
            elif self._answer_is_due():
                quiet += 1
                if quiet % QUIET_READS == 0:
                    device.clear_halt(inward.address)
                    clears += 1
            if clears > MOST_CLEARS:
                self._deaf(stalls=data is None)

    def _deaf(self, *, stalls: bool) -> None:
        """A reset may help. One that did not is not repeated at once: people may be about to pair the device."""
        if self._reset_ns is None or self._clock_ns() - self._reset_ns >= RESET_AGAIN_NS:
            self._reset = True
            raise PortGone("device deaf: it answers nothing")
        if stalls:
            self._rest(self._read_ms / 1000)  # a stall is answered at once: not as fast as that

    def _hear(self, device: Any, inward: _Pipe) -> bytes | None:
        """What came; empty for no news, None for a stall that has been cleared."""
        try:
            data = bytes(device.read(inward.address, READ_SIZE, self._read_ms))
        except usb.core.USBError as error:
            match verdict(error):
                case Verdict.NO_NEWS:
                    return b""
                case Verdict.STALL:
                    device.clear_halt(inward.address)
                    return None
            raise
        if data:
            with self._lock:
                self._sent_since_heard = False
        return data

    def _answer_is_due(self) -> bool:
        with self._lock:
            return self._sent_since_heard

    def _sender_lives(self) -> None:
        with self._lock:
            failed = self._send_failed
        if failed:
            self._reset = failed != Verdict.GONE
            raise PortGone(failed)

    def _send_all(self, outward: _Pipe) -> None:
        """The sender's thread: until the connection ends. Whatever ends it earlier is said in `_send_failed`."""
        device, why = self._device, "sending failed"
        try:
            while data := self._next_to_send():
                with self._lock:
                    self._sent_since_heard = True  # before it is sent: its answer may be heard before `write` returns
                sent = device.write(outward.address, data, WRITE_MS)
                with self._lock:
                    del self._unsent[:sent]
            why = ""
        except usb.core.USBError as error:
            found = verdict(error)
            why = "device takes no bytes (write timed out)" if found is Verdict.NO_NEWS else str(found)
        finally:
            with self._lock:
                self._send_failed = why

    def _next_to_send(self) -> bytes:
        with self._sendable:
            while self._connected and not self._unsent:
                self._sendable.wait()
            return bytes(self._unsent[:READ_SIZE]) if self._connected else b""

    # -- the end of a connection ------------------------------------------------------------------------------

    def _ended(self, error: Exception) -> str | None:
        if not isinstance(error, usb.core.USBError):
            known = isinstance(error, (PortGone, PortUnavailable))
            return str(error) if known else f"driver failed ({type(error).__name__})"
        found = verdict(error)
        if found is not Verdict.PERMISSION:
            return str(found)
        now_ns = self._clock_ns()
        self._refused_ns = now_ns if self._refused_ns is None else self._refused_ns
        return str(found) if now_ns - self._refused_ns >= PERMISSION_NS else None

    def _give_back(self) -> None:
        self._end()
        with self._lock:
            self._wake_up()
        sender, self._sender = self._sender, None
        if sender is not None:
            sender.join(WRITE_MS / 1000 + 0.5)
        device, self._device = self._device, None
        reset, self._reset = self._reset, False
        self._send_failed, self._sent_since_heard = "", False
        if device is None:
            return
        if reset:
            self._reset_ns = self._clock_ns()
            with contextlib.suppress(usb.core.USBError, RuntimeError):
                device.reset()
        _let_go(device)


class _Pipe(msgspec.Struct, frozen=True):
    """One bulk endpoint of the claimed interface."""

    interface: int
    address: int


def _open(device: Any) -> None:
    """Opens the device; one that has no configuration gets its first."""
    try:
        device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
        device.set_configuration()


def _pipes(device: Any) -> tuple[_Pipe, _Pipe]:
    """Bulk endpoints in and out of the first interface of the vendor's own class that has both."""
    for interface in device.get_active_configuration():
        bulk = [e for e in interface if usb.util.endpoint_type(e.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK]
        ways = {usb.util.endpoint_direction(e.bEndpointAddress): e.bEndpointAddress for e in bulk}
        if interface.bInterfaceClass == VENDOR_CLASS and len(ways) == 2:
            number = interface.bInterfaceNumber
            return _Pipe(number, ways[usb.util.ENDPOINT_IN]), _Pipe(number, ways[usb.util.ENDPOINT_OUT])
    raise PortUnavailable("another kind of device: it has no bulk endpoints of the vendor's class")


def _claim(device: Any, interface: int) -> None:
    """Ours alone; a kernel driver that has taken it is sent away."""
    with contextlib.suppress(RuntimeError):  # a system without kernel drivers
        if device.is_kernel_driver_active(interface):
            device.detach_kernel_driver(interface)
    usb.util.claim_interface(device, interface)


def _let_go(device: Any) -> None:
    with contextlib.suppress(usb.core.USBError):
        usb.util.dispose_resources(device)
