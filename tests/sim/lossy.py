"""Host and shoe on a line that loses, damages, doubles, delays, cuts and glues, in virtual time; a seed tells it all.

Not a test itself: test_lossy.py runs some hundred seeds, tests/soak_line.py many more.
"""

from __future__ import annotations

import random
import tempfile
from collections import deque
from pathlib import Path

from drivers.events import CardRead, DeviceEvent, DeviceFault, DeviceLost, DeviceNote, EventsLost
from drivers.session_state import State
from drivers.shoe import Shoe
from drivers.wire.cards import CARD_TEXT
from drivers.wire.messages import EventKind
from drivers.wire.session import HostSeal
from firmware_sim.event_log import EventLog
from firmware_sim.shoe import ShoeDevice

MS = 1_000_000
STEP_MS = 10
KEY = bytes(range(32))
NOTES = (EventKind.LID_OPEN, EventKind.LID_CLOSED, EventKind.EMPTY, EventKind.CUT_CARD)


class Line:
    """One direction. Bytes stay in order, as on a wire; everything else may happen to them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.loss, self.damage, self.double = rng.random() * 0.3, rng.random() * 0.2, rng.random() * 0.2
        self.delay_ms = rng.choice((0, 0, 20, 150, 400))
        self.cut = False
        self._way: deque[tuple[int, bytes]] = deque()

    def heal(self) -> None:
        """From now on a good cable."""
        self.loss = self.damage = self.double = 0.0
        self.delay_ms, self.cut = 0, False

    def send(self, data: bytes, now_ns: int) -> None:
        """Frames go onto the line, each to its own fate."""
        for frame in data.split(b"\0")[:-1]:
            if self.cut or self._rng.random() < self.loss:
                continue
            whole = frame + b"\0"
            if self._rng.random() < self.damage:
                whole = self._damaged(whole)
            for _ in range(2 if self._rng.random() < self.double else 1):
                self._put(whole, now_ns)

    def arrived(self, now_ns: int) -> list[bytes]:
        """What has come by now, cut and glued at random."""
        data = bytearray()
        while self._way and self._way[0][0] <= now_ns:
            data += self._way.popleft()[1]
        pieces = []
        while data:
            size = self._rng.choice((1, 3, 17, len(data)))
            pieces.append(bytes(data[:size]))
            del data[:size]
        return pieces

    def _put(self, data: bytes, now_ns: int) -> None:
        at = now_ns + self._rng.randint(0, self.delay_ms) * MS
        self._way.append((max(at, self._way[-1][0] if self._way else 0), data))

    def _damaged(self, data: bytes) -> bytes:
        kind = self._rng.randrange(4)
        place = self._rng.randrange(len(data))
        if kind == 0:
            return data[:place] + data[place + 1 :]
        if kind == 1:
            return data[:place] + bytes([self._rng.randrange(256)]) + data[place:]
        if kind == 2:
            return data[:place]  # its delimiter too: it runs into the next one
        return data[:place] + bytes([data[place] ^ (1 << self._rng.randrange(8))]) + data[place + 1 :]


class World:
    """Both ends, both directions, a journal, and things that happen."""

    def __init__(self, seed: int, folder: Path, *, sealed: bool) -> None:
        self.rng = random.Random(seed)
        self.sealed = sealed
        self.now_ns = 1000 * MS
        self.log = EventLog(folder / "events")
        key = KEY if sealed else None
        self.device = ShoeDevice(self.log, key=key, entropy=self.rng.randbytes)
        self.journal: dict[int, str] = {}
        self.truth: dict[int, str] = {}
        self.differs: list[int] = []
        self.said: list[DeviceEvent] = []
        self.to_device, self.to_host = Line(self.rng), Line(self.rng)
        self.cut_until_ns = 0
        self.longest_cut_ms = 0
        self.start_host()

    def start_host(self) -> None:
        """A host that knows what is on disk, and nothing else."""
        seal = HostSeal(KEY, self.rng.randbytes) if self.sealed else None
        self.shoe = Shoe("shoe", max(self.journal, default=0), seal=seal)
        self.hear(self.shoe.opened(self.now_ns))
        self.shoe.enable_deal(True)

    def hear(self, events: list[DeviceEvent]) -> None:
        """As the table does: on disk first, then acknowledged; a repeat is compared."""
        for event in events:
            self.said.append(event)
            if isinstance(event, CardRead | DeviceNote):
                what = event.card or event.reason if isinstance(event, CardRead) else event.kind
                if event.event_no not in self.journal:
                    assert event.event_no == len(self.journal) + 1, "out of order"
                if self.journal.setdefault(event.event_no, what) != what:
                    self.differs.append(event.event_no)
                self.shoe.acknowledge(event.event_no)

    def happen(self) -> None:
        """One random thing at the shoe: mostly a card."""
        if self.rng.random() < 0.8:
            card = self.rng.choice(CARD_TEXT)
            self.truth[self.device.card(card, self.now_ns)] = card
        else:
            kind = self.rng.choice(NOTES)
            number = self.device.happen(kind, 0, self.now_ns)
            self.truth[number] = {EventKind.EMPTY: "shoe_empty"}.get(kind, kind.name.lower())

    def step(self) -> None:
        self.now_ns += STEP_MS * MS
        self.to_device.cut = self.to_host.cut = self.now_ns < self.cut_until_ns
        due = self.shoe.next_tick_ns
        if due is not None and due <= self.now_ns:
            self.hear(self.shoe.tick(self.now_ns))
        self.to_device.send(self.shoe.outgoing(), self.now_ns)
        for piece in self.to_device.arrived(self.now_ns):
            self.device.receive(piece, self.now_ns)
        self.device.tick(self.now_ns)
        self.to_host.send(self.device.outgoing(), self.now_ns)
        for piece in self.to_host.arrived(self.now_ns):
            self.hear(self.shoe.receive(piece, self.now_ns))

    def trouble(self, ms: int) -> None:
        """A bad while."""
        for _ in range(ms // STEP_MS):
            if self.rng.random() < 0.02:
                self.happen()
            if self.rng.random() < 0.002:
                self.device.restart()
            if self.rng.random() < 0.001:
                self.start_host()
            if self.rng.random() < 0.001 and self.now_ns >= self.cut_until_ns:
                self.longest_cut_ms = max(self.longest_cut_ms, ms_cut := self.rng.choice((300, 1500, 8000)))
                self.cut_until_ns = self.now_ns + ms_cut * MS
            self.step()

    def heal(self, ms: int) -> None:
        """A good cable from now on."""
        self.cut_until_ns = 0
        self.to_device.heal(), self.to_host.heal()
        for _ in range(ms // STEP_MS):
            self.step()


def run(seed: int, *, sealed: bool = True) -> World:
    """One seed from begin to end; AssertionError where anything was lost, doubled, invented or passed over."""
    with tempfile.TemporaryDirectory(prefix="link-lossy-", dir="/tmp") as folder:
        world = World(seed, Path(folder), sealed=sealed)
        world.trouble(6000)
        world.heal(8000)
        world.log.close()
    assert world.journal == world.truth, "what the table has is not what the shoe saw"
    assert not world.differs and not any(isinstance(event, EventsLost) for event in world.said)
    assert world.shoe.state is State.READY
    assert world.device.deal is not (world.device.lid_open or world.device.jammed), "the level is not what was wished"
    codes = {event.code for event in world.said if isinstance(event, DeviceFault)}
    assert not codes & {"forged", "tampered", "wrong_key", "downgrade", "wrong_device"}, "noise was taken for an attack"
    return world


def declared(seed: int) -> None:
    """A cable that stays cut: both ends say so, and the shoe deals nothing."""
    with tempfile.TemporaryDirectory(prefix="link-lossy-", dir="/tmp") as folder:
        world = World(seed, Path(folder), sealed=True)
        world.heal(2000)
        assert world.device.deal
        world.cut_until_ns = world.now_ns + 10_000 * MS
        before = len(world.said)
        for number in range(800):
            world.step()
            if number * STEP_MS > 1100:
                assert not world.device.deal, "a shoe without a host deals"
        world.log.close()
    said = world.said[before:]
    assert any(isinstance(event, DeviceFault) and event.code == "silent" for event in said)
    assert any(isinstance(event, DeviceLost) for event in said)
