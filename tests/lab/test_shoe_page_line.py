"""A stranger's CRC, COBS, seals and pairing give the bytes that docs/protocol.md prints, and read them."""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from tests.lab.shoe_page_line import Session, crc32, line, pairing, session_keys, text, unline

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
CLEAR, SEALED = PAGE.split("## 9.")
FRAME = re.compile(r"^(?:packet|content) ([0-9a-f ]+)\n(?:crc .*\n)?line +([0-9a-f ]+)$", re.MULTILINE)
KEY, DEVICE_RANDOM = bytes(range(32)), bytes(range(0xB0, 0xC0))
NAMED = bytes.fromhex("a1a2a3a4a5a6a7a8") + text("SHOE") + text("S-0007")
STATUS = bytes.fromhex("01000000 2a00000000000000 00 03000000 00000000 00000000")
EVENT = bytes.fromhex("2a00000000000000 01 33")


def shown(page: str, kind: str) -> bytes:
    """The content of the first frame that begins with these bytes."""
    return next(content for content, _ in frames(page) if content.startswith(bytes.fromhex(kind)))


def frames(page: str) -> list[tuple[bytes, bytes]]:
    return [(bytes.fromhex(content), bytes.fromhex(wire)) for content, wire in FRAME.findall(page)]


def session() -> Session:
    salt = bytes(range(0xA0, 0xB0)) + DEVICE_RANDOM
    nonce = (0x1122334455667788).to_bytes(8, "little")
    return Session(b"", DEVICE_RANDOM, session_keys(KEY, salt, nonce, NAMED))


def test_every_frame_of_the_page() -> None:
    assert len(frames(PAGE)) >= 26
    for content, wire in frames(PAGE):
        assert (line(content), unline(wire[:-1])) == (wire, content)
    assert crc32(b"123456789").hex() == "2639f4cb"


def test_a_damaged_frame_is_noise() -> None:
    for place in range(len(line(b"\1\0\3\0")) - 1):
        damaged = bytearray(line(b"\1\0\3\0")[:-1])
        damaged[place] ^= 0x40
        assert unline(bytes(damaged)) is None


def test_the_sealed_messages_of_the_page() -> None:
    there = session()
    assert there.unseal(shown(SEALED, "01010200")) == (1, 0, bytes.fromhex("01000000 2900000000000000"))
    assert there.unseal(shown(SEALED, "01010300")) == (2, 2, bytes.fromhex("2a00000000000000"))
    assert there.unseal(shown(SEALED, "01010500")) == (3, 2, bytes.fromhex("07000000 01"))
    assert there.seal(0x82, 0, STATUS, 0) == shown(SEALED, "01018200")
    assert there.seal(0x83, 0, EVENT, 0) == shown(SEALED, "01018300")
    hello = shown(SEALED, "01018100")
    assert hmac.digest(there.keys[64:], hello[:-32], "sha256") == hello[-32:]


def test_the_pairing_of_the_page() -> None:
    own = X25519PrivateKey.from_private_bytes(bytes(range(0x60, 0x80)))
    key, answer = pairing(own, shown(SEALED, "01000700")[4:], text("SHOE") + text("S-0007") + text("1.0.3"))
    assert answer == shown(SEALED, "01008700")
    assert f"key  {key.hex(' ')}" in SEALED
