"""One end of a line: bytes -> messages, messages -> bytes, and the counts of what went wrong.

Owns framing and strictness for host and device alike; knows no time, no numbers of events and no cards. A sealed
session (docs/protocol.md, section 9) takes its place here, between the frame's CRC and the message.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from drivers.wire.framing import DELIMITER, FrameFault, Framer, encode_frame
from drivers.wire.messages import Message, ProtocolError, from_bytes, is_from_host, to_bytes


class Side(Enum):
    """Whose end of the line this is."""

    HOST = "host"
    DEVICE = "device"


class BadMessage(msgspec.Struct, frozen=True):
    """A frame without noise that breaks the protocol. `what` never holds a card."""

    what: str


Received = Message | FrameFault | BadMessage


class Link:
    """Sans-I/O. Counters run since the link was made and do not wrap."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._framer = Framer()
        self.frames = 0
        self.noise = 0
        self.protocol_errors = 0

    def reset(self) -> None:
        """The line is a new one: forget a frame begun."""
        self._framer.reset()

    def receive(self, data: bytes) -> list[Received]:
        """What these bytes complete: messages of the other side, noise, broken messages. In order."""
        return [self._read(found) for found in self._framer.feed(data)]

    def send(self, message: Message, *, fresh: bool = False) -> bytes:
        """The bytes of a message; `fresh` closes off whatever stood on the line before."""
        if is_from_host(message.TYPE) != (self._side is Side.HOST):
            raise ValueError(f"{type(message).__name__} is not ours to send")
        frame = encode_frame(to_bytes(message))
        return DELIMITER + frame if fresh else frame

    def _read(self, found: bytes | FrameFault) -> Received:
        if isinstance(found, FrameFault):
            self.noise += 1
            return found
        try:
            message = from_bytes(found)
            if is_from_host(message.TYPE) == (self._side is Side.HOST):
                raise ProtocolError(f"our own {type(message).__name__} came back (echo)")
        except ProtocolError as error:
            self.protocol_errors += 1
            return BadMessage(str(error))
        self.frames += 1
        return message
