"""A shoe for tests, built from section 5 of docs/protocol.md, on virtual time, and a table that listens."""

from __future__ import annotations

from collections.abc import Callable

from drivers.events import CardRead, DeviceEvent, DeviceNote
from drivers.shoe import Shoe
from drivers.wire import messages as m
from drivers.wire.link import Link, Side

MS = 1_000_000
KEEP = 256
WINDOW = 16


class FakeShoe:
    """The device's side: log, marks, session, polls, commands."""

    def __init__(self, *, model: str = "SHOE", serial: str = "S-0007", firmware: str = "1.0.3") -> None:
        self.model, self.serial, self.firmware = model, serial, firmware
        self.link = Link(Side.DEVICE)
        self.log: dict[int, tuple[int, int, bytes]] = {}
        self.remembers = False  # says in HELLO up to where a host has ever acknowledged
        self.ever = 0
        self.log_last = 0
        self.boots = 0
        self.card = m.CardState.NONE
        self.lid_open = False
        self.silent_until_ns = 0
        self.taken: list[m.Message] = []
        self.done_for: list[int] = []
        self.power_up()

    def power_up(self, silent_until_ns: int = 0) -> None:
        self.boots += 1
        self.nonce = 0
        self.acked, self.next, self.sent = 0, 0, 0
        self.polled_ns: int | None = None
        self.sent_ns = 0
        self.deal = False
        self.last_id, self.answer = 0, m.Result.DONE
        self.silent_until_ns = silent_until_ns
        self.link.reset()

    @property
    def log_first(self) -> int:
        return min(self.log) if self.log else (self.log_last + 1 if self.log_last else 0)

    def hello(self, nonce: int) -> bytes:
        boot = self.boots.to_bytes(8, "big")
        texts = (self.model, self.serial, self.firmware)
        acked = self.ever if self.remembers else None
        hello = m.Hello(nonce, boot, self.log_first, self.log_last, self.card, *texts, acked)
        return self.link.send(hello, fresh=True)

    def happen(self, kind: int, value: int = 0, detail: bytes = b"") -> int:
        self.log_last += 1
        self.log[self.log_last] = (kind, value, detail)
        self.log.pop(self.log_last - KEEP, None)
        return self.log_last

    def cards(self, *codes: int) -> None:
        for code in codes:
            self.happen(m.EventKind.CARD, code)

    def run(self, data: bytes, now_ns: int) -> bytes:
        """Everything received, and then what is due."""
        found = self.link.receive(data)
        if now_ns < self.silent_until_ns:
            return b""
        out = b"".join(self.take(item, now_ns) for item in found)
        if self.polled_ns is not None and now_ns - self.polled_ns >= 1000 * MS:
            self.deal = False
        return out + self.events(now_ns)

    def take(self, item: object, now_ns: int) -> bytes:
        if isinstance(item, m.HelloAsk):
            if item.nonce != self.nonce:
                self.nonce, self.polled_ns, self.deal, self.last_id = item.nonce, None, False, 0
            return self.hello(self.nonce)
        if isinstance(item, m.Poll) and not self.nonce:
            return self.hello(0)
        if not self.nonce or not isinstance(item, m.Poll | m.Ack | m.Resend | m.DealEnable):
            return b""
        self.taken.append(item)
        if self.polled_ns is None and not isinstance(item, m.Poll):
            return b""
        return self.obey(item, now_ns)

    def obey(self, item: m.Message, now_ns: int) -> bytes:
        match item:
            case m.Poll(poll_no=poll_no, acked=acked):
                if self.polled_ns is None:
                    self.acked = acked if acked <= self.log_last else 0
                    self.next, self.sent = self.acked + 1, self.acked
                    self.ever = max(self.ever, self.acked)
                self.polled_ns = now_ns
                self.raise_to(acked, now_ns)
                frames = self.link.frames + self.link.protocol_errors
                return self.link.send(m.Status(poll_no, self.log_last, int(self.deal), frames))
            case m.Ack(event_no=event_no):
                self.raise_to(event_no, now_ns)
            case m.Resend(from_no=from_no) if from_no <= self.log_last + 1:
                self.acked = min(self.acked, from_no - 1)
                self.next = max(from_no, self.log_first)
                if from_no < self.log_first:
                    return self.link.send(m.Lost(from_no, self.log_first - 1))
            case m.DealEnable(command_id=command_id, level=level) if command_id >= self.last_id:
                if command_id > self.last_id:
                    self.last_id = command_id
                    self.answer = self.hindered(now_ns) if level else m.Result.DONE
                    self.deal = bool(level) and self.answer is m.Result.DONE
                    self.done_for.append(command_id)
                return self.link.send(m.Done(command_id, self.answer))
        return b""

    def hindered(self, now_ns: int) -> m.Result:
        if self.lid_open:
            return m.Result.LID_OPEN
        polled = self.polled_ns is not None and now_ns - self.polled_ns < 1000 * MS
        return m.Result.DONE if polled else m.Result.REFUSED

    def raise_to(self, event_no: int, now_ns: int) -> None:
        if self.acked < event_no <= self.log_last:
            self.acked, self.sent_ns = event_no, now_ns
            self.ever = max(self.ever, event_no)

    def events(self, now_ns: int) -> bytes:
        if self.polled_ns is None:
            return b""
        out = b""
        self.next = max(self.next, self.acked + 1, self.log_first)
        while self.next <= min(self.log_last, max(self.acked, self.log_first - 1) + WINDOW):
            out += self.event(self.next, now_ns)
            self.next += 1
        oldest = max(self.acked + 1, self.log_first)
        if oldest < self.next and now_ns - self.sent_ns >= 250 * MS:
            out += self.event(oldest, now_ns)
        return out

    def event(self, event_no: int, now_ns: int) -> bytes:
        kind, value, detail = self.log[event_no]
        again, self.sent = event_no <= self.sent, max(self.sent, event_no)
        if event_no == max(self.acked + 1, self.log_first):
            self.sent_ns = now_ns
        return self.link.send(m.Event(event_no, kind, value, again, detail))


class Table:
    """A shoe driver and a device on one line, in virtual time; what the driver said, and a journal."""

    def __init__(self, device: FakeShoe, *, last_event: int = 0, journal: dict[int, str | None] | None = None) -> None:
        self.device = device
        self.driver = Shoe("shoe", last_event)
        self.now_ns = 10 * MS
        self.said: list[DeviceEvent] = []
        self.journal: dict[int, str | None] = dict(journal or {})
        self.differs: list[int] = []
        self.written = bytearray()
        self.to_device: Callable[[bytes], bytes] = lambda data: data
        self.to_host: Callable[[bytes], bytes] = lambda data: data
        self.journalling = True
        self.chunk = 0

    def plug(self) -> None:
        self.hear(self.driver.opened(self.now_ns))

    def unplug(self, reason: str = "device gone") -> None:
        self.hear(self.driver.closed(reason, self.now_ns))
        self.device.link.reset()

    def run(self, ms: int, step: int = 10) -> None:
        for _ in range(ms // step):
            self.now_ns += step * MS
            due = self.driver.next_tick_ns
            if due is not None and due <= self.now_ns:
                self.hear(self.driver.tick(self.now_ns))
            out = self.driver.outgoing()
            self.written += out
            self.give(self.to_host(self.device.run(self.to_device(out), self.now_ns)))

    def give(self, data: bytes) -> None:
        if self.driver.next_tick_ns is None:
            return  # unplugged
        pieces = [data[i : i + self.chunk] for i in range(0, len(data), self.chunk)] if self.chunk else [data]
        for piece in pieces:
            self.hear(self.driver.receive(piece, self.now_ns))

    def hear(self, events: list[DeviceEvent]) -> None:
        for event in events:
            self.said.append(event)
            if isinstance(event, CardRead | DeviceNote) and self.journalling and not self.behind(event):
                self.record(event)

    def behind(self, event: CardRead | DeviceNote) -> bool:
        """As the table does: while an earlier event could not be recorded, a later one is left to come again."""
        unrecorded = {e.event_no for e in self.said if isinstance(e, CardRead | DeviceNote)} - set(self.journal)
        return any(number < event.event_no for number in unrecorded)

    def record(self, event: CardRead | DeviceNote) -> None:
        what = event.card if isinstance(event, CardRead) else event.kind
        if self.journal.setdefault(event.event_no, what) != what:
            self.differs.append(event.event_no)
        else:
            self.driver.acknowledge(event.event_no)

    def told(self, kind: type[DeviceEvent]) -> list[DeviceEvent]:
        return [event for event in self.said if isinstance(event, kind)]

    def codes(self) -> list[str]:
        return [getattr(event, "code", type(event).__name__) for event in self.said]
