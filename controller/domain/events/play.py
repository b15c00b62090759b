"""Stakes, cards and joker, decisions."""

from __future__ import annotations

from typing import Any, ClassVar

from controller.domain.events.base import Event


class StakeSet(Event, frozen=True, kw_only=True, tag=True):
    """What lies on a box before the deal; ante 0 takes the box out. `joined`: the same act as the event before it.

    `sensed`: a chip on the bet sensor did it, or its absence; no act of the dealer's.
    """

    box: int
    ante: int
    bonus: int = 0
    jackpot: int = 0
    backers: tuple[int, ...] = ()
    joined: bool = False
    sensed: bool = False


class OwnerSet(Event, frozen=True, kw_only=True, tag=True):
    """Who plays a box: the number of the owner's first box."""

    box: int
    owner: int
    joined: bool = False


class BlindSet(Event, frozen=True, kw_only=True, tag=True):
    """A blind box: cards not looked at, the bet already lies on it; and what else was staked blind."""

    box: int
    blind: bool
    buy6: bool = False
    insurance: int = 0
    joined: bool = False


class LimitsChanged(Event, frozen=True, kw_only=True, tag=True):
    """Another plate."""

    limits: dict[str, Any]


class CountGiven(Event, frozen=True, kw_only=True, tag=True):
    """The dealer counted the side bets and found this many."""

    number: int


class Locked(Event, frozen=True, kw_only=True, tag=True):
    """No more bets: all that lies on the boxes. `counted`: side bets found on the felt, affirmed by START.

    `cards`: how they are followed in this hand (state.CardSource). `stake_entry` (state.StakeEntry): where it is not
    before_deal the amounts are nominal until they are named, or for good. `dealer`: who is signed on as such.
    """

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"seed"})
    stakes: tuple[dict[str, Any], ...]
    limits: dict[str, Any]
    meter: str = ""
    reserve: str = "0"
    commitment: str
    seed: str
    witness: str
    side_bets: int
    counted: int
    cards: str = "shoe"
    stake_entry: str = "before_deal"
    dealer: str = ""
    rules_hash: str = ""


class CardDealt(Event, frozen=True, kw_only=True, tag=True):
    """One card from the shoe for the place that was expected. `card` is "??" where nobody knows it.

    `place` is box, dealer, draw (a box's replacement or sixth card) or dealer_draw; `index` counts from 0 in the place.
    `trusted`: the device has proved who it is.
    """

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"card"})
    place: str
    box: int
    index: int
    card: str
    unread: bool
    reason: str
    device: str
    event_no: int
    trusted: bool = True


class CardsByHand(Event, frozen=True, kw_only=True, tag=True):
    """So many cards were dealt by hand to a place; no reader told them. Places as in CardDealt."""

    place: str
    box: int
    count: int


class CardRefused(Event, frozen=True, kw_only=True, tag=True):
    """A card that nobody expected. Which one is not recorded: it may be face down."""

    device: str
    event_no: int
    reason: str
    trusted: bool = True


class CardsBurned(Event, frozen=True, kw_only=True, tag=True):
    """So many cards left the shoe untold and lie aside, seen by nobody; the note before it has the number."""

    device: str
    count: int
    reason: str


class ReadDoubted(Event, frozen=True, kw_only=True, tag=True):
    """A reader without a log may have missed or garbled cards; how many, nobody can tell. `raw`: hex of its bytes."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"raw"})
    device: str
    event_no: int
    reason: str
    raw: str


class DeviceNoted(Event, frozen=True, kw_only=True, tag=True):
    """A numbered event of a device that is not a card."""

    device: str
    event_no: int
    kind: str
    detail: str


class EventsMissed(Event, frozen=True, kw_only=True, tag=True):
    """The device lost these events for good."""

    device: str
    first: int
    last: int


class OpenCardShown(Event, frozen=True, kw_only=True, tag=True):
    """The dealer's open card is public."""

    card: str


class JokerArmed(Event, frozen=True, kw_only=True, tag=True):
    """STOP counts from now on."""


class StopTimedOut(Event, frozen=True, kw_only=True, tag=True):
    """Nobody pressed STOP; the dealer draws by START."""


class JokerDrawn(Event, frozen=True, kw_only=True, tag=True):
    """The one draw of this hand. `slot` is a card or DOC; public only after the board's read-back."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"slot"})
    slot: str
    draw: int
    by: str


class JokerShown(Event, frozen=True, kw_only=True, tag=True):
    """The board's read-back agreed (or the dealer announced it, where the board is out of service)."""

    slot: str
    by: str


class JokerVoided(Event, frozen=True, kw_only=True, tag=True):
    """The joker was taken back before it was shown; the hand ends."""

    reason: str


class Folded(Event, frozen=True, kw_only=True, tag=True):
    """The box gave up; ante collected."""

    box: int


class BetMade(Event, frozen=True, kw_only=True, tag=True):
    """The box raised: `amount` is twice the ante."""

    box: int
    amount: int


class ExchangeAsked(Event, frozen=True, kw_only=True, tag=True):
    """So many cards were thrown away face down; their fee lies on top."""

    box: int
    count: int
    fee: int


class DrawFixed(Event, frozen=True, kw_only=True, tag=True):
    """The number of replacements is fixed (`after_all`: by OK)."""

    box: int


class SixthBought(Event, frozen=True, kw_only=True, tag=True):
    """The box buys a sixth card."""

    box: int
    fee: int


class InsuranceStaked(Event, frozen=True, kw_only=True, tag=True):
    """Insurance against a dealer without a game; judged when the box is turned."""

    box: int
    amount: int


class Undone(Event, frozen=True, kw_only=True, tag=True):
    """The dealer took back the last act; nothing physical had happened since."""
