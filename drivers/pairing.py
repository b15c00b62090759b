"""A sealed device on a line, and the exchange that gives it a key (docs/protocol.md, section 11). Sans-I/O.

Owns the line while people pair: the device's driver sees a closed port until the exchange is over. Never pairs unasked;
keeps the new key only in its seal and in one event that shows it to nobody.
"""

from __future__ import annotations

from drivers.events import DeviceEvent, DeviceFault, DevicePaired
from drivers.ports import Device
from drivers.wire.framing import DELIMITER
from drivers.wire.link import Link, Side
from drivers.wire.messages import Pair, Paired
from drivers.wire.pacing import MS, REPEAT_NS
from drivers.wire.pairing import key_of, public_of
from drivers.wire.session import Entropy, HostSeal, key_id

OPEN_NS = 60_000 * MS


class Pairable:
    """Stands between the loop and a device's driver; passes everything through while nobody pairs."""

    def __init__(self, device: Device, seal: HostSeal, entropy: Entropy) -> None:
        self._device, self._seal, self._entropy = device, seal, entropy
        self._open = False
        self._private: bytes | None = None  # while people pair
        self._until_ns = self._ask_ns = 0
        self._link = Link(Side.HOST)
        self._out = bytearray()

    @property
    def name(self) -> str:
        """Of the device, in every event."""
        return self._device.name

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due."""
        return self._device.next_tick_ns if self._private is None else min(self._ask_ns, self._until_ns)

    def pair(self, now_ns: int) -> list[DeviceEvent]:
        """Two people have asked for it: the line is the exchange's until it succeeds, or for a minute."""
        if not self._open:
            return [self._fault("the port is closed")]
        lost = self._device.closed("pairing", now_ns) if self._private is None else []
        self._private = self._entropy(32)
        self._until_ns = now_ns + OPEN_NS
        self._link.reset()
        self._out = bytearray(self._device.outgoing() + DELIMITER * 8)
        self._ask(now_ns)
        return lost

    def revoke(self, now_ns: int) -> list[DeviceEvent]:
        """Two people have taken the key back: nothing is believed until the next pairing."""
        self._private = None
        self._seal.rekey(None)
        lost = self._device.closed("the key was taken back", now_ns)
        return [*lost, *(self._device.opened(now_ns) if self._open else [])]

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open. A device that is not paired may say nothing that we could hear, so it is told here."""
        self._open = True
        told = (
            [] if self._seal.paired else [DeviceFault(self.name, "unpaired", "this table has no key for it: pair it")]
        )
        return [*told, *self._device.opened(now_ns)]

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone; a pairing under way has failed."""
        self._open = False
        failed = [self._fault(reason)] if self._private is not None else []
        self._private = None
        return [*failed, *self._device.closed(reason, now_ns)]

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        if self._private is None:
            return self._device.receive(data, now_ns)
        for item in self._link.receive(data):
            key = key_of(self._private, item) if isinstance(item, Paired) else None
            if key is not None and isinstance(item, Paired):
                return self._paired(item, key, now_ns)
        return []

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """Time passed."""
        if self._private is None:
            return self._device.tick(now_ns)
        if now_ns >= self._until_ns:
            self._private = None
            return [self._fault("no device answered in 60 s: open pairing on it, then try again"), *self._again(now_ns)]
        if now_ns >= self._ask_ns:
            self._ask(now_ns)
        return []

    def outgoing(self) -> bytes:
        """The bytes to write since the last call."""
        data, self._out = bytes(self._out), bytearray()
        return data if self._private is not None else data + self._device.outgoing()

    def _ask(self, now_ns: int) -> None:
        assert self._private is not None
        self._ask_ns = now_ns + REPEAT_NS
        self._out += self._link.send(Pair(public_of(self._private)), fresh=True)

    def _paired(self, said: Paired, key: bytes, now_ns: int) -> list[DeviceEvent]:
        self._private = None
        self._seal.rekey(key)
        done = DevicePaired(self.name, said.model, said.serial, said.firmware, key_id(key), key)
        return [done, *self._again(now_ns)]

    def _again(self, now_ns: int) -> list[DeviceEvent]:
        self._out.clear()
        return self._device.opened(now_ns)

    def _fault(self, detail: str) -> DeviceFault:
        return DeviceFault(self.name, "pairing", detail)
