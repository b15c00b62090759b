"""Everything that a bench can do wrong, by name, and when it does: a fault of a run happens once, in one hand.

Names only and their timing; what each does to the hardware is the bench's `inject`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from firmware_sim.errors import BenchError


class Fault(StrEnum):
    """The named faults."""

    UNREAD_CARD = "unread-card"
    DUPLICATE_CARD = "duplicate-card"
    EXTRA_CARD = "extra-card"
    DOUBLE_FEED = "double-feed"
    SHOE_JAM = "shoe-jam-3s"
    SHOE_LID = "shoe-lid-3s"
    LOST_ACK = "lost-ack"
    DUPLICATE_FRAMES = "duplicate-frames"
    NOISE = "noise"
    FORGED_FRAMES = "forged-frames"
    REPLAYED_FRAMES = "replayed-frames"
    HELD_FRAMES = "held-frames"
    CHANGED_EVENT = "changed-event"
    EVENTS_LOST = "events-lost"
    SPLIT_FRAMES = "split-frames"
    SHOE_SWAPPED = "shoe-swapped"
    WRONG_DEVICE = "wrong-device"
    PORTS_SWAPPED = "ports-swapped"
    PORT_BUSY = "port-busy-3s"
    FOREIGN_READER = "foreign-reader-3s"
    EARLY_FRAMES = "early-frames"
    RESTART_ON_OPEN = "restart-on-open"
    UNPLUG_SHORT = "unplug-300ms"
    UNPLUG_LONG = "unplug-3s"
    SHOE_RESTART = "shoe-restart"
    OPEN_LAMP = "open-lamp"
    BOARD_DEAD = "board-dead"
    BOUNCING_KEYS = "bouncing-keys"
    STUCK_KEY = "stuck-key"
    KEY_STORM = "key-storm"
    LATE_PULL_UPS = "late-pull-ups"
    PINS_BUSY = "pins-busy-3s"
    SLOW_DISPLAY = "slow-display"
    STUCK_SENSOR = "stuck-sensor"
    DOOR_OPEN = "door-open"
    DOUBLE_SCAN = "double-scan"
    GLUED_SCAN = "glued-scan"
    SPLIT_SCAN = "split-scan"
    JUNK_SCAN = "junk-scan"
    SHUFFLER_UNPLUG = "shuffler-unplug-3s"
    SHUFFLER_RENUMBER = "shuffler-reenumerate"
    SHUFFLER_NO_ACCESS = "shuffler-no-access"
    SHUFFLER_KERNEL = "shuffler-kernel-driver"
    SHUFFLER_TIMEOUT = "shuffler-error-110"
    SHUFFLER_GONE = "shuffler-error-19"
    SHUFFLER_IO = "shuffler-error-5"
    SHUFFLER_UNKNOWN = "shuffler-error-unknown"
    SHUFFLER_STALL = "shuffler-stall"
    SHUFFLER_SHORT = "shuffler-short-read"
    SHUFFLER_DEAF = "shuffler-deaf"
    SHUFFLER_OUT_OF_STEP = "shuffler-out-of-step"
    SHUFFLER_FORGETS = "shuffler-forgets"
    SHUFFLER_RESTART = "shuffler-restart"
    SHUFFLER_JAM = "shuffler-jam"
    SHUFFLER_BLIND = "shuffler-blind"
    SHUFFLER_FORGED = "shuffler-forged-frames"
    SHUFFLER_SWAPPED = "shuffler-swapped"
    DECK_SHORT = "deck-short"
    DECK_DOUBLE = "deck-double"
    DECK_WRONG = "deck-wrong"


# These are a state of the hardware and hold from the start; the others are an event within a hand.
LASTING = frozenset(
    {
        Fault.DUPLICATE_FRAMES,
        Fault.NOISE,
        Fault.SPLIT_FRAMES,
        Fault.BOUNCING_KEYS,
        Fault.LATE_PULL_UPS,
        Fault.PINS_BUSY,
    }
)

WHAT = {
    Fault.UNREAD_CARD: "one card leaves the shoe unread",
    Fault.DUPLICATE_CARD: "a card that lies on the felt comes out of the shoe again",
    Fault.EXTRA_CARD: "one card too many is drawn with the dealer's last one",
    Fault.DOUBLE_FEED: "two cards leave the shoe together and neither is told",
    Fault.SHOE_JAM: "a card sticks in the shoe for 3 s",
    Fault.SHOE_LID: "the shoe's lid is open for 3 s in mid-deal",
    Fault.LOST_ACK: "acknowledgements are lost on the line for 0.6 s",
    Fault.DUPLICATE_FRAMES: "every frame of the shoe arrives twice",
    Fault.NOISE: "noise on the serial line, damaged frames among it",
    Fault.FORGED_FRAMES: "somebody puts six invented cards on the shoe's line",
    Fault.REPLAYED_FRAMES: "somebody plays the shoe's last frames again",
    Fault.HELD_FRAMES: "somebody holds back what the shoe says for 1.5 s, then lets all of it go",
    Fault.CHANGED_EVENT: "the shoe tells its last card again, as another card under the same number",
    Fault.EVENTS_LOST: "the shoe loses the next card from its memory before anybody has heard of it",
    Fault.SPLIT_FRAMES: "whatever the shoe sends arrives in two parts",
    Fault.SHOE_SWAPPED: "a shoe with another key stands in for the paired one for 3 s in mid-deal",
    Fault.WRONG_DEVICE: "a device that calls itself a shuffler answers at the shoe's port for 3 s",
    Fault.PORTS_SWAPPED: "shoe and discard tray come back at each other's ports, for 3 s",
    Fault.PORT_BUSY: "the shoe is plugged in anew, and another program holds its port for 3 s",
    Fault.FOREIGN_READER: "a program that knows no lock reads the shoe's port too, for 3 s",
    Fault.EARLY_FRAMES: "plugged in anew, the shoe talks at once, into a port that still echoes",
    Fault.RESTART_ON_OPEN: "plugged in anew; from now on each opening of its port restarts the shoe, memory lost",
    Fault.UNPLUG_SHORT: "the shoe's plug is out for 300 ms in mid-deal",
    Fault.UNPLUG_LONG: "the shoe's plug is out for 3 s in mid-deal",
    Fault.SHOE_RESTART: "the shoe loses power in mid-deal and comes back",
    Fault.OPEN_LAMP: "a lit lamp of the joker board is open",
    Fault.BOARD_DEAD: "the joker board loses its supply",
    Fault.BOUNCING_KEYS: "contacts bounce for 4 ms",
    Fault.STUCK_KEY: "key K3 goes down and stays down",
    Fault.KEY_STORM: "the contact of key K3 makes sixty edges at once and is open again",
    Fault.LATE_PULL_UPS: "START and K1 are low for 800 ms from each start of the daemon on and toggle twice",
    Fault.PINS_BUSY: "for 3 s from each start of the daemon on its pins are busy",
    Fault.SLOW_DISPLAY: "for 5 s each transfer to the text display takes 200 ms",
    Fault.STUCK_SENSOR: "the bet sensor of box 3 says chip and goes on saying so",
    Fault.DOOR_OPEN: "the enclosure's door is open for a second in mid-deal",
    Fault.DOUBLE_SCAN: "plain reader: a card is scanned twice at once",
    Fault.GLUED_SCAN: "plain reader: a scan loses its end and runs into the next",
    Fault.SPLIT_SCAN: "plain reader: a scan comes in two parts 300 ms apart",
    Fault.JUNK_SCAN: "plain reader: junk before a scan",
    Fault.SHUFFLER_UNPLUG: "shuffler: its plug is out for 3 s",
    Fault.SHUFFLER_RENUMBER: "shuffler: it comes back at once under another address",
    Fault.SHUFFLER_NO_ACCESS: "shuffler: plugged in anew, opening is refused for 1.5 s",
    Fault.SHUFFLER_KERNEL: "shuffler: plugged in anew, a kernel driver has taken its interface",
    Fault.SHUFFLER_TIMEOUT: "shuffler: one read times out (errno 110)",
    Fault.SHUFFLER_GONE: "shuffler: one read fails with errno 19, no such device",
    Fault.SHUFFLER_IO: "shuffler: one read fails with errno 5, input/output error",
    Fault.SHUFFLER_UNKNOWN: "shuffler: one read fails and nothing says why",
    Fault.SHUFFLER_STALL: "shuffler: every read stalls until a reset",
    Fault.SHUFFLER_SHORT: "shuffler: a frame breaks off after three bytes",
    Fault.SHUFFLER_DEAF: "shuffler: it hears, but nothing is read until a reset",
    Fault.SHUFFLER_OUT_OF_STEP: "shuffler: after a read that times out nothing is read until the halt is cleared",
    Fault.SHUFFLER_FORGETS: "shuffler: it forgets that it was enabled",
    Fault.SHUFFLER_RESTART: "shuffler: it loses power and comes back",
    Fault.SHUFFLER_JAM: "shuffler: a card is stuck",
    Fault.SHUFFLER_BLIND: "shuffler: from now on it sees no face and only counts",
    Fault.SHUFFLER_FORGED: "shuffler: somebody puts six invented counts on its line",
    Fault.SHUFFLER_SWAPPED: "shuffler: a machine with another key stands in for it for 3 s",
    Fault.DECK_SHORT: "shuffler: the deck that goes in next lacks a card",
    Fault.DECK_DOUBLE: "shuffler: the deck that goes in next has a card twice",
    Fault.DECK_WRONG: "shuffler: the deck that goes in next bears another mark",
}

DECKS = frozenset(fault for fault in Fault if fault.startswith(("shuffler-", "deck-")))
LINE = frozenset(
    {
        Fault.DOUBLE_FEED,
        Fault.SHOE_JAM,
        Fault.SHOE_LID,
        Fault.LOST_ACK,
        Fault.DUPLICATE_FRAMES,
        Fault.NOISE,
        Fault.SPLIT_FRAMES,
        Fault.FORGED_FRAMES,
        Fault.REPLAYED_FRAMES,
        Fault.HELD_FRAMES,
        Fault.CHANGED_EVENT,
        Fault.EVENTS_LOST,
        Fault.SHOE_SWAPPED,
        Fault.WRONG_DEVICE,
        Fault.PORTS_SWAPPED,
        Fault.PORT_BUSY,
        Fault.FOREIGN_READER,
        Fault.EARLY_FRAMES,
        Fault.RESTART_ON_OPEN,
    }
)
SCANS = frozenset({Fault.DOUBLE_SCAN, Fault.GLUED_SCAN, Fault.SPLIT_SCAN, Fault.JUNK_SCAN})


def parse(text: str, default: int = 2) -> tuple[Fault, int]:
    """`NAME` or `NAME@HAND`, where no hand is named the default one."""
    name, _, hand = text.partition("@")
    try:
        return Fault(name), int(hand or default)
    except ValueError:
        raise BenchError(710, "no such fault", text, f"use NAME or NAME@HAND; names: {', '.join(Fault)}") from None


@dataclass
class Due:
    """A fault that waits for its card."""

    fault: Fault
    hand: int
    card: int


class FaultBook:
    """Which fault is due now."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"{seed}/faults")
        self._due: list[Due] = []

    def plan(self, fault: Fault, hand: int) -> None:
        """Once in this hand, before one of its first cards."""
        self._due.append(Due(fault, hand, self._random.randrange(2, 7)))

    def take(self, hand: int, card: int) -> list[Fault]:
        """What happens before this card of this hand; each is taken once."""
        now = [due for due in self._due if due.hand <= hand and due.card <= card]
        self._due = [due for due in self._due if due not in now]
        return [due.fault for due in now]
