"""A device's own side of docs/protocol.md: sessions, the numbered log, acknowledgements, the enabled level.

Sans-I/O: bytes and monotonic nanoseconds come in, bytes go out. Does nothing without a host, and inhibits itself when
nobody polls. shoe.py and shuffler.py add what happens physically.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from drivers.wire.cards import CARD_TEXT
from drivers.wire.link import Begun, Late, Link, Received, Side
from drivers.wire.messages import (
    Ack,
    CardState,
    DealEnable,
    DeviceMessage,
    Done,
    Event,
    EventKind,
    Hello,
    HelloAsk,
    Lost,
    Pair,
    Paired,
    Poll,
    Resend,
    Result,
    Shuffle,
    Status,
)
from drivers.wire.pairing import answer
from drivers.wire.session import DeviceSeal, Entropy, NoSession
from firmware_sim.event_log import KEPT, EventLog

MS = 1_000_000
WINDOW = 16
AGAIN_NS = 250 * MS
INHIBIT_NS = 1000 * MS
U32 = 0xFFFFFFFF
Obeyed = Poll | Ack | Resend | DealEnable | Shuffle


@dataclass
class Session:
    """What lives from one HELLO_ASK to the next."""

    nonce: int
    polled_ns: int | None = None  # None until the first POLL: before it no event is sent and nothing is obeyed
    progress_ns: int = 0  # when `acked` last rose
    acked: int = 0
    next: int = 1
    command_id: int = 0
    answers: dict[int, Result] = field(default_factory=dict)


class NumberedDevice:
    """One device, sealed if it has a key. Not thread-safe: the bench holds a lock around it."""

    def __init__(
        self, log: EventLog, serial: str, model: str, *, key: bytes | None = None, entropy: Entropy = os.urandom
    ) -> None:
        self._log = log
        self._entropy = entropy
        self.key = key
        self.pairing_until_ns = 0  # a switch inside the device: till then it takes a new key
        self._paired: tuple[Pair, Paired] | None = None
        self.keep_key: Callable[[bytes], None] = lambda _: None  # where a new key stays over a power cut
        self.serial, self.model, self.firmware = serial, model, "1.0.0"
        self.lid_open = self.jammed = False
        self.drop_acks_until_ns = 0  # fault: what acknowledges is lost on the line until then
        self.deal = False
        self._power_up()

    # --- power and bytes

    def _power_up(self) -> None:
        self._boot_id = self._entropy(8)
        self._session: Session | None = None
        self._link = Link(Side.DEVICE, DeviceSeal(self.key, self._entropy) if self.key else None)
        self._now_ns = 0
        self._out = bytearray()
        self._sent_ns: dict[int, int] = {}  # when each event was last sent, since power-up
        self._again = 0
        self.deal = False
        self._send(self._hello(0), fresh=True)

    def restart(self) -> None:
        """Power off and on: the log stays, everything else is forgotten."""
        self._power_up()

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes from the host, in any cut."""
        self._now_ns = now_ns
        for found in self._link.receive(data, now_ns):
            self._take(found, now_ns)
        self._pump(now_ns)

    def outgoing(self) -> bytes:
        """What is to be written since the last call."""
        data, self._out = bytes(self._out), bytearray()
        return data

    def tick(self, now_ns: int) -> None:
        """Repeat what nobody acknowledged; inhibit when nobody polls."""
        self._now_ns = now_ns
        session = self._session
        if session is None or session.polled_ns is None:
            return
        if now_ns - session.polled_ns >= INHIBIT_NS:
            self.deal = False
        oldest = max(session.acked + 1, self._log.first)
        quiet_ns = max(session.progress_ns, self._sent_ns.get(oldest, 0))
        if oldest < session.next and now_ns - quiet_ns >= AGAIN_NS:
            self._send_event(oldest, now_ns)

    # --- what happens physically

    def happen(self, kind: EventKind, value: int, now_ns: int, detail: bytes = b"") -> int:
        """Log an event, inhibited or not, then send it when its turn comes."""
        if kind in (EventKind.LID_OPEN, EventKind.LID_CLOSED):
            self.lid_open = kind is EventKind.LID_OPEN
        if kind in (EventKind.JAM, EventKind.LID_CLOSED):
            self.jammed = kind is EventKind.JAM  # this device takes a jam for cleared when the lid closes
        number = self._log.append(kind, value, detail).number
        self._now_ns = now_ns
        self._pump(now_ns)
        return number

    def contradict(self) -> None:
        """Fault: the newest card's event is told again as another card."""
        events = (self._log.get(number) for number in range(self._log.last, 0, -1))
        card = next((event for event in events if event and event.kind == EventKind.CARD), None)
        if card is not None and self._session is not None and self._session.polled_ns is not None:
            value = (card.value + 1) % len(CARD_TEXT)
            self._send(Event(event_no=card.number, kind=EventKind.CARD, value=value, again=True))

    def lose_log(self, up_to: int) -> None:
        """Memory trouble: events up to this number are gone."""
        self._log.forget(up_to)

    @property
    def last_event(self) -> int:
        """Number of the newest event."""
        return self._log.last

    @property
    def acked(self) -> int:
        """Number up to which the host has everything on disk, as far as the device knows."""
        return self._session.acked if self._session else 0

    # --- messages

    def _take(self, found: Received, now_ns: int) -> None:
        match found:
            case HelloAsk(nonce=nonce):
                if not self._link.sealed:  # sealed: only the first message under the new keys begins it
                    self._begin(nonce)
                self._send(self._hello(nonce))
            case Pair() if now_ns < self.pairing_until_ns:
                self._pair(found)
            case Begun(nonce=nonce):
                self._begin(nonce)
            case Late(message=Poll(poll_no=poll_no)):
                self._send(self._status(poll_no))  # so that the host hears a newer number; it allows nothing
            case NoSession(message_type=Poll.TYPE):
                self._send(self._hello(0))
            case Poll() | Ack() | Resend() | DealEnable() | Shuffle() if self._session is not None:
                self._obey(self._session, found, now_ns)
            case Poll():
                self._send(self._hello(0))
            case _:
                pass  # noise and protocol errors are counted, never answered; without a session nothing is obeyed

    def _pair(self, asked: Pair) -> None:
        """A new key in place of the old one; the same question again gets the same answer."""
        if self._paired is None or self._paired[0] != asked:
            made = answer(asked, self._entropy(32), self.model, self.serial, self.firmware)
            if made is None:
                return
            said, self.key = made
            self.keep_key(self.key)
            self._paired = (asked, said)
            self._session, self.deal = None, False
            self._link.seal_with(DeviceSeal(self.key, self._entropy))
        self._send(self._paired[1])

    def _begin(self, nonce: int) -> None:
        if self._session is None or self._session.nonce != nonce:
            self._session = Session(nonce)
            self.deal = False

    def _obey(self, session: Session, message: Obeyed, now_ns: int) -> None:
        match message:
            case Poll(poll_no=poll_no, acked=acked):
                self._polled(session, acked, now_ns)
                self._send(self._status(poll_no))
            case Ack(event_no=number):
                self._acknowledged(session, number, now_ns)
            case Resend(from_no=number):
                self._resend(session, number)
            case DealEnable(command_id=command_id, level=level):
                self._command(session, command_id, lambda: self._enable(session, bool(level), now_ns))
            case Shuffle(command_id=command_id, deck=deck):
                self._command(session, command_id, lambda: self._shuffle(deck, now_ns))

    def _polled(self, session: Session, acked: int, now_ns: int) -> None:
        if session.polled_ns is None:
            session.acked = acked if acked <= self._log.last else 0
            session.next = session.acked + 1
            self._log.acknowledged(session.acked)
        else:
            self._acknowledged(session, acked, now_ns)
        session.polled_ns = now_ns

    def _acknowledged(self, session: Session, number: int, now_ns: int) -> None:
        if now_ns < self.drop_acks_until_ns or session.polled_ns is None:
            return
        if session.acked < number <= self._log.last:
            session.acked = number
            session.progress_ns = now_ns
            self._log.acknowledged(number)

    def _resend(self, session: Session, number: int) -> None:
        if session.polled_ns is None or not 1 <= number <= self._log.last + 1:
            return
        first = self._log.first
        if number < first:
            self._send(Lost(first=number, last=first - 1))
        session.next = max(number, first)
        session.acked = min(session.acked, number - 1)

    def _command(self, session: Session, command_id: int, act: Callable[[], Result]) -> None:
        """A new command is carried out, the last one answered as before, an older one ignored."""
        if command_id < session.command_id or session.polled_ns is None:
            return
        if command_id > session.command_id:
            session.command_id = command_id
            session.answers = {command_id: act()}
        self._send(Done(command_id=command_id, result=session.answers[command_id]))

    def _enable(self, session: Session, level: bool, now_ns: int) -> Result:
        silent = session.polled_ns is None or now_ns - session.polled_ns >= INHIBIT_NS
        hindered = (self._hindrance() or (Result.REFUSED if silent else None)) if level else None
        self.deal = level and hindered is None
        return hindered or Result.DONE

    def _shuffle(self, deck: str, now_ns: int) -> Result:
        """Only a shuffler can."""
        return Result.REFUSED

    def _hindrance(self) -> Result | None:
        """Why the device may not work, whatever the host wishes."""
        if self.lid_open:
            return Result.LID_OPEN
        if self.jammed:
            return Result.JAM
        waiting = self._log.last - max(self.acked, self._log.first - 1)
        return Result.LOG_FULL if waiting >= KEPT else None

    def _card_state(self) -> CardState:
        return CardState.NONE

    # --- sending

    def _pump(self, now_ns: int) -> None:
        if self._hindrance() is not None:
            self.deal = False
        session = self._session
        if session is None or session.polled_ns is None:
            return
        session.next = max(session.next, self._log.first, session.acked + 1)
        window = max(session.acked, self._log.first - 1) + WINDOW
        while session.next <= min(self._log.last, window):
            self._send_event(session.next, now_ns)
            session.next += 1

    def _send_event(self, number: int, now_ns: int) -> None:
        event = self._log.get(number)
        if event is None:
            return
        again = number in self._sent_ns
        self._again += again
        self._sent_ns[number] = now_ns
        if len(self._sent_ns) > 4 * KEPT:
            self._sent_ns = {sent: at for sent, at in self._sent_ns.items() if sent >= self._log.first}
        kind = EventKind(event.kind)
        self._send(Event(event_no=number, kind=kind, value=event.value, again=again, detail=event.detail))

    def _hello(self, nonce: int) -> Hello:
        return Hello(
            nonce=nonce,
            boot_id=self._boot_id,
            log_first=self._log.first,
            log_last=self._log.last,
            card=self._card_state(),
            model=self.model,
            serial=self.serial,
            firmware=self.firmware,
            acked=self._log.acked,
        )

    def _status(self, poll_no: int) -> Status:
        return Status(
            poll_no=poll_no,
            log_last=self._log.last,
            deal=int(self.deal),
            frames=(self._link.frames + self._link.protocol_errors + self._link.tampered) & U32,
            noise=self._link.noise & U32,
            again=self._again & U32,
        )

    def _send(self, message: DeviceMessage, *, fresh: bool = False) -> None:
        self._out += self._link.send(message, fresh=fresh, now_ns=self._now_ns)
