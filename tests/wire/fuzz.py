"""Bytes of every kind into both ends of a line: a frame gives one item at most, however it was cut; memory is bounded.

Not a test itself: test_fuzz.py runs a short form, tests/soak_line.py ten million frames.
"""

from __future__ import annotations

import random
import zlib

from drivers.wire import decks
from drivers.wire import messages as m
from drivers.wire.codec import to_bytes
from drivers.wire.framing import MAX_ENCODED, encode_frame
from drivers.wire.link import Link, Received, Side
from drivers.wire.session import DeviceSeal, HostSeal

KEY = bytes(range(32))
HELLO = m.Hello(7, b"\xb0" * 8, 1, 9, m.CardState.NONE, "SHOE", "S-1", "1.0")
DECK = decks.DeckReport(deck="R-1041", count=52, doubles=1, unread=2, reason=1)
TO_HOST = (
    HELLO,
    m.Status(1, 9, 0, 3, 1, 0),
    m.Event(10, m.EventKind.CARD, 51),
    m.Event(11, m.EventKind.CARD_UNREAD, 2, again=True),
    m.Event(12, m.EventKind.DECK_LOADED, 52),
    m.Event(13, 0x80, detail=b"maker"),
    *(m.Event(14 + n, kind, detail=decks.pack(kind, DECK)) for n, kind in enumerate(decks.LAYOUTS)),
    m.Lost(3, 4),
    m.Done(5, m.Result.JAM),
    m.Paired(bytes(32), "SHOE", "S-1", "1.0", bytes(32)),
)
TO_DEVICE = (
    m.HelloAsk(7),
    m.Poll(1, 0),
    m.Ack(9),
    m.Resend(3),
    m.DealEnable(4, 1),
    m.Shuffle(5, DECK.deck),
    m.Pair(bytes(range(32))),
)
TYPES = sorted({message.TYPE for message in (*TO_DEVICE, *TO_HOST)})


def sealed_pair() -> tuple[Link, Link]:
    """A host and a device in a session."""
    host = Link(Side.HOST, HostSeal(KEY, bytes))
    device = Link(Side.DEVICE, DeviceSeal(KEY, bytes))
    device.receive(host.send(m.HelloAsk(7)))
    host.receive(device.send(HELLO))
    device.receive(host.send(m.Poll(1, 0)))
    host.receive(device.send(m.Status(1, 9, 0)))
    return host, device


def honest_frames() -> list[bytes]:
    """Clear and sealed frames of both directions, without delimiter."""
    host, device = sealed_pair()
    clear = [encode_frame(to_bytes(message)) for message in (*TO_HOST, *TO_DEVICE)]
    sealed = [device.send(message) for message in TO_HOST] + [host.send(message) for message in TO_DEVICE]
    return [frame.strip(b"\0") for frame in clear + sealed]


class Fuzz:
    """One seed's endless supply of frames."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._honest = honest_frames()

    def frame(self) -> bytes:
        """A run of bytes without zeros: honest, damaged, invented, or of the right CRC with nonsense inside."""
        rng = self._rng
        match rng.randrange(6):
            case 0:
                return rng.choice(self._honest)
            case 1:
                return bytes(rng.choices(range(1, 256), k=rng.randrange(0, 40)))
            case 2:
                return bytes(rng.choices(range(1, 256), k=rng.randrange(MAX_ENCODED - 3, MAX_ENCODED + 60)))
            case 3:
                return encode_frame(rng.randbytes(rng.randrange(4, 60)))[:-1]
            case 4:
                head = bytes([1, rng.randrange(2), rng.choice(TYPES), 0])
                return encode_frame(head + rng.randbytes(rng.randrange(0, 60)))[:-1]
            case _:
                damaged = bytearray(rng.choice(self._honest))
                damaged[rng.randrange(len(damaged))] = rng.randrange(1, 256)
                return bytes(damaged)


def digest(items: list[Received]) -> int:
    """Equal for equal items; cards stay out of texts."""
    return zlib.crc32(repr(items).encode())


def links() -> list[Link]:
    """Every kind of end."""
    return [Link(Side.HOST), Link(Side.DEVICE), *sealed_pair()]


def run(frames: int, seed: int, *, slowly: int = 10) -> int:
    """So many frames into every kind of end, one batch in `slowly` also byte by byte. Returns how many were taken."""
    fuzz, whole, cut = Fuzz(seed), links(), links()
    batch = 50
    for number in range(-(-frames // (batch * len(whole)))):
        data = b"\0".join(fuzz.frame() for _ in range(batch)) + b"\0"
        for one, other in zip(whole, cut, strict=True):
            got = one.receive(data)
            assert len(got) <= batch + 1, "more items than frames"
            assert one.unfinished <= MAX_ENCODED, "a frame that never ends is kept"
            pieces = [bytes([byte]) for byte in data] if number % slowly == 0 else [data]
            again = [item for piece in pieces for item in other.receive(piece)]
            assert digest(got) == digest(again), f"the cut made a difference in batch {number} of seed {seed}"
    return sum(link.frames for link in whole)
