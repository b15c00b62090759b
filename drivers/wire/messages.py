"""Messages of the device protocol (docs/protocol.md, sections 3 and 4): frozen structs <-> header and body.

Strict in both directions: a value that the page does not list raises ProtocolError, here and when a struct is made.
Used by host and device alike. Never shows a card: an event's repr hides its value.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

import msgspec

from drivers.wire import decks
from drivers.wire.cards import CARD_TEXT

VERSION = 1
CLEAR = 0  # the security byte; 1 is reserved for sealed sessions
AGAIN = 1  # the only flag
COUNT_UNKNOWN = 0xFFFF
FIRST_NOTE = 0x10  # kinds below tell of cards; from here on an unlisted kind is a note of a later page or of a maker
LAST_KIND = 0xFF
MAX_DETAIL = 16
PUBLIC_BYTES = 32
PROOF_BYTES = 32


class ProtocolError(ValueError):
    """A frame with a right CRC that breaks a rule of the page. The text never holds a card."""


class CardState(IntEnum):
    """Where a card is while the device introduces itself."""

    NONE = 0
    IN_THROAT = 1
    HALF_DRAWN = 2
    UNKNOWN = 3


class EventKind(IntEnum):
    """What happened at the device; from DECK_IN on at a shuffler only."""

    CARD = 0x01
    CARD_UNREAD = 0x02
    DECK_LOADED = 0x10
    LID_OPEN = 0x11
    LID_CLOSED = 0x12
    JAM = 0x13
    DOUBLE_FEED = 0x14
    EMPTY = 0x15
    CUT_CARD = 0x16
    DECK_IN = 0x17
    SHUFFLE_STARTED = 0x18
    SHUFFLE_DONE = 0x19
    SHUFFLE_FAILED = 0x1A
    DECK_OUT = 0x1B


class UnreadReason(IntEnum):
    """Why a card could not be read."""

    NO_CODE = 1
    UNCLEAR = 2
    TOO_FAST = 3
    FOREIGN = 4
    SENSOR = 5


class Result(IntEnum):
    """What became of a command."""

    DONE = 0
    LID_OPEN = 1
    JAM = 2
    LOG_FULL = 3
    REFUSED = 4


def require(right: bool, what: str) -> None:
    if not right:
        raise ProtocolError(what)


def _unsigned(value: int, bits: int, name: str, least: int = 0) -> None:
    require(least <= value < 1 << bits, f"{name} {value} out of range")


def _texts(*texts: str) -> None:
    for text in texts:
        fits = 1 <= len(text) <= 32 and all(" " <= letter <= "~" for letter in text)
        require(fits, "a text is not 1 to 32 printable characters")


class HelloAsk(msgspec.Struct, frozen=True):
    """Host: who are you? A new nonce begins a session."""

    TYPE: ClassVar[int] = 0x01
    nonce: int

    def __post_init__(self) -> None:
        _unsigned(self.nonce, 64, "nonce", 1)


class Poll(msgspec.Struct, frozen=True):
    """Host: heartbeat, with the last event number on disk."""

    TYPE: ClassVar[int] = 0x02
    poll_no: int
    acked: int

    def __post_init__(self) -> None:
        _unsigned(self.poll_no, 32, "poll_no", 1)
        _unsigned(self.acked, 64, "acked")


class Ack(msgspec.Struct, frozen=True):
    """Host: every event up to this one is on disk."""

    TYPE: ClassVar[int] = 0x03
    event_no: int

    def __post_init__(self) -> None:
        _unsigned(self.event_no, 64, "event_no", 1)


class Resend(msgspec.Struct, frozen=True):
    """Host: send again from this number onwards."""

    TYPE: ClassVar[int] = 0x04
    from_no: int

    def __post_init__(self) -> None:
        _unsigned(self.from_no, 64, "from_no", 1)


class DealEnable(msgspec.Struct, frozen=True):
    """Host: may cards be drawn?"""

    TYPE: ClassVar[int] = 0x05
    command_id: int
    level: int

    def __post_init__(self) -> None:
        _unsigned(self.command_id, 32, "command_id", 1)
        require(self.level in (0, 1), f"level {self.level}")


class Shuffle(msgspec.Struct, frozen=True):
    """Host, to a shuffler: shuffle and count this deck, which lies in the machine."""

    TYPE: ClassVar[int] = 0x06
    command_id: int
    deck: str

    def __post_init__(self) -> None:
        _unsigned(self.command_id, 32, "command_id", 1)
        require(decks.is_mark(self.deck), "a deck's mark is not 1 to 12 letters, digits or -")


class Pair(msgspec.Struct, frozen=True):
    """Host: make a common key with me. `public` is the host's X25519 half; always in clear."""

    TYPE: ClassVar[int] = 0x07
    public: bytes

    def __post_init__(self) -> None:
        require(len(self.public) == PUBLIC_BYTES, "public is not 32 bytes")


class Hello(msgspec.Struct, frozen=True):
    """Device: who I am, what my log holds, where a card is. Nonce 0: ask me.

    `acked`: the highest number that any host has ever acknowledged; None where the device does not say.
    """

    TYPE: ClassVar[int] = 0x81
    nonce: int
    boot_id: bytes
    log_first: int
    log_last: int
    card: CardState
    model: str
    serial: str
    firmware: str
    acked: int | None = None

    def __post_init__(self) -> None:
        _unsigned(self.nonce, 64, "nonce")
        require(self.acked is None or 0 <= self.acked <= self.log_last, "acked is above log_last")
        require(len(self.boot_id) == 8, "boot_id is not 8 bytes")
        _unsigned(self.log_first, 64, "log_first")
        _unsigned(self.log_last, 64, "log_last")
        nothing = self.log_first == self.log_last == 0
        require(nothing or 1 <= self.log_first <= self.log_last + 1, "log_first and log_last do not fit")
        _texts(self.model, self.serial, self.firmware)


class Status(msgspec.Struct, frozen=True):
    """Device: the answer to a poll."""

    TYPE: ClassVar[int] = 0x82
    poll_no: int
    log_last: int
    deal: int
    frames: int = 0
    noise: int = 0
    again: int = 0

    def __post_init__(self) -> None:
        _unsigned(self.poll_no, 32, "poll_no", 1)
        _unsigned(self.log_last, 64, "log_last")
        require(self.deal in (0, 1), f"deal {self.deal}")
        for count in (self.frames, self.noise, self.again):
            _unsigned(count, 32, "a counter")


def _deck_detail(kind: int, detail: bytes) -> None:
    try:
        decks.unpack(kind, detail)
    except ValueError as error:
        raise ProtocolError(str(error)) from None


class Event(msgspec.Struct, frozen=True):
    """Device: something happened. `value` is the card's code, the reason or the count, as the kind says; else 0.

    A kind that is not listed is a note, never a card; `detail` holds its bytes, which nobody here reads. For a
    shuffler's events it is what drivers.wire.decks reads.
    """

    TYPE: ClassVar[int] = 0x83
    event_no: int
    kind: EventKind | int
    value: int = 0
    again: bool = False
    detail: bytes = b""

    def __post_init__(self) -> None:
        _unsigned(self.event_no, 64, "event_no", 1)
        listed = self.kind in EventKind.__members__.values()
        require(listed or FIRST_NOTE <= self.kind <= LAST_KIND, f"unknown kind of event {self.kind:02x}")
        if self.kind in decks.LAYOUTS:
            _deck_detail(self.kind, self.detail)
        else:
            require(len(self.detail) <= (0 if listed else MAX_DETAIL), "wrong length")
        match self.kind:
            case EventKind.CARD:
                # The raw byte may be shown: it is not a card.
                require(0 <= self.value < len(CARD_TEXT), f"unknown card code: {self.value:02x}")
            case EventKind.CARD_UNREAD:
                require(1 <= self.value <= len(UnreadReason), f"unknown reason {self.value}")
            case EventKind.DECK_LOADED:
                _unsigned(self.value, 16, "count")
            case _:
                require(self.value == 0, "this kind of event has no value")

    def __repr__(self) -> str:
        kind = self.kind.name if isinstance(self.kind, EventKind) else f"{self.kind:02x}"
        return f"Event(event_no={self.event_no}, kind={kind}, value=**, again={self.again})"


class Lost(msgspec.Struct, frozen=True):
    """Device: these events are gone."""

    TYPE: ClassVar[int] = 0x84
    first: int
    last: int

    def __post_init__(self) -> None:
        _unsigned(self.first, 64, "first", 1)
        _unsigned(self.last, 64, "last")
        require(self.first <= self.last, "first is above last")


class Done(msgspec.Struct, frozen=True):
    """Device: what became of a command."""

    TYPE: ClassVar[int] = 0x85
    command_id: int
    result: Result

    def __post_init__(self) -> None:
        _unsigned(self.command_id, 32, "command_id", 1)


class Paired(msgspec.Struct, frozen=True):
    """Device: my half, who I am, and the proof that I have the key; always in clear."""

    TYPE: ClassVar[int] = 0x87
    public: bytes
    model: str
    serial: str
    firmware: str
    proof: bytes

    def __post_init__(self) -> None:
        require(len(self.public) == PUBLIC_BYTES and len(self.proof) == PROOF_BYTES, "a part is not 32 bytes")
        _texts(self.model, self.serial, self.firmware)


HostMessage = HelloAsk | Poll | Ack | Resend | DealEnable | Shuffle | Pair
DeviceMessage = Hello | Status | Event | Lost | Done | Paired
Message = HostMessage | DeviceMessage


def is_from_host(message_type: int) -> bool:
    """Types below 80 hex go from host to device."""
    return message_type < 0x80
