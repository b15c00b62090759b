"""The line of a card shoe as docs/protocol.md describes it: frames (section 3) and seals (section 9).

Part of the shoe in shoe_from_the_page.py, which was written from that page alone; imports nothing of the project.
"""

import contextlib
import hmac
import struct
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LATE_MS = 1000


def crc32(data: bytes) -> bytes:
    """Section 3, bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
    return struct.pack("<I", value ^ 0xFFFFFFFF)


def line(content: bytes) -> bytes:
    """Content (packet without CRC) as it goes over the wire."""
    pieces = (content + crc32(content)).split(b"\0")
    return b"".join(bytes([len(piece) + 1]) + piece for piece in pieces) + b"\0"


def unline(run: bytes) -> bytes | None:
    """The content of what stood between two delimiters; None: noise."""
    pieces, place = [], 0
    while place < len(run):
        end = place + run[place]
        if end > len(run):
            return None
        pieces.append(run[place + 1 : end])
        place = end
    packet = b"\0".join(pieces)
    return packet[:-4] if len(packet) >= 8 and crc32(packet[:-4]) == packet[-4:] else None


def hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869 with SHA-256."""
    key, out, block = hmac.digest(salt, secret, "sha256"), b"", b""
    while len(out) < length:
        block = hmac.digest(key, block + info + bytes([len(out) // 32 + 1]), "sha256")
        out += block
    return out[:length]


def text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode("ascii")


def is_text(body: bytes) -> bool:
    return 2 <= len(body) <= 33 and body[0] == len(body) - 1 and all(0x20 <= byte <= 0x7E for byte in body[1:])


def session_keys(key: bytes, salt: bytes, nonce: bytes, named: bytes) -> bytes:
    """To the device, to the host, to prove: 32 bytes each. `named`: boot_id, model and serial as HELLO has them."""
    return hkdf(key, salt, b"table device session 1" + nonce + named, 96)


def pairing(own: X25519PrivateKey, host_public: bytes, names: bytes) -> tuple[bytes, bytes]:
    """The new key, and PAIRED (section 11). ValueError: the shared secret is zero."""
    secret = own.exchange(X25519PublicKey.from_public_bytes(host_public))
    public = own.public_key().public_bytes_raw()
    keys = hkdf(secret, host_public + public, b"table device key 1", 64)
    told = public + names
    return keys[:32], bytes([1, 0, 0x87, 0]) + told + hmac.digest(keys[32:], told, "sha256")


@dataclass
class Session:
    """One question of the host and what hangs on it. Without keys: in clear (section 5); with: sealed (section 9)."""

    question: bytes
    device_random: bytes
    keys: bytes = b""
    began_ms: float = 0.0
    polled: bool = False
    opened: int = 0
    sent: int = 0
    sent_ms: dict[int, float] = field(default_factory=dict)
    command: int = 0
    done: bytes = b""

    def unseal(self, content: bytes) -> tuple[int, int, bytes] | None:
        """Counter, heard and body of a message that opens under these keys."""
        nonce = bytes(4) + content[4:12]
        with contextlib.suppress(InvalidTag):
            plain = AESGCM(self.keys[:32]).decrypt(nonce, content[12:], content[:12])
            counter, heard = struct.unpack("<Q", content[4:12])[0], struct.unpack("<Q", plain[:8])[0]
            return counter, heard, plain[8:]
        return None

    def seal(self, kind: int, flags: int, body: bytes, now: float) -> bytes:
        self.sent += 1
        self.sent_ms[self.sent] = now
        self.sent_ms.pop(self.sent - 256, None)
        head = bytes([1, 1, kind, flags]) + struct.pack("<Q", self.sent)
        return head + AESGCM(self.keys[32:64]).encrypt(bytes(4) + head[4:], body, head)

    def late(self, heard: int, now: float) -> bool:
        told = self.began_ms if heard == 0 else self.sent_ms.get(heard)
        return told is None or now - told > LATE_MS
