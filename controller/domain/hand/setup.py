"""What a table is set up to play: rule set, plate, procedure, and the pure function that settles.

Fixed for a run; TableOpened records all of it. Handed to decide and advance; never changed by them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec

from controller.domain.choices import ExposedDealer, Exposure
from controller.domain.decks import DeckRules
from controller.domain.ruleset import RuleSet
from controller.domain.state import CardSource, DeclaredBy, Equipment, StakeEntry

Settle = Callable[[dict[str, Any]], dict[str, Any]]


class Differ(Exception):
    """The two readings of the rules disagree. Carries both answers."""

    def __init__(self, domain: dict[str, Any], referee: dict[str, Any]) -> None:
        super().__init__("the two readings of the rules differ")
        self.domain = domain
        self.referee = referee


class Unsettled(Exception):
    """The request cannot be settled as it stands (a card that matters was never read)."""


class Plate(msgspec.Struct, frozen=True, kw_only=True):
    """The limits shown at the table, in minor units; `bonus_max` 0: none.

    Jackpot prizes above `award_limit` take two people, neither of them the dealer (0: all of them do).
    """

    ante_min: int
    ante_max: int
    cap: int
    bonus_max: int = 0
    chips: tuple[int, ...] = (1, 5, 10, 25, 100, 500)
    award_limit: int = 0


class Procedure(msgspec.Struct, frozen=True, kw_only=True):
    """How the floor deals (floor choices, not rules of the game)."""

    joker_time: str = "during_deal"
    draw_timing: str = "at_once"
    settle_order: str = "right_to_left"
    settle_mode: str = "box_by_box"
    stop_timeout_s: int = 10
    max_unknown: int = 2
    discard_check_from: str = "trips"
    max_open_boxes: int = 2
    equal_antes: bool = False
    exposed_player: Exposure = Exposure.PLAYS
    exposed_dealer: ExposedDealer = ExposedDealer.MISDEAL
    equipment: Equipment = Equipment.FULL
    cards: CardSource = CardSource.SHOE
    stake_entry: StakeEntry = StakeEntry.BEFORE_DEAL
    declared_by: DeclaredBy = DeclaredBy.SUPERVISOR


class BetSensors(msgspec.Struct, frozen=True, kw_only=True):
    """What a chip on a box's bet sensor means: `field` is jackpot or bonus, `amount` its stake in minor units.

    `collect_at_lock`: the dealer takes these chips up once bets are closed, so that one that goes then is no alarm.
    """

    field: str
    amount: int
    collect_at_lock: bool = False


class Doors(msgspec.Struct, frozen=True, kw_only=True):
    """What an open door does: "finish_hand", "stop_now", or "" where no contact is fitted.

    `off_minutes`: a table that was off for longer raises an alarm at its start, where a contact is fitted.
    """

    enclosure: str = ""
    shoe: str = ""
    off_minutes: int = 30

    def effect(self, door: str) -> str:
        """Of this door; "" for one that nobody watches."""
        return {"enclosure": self.enclosure, "shoe": self.shoe}.get(door, "")


class Training(StrEnum):
    """Whether this run is a training, and whether one may begin."""

    NONE = "none"
    OFFERED = "offered"
    RUNNING = "running"


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. `settle` computes a form A request by both readings; raises Differ or Unsettled.

    `edge` names the house edge under best play, where it is known; `source` the device whose cards are dealt;
    `fitted` every device that the configuration names, there or not.
    """

    table: str
    rules: RuleSet
    boxes: int
    plate: Plate
    procedure: Procedure
    settle: Settle
    edge: str = ""
    source: str = "shoe"
    fitted: tuple[str, ...] = ()
    favours_player: bool = False
    warnings: tuple[str, ...] = ()
    training: Training = Training.NONE
    jackpot_stake: int = 0
    meter_start: str = ""
    sensors: BetSensors | None = None
    doors: Doors = Doors()
    decks: DeckRules = DeckRules()
    settle_rules: str
    settle_set: dict[str, Any]

    @property
    def jackpot(self) -> bool:
        """Whether this table feeds and pays a meter of its own: by a stake, or through the bonus (S003)."""
        return bool(self.meter_start) and (self.jackpot_stake > 0 or self.bonus_royal)

    @property
    def bonus_royal(self) -> bool:
        """A royal in the bonus pays a share of the meter in place of fixed odds."""
        return str(self.rules.jackpot.jackpot_mode) == "bonus_royal"

    @property
    def joker(self) -> bool:
        """Whether a joker is drawn on the board (J-poker)."""
        return str(self.rules.variant) == "jpoker"


class Entropy(msgspec.Struct, frozen=True):
    """Fresh random hex for one decision: a hand's key and a draw's seed. Used at most once each."""

    key: str
    seed: str

    def __repr__(self) -> str:
        return "Entropy(**)"
