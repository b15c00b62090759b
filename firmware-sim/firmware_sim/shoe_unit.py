"""The shoe as a thing: device, port and a thread that moves bytes between them; the plug, the line's noise.

The only place where shoe and line meet a clock.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random

from drivers.wire.framing import encode_frame
from drivers.wire.messages import VERSION, Event, EventKind, UnreadReason
from drivers.wire.session import SEALED
from firmware_sim.event_log import EventLog
from firmware_sim.key_memory import KeyMemory
from firmware_sim.pty_port import PtyPort
from firmware_sim.shoe import ShoeDevice

TICK_S = 0.02
BOOT_NS = 2_000_000_000
BANNER = b"SHOE v1.2\r\n"  # what the boot loader of some micro-controller prints
EARLY_NS = 1_000_000_000


class ShoeUnit:
    """One shoe on a pty: `folder/shoe`; its memory beside it in `shoe-events`, its key, if any, in `shoe-key`."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.port = PtyPort(folder / "shoe")
        self._log = EventLog(folder / "shoe-events")
        memory = KeyMemory(folder / "shoe-key")
        self.device = ShoeDevice(self._log, key=memory.read())
        self.device.keep_key = memory.write
        self.noise = False
        self.twice = self.split = False
        self._rest = b""
        self._held_until_ns = self._early_until_ns = self._boots_until_ns = 0
        self._openings = 0
        self.restarts_on_open = False
        self.lose_next: Callable[[], None] | None = None  # the next card is lost with its event; what comes afterwards
        self._heard: deque[bytes] = deque(maxlen=8)
        self._random = Random(f"{seed}/line")
        self._lock = threading.Lock()
        self._wake_in, self._wake_out = os.pipe()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shoe", daemon=True)

    def start(self) -> None:
        """Plug in and run."""
        self.port.plug()
        self._thread.start()

    def stop(self) -> None:
        """Unplug and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._wake()
            self._thread.join(timeout=2)
        self.port.unplug()
        self._log.close()
        os.close(self._wake_in)
        os.close(self._wake_out)

    @property
    def deal(self) -> bool:
        """May a card be drawn? The physical lock, in a way."""
        return self.device.deal

    def card(self, card: str) -> bool:
        """Draw a card; False when the shoe is inhibited and holds it back."""
        with self._lock:
            if not self.device.deal:
                return False
            lost, self.lose_next = self.lose_next, None
            if lost is not None:
                self.port.unplug()
            number = self.device.card(card, time.monotonic_ns())
            if lost is not None:
                self._log.forget(number)
                lost()
        self._wake()
        return True

    def unread(self) -> bool:
        """Draw a card too fast to be read."""
        with self._lock:
            if not self.device.deal:
                return False
            self.device.unread(UnreadReason.TOO_FAST, time.monotonic_ns())
        self._wake()
        return True

    def double_feed(self) -> bool:
        """Two cards come at once; False when the shoe is inhibited."""
        with self._lock:
            if not self.device.deal:
                return False
            self.device.double_feed(time.monotonic_ns())
        self._wake()
        return True

    def happen(self, kind: EventKind) -> None:
        """A jam, or its lid."""
        with self._lock:
            self.device.happen(kind, 0, time.monotonic_ns())
        self._wake()

    def open_and_close(self) -> None:
        """Somebody frees a card that sticks."""
        self.happen(EventKind.LID_OPEN)
        self.happen(EventKind.LID_CLOSED)

    def load(self, count: int) -> None:
        """Put a shuffled deck in."""
        with self._lock:
            self.device.load(count, time.monotonic_ns())
        self._wake()

    def lose_acks(self, seconds: float) -> None:
        """What acknowledges is lost for a while."""
        self.device.drop_acks_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def open_pairing(self, seconds: float = 60.0) -> None:
        """Somebody sets the switch inside the shoe: it takes a new key for a minute."""
        with self._lock:
            self.device.pairing_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def forge(self) -> None:
        """Somebody on the wire invents cards: whole frames, sealed by nobody."""
        with self._lock:
            for number in range(6):
                head = bytes([VERSION, SEALED, Event.TYPE, 0]) + (2**40 + number).to_bytes(8, "little")
                self.port.write(encode_frame(head + self._random.randbytes(26)))

    def replay(self) -> None:
        """Somebody on the wire plays again what he has heard."""
        with self._lock:
            self.port.write(b"".join(self._heard))

    def hold_back(self, seconds: float) -> None:
        """Somebody on the wire keeps what the shoe says, and lets all of it go afterwards."""
        with self._lock:
            self._held_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def contradict(self) -> None:
        """The last card's event comes again with another card in it, properly sealed: a device that is out of order."""
        with self._lock:
            self.device.contradict()
        self._wake()

    def speak_at_once(self) -> None:
        """Plugged in anew, it says its last frames again and again, whoever listens, while the line still echoes."""
        self.unplug()
        with self._lock:
            self._early_until_ns = time.monotonic_ns() + EARLY_NS
        self.plug()

    def unplug(self) -> None:
        """Pull the plug; the shoe itself keeps its supply."""
        with self._lock:
            self.port.unplug()

    def plug(self, *, taken: bool = False) -> None:
        """Put the plug back; `taken`: another program has the port first, until `let_go`."""
        with self._lock:
            self.port.plug(taken=taken)
        self._wake()

    def let_go(self) -> None:
        """That program ends."""
        with self._lock:
            self.port.let_go()

    def swap(self, model: str = "SHOE/sim") -> Callable[[], None]:
        """Another device stands here, of another serial number and with a key of its own. Returns how to swap back."""
        mine = self.device.serial, self.device.model, self.device.key
        self._become("SIM-0666", model, self._random.randbytes(32) if self.device.key else None)
        return lambda: self._become(*mine)

    def _become(self, serial: str, model: str, key: bytes | None) -> None:
        self.unplug()
        with self._lock:
            self.device.serial, self.device.model, self.device.key = serial, model, key
            self.device.restart()
        self.plug()

    def restart(self) -> None:
        """Power off and on."""
        with self._lock:
            self.device.restart()
        self._wake()

    def _wake(self) -> None:
        os.write(self._wake_out, b"!")

    def _run(self) -> None:
        while not self._stop.is_set():
            # A closed host's end is "readable" for ever: it is looked at once a tick instead.
            here = self.port.fileno >= 0 and not self.port.idle
            watched = [self._wake_in, self.port.fileno] if here else [self._wake_in]
            try:
                ready, _, _ = select.select(watched, [], [], TICK_S)
            except (OSError, ValueError):
                continue  # the port was unplugged between the two lines above
            if self._wake_in in ready:
                os.read(self._wake_in, 4096)
            self._round()

    def _round(self) -> None:
        with self._lock:
            now = time.monotonic_ns()
            data = self.port.read()
            if self._boots(now):
                return
            if data:
                self.device.receive(data, now)
            self.device.tick(now)
            sent = self.device.outgoing()
            if sent:
                self._heard.append(sent)
            self.port.write(self._in_parts(self._on_the_line(sent)))
            if now < self._early_until_ns:
                self.port.write(b"".join(self._heard))

    def _boots(self, now_ns: int) -> bool:
        """A device that restarts when its port is opened hears and says nothing for a while, then prints a banner."""
        opened, self._openings = self.port.openings != self._openings, self.port.openings
        if opened and self.restarts_on_open:
            self._log.restart()
            self.device.restart()
            self._boots_until_ns = now_ns + BOOT_NS
        if self._boots_until_ns and now_ns >= self._boots_until_ns:
            self._boots_until_ns = 0
            self.port.write(BANNER)
        return self._boots_until_ns > 0

    def _in_parts(self, data: bytes) -> bytes:
        """What goes out now; the rest of it with the next round, or once nobody holds it back any more."""
        if time.monotonic_ns() < self._held_until_ns:
            self._rest += data
            return b""
        half = len(data) // 2 if self.split else len(data)
        now, self._rest = self._rest + data[:half], data[half:]
        return now

    def _on_the_line(self, data: bytes) -> bytes:
        if not data:
            return data
        if self.twice:
            data += data
        if self.noise:
            junk = bytes(self._random.randrange(1, 256) for _ in range(self._random.randrange(1, 40)))
            damaged = bytearray(data)
            if self._random.random() < 0.2:
                damaged[self._random.randrange(len(damaged))] ^= 1 << self._random.randrange(8)
            data = junk + b"\0" + bytes(damaged)
        return data
