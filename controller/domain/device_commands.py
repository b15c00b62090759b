"""The base of all commands, and those that devices and timers give through intake. No person can give one.

Frozen; a command is a wish, never a fact.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Said = Annotated[str, msgspec.Meta(max_length=200)]
"""Free text that a person gives; it stands in records and snapshots."""


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Base of all commands. `name` is the word of the control socket."""


class CardIn(Command, frozen=True, kw_only=True, tag="card_in"):
    """The shoe's event: a card, "??" if unread. Never from a person."""

    device: str
    event_no: int
    card: Said
    reason: Said = ""
    trusted: bool = True

    def __repr__(self) -> str:
        return f"CardIn(device={self.device!r}, event_no={self.event_no}, card=**)"


class DoubtIn(Command, frozen=True, kw_only=True, tag="doubt_in"):
    """A reader without a log may have missed or garbled cards. `raw`: what it printed, as hex."""

    device: str
    event_no: int
    reason: Said
    raw: Said

    def __repr__(self) -> str:
        return f"DoubtIn(device={self.device!r}, event_no={self.event_no}, reason={self.reason!r}, raw=**)"


class NoteIn(Command, frozen=True, kw_only=True, tag="note_in"):
    """A numbered event of a device that is not a card."""

    device: str
    event_no: int
    kind: str
    detail: str = ""


class LostIn(Command, frozen=True, kw_only=True, tag="lost_in"):
    """The device no longer has these events."""

    device: str
    first: int
    last: int


class DeviceIn(Command, frozen=True, kw_only=True, tag="device_in"):
    """A device introduced itself."""

    device: str
    model: str
    serial: str
    firmware: str
    boot_id: str
    log_last: int = 0
    sealed: bool = False


class PairedIn(Command, frozen=True, kw_only=True, tag="paired_in"):
    """A device has a new key, which is on disk. `operators` asked for it."""

    device: str
    model: str
    serial: str
    firmware: str
    key_id: str
    operators: tuple[str, ...]


class DeviceOut(Command, frozen=True, kw_only=True, tag="device_out"):
    """A device is gone."""

    device: str
    reason: Said


class TroubleIn(Command, frozen=True, kw_only=True, tag="trouble_in"):
    """A device or input misbehaves."""

    device: str
    code: str
    detail: str


class TrayIn(Command, frozen=True, kw_only=True, tag="tray_in"):
    """A card went into the discard tray, "??" if unread."""

    device: str
    card: Said

    def __repr__(self) -> str:
        return f"TrayIn(device={self.device!r}, card=**)"


class ShowBadge(Command, frozen=True, kw_only=True, tag="show_badge"):
    """Somebody has shown his badge: he signs on, or off."""


class BoardShows(Command, frozen=True, kw_only=True, tag="board_shows"):
    """The board's read-back of a frame that held the joker was right."""


class BoardFails(Command, frozen=True, kw_only=True, tag="board_fails"):
    """The board's read-back was wrong."""

    detail: str


class DoorIn(Command, frozen=True, kw_only=True, tag="door_in"):
    """A door's contact: enclosure, or the shoe's lid."""

    door: str
    open: bool


class LampsIn(Command, frozen=True, kw_only=True, tag="lamps_in"):
    """What a lamp test found; `detail` names the lamps that are open or short."""

    ok: bool
    detail: str = ""


class SensorsIn(Command, frozen=True, kw_only=True, tag="sensors_in"):
    """The bet sensors say this, whole: boxes with a chip; boxes whose sensor tells nothing."""

    chips: tuple[int, ...]
    unknown: tuple[int, ...]


class TimeOut(Command, frozen=True, kw_only=True, tag="time_out"):
    """STOP was not pressed in time."""
