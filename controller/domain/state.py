"""The state of a table as one tree of frozen structs, made by folding events (evolve.py) and by nothing else.

A card lies in one of three kinds of slot: FaceDown (known to the controller alone), FaceUp (public) or Unread (known to
nobody). Projections accept FaceUp only, so that a hidden card cannot travel by mistake; no repr shows one.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain.decks import Deck
from controller.domain.pending import Announced, Dispute
from controller.domain.phases import Health, JokerPhase, Phase
from controller.domain.play import Action
from controller.domain.state_words import (
    UNPAYABLE,
    BonusStep,
    BoxStatus,
    CardSource,
    Cause,
    Choice,
    Decision,
    DeclaredBy,
    Equipment,
    StakeEntry,
)
from controller.domain.tray import Tray

__all__ = [  # found here as well; what stands below needs no mention
    "UNPAYABLE",
    "BonusStep",
    "BoxStatus",
    "CardSource",
    "Cause",
    "Choice",
    "Decision",
    "DeclaredBy",
    "Equipment",
    "StakeEntry",
]  # fmt: skip

DOC = "DOC"
SHUFFLER = "shuffler"  # the device of this name
LINE_DISTRUSTED = "line_distrusted"  # the alarm about its line
UNKNOWN = "??"


class Struct(msgspec.Struct, frozen=True, kw_only=True):
    """Frozen, by keyword only."""


class FaceDown(msgspec.Struct, frozen=True):
    """A card that only the controller knows."""

    card: str

    def __repr__(self) -> str:
        return "FaceDown(**)"


class FaceUp(msgspec.Struct, frozen=True):
    """A public card. `entered`: named by a person, not by a reader."""

    card: str
    entered: bool = False


class Unread(msgspec.Struct, frozen=True):
    """A card that nobody knows yet. `by_hand`: no reader was asked, only its place is known."""

    by_hand: bool = False


Slot = FaceDown | FaceUp | Unread


def known(slot: Slot) -> str:
    """The card of a slot for settlement and checks inside the loop, "??" where unread. Never for a projection."""
    return UNKNOWN if isinstance(slot, Unread) else slot.card


class Secret(str):
    """Hex of a key or seed; its repr shows nothing."""

    def __repr__(self) -> str:
        return "Secret(**)"


class Stake(Struct, frozen=True, kw_only=True):
    """What lay on a box, proposed again for the next hand; or what a tie left lying there (`carried`, Q7a).

    `insurance` lies only where `insurance_carried`: it came from a hand that the dealer beat (Q60).
    """

    box: int
    owner: int
    ante: int
    bonus: int = 0
    jackpot: int = 0
    blind: bool = False
    backers: tuple[int, ...] = ()
    carried: bool = False
    insurance: int = 0
    insurance_carried: bool = False


class Declaration(Struct, frozen=True, kw_only=True):
    """What people said of a box without its cards; words as in the settle contract's `declared`."""

    hand: str
    against: str = ""
    second: str = ""


class Box(Struct, frozen=True, kw_only=True):
    """One box of the open hand. `ante` 0: not in play. `answer`: its part of the settlement, once computed.

    `blind_sixth`, `blind_insurance`: what its player wants to stake blind, until LOCK.
    `count` replacements, then `sixth` card, lie in `drawn` in that order.
    `staked`: its stakes were named at the payout. `bonus_line`: of a bonus that is paid before the settlement.
    `called`: turned for a side bet though nobody else would turn it. `disputed`: was held and released.
    """

    box: int
    owner: int
    ante: int = 0
    bonus: int = 0
    jackpot: int = 0
    blind: bool = False
    blind_sixth: bool = False
    blind_insurance: int = 0
    backers: tuple[int, ...] = ()
    dealt: tuple[Slot, ...] = ()
    drawn: tuple[Slot, ...] = ()
    action: Action = Action.NONE
    count: int = 0
    sixth: bool = False
    fee: int = 0
    fixed: bool = False
    bet: int = 0
    decision: Decision | None = None
    carried: bool = False
    insurance: int = 0
    insurance_carried: bool = False
    choice: Choice | None = None
    turned: bool = False
    discards: tuple[str, ...] | None = None
    checked: bool = False
    called: bool = False
    disputed: bool = False
    status: BoxStatus = BoxStatus.OPEN
    declared: Declaration | None = None
    staked: bool = False
    bonus_step: BonusStep = BonusStep.NONE
    bonus_line: dict[str, Any] | None = None
    answer: dict[str, Any] | None = None
    note: str = ""

    @property
    def playing(self) -> bool:
        """In play and not void."""
        return self.ante > 0 and self.status is not BoxStatus.VOID

    @property
    def awaits_draw(self) -> bool:
        """Cards were bought that have not come yet."""
        return len(self.drawn) < self.draws

    @property
    def insured(self) -> bool:
        """Insured in this hand: after that only the bet is open."""
        return self.insurance > 0 and not self.insurance_carried

    @property
    def draws(self) -> int:
        """How many cards the box has bought: replacements, then a sixth card."""
        return self.count + self.sixth


class Hit(Struct, frozen=True, kw_only=True):
    """A jackpot hit of the open hand; its value is frozen."""

    id: int
    box: int
    prize: int
    awarded: bool = False


class Alarm(Struct, frozen=True, kw_only=True):
    """Something that somebody must look into; it stands until a supervisor has answered it."""

    id: int
    code: str
    subject: str
    detail: str
    hand: int


class Hand(Struct, frozen=True, kw_only=True):
    """The open hand. `back` is where irregular or fault will return to.

    `announced`: the dealer told the joker in place of the board.
    `chosen`: every box took the ante or bought the dealer a card; `takers_settled`: those that took are done;
    `bought`: the bought card lies there. `faults`: all causes since play stopped; `lost`: cards that went to the felt
    unrecorded meanwhile. `late`: boxes with a chip on the bet sensor that came after LOCK and does not count.
    """

    number: int
    key: Secret
    phase: Phase
    boxes: tuple[Box, ...]
    cards: CardSource = CardSource.SHOE
    stake_entry: StakeEntry = StakeEntry.BEFORE_DEAL
    dealer: tuple[Slot, ...] = ()
    dealer_drawn: tuple[Slot, ...] = ()
    dealer_final: tuple[str, ...] = ()
    dealer_category: str | None = None
    dealer_declared: str = ""
    qualifies: bool | None = None
    chosen: bool = False
    takers_settled: bool = False
    bought: bool = False
    joker: JokerPhase = JokerPhase.NONE
    slot: Secret | None = None
    announced: bool = False
    commitment: str = ""
    seed: Secret = Secret("")
    stop_late: bool = False
    counted: int | None = None
    meter: str = ""
    reserve: str = "0"
    settled: bool = False
    hits: tuple[Hit, ...] = ()
    unread: int = 0
    burned: int = 0
    burns: tuple[Slot, ...] = ()
    back: Phase | None = None
    fault_back: Phase | None = None
    cause: Cause | None = None
    fault_cause: Cause | None = None
    faults: tuple[Cause, ...] = ()
    lost: int = 0
    detail: str = ""
    late: tuple[int, ...] = ()

    def box(self, number: int) -> Box:
        """The box of this number (1..n)."""
        return self.boxes[number - 1]


class ShoeMemory(Struct, frozen=True, kw_only=True):
    """What is known of shoe or shuffler: last journalled event and the recent ones, so that a repeat can be compared.

    `owner`: serial number of the device whose log `last_event` counts; `serial` is the one that is connected.
    `ahead`: what it remembers as acknowledged and this journal does not know, until people have decided.
    """

    last_event: int = 0
    recent: tuple[tuple[int, Secret], ...] = ()
    owner: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    boot_id: str = ""
    log_last: int = 0
    sealed: bool = False
    ahead: str = ""


class Trouble(Struct, frozen=True, kw_only=True):
    """The last that a device was in trouble with. `refuses`: why it does nothing, a word of REFUSES, or empty."""

    code: str
    detail: str
    refuses: str = ""


UNPAIRED = "unpaired"
REFUSES = frozenset({"lid_open", "jam", "log_full", "refused", UNPAIRED})


class Waiting(Struct, frozen=True, kw_only=True):
    """An act that waits for people."""

    id: int
    name: str
    command: dict[str, Any]
    operators: dict[str, tuple[str, ...]]
    missing: str


class Table(Struct, frozen=True, kw_only=True):
    """Everything a restart must find again. `version` counts events, so it moves with every public change.

    `sensors`: box to whether a chip lies on its bet sensor; a box that is missing tells nothing. `doors`: the open
    ones; `door_marks`: those opened since the last hand ended. `off_s`: how long the table was off before this run,
    until a hand has ended; -1 where nobody knows. `lamp_test`: what the last one found, ok or which lamps.
    `training`: number of the training that runs, or ran when the power went; `trainings`: how many there were.
    `deck` is in play or was last, `deck_source` what vouched for it, `given` how many cards the shoe gave of it (None:
    nobody knows), `dealt` how many the last hand took; `stub_hands` since its stub was counted.
    `troubles`: of devices since they last introduced themselves.
    `degraded`: which copy of the journal is lost and why; while it is, no new hand starts.
    `clock_behind`: the journal's last time, while the wall clock stands before it: the table does not open.
    """

    version: int = 0
    open: bool = False
    signed_on: dict[str, str] = {}
    hand: Hand | None = None
    hands: int = 0
    stakes: tuple[Stake, ...] = ()
    carried: tuple[Stake, ...] = ()
    undo: tuple[Hand, ...] = ()
    shoe: ShoeMemory = ShoeMemory()
    shuffler: ShoeMemory = ShoeMemory()
    devices: dict[str, Health] = {}
    troubles: dict[str, Trouble] = {}
    waiting: tuple[Waiting, ...] = ()
    next_waiting: int = 1
    call: str = ""
    quarantined: str = ""
    disputes: tuple[Dispute, ...] = ()
    announced: Announced = Announced()
    decks: tuple[Deck, ...] = ()
    deck: str = ""
    deck_source: str = ""
    deck_hands: int = 0
    deck_minutes: int = 0
    given: int | None = 0
    dealt: int = 0
    stub_hands: int = 0
    cards: CardSource = CardSource.SHOE
    degraded: str = ""
    failing: str = ""
    clock_behind: str = ""
    rules_hash: str = ""
    limits: dict[str, Any] = {}
    boxes: int = 0
    last_hand: dict[str, Any] | None = None
    meter: str = ""
    reserve: str = "0"
    hits: int = 0
    jokers: tuple[str, ...] = ()
    sensors: dict[int, bool] = {}
    tray: Tray = Tray()
    alarms: tuple[Alarm, ...] = ()
    next_alarm: int = 1
    doors: tuple[str, ...] = ()
    door_marks: tuple[str, ...] = ()
    off_s: int = 0
    lamp_test: str = ""
    training: int = 0
    trainings: int = 0

    @property
    def phase(self) -> Phase:
        """The phase of the open hand; CLOSED without one."""
        return self.hand.phase if self.hand else Phase.CLOSED

    def refuses(self, device: str) -> str:
        """Why this device does nothing, a word of REFUSES; empty where it does, or nothing is known."""
        trouble = self.troubles.get(device)
        return trouble.refuses if trouble else ""
