"""Everything that can have happened at a table. Facts in the past tense, frozen; folding them gives the state.

HIDDEN names fields that the journal seals with the hand's key, WRAPPED those it seals with the table's credential
key; all other fields are public the moment they are recorded. Cards are text ("As", "??" for one never read), keys and
seeds hex text. Money is in minor units.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

NO_FIELDS: frozenset[str] = frozenset()


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all events. `type` is the class's name, in the journal as in memory."""

    HIDDEN: ClassVar[frozenset[str]] = NO_FIELDS
    WRAPPED: ClassVar[frozenset[str]] = NO_FIELDS


# --- the run and the table -------------------------------------------------------------------------------------------


class RunStarted(Event, frozen=True, kw_only=True, tag=True):
    """A daemon took up the journal. `hardware` names port, USB backend and pin factory (design: no `if simulated`)."""

    version: str
    mode: str
    hardware: dict[str, str]
    config_hash: str


class RunEnded(Event, frozen=True, kw_only=True, tag=True):
    """An orderly stop. `signature` covers journal id, seq and head of the record before this one (docs/journal.md)."""

    reason: str
    head: str
    signature: str


class OperatorSignedOn(Event, frozen=True, kw_only=True, tag=True):
    """Somebody stands at the table in this role from now on."""

    operator: str
    role: str


class OperatorSignedOff(Event, frozen=True, kw_only=True, tag=True):
    """The role is empty again."""

    operator: str
    role: str


class TableOpened(Event, frozen=True, kw_only=True, tag=True):
    """Play may begin. Every house rule in force is a value here: the rule set whole, procedure and plate."""

    rules_id: str
    rules: dict[str, Any]
    rules_hash: str
    procedure: dict[str, Any]
    limits: dict[str, Any]
    boxes: int


class TableClosed(Event, frozen=True, kw_only=True, tag=True):
    """No more hands."""


class Authorised(Event, frozen=True, kw_only=True, tag=True):
    """Who answers for the act that follows, beyond the dealer alone (grades B and C)."""

    command: str
    grade: str
    operators: tuple[str, ...]


class ApprovalAsked(Event, frozen=True, kw_only=True, tag=True):
    """An act waits for people. `command` is the act as JSON; `operators`: who agreed, with their roles."""

    id: int
    name: str
    command: dict[str, Any]
    operators: dict[str, tuple[str, ...]]
    missing: str


class ApprovalJoined(Event, frozen=True, kw_only=True, tag=True):
    """One more person agreed; others are still missing."""

    id: int
    operators: dict[str, tuple[str, ...]]
    missing: str


class ApprovalClosed(Event, frozen=True, kw_only=True, tag=True):
    """The waiting act was carried out, turned down, or no longer makes sense."""

    id: int
    outcome: str


class Rejected(Event, frozen=True, kw_only=True, tag=True):
    """A refused command or press: the first of its kind at once, repeats counted."""

    command: str
    code: str
    origin: str
    count: int


class Recalled(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor looked at a past hand."""

    hand: int
    operators: tuple[str, ...]


class CallRaised(Event, frozen=True, kw_only=True, tag=True):
    """The dealer asks for the supervisor (CALL lamp)."""

    reason: str


class CallCleared(Event, frozen=True, kw_only=True, tag=True):
    """A supervisor came."""


# --- a hand opens ----------------------------------------------------------------------------------------------------


class HandOpened(Event, frozen=True, kw_only=True, tag=True):
    """First record of a hand: its key, wrapped. The codec adds `key_commit`."""

    WRAPPED: ClassVar[frozenset[str]] = frozenset({"key"})
    hand: int
    key: str


class DeckTaken(Event, frozen=True, kw_only=True, tag=True):
    """The deck may be dealt. `source` says what vouches for it: shuffler, supervisor, unchecked."""

    deck: str
    source: str


class DeckQuarantined(Event, frozen=True, kw_only=True, tag=True):
    """The deck is not to be dealt again; another must be named."""

    reason: str


class PhaseEntered(Event, frozen=True, kw_only=True, tag=True):
    """The phase travels in the event."""

    phase: str
    trigger: str


# --- betting ---------------------------------------------------------------------------------------------------------


class StakeSet(Event, frozen=True, kw_only=True, tag=True):
    """What lies on a box before the deal; ante 0 takes the box out."""

    box: int
    ante: int
    bonus: int = 0
    jackpot: int = 0
    backers: tuple[int, ...] = ()


class OwnerSet(Event, frozen=True, kw_only=True, tag=True):
    """Who plays a box: the number of the owner's first box."""

    box: int
    owner: int


class BlindSet(Event, frozen=True, kw_only=True, tag=True):
    """A blind box: cards not looked at, the bet already lies on it."""

    box: int
    blind: bool


class LimitsChanged(Event, frozen=True, kw_only=True, tag=True):
    """Another plate."""

    limits: dict[str, Any]


class CountGiven(Event, frozen=True, kw_only=True, tag=True):
    """The dealer counted the side bets and found this many."""

    number: int


class Locked(Event, frozen=True, kw_only=True, tag=True):
    """No more bets: all that lies on the boxes. `counted`: side bets found on the felt, affirmed by START."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"seed"})
    stakes: tuple[dict[str, Any], ...]
    limits: dict[str, Any]
    commitment: str
    seed: str
    witness: str
    side_bets: int
    counted: int


# --- cards and joker -------------------------------------------------------------------------------------------------


class CardDealt(Event, frozen=True, kw_only=True, tag=True):
    """One card from the shoe for the place that was expected. `card` is "??" where nobody knows it.

    `place` is box, dealer, draw (a box's replacement or sixth card) or dealer_draw; `index` counts from 0 in the place.
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


class CardRefused(Event, frozen=True, kw_only=True, tag=True):
    """A card that nobody expected. Which one is not recorded: it may be face down."""

    device: str
    event_no: int
    reason: str


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


# --- decisions -------------------------------------------------------------------------------------------------------


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


# --- reveal and settling ---------------------------------------------------------------------------------------------


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


class BoxSettled(Event, frozen=True, kw_only=True, tag=True):
    """What the box's stakes do. `answer` has the form of a box in the settle contract."""

    box: int
    answer: dict[str, Any]


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
    """The chips on the felt govern: a supervisor's correction after the first card."""

    box: int
    ante: int
    bonus: int


class HandSettled(Event, frozen=True, kw_only=True, tag=True):
    """The whole hand as a settle request of form A, and its answer (boxes never turned stay sealed)."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"request", "answer"})
    request: dict[str, Any]
    answer: dict[str, Any]


class ReadingsDiffered(Event, frozen=True, kw_only=True, tag=True):
    """The two readings of the rules disagree: nothing is paid."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset({"request", "domain", "referee"})
    box: int
    request: dict[str, Any]
    domain: dict[str, Any]
    referee: dict[str, Any]


class HandEnded(Event, frozen=True, kw_only=True, tag=True):
    """Last record of a hand: outcome settled, void or not_played; key and seed are revealed whatever its end."""

    hand: int
    outcome: str
    key: str
    seed: str
    reason: str = ""
    disputed: tuple[int, ...] = ()


# --- what goes wrong -------------------------------------------------------------------------------------------------


class Irregularity(Event, frozen=True, kw_only=True, tag=True):
    """Play holds until somebody with authority decides. `cause` is a word of state.Cause."""

    cause: str
    place: str = ""
    box: int = 0


class Resumed(Event, frozen=True, kw_only=True, tag=True):
    """The irregularity is resolved; play goes on in the phase that was held."""

    cause: str
    phase: str


class FaultRaised(Event, frozen=True, kw_only=True, tag=True):
    """The table stopped with a reason and a next step."""

    cause: str
    detail: str


class FaultReset(Event, frozen=True, kw_only=True, tag=True):
    """The cause is gone and the right person said so."""

    cause: str
    phase: str


class DeviceUp(Event, frozen=True, kw_only=True, tag=True):
    """A device introduced itself."""

    device: str
    model: str
    serial: str
    firmware: str
    boot_id: str
    log_last: int = 0


class ShoeAdopted(Event, frozen=True, kw_only=True, tag=True):
    """People decided that the shoe's log goes on after this number (another shoe, a log that began anew)."""

    event_no: int


class DeviceDown(Event, frozen=True, kw_only=True, tag=True):
    """A device is gone or silent."""

    device: str
    reason: str


class DeviceTroubled(Event, frozen=True, kw_only=True, tag=True):
    """A device or input misbehaves but may still serve."""

    device: str
    code: str
    detail: str


def registry() -> dict[str, type[Event]]:
    """All event classes by type name, for the journal's codec."""
    return {cls.__name__: cls for cls in Event.__subclasses__()}
