"""Messages of the device protocol (docs/protocol.md, sections 3 and 4): frozen structs <-> header and body.

Strict in both directions: a value that the page does not list raises ProtocolError, here and when a struct is made.
Used by host and device alike. Never shows a card: an event's repr hides its value.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import ClassVar

import msgspec

from drivers.wire import decks
from drivers.wire.cards import CARD_TEXT
from drivers.wire.framing import MAX_BODY

VERSION = 1
CLEAR = 0  # the security byte; 1 is reserved for sealed sessions
AGAIN = 1  # the only flag
COUNT_UNKNOWN = 0xFFFF
FIRST_NOTE = 0x10  # kinds below tell of cards; from here on an unlisted kind is a note of a later page or of a maker
LAST_KIND = 0xFF
MAX_DETAIL = 16
_HEADER = struct.Struct("<BBBB")


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


def _require(right: bool, what: str) -> None:
    if not right:
        raise ProtocolError(what)


def _unsigned(value: int, bits: int, name: str, least: int = 0) -> None:
    _require(least <= value < 1 << bits, f"{name} {value} out of range")


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
        _require(self.level in (0, 1), f"level {self.level}")


class Shuffle(msgspec.Struct, frozen=True):
    """Host, to a shuffler: shuffle and count this deck, which lies in the machine."""

    TYPE: ClassVar[int] = 0x06
    command_id: int
    deck: str

    def __post_init__(self) -> None:
        _unsigned(self.command_id, 32, "command_id", 1)
        _require(decks.is_mark(self.deck), "a deck's mark is not 1 to 12 letters, digits or -")


class Hello(msgspec.Struct, frozen=True):
    """Device: who I am, what my log holds, where a card is. Nonce 0: ask me."""

    TYPE: ClassVar[int] = 0x81
    nonce: int
    boot_id: bytes
    log_first: int
    log_last: int
    card: CardState
    model: str
    serial: str
    firmware: str

    def __post_init__(self) -> None:
        _unsigned(self.nonce, 64, "nonce")
        _require(len(self.boot_id) == 8, "boot_id is not 8 bytes")
        _unsigned(self.log_first, 64, "log_first")
        _unsigned(self.log_last, 64, "log_last")
        nothing = self.log_first == self.log_last == 0
        _require(nothing or 1 <= self.log_first <= self.log_last + 1, "log_first and log_last do not fit")
        for text in (self.model, self.serial, self.firmware):
            fits = 1 <= len(text) <= 32 and all(" " <= letter <= "~" for letter in text)
            _require(fits, "a text is not 1 to 32 printable characters")


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
        _require(self.deal in (0, 1), f"deal {self.deal}")
        for count in (self.frames, self.noise, self.again):
            _unsigned(count, 32, "a counter")


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
        _require(listed or FIRST_NOTE <= self.kind <= LAST_KIND, f"unknown kind of event {self.kind:02x}")
        if self.kind in decks.LAYOUTS:
            _deck_detail(self.kind, self.detail)
        else:
            _require(len(self.detail) <= (0 if listed else MAX_DETAIL), "wrong length")
        match self.kind:
            case EventKind.CARD:
                # The raw byte may be shown: it is not a card.
                _require(0 <= self.value < len(CARD_TEXT), f"unknown card code: {self.value:02x}")
            case EventKind.CARD_UNREAD:
                _require(1 <= self.value <= len(UnreadReason), f"unknown reason {self.value}")
            case EventKind.DECK_LOADED:
                _unsigned(self.value, 16, "count")
            case _:
                _require(self.value == 0, "this kind of event has no value")

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
        _require(self.first <= self.last, "first is above last")


class Done(msgspec.Struct, frozen=True):
    """Device: what became of a command."""

    TYPE: ClassVar[int] = 0x85
    command_id: int
    result: Result

    def __post_init__(self) -> None:
        _unsigned(self.command_id, 32, "command_id", 1)


HostMessage = HelloAsk | Poll | Ack | Resend | DealEnable | Shuffle
DeviceMessage = Hello | Status | Event | Lost | Done
Message = HostMessage | DeviceMessage

_Plain = HelloAsk | Poll | Ack | Resend | DealEnable | Status | Lost
_PLAIN: dict[int, tuple[type[_Plain], struct.Struct]] = {
    HelloAsk.TYPE: (HelloAsk, struct.Struct("<Q")),
    Poll.TYPE: (Poll, struct.Struct("<IQ")),
    Ack.TYPE: (Ack, struct.Struct("<Q")),
    Resend.TYPE: (Resend, struct.Struct("<Q")),
    DealEnable.TYPE: (DealEnable, struct.Struct("<IB")),
    Status.TYPE: (Status, struct.Struct("<IQBIII")),
    Lost.TYPE: (Lost, struct.Struct("<QQ")),
}
_HELLO = struct.Struct("<Q8sQQB")
_EVENT = struct.Struct("<QB")
_DONE = struct.Struct("<IB")
_VALUE_BYTES: dict[int, int] = {EventKind.CARD: 1, EventKind.CARD_UNREAD: 1, EventKind.DECK_LOADED: 2}


def is_from_host(message_type: int) -> bool:
    """Types below 80 hex go from host to device."""
    return message_type < 0x80


def to_bytes(message: Message) -> bytes:
    """A message -> header and body, for `encode_frame`."""
    flags = AGAIN if isinstance(message, Event) and message.again else 0
    return _HEADER.pack(VERSION, CLEAR, message.TYPE, flags) + _body(message)


def _body(message: Message) -> bytes:
    match message:
        case Hello():
            fixed = (message.nonce, message.boot_id, message.log_first, message.log_last, message.card)
            texts = (text.encode("ascii") for text in (message.model, message.serial, message.firmware))
            return _HELLO.pack(*fixed) + b"".join(bytes([len(text)]) + text for text in texts)
        case Event():
            value = message.value.to_bytes(_VALUE_BYTES.get(message.kind, 0), "little")
            return _EVENT.pack(message.event_no, message.kind) + value + message.detail
        case Shuffle():
            return message.command_id.to_bytes(4, "little") + decks.pack_mark(message.deck)
        case Done():
            return _DONE.pack(message.command_id, message.result)
        case _:
            return _PLAIN[message.TYPE][1].pack(*msgspec.structs.astuple(message))


def from_bytes(content: bytes) -> Message:
    """Header and body of a frame with a right CRC -> the message. Raises ProtocolError."""
    _require(4 <= len(content) <= 4 + MAX_BODY, "wrong length")
    version, security, message_type, flags = _HEADER.unpack_from(content)
    _require(version == VERSION, f"version {version}, expected {VERSION}")
    _require(security == CLEAR, f"security {security}, expected {CLEAR}")
    _require(flags == 0 or (flags == AGAIN and message_type == Event.TYPE), f"flags {flags:02x}")
    body = content[4:]
    match message_type:
        case Hello.TYPE:
            return _hello(body)
        case Event.TYPE:
            return _event(body, again=flags == AGAIN)
        case Shuffle.TYPE:
            return _shuffle(body)
        case Done.TYPE:
            command_id, result = _unpack(_DONE, body)
            return Done(command_id, Result(_listed(Result, result)))
        case _ if message_type in _PLAIN:
            kind, layout = _PLAIN[message_type]
            return kind(*_unpack(layout, body))
    raise ProtocolError(f"unknown message type {message_type:02x}")


def _unpack(layout: struct.Struct, body: bytes) -> tuple[int, ...]:
    _require(len(body) == layout.size, "wrong length")
    return layout.unpack(body)


def _listed(values: type[IntEnum], value: int) -> int:
    _require(value in values.__members__.values(), f"unknown {values.__name__} {value}")
    return value


def _hello(body: bytes) -> Hello:
    _require(len(body) >= _HELLO.size, "wrong length")
    nonce, boot_id, first, last, card = _HELLO.unpack_from(body)
    texts, rest = [], body[_HELLO.size :]
    for _ in range(3):
        _require(len(rest) > 0 and len(rest) > rest[0], "wrong length")
        texts.append(rest[1 : 1 + rest[0]].decode("latin-1"))
        rest = rest[1 + rest[0] :]
    _require(not rest, "wrong length")
    return Hello(nonce, boot_id, first, last, CardState(_listed(CardState, card)), *texts)


def _shuffle(body: bytes) -> Shuffle:
    try:
        return Shuffle(int.from_bytes(body[:4], "little"), decks.unpack_mark(body[4:]))
    except ValueError as error:
        raise ProtocolError(str(error)) from None


def _deck_detail(kind: int, detail: bytes) -> None:
    try:
        decks.unpack(kind, detail)
    except ValueError as error:
        raise ProtocolError(str(error)) from None


def _event(body: bytes, *, again: bool) -> Event:
    _require(len(body) >= _EVENT.size, "wrong length")
    event_no, number = _EVENT.unpack_from(body)
    rest = body[_EVENT.size :]
    if number not in EventKind.__members__.values():
        return Event(event_no, number, again=again, detail=rest)
    if number in decks.LAYOUTS:
        return Event(event_no, EventKind(number), again=again, detail=rest)
    _require(len(rest) == _VALUE_BYTES.get(number, 0), "wrong length")
    return Event(event_no, EventKind(number), int.from_bytes(rest, "little"), again)
