"""Sections of table.toml about what the table watches beside the cards: bet sensors, alarms. Shapes and their sense."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

Wrong = tuple[str, str, str]  # key, what, allowed


class SideBet(enum.StrEnum):
    JACKPOT = "jackpot"
    BONUS = "bonus"


class SensorsSection(Struct, frozen=True, kw_only=True):
    """Bet sensors on the joker board's register; without the section there are none. `amount`: a bonus chip's value."""

    bet: SideBet = SideBet.JACKPOT
    amount: Annotated[int, Meta(ge=0, le=10**12)] = 0
    settle_ms: Annotated[int, Meta(ge=50, le=2000)] = 300
    collect_at_lock: bool = False


class DoorEffect(enum.StrEnum):
    NOT_FITTED = "not_fitted"
    FINISH_HAND = "finish_hand"
    STOP_NOW = "stop_now"


class DoorsSection(Struct, frozen=True, kw_only=True):
    """What an open door does; a contact that is not fitted is not watched."""

    enclosure: DoorEffect = DoorEffect.NOT_FITTED
    shoe_lid: DoorEffect = DoorEffect.NOT_FITTED
    off_minutes: Annotated[int, Meta(ge=1, le=100_000)] = 30


Number = Annotated[int, Meta(ge=1, le=10**9)]


class AlarmsSection(Struct, frozen=True, kw_only=True):
    """When the live statistics raise an alarm. Rates need at least `least_events` events; see docs/statistics.md."""

    hands: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    chance: Annotated[int, Meta(ge=1000, le=10**12)] = 1_000_000
    least_hands: Number = 200
    least_events: Number = 5
    wins_margin: Annotated[int, Meta(ge=0, le=100)] = 8
    joker_draws: Number = 275
    reader_errors_per_1000: Number = 10
    undos_per_100: Number = 30
    voids_per_100: Number = 5
    overrides_per_100: Number = 10
    late_bets_per_100: Number = 10
    power_losses: Number = 3
    tray_differs: Number = 3
    drops_per_hour: Number = 6
    hands_per_minute: Number = 4
    quiet_hands: Number = 200


def sensors_wrong(sensors: SensorsSection | None, jackpot_stake: int, bonus_max: int) -> Iterator[Wrong]:
    """A chip must stand for a stake that the table takes."""
    if sensors is None:
        return
    if sensors.bet is SideBet.JACKPOT:
        if not jackpot_stake:
            remedy = 'add [jackpot] with a stake, or set sensors.bet to "bonus"'
            yield "sensors.bet", 'sensors.bet is "jackpot" and the table has no jackpot stake', remedy
        if sensors.amount:
            yield "sensors.amount", "sensors.amount beside jackpot.stake", 'leave it out, it is for bet = "bonus"'
    elif not 0 < sensors.amount <= bonus_max:
        what = f"sensors.amount {sensors.amount} is no bonus of this plate"
        yield "sensors.amount", what, f"give 1 to limits.bonus_max, {bonus_max}"
