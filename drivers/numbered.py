"""What every device with numbered events shares: the host's side of docs/protocol.md. Sans-I/O, on the loop thread.

Owns the session, the order of events and the enabled level; shoe.py and shuffler.py say what an event means and what
else is asked of the device. Never delivers out of order, never acknowledges by itself; knows nothing of the game.
Memory and output are bounded whatever the line brings. Time comes in as an argument.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import assert_never

from drivers.complaints import Complaints
from drivers.events import DeviceEvent, DeviceFault, DeviceReady, EventsLost
from drivers.identity import AHEAD, differences, must_hold
from drivers.losses import Losses
from drivers.refusals import Refusals
from drivers.session_state import State
from drivers.wire.framing import DELIMITER, FrameFault
from drivers.wire.link import BadMessage, Link, Received, Side
from drivers.wire.messages import (
    Ack,
    Done,
    Event,
    Hello,
    HelloAsk,
    HostMessage,
    Lost,
    Poll,
    Result,
    Status,
)
from drivers.wire.pacing import MS, REPEAT_NS, RETRY_NS, DealLevel, Gap
from drivers.wire.session import HostSeal, Tampered

POLL_NS = 200 * MS
SILENT_POLLS = 3  # 600 ms
LOST_POLLS = 25  # 5 s
LOST_ASKS = 10  # 5 s
ANSWERABLE_POLLS = 3
RESYNC = DELIMITER * 8
HELD_BACK = "an answer came more than 600 ms late: held back on the line, or the device is slow"


class NumberedDriver(ABC):
    """One device. Call `tick` at `next_tick_ns` at the latest and write `outgoing()` after every call.

    With a `seal` nothing in clear is believed; without one the line is as trustworthy as its cable.
    """

    HOLDS_FOR_OLDER = False  # an older journal: so does a device whose events are cards

    def __init__(self, name: str, last_event: int, *, expected: str, seal: HostSeal | None = None) -> None:
        self._name = name
        self._expected = expected
        self._link, self._seal = Link(Side.HOST, seal), seal
        self._complaints = Complaints(name, self._link)
        self._losses = Losses(name)
        self._state = State.CLOSED
        self._out = bytearray()
        self._now_ns = 0
        # Numbers: delivered up to _last; on disk up to _acked; up to _floor people have decided, not the journal.
        self._last = self._acked = last_event
        self._floor = self._excused = 0
        self._log_last = 0
        self._trusted: Hello | None = None
        self._current: Hello | None = None
        # Questions that are open.
        self._nonce = self._asks = self._ask_ns = 0
        self._poll_no = self._answered_no = 0
        self._poll_ns = 0
        self._gap, self._level = Gap(), DealLevel()
        self._renew = self._restart_hint = False  # the hint: a sealed "ask me", believed once a poll goes unanswered
        # What has been told already.
        self._silent, self._wrong_told, self._refusals = False, "", Refusals()

    # -- what the loop thread calls ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """As in every event."""
        return self._name

    @property
    def state(self) -> State:
        """For health and tests."""
        return self._state

    @property
    def link(self) -> Link:
        """The counters of the line."""
        return self._link

    @property
    def next_tick_ns(self) -> int | None:
        """When `tick` is due; None while the port is closed."""
        if self._renew and self._state is not State.CLOSED:
            return self._now_ns
        match self._state:
            case State.CLOSED:
                return None
            case State.ASKING | State.WRONG:
                return self._ask_ns
            case State.READY | State.HELD:
                due_ns = self._command_due_ns if self._state is State.READY else None
                return self._poll_ns if due_ns is None else min(self._poll_ns, due_ns)
            case _:
                assert_never(self._state)

    def opened(self, now_ns: int) -> list[DeviceEvent]:
        """The port is open and raw: close off whatever the device took before, then ask who it is."""
        self._now_ns = now_ns
        self._link.reset()
        self._complaints.reset()
        self._out.clear()
        self._renew = False
        self._begin_asking(now_ns)
        return []

    def closed(self, reason: str, now_ns: int) -> list[DeviceEvent]:
        """The port is gone or did not open. Told once for each reason until the device is ready again."""
        self._now_ns = now_ns
        self._state = State.CLOSED
        self._out.clear()
        return self._losses.lost(reason)

    def receive(self, data: bytes, now_ns: int) -> list[DeviceEvent]:
        """Bytes in any cut."""
        self._now_ns = now_ns
        if self._state is State.CLOSED:
            return []
        said = [event for item in self._link.receive(data) for event in self._take(item, now_ns)]
        self._complaints.heard(self._link.unfinished, now_ns)
        return said

    def tick(self, now_ns: int) -> list[DeviceEvent]:
        """Heartbeat, repeated questions, time-outs."""
        self._now_ns = now_ns
        if self._state is State.CLOSED:
            return []
        if self._renew or (self._state is State.WRONG and now_ns >= self._ask_ns):
            self._renew = False
            self._begin_asking(now_ns)
            return []
        if self._state is State.ASKING:
            return self._ask_again(now_ns)
        if self._state in (State.READY, State.HELD):
            return [*self._complaints.broken_off(self._link.unfinished, now_ns), *self._heartbeat(now_ns)]
        return []

    def outgoing(self) -> bytes:
        """The bytes to write since the last call."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def acknowledge(self, event_no: int) -> None:
        """Events up to this one are on disk. Only after the fsync."""
        if event_no > self._last:
            raise ValueError(f"event {event_no} was never delivered (last: {self._last})")
        self._acked = max(self._acked, event_no)
        if self._state is State.READY and self._acked:
            self._send(Ack(self._acked))

    def adopt(self, event_no: int) -> None:
        """People have decided that the log goes on after this number: another shoe, a restarted log, a broken event."""
        self._last = self._acked = self._floor = event_no
        self._trusted = self._current
        self._excused = (self._current and self._current.acked) or 0
        self._renew = True

    # -- what a kind of device adds ---------------------------------------------------------------------------

    @abstractmethod
    def _told(self, event: Event) -> DeviceEvent:
        """One numbered event, in the table's words."""

    def _introduced(self, hello: Hello) -> list[DeviceEvent]:
        """A session has begun: is the device ready with that?"""
        return [self._ready(hello)]

    def _served(self, status: Status, now_ns: int) -> list[DeviceEvent]:
        """A poll was answered in a session that takes events."""
        return []

    @property
    def _command_due_ns(self) -> int | None:
        """When a command is due; None while none is open."""
        return self._level.due_ns

    def _send_commands(self, now_ns: int) -> None:
        """Every command that is due."""
        self._send_if(self._level.send(now_ns))

    def _take_done(self, done: Done, now_ns: int) -> list[DeviceEvent]:
        """The answer to a command."""
        result = self._level.done(done, now_ns)
        if result is None or (result is Result.DONE and not self._level.wanted):
            return []
        return self._judged("refused", result)

    def _judged(self, what: str, result: Result) -> list[DeviceEvent]:
        """A refusal is told once; a device that does again what it refused introduces itself anew."""
        if result is not Result.DONE:
            news = self._refusals.news(what, result)
            return [self._fault("inhibited", f"{what}: {result.name.lower()}")] if news else []
        return self._anew() if self._refusals.standing(what) else []

    def _anew(self) -> list[DeviceEvent]:
        self._refusals.over()
        return self._introduced(self._current) if self._current is not None else []

    def _want_level(self, enabled: bool) -> None:
        """The wanted level; repeated until confirmed, and again in every new session."""
        if enabled == self._level.wanted:
            return
        self._level.wanted = enabled
        if self._state is State.READY:
            self._level.ask_anew(self._now_ns)
            self._send_commands(self._now_ns)

    # -- asking -------------------------------------------------------------------------------------------------

    def _begin_asking(self, now_ns: int) -> None:
        self._state = State.ASKING
        self._nonce = self._seal.nonce() if self._seal else max(self._nonce + 1, now_ns)
        self._asks = 0
        self._out += RESYNC
        self._ask(now_ns)

    def _ask(self, now_ns: int) -> None:
        self._asks += 1
        self._ask_ns = now_ns + REPEAT_NS
        self._send(HelloAsk(self._nonce), fresh=True)

    def _ask_again(self, now_ns: int) -> list[DeviceEvent]:
        if now_ns < self._ask_ns:
            return []
        self._ask(now_ns)
        return self._losses.lost("no answer for 5 s") if self._asks > LOST_ASKS else []

    def _take_hello(self, hello: Hello, now_ns: int) -> list[DeviceEvent]:
        if hello.nonce == 0 and self._state in (State.READY, State.HELD):
            if self._link.sealed:
                self._restart_hint = True
            else:
                self._begin_asking(now_ns)  # it restarted: every number of the old session is void
            return []
        if self._state is not State.ASKING or hello.nonce != self._nonce:
            return []
        kind = hello.model.split("/")[0]
        if kind != self._expected:
            return self._take_wrong(kind, now_ns)
        faults = self._compare(hello)
        self._begin_session(hello, now_ns)
        return [*self._introduced(hello), *faults]

    def _take_wrong(self, kind: str, now_ns: int) -> list[DeviceEvent]:
        self._state = State.WRONG
        self._ask_ns = now_ns + RETRY_NS
        if kind == self._wrong_told:
            return []
        self._wrong_told = kind
        return [self._fault("wrong_device", f"wrong device: expected {self._expected}, got {kind}")]

    def _compare(self, hello: Hello) -> list[DeviceEvent]:
        """Against the device that was trusted last. Sets the state; a held device stays so until `adopt`."""
        found = differences(hello, self._trusted, self._last, self._excused)
        older = self.HOLDS_FOR_OLDER and AHEAD in dict(found)
        self._state = State.HELD if older or must_hold(hello, self._trusted, self._last) else State.READY
        if self._state is State.READY:
            self._trusted = hello
        return [self._fault(code, detail) for code, detail in found]

    def _begin_session(self, hello: Hello, now_ns: int) -> None:
        self._current = hello
        self._losses.ready()
        self._refusals.over()
        self._wrong_told, self._silent = "", False
        self._log_last = hello.log_last
        self._poll_no = self._answered_no = 0
        self._gap.anew()
        self._restart_hint = False
        self._poll(now_ns)
        if self._state is State.READY:
            self._level.ask_anew(now_ns)
            self._send_commands(now_ns)

    # -- a session ----------------------------------------------------------------------------------------------

    def _heartbeat(self, now_ns: int) -> list[DeviceEvent]:
        if now_ns < self._poll_ns:
            self._send_when_ready(now_ns)
            return []
        # Counted in polls, not in time: a host that was held up itself has not asked, so nobody failed to answer.
        missed = self._poll_no - self._answered_no
        if missed >= LOST_POLLS:
            self._begin_asking(now_ns)
            return self._losses.lost("no answer for 5 s")
        if self._restart_hint and missed:
            self._begin_asking(now_ns)
            return []
        self._restart_hint = False
        self._poll(now_ns)
        self._send_when_ready(now_ns)  # behind the poll: a device that has not been polled for 1 s refuses
        if missed < SILENT_POLLS or self._silent:
            return []
        self._silent = True
        return [self._fault("silent", f"{missed} polls without an answer")]

    def _poll(self, now_ns: int) -> None:
        self._poll_no += 1
        self._poll_ns = now_ns + POLL_NS
        # Of a log that people have not decided on, nothing is on disk.
        self._send(Poll(self._poll_no, self._acked if self._state is State.READY else 0))

    def _send_when_ready(self, now_ns: int) -> None:
        if self._state is State.READY:
            self._send_commands(now_ns)

    def _take_status(self, status: Status, now_ns: int) -> list[DeviceEvent]:
        late = self._poll_no - status.poll_no
        if not 0 <= late < ANSWERABLE_POLLS:
            held = self._link.sealed and late > 0
            return list(self._complaints.once("held_back", HELD_BACK, now_ns)) if held else []
        self._answered_no = max(self._answered_no, status.poll_no)
        if self._state is State.HELD:
            return []
        if status.log_last < self._last:
            self._begin_asking(now_ns)  # a log does not shrink: who is this?
            return []
        self._log_last = status.log_last
        self._level.seen(bool(status.deal), now_ns)
        self._send_if(self._gap.behind(self._last, self._log_last, now_ns))
        served = self._served(status, now_ns)
        if not self._silent:
            return served
        self._silent = False
        return [*served, *self._anew()]

    def _take_event(self, event: Event, now_ns: int) -> list[DeviceEvent]:
        if event.event_no > self._last + 1:
            self._send_if(self._gap.ask(self._last + 1, now_ns))
            return []
        if event.event_no == self._last + 1:
            self._last = event.event_no
            self._gap.moved()
        elif event.event_no <= self._floor:
            self._send(Ack(self._acked))
            return []
        return [self._told(event)]

    def _take_lost(self, lost: Lost) -> list[DeviceEvent]:
        # Only as an answer, and never beyond what the device says it has logged.
        if lost.first != self._gap.from_no or not self._last < lost.last <= self._log_last:
            return []
        first, self._last = self._last + 1, lost.last
        self._gap.forget()
        return [EventsLost(self._name, first, lost.last)]

    # -- common -------------------------------------------------------------------------------------------------

    def _take(self, item: Received, now_ns: int) -> list[DeviceEvent]:
        # Sealed, a silent line may be one that is held back: what comes late comes again once polls are answered.
        ready = self._state is State.READY and not (self._link.sealed and self._silent)
        match item:
            case FrameFault():
                return list(self._complaints.noise(item, now_ns))
            case BadMessage():
                return list(self._complaints.protocol(item, now_ns))
            case Tampered():
                return list(self._complaints.tampered(item, now_ns, self._expected))
            case Hello():
                return self._take_hello(item, now_ns)
            case Status():
                return self._take_status(item, now_ns) if self._state in (State.READY, State.HELD) else []
            case Event():
                return self._take_event(item, now_ns) if ready else []
            case Lost():
                return self._take_lost(item) if ready else []
            case Done():
                return self._take_done(item, now_ns) if ready else []
            case _:
                return []  # the link lets no message of our own side through

    def _ready(self, hello: Hello) -> DeviceReady:
        identity = (hello.model, hello.serial, hello.firmware, hello.boot_id.hex())
        last = max(self._log_last, self._last) if self._state is State.READY else self._log_last
        return DeviceReady(self._name, *identity, hello.log_first, last, self._link.sealed)

    def _fault(self, code: str, detail: str) -> DeviceFault:
        return self._complaints.fault(code, detail)

    def _send_if(self, message: HostMessage | None) -> None:
        if message is not None:
            self._send(message)

    def _send(self, message: HostMessage, *, fresh: bool = False) -> None:
        self._out += self._link.send(message, fresh=fresh)
