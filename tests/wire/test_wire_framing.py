"""The framer: any bytes, any cut, bounded memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.wire.framing import DELIMITER, MAX_ENCODED, MAX_PACKET, FrameFault, Framer, decode_frame, encode_frame

CONTENT = st.binary(min_size=4, max_size=MAX_PACKET - 4)
NOISE = st.binary(max_size=600)


@given(st.lists(CONTENT, max_size=8))
def test_what_is_sent_arrives(contents: list[bytes]) -> None:
    assert Framer().feed(b"".join(encode_frame(content) for content in contents)) == contents


@given(st.lists(st.one_of(NOISE, CONTENT.map(encode_frame)), max_size=6), st.data())
def test_f1_the_cut_makes_no_difference(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    whole = Framer().feed(stream)
    framer = Framer()
    assert [found for byte in stream for found in framer.feed(bytes([byte]))] == whole
    cut = data.draw(st.integers(0, len(stream)))
    framer = Framer()
    assert framer.feed(stream[:cut]) + framer.feed(stream[cut:]) == whole


@given(st.binary(max_size=2000))
def test_any_bytes_give_at_most_one_find_for_each_delimiter(stream: bytes) -> None:
    runs = stream.split(DELIMITER)[:-1]
    assert len(Framer().feed(stream)) == sum(1 for run in runs if run)


@given(CONTENT, st.data())
def test_a_flipped_bit_never_passes(content: bytes, data: st.DataObject) -> None:
    frame = bytearray(encode_frame(content))
    frame[data.draw(st.integers(0, len(frame) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert content not in Framer().feed(bytes(frame) + DELIMITER)


def test_the_faults_by_name() -> None:
    assert Framer().feed(b"\x01" * (MAX_ENCODED + 1) + b"\x00") == [FrameFault.TOO_LONG]
    assert decode_frame(b"\x09\x01") is FrameFault.COBS
    assert decode_frame(b"\x02\x01\x02\x01") is FrameFault.SHORT
    assert decode_frame(encode_frame(b"abcd")[:-2] + b"\x01") is FrameFault.CRC


def test_memory_is_bounded_and_the_next_frame_is_found() -> None:
    framer = Framer()
    for _ in range(1000):
        assert framer.feed(b"\xaa" * 5000) == []
        assert len(framer._run) <= MAX_ENCODED
    assert framer.feed(DELIMITER + encode_frame(b"after")) == [FrameFault.TOO_LONG, b"after"]


def test_the_longest_frame_fits() -> None:
    content = b"\x01" * (MAX_PACKET - 4)
    frame = encode_frame(content)
    assert len(frame) == MAX_ENCODED + 1
    assert Framer().feed(frame) == [content]


def test_f49_two_frames_glued_into_one_invent_nothing() -> None:
    one, two, three = (encode_frame(name) for name in (b"card-one", b"card-two", b"card-three"))
    found = Framer().feed(one[:-1] + two + three)
    assert found == [FrameFault.CRC, b"card-three"]
