"""The shuffler's own side of docs/protocol.md: a numbered device that counts, inspects and shuffles a deck.

Sans-I/O. Knows of a deck its mark and what is wrong with it, never an order of cards: nobody outside may learn one.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.wire import decks
from drivers.wire.decks import DeckReport, FailReason
from drivers.wire.messages import EventKind, Result
from firmware_sim.event_log import EventLog
from firmware_sim.numbered import MS, NumberedDevice

SHUFFLE_NS = 400 * MS  # quicker than any machine, so that a demo does not wait


@dataclass
class SimDeck:
    """A deck of cards with its mark. `doubles`: cards that equal another one, `unread`: that no reader can tell."""

    mark: str
    count: int = 52
    doubles: int = 0
    unread: int = 0


class ShufflerDevice(NumberedDevice):
    """One shuffler with room for one deck."""

    def __init__(
        self, log: EventLog, serial: str = "SIM-0002", model: str = "SHUFFLER/sim", *, key: bytes | None = None
    ) -> None:
        self.holds: SimDeck | None = None
        self.shuffles = 0
        self.under_the_rail = 0  # fault: so many cards stay in the machine, uncounted
        self.sees = True  # False: a machine that only counts, or one whose camera is dark
        self._done_ns: int | None = None
        super().__init__(log, serial, model, key=key)

    def put_in(self, deck: SimDeck, now_ns: int) -> None:
        """A deck goes in; its mark is read from outside."""
        self.holds, self._done_ns = deck, None
        self._tell(EventKind.DECK_IN, DeckReport(deck=deck.mark), now_ns)

    def take_out(self, now_ns: int) -> SimDeck | None:
        """The deck comes out, shuffled or not."""
        deck, self.holds, self._done_ns = self.holds, None, None
        if deck is not None:
            self._tell(EventKind.DECK_OUT, DeckReport(deck=deck.mark), now_ns)
        return deck

    def jam(self, now_ns: int) -> None:
        """A card is stuck; a shuffle under way has failed."""
        self.happen(EventKind.JAM, 0, now_ns)
        self._give_up(FailReason.JAM, now_ns)

    def forget_settings(self) -> None:
        """What a reset of the bus does to this machine: it forgets that it was enabled."""
        self.deal = False

    def restart(self) -> None:
        """Power off and on: a shuffle under way is lost, and told once the machine is asked."""
        self.deal, cut = False, self._done_ns is not None
        super().restart()
        if cut:
            self._give_up(FailReason.POWER, 0)

    def tick(self, now_ns: int) -> None:
        """A shuffle comes to its end."""
        super().tick(now_ns)
        if self._done_ns is None or now_ns < self._done_ns or self.holds is None:
            return
        self._done_ns = None
        self._tell(EventKind.SHUFFLE_DONE, self._found(self.holds), now_ns)

    def _found(self, deck: SimDeck) -> DeckReport:
        count = deck.count - self.under_the_rail
        if not self.sees:
            return DeckReport(deck=deck.mark, count=count, unread=count)
        return DeckReport(deck=deck.mark, count=count, doubles=deck.doubles, unread=deck.unread)

    def _shuffle(self, deck: str, now_ns: int) -> Result:
        hindered = self._hindrance()
        if hindered is not None:
            return hindered
        if not self.deal or self.holds is None or self.holds.mark != deck or self._done_ns is not None:
            return Result.REFUSED
        self._done_ns = now_ns + SHUFFLE_NS
        self.shuffles += 1
        self._tell(EventKind.SHUFFLE_STARTED, DeckReport(deck=deck), now_ns)
        return Result.DONE

    def _give_up(self, reason: FailReason, now_ns: int) -> None:
        if self._done_ns is None or self.holds is None:
            return
        self._done_ns = None
        report = DeckReport(deck=self.holds.mark, reason=reason, count=0)
        self._tell(EventKind.SHUFFLE_FAILED, report, now_ns)

    def _tell(self, kind: EventKind, report: DeckReport, now_ns: int) -> None:
        self.happen(kind, 0, now_ns, decks.pack(kind, report))
