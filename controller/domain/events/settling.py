"""Reveal, turning, money, and a hand's end."""

from __future__ import annotations

from typing import Any, ClassVar

from controller.domain.events.base import Event


class DealerRevealed(Event, frozen=True, kw_only=True, tag=True):
    """The dealer's five cards in dealt order; what they make."""

    cards: tuple[str, ...]
    category: str
    qualifies: bool


class AnteTaken(Event, frozen=True, kw_only=True, tag=True):
    """The dealer does not play and this box takes the ante."""

    box: int


class DealerBought(Event, frozen=True, kw_only=True, tag=True):
    """The dealer does not play and this box pays for one of his cards to be replaced."""

    box: int
    fee: int


class ChoicesClosed(Event, frozen=True, kw_only=True, tag=True):
    """Every box has chosen, and at least one buys: those that took the ante are settled before the card is drawn."""


class TakersSettled(Event, frozen=True, kw_only=True, tag=True):
    """The boxes that took the ante are done; the bought replacement may be drawn."""


class DealerRedrawn(Event, frozen=True, kw_only=True, tag=True):
    """The dealer's final cards after a bought replacement."""

    cards: tuple[str, ...]
    category: str
    qualifies: bool


class TurnCalled(Event, frozen=True, kw_only=True, tag=True):
    """A box that would stay face down is called to be turned: a side bet of it may win. The call counts as its turn."""

    box: int


class BonusCalled(Event, frozen=True, kw_only=True, tag=True):
    """A bonus that is paid before the settlement may win: its box shows the dealt cards."""

    box: int


class BonusShown(Event, frozen=True, kw_only=True, tag=True):
    """The dealt cards of a called bonus lie open ("??" where one was never read); the box plays on."""

    box: int
    dealt: tuple[str, ...]


class BonusSettled(Event, frozen=True, kw_only=True, tag=True):
    """What the bonus does, before the hand's own settlement says it again. A lost one is taken at once."""

    box: int
    line: dict[str, Any]


class BonusPaid(Event, frozen=True, kw_only=True, tag=True):
    """The bonus is paid; nothing of it moves at the settlement."""

    box: int


class BoxTurned(Event, frozen=True, kw_only=True, tag=True):
    """The box's dealt and drawn cards are public ("??" where one was never read)."""

    box: int
    dealt: tuple[str, ...]
    drawn: tuple[str, ...]


class Discarded(Event, frozen=True, kw_only=True, tag=True):
    """Which of the dealt cards are not on the felt."""

    box: int
    cards: tuple[str, ...]


class DiscardsChecked(Event, frozen=True, kw_only=True, tag=True):
    """The discards themselves were turned and agreed."""

    box: int


class CardEntered(Event, frozen=True, kw_only=True, tag=True):
    """A person named a card that no reader told: always of a place already open to all."""

    place: str
    box: int
    index: int
    card: str


class ResultDeclared(Event, frozen=True, kw_only=True, tag=True):
    """People said what a box has and how it ends, or (box 0) what the dealer has: no card of it is on record."""

    box: int
    hand: str
    against: str = ""
    second: str = ""


class BoxSettled(Event, frozen=True, kw_only=True, tag=True):
    """What the box's stakes do. `answer` has the form of a box in the settle contract."""

    box: int
    answer: dict[str, Any]


class AnswerWithdrawn(Event, frozen=True, kw_only=True, tag=True):
    """Another box of the same player has changed, both share one maximum payout: computed anew before it is paid."""

    box: int


class BoxPaid(Event, frozen=True, kw_only=True, tag=True):
    """Felt and record agree; chips moved."""

    box: int


class BoxHeld(Event, frozen=True, kw_only=True, tag=True):
    """Disputed: the box waits while the others are paid. `cards` name the felt where it differs."""

    box: int
    reason: str
    cards: tuple[str, ...] = ()


class BoxReleased(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor closed the dispute; the box is paid as recorded."""

    box: int


class BoxVoided(Event, frozen=True, kw_only=True, tag=True):
    """A dead hand: its stakes go back."""

    box: int
    reason: str


class CardRedirected(Event, frozen=True, kw_only=True, tag=True):
    """The last drawn card was served to another box than the lit one, and nobody looked."""

    source: int
    target: int


class StakeCorrected(Event, frozen=True, kw_only=True, tag=True):
    """The chips on the felt govern: a supervisor's correction after the first card; the fee follows the ante."""

    box: int
    ante: int
    bonus: int
    fee: int = 0


class StakeEntered(Event, frozen=True, kw_only=True, tag=True):
    """What lies on a box, named at its payout (`stake_entry = at_payout`); the fee follows the ante."""

    box: int
    ante: int
    bonus: int
    fee: int = 0


class HandSettled(Event, frozen=True, kw_only=True, tag=True):
    """The whole hand as a settle request of form A, and its answer (boxes never turned stay sealed).

    `nominal`: boxes whose amounts nobody named; their results hold, their money does not.
    """

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"request", "answer"})
    request: dict[str, Any]
    answer: dict[str, Any]
    nominal: tuple[int, ...] = ()


class ReadingsDiffered(Event, frozen=True, kw_only=True, tag=True):
    """The two readings of the rules disagree: nothing is paid."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"request", "domain", "referee"})
    box: int
    request: dict[str, Any]
    domain: dict[str, Any]
    referee: dict[str, Any]


class HandEnded(Event, frozen=True, kw_only=True, tag=True):
    """Last record of a hand: outcome settled, void, not_played, or joker_only (the board alone served it).

    Key and seed are revealed whatever its end. `deferred`: boxes that are still disputed.
    """

    hand: int
    outcome: str
    key: str
    seed: str
    reason: str = ""
    disputed: tuple[int, ...] = ()
    deferred: tuple[int, ...] = ()


class CarriedReturned(Event, frozen=True, kw_only=True, tag=True):
    """The table closes and a supervisor gives back what a tie (ante and twice the ante) or an insurance left there."""

    box: int
    ante: int
    insurance: int


class MeterMoved(Event, frozen=True, kw_only=True, tag=True):
    """The progressive after a settled hand, or at its start: exact amounts as decimal text, before and after.

    Here it falls by the prizes of the hits that follow in the same transaction, and by nothing else.
    """

    before: str
    after: str
    reserve: str
    cause: str


class MeterCorrected(Event, frozen=True, kw_only=True, tag=True):
    """Two people, neither of them the dealer, set the meter and its reserve to other amounts, between two hands."""

    before: str
    after: str
    reserve_before: str
    reserve: str
    operators: tuple[str, ...]
    reason: str


class JackpotHit(Event, frozen=True, kw_only=True, tag=True):
    """A box hit: its prize is frozen. It is paid once it has been awarded."""

    id: int
    box: int
    prize: int


class JackpotAwarded(Event, frozen=True, kw_only=True, tag=True):
    """Those who must agree have agreed: the prize is paid."""

    id: int
    box: int
    prize: int
