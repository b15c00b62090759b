"""The shuffler beside the table and the decks that lie around it: what a dealer's hands do with them, what goes wrong.

Owns bus, socket and shuffler of a bench. A deck here is a mark and what is wrong with it; its cards lie in the world.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

from firmware_sim.errors import BenchError
from firmware_sim.faults import Fault
from firmware_sim.shuffler import SimDeck
from firmware_sim.shuffler_unit import ShufflerUnit
from firmware_sim.usb_bus import UsbBus
from firmware_sim.usb_link import UsbServer

FOREIGN = "X-999"
READ_ERRORS = {
    Fault.SHUFFLER_TIMEOUT: errno.ETIMEDOUT,
    Fault.SHUFFLER_GONE: errno.ENODEV,
    Fault.SHUFFLER_IO: errno.EIO,
    Fault.SHUFFLER_UNKNOWN: None,
}
Later = Callable[[float, Callable[[], None]], None]


class DeckDesk:
    """Stands there in any case; a table that has no `[shuffler]` never looks at it."""

    def __init__(self, folder: Path, later: Later) -> None:
        self.bus = UsbBus()
        self.unit = ShufflerUnit(folder, self.bus)
        self._server = UsbServer(folder / "usb.sock", self.bus)
        self._later = later
        self._decks: dict[str, SimDeck] = {}
        self._wrong: Fault | None = None  # what is wrong with the deck that goes in next

    def start(self) -> None:
        """Power on."""
        self._server.start()
        self.unit.start()

    def stop(self) -> None:
        """Power off."""
        self.unit.stop()
        self._server.stop()

    def put_in(self, mark: str, size: int) -> None:
        """The deck goes into the machine; another one that lies there comes out first."""
        deck = self._decks.setdefault(mark, SimDeck(mark, count=size))
        wrong, self._wrong = self._wrong, None
        if wrong is Fault.DECK_SHORT:
            deck.count -= 1
        elif wrong is Fault.DECK_DOUBLE:
            deck.doubles = 1
        elif wrong is Fault.DECK_WRONG:
            deck = SimDeck(FOREIGN, count=size)  # taken from another table
        if self.unit.device.holds is not None:
            self.unit.take_out()
        self.unit.put_in(deck)

    def take_out(self) -> None:
        """The deck comes out."""
        self.unit.take_out()

    def inject(self, fault: Fault) -> None:
        """It happens now; what is wrong with a deck: to the one that goes in next."""
        faults = self.unit.usb.faults
        match fault:
            case Fault.SHUFFLER_UNPLUG:
                self.unplug(3.0)
            case Fault.SHUFFLER_RENUMBER:
                self.unplug(0.05)
            case Fault.SHUFFLER_NO_ACCESS:
                self.unit.refuse_access(1.7)
                self.unplug(0.2)
            case Fault.SHUFFLER_KERNEL:
                faults.kernel_driver = True
                self.unplug(0.2)
            case fault if fault in READ_ERRORS:
                faults.read_errors.append(READ_ERRORS[fault])
            case Fault.SHUFFLER_OUT_OF_STEP:
                faults.deaf_after_timeout = True
            case Fault.SHUFFLER_STALL:
                faults.stalled = faults.stalls_again = True
            case Fault.SHUFFLER_SHORT:
                faults.short = [3]
            case Fault.SHUFFLER_DEAF:
                faults.deaf = True
            case Fault.SHUFFLER_FORGETS:
                self.unit.device.forget_settings()
            case Fault.SHUFFLER_RESTART:
                self.unit.restart()
            case Fault.SHUFFLER_JAM:
                self.unit.jam()
            case Fault.SHUFFLER_BLIND:
                self.unit.device.sees = False
            case Fault.SHUFFLER_FORGED:
                self.unit.forge()
            case Fault.SHUFFLER_SWAPPED:
                self._later(3.0, self.unit.swap())
            case Fault.DECK_SHORT | Fault.DECK_DOUBLE | Fault.DECK_WRONG:
                self._wrong = fault
            case _:
                raise BenchError(719, f"{fault} is no fault of a shuffler", "bench", "see docs/bench.md")

    def unplug(self, seconds: float | None = None) -> None:
        """Pull its plug; after `seconds` it is put back."""
        self.unit.unplug()
        if seconds is not None:
            self._later(seconds, self.unit.plug)


def wanted(snap: dict[str, object]) -> tuple[str, str] | None:
    """What the dealer does with a deck now: put_in, take_out, away, and its mark; None: nothing."""
    expects = snap.get("expects")
    expects = expects if isinstance(expects, dict) else {}
    mark = str(expects.get("place") or "")
    if expects.get("cause") == "offered":
        return "away", mark  # nobody brought it
    if expects.get("kind") == "shuffle":
        act = {"put_in": "put_in", "failed": "put_in", "take_out": "take_out"}.get(str(expects.get("cause")))
        return (act, mark) if act and mark else None
    return _spare(snap) if snap.get("phase") == "betting" else None


def _spare(snap: dict[str, object]) -> tuple[str, str] | None:
    """Before START the other deck goes in, so that it is counted while this hand is played."""
    decks = snap.get("decks")
    known = [deck for deck in decks if isinstance(deck, dict)] if isinstance(decks, list) else []
    busy = any(deck["place"] in ("machine", "shuffling", "failed", "ready", "out", "offered") for deck in known)
    aside = [str(deck["mark"]) for deck in known if deck["place"] == "aside"]
    return ("put_in", aside[0]) if aside and not busy else None


def place_of(snap: dict[str, object], mark: str) -> str:
    """Where the table has the deck."""
    decks = snap.get("decks")
    known = decks if isinstance(decks, list) else []
    return next((str(deck["place"]) for deck in known if deck["mark"] == mark), "")
