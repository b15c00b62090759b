"""What people may ask of a table: the commands by the names and arguments of docs/control.md. Imperative, frozen.

Those of devices and timers stand in device_commands; both are found here.
"""

from __future__ import annotations

from controller.domain.deck_commands import Deck, DeckSaid, DeckTime, StubCount
from controller.domain.device_commands import (
    BoardFails,
    BoardShows,
    CardIn,
    Command,
    DeviceIn,
    DeviceOut,
    DoorIn,
    DoubtIn,
    LampsIn,
    LostIn,
    NoteIn,
    PairedIn,
    Said,
    SensorsIn,
    ShowBadge,
    TimeOut,
    TrayIn,
    TroubleIn,
)
from controller.domain.supervisor_commands import (
    CloseDispute,
    CorrectMeter,
    CorrectStake,
    Exposed,
    LastHands,
    NextHand,
    Reassign,
    Redirect,
    SwapHands,
)
from controller.domain.watch_commands import AnswerAlarm, LampTest

__all__ = [  # found here as well; what stands below needs no mention
    "AnswerAlarm", "BoardFails", "BoardShows", "CardIn", "CloseDispute", "Command", "CorrectMeter",
    "CorrectStake", "Deck",
    "DeckSaid", "DeckTime", "DeviceIn", "DeviceOut", "DoorIn", "DoubtIn", "Exposed", "LampTest", "LampsIn",
    "LastHands", "LostIn", "NextHand", "NoteIn", "PairedIn", "Reassign", "Redirect", "Said", "SensorsIn", "ShowBadge",
    "StubCount", "SwapHands", "TimeOut", "TrayIn", "TroubleIn",
]  # fmt: skip


class SignOn(Command, frozen=True, kw_only=True, tag="sign_on"):
    """The operator who identifies himself stands at the table as dealer or inspector."""

    operator: Said = ""


class SignOff(Command, frozen=True, kw_only=True, tag="sign_off"):
    """The operator leaves."""

    operator: Said = ""


class OpenTable(Command, frozen=True, kw_only=True, tag="open_table"):
    """Dealer and supervisor together; the dealer is signed on by it. `head`: the journal's, from the last slip."""

    head: str = ""


class CloseTable(Command, frozen=True, kw_only=True, tag="close_table"):
    """Between hands."""


class Pair(Command, frozen=True, kw_only=True, tag="pair"):
    """A new key for a device, while the table is closed and the device's own switch is set."""

    device: Said = "shoe"


class Unpair(Command, frozen=True, kw_only=True, tag="unpair"):
    """The table's key of a device is destroyed: it believes that device no more."""

    device: Said = "shoe"


class Training(Command, frozen=True, kw_only=True, tag="training"):
    """Begin training at a closed table, or (`on=false`) go back to the table proper."""

    on: bool = True


class Limits(Command, frozen=True, kw_only=True, tag="limits"):
    """Another plate: between hands at once, or `ahead` hands from now."""

    ahead: int = 0
    ante_min: int | None = None
    ante_max: int | None = None
    cap: int | None = None
    bonus_max: int | None = None


class Owner(Command, frozen=True, kw_only=True, tag="owner"):
    """Box `box` is played by the player of box `owner`."""

    box: int
    owner: int


class SetStake(Command, frozen=True, kw_only=True, tag="stake"):
    """What lies on a box; what is not named stays as proposed, ante 0 takes the box out."""

    box: int
    ante: int | None = None
    bonus: int | None = None
    jackpot: int | None = None


class Repeat(Command, frozen=True, kw_only=True, tag="repeat"):
    """The last hand's stakes of a box (0: of all boxes)."""

    box: int = 0


class Blind(Command, frozen=True, kw_only=True, tag="blind"):
    """Makes a box blind, or open again; what its player stakes blind beside ante and bet (`blind_extras`, Q22)."""

    box: int
    blind: bool = True
    buy6: bool = False
    insurance: int = 0


class Backers(Command, frozen=True, kw_only=True, tag="backers"):
    """Shares of a shared box, in order; they sum to its ante."""

    box: int
    shares: tuple[int, ...]


class Count(Command, frozen=True, kw_only=True, tag="count"):
    """So many side bets were counted on the felt."""

    number: int


class Lock(Command, frozen=True, kw_only=True, tag="lock"):
    """No more bets."""


class Start(Command, frozen=True, kw_only=True, tag="start"):
    """START: LOCK, joker armed, deal enabled; later, after the time-out, the dealer's own draw."""


class Stop(Command, frozen=True, kw_only=True, tag="stop"):
    """STOP: triggers the draw, is never its entropy."""


class Announce(Command, frozen=True, kw_only=True, tag="announce"):
    """The board cannot show the drawn joker: the dealer tells it to the players."""


class Fold(Command, frozen=True, kw_only=True, tag="fold"):
    """The box gives up."""

    box: int


class Bet(Command, frozen=True, kw_only=True, tag="bet"):
    """The box raises (twice its ante)."""

    box: int


class Exchange(Command, frozen=True, kw_only=True, tag="exchange"):
    """The box throws `count` cards away; 0: one more than asked so far (the CHANGE key)."""

    box: int
    count: int = 0


class Buy6(Command, frozen=True, kw_only=True, tag="buy6"):
    """The box buys a sixth card."""

    box: int


class Insure(Command, frozen=True, kw_only=True, tag="insure"):
    """The box insures against a dealer without a game."""

    box: int
    amount: int = 0


class FixDraw(Command, frozen=True, kw_only=True, tag="fix_draw"):
    """With draws after all decisions: the number of cards is final, the next box decides."""

    box: int


class Declare(Command, frozen=True, kw_only=True, tag="declare"):
    """What a turned box has, and how it ends against the dealer, without its cards. Box 0: what the dealer has.

    `hand`: a category; `against`: win, tie, lose (of the box); `second`: of a double combination.
    """

    hand: Said
    box: int = 0
    against: Said = ""
    second: Said = ""


class Dealt(Command, frozen=True, kw_only=True, tag="dealt"):
    """The cards that the prompt names were dealt by hand."""


class Manual(Command, frozen=True, kw_only=True, tag="manual"):
    """From now on cards are dealt by hand: the shoe does not serve any more."""

    reason: Said = "shoe"


class Automatic(Command, frozen=True, kw_only=True, tag="automatic"):
    """The shoe serves again, from the next hand on."""


class Reveal(Command, frozen=True, kw_only=True, tag="reveal"):
    """The dealer's four cards are turned."""


class TakeAnte(Command, frozen=True, kw_only=True, tag="take_ante"):
    """The dealer does not play; the box takes the ante."""

    box: int


class BuyDealer(Command, frozen=True, kw_only=True, tag="buy_dealer"):
    """The dealer does not play; the box pays for one of his cards."""

    box: int


class Turned(Command, frozen=True, kw_only=True, tag="turned"):
    """The box lies open."""

    box: int


class NameDiscards(Command, frozen=True, kw_only=True, tag="discarded"):
    """Which dealt cards are not on the felt, as text ("Qd 2c"). Adds to those named so far."""

    box: int
    cards: Said


class Differs(Command, frozen=True, kw_only=True, tag="differs"):
    """The felt does not agree with the record; the box is frozen."""

    box: int
    cards: Said = ""


class Paid(Command, frozen=True, kw_only=True, tag="paid"):
    """The box is done: felt and record agree."""

    box: int


class Rest(Command, frozen=True, kw_only=True, tag="rest"):
    """The dealer does not play: every box that was not turned is settled at once."""


class Hold(Command, frozen=True, kw_only=True, tag="hold"):
    """A dispute: the box waits, the others are paid."""

    box: int
    reason: Said = "dispute"


class Undo(Command, frozen=True, kw_only=True, tag="undo"):
    """Takes back the dealer's last act, until the next physical fact."""


class EnterCard(Command, frozen=True, kw_only=True, tag="enter_card"):
    """Names an unread card of a place that lies open, or several there in order.

    `place`: box, draw, dealer, dealer_draw; `index` from 1.
    """

    card: Said
    box: int = 0
    place: Said = ""
    index: int = 0


class VoidBox(Command, frozen=True, kw_only=True, tag="void_box"):
    """A dead hand: the box's stakes go back."""

    box: int
    reason: Said


class VoidHand(Command, frozen=True, kw_only=True, tag="void_hand"):
    """A misdeal: all stakes go back."""

    reason: Said


class Irregular(Command, frozen=True, kw_only=True, tag="irregular"):
    """The dealer declares something irregular; a supervisor decides."""

    reason: Said


class Call(Command, frozen=True, kw_only=True, tag="call"):
    """Calls the supervisor."""

    reason: Said = "dealer"


class Release(Command, frozen=True, kw_only=True, tag="release"):
    """Closes a dispute (`box`), or answers a CALL (no box)."""

    box: int = 0


class Reset(Command, frozen=True, kw_only=True, tag="reset"):
    """The cause of a fault is gone. `number`: cards lost with the shoe's events (default: all).

    After doubtful reads somebody must have counted: there is no default.
    `cause`: what the person saw; another one by now is refused.
    """

    number: int | None = None
    cause: str = ""


class Resume(Command, frozen=True, kw_only=True, tag="resume"):
    """An irregularity is resolved by playing on. `cause`: what the person saw; another one by now is refused."""

    cause: str = ""


class DiscardCheck(Command, frozen=True, kw_only=True, tag="discard_check"):
    """The box's discards were turned and are the named ones."""

    box: int


class Claim(Command, frozen=True, kw_only=True, tag="claim"):
    """The jackpot button was held: a claim, never an award. `hit` 0: none is named."""

    hit: int = 0


class Award(Command, frozen=True, kw_only=True, tag="award"):
    """A frozen hit is paid, once those who must agree have agreed."""

    hit: int


class Approve(Command, frozen=True, kw_only=True, tag="approve"):
    """Agrees to a waiting act."""

    id: int


class Reject(Command, frozen=True, kw_only=True, tag="reject"):
    """Turns a waiting act down."""

    id: int


class Ok(Command, frozen=True, kw_only=True, tag="ok"):
    """The OK key: the one clear next step, whatever it is."""


INTERNAL: tuple[type[Command], ...] = (
    CardIn, DoubtIn, NoteIn, LostIn, DeckSaid, DeckTime, DeviceIn, PairedIn, DeviceOut, TroubleIn,
    BoardShows, BoardFails, SensorsIn, DoorIn, LampsIn, ShowBadge, TrayIn, TimeOut,
)  # fmt: skip


def public_commands() -> dict[str, type[Command]]:
    """Commands that people may give, by their name on the control socket."""
    return {str(cls.__struct_config__.tag): cls for cls in Command.__subclasses__() if cls not in INTERNAL}
