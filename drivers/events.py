"""What ports and devices say. Frozen facts with a monotonic time in nanoseconds; no game, no clock of their own.

Everything here travels through the daemon's inbox from a pump, edge or output thread to the loop thread.
"""

from __future__ import annotations

import msgspec

PAIRING, KEY_TAKEN_BACK = "pairing", "the key was taken back"
BY_PEOPLE = (PAIRING, KEY_TAKEN_BACK)
"""Why a device is lost by an act of people, which is no failure of it."""


class PortOpened(msgspec.Struct, frozen=True):
    """A pump opened its port."""

    port: str
    t_ns: int


class PortBytes(msgspec.Struct, frozen=True):
    """Bytes as they came, in any cut."""

    port: str
    data: bytes
    t_ns: int

    def __repr__(self) -> str:
        # Bytes of a card reader may hold a face-down card: no log or crash dump shows them.
        return f"PortBytes(port={self.port!r}, {len(self.data)} bytes)"


class PortClosed(msgspec.Struct, frozen=True):
    """The port is gone or could not be opened; the pump tries again by itself. `attempt` counts failures in a row."""

    port: str
    reason: str
    attempt: int
    t_ns: int


class DeviceReady(msgspec.Struct, frozen=True):
    """A device has introduced itself. `log_first..log_last`: event numbers that it still keeps (0, 0: none)."""

    device: str
    model: str
    serial: str
    firmware: str
    boot_id: str
    log_first: int
    log_last: int
    sealed: bool = False  # it proved its key; everything it says is sealed


class DevicePaired(msgspec.Struct, frozen=True):
    """A device and this table have a new common key. Whoever takes this event puts the key on disk and nowhere else."""

    device: str
    model: str
    serial: str
    firmware: str
    key_id: str
    key: bytes

    def __repr__(self) -> str:
        return f"DevicePaired(device={self.device!r}, serial={self.serial!r}, key_id={self.key_id!r}, key=**)"


class DeviceLost(msgspec.Struct, frozen=True):
    """A device no longer answers, or its port is gone."""

    device: str
    reason: str


class CardRead(msgspec.Struct, frozen=True):
    """One card left the shoe. `card` is None when the reader could not tell (`reason` says why).

    `trusted`: the device has proved who it is; a plain reader cannot.
    """

    device: str
    event_no: int
    card: str | None
    reason: str = ""
    trusted: bool = True

    def __repr__(self) -> str:
        return f"CardRead(device={self.device!r}, event_no={self.event_no}, card=**)"


class TrayRead(msgspec.Struct, frozen=True):
    """A card went into the discard tray; "??" if it could not be read."""

    device: str
    card: str

    def __repr__(self) -> str:
        return f"TrayRead(device={self.device!r}, card=**)"


class BadgeRead(msgspec.Struct, frozen=True):
    """Somebody has shown a badge."""

    device: str
    badge: str

    def __repr__(self) -> str:
        return f"BadgeRead(device={self.device!r}, badge=**)"


class DoubtfulRead(msgspec.Struct, frozen=True):
    """A reader without a log may have missed or garbled cards; how many, nobody can tell.

    `reason`: away (its port was closed), unknown_code, unfinished, too_long, overflow. `raw`: the first bytes, as hex.
    """

    device: str
    event_no: int
    reason: str
    raw: str

    def __repr__(self) -> str:
        return f"DoubtfulRead(device={self.device!r}, event_no={self.event_no}, reason={self.reason!r}, raw=**)"


class DeviceNote(msgspec.Struct, frozen=True):
    """A numbered event that is not a card: lid_open, lid_closed, deck_loaded, jam, double_feed, shoe_empty, ..."""

    device: str
    event_no: int
    kind: str
    detail: str = ""


class DeckTold(msgspec.Struct, frozen=True):
    """What a shuffler says of a deck: deck_in, shuffle_started, shuffle_done, shuffle_failed, deck_out.

    Numbers and the deck's mark, never a card. `doubles`: cards that equal another one; `unread`: of no known face.
    """

    device: str
    event_no: int
    kind: str
    deck: str
    count: int = 0
    doubles: int = 0
    unread: int = 0
    reason: str = ""


class EventsLost(msgspec.Struct, frozen=True):
    """The device no longer has these events (both ends included). Nobody knows them; never guess."""

    device: str
    first: int
    last: int


class DeviceFault(msgspec.Struct, frozen=True):
    """A device or link misbehaves. `code` is a short stable word (wrong_device, noise, protocol, inhibited, ...)."""

    device: str
    code: str
    detail: str


class Edge(msgspec.Struct, frozen=True):
    """A raw level change of an input pin, before debouncing. `active` is the logical level."""

    name: str
    active: bool
    t_ns: int


class ButtonEdge(msgspec.Struct, frozen=True):
    """A debounced press or release."""

    name: str
    pressed: bool
    t_ns: int


class ButtonFault(msgspec.Struct, frozen=True):
    """An input that is held or stuck at boot, or chatters without end. It is dead until it is seen released."""

    name: str
    reason: str


class BoardReport(msgspec.Struct, frozen=True):
    """The board's answer to one frame: right only if the read-back equals the frame and no lamp is open or short.

    `sensors`: bit 0 = box 1, 1 = chip seen; None where the answer did not come whole.
    """

    sequence: int
    ok: bool
    detail: str
    sensors: int | None
    t_ns: int


class SensorLevels(msgspec.Struct, frozen=True):
    """What the bet sensors say, whole: boxes with a chip, and boxes whose sensor tells nothing. All others are free."""

    chips: tuple[int, ...]
    unknown: tuple[int, ...]
    t_ns: int


DeviceEvent = (
    DeviceReady
    | DevicePaired
    | DeviceLost
    | CardRead
    | DoubtfulRead
    | BadgeRead
    | TrayRead
    | DeviceNote
    | DeckTold
    | EventsLost
    | DeviceFault
)
PortEvent = PortOpened | PortBytes | PortClosed
