"""The closed sets that a table's state is told in: where cards come from, how boxes stand, why play is held.

Words only; the structs that use them stand in state, and are the place to import from.
"""

from __future__ import annotations

from enum import StrEnum


class CardSource(StrEnum):
    """Where cards are known from: a shoe, people who enter them when they lie open, or nobody."""

    SHOE = "shoe"
    AT_TURN = "at_turn"
    NONE = "none"


class Equipment(StrEnum):
    """What a table has: all of it; board and keys without a shoe; the board with START and STOP alone."""

    FULL = "full"
    KEYS = "keys"
    BOARD = "board"


class DeclaredBy(StrEnum):
    """Who declares results where cards are not followed at all."""

    SUPERVISOR = "supervisor"
    DEALER = "dealer"


class StakeEntry(StrEnum):
    """When stakes are entered; NONE: not at all, the controller says odds only."""

    BEFORE_DEAL = "before_deal"
    AT_PAYOUT = "at_payout"
    NONE = "none"


class Decision(StrEnum):
    """How a box decided."""

    RAISE = "raise"
    FOLD = "fold"


class Choice(StrEnum):
    """What a box does when the dealer does not play."""

    TAKE = "take"
    BUY = "buy"


class BoxStatus(StrEnum):
    """Where a box stands in settling."""

    OPEN = "open"
    HELD = "held"
    DEFERRED = "deferred"
    PAID = "paid"
    VOID = "void"


class Cause(StrEnum):
    """Why play is held (irregular) or stopped (fault)."""

    EARLY_CARD = "early_card"
    EXTRA_CARD = "extra_card"
    DOUBLE_FEED = "double_feed"
    DECK_FAULT = "deck_fault"
    TOO_MANY_UNREAD = "too_many_unread"
    DECLARED = "declared"
    SIDE_BETS = "side_bets"
    CARDS_LOST = "cards_lost"
    READS_DOUBTED = "reads_doubted"
    EVENT_DIFFERS = "event_differs"
    DEVICE_CHANGED = "device_changed"
    BOARD = "board"
    READINGS_DIFFER = "readings_differ"
    SHOE = "shoe"
    OLD_JOURNAL = "old_journal"
    UNSETTLED = "unsettled"
    SEED = "seed"
    PROGRAM = "program"
    DOOR = "door"


UNPAYABLE = frozenset({Cause.READINGS_DIFFER, Cause.UNSETTLED, Cause.SEED})
"""Faults after which the hand can only be voided: nobody knows what to pay, or which joker was promised."""


class BonusStep(StrEnum):
    """How far a bonus is that is paid before the settlement."""

    NONE = "none"
    CALLED = "called"
    SHOWN = "shown"
    DONE = "done"
