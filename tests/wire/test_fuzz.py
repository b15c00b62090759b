"""Any bytes parse or give one fault, in one chunk as byte by byte, with bounded memory (soak: ten million frames)."""

from __future__ import annotations

import itertools
import tracemalloc

import fuzz
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wire.codec import to_bytes
from drivers.wire.framing import MAX_ENCODED, FrameFault, encode_frame
from drivers.wire.link import BadMessage, Begun, Late, Link, Side
from drivers.wire.session import NoSession, Tampered


@pytest.mark.parametrize("seed", range(4))
def test_frames_of_every_kind_into_every_end(seed: int) -> None:
    assert fuzz.run(10_000, seed) > 100


@given(st.binary(max_size=600), st.lists(st.integers(0, 600), max_size=6))
def test_any_bytes_in_any_cut(data: bytes, places: list[int]) -> None:
    for one, other in zip(fuzz.links(), fuzz.links(), strict=True):
        edges = [0, *sorted(min(place, len(data)) for place in places), len(data)]
        pieces = [data[a:b] for a, b in itertools.pairwise(edges)]
        whole = one.receive(data)
        assert fuzz.digest(whole) == fuzz.digest([item for piece in pieces for item in other.receive(piece)])
        kinds = (FrameFault, BadMessage, Tampered, NoSession, Begun, Late)
        assert all(isinstance(item, kinds) or hasattr(item, "TYPE") for item in whole)


def test_a_frame_gives_at_most_one_message_or_one_fault() -> None:
    supply = fuzz.Fuzz(9)
    for end in fuzz.links():
        for _ in range(2000):
            frame = supply.frame()
            items = [item for item in end.receive(frame + b"\0") if not isinstance(item, Begun)]
            assert len(items) <= 1


def test_memory_stays_bounded_under_a_stream_without_end() -> None:
    for link in fuzz.links():
        tracemalloc.start()
        for _ in range(300):
            link.receive(b"\x07" * 4096)
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert link.unfinished <= MAX_ENCODED and held < 64 * 1024


def test_every_honest_frame_is_taken_by_the_right_end_alone() -> None:
    """The fuzz would show nothing if every frame were refused: honest ones are taken by the right end alone."""
    for message in fuzz.TO_HOST:
        assert Link(Side.HOST).receive(encode_frame(to_bytes(message))) == [message]
    for message in fuzz.TO_DEVICE:
        assert Link(Side.DEVICE).receive(encode_frame(to_bytes(message))) == [message]
    host, device = fuzz.sealed_pair()
    frame = device.send(fuzz.TO_HOST[1])
    assert host.receive(frame) == [fuzz.TO_HOST[1]]
    assert isinstance(Link(Side.DEVICE).receive(frame)[0], BadMessage)
