"""Choices of procedure that a house makes in table.toml, as closed sets of words. Words only, no meaning."""

from __future__ import annotations

from enum import StrEnum


class SettleOrder(StrEnum):
    """In which order boxes are settled."""

    RIGHT_TO_LEFT = "right_to_left"
    LEFT_TO_RIGHT = "left_to_right"


class SettleMode(StrEnum):
    """Whether lost stakes are collected before others are paid."""

    BOX_BY_BOX = "box_by_box"
    TAKES_FIRST = "takes_first"


class JokerTime(StrEnum):
    """When the joker is drawn."""

    BEFORE_DEAL = "before_deal"
    DURING_DEAL = "during_deal"
    AFTER_DEAL = "after_deal"


class DrawTiming(StrEnum):
    """When bought cards come."""

    AT_ONCE = "at_once"
    AFTER_ALL = "after_all"


class Exposure(StrEnum):
    """What becomes of a player's card that the dealer exposed."""

    PLAYS = "plays"
    REPLACED = "replaced"
    WITHDRAWS = "withdraws"


class ExposedDealer(StrEnum):
    """What becomes of a hand where a hidden card of the dealer was seen before all have decided."""

    MISDEAL = "misdeal"
    PLAYS = "plays"
