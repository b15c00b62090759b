"""Messages: strict both ways, and silent about cards."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drivers.wire import decks
from drivers.wire import messages as m
from drivers.wire.cards import CARD_CODE, CARD_TEXT
from drivers.wire.codec import from_bytes, to_bytes
from drivers.wire.framing import FrameFault, encode_frame
from drivers.wire.link import BadMessage, Link, Side

U8, U32, U64 = (st.integers(0, (1 << bits) - 1) for bits in (8, 32, 64))
TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=32)
MARK = st.from_regex(decks.MARK, fullmatch=True)
NUMBER = st.integers(1, (1 << 64) - 1)
ID = st.integers(1, (1 << 32) - 1)
LOG = st.one_of(st.just((0, 0)), st.tuples(NUMBER, NUMBER).map(lambda pair: (min(pair), max(pair))))


def hello(nonce: int, boot: bytes, log: tuple[int, int], card: m.CardState, texts: list[str]) -> m.Hello:
    return m.Hello(nonce, boot, *log, card, *texts)


def deck_event(number: int, kind: int, mark: str, count: int) -> m.Event:
    report = decks.DeckReport(deck=mark, count=count, doubles=count // 3, unread=count // 4, reason=1 + count % 5)
    return m.Event(number, m.EventKind(kind), detail=decks.pack(kind, report))


EVENT = st.one_of(
    st.builds(m.Event, NUMBER, st.just(m.EventKind.CARD), st.integers(0, 52), st.booleans()),
    st.builds(m.Event, NUMBER, st.just(m.EventKind.CARD_UNREAD), st.integers(1, 5), st.booleans()),
    st.builds(m.Event, NUMBER, st.just(m.EventKind.DECK_LOADED), st.integers(0, 0xFFFF), st.booleans()),
    st.builds(m.Event, NUMBER, st.sampled_from(list(m.EventKind)[3:9]), st.just(0), st.booleans()),
    st.builds(deck_event, NUMBER, st.sampled_from(sorted(decks.LAYOUTS)), MARK, U8),
    st.builds(m.Event, NUMBER, st.integers(0x1C, 0xFF), st.just(0), st.booleans(), st.binary(max_size=16)),
)
MESSAGE = st.one_of(
    st.builds(m.HelloAsk, NUMBER),
    st.builds(m.Poll, ID, U64),
    st.builds(m.Ack, NUMBER),
    st.builds(m.Resend, NUMBER),
    st.builds(m.DealEnable, ID, st.integers(0, 1)),
    st.builds(m.Status, ID, U64, st.integers(0, 1), U32, U32, U32),
    st.tuples(NUMBER, NUMBER).map(lambda pair: m.Lost(min(pair), max(pair))),
    st.builds(m.Done, ID, st.sampled_from(m.Result)),
    EVENT,
    st.builds(
        hello,
        U64,
        st.binary(min_size=8, max_size=8),
        LOG,
        st.sampled_from(m.CardState),
        st.lists(TEXT, min_size=3, max_size=3),
    ),
)


@given(MESSAGE)
def test_there_and_back(message: m.Message) -> None:
    assert from_bytes(to_bytes(message)) == message


@given(MESSAGE, st.binary(min_size=1, max_size=4))
def test_nothing_may_follow_or_be_missing(message: m.Message, extra: bytes) -> None:
    assume(not isinstance(message, m.Event) or isinstance(message.kind, m.EventKind))  # a later page says how long
    content = to_bytes(message)
    for wrong in (content + extra, content[:-1]):
        with pytest.raises(m.ProtocolError):
            from_bytes(wrong)


@given(st.binary(max_size=250))
def test_any_content_is_a_message_or_one_protocol_error(content: bytes) -> None:
    try:
        message = from_bytes(content)
    except m.ProtocolError:
        return
    assert to_bytes(message) == content


@given(st.binary(max_size=1500), st.sampled_from(Side))
def test_a_link_takes_any_bytes(stream: bytes, side: Side) -> None:
    link = Link(side)
    found = link.receive(stream)
    assert link.noise == sum(isinstance(item, FrameFault) for item in found)
    assert link.frames + link.noise + link.protocol_errors == len(found)


@pytest.mark.parametrize(
    "content",
    [
        "02000300 2a00000000000000",  # another version
        "01010300 2a00000000000000",  # sealed
        "01000301 2a00000000000000",  # a flag on an ACK
        "01008302 2a00000000000000 11",  # an unknown flag
        "01007f00 2a00000000000000",  # an unknown type
        "01000100 0000000000000000",  # nonce 0
        "01000500 07000000 02",  # level 2
        "01008300 0000000000000000 11",  # event 0
        "01008300 2a00000000000000 00 33",  # an unknown kind among those of cards
        "01008300 2a00000000000000 03 33",
        "01008300 2a00000000000000 0f",
        f"01008300 2a00000000000000 17 {'00' * 17}",  # an unknown kind with too much behind it
        "01008300 2a00000000000000 11 00",  # a detail where none belongs
        "01008300 2a00000000000000 02 06",  # an unknown reason
        "01008400 2c00000000000000 2b00000000000000",  # lost backwards
        "01008500 07000000 05",  # an unknown result
    ],
)
def test_what_the_page_does_not_list_is_refused(content: str) -> None:
    with pytest.raises(m.ProtocolError):
        from_bytes(bytes.fromhex(content))


@pytest.mark.parametrize("code", [53, 54, 127, 128, 252, 253, 254, 255])
def test_f53_an_unknown_card_code_is_named_with_its_byte(code: int) -> None:
    content = to_bytes(m.Event(42, m.EventKind.CARD, 51))[:-1] + bytes([code])
    assert Link(Side.HOST).receive(encode_frame(content)) == [BadMessage(f"unknown card code: {code:02x}", event=True)]


def test_f53_every_code_is_one_card_and_back() -> None:
    assert len(CARD_CODE) == len(CARD_TEXT) == 53
    assert CARD_TEXT[CARD_CODE["Td"]] == "Td"
    assert "10d" not in CARD_CODE and "TD" not in CARD_CODE


def test_an_echo_is_not_an_answer() -> None:
    link = Link(Side.HOST)
    assert link.receive(link.send(m.Ack(42))) == [BadMessage("our own message 03 came back (echo)")]
    with pytest.raises(ValueError, match="not ours"):
        link.send(m.Lost(1, 2))


def test_no_repr_and_no_error_shows_a_card() -> None:
    event = m.Event(42, m.EventKind.CARD, 51)
    assert "51" not in repr(event) and "As" not in repr(event)
    unlisted = m.Event(42, 0x1C, detail=b"\x33")
    assert repr(unlisted) == "Event(event_no=42, kind=1c, value=**, again=False)"
    with pytest.raises(m.ProtocolError) as caught:
        from_bytes(to_bytes(event) + b"\x00")
    assert "51" not in str(caught.value) and "33" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        (0x17, b""),
        (0x17, b"\x00"),
        (0x17, b"\x03R-1x"),
        (0x17, b"\x03R 1"),
        (0x17, b"\x0dABCDEFGHIJKLM"),
        (0x19, b"\x34\x00\x03R-1"),
        (0x19, b"\x02\x02\x01\x03R-1"),
        (0x1A, b"\x00\x34\x03R-1"),
        (0x1A, b"\x06\x34\x03R-1"),
    ],
)
def test_a_deck_that_is_told_wrongly_is_a_protocol_error(kind: int, detail: bytes) -> None:
    content = bytes([1, 0, 0x83, 0]) + (1).to_bytes(8, "little") + bytes([kind]) + detail
    with pytest.raises(m.ProtocolError):
        from_bytes(content)


def test_a_shuffle_names_a_deck() -> None:
    head = bytes([1, 0, 6, 0]) + (1).to_bytes(4, "little")
    for body in (b"", b"\x00", b"\x02R-1", b"\x03R\x001"):
        with pytest.raises(m.ProtocolError):
            from_bytes(head + body)
