"""What the table shows: a Snapshot of public facts, a type of its own that has no room for a hidden card.

Computed whole from the state each time, never remembered. `face` is the only way from a slot to a text, and tells a
face-down card as "back". All sinks (socket, board, lamps, display, log) are fed from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.domain.hand import decisions
from controller.domain.hand.by_hand import HAND_CARDS
from controller.domain.hand.expects import BONUS, Expect, Want, current_decider, expects, may_look, side_bets
from controller.domain.hand.settling import discardable
from controller.domain.hand.setup import Setup, Training
from controller.domain.phases import Health, JokerPhase, Phase
from controller.domain.state import (
    DOC,
    UNPAYABLE,
    BonusStep,
    Box,
    BoxStatus,
    CardSource,
    Cause,
    FaceUp,
    Hand,
    Slot,
    StakeEntry,
    Table,
    Unread,
)
from controller.table import prompts
from controller.table.allowed import ALLOWED
from controller.table.payout import PayLine, pay_lines

BACK = "back"
UNREAD = "unknown"


class PublicBox(msgspec.Struct, frozen=True, kw_only=True):
    """One box as everybody may see it. `chip`: what its bet sensor says, None where it tells nothing."""

    box: int
    owner: int
    in_play: bool = msgspec.field(name="in")
    ante: int
    bonus: int
    jackpot: int
    blind: bool
    lamp: str
    lit: bool
    cards: tuple[str, ...]
    action: str
    count: int
    drawn: tuple[str, ...]
    decision: str | None
    bet: int
    fee: int
    sixth: bool
    insurance: int
    choice: str | None
    turned: bool
    discards: tuple[str, ...]
    declared: dict[str, str] | None
    status: str
    hand: str | None
    stakes: dict[str, Any] | None
    net: int
    returned: int
    pay: tuple[PayLine, ...]
    chip: bool | None = None
    late: bool = False


class PublicJoker(msgspec.Struct, frozen=True):
    """`card` only once the board has been read back; with DOC `open_card` is the card it stands for."""

    state: str
    card: str | None
    open_card: str | None
    commitment: str


class PublicDealer(msgspec.Struct, frozen=True):
    """The dealer's cards in dealt order."""

    cards: tuple[str, ...]
    hand: str | None
    plays: bool | None
    after_exchange: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that leaves the daemon about the hand."""

    table: str
    rules: str
    rules_hash: str
    hand: int
    version: int
    phase: str
    open: bool
    signed_on: dict[str, str]
    joker: PublicJoker | None
    boxes: tuple[PublicBox, ...]
    dealer: PublicDealer
    expects: dict[str, Any]
    prompt: prompts.Prompt
    allowed: tuple[str, ...]
    keys: tuple[str, ...]
    side_bets: int
    limits: dict[str, Any]
    announced: dict[str, Any]
    devices: dict[str, str]
    troubles: dict[str, dict[str, str]] = {}
    decks: tuple[dict[str, Any], ...]
    cards: str
    stake_entry: str
    disputes: tuple[dict[str, Any], ...]
    waiting: tuple[dict[str, Any], ...]
    call: str
    health: dict[str, Any]
    jokers: tuple[str, ...]
    meters: dict[str, Any]
    last_hand: dict[str, Any] | None
    alarms: tuple[dict[str, Any], ...] = ()
    doors: dict[str, str] = {}
    was_off_s: int = 0
    lamp_test: str = ""
    statistics: Mapping[str, Any] = {}
    training: bool = False


def face(slot: Slot) -> str:
    """A slot's public text."""
    match slot:
        case FaceUp():
            return slot.card
        case Unread() if not slot.by_hand:
            return UNREAD
        case _:
            return BACK


def snapshot(
    table: Table, setup: Setup, health: Mapping[str, Any] | None = None, statistics: Mapping[str, Any] | None = None
) -> Snapshot:
    """The public state. `health`: the daemon's own facts (recording or not, board in or out)."""
    hand = table.hand
    want = expects(table, setup)
    return Snapshot(
        table=setup.table,
        rules=setup.rules.id,
        rules_hash=table.rules_hash,
        hand=hand.number if hand else table.hands,
        version=table.version,
        phase=str(table.phase),
        open=table.open,
        signed_on=table.signed_on,
        joker=_joker(hand, setup),
        boxes=tuple(_box(box, hand, want, setup, table.sensors) for box in hand.boxes) if hand else (),
        dealer=_dealer(hand),
        expects=msgspec.to_builtins(want),
        prompt=prompts.prompt(table, want, setup),
        allowed=allowed(table, want, setup),
        keys=lit_keys(table, want, setup),
        side_bets=side_bets(hand) if hand else 0,
        limits=table.limits,
        announced=msgspec.to_builtins(table.announced),
        devices=devices(table, setup),
        troubles={
            name: {"code": one.code, "detail": one.detail, "refuses": one.refuses}
            for name, one in sorted(table.troubles.items())
            if name in table.devices or name in setup.fitted
        },
        disputes=tuple(msgspec.to_builtins(d) for d in table.disputes),
        stake_entry=str(setup.procedure.stake_entry),
        cards=str(table.cards if table.open else setup.procedure.cards),
        decks=tuple(msgspec.to_builtins(deck) for deck in table.decks),
        waiting=tuple({"id": w.id, "command": w.name, "missing": w.missing} for w in table.waiting),
        call=table.call,
        health=dict(health or {}),
        jokers=table.jokers,
        meters=_meters(table, setup),
        last_hand=table.last_hand,
        alarms=tuple(msgspec.structs.asdict(alarm) for alarm in table.alarms),
        doors={door: "open" if door in table.doors else "was opened" for door in table.door_marks},
        was_off_s=table.off_s,
        lamp_test=table.lamp_test,
        statistics=statistics or {},
        training=setup.training is Training.RUNNING,
    )


def devices(table: Table, setup: Setup) -> dict[str, str]:
    """Each device's health; absent where one that is fitted has never come."""
    known = {**dict.fromkeys(setup.fitted, Health.ABSENT), **table.devices}
    return {name: str(known[name]) for name in sorted(known)}


def _meters(table: Table, setup: Setup) -> dict[str, Any]:
    """The progressive as it stands, and the hits of the open hand."""
    if not setup.jackpot:
        return {}
    hits = table.hand.hits if table.hand else ()
    frozen = [{"hit": h.id, "box": h.box, "prize": h.prize, "awarded": h.awarded} for h in hits]
    return {"jackpot": table.meter, "stake": setup.jackpot_stake, "hits": frozen}


def _joker(hand: Hand | None, setup: Setup) -> PublicJoker | None:
    if not setup.joker:
        return None
    if hand is None:
        return PublicJoker("none", None, None, "")
    card = str(hand.slot) if hand.joker is JokerPhase.SHOWN else None
    return PublicJoker(str(hand.joker), card, _open_card(hand) if card == DOC else None, hand.commitment)


def _open_card(hand: Hand) -> str | None:
    return next((slot.card for slot in hand.dealer if isinstance(slot, FaceUp)), None)


def _dealer(hand: Hand | None) -> PublicDealer:
    if hand is None:
        return PublicDealer((), None, None)
    return PublicDealer(
        tuple(face(slot) for slot in hand.dealer),
        hand.dealer_category,
        hand.qualifies,
        hand.dealer_final if hand.bought else (),
        tuple(face(slot) for slot in hand.dealer_drawn),
    )


def _box(box: Box, hand: Hand, want: Expect, setup: Setup, sensors: Mapping[int, bool]) -> PublicBox:
    answer = box.answer or {}
    odds_only = hand.stake_entry is StakeEntry.NONE
    return PublicBox(
        box=box.box,
        owner=box.owner,
        in_play=box.ante > 0,
        ante=box.ante,
        bonus=box.bonus,
        jackpot=box.jackpot,
        blind=box.blind,
        lamp=lamp(box, hand, setup),
        lit=want.box == box.box,
        cards=tuple(face(slot) for slot in box.dealt),
        action=str(box.action),
        count=box.count,
        drawn=tuple(face(slot) for slot in box.drawn),
        decision=str(box.decision) if box.decision else None,
        bet=box.bet,
        fee=box.fee,
        sixth=box.sixth,
        insurance=box.insurance,
        choice=str(box.choice) if box.choice else None,
        turned=box.turned,
        discards=box.discards or (),
        declared=msgspec.to_builtins(box.declared),
        status=str(box.status),
        hand=answer.get("hand"),
        stakes=answer.get("stakes"),
        net=0 if odds_only else answer.get("net", 0),
        returned=0 if odds_only else _returned(box),
        pay=pay_lines(answer.get("stakes"), setup.plate.chips, odds_only=odds_only),
        chip=sensors.get(box.box) if setup.sensors else None,
        late=box.box in hand.late,
    )


def _returned(box: Box) -> int:
    """What goes back to the player; of a dead box all that lies there."""
    if box.status is not BoxStatus.VOID:
        return int((box.answer or {}).get("returned", 0))
    bonus = 0 if box.bonus_step is BonusStep.DONE else box.bonus  # decided before the box was dead
    return box.ante + bonus + box.jackpot + box.bet + box.fee + box.insurance


def lamp(box: Box, hand: Hand, setup: Setup) -> str:
    """steady: may look (in betting: has a stake); red: not yet; dark: blind; off: not in play."""
    if not box.playing:
        return "off"
    if hand.phase is Phase.BETTING:
        return "steady"
    if box.blind:
        return "dark"
    return "steady" if may_look(box, hand, setup) else "red"


# --- what may be done now --------------------------------------------------------------------------------------------


def allowed(table: Table, want: Expect, setup: Setup) -> tuple[str, ...]:
    """Words of the commands that make sense now, the next step first."""
    may_train = setup.training is Training.RUNNING or (setup.training is Training.OFFERED and not table.open)
    return (*_words(table, want, setup), *(("training",) if may_train else ()))


def _words(table: Table, want: Expect, setup: Setup) -> tuple[str, ...]:
    hand = table.hand
    words = ALLOWED[want.kind]
    if hand is None:
        return words
    if want.kind is Want.SUPERVISOR:
        leave = {Phase.FAULT: "reset", Phase.IRREGULAR: "resume"}[hand.phase]
        dead = hand.fault_cause in UNPAYABLE
        dead_box = ("void_box",) if hand.phase is Phase.IRREGULAR else ()
        words = ("void_hand",) if dead else (leave, *dead_box, "void_hand")
    if want.kind is Want.START:
        words = (*words, *_way_of_cards(table, setup))
    if want.kind is Want.DECLARE and not want.box:
        words = ("declare", "irregular", "void_hand")
    if announces(table, want):
        words = ("announce", *words)
    if want.cause == BONUS:
        return ("turned" if want.kind is Want.TURN else "paid", "irregular", "void_box", "void_hand")
    box = current_decider(hand, setup) if hand.phase is Phase.DECISIONS and want.kind is not Want.ENTRY else None
    if box is not None:
        words = (*decisions.options(hand, box, setup), *words)
    if want.kind is Want.STOP and hand.stop_late:
        words = ("start", *words)
    return words


def announces(table: Table, want: Expect) -> bool:
    """A drawn joker waits for a board that cannot show it."""
    hand = table.hand
    if hand is None or hand.joker is not JokerPhase.DRAWN:
        return False
    if want.kind is Want.SUPERVISOR:
        return hand.phase is Phase.FAULT and hand.fault_cause is Cause.BOARD
    return want.kind is Want.BOARD and table.devices.get("board", Health.ABSENT) is not Health.READY


def _way_of_cards(table: Table, setup: Setup) -> tuple[str, ...]:
    """Between hands: away from the shoe, or back to it."""
    if table.cards is CardSource.SHOE:
        return ("manual",)
    return ("automatic",) if setup.procedure.cards is CardSource.SHOE else ()


_KEYS: dict[str, str] = {
    "bet": "BET",
    "fold": "FOLD",
    "exchange": "CHANGE",
    "buy6": "EXTRA",
    "insure": "EXTRA",
    "fix_draw": "OK",
}
_OK = frozenset({Want.NEXT, Want.DEAL, Want.REVEAL, Want.TURN, Want.PAID, Want.REST})


def lit_keys(table: Table, want: Expect, setup: Setup) -> tuple[str, ...]:
    """The dealer keys that do something now."""
    hand = table.hand
    if hand is None:
        return ()
    numbers = tuple(f"K{n}" for n in range(1, setup.boxes + 1))
    keys: tuple[str, ...] = ()
    match want.kind:
        case Want.START:
            keys = (*numbers, "BET", "EXTRA", *(() if setup.joker else ("OK",)))
        case Want.DECISION | Want.CARD if hand.phase is Phase.DECISIONS:
            keys = tuple(dict.fromkeys(_KEYS[word] for word in allowed(table, want, setup) if word in _KEYS))
        case Want.CHOICE:
            keys = ("BET", "EXTRA")
        case Want.STUB:
            keys = ("OK", "EXTRA")
        case Want.DISCARDS:
            again = ("CHANGE",) if len(discardable(hand.box(want.box), setup)) > HAND_CARDS else ()
            keys = (*(f"K{n}" for n in range(1, 6)), *again, "EXTRA")
        case Want.ENTRY:
            keys = ("FOLD", "BET", *(f"K{n}" for n in range(1, 5)), "OK")
        case Want.STAKE:
            keys = ("OK", "FOLD", *numbers[:6])
        case Want.DECLARE:
            keys = ("FOLD", "BET", *(f"K{n}" for n in range(1, 4) if want.box), "OK")
        case kind if kind in _OK:
            keys = ("OK", "EXTRA") if kind is Want.PAID and want.cause != BONUS else ("OK",)
        case _:
            keys = ()
    return (*keys, "BACK") if table.undo else keys
