"""A USB bus that is simulated: devices come and go, addresses change, and every call fails as the kernel would have it.

Owns handles, claims, halts and the faults of a bus. Knows nothing of what the bytes mean. Thread-safe; a read waits.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

IN, OUT = 0x81, 0x01
INTERFACE = 0


class UsbFailure(Exception):
    """A call failed with this number; None: the library could not say."""

    def __init__(self, number: int | None) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class UsbFaults:
    """Switches of one device."""

    no_access_until_ns: int = 0  # opening is refused until then
    kernel_driver: bool = False  # one has claimed the interface
    deaf_after_timeout: bool = False  # after a time-out nothing is read until the halt is cleared
    deaf: bool = False  # nothing is read any more, until a reset
    stalled: bool = False  # every read stalls until the halt is cleared
    stalls_again: bool = False  # clearing the halt does not help
    read_errors: deque[int | None] = field(default_factory=deque)  # the next reads fail so
    short: list[int] = field(default_factory=list)  # the next transfer comes in pieces of these sizes, the rest never


class UsbDevice:
    """One device on the bus. `hears` takes what the host sends; `reset_hook` is what a bus reset does inside."""

    def __init__(self, vendor: int, product: int, serial: str, hears: Callable[[bytes], None]) -> None:
        self.vendor, self.product, self.serial = vendor, product, serial
        self.hears = hears
        self.reset_hook: Callable[[], None] = lambda: None
        self.address = 0  # 0: not plugged in
        self.faults = UsbFaults()
        self.out_of_step = False
        self.claimed_by = 0
        self.waiting: deque[bytes] = deque()
        self.resets = 0


class UsbBus:
    """What libusb sees."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._devices: list[UsbDevice] = []
        self._handles: dict[int, tuple[str, UsbDevice, int]] = {}  # client, device, its address when opened
        self._next_address = self._next_handle = 1
        self.calls: list[tuple[str, int]] = []  # every call and the handle it used

    # --- hands

    def plug(self, device: UsbDevice) -> None:
        """The plug goes in; the device appears under a new address."""
        with self.changed:
            if device not in self._devices:
                self._devices.append(device)
            if not device.address:
                self._renumber(device)

    def unplug(self, device: UsbDevice) -> None:
        """The plug is pulled: every handle is dead at once."""
        with self.changed:
            device.address = 0
            device.claimed_by = 0
            device.waiting.clear()
            self.changed.notify_all()

    def _renumber(self, device: UsbDevice) -> None:
        device.address, device.claimed_by, device.out_of_step = self._next_address, 0, False
        self._next_address += 1
        device.waiting.clear()
        self.changed.notify_all()

    def send(self, device: UsbDevice, data: bytes) -> None:
        """The device has bytes for the host; lost while nobody has claimed it."""
        with self.changed:
            if not data or not device.claimed_by:
                return
            short, device.faults.short = device.faults.short, []
            if short:
                cut = [0, *(sum(short[: n + 1]) for n in range(len(short)))]
                device.waiting.extend(data[a:b] for a, b in itertools.pairwise(cut))
            else:
                device.waiting.append(data)
            self.changed.notify_all()

    def gone(self, client: str) -> None:
        """A process has ended: what it held is given back."""
        with self.changed:
            for handle in [h for h, (owner, _, _) in self._handles.items() if owner == client]:
                self._close(handle)

    # --- the library's calls

    def enumerate(self) -> list[tuple[int, int, int]]:
        """Address, vendor and product of everything that is plugged in."""
        with self.changed:
            return [(d.address, d.vendor, d.product) for d in self._devices if d.address]

    def open(self, client: str, address: int) -> int:
        """A handle."""
        with self.changed:
            device = next((d for d in self._devices if d.address == address), None)
            if device is None:
                raise UsbFailure(errno.ENODEV)
            if time.monotonic_ns() < device.faults.no_access_until_ns:
                raise UsbFailure(errno.EACCES)
            handle, self._next_handle = self._next_handle, self._next_handle + 1
            self._handles[handle] = (client, device, address)
            return handle

    def close(self, handle: int) -> None:
        """The handle ends, and its claim."""
        with self.changed:
            self._close(handle)

    def _close(self, handle: int) -> None:
        found = self._handles.pop(handle, None)
        if found is not None and found[1].claimed_by == handle:
            found[1].claimed_by = 0

    def _device(self, handle: int, call: str) -> UsbDevice:
        self.calls.append((call, handle))
        _, device, address = self._handles.get(handle, ("", None, 0))
        if device is None or device.address != address:
            raise UsbFailure(errno.ENODEV)
        return device

    def string(self, handle: int) -> str:
        """The serial number's descriptor."""
        with self.changed:
            return self._device(handle, "string").serial

    def claim(self, handle: int) -> None:
        """The interface is this handle's alone."""
        with self.changed:
            device = self._device(handle, "claim")
            if device.faults.kernel_driver or device.claimed_by not in (0, handle):
                raise UsbFailure(errno.EBUSY)
            device.claimed_by = handle
            device.waiting.clear()

    def release(self, handle: int) -> None:
        """The other way."""
        with self.changed:
            device = self._device(handle, "release")
            device.claimed_by = 0

    def kernel_driver(self, handle: int) -> bool:
        """Has the kernel taken the interface?"""
        with self.changed:
            return self._device(handle, "kernel_driver").faults.kernel_driver

    def detach(self, handle: int) -> None:
        """The kernel lets go."""
        with self.changed:
            self._device(handle, "detach").faults.kernel_driver = False

    def write(self, handle: int, data: bytes) -> int:
        """A bulk transfer to the device."""
        with self.changed:
            device = self._device(handle, "write")
            if device.claimed_by != handle:
                raise UsbFailure(errno.EBUSY)
        device.hears(data)  # outside the lock: the device may answer at once
        return len(data)

    def read(self, handle: int, size: int, timeout_s: float) -> bytes:
        """One bulk transfer from the device; at most `size` bytes."""
        until = time.monotonic() + timeout_s
        with self.changed:
            while True:
                device = self._device(handle, "read")
                self._fail(device)
                hears = not (device.faults.deaf or device.out_of_step)
                if device.waiting and hears:
                    data = device.waiting.popleft()
                    if len(data) > size:
                        device.waiting.appendleft(data[size:])
                    return data[:size]
                left = until - time.monotonic()
                if left <= 0:
                    device.out_of_step = device.faults.deaf_after_timeout
                    raise UsbFailure(errno.ETIMEDOUT)
                self.changed.wait(left)

    @staticmethod
    def _fail(device: UsbDevice) -> None:
        if device.faults.stalled:
            raise UsbFailure(errno.EPIPE)
        if device.faults.read_errors:
            raise UsbFailure(device.faults.read_errors.popleft())

    def clear_halt(self, handle: int, endpoint: int) -> None:
        """Both ends of the endpoint begin anew."""
        with self.changed:
            device = self._device(handle, "clear_halt")
            if endpoint == IN:
                device.out_of_step = False
                device.faults.stalled = device.faults.stalled and device.faults.stalls_again

    def reset(self, handle: int) -> None:
        """The device begins anew under another address: this handle is dead."""
        with self.changed:
            device = self._device(handle, "reset")
            device.faults.deaf = device.faults.stalled = device.faults.stalls_again = False
            device.resets += 1
            self._renumber(device)
        with contextlib.suppress(UsbFailure):
            device.reset_hook()

    def wait(self, wanted: Callable[[], bool], timeout_s: float) -> bool:
        """Until something on the bus is so."""
        with self.changed:
            return self.changed.wait_for(wanted, timeout_s)
