"""A sealed device on a line, and the exchange that gives it a key (docs/protocol.md, section 11). Sans-I/O.

Owns the line while people pair: the device's driver sees a closed port until the exchange is over, however often the
port itself closes and opens meanwhile. Never pairs unasked; keeps the new key only in its seal and in one event that
shows it to nobody.
"""

from __future__ import annotations

from drivers.events import KEY_TAKEN_BACK, PAIRING, DeviceEvent, DeviceFault, DevicePaired
from drivers.ports import Device
from drivers.wire.framing import DELIMITER
from drivers.wire.link import Link, Side
from drivers.wire.messages import Pair, Paired
from drivers.wire.pacing import MS, REPEAT_NS
from drivers.wire.pairing import key_of, public_of
from drivers.wire.session import Entropy, HostSeal, key_id

OPEN_NS = 60_000 * MS
UNPAIRED = "unpaired"


class Pairable:
    """Stands between the loop and a device's driver; passes everything through while nobody pairs."""

    def __init__(self, device: Device, seal: HostSeal, entropy: Entropy) -> None:
        self._device, self._seal, self._entropy = device, seal, entropy
        self._open = self._unpaired_told = False
        self._closed_why = "the port is closed"
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
        if self._private is None:
            return self._device.next_tick_ns
        return min(self._ask_ns, self._until_ns) if self._open else self._until_ns

    def pair(self, now_ns: int) -> list[DeviceEvent]:
        """Two people have asked for it: the line is the exchange's until it succeeds, or for a minute."""
        lost = self._device.closed(PAIRING, now_ns) if self._private is None and self._open else []
        self._private = self._entropy(32)
        self._until_ns = now_ns + OPEN_NS
        if self._open:
            self._begin(now_ns)
        return lost

    def revoke(self, now_ns: int) -> list[DeviceEvent]:
        """Two people have taken the key back: nothing is believed until the next pairing."""
        self._private = None
        self._seal.rekey(None)
        lost = self._device.closed(KEY_TAKEN_BACK, now_ns)
        return [*lost, *(self._device.opened(now_ns) if self._open else [])]

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open. A device that is not paired may say nothing that we could hear, so it is told here."""
        self._open = True
        if self._private is not None:
            self._begin(now_ns)
            return []
        told = [] if self._seal.paired else [DeviceFault(self.name, UNPAIRED, "this table has no key for it: pair it")]
        return self._once([*told, *self._device.opened(now_ns)])

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone. A pairing under way goes on when it is back: a device that nobody hears is reset."""
        self._open, self._closed_why = False, reason
        self._out.clear()
        return self._device.closed(reason, now_ns) if self._private is None else []

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        if self._private is None:
            return self._once(self._device.receive(data, now_ns))
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
            return [self._failed(), *self._again(now_ns)]
        if self._open and now_ns >= self._ask_ns:
            self._ask(now_ns)
        return []

    def outgoing(self) -> bytes:
        """The bytes to write since the last call."""
        data, self._out = bytes(self._out), bytearray()
        return data if self._private is not None else data + self._device.outgoing()

    def _begin(self, now_ns: int) -> None:
        """Whatever stood half finished on the line is over; then the question."""
        self._link.reset()
        self._out = bytearray(self._device.outgoing() + DELIMITER * 8)
        self._ask(now_ns)

    def _ask(self, now_ns: int) -> None:
        assert self._private is not None
        self._ask_ns = now_ns + REPEAT_NS
        self._out += self._link.send(Pair(public_of(self._private)), fresh=True)

    def _paired(self, said: Paired, key: bytes, now_ns: int) -> list[DeviceEvent]:
        self._private, self._unpaired_told = None, False
        self._seal.rekey(key)
        done = DevicePaired(self.name, said.model, said.serial, said.firmware, key_id(key), key)
        return [done, *self._again(now_ns)]

    def _again(self, now_ns: int) -> list[DeviceEvent]:
        """The line is the device's again."""
        self._out.clear()
        return self._device.opened(now_ns) if self._open else self._device.closed(self._closed_why, now_ns)

    def _once(self, said: list[DeviceEvent]) -> list[DeviceEvent]:
        """That the table has no key is told once, however often the port opens, until there is one."""
        told: list[DeviceEvent] = []
        for event in said:
            unpaired = isinstance(event, DeviceFault) and event.code == UNPAIRED
            if not (unpaired and self._unpaired_told):
                told.append(event)
            self._unpaired_told = self._unpaired_told or unpaired
        return told

    def _failed(self) -> DeviceFault:
        why = "no device answered in 60 s: open pairing on it, then try again" if self._open else self._closed_why
        return DeviceFault(self.name, "pairing", why)
