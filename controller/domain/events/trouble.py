"""What goes wrong, and what devices say of themselves."""

from __future__ import annotations

from controller.domain.events.base import Event


class Irregularity(Event, frozen=True, kw_only=True, tag=True):
    """Play holds until somebody with authority decides. `cause` is a word of state.Cause."""

    cause: str
    place: str = ""
    box: int = 0


class Resumed(Event, frozen=True, kw_only=True, tag=True):
    """The irregularity is resolved; play goes on in the phase that was held."""

    cause: str
    phase: str


class FaultRaised(Event, frozen=True, kw_only=True, tag=True):
    """The table stopped with a reason and a next step."""

    cause: str
    detail: str


class FaultReset(Event, frozen=True, kw_only=True, tag=True):
    """The cause is gone and the right person said so."""

    cause: str
    phase: str


class DeviceUp(Event, frozen=True, kw_only=True, tag=True):
    """A device introduced itself. `sealed`: it proved its key; what it says until it is gone cannot be forged."""

    device: str
    model: str
    serial: str
    firmware: str
    boot_id: str
    log_last: int = 0
    sealed: bool = False


class ShoeAdopted(Event, frozen=True, kw_only=True, tag=True):
    """People decided that the shoe's log goes on after this number (another shoe, a log that began anew)."""

    event_no: int


class CardsSwitched(Event, frozen=True, kw_only=True, tag=True):
    """People decided how cards are followed from now on: `cards` is a word of state.CardSource."""

    cards: str
    reason: str


class PairingAsked(Event, frozen=True, kw_only=True, tag=True):
    """Two people let a device have a new key; the exchange on its line begins."""

    device: str
    operators: tuple[str, ...]


class DevicePaired(Event, frozen=True, kw_only=True, tag=True):
    """A device and this table have a new key. `key_id` names it and tells nothing of it."""

    device: str
    model: str
    serial: str
    firmware: str
    key_id: str
    operators: tuple[str, ...]


class DeviceUnpaired(Event, frozen=True, kw_only=True, tag=True):
    """Two people had the table's key of a device destroyed."""

    device: str
    operators: tuple[str, ...]


class DeviceDown(Event, frozen=True, kw_only=True, tag=True):
    """A device is gone or silent."""

    device: str
    reason: str


class JournalDegraded(Event, frozen=True, kw_only=True, tag=True):
    """No new hand starts: a copy of the journal takes no write (or its disk is full). The open hand goes on.

    `copy` is main, mirror, disk, chain or witness. With main, this record is the first that only the mirror has.
    """

    copy: str
    fault: str


class JournalRestored(Event, frozen=True, kw_only=True, tag=True):
    """What JournalDegraded said is over: both copies are level again."""

    copy: str


class JournalRepaired(Event, frozen=True, kw_only=True, tag=True):
    """At the start one copy was made anew, or filled up, from the other, or the witness begun (`copy`, `why`).

    `aside` is where the bad file lies now.
    """

    copy: str
    why: str
    aside: str = ""


class MachineFailing(Event, frozen=True, kw_only=True, tag=True):
    """No new hand starts: the machine's supply or heat (`fault`) has been wrong for a minute. The open hand goes on."""

    fault: str


class MachineWell(Event, frozen=True, kw_only=True, tag=True):
    """What MachineFailing said has not been seen for a minute."""


class ClockStepped(Event, frozen=True, kw_only=True, tag=True):
    """The wall clock jumped by more than a second (`step_ms`), or came to stand before the journal's last time, or not.

    `behind`: that last time while the clock stands before it, else empty.
    """

    before: str
    now: str
    step_ms: int
    behind: str


class DeviceTroubled(Event, frozen=True, kw_only=True, tag=True):
    """A device or input misbehaves but may still serve."""

    device: str
    code: str
    detail: str
