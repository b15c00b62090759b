"""Hands in a line each, from public facts alone: the last fifty for a recall, or all of an archive for a search.

Opens no seal and checks no chain: whoever finds a hand here reads it with `recall`, which does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from controller.journal.codec import read_body
from controller.journal.hands import Rows
from controller.journal.recall import OVERRIDES
from controller.journal.records import HAND_OPENED, STATE_KEPT, TABLE_OPENED, Body, Row, stream_of

RECALLED: Final = 50
"""Hands that a table recalls at once (regulations ask for ten)."""


class Summary(msgspec.Struct, kw_only=True):
    """One hand. `cards` are those that were shown; `boxes` maps a box's number to its net result, where it was told."""

    hand: int
    t: str
    rules: str = ""
    dealer: str = ""
    outcome: str = "open"
    reason: str = ""
    joker: str = ""
    dealer_cards: str = ""
    boxes: dict[int, int] = {}
    staked: int = 0
    hits: int = 0
    cards: set[str] = set()
    overrides: int = 0
    side_bets: dict[int, int] = {}
    open_hits: set[int] = set()

    @property
    def net(self) -> int:
        """What the players of the hand won or lost together."""
        return sum(self.boxes.values())


class _Staff(msgspec.Struct, frozen=True):
    signed_on: dict[str, str] = {}


class _Kept(msgspec.Struct, frozen=True):
    """What a kept state tells of people and rules."""

    state: _Staff
    opened: int = 0


_kept = msgspec.json.Decoder(_Kept)


def latest(source: Rows, last_hand: int, many: int = RECALLED) -> list[Summary]:
    """The last hands, the newest first, the open one among them."""
    for number in range(max(1, last_hand - many + 1), last_hand + 1):
        rows = source.stream(stream_of(number))
        if rows:
            first = rows[0].seq
            return list(summaries(source.rows(first - 1), *_in_force(source, first)))[::-1]
    return []


def _in_force(source: Rows, seq: int) -> tuple[str, str]:
    """Who dealt, and by which rules, when a hand began; behind a kept state, which tells both, no record is read."""
    who = rules = ""
    for row in source.rows_back(seq):
        if _tells(row.body) and (body := read_body(row.body)).hand is None:
            if body.type == "OperatorSignedOn" and _data(body).get("role") == "dealer":
                who = who or _data(body)["operator"]
            elif body.type == TABLE_OPENED:
                rules = rules or _data(body).get("rules_id", "")
            elif body.type == STATE_KEPT:
                kept = _kept.decode(body.data)
                return who or kept.state.signed_on.get("dealer", ""), rules or _rules_at(source, kept.opened)
        if who and rules:
            break
    return who, rules


def _rules_at(source: Rows, opened: int) -> str:
    """The rules' id of the TableOpened of that number; "" where it is none."""
    row = next(source.rows(opened - 1), None) if opened else None
    body = None if row is None else read_body(row.body)
    return _data(body).get("rules_id", "") if body is not None and body.type == TABLE_OPENED else ""


def summaries(rows: Iterable[Row], who: str = "", rules: str = "") -> Iterator[Summary]:
    """All hands that begin in these rows, in order; who dealt and by which rules when the rows begin."""
    at: Summary | None = None
    for row in rows:
        if not _tells(row.body):
            continue
        body = read_body(row.body)
        match body.type:
            case "OperatorSignedOn" if _data(body).get("role") == "dealer":
                who = _data(body)["operator"]
            case "TableOpened":
                rules = _data(body).get("rules_id", "")
            case "HandOpened" if body.hand is not None:
                if at is not None:
                    yield at
                at = Summary(hand=body.hand, t=body.t, dealer=who, rules=rules)
        if at is not None and body.hand == at.hand:
            _take(at, body)
    if at is not None:
        yield at


def told(hand: Summary) -> dict[str, Any]:
    """A hand for machines: cards sorted, what the players won or lost together."""
    boxes = {str(box): net for box, net in sorted(hand.boxes.items())}
    facts = {**msgspec.to_builtins(hand), "boxes": boxes, "cards": sorted(hand.cards), "net": hand.net}
    return {name: value for name, value in facts.items() if name not in ("side_bets", "open_hits")}


_TOLD: Final = frozenset(
    {"Locked", "JokerShown", "DealerRevealed", "DealerRedrawn", "OpenCardShown", "BoxTurned", "BoxSettled", "BoxVoided",
     "JackpotHit", "HandEnded"}
)  # fmt: skip
_WANTED: Final = {
    f'"type":"{name}"'.encode()
    for name in {*_TOLD, *OVERRIDES, HAND_OPENED, "OperatorSignedOn", TABLE_OPENED, STATE_KEPT}
}


def _tells(body: bytes) -> bool:
    """Cheaply: the type stands near the body's end, behind `t`."""
    at = body.rfind(b'"type":"')
    return body[at : body.find(b'"', at + 8) + 1] in _WANTED


def _data(body: Body) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(body.data)
    return data


def _take(at: Summary, body: Body) -> None:
    data = _data(body)
    at.overrides += body.type in OVERRIDES
    match body.type:
        case "Locked":
            at.side_bets = {stake["box"]: stake.get("jackpot", 0) for stake in data["stakes"]}
            at.staked = sum(stake.get(bet, 0) for stake in data["stakes"] for bet in ("ante", "bonus", "jackpot"))
        case "JokerShown":
            at.joker = data["slot"]
            at.cards.add(data["slot"])
        case "OpenCardShown":
            at.cards.add(data["card"])
        case "DealerRevealed" | "DealerRedrawn":
            at.dealer_cards = " ".join(data["cards"])
            at.cards.update(data["cards"])
        case "BoxTurned":
            at.cards.update((*data["dealt"], *data["drawn"]))
        case "BoxSettled":
            at.boxes[data["box"]] = data["answer"]["net"]
            if data["answer"].get("jackpot_hit"):  # its prize stands when the whole hand is settled
                at.open_hits.add(data["box"])
        case "BoxVoided":
            at.boxes[data["box"]] = 0
        case "JackpotHit":
            at.hits += 1
            if data["box"] in at.open_hits:
                at.boxes[data["box"]] += data["prize"] - at.side_bets[data["box"]]
        case "HandEnded":
            at.outcome, at.reason = data["outcome"], data.get("reason", "")
        case _:
            pass
