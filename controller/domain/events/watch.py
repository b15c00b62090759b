"""What the table watches beside the cards: bet sensors, doors, lamps, and the alarms that somebody must answer."""

from __future__ import annotations

from typing import ClassVar

from controller.domain.events.base import Event


class SensorsRead(Event, frozen=True, kw_only=True, tag=True):
    """The bet sensors, whole: boxes with a chip, and boxes whose sensor tells nothing. All others are free."""

    chips: tuple[int, ...]
    unknown: tuple[int, ...]


class LateBet(Event, frozen=True, kw_only=True, tag=True):
    """A chip came onto the bet sensor after LOCK: it does not count."""

    box: int


class LateBetReturned(Event, frozen=True, kw_only=True, tag=True):
    """The late chip was taken away again."""

    box: int


class SideBetLifted(Event, frozen=True, kw_only=True, tag=True):
    """The chip of a side bet that LOCK has fixed left its sensor before the box was done with. The bet stands."""

    box: int


class DoorOpened(Event, frozen=True, kw_only=True, tag=True):
    """A door of the table: enclosure, or the shoe's lid. `effect`: finish_hand or stop_now, as it was set."""

    door: str
    effect: str


class DoorClosed(Event, frozen=True, kw_only=True, tag=True):
    """It is shut again."""

    door: str


class LampTestBegun(Event, frozen=True, kw_only=True, tag=True):
    """Somebody asked for it: every lamp is lit for a moment."""


class LampsTested(Event, frozen=True, kw_only=True, tag=True):
    """What it found: nothing, or the lamps that are open or short, or a board that does not answer."""

    ok: bool
    detail: str = ""


class TrayRead(Event, frozen=True, kw_only=True, tag=True):
    """A card went into the discard tray; "??" if it could not be read. Such a reader cannot prove who it is."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"card"})
    device: str
    card: str
    trusted: bool = False


class TrayDiffers(Event, frozen=True, kw_only=True, tag=True):
    """The discard tray saw other cards than the record of hand `hand` has. The numbers allow for unknown cards."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"cards"})
    hand: int
    never_dealt: int
    twice: int
    missing: int
    cards: str


class AlarmRaised(Event, frozen=True, kw_only=True, tag=True):
    """Somebody must look into this. `code` says what, `subject` at whom or what; numbers stand in `detail`."""

    id: int
    code: str
    subject: str
    detail: str


class AlarmAnswered(Event, frozen=True, kw_only=True, tag=True):
    """Who looked into it, and what he says about it."""

    id: int
    operators: tuple[str, ...]
    reason: str
