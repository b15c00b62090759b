"""What each lamp, the joker board and the text display show: whole levels, computed from the state each time.

The board's frame is the one place where a drawn joker leaves the loop before it is public: it is how it becomes so.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from controller.domain.cards import parse_card, rank_of, suit_of
from controller.domain.hand import jackpot
from controller.domain.hand.expects import BONUS, Expect, Want, expects, lit
from controller.domain.hand.setup import Setup, Training
from controller.domain.phases import JokerPhase, Phase
from controller.domain.state import DOC, Box, FaceUp, Hand, StakeEntry, Table
from controller.table import projection, prompts
from controller.table.payout import pay_lines
from drivers.gpio.layout import BoardLevels, SeatLamp

SEATS = 7
_LAMPS: dict[str, SeatLamp] = {"steady": "green", "red": "red", "dark": "off", "off": "off"}
_DARK: tuple[SeatLamp, ...] = ("off", "off", "off", "off", "off", "off", "off")


class JackpotLamp(StrEnum):
    """The jackpot button's lamp."""

    DARK = "dark"
    LIT = "lit"  # a box takes part in the jackpot, and that is in the journal
    FLASHING = "flashing"  # a hit waits for its award


class Display(msgspec.Struct, frozen=True):
    """Everything that the output thread shows. `joker`: the frame carries this hand's joker."""

    board: BoardLevels
    lines: tuple[str, str, str, str]
    jackpot: JackpotLamp
    joker: bool

    def __repr__(self) -> str:
        return f"Display(board=**, lines={self.lines!r}, jackpot={self.jackpot})"


def display(table: Table, setup: Setup, language: str, overlay: tuple[str, ...] = ()) -> Display:
    """All levels. `overlay`: lines that a finger's work in progress puts over the prompt (stake edit, card entry)."""
    want = expects(table, setup)
    lines = prompts.display(table, prompts.prompt(table, want, setup), setup, language)
    if want.kind is Want.PAID and table.hand is not None:
        lines = _payment(table.hand.box(want.box), setup, bonus=want.cause == BONUS)
    if overlay:
        shown = [*(line[: prompts.WIDTH] for line in overlay), "", "", ""]
        lines = (lines[0], shown[0], shown[1], shown[2])
    joker = joker_lit(table.hand)
    return Display(board=board(table, want, setup), lines=lines, jackpot=jackpot_lamp(table.hand, setup), joker=joker)


def jackpot_lamp(hand: Hand | None, setup: Setup) -> JackpotLamp:
    """Dark at a table without a jackpot. A hit is one from its record on, which comes after the last box is settled."""
    if hand is None or not setup.jackpot:
        return JackpotLamp.DARK
    if jackpot.pending(hand) is not None:
        return JackpotLamp.FLASHING
    part = any(box.playing and (box.jackpot or (setup.bonus_royal and box.bonus)) for box in hand.boxes)
    return JackpotLamp.LIT if part else JackpotLamp.DARK


def _payment(box: Box, setup: Setup, *, bonus: bool) -> tuple[str, str, str, str]:
    """What the dealer's hands do: the box and what it holds, then a line for each stake."""
    answer = {"stakes": {"bonus": box.bonus_line or {}}} if bonus else box.answer or {}
    odds_only = setup.procedure.stake_entry is StakeEntry.NONE
    hand = str(answer.get("hand", "")).replace("_", " ").upper()
    told = pay_lines(answer.get("stakes"), setup.plate.chips, odds_only=odds_only)
    texts = [line.text()[: prompts.WIDTH] for line in told]
    training = f"{prompts.TRAINING['en']} " if setup.training is Training.RUNNING else ""
    lines = [f"{training}BOX {box.box} {hand}"[: prompts.WIDTH], *texts, "", "", ""]
    return (lines[0], lines[1], lines[2], lines[3])


def joker_lit(hand: Hand | None) -> bool:
    """Whether the board carries the joker of this hand."""
    return hand is not None and hand.joker in (JokerPhase.DRAWN, JokerPhase.SHOWN)


def board(table: Table, want: Expect, setup: Setup) -> BoardLevels:
    """The joker, the seats, the lit keys."""
    hand = table.hand
    if hand is None:
        return BoardLevels(call=bool(table.call))
    rank, suit, doc = _joker(hand)
    seats: list[SeatLamp] = [_seat(box, hand, want, setup) for box in hand.boxes]
    keys = frozenset("EXTRA" if key == "K7" else key for key in projection.lit_keys(table, want, setup))
    return BoardLevels(
        rank=rank,
        suit=suit,
        doc=doc,
        seats=(*seats, *_DARK)[:SEATS],
        keys=keys,
        start=want.kind in (Want.START, Want.NEXT) or (want.kind is Want.STOP and hand.stop_late),
        stop=hand.joker is JokerPhase.ARMED,
        call=bool(table.call),
    )


def _joker(hand: Hand) -> tuple[int | None, int | None, bool]:
    """Rank, suit, DOC lamp. DOC also shows the open card once that lies there."""
    if not joker_lit(hand) or hand.slot is None:
        return None, None, False
    text = str(hand.slot)
    doc = text == DOC
    if doc:
        text = next((slot.card for slot in hand.dealer if isinstance(slot, FaceUp)), "")
    if not text:
        return None, None, doc
    card = parse_card(text)
    return rank_of(card), suit_of(card), doc


def _seat(box: Box, hand: Hand, want: Expect, setup: Setup) -> SeatLamp:
    """Amber: its turn, or until the deal has a side bet; green: has a stake (betting), or may look; red: not yet.

    Dark: blind or not in play.
    """
    if box.playing and want.box == box.box:
        return "amber"
    if hand.phase in (Phase.BETTING, Phase.LOCKED) and lit(box):
        return "amber"
    return _LAMPS[projection.lamp(box, hand, setup)]
