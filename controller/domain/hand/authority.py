"""Who may do what: grades A, B and C for every command, in the state where it is given, and what is still missing.

A: the dealer at the table alone. B: the dealer's act and one supervisor. C: two people, neither of them the dealer
(one may be surveillance). S: one supervisor alone. ANY: nobody need have signed on.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from controller.domain import commands as cm
from controller.domain.hand import distrust, jackpot
from controller.domain.hand.by_hand import nothing_hidden
from controller.domain.phases import JokerPhase, Phase
from controller.domain.state import CardSource, Cause, Hand, Table


class Grade(StrEnum):
    """Whose agreement an act needs."""

    ANY = "any"
    A = "A"
    S = "S"
    B = "B"
    C = "C"


class Identity(msgspec.Struct, frozen=True):
    """A person who has proved who he is (PIN or badge), and his roles."""

    operator: str
    roles: frozenset[str]


OVERSIGHT = frozenset({"supervisor", "surveillance"})

_SUPERVISED: tuple[type[cm.Command], ...] = (
    cm.NextHand, cm.CloseDispute, cm.SwapHands, cm.Reassign, cm.Exposed,
    cm.Announce, cm.Declare, cm.EnterCard, cm.Manual, cm.Automatic,
    cm.Redirect, cm.VoidBox, cm.DiscardCheck, cm.Resume, cm.Reset, cm.Release, cm.Deck, cm.CorrectStake,
)  # fmt: skip
_ANYONE: tuple[type[cm.Command], ...] = (
    cm.SignOn,
    cm.SignOff,
    cm.Approve,
    cm.Reject,
    cm.Call,
    cm.Stop,
    cm.Claim,
    cm.LampTest,
)


def grade(
    command: cm.Command,
    table: Table,
    favours_player: bool = False,
    declares_alone: bool = False,
    misdeals: bool = False,
) -> Grade:
    """The grade of a command in this state. Rules that favour the player take grade C to open.

    `declares_alone`: where cards are not followed at all, the house lets the dealer declare results. `misdeals`: a
    card of the dealer that is exposed now ends the hand.
    """
    hand = table.hand
    match command:
        case cm.OpenTable() if favours_player:
            return Grade.C
        case cm.Pair() | cm.Unpair() | cm.CorrectMeter():
            return Grade.C
        case cm.Deck() if distrust.doubted(table):
            return Grade.C
        case cm.AnswerAlarm() if distrust.asked_about(table, command.alarm):
            return Grade.C
        case cm.OpenTable() | cm.CloseTable():
            return Grade.B
        case cm.Training():
            return Grade.S
        case cm.Limits() | cm.LastHands() | cm.AnswerAlarm():
            return Grade.S
        case cm.VoidHand() if hand is not None:
            return _ends_the_hand(hand)
        case cm.VoidBox() if hand is not None and [b.box for b in hand.boxes if b.playing] == [command.box]:
            return _ends_the_hand(hand)  # the last box: the whole hand
        case cm.Exposed() if hand is not None and not command.box and misdeals:
            return _ends_the_hand(hand)
        case cm.Award():
            return Grade.C if jackpot.above_limit(command, table) else Grade.B
        case cm.Release() if command.box == 0:
            return Grade.S
        case cm.Count() if hand is not None and hand.phase is Phase.LOCKED:
            return Grade.B  # a difference was found: no longer the dealer's alone
        case cm.Declare() if hand is not None and declares_alone and hand.cards is CardSource.NONE:
            return Grade.A
        case cm.EnterCard() if hand is not None and nothing_hidden(hand):
            return Grade.A  # no reader's word is overruled, no face-down card can be asked after
        case cm.CorrectStake() if hand is not None and before_the_first_card(hand):
            return Grade.A
        case _ if isinstance(command, _SUPERVISED):
            return Grade.B
        case _ if isinstance(command, (*cm.INTERNAL, *_ANYONE)):
            return Grade.ANY
        case _:
            return Grade.A


def _ends_the_hand(hand: Hand) -> Grade:
    """C once people may have seen what decides it: the joker on the board, or the dealer's hand where there is none.

    A board that lit it and was read back wrong may have shown it.
    """
    seen = hand.joker is JokerPhase.SHOWN or (hand.joker is JokerPhase.DRAWN and Cause.BOARD in hand.faults)
    return Grade.C if seen or hand.qualifies is not None else Grade.B


def before_the_first_card(hand: Hand) -> bool:
    """The dealer still corrects stakes alone; not where a count differed, nor once the joker is drawn."""
    if hand.joker in (JokerPhase.DRAWN, JokerPhase.SHOWN):
        return False
    dealt = bool(hand.dealer) or any(box.dealt for box in hand.boxes)
    return hand.phase is Phase.BETTING or (hand.phase is Phase.DEALING and not dealt)


def missing(needed: Grade, people: tuple[Identity, ...], dealer: str | None) -> str:
    """Who is still missing, in a word for the screen; empty when the act may go ahead.

    `dealer` is the operator signed on as dealer: his own act is grade A, and he never counts as oversight.
    """
    others = {p.operator for p in people if p.roles & OVERSIGHT and p.operator != dealer}
    supervisors = {p.operator for p in people if "supervisor" in p.roles and p.operator != dealer}
    match needed:
        case Grade.B | Grade.S:
            return "" if supervisors else "supervisor"
        case Grade.C:
            if not supervisors:
                return "supervisor and a second person" if len(others) < 1 else "supervisor"
            return "" if len(others) > 1 else "a second person"
        case _:
            return ""
