"""One hand as it is settled: the dealer, the boxes with what they staked and did. Facts only, nothing computed.

A card is None where it was never read. Cards of these structs may still lie face down: they never enter a text.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

import msgspec

from controller.domain.cards import Card
from controller.domain.paytable import Category

Cards = tuple[Card | None, ...]


class Action(StrEnum):
    """What a box bought before it bet or folded."""

    NONE = "none"
    EXCHANGE = "exchange"
    BUY6 = "buy6"
    BOTH = "exchange_buy6"
    """First the one, then the other, where `max_actions` is 2."""

    @property
    def exchanges(self) -> bool:
        return self in (Action.EXCHANGE, Action.BOTH)

    @property
    def buys(self) -> bool:
        return self in (Action.BUY6, Action.BOTH)


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What people said of a box whose cards nobody recorded: its category, and how it ends against the dealer.

    `against`: win, tie, lose; empty where the dealer does not play. `second`: of a double combination.
    """

    hand: Category
    against: str = ""
    second: Category | None = None


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """One box. `final` is None where the discards were never named: then `drawn` says what came.

    Both stand where cards are exchanged one after another (`repeat_exchange`): `drawn` has them all.
    """

    box: int
    ante: int
    cards: Cards
    final: Cards | None
    raised: bool
    action: Action = Action.NONE
    count: int = 0
    drawn: Cards = ()
    blind: bool = False
    carried: bool = False
    bonus: int = 0
    insurance: int = 0
    insurance_carried: bool = False
    jackpot: int = 0
    buy_dealer: bool = False
    backers: tuple[int, ...] = ()
    owner: str | None = None
    declared: Declared | None = None

    def __repr__(self) -> str:
        return f"Box({self.box})"  # never its cards

    def new_cards(self) -> Cards:
        """What came from the deck after the deal."""
        if self.final is None:
            return self.drawn
        if self.drawn:  # one after another: some were thrown away again
            return self.drawn + self.final[5:]
        changed = tuple(new for old, new in zip(self.cards, self.final, strict=False) if new != old)
        return changed + self.final[5:]


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """All that a settlement needs. The dealer's last card is the open one; boxes stand in the order of paying."""

    dealer: Cards
    boxes: tuple[Box, ...]
    after_exchange: Cards | None = None
    joker: Card | None = None
    doc: bool = False
    """The joker is the dealer's open card."""
    declared: Category | None = None
    """What the dealer has, where nobody recorded his cards."""
    meter: Fraction | None = None

    def __repr__(self) -> str:
        return f"Round({len(self.boxes)} boxes)"
