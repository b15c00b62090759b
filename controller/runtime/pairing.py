"""What follows when people pair a device or take its key back: the exchange on its line, the key's file, the outcome.

Runs on the loop thread. A key is on disk before it is on record; it never enters a log, a snapshot or the journal.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.errors import TableError
from controller.journal.keys import remove_key, replace_key
from controller.table import intake
from drivers.events import DeviceEvent, DeviceFault, DevicePaired
from drivers.pairing import Pairable


class Sealed(msgspec.Struct, frozen=True):
    """A device that can be paired, and the file of its key."""

    device: Pairable
    key: Path


class PairingDesk:
    """The devices of this table that have keys, by name."""

    def __init__(self, devices: Mapping[str, Sealed]) -> None:
        self._devices = devices
        self._operators: dict[str, tuple[str, ...]] = {}
        self.public: dict[str, dict[str, str]] = {}  # what everybody may know of the last pairing of each

    def follow(self, asked: ev.PairingAsked | ev.DeviceUnpaired, now_ns: int) -> list[DeviceEvent]:
        """People have decided, and it is on record: what that starts on the line."""
        name = asked.device
        if name not in self._devices:
            return [DeviceFault(name, "pairing", f"{name}.key is not set in table.toml")]
        sealed = self._devices[name]
        if isinstance(asked, ev.DeviceUnpaired):
            remove_key(sealed.key)
            self.public[name] = {"state": "not paired"}
            return sealed.device.revoke(now_ns)
        self._operators[name] = asked.operators
        self.public[name] = {"state": "open"}
        return sealed.device.pair(now_ns)

    def command(self, event: DeviceEvent) -> cm.Command:
        """What a device says, for the table; a new key is on disk when this returns."""
        match event:
            case DevicePaired():
                return self._kept(event)
            case DeviceFault(code="pairing"):
                self.public[event.device] = {"state": "failed", "detail": event.detail}
        return intake.command_of(event)

    def _kept(self, event: DevicePaired) -> cm.Command:
        try:
            replace_key(self._devices[event.device].key, event.key)
        except TableError as error:
            return self.command(DeviceFault(event.device, "pairing", error.what))
        self.public[event.device] = {"state": "paired", "serial": event.serial, "key_id": event.key_id}
        return cm.PairedIn(
            device=event.device,
            model=event.model,
            serial=event.serial,
            firmware=event.firmware,
            key_id=event.key_id,
            operators=self._operators.get(event.device, ()),
        )
