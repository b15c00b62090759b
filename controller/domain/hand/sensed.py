"""What bet sensors say about stakes: the side bet of a box that comes in, and the count at LOCK. Decides nothing."""

from __future__ import annotations

from controller.domain.hand.expects import side_bets
from controller.domain.hand.setup import Setup
from controller.domain.state import Box, Hand, Table


def told(table: Table, box: int, setup: Setup) -> dict[str, int]:
    """The side bet of a box that comes in, where its sensor tells it: {} or {field: amount, 0 for none}."""
    if setup.sensors is None or box not in table.sensors:
        return {}
    return {setup.sensors.field: setup.sensors.amount if table.sensors[box] else 0}


def counted(table: Table, hand: Hand, setup: Setup) -> int | None:
    """The side bets on the felt: as the dealer counted, else as the sensors do; None where he must count."""
    if hand.counted is not None:
        return hand.counted
    if setup.sensors is None:
        return side_bets(hand)
    if any(box.box not in table.sensors for box in hand.boxes):
        return None
    other = "bonus" if setup.sensors.field == "jackpot" else "jackpot"
    return sum(table.sensors[box.box] or _staked(box, other) for box in hand.boxes)


def _staked(box: Box, field: str) -> bool:
    return box.playing and bool(getattr(box, field))
