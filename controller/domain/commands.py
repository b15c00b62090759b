"""What may be asked of a table: the commands people give (names and arguments of docs/control.md) and those that
devices and timers give through intake. Imperative, frozen; a command is a wish, never a fact.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Said = Annotated[str, msgspec.Meta(max_length=200)]
"""Free text that a person gives; it stands in records and snapshots."""


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Base of all commands. `name` is the word of the control socket."""


class SignOn(Command, frozen=True, kw_only=True, tag="sign_on"):
    """The operator who identifies himself stands at the table as dealer or inspector."""

    operator: Said = ""


class SignOff(Command, frozen=True, kw_only=True, tag="sign_off"):
    """The operator leaves."""

    operator: Said = ""


class OpenTable(Command, frozen=True, kw_only=True, tag="open_table"):
    """Dealer and supervisor together; the dealer is signed on by it."""


class CloseTable(Command, frozen=True, kw_only=True, tag="close_table"):
    """Between hands."""


class Limits(Command, frozen=True, kw_only=True, tag="limits"):
    """Another plate, between hands."""

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
    """Makes a box blind, or open again."""

    box: int
    blind: bool = True


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


class Redirect(Command, frozen=True, kw_only=True, tag="redirect"):
    """The last drawn card lies at `target`, not at the lit box; nobody looked."""

    box: int
    target: int


class CorrectStake(Command, frozen=True, kw_only=True, tag="correct_stake"):
    """The chips on the felt govern."""

    box: int
    ante: int
    bonus: int | None = None


class EnterCard(Command, frozen=True, kw_only=True, tag="enter_card"):
    """Names an unread card of a place that lies open. `place`: box, draw, dealer, dealer_draw; `index` from 1."""

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

    `cause`: what the person saw; another one by now is refused.
    """

    number: int | None = None
    cause: str = ""


class Resume(Command, frozen=True, kw_only=True, tag="resume"):
    """An irregularity is resolved by playing on. `cause`: what the person saw; another one by now is refused."""

    cause: str = ""


class Deck(Command, frozen=True, kw_only=True, tag="deck"):
    """Another deck."""

    deck: Said


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


# --- from devices and timers -----------------------------------------------------------------------------------------


class CardIn(Command, frozen=True, kw_only=True, tag="card_in"):
    """The shoe's event: a card, "??" if unread. Never from a person."""

    device: str
    event_no: int
    card: Said
    reason: Said = ""

    def __repr__(self) -> str:
        return f"CardIn(device={self.device!r}, event_no={self.event_no}, card=**)"


class NoteIn(Command, frozen=True, kw_only=True, tag="note_in"):
    """A numbered event of a device that is not a card."""

    device: str
    event_no: int
    kind: str
    detail: str = ""


class LostIn(Command, frozen=True, kw_only=True, tag="lost_in"):
    """The device no longer has these events."""

    device: str
    first: int
    last: int


class DeviceIn(Command, frozen=True, kw_only=True, tag="device_in"):
    """A device introduced itself."""

    device: str
    model: str
    serial: str
    firmware: str
    boot_id: str
    log_last: int = 0


class DeviceOut(Command, frozen=True, kw_only=True, tag="device_out"):
    """A device is gone."""

    device: str
    reason: Said


class TroubleIn(Command, frozen=True, kw_only=True, tag="trouble_in"):
    """A device or input misbehaves."""

    device: str
    code: str
    detail: str


class BoardShows(Command, frozen=True, kw_only=True, tag="board_shows"):
    """The board's read-back of a frame that held the joker was right."""


class BoardFails(Command, frozen=True, kw_only=True, tag="board_fails"):
    """The board's read-back was wrong."""

    detail: str


class TimeOut(Command, frozen=True, kw_only=True, tag="time_out"):
    """STOP was not pressed in time."""


INTERNAL: tuple[type[Command], ...] = (
    CardIn, NoteIn, LostIn, DeviceIn, DeviceOut, TroubleIn, BoardShows, BoardFails, TimeOut,
)  # fmt: skip


def public_commands() -> dict[str, type[Command]]:
    """Commands that people may give, by their name on the control socket."""
    return {str(cls.__struct_config__.tag): cls for cls in Command.__subclasses__() if cls not in INTERNAL}
