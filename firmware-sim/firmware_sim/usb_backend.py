"""pyusb backend `firmware_sim`: the daemon's USB bus lies on the bench, over a Unix socket beside the pins' one.

Runs inside the daemon's process; FIRMWARE_SIM_SOCKET names the pins' socket. Decides nothing: calls go to the bench,
answers and error numbers come back. Without the bench no device is there, as with an empty bus.
"""

from __future__ import annotations

import array
import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from firmware_sim.usb_bus import IN, INTERFACE, OUT, UsbFailure
from firmware_sim.usb_link import UsbCalls, UsbLink

SOCKET_VARIABLE = "FIRMWARE_SIM_SOCKET"
SOCKET_NAME = "usb.sock"
SERIAL_INDEX = 3
PACKET = 64


def get_backend() -> SimBackend:
    """The entry point."""
    pins = os.environ.get(SOCKET_VARIABLE, "gpio.sock")
    return SimBackend(UsbLink(Path(pins).with_name(SOCKET_NAME)))


class SimBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb ships no types
    """What pyusb asks of a backend, as far as a bulk device needs it."""

    def __init__(self, bus: UsbCalls) -> None:
        self._bus = bus

    def _call(self, name: str, *args: Any) -> Any:
        try:
            return self._bus.call(name, *args)
        except UsbFailure as failure:
            kind = usb.core.USBTimeoutError if failure.number == errno.ETIMEDOUT else usb.core.USBError
            raise kind("simulated", failure.number, failure.number) from None

    # --- what is there

    def enumerate_devices(self) -> list[tuple[int, int, int]]:
        return [tuple(found) for found in self._call("enumerate")]

    def get_parent(self, dev: Any) -> None:
        return None

    def get_device_descriptor(self, dev: tuple[int, int, int]) -> SimpleNamespace:
        address, vendor, product = dev
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=vendor, idProduct=product, bcdDevice=0x100, iManufacturer=0, iProduct=0,
            iSerialNumber=SERIAL_INDEX, bNumConfigurations=1, address=address, bus=1, port_number=1,
            port_numbers=(1,), speed=3,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: Any, config: int) -> SimpleNamespace:
        if config:
            raise IndexError(config)
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=1, bConfigurationValue=1, iConfiguration=0,
            bmAttributes=0x80, bMaxPower=50, extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: Any, intf: int, alt: int, config: int) -> SimpleNamespace:
        if intf or alt or config:
            raise IndexError(intf)
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=INTERFACE, bAlternateSetting=0, bNumEndpoints=2,
            bInterfaceClass=0xFF, bInterfaceSubClass=0, bInterfaceProtocol=0, iInterface=0, extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: Any, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=(IN, OUT)[ep], bmAttributes=2, wMaxPacketSize=PACKET,
            bInterval=0, bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    # --- a handle

    def open_device(self, dev: tuple[int, int, int]) -> int:
        return int(self._call("open", dev[0]))

    def close_device(self, dev_handle: int) -> None:
        self._call("close", dev_handle)

    def set_configuration(self, dev_handle: int, config_value: int) -> None:
        self._call("string", dev_handle)  # there is but one; a dead handle is told

    def get_configuration(self, dev_handle: int) -> int:
        self._call("string", dev_handle)
        return 1

    def claim_interface(self, dev_handle: int, intf: int) -> None:
        self._call("claim", dev_handle)

    def release_interface(self, dev_handle: int, intf: int) -> None:
        self._call("release", dev_handle)

    def is_kernel_driver_active(self, dev_handle: int, intf: int) -> bool:
        return bool(self._call("kernel_driver", dev_handle))

    def detach_kernel_driver(self, dev_handle: int, intf: int) -> None:
        self._call("detach", dev_handle)

    def clear_halt(self, dev_handle: int, ep: int) -> None:
        self._call("clear_halt", dev_handle, ep)

    def reset_device(self, dev_handle: int) -> None:
        self._call("reset", dev_handle)

    # --- transfers

    def bulk_write(self, dev_handle: int, ep: int, intf: int, data: Any, timeout: int) -> int:
        return int(self._call("write", dev_handle, bytes(data)))

    def bulk_read(self, dev_handle: int, ep: int, intf: int, buff: Any, timeout: int) -> int:
        data = self._call("read", dev_handle, len(buff) * buff.itemsize, timeout / 1000)
        buff[: len(data)] = array.array("B", data)
        return len(data)

    def ctrl_transfer(
        self, dev_handle: int, bm_request_type: int, b_request: int, w_value: int, w_index: int, data: Any, timeout: int
    ) -> int:
        """String descriptors only: which languages there are, and the serial number."""
        text = self._call("string", dev_handle).encode("utf-16-le") if w_value & 0xFF else b"\x09\x04"
        told = bytes([len(text) + 2, 3]) + text
        data[: len(told)] = array.array("B", told)
        return len(told)
