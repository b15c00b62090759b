"""Frames of the device protocol: COBS, a 00 delimiter, CRC-32 (docs/protocol.md, section 3).

Owns the cut of a byte stream into packets and nothing of what they mean. Sans-I/O, no clock; its memory is bounded
whatever arrives, and how the stream was cut into reads never changes the result.
"""

from __future__ import annotations

import zlib
from enum import StrEnum

from cobs import cobs

MAX_BODY = 240
MAX_PACKET = 248  # header 4, body 240, CRC 4
MAX_ENCODED = MAX_PACKET + 1
MIN_PACKET = 8
DELIMITER = b"\x00"


class FrameFault(StrEnum):
    """Why a run of bytes between two delimiters is noise."""

    TOO_LONG = "too_long"
    COBS = "cobs"
    SHORT = "short"
    CRC = "crc"


def encode_frame(content: bytes) -> bytes:
    """Header and body -> the bytes on the line, delimiter at the end."""
    packet = content + zlib.crc32(content).to_bytes(4, "little")
    if not MIN_PACKET <= len(packet) <= MAX_PACKET:
        raise ValueError(f"a packet of {len(packet)} bytes")
    return bytes(cobs.encode(packet)) + DELIMITER


def decode_frame(encoded: bytes) -> bytes | FrameFault:
    """The bytes between two delimiters -> header and body without the CRC, or what is wrong with them."""
    try:
        packet = bytes(cobs.decode(encoded))
    except cobs.DecodeError:
        return FrameFault.COBS
    if len(packet) < MIN_PACKET:
        return FrameFault.SHORT
    content, crc = packet[:-4], packet[-4:]
    if zlib.crc32(content) != int.from_bytes(crc, "little"):
        return FrameFault.CRC
    return content


class Framer:
    """Bytes in any cut -> packets and faults, in order; at most one of them for each delimiter."""

    def __init__(self) -> None:
        self._run = bytearray()
        self._overflow = False

    def reset(self) -> None:
        """Forget a frame begun: the line is a new one."""
        self._run.clear()
        self._overflow = False

    @property
    def unfinished(self) -> int:
        """Bytes of a frame that has begun and not ended; of one that is too long, none are kept."""
        return len(self._run)

    def feed(self, data: bytes) -> list[bytes | FrameFault]:
        """Everything that these bytes complete."""
        *ended, rest = data.split(DELIMITER)
        found: list[bytes | FrameFault] = []
        for piece in ended:
            self._gather(piece)
            found += self._end()
        self._gather(rest)
        return found

    def _gather(self, piece: bytes) -> None:
        if self._overflow or len(self._run) + len(piece) > MAX_ENCODED:
            self._overflow = True
            self._run.clear()
        else:
            self._run += piece

    def _end(self) -> list[bytes | FrameFault]:
        run, overflow = bytes(self._run), self._overflow
        self.reset()
        if overflow:
            return [FrameFault.TOO_LONG]
        return [decode_frame(run)] if run else []
