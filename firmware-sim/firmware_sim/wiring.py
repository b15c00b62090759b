"""The wires and lamps of docs/wiring.md, as the bench needs them. Data only; the drivers have their own reading."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wire:
    """One input: its BCM pin and the level at which it rests (every input is active low)."""

    pin: int
    rest: int = 1


INPUTS: dict[str, Wire] = {
    "START": Wire(5),
    "STOP": Wire(6),
    "JACKPOT": Wire(12),
    "K1": Wire(13),
    "K2": Wire(16),
    "K3": Wire(17),
    "K4": Wire(18),
    "K5": Wire(19),
    "K6": Wire(20),
    "FOLD": Wire(21),
    "BET": Wire(22),
    "CHANGE": Wire(23),
    "EXTRA": Wire(24),
    "BACK": Wire(25),
    "OK": Wire(27),
    "SWITCH": Wire(4),
    # Rests low: the door of a working table is closed. "Active" on the bench means opened.
    "DOOR": Wire(2, rest=0),
}

JACKPOT_LAMP_PIN = 26
BOARD_DEVICE = 0
DISPLAY_DEVICE = 1

BOXES = 7
LAMPS: tuple[str, ...] = (
    *(f"rank {rank}" for rank in "23456789TJQKA"),
    *(f"suit {suit}" for suit in "cdhs"),
    "DOC",
    *(f"green {box}" for box in range(1, BOXES + 1)),
    *(f"red {box}" for box in range(1, BOXES + 1)),
    *("K1", "K2", "K3", "K4", "K5", "K6", "FOLD", "BET", "CHANGE", "EXTRA", "BACK", "OK"),
    *("START", "STOP", "CALL", "spare"),
)
