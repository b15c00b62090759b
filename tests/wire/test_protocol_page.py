"""docs/protocol.md against definitions written from scratch here, and the code against the page."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from drivers.wire import messages as m
from drivers.wire.cards import CARD_TEXT
from drivers.wire.link import Link, Side

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^packet (?P<packet>[0-9a-f ]+)\ncrc +(?P<crc>[0-9a-f ]+)\nline +(?P<line>[0-9a-f ]+)$", re.M)
EXAMPLES = [tuple(map(bytes.fromhex, found.groups())) for found in BLOCK.finditer(PAGE)]

HELLO = m.Hello(
    0x1122334455667788, bytes.fromhex("a1a2a3a4a5a6a7a8"), 1, 42, m.CardState.NONE, "SHOE", "S-0007", "1.0.3"
)
MESSAGES: dict[str, m.Message] = {
    "hello_ask": m.HelloAsk(0x1122334455667788),
    "hello": HELLO,
    "hello_acked": msgspec.structs.replace(HELLO, acked=41),
    "poll": m.Poll(1, 41),
    "status": m.Status(1, 42, 0, 3, 0, 0),
    "card": m.Event(42, m.EventKind.CARD, 51),
    "card_again": m.Event(42, m.EventKind.CARD, 51, again=True),
    "ack": m.Ack(42),
    "unread": m.Event(43, m.EventKind.CARD_UNREAD, m.UnreadReason.TOO_FAST),
    "deck_loaded": m.Event(44, m.EventKind.DECK_LOADED, 52),
    "lid_open": m.Event(45, m.EventKind.LID_OPEN),
    "resend": m.Resend(43),
    "lost": m.Lost(43, 44),
    "deal_enable": m.DealEnable(7, 1),
    "done": m.Done(7, m.Result.DONE),
    "shuffle": m.Shuffle(8, "R-1041"),
    "deck_in": m.Event(46, m.EventKind.DECK_IN, detail=b"\x06R-1041"),
    "shuffle_done": m.Event(48, m.EventKind.SHUFFLE_DONE, detail=b"\x34\x00\x00\x06R-1041"),
}


def golden() -> dict[str, bytes]:
    lines = (ROOT / "tests/golden/protocol_frames.txt").read_text(encoding="ascii").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if not line.startswith("#"))
    return {name: bytes.fromhex(text) for name, text in pairs}


def crc_by_definition(data: bytes) -> int:
    register = 0xFFFFFFFF
    for byte in data:
        for place in range(8):
            bit = (register ^ (byte >> place)) & 1
            register = (register >> 1) ^ (0xEDB88320 if bit else 0)
    return register ^ 0xFFFFFFFF


def cobs_by_definition(packet: bytes) -> bytes:
    return b"".join(bytes([len(piece) + 1]) + piece for piece in packet.split(b"\x00"))


def test_the_check_value_of_the_page() -> None:
    assert crc_by_definition(b"123456789") == 0xCBF43926


def test_the_page_has_an_example_of_every_message() -> None:
    assert len(EXAMPLES) == len(MESSAGES) == len(golden())
    assert {packet[2] for packet, _, _ in EXAMPLES} == {1, 2, 3, 4, 5, 6, 0x81, 0x82, 0x83, 0x84, 0x85}


@pytest.mark.parametrize("place", range(len(MESSAGES)))
def test_an_example_follows_from_the_definitions(place: int) -> None:
    packet, crc, line = EXAMPLES[place]
    assert crc_by_definition(packet).to_bytes(4, "little") == crc
    assert cobs_by_definition(packet + crc) + b"\x00" == line
    assert line == list(golden().values())[place]


@pytest.mark.parametrize("name", MESSAGES)
def test_the_code_speaks_as_the_page_says(name: str) -> None:
    message, line = MESSAGES[name], golden()[name]
    host = m.is_from_host(message.TYPE)
    speaker, hearer = (Side.HOST, Side.DEVICE) if host else (Side.DEVICE, Side.HOST)
    assert Link(speaker).send(message) == line
    assert Link(hearer).receive(line) == [message]


def test_the_table_of_cards_is_the_pages() -> None:
    cells = re.findall(r"(?:\| |^)(\d+) `(\w\w)`", PAGE, re.M)
    assert sorted((int(code), text) for code, text in cells) == list(enumerate(CARD_TEXT))


def test_the_kinds_of_the_page_are_the_codes() -> None:
    events = PAGE.split("### Events")[1].split("**Kinds not listed**")[0]
    kinds = {int(number, 16): name for number, name in re.findall(r"^\| ([0-9A-F]{2}) \| ([A-Z_]+) \|", events, re.M)}
    assert kinds == {kind.value: kind.name for kind in m.EventKind}
    free = [kind for kind in range(256) if kind not in kinds]
    notes = [kind for kind in free if kind >= m.FIRST_NOTE]
    assert "| 00 |" in PAGE and f"| 03..{m.FIRST_NOTE - 1:02X} |" in PAGE
    assert f"| {notes[0]:02X}..7F |" in PAGE and f"| 80..{notes[-1]:02X} |" in PAGE
    assert f"a detail of 0 to {m.MAX_DETAIL} bytes" in PAGE


def test_timings_of_the_page_are_the_codes() -> None:
    from drivers import numbered  # noqa: PLC0415 - only this test looks above the wire

    assert f"| host: POLL interval | {numbered.POLL_NS // 10**6} |" in PAGE
    assert f"| host: HELLO_ASK, RESEND, DEAL_ENABLE again | {numbered.REPEAT_NS // 10**6} |" in PAGE
    assert f"| host: reported silent without STATUS | {numbered.SILENT_POLLS * numbered.POLL_NS // 10**6} |" in PAGE
    assert f"| host: lost without STATUS | {numbered.LOST_POLLS * numbered.POLL_NS // 10**6} |" in PAGE
