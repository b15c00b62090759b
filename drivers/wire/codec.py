"""Messages <-> bytes of the device protocol (docs/protocol.md, sections 3 and 4): header and body, clear.

Strict: whatever the page does not allow is a ProtocolError, and no text of one holds a card.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any

import msgspec

from drivers.wire import decks
from drivers.wire.framing import MAX_BODY
from drivers.wire.messages import (
    AGAIN,
    CLEAR,
    PROOF_BYTES,
    PUBLIC_BYTES,
    VERSION,
    Ack,
    CardState,
    DealEnable,
    Done,
    Event,
    EventKind,
    Hello,
    HelloAsk,
    Lost,
    Message,
    Pair,
    Paired,
    Poll,
    ProtocolError,
    Resend,
    Result,
    Shuffle,
    Status,
    require,
)

_HEADER = struct.Struct("<BBBB")
_Plain = HelloAsk | Poll | Ack | Resend | DealEnable | Pair | Status | Lost
_PLAIN: dict[int, tuple[type[_Plain], struct.Struct]] = {
    HelloAsk.TYPE: (HelloAsk, struct.Struct("<Q")),
    Poll.TYPE: (Poll, struct.Struct("<IQ")),
    Ack.TYPE: (Ack, struct.Struct("<Q")),
    Resend.TYPE: (Resend, struct.Struct("<Q")),
    DealEnable.TYPE: (DealEnable, struct.Struct("<IB")),
    Pair.TYPE: (Pair, struct.Struct(f"<{PUBLIC_BYTES}s")),
    Status.TYPE: (Status, struct.Struct("<IQBIII")),
    Lost.TYPE: (Lost, struct.Struct("<QQ")),
}
_HELLO = struct.Struct("<Q8sQQB")
_ACKED = struct.Struct("<Q")
_EVENT = struct.Struct("<QB")
_DONE = struct.Struct("<IB")
_VALUE_BYTES: dict[int, int] = {EventKind.CARD: 1, EventKind.CARD_UNREAD: 1, EventKind.DECK_LOADED: 2}


def to_bytes(message: Message) -> bytes:
    """A message -> header and body, for `encode_frame`."""
    flags = AGAIN if isinstance(message, Event) and message.again else 0
    return _HEADER.pack(VERSION, CLEAR, message.TYPE, flags) + _body(message)


def pack_texts(*texts: str) -> bytes:
    """Each as a length byte and its characters."""
    return b"".join(bytes([len(text)]) + text.encode("ascii") for text in texts)


def _body(message: Message) -> bytes:
    match message:
        case Hello():
            fixed = (message.nonce, message.boot_id, message.log_first, message.log_last, message.card)
            texts = pack_texts(message.model, message.serial, message.firmware)
            return _HELLO.pack(*fixed) + texts + (b"" if message.acked is None else _ACKED.pack(message.acked))
        case Paired():
            return message.public + pack_texts(message.model, message.serial, message.firmware) + message.proof
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
    require(4 <= len(content) <= 4 + MAX_BODY, "wrong length")
    version, security, message_type, flags = _HEADER.unpack_from(content)
    require(version == VERSION, f"version {version}, expected {VERSION}")
    require(security == CLEAR, f"security {security}, expected {CLEAR}")
    require(flags == 0 or (flags == AGAIN and message_type == Event.TYPE), f"flags {flags:02x}")
    body = content[4:]
    match message_type:
        case Hello.TYPE:
            return _hello(body)
        case Paired.TYPE:
            return _paired(body)
        case Event.TYPE:
            return _event(body, again=flags == AGAIN)
        case Shuffle.TYPE:
            return _shuffle(body)
        case Done.TYPE:
            command_id, result = _unpack(_DONE, body)
            return Done(command_id, Result(_listed(Result, result)))
        case _ if message_type in _PLAIN:
            kind, layout = _PLAIN[message_type]
            return _plain(kind, layout, body)
    raise ProtocolError(f"unknown message type {message_type:02x}")


def _plain(kind: type[_Plain], layout: struct.Struct, body: bytes) -> Message:
    values: tuple[Any, ...] = _unpack(layout, body)
    return kind(*values)


def _unpack(layout: struct.Struct, body: bytes) -> tuple[int, ...]:
    require(len(body) == layout.size, "wrong length")
    return layout.unpack(body)


def _listed(values: type[IntEnum], value: int) -> int:
    require(value in values.__members__.values(), f"unknown {values.__name__} {value}")
    return value


def _hello(body: bytes) -> Hello:
    require(len(body) >= _HELLO.size, "wrong length")
    nonce, boot_id, first, last, card = _HELLO.unpack_from(body)
    (model, serial, firmware), rest = _three_texts(body[_HELLO.size :])
    acked = _unpack(_ACKED, rest)[0] if rest else None
    where = CardState(_listed(CardState, card))
    return Hello(nonce, boot_id, first, last, where, model, serial, firmware, acked)


def _three_texts(rest: bytes) -> tuple[list[str], bytes]:
    texts = []
    for _ in range(3):
        require(len(rest) > 0 and len(rest) > rest[0], "wrong length")
        texts.append(rest[1 : 1 + rest[0]].decode("latin-1"))
        rest = rest[1 + rest[0] :]
    return texts, rest


def _paired(body: bytes) -> Paired:
    require(len(body) > PUBLIC_BYTES + PROOF_BYTES, "wrong length")
    (model, serial, firmware), rest = _three_texts(body[PUBLIC_BYTES:-PROOF_BYTES])
    require(not rest, "wrong length")
    return Paired(body[:PUBLIC_BYTES], model, serial, firmware, body[-PROOF_BYTES:])


def _shuffle(body: bytes) -> Shuffle:
    try:
        return Shuffle(int.from_bytes(body[:4], "little"), decks.unpack_mark(body[4:]))
    except ValueError as error:
        raise ProtocolError(str(error)) from None


def _event(body: bytes, *, again: bool) -> Event:
    require(len(body) >= _EVENT.size, "wrong length")
    event_no, number = _EVENT.unpack_from(body)
    rest = body[_EVENT.size :]
    if number not in EventKind.__members__.values():
        return Event(event_no, number, again=again, detail=rest)
    if number in decks.LAYOUTS:
        return Event(event_no, EventKind(number), again=again, detail=rest)
    require(len(rest) == _VALUE_BYTES.get(number, 0), "wrong length")
    return Event(event_no, EventKind(number), int.from_bytes(rest, "little"), again)
