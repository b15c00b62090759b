"""Sections 9 and 11 of docs/protocol.md: every frame computed anew from the definitions, and the code against them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from test_protocol_page import HELLO, PAGE, ROOT, cobs_by_definition, crc_by_definition

from drivers.wire import messages as m
from drivers.wire.link import Begun, Link, Side
from drivers.wire.pairing import answer, key_of, public_of
from drivers.wire.session import AGE_NS, SENT_KEPT, DeviceSeal, HostSeal, key_id

BLOCK = re.compile(r"^content (?P<content>[0-9a-f ]+)\nline +(?P<line>[0-9a-f ]+)$", re.M)
SHOWN = [tuple(map(bytes.fromhex, found.groups())) for found in BLOCK.finditer(PAGE)]
KEY = bytes(range(32))
HOST_RANDOM, DEVICE_RANDOM = bytes(range(0xA0, 0xB0)), bytes(range(0xB0, 0xC0))
HOST_PRIVATE, DEVICE_PRIVATE = bytes(range(0x40, 0x60)), bytes(range(0x60, 0x80))
NONCE, BOOT = bytes.fromhex("8877665544332211"), bytes.fromhex("a1a2a3a4a5a6a7a8")
TEXTS = b"\x04SHOE\x06S-0007\x051.0.3"


def derived() -> bytes:
    info = b"table device session 1" + NONCE + BOOT + b"\x04SHOE\x06S-0007"
    return HKDF(SHA256(), 96, HOST_RANDOM + DEVICE_RANDOM, info).derive(KEY)


def sealed(key: bytes, head: str, counter: int, body: str) -> bytes:
    front = bytes.fromhex(head) + counter.to_bytes(8, "little")
    return front + AESGCM(key).encrypt(bytes(4) + counter.to_bytes(8, "little"), bytes.fromhex(body), front)


def by_definition() -> dict[str, bytes]:
    """Contents from the words of the page and a library of cryptography, none of ours."""
    to_device, to_host, proving = derived()[:32], derived()[32:64], derived()[64:]
    told = bytes.fromhex("01018100") + NONCE + BOOT + bytes.fromhex("0100000000000000 2a00000000000000 00") + TEXTS
    told += DEVICE_RANDOM
    return {
        "hello_ask": bytes.fromhex("01010100") + NONCE + HOST_RANDOM,
        "hello": told + hmac.digest(proving, told, "sha256"),
        "poll": sealed(to_device, "01010200", 1, "0000000000000000 01000000 2900000000000000"),
        "status": sealed(to_host, "01018200", 1, "01000000 2a00000000000000 00 03000000 00000000 00000000"),
        "card": sealed(to_host, "01018300", 2, "2a00000000000000 01 33"),
        "ack": sealed(to_device, "01010300", 2, "0200000000000000 2a00000000000000"),
        "deal_enable": sealed(to_device, "01010500", 3, "0200000000000000 07000000 01"),
        **pairing_by_definition(),
    }


def pairing_by_definition() -> dict[str, bytes]:
    host, device = (X25519PrivateKey.from_private_bytes(private) for private in (HOST_PRIVATE, DEVICE_PRIVATE))
    publics = [key.public_key().public_bytes_raw() for key in (host, device)]
    shared = host.exchange(X25519PublicKey.from_public_bytes(publics[1]))
    made = HKDF(SHA256(), 64, b"".join(publics), b"table device key 1").derive(shared)
    proof = hmac.digest(made[32:], publics[1] + TEXTS, "sha256")
    return {
        "pair": bytes.fromhex("01000700") + publics[0],
        "paired": bytes.fromhex("01008700") + publics[1] + TEXTS + proof,
        "key": made[:32],
    }


def golden() -> dict[str, bytes]:
    lines = (ROOT / "tests/golden/sealed_frames.txt").read_text(encoding="ascii").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if not line.startswith("#"))
    return {name: bytes.fromhex(text) for name, text in pairs}


FRAMES = [name for name in by_definition() if name != "key"]


def test_the_page_shows_the_session_s_keys() -> None:
    [shown] = re.findall(r"^HKDF ([0-9a-f ]+)$", PAGE, re.M)
    assert bytes.fromhex(shown) == derived()


@pytest.mark.parametrize("name", FRAMES)
def test_a_sealed_frame_follows_from_the_definitions(name: str) -> None:
    content, line = SHOWN[FRAMES.index(name)]
    assert content == by_definition()[name]
    assert line == cobs_by_definition(content + crc_by_definition(content).to_bytes(4, "little")) + b"\0"
    assert line == golden()[name]
    assert len(SHOWN) == len(golden()) == len(FRAMES)


def given(*parts: bytes) -> Callable[[int], bytes]:
    supply = iter(parts)
    return lambda _: next(supply)


def test_the_code_speaks_as_the_page_says_sealed() -> None:
    host = Link(Side.HOST, HostSeal(KEY, given(HOST_RANDOM)))
    device = Link(Side.DEVICE, DeviceSeal(KEY, given(DEVICE_RANDOM)))
    talk: list[tuple[str, Link, m.Message]] = [
        ("hello_ask", host, m.HelloAsk(0x1122334455667788)),
        ("hello", device, HELLO),
        ("poll", host, m.Poll(1, 41)),
        ("status", device, m.Status(1, 42, 0, 3, 0, 0)),
        ("card", device, m.Event(42, m.EventKind.CARD, 51)),
        ("ack", host, m.Ack(42)),
        ("deal_enable", host, m.DealEnable(7, 1)),
    ]
    for name, speaker, message in talk:
        line = speaker.send(message)
        assert line == golden()[name], name
        heard = (device if speaker is host else host).receive(line)
        assert [item for item in heard if not isinstance(item, Begun)] == [message]


def test_the_code_pairs_as_the_page_says() -> None:
    asked = m.Pair(public_of(HOST_PRIVATE))
    assert Link(Side.HOST).send(asked) == golden()["pair"]
    made = answer(asked, DEVICE_PRIVATE, "SHOE", "S-0007", "1.0.3")
    assert made is not None
    said, key = made
    assert Link(Side.DEVICE).send(said) == golden()["paired"]
    assert key == key_of(HOST_PRIVATE, said) == by_definition()["key"]
    [shown], [name] = re.findall(r"^key  ([0-9a-f ]+)$", PAGE, re.M), re.findall(r"^id   ([0-9a-f]{16})$", PAGE, re.M)
    assert bytes.fromhex(shown) == key
    assert name == key_id(key) == hashlib.sha256(b"table device key id 1" + key).hexdigest()[:16]


def test_a_half_that_is_no_point_or_a_changed_proof_makes_no_key() -> None:
    assert answer(m.Pair(bytes(32)), DEVICE_PRIVATE, "SHOE", "S-0007", "1.0.3") is None
    made = answer(m.Pair(public_of(HOST_PRIVATE)), DEVICE_PRIVATE, "SHOE", "S-0007", "1.0.3")
    assert made is not None
    said = made[0]
    assert key_of(HOST_PRIVATE, m.Paired(said.public, "SHOE", "S-0008", "1.0.3", said.proof)) is None
    assert key_of(HOST_PRIVATE, m.Paired(bytes(32), "SHOE", "S-0007", "1.0.3", said.proof)) is None
    assert key_of(DEVICE_PRIVATE, said) is None


def test_numbers_of_the_sealed_section_are_the_codes() -> None:
    from drivers.complaints import FORGED_MOST, FORGED_NS  # noqa: PLC0415 - only this test looks above the wire

    assert f"more than {AGE_NS // 10**6} ms ago" in PAGE and f"its last {SENT_KEPT} messages" in PAGE
    assert FORGED_MOST == 3 and f"three within {FORGED_NS // 10**9} s" in PAGE
    assert "| sealed, from the host | 208 bytes |" in PAGE and "| sealed, from the device | 216 bytes |" in PAGE
