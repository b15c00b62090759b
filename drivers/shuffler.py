"""The shuffler's driver: a numbered device that counts and shuffles decks, and may be told to do so.

Owns the wish for a shuffle, which is a level and not a memory: after any break it is judged anew from what the machine
then says of itself, so no SHUFFLE is ever repeated blindly. Ready only once a status read has shown it enabled.
"""

from __future__ import annotations

from drivers.events import DeckTold, DeviceEvent, DeviceNote
from drivers.numbered import NumberedDriver
from drivers.session_state import State
from drivers.shoe_events import note
from drivers.wire import decks
from drivers.wire.messages import Done, Event, EventKind, Hello, Result, Shuffle, Status
from drivers.wire.pacing import REPEAT_NS, RETRY_NS
from drivers.wire.session import HostSeal


class Shuffler(NumberedDriver):
    """One shuffler, enabled as long as it is connected."""

    def __init__(self, name: str, last_event: int, *, serial: str = "", seal: HostSeal | None = None) -> None:
        super().__init__(name, last_event, expected="SHUFFLER", seal=seal)
        self._serial = serial  # of the USB device; it must say the same of itself
        self._level.wanted = True
        self._verified = False  # in this session a status has shown it enabled
        self._wish: str | None = None
        self._answered: str | None = None  # of this wish this session has the answer: it was begun
        self._order: Shuffle | None = None
        self._order_ns = 0

    def shuffle(self, deck: str | None) -> None:
        """The deck that is to be shuffled now, as the state of the table says; None: none."""
        if deck != self._wish:
            self._wish, self._answered = deck, None

    def _take_hello(self, hello: Hello, now_ns: int) -> list[DeviceEvent]:
        asked = self.state is State.ASKING and hello.nonce == self._nonce
        if asked and self._serial and hello.serial != self._serial:
            return self._take_wrong(f"{hello.model} {hello.serial}", now_ns)
        return super()._take_hello(hello, now_ns)

    def _begin_session(self, hello: Hello, now_ns: int) -> None:
        self._verified, self._answered, self._order = False, None, None
        self._order_ns = 0
        super()._begin_session(hello, now_ns)

    def _introduced(self, hello: Hello) -> list[DeviceEvent]:
        return [self._ready(hello)] if self._verified else []

    def _served(self, status: Status, now_ns: int) -> list[DeviceEvent]:
        news = bool(status.deal) and not self._verified
        self._verified = self._verified or news
        if self._may_order(status):
            self._think(now_ns)
        return [self._ready(self._current)] if news and self._current is not None and not self._silent else []

    def _may_order(self, status: Status) -> bool:
        """Enabled, no question open, and everything that it has to say is on disk: only then is the wish up to date."""
        heard = status.log_last == self._last == self._acked or not status.log_last
        return bool(status.deal) and heard and self._level.due_ns is None and self._order is None

    def _think(self, now_ns: int) -> None:
        if self._wish is None or self._wish == self._answered or now_ns < self._order_ns:
            return
        self._order = Shuffle(next(self._level.ids), self._wish)
        self._order_ns = now_ns
        self._send_commands(now_ns)

    @property
    def _command_due_ns(self) -> int | None:
        return self._order_ns if self._order is not None else super()._command_due_ns

    def _send_commands(self, now_ns: int) -> None:
        """One command at a time: the device keeps one answer."""
        if self._order is None:
            super()._send_commands(now_ns)
        elif now_ns >= self._order_ns:
            self._order_ns = now_ns + REPEAT_NS
            self._send(self._order)

    def _take_done(self, done: Done, now_ns: int) -> list[DeviceEvent]:
        order = self._order
        if order is None or done.command_id != order.command_id:
            return super()._take_done(done, now_ns)
        self._order = None
        if done.result is Result.DONE:
            self._answered = order.deck
        else:
            self._order_ns = now_ns + RETRY_NS
        return self._judged("shuffle refused", done.result)

    def _told(self, event: Event) -> DeviceEvent:
        if event.kind in decks.LAYOUTS:
            return _deck(self.name, event)
        if event.kind in (EventKind.CARD, EventKind.CARD_UNREAD):  # nobody wants to hear it, and nobody will
            return DeviceNote(self.name, event.event_no, "card_told", "a shuffler tells of a card: not kept")
        return note(self.name, event)


def _deck(device: str, event: Event) -> DeckTold:
    told = decks.unpack(event.kind, event.detail)
    reason = decks.FailReason(told.reason).name.lower() if told.reason else ""
    kind = EventKind(event.kind).name.lower()
    return DeckTold(device, event.event_no, kind, told.deck, told.count, told.doubles, told.unread, reason)
