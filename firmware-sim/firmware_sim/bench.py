"""The whole bench in one process: shoe, pins, board, display, deck, the dealer's robot; for the command and for tests.

Files of a bench directory: `shoe` (link to the pty), `gpio.sock`, `usb.sock`, `shoe-events`, `shuffler-events` (their
memories). `control.sock` is the daemon's, watched only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from firmware_sim import injection
from firmware_sim.dealer import Dealer
from firmware_sim.deck_desk import DeckDesk
from firmware_sim.errors import BenchError
from firmware_sim.faults import LASTING, Fault, FaultBook
from firmware_sim.feed import Feed, Snapshot, cards_on_table
from firmware_sim.gpio_server import GpioServer
from firmware_sim.panel import HOLD_S, Panel
from firmware_sim.port_thief import PortThief
from firmware_sim.shoe_unit import ShoeUnit
from firmware_sim.spi_board import LedBoard, TextDisplay
from firmware_sim.text_unit import CardReader, TextUnit
from firmware_sim.wiring import BOARD_DEVICE, DISPLAY_DEVICE, JACKPOT_LAMP_PIN
from firmware_sim.world import Place, World

HAND_CARDS = 5
DECK_SIZES = {"joker53": 53, "joker53_full": 53, "russian_36": 36}


class Bench:
    """Hardware that a daemon cannot tell from a table's, and hands to play with it."""

    def __init__(
        self, folder: Path | str, seed: int = 1, *, robot: bool = False, pace_s: float = 0.0, reader: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.seed = seed
        self.world = World(seed)
        self.board = LedBoard()
        self.display = TextDisplay()
        self.gpio = GpioServer(self.folder / "gpio.sock")
        self.gpio.attach(BOARD_DEVICE, self.board.transfer)
        self.gpio.attach(DISPLAY_DEVICE, self.display.transfer)
        self.panel = Panel(self.gpio)
        self.feed = Feed(self.folder / "control.sock")
        self.shoe: ShoeUnit | CardReader = (
            CardReader(self.folder / "reader", self._card_is_due) if reader else ShoeUnit(self.folder, seed)
        )
        self.badge = TextUnit(self.folder / "badge")
        self.tray = CardReader(self.folder / "tray")
        self.dealer = Dealer(self, self.feed, self.world, seed=seed, pace_s=pace_s)
        self._robot = threading.Thread(target=self.dealer.run, name="dealer", daemon=True) if robot else None
        self.deck_size = 0  # 0: by the shipped rule set's id
        self._faults = FaultBook(seed)
        self.unread_next = self.extra_next = self.double_next = False
        self._drawn = 0
        self._timers: list[threading.Timer] = []
        self.thief: PortThief | None = None
        self.decks = DeckDesk(self.folder, self.later)
        self._lock = threading.RLock()

    def start(self) -> Bench:
        """Power on."""
        self.gpio.start()
        self.panel.power_on()
        self.shoe.start()
        self.badge.start()
        self.tray.start()
        self.decks.start()
        self.feed.start()
        if self._robot is not None:
            self._robot.start()
        return self

    def stop(self) -> None:
        """Power off; nothing is left running."""
        self.dealer.stop()
        self.feed.stop()
        if self._robot is not None and self._robot.is_alive():
            self._robot.join(timeout=8)
        for timer in self._timers:
            timer.cancel()
        if self.thief is not None:
            self.thief.stop()
        self.shoe.stop()
        self.badge.stop()
        self.tray.stop()
        self.decks.stop()
        self.gpio.stop()

    def __enter__(self) -> Bench:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # --- hands

    def press(self, name: str) -> None:
        """A short press of a key or button."""
        self.panel.press(name)

    def hold(self, name: str, seconds: float = HOLD_S) -> None:
        """A long press."""
        self.panel.hold(name, seconds)

    def chord(self, *names: str) -> None:
        """Several keys together."""
        self.panel.chord(*names)

    def turn(self, name: str, *, on: bool) -> None:
        """Turn the key switch, open the door."""
        self.panel.turn(name, on=on)

    def chip(self, box: int, *, there: bool = True) -> None:
        """A player lays a chip on his box's bet sensor, or it is taken away."""
        self.board.sense(box, chip=there)

    def clear_chips(self) -> None:
        """No chip lies on any sensor."""
        for box in self.board.chips():
            self.board.sense(box, chip=False)

    def put_deck(self, mark: str) -> None:
        """A deck goes into the shuffler."""
        self.decks.put_in(mark, self._cards_of_a_deck())

    def _cards_of_a_deck(self) -> int:
        snap = self.feed.latest or {}
        return self.deck_size or DECK_SIZES.get(str(snap.get("rules")), 52)

    def take_deck(self) -> None:
        """The deck that lies in the shuffler comes out."""
        self.decks.take_out()

    def scan(self, card: str) -> Path:
        """A card is held to the plain reader, where there is one, or to the discard tray's. Which port told it."""
        reader = self.shoe if isinstance(self.shoe, CardReader) else self.tray
        reader.card(card)
        return reader.port.link

    def new_deck(self, hand: int) -> None:
        """A freshly shuffled deck goes into the shoe."""
        with self._lock:
            self.world.deck_size = self._cards_of_a_deck()
            self.world.shuffle(hand)
            self._drawn = 0
            self.shoe.load(self.world.left)

    def stack_deck(self, cards: list[str]) -> None:
        """These cards lie on top of the next deck that goes in."""
        self.world.stack(cards)

    def draw_card(self, place: Place | str | None = None, box: int = 0, card: str | None = None) -> bool:
        """Draw the next card (or this one) and lay it down. False when the shoe holds it back."""
        with self._lock:
            if not self.shoe.deal:
                return False
            self._drawn += 1
            for fault in self._faults.take(self.world.hand, self._drawn):
                self.inject(fault)
            if self.double_next:
                return self._two_at_once()
            if card is not None:
                self.world.put_on_top(card)
            drawn = self.world.take()
            unread, self.unread_next = self.unread_next, False
            if not (self.shoe.unread() if unread else self.shoe.card(drawn)):
                self.world.put_on_top(drawn)
                return False
            self.world.lay(drawn, Place(place) if place else None, box)
            if self.extra_next and len(self.world.dealer) == HAND_CARDS:
                self._one_too_many()
            return True

    def lay_card(self, place: Place | str, box: int = 0) -> None:
        """The next card, out of the dealer's hand: no shoe tells it."""
        with self._lock:
            self._drawn += 1
            self.world.lay(self.world.take(), Place(place), box)

    def _two_at_once(self) -> bool:
        """Two cards in one movement, which the shoe notices; the dealer lays both aside. No card came to its place."""
        if isinstance(self.shoe, ShoeUnit) and self.shoe.double_feed():
            self.double_next = False
            for _ in range(2):
                self.world.lay(self.world.take(), None)
        return False

    def _one_too_many(self) -> None:
        """Two cards in one movement, before the shoe is told that the deal is over."""
        self.extra_next = False
        extra = self.world.take()
        if self.shoe.card(extra):
            self.world.lay(extra, None)

    def _card_is_due(self) -> bool:
        """What a dealer at a plain reader goes by: the prompt, which says too when the reader is not there."""
        devices = (self.feed.latest or {}).get("devices") or {}
        return self._expected()[0] is not None and devices.get("reader") in ("ready", "degraded")

    def draw_expected(self, card: str | None = None) -> bool:
        """Draw a card and lay it where the table expects it, and wait until the table has it."""
        snap = self.feed.latest or {}
        place, box = self._expected()
        before = cards_on_table(snap)
        if not self.draw_card(place, box, card):
            return False
        self._wait("the card", lambda now: cards_on_table(now) != before or now.get("hand") != snap.get("hand"), 5.0)
        return True

    def let_robot_play(self, playing: bool) -> None:
        """The robot begins, or takes its hands off the table."""
        if not playing:
            self.dealer.enabled.clear()
            return
        self.dealer.enabled.set()
        if self._robot is None:
            self._robot = threading.Thread(target=self.dealer.run, name="dealer", daemon=True)
            self._robot.start()

    def _expected(self) -> tuple[Place | None, int]:
        expects = (self.feed.latest or {}).get("expects") or {}
        if expects.get("kind") != "card":
            return None, 0
        return Place(expects["place"]), int(expects.get("box") or 0)

    # --- things that go wrong

    def repair_board(self) -> None:
        """A technician: new lamps, supply on."""
        self.board.broken.clear()
        if self.board.dead:
            self.board.power(on=True)

    def open_pairing(self) -> None:
        """Somebody sets the switches inside shoe and shuffler; a plain reader has none."""
        self.decks.unit.open_pairing()
        if isinstance(self.shoe, ShoeUnit):
            self.shoe.open_pairing()

    def unplug_shoe(self, seconds: float | None = None) -> None:
        """Pull the shoe's plug; after `seconds` it is put back."""
        self.shoe.unplug()
        if seconds is not None:
            self.later(seconds, self.shoe.plug)

    def replug_shoe(self) -> None:
        """Put the plug back."""
        self.shoe.plug()

    def plan_fault(self, fault: Fault, hand: int) -> None:
        """Once in this hand; a lasting one from now on."""
        if fault in LASTING:
            self.inject(fault)
        else:
            self._faults.plan(fault, hand)

    def inject(self, fault: Fault) -> None:
        """It happens now (a card's fault: at the next card)."""
        injection.inject(self, fault)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """In so many seconds, unless the bench is switched off before."""
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    # --- looking

    def jackpot_lamp(self) -> bool:
        """Is the jackpot button lit?"""
        return bool(self.gpio.outputs.get(JACKPOT_LAMP_PIN))

    def wait_expects(self, kind: str, timeout_s: float = 5.0) -> Snapshot:
        """The first snapshot whose `expects` is of this kind."""
        return self._wait(f"expects {kind}", lambda snap: (snap.get("expects") or {}).get("kind") == kind, timeout_s)

    def wait_phase(self, phase: str, timeout_s: float = 5.0) -> Snapshot:
        """The first snapshot in this phase."""
        return self._wait(f"phase {phase}", lambda snap: snap.get("phase") == phase, timeout_s)

    def wait_hands(self, hand: int, timeout_s: float) -> Snapshot:
        """The first snapshot whose last finished hand is this one or a later one."""
        return self._wait(f"hand {hand}", lambda snap: last_hand(snap) >= hand, timeout_s)

    def _wait(self, what: str, wanted: Callable[[Snapshot], bool], timeout_s: float) -> Snapshot:
        started = time.monotonic()
        snap = self.feed.wait(wanted, timeout_s)
        if snap is None:
            waited = time.monotonic() - started
            seen = self.feed.latest
            stands = f"{seen.get('phase')}, expects {seen.get('expects')}" if seen else "no daemon"
            raise BenchError(
                712, f"waited {waited:.1f} s for {what}", stands, "see tabled.log in the run's directory", exit_code=1
            )
        return snap


def last_hand(snap: Snapshot) -> int:
    """Number of the last finished hand; 0 when none has been."""
    return int((snap.get("last_hand") or {}).get("hand") or 0)
