"""What people set right: disputes carried past their hand, cards at another place, cards that were seen."""

from __future__ import annotations

from controller.domain.events.base import Event


class DisputeDeferred(Event, frozen=True, kw_only=True, tag=True):
    """The box stays disputed; its hand ends as recorded, its chips stay where they lie."""

    box: int


class DisputeClosed(Event, frozen=True, kw_only=True, tag=True):
    """A dispute of an earlier hand is over: `recorded` went back by the settlement, `paid` in the end."""

    hand: int
    box: int
    recorded: int
    paid: int
    reason: str


class HandsSwapped(Event, frozen=True, kw_only=True, tag=True):
    """The dealt cards of two boxes lie at each other's place."""

    first: int
    second: int


class CardReassigned(Event, frozen=True, kw_only=True, tag=True):
    """At an open place lies another card than recorded; one that was recorded at an open place too changes with it."""

    place: str
    box: int
    index: int
    card: str
    was: str


class CardMovedBack(Event, frozen=True, kw_only=True, tag=True):
    """A drawn card lay at another box, unseen, and was moved to the box that it was drawn for."""

    box: int
    lay_at: int


class CardExposed(Event, frozen=True, kw_only=True, tag=True):
    """A face-down card was seen. `procedure`: plays, replaced, withdraws, misdeal. Box 0: the dealer's."""

    box: int
    procedure: str


class CardReplaced(Event, frozen=True, kw_only=True, tag=True):
    """The exposed card, the last that was dealt to the box, is laid aside; another comes in its place."""

    box: int
