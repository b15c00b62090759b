"""The pin map of docs/wiring.md section 1, as data. Imports nothing; opens nothing."""

from __future__ import annotations

from types import MappingProxyType

KEYS = ("K1", "K2", "K3", "K4", "K5", "K6", "FOLD", "BET", "CHANGE", "EXTRA", "BACK", "OK")

# name -> BCM number; every input is active low
INPUTS = MappingProxyType(
    {
        "START": 5, "STOP": 6, "JACKPOT": 12,
        "K1": 13, "K2": 16, "K3": 17, "K4": 18, "K5": 19, "K6": 20,
        "FOLD": 21, "BET": 22, "CHANGE": 23, "EXTRA": 24, "BACK": 25, "OK": 27,
        "SWITCH": 4, "DOOR": 2,
    }
)  # fmt: skip

# Inputs whose level means something (supervisor, door closed); the others are buttons.
LEVELS = frozenset({"SWITCH", "DOOR"})

JACKPOT_LAMP = 26
SPI_PORT = 0
JOKER_BOARD = 0  # CE0
TEXT_DISPLAY = 1  # CE1
