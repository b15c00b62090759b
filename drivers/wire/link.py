"""One end of a line: bytes -> messages, messages -> bytes, and the counts of what went wrong.

Owns framing and strictness for host and device alike, in clear or with a `Seal` (docs/protocol.md, section 9), over
serial and USB the same; knows no numbers of events and no cards. Never answers what it refuses.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from drivers.wire.codec import from_bytes, to_bytes
from drivers.wire.framing import DELIMITER, FrameFault, Framer, encode_frame
from drivers.wire.messages import Event, Message, ProtocolError, is_from_host
from drivers.wire.session import NoSession, Opened, Seal, Tampered


class Side(Enum):
    """Whose end of the line this is."""

    HOST = "host"
    DEVICE = "device"


class BadMessage(msgspec.Struct, frozen=True):
    """A frame without noise that breaks the protocol. `what` never holds a card.

    `event`: it was an EVENT, which can then never be taken, nor anything that the device has logged behind it.
    """

    what: str
    event: bool = False


class _BadEvent(ProtocolError):
    """As BadMessage.event."""


class Begun(msgspec.Struct, frozen=True):
    """Device, sealed: the session of this nonce has begun; what came before it is void. Its first message follows."""

    nonce: int


class Late(msgspec.Struct, frozen=True):
    """Device, sealed: an authentic message that may have been held back. Answered if it is a POLL, never obeyed."""

    message: Message


Received = Message | FrameFault | BadMessage | Tampered | NoSession | Begun | Late


class Link:
    """Sans-I/O; without a `seal` everything is in clear. Counters run since the link was made and do not wrap."""

    def __init__(self, side: Side, seal: Seal | None = None) -> None:
        self._side = side
        self._seal = seal
        self._framer = Framer()
        self.frames = 0
        self.noise = 0
        self.protocol_errors = 0
        self.tampered = 0

    @property
    def sealed(self) -> bool:
        """Whether this end takes and sends sealed messages only."""
        return self._seal is not None

    def seal_with(self, seal: Seal) -> None:
        """A device that was just paired: from now on nothing in clear."""
        self._seal = seal

    def reset(self) -> None:
        """The line is a new one: forget a frame begun."""
        self._framer.reset()

    @property
    def unfinished(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return self._framer.unfinished

    def receive(self, data: bytes, now_ns: int = 0) -> list[Received]:
        """What these bytes complete, in order. A sealed device gives the time: the age of messages hangs on it."""
        return [item for found in self._framer.feed(data) for item in self._read(found, now_ns)]

    def send(self, message: Message, *, fresh: bool = False, now_ns: int = 0) -> bytes:
        """The bytes of a message; `fresh` closes off whatever stood on the line before."""
        if is_from_host(message.TYPE) != (self._side is Side.HOST):
            raise ValueError(f"{type(message).__name__} is not ours to send")
        content = to_bytes(message)
        if self._seal is not None:
            content = self._seal.wrap(content, now_ns)
        frame = encode_frame(content) if content else b""
        return DELIMITER + frame if fresh else frame

    def _read(self, found: bytes | FrameFault, now_ns: int) -> list[Received]:
        if isinstance(found, FrameFault):
            self.noise += 1
            return [found]
        try:
            items = self._message(found, now_ns)
        except ProtocolError as error:
            self.protocol_errors += 1
            return [BadMessage(str(error), isinstance(error, _BadEvent))]
        refused = any(isinstance(item, Tampered) for item in items)
        self.tampered += refused
        self.frames += not refused
        return items

    def _message(self, content: bytes, now_ns: int) -> list[Received]:
        if self._seal is None:
            self._not_ours(content[2])
            return [_parsed(content)]
        self._not_ours(content[2])
        found = self._seal.unwrap(content, now_ns)
        if not isinstance(found, Opened):
            return [] if found is None else [found]
        message = _parsed(found.content)
        begun: list[Received] = [] if found.begun is None else [Begun(found.begun)]
        return [*begun, Late(message) if found.late else message]

    def _not_ours(self, message_type: int) -> None:
        if is_from_host(message_type) == (self._side is Side.HOST):
            raise ProtocolError(f"our own message {message_type:02x} came back (echo)")


def _parsed(content: bytes) -> Message:
    try:
        return from_bytes(content)
    except ProtocolError as error:
        if content[2] == Event.TYPE:
            raise _BadEvent(str(error)) from None
        raise
