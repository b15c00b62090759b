"""A card shoe on a pseudo-terminal, written from docs/protocol.md alone by somebody who had not seen the controller.

It imports nothing of the project: its own CRC, COBS, HKDF, log and time (frames and seals: shoe_page_line.py).
Section numbers in comments are that page's. What hands do to a real shoe is `happened`, `set_switch` and `restart`.
"""

import hashlib
import hmac
import json
import os
import select
import struct
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from tests.lab.shoe_page_line import Session, is_text, line, pairing, session_keys, text, unline

RANKS, SUITS = "23456789TJQKA", "cdhs"
HELLO_ASK, POLL, ACK, RESEND, DEAL_ENABLE, SHUFFLE, PAIR = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07
HELLO, STATUS, EVENT, LOST, DONE, PAIRED = 0x81, 0x82, 0x83, 0x84, 0x85, 0x87
CARD, CARD_UNREAD, DECK_LOADED, LID_OPEN, LID_CLOSED, JAM, CUT_CARD = 0x01, 0x02, 0x10, 0x11, 0x12, 0x13, 0x16
KEPT, WINDOW, AGAIN_MS, SILENT_MS, SWITCH_MS = 256, 16, 250, 1000, 60_000
LENGTHS = {POLL: 12, ACK: 8, RESEND: 8, DEAL_ENABLE: 5}
SEALED_ASK, CLEAR_ASK, SEAL = 24, 8, 32  # nonce and host_random; nonce; counter, heard and tag around a body


def card_code(name: str) -> int:
    """The code of `As`, `Td`, `JK` (section 4, card codes)."""
    return 52 if name == "JK" else RANKS.index(name[0]) * 4 + SUITS.index(name[1])


class Memory:
    """What a power cut leaves: the numbered events, and the key. A file, one JSON line for each event."""

    def __init__(self, folder: Path) -> None:
        self.events_file, self.key_file = folder / "events.jsonl", folder / "key"
        folder.mkdir(parents=True, exist_ok=True)
        lines = self.events_file.read_text().splitlines() if self.events_file.exists() else []
        logged = [json.loads(entry) for entry in lines[-KEPT:]]
        self.events: list[tuple[int, bytes]] = [(number, bytes.fromhex(what)) for number, what in logged]
        self.last = self.events[-1][0] if self.events else 0
        self.key = self.key_file.read_bytes() if self.key_file.exists() else None

    @property
    def first(self) -> int:
        return self.events[0][0] if self.events else 0

    def add(self, what: bytes) -> None:
        """On disk first; the caller sends afterwards."""
        with self.events_file.open("a") as file:
            file.write(json.dumps([self.last + 1, what.hex()]) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.last += 1
        self.events = [*self.events, (self.last, what)][-KEPT:]

    def keep_key(self, key: bytes) -> None:
        fresh = self.key_file.with_suffix(".new")
        with fresh.open("wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.key_file)
        self.key = key


class Shoe:
    """The device. `receive` takes bytes, `tick` lets time pass, `out` gathers bytes for the line. Milliseconds."""

    def __init__(self, memory: Memory, now: float, serial: str = "S-0007") -> None:
        self.memory, self.now = memory, now
        self.model_serial = text("SHOE/Page") + text(serial)
        self.names = self.model_serial + text("page 1")
        self.boot_id = os.urandom(8)
        self.session: Session | None = None
        self.asked: Session | None = None  # sealed: a question answered, whose session has not begun
        self.acked, self.next, self.rose_ms = 0, 1, now
        self.event_ms: dict[int, float] = {}  # when each event was last sent since power-up
        self.poll_ms = now
        self.enabled = self.lid_open = self.jammed = False
        self.frames = self.noise = self.again = self.resends = 0
        self.run, self.overlong = b"", False
        self.switch_ms = 0.0  # pairing is possible until then
        self.paired: tuple[bytes, bytes] = (b"", b"")  # the last PAIR taken, and its answer
        self.lose_host = self.lose_event = False  # faults of the line, for tests
        self.out = b"\0" + line(self.hello(0))

    # What happens to the shoe

    def happened(self, kind: int, detail: bytes = b"") -> None:
        """Logged whatever the state, then sent as far as a session allows (section 5, Log)."""
        self.memory.add(bytes([kind]) + detail)
        self.lid_open = kind == LID_OPEN or (self.lid_open and kind != LID_CLOSED)
        self.jammed = kind == JAM or (self.jammed and kind != LID_CLOSED)
        self.inhibit_if_due()
        self.send_events()

    def set_switch(self) -> None:
        self.switch_ms = self.now + SWITCH_MS

    def tick(self, now: float) -> None:
        self.now = now
        self.inhibit_if_due()
        if self.session and self.session.polled:
            self.repeat_oldest()
            self.send_events()

    def refusal(self) -> int:
        """The lowest number of a reason against dealing; 0: none (section 5, Commands)."""
        full = sum(number > self.acked for number, _ in self.memory.events) >= KEPT
        silent = self.now - self.poll_ms >= SILENT_MS
        reasons = (self.lid_open, self.jammed, full, silent)
        return next((number for number, stands in enumerate(reasons, 1) if stands), 0)

    def inhibit_if_due(self) -> None:
        self.enabled = self.enabled and not self.refusal()

    # Line

    def receive(self, data: bytes) -> None:
        for byte in data:
            if byte == 0:
                self.end_of_run()
            elif not self.overlong:
                self.run += bytes([byte])
                self.overlong = len(self.run) > 249

    def end_of_run(self) -> None:
        run, self.run, overlong, self.overlong = self.run, b"", self.overlong, False
        if not run or self.lose_host:
            return
        content = None if overlong else unline(run)
        if content is None:
            self.noise += 1
        else:
            self.frames += 1
            self.content(content)

    def content(self, content: bytes) -> None:
        version, security, kind, flags = content[:4]
        if version != 1 or security > 1 or flags or kind not in range(HELLO_ASK, PAIR + 1):
            return
        if kind == PAIR:
            if security == 0 and len(content) == 4 + 32:
                self.pair(content[4:])
        elif security != bool(self.memory.key):
            return
        elif kind == HELLO_ASK:
            self.hello_asked(content[4:])
        else:
            self.message(kind, content)

    def message(self, kind: int, content: bytes) -> None:
        if self.memory.key:
            self.sealed(kind, content)
        elif self.session:
            self.obey(self.session, kind, content[4:])
        elif kind == POLL and len(content) == 4 + LENGTHS[POLL]:
            self.out += line(self.hello(0))

    def send(self, kind: int, body: bytes, flags: int = 0) -> None:
        if not self.session:
            return
        if self.session.keys:
            self.out += line(self.session.seal(kind, flags, body, self.now))
        else:
            self.out += line(bytes([1, 0, kind, flags]) + body)

    # Sessions

    def hello(self, nonce: int) -> bytes:
        head = bytes([1, int(bool(self.memory.key)), HELLO, 0])
        log = struct.pack("<QQB", self.memory.first, self.memory.last, 0)
        return head + struct.pack("<Q", nonce) + self.boot_id + log + self.names

    def hello_asked(self, question: bytes) -> None:
        nonce = int.from_bytes(question[:8], "little")
        if nonce == 0 or len(question) != (SEALED_ASK if self.memory.key else CLEAR_ASK):
            return
        known = next((s for s in (self.session, self.asked) if s and s.question == question), None)
        session = known or self.new_session(question)
        content = self.hello(nonce)
        if session.keys:
            content += session.device_random
            content += hmac.digest(session.keys[64:], content, "sha256")
        self.out += line(content)

    def new_session(self, question: bytes) -> Session:
        session = Session(question, os.urandom(16), began_ms=self.now)
        if self.memory.key is None:
            self.begin(session)
        else:
            salt = question[8:] + session.device_random
            session.keys = session_keys(self.memory.key, salt, question[:8], self.boot_id + self.model_serial)
            self.asked = session
        return session

    def begin(self, session: Session) -> None:
        self.session, self.asked, self.enabled = session, None, False

    def sealed(self, kind: int, content: bytes) -> None:
        """Opens under the keys of now, or under those asked for, which begins that session (section 9)."""
        if len(content) < 4 + SEAL:
            return
        for session in filter(None, (self.session, self.asked)):
            if opened := session.unseal(content):
                break
        else:
            if kind == POLL and not self.session:
                self.out += line(self.hello(0))
            return
        counter, heard, body = opened
        if counter <= session.opened:
            return
        session.opened = counter
        if session is self.asked:
            self.begin(session)
        if not session.late(heard, self.now):
            self.obey(session, kind, body)
        elif kind == POLL and len(body) == LENGTHS[POLL]:
            self.send(STATUS, self.status(body[:4]))

    # Messages

    def obey(self, session: Session, kind: int, body: bytes) -> None:
        if kind == SHUFFLE:
            if len(body) < 4 or not is_text(body[4:]):
                return
        elif len(body) != LENGTHS[kind] or (kind == POLL and body[:4] == bytes(4)):
            return
        if kind == POLL:
            self.polled(session, body)
        elif session.polled and kind == ACK:
            self.raise_acked(int.from_bytes(body, "little"))
        elif session.polled and kind == RESEND:
            self.resend(int.from_bytes(body, "little"))
        elif session.polled:
            self.command(session, kind, int.from_bytes(body[:4], "little"), body[4])
        self.inhibit_if_due()
        self.send_events()

    def status(self, poll_no: bytes) -> bytes:
        counts = (self.frames & 0xFFFFFFFF, self.noise & 0xFFFFFFFF, self.again & 0xFFFFFFFF)
        return poll_no + struct.pack("<QBIII", self.memory.last, self.enabled, *counts)

    def polled(self, session: Session, body: bytes) -> None:
        acked = int.from_bytes(body[4:], "little")
        self.inhibit_if_due()  # a pause of 1000 ms has inhibited, even if nobody looked in between
        self.poll_ms = self.now
        if session.polled:
            self.raise_acked(acked)
        else:
            session.polled = True
            self.acked = acked if acked <= self.memory.last else 0
            self.next, self.rose_ms = self.acked + 1, self.now
        self.inhibit_if_due()
        self.send(STATUS, self.status(body[:4]))

    def raise_acked(self, number: int) -> None:
        if self.acked < number <= self.memory.last:
            self.acked, self.rose_ms = number, self.now

    def resend(self, start: int) -> None:
        if not 1 <= start <= self.memory.last + 1:
            return
        self.resends += 1
        if start < self.memory.first:
            self.send(LOST, struct.pack("<QQ", start, self.memory.first - 1))
        self.next = max(start, self.memory.first)
        self.acked = min(self.acked, start - 1)

    def command(self, session: Session, kind: int, number: int, level: int) -> None:
        if number == 0 or (kind == DEAL_ENABLE and level > 1):
            return
        if number > session.command:
            result = 4 if kind == SHUFFLE else self.refusal() if level else 0
            if kind == DEAL_ENABLE:
                self.enabled = level == 1 and result == 0
            session.command, session.done = number, struct.pack("<IB", number, result)
        if number == session.command:
            self.send(DONE, session.done)

    # Events

    def send_events(self) -> None:
        if not self.session or not self.session.polled:
            return
        self.next = max(self.next, self.memory.first, self.acked + 1)
        limit = max(self.acked, self.memory.first - 1) + WINDOW
        while self.next <= min(limit, self.memory.last):
            self.send_event(self.next)
            self.next += 1

    def repeat_oldest(self) -> None:
        oldest = max(self.acked + 1, self.memory.first)
        if oldest < self.next and self.now - max(self.event_ms.get(oldest, 0.0), self.rose_ms) >= AGAIN_MS:
            self.send_event(oldest)

    def send_event(self, number: int) -> None:
        again = number in self.event_ms
        self.event_ms[number] = self.now
        self.again += again
        if again:
            self.lose_host = False
        before = self.out
        what = self.memory.events[number - self.memory.first][1]
        self.send(EVENT, struct.pack("<Q", number) + what, int(again))
        if self.lose_event:
            self.out, self.lose_event = before, False

    # Pairing (section 11)

    def pair(self, host_public: bytes) -> None:
        if self.now >= self.switch_ms:
            return
        if host_public != self.paired[0]:
            try:
                key, answer = pairing(X25519PrivateKey.generate(), host_public, self.names)
            except ValueError:  # a shared secret of zeros
                return
            self.memory.keep_key(key)
            self.session = self.asked = None
            self.enabled = False
            self.paired = (host_public, line(answer))
        self.out += self.paired[1]


class ShoeOnPty:
    """The shoe with a line, a supply and time: one thread moves bytes and the clock. `port` is the slave's path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.changed = threading.Condition()
        self.shoe = Shoe(Memory(folder), self.now())
        self.running = True
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    @staticmethod
    def now() -> float:
        return time.monotonic() * 1000

    def serve(self) -> None:
        while self.running:
            ready, _, _ = select.select([self.master], [], [], 0.01)
            data = os.read(self.master, 4096) if ready else b""
            with self.changed:
                self.shoe.now = self.now()
                self.shoe.receive(data)
                self.shoe.tick(self.now())
                out, self.shoe.out = self.shoe.out, b""
                self.changed.notify_all()
            while out:
                out = out[os.write(self.master, out) :]

    def happened(self, kind: int, detail: bytes = b"", timeout: float = 15.0) -> None:
        """A note at once; a card when the lock lets one out."""
        if kind in (CARD, CARD_UNREAD):
            self.until(lambda: self.shoe.enabled, timeout)
        with self.changed:
            self.shoe.happened(kind, detail)

    def until(self, so: Callable[[], bool], timeout: float = 15.0) -> None:
        with self.changed:
            if not self.changed.wait_for(so, timeout):
                raise TimeoutError("the shoe has waited in vain")

    def restart(self) -> None:
        """Power off and on: another boot_id, no session; log and key stay."""
        with self.changed:
            self.shoe = Shoe(Memory(self.folder), self.now())

    def close(self) -> None:
        self.running = False
        self.thread.join()
        os.close(self.master)
        os.close(self.slave)

    @property
    def key_id(self) -> str:
        """As a display would show it (section 11)."""
        return hashlib.sha256(b"table device key id 1" + (self.shoe.memory.key or b"")).hexdigest()[:16]
