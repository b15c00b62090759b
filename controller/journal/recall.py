"""What the record of one hand says: its settlement, its draw, its overrides, and whether the draw is right.

Works on a decoded hand and nothing else. It must never need the table, a key of the table or the network.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain import joker
from controller.journal.hands import Finding, Hand
from controller.journal.records import HAND_ENDED, Record, field_of

SINGLE_PARTY = "SINGLE_PARTY"
OPEN = "open"
OVERRIDES = frozenset(
    {
        *("CardEntered", "CardRedirected", "StakeCorrected", "BoxVoided", "BoxHeld", "BoxReleased", "JokerVoided"),
        *("Irregularity", "Resumed", "Authorised", "Undone", "FaultRaised", "FaultReset", "ReadingsDiffered"),
        *("CardsByHand", "CardsSwitched", "ResultDeclared", "StakeEntered", "DisputeDeferred", "HandsSwapped"),
        *("CardReassigned", "CardMovedBack", "CardExposed", "CardReplaced", "CardsBurned", "EventsMissed"),
        *("ReadDoubted", "AnswerWithdrawn", "MeterCorrected"),
    }
)

DECISIONS = frozenset({"Folded", "BetMade", "ExchangeAsked", "DrawFixed", "SixthBought", "InsuranceStaked", "Undone"})
"""What players decided on the felt, open to everybody; `Undone` takes back the one before it."""


def recall(hand: Hand) -> dict[str, Any]:
    """The hand as JSON: request and answer of form A, the draw, what people overrode, how it ended.

    Of an open one, whose request is sealed or not made yet, `stakes` and `decisions` say what lies open on the felt.
    """
    settled, outcome = hand.last("HandSettled"), _outcome(hand)
    return {
        "hand": hand.number,
        "table": hand.table,
        "outcome": outcome,
        "request": field_of(settled.event, "request") if settled else None,
        "answer": field_of(settled.event, "answer") if settled else None,
        "draw": draw_facts(hand),
        "cards": cards(hand),
        **({"stakes": stakes(hand), "decisions": decisions(hand)} if outcome == OPEN else {}),
        "overrides": overrides(hand),
        **({"untrusted": list(devices)} if (devices := untrusted(hand)) else {}),
        "records": {"first": hand.records[0].seq, "last": hand.records[-1].seq} if hand.records else None,
        "recall": True,
    }


def cards(hand: Hand) -> list[dict[str, Any]]:
    """Every card in the order of reading: place, reader and its number there, time label; of a sealed one no card.

    `trusted` false stands where the reader could not prove who it is.
    """
    named = ("place", "box", "index", "card", "unread", "reason", "device", "event_no")
    found = []
    for record in hand.records:
        if record.type in ("CardDealt", "CardEntered"):
            facts = {name: field_of(record.event, name) for name in named}
            told = {name: value for name, value in facts.items() if value not in (None, "")}
            told |= {"trusted": False} if _unproved(record) else {}
            found.append({"seq": record.seq, "t": record.stamp.t, **told, "entered": record.type == "CardEntered"})
    return found


def untrusted(hand: Hand) -> tuple[str, ...]:
    """The readers of this hand's cards that could not prove who they are: plain ones, a shoe whose line is in clear.

    From the records of the cards alone, which say so each for itself; public, also while the hand is open.
    """
    return tuple(sorted({str(field_of(record.event, "device")) for record in hand.records if _unproved(record)}))


def _unproved(record: Record) -> bool:
    return record.type == "CardDealt" and field_of(record.event, "trusted") is False


def overrides(hand: Hand) -> list[dict[str, Any]]:
    """Every record where a person or a fault stepped in, with its number and time label."""
    return _told(hand, OVERRIDES)


def stakes(hand: Hand) -> list[dict[str, Any]]:
    """What lay on the boxes when the bets were closed, in minor units; empty before that."""
    locked = _locked(hand)
    return [] if locked is None else [dict(box) for box in field_of(locked.event, "stakes") or ()]


def decisions(hand: Hand) -> list[dict[str, Any]]:
    """What players decided since the bets were closed, in order, with numbers and time labels."""
    locked = _locked(hand)
    return [] if locked is None else [entry for entry in _told(hand, DECISIONS) if entry["seq"] > locked.seq]


def _told(hand: Hand, kinds: frozenset[str]) -> list[dict[str, Any]]:
    return [
        {"seq": record.seq, "t": record.stamp.t, "type": record.type, **_public(record.event)}
        for record in hand.records
        if record.type in kinds and not record.sealed
    ]


def draw_facts(hand: Hand) -> dict[str, Any] | None:
    """Everything that a recomputation of the draw takes, and what was recorded; None where nothing was locked."""
    locked, drawn, shown = _locked(hand), hand.last("JokerDrawn"), hand.last("JokerShown")
    ended = hand.last(HAND_ENDED)
    if locked is None:
        return None
    witness = field_of(locked.event, "witness_seed") or ""
    return {
        "table": hand.table,
        "hand": hand.number,
        "draw": field_of(drawn.event, "draw") if drawn else None,
        "rules_hash": field_of(hand.opened, "rules_hash"),
        "doc_weight": doc_weight(hand.opened),
        "commitment": field_of(locked.event, "commitment"),
        "seed": field_of(locked.event, "seed"),
        "revealed": field_of(ended.event, "seed") if ended else None,
        "witness": witness or SINGLE_PARTY,
        "slot": field_of(drawn.event, "slot") if drawn else None,
        "shown": field_of(shown.event, "slot") if shown else None,
    }


def doc_weight(opened: msgspec.Struct | None) -> int | None:
    """The weight of DOC in the rules in force."""
    for name in ("rules", "procedure"):
        place = field_of(opened, name)
        if isinstance(place, dict):
            found = _search(place, "doc_weight")
            if isinstance(found, int):
                return found
    return None


def check_draw(hand: Hand) -> list[Finding]:
    """The commitment and the draw computed again from the record. Nothing where the hand is still sealed."""
    if not hand.revealed:
        return []
    drawn = [record for record in hand.records if record.type == "JokerDrawn"]
    facts = draw_facts(hand)
    if len(drawn) > 1:
        return [_finding(hand, drawn[1].seq, "a second draw in one hand")]
    if facts is None:
        return [_finding(hand, drawn[0].seq, "a draw before the lock")] if drawn else []
    problem = draw_problem(facts)
    if problem is None:
        return []
    record = hand.last(problem[0])
    return [_finding(hand, hand.records[0].seq if record is None else record.seq, problem[1])]


def draw_problem(facts: dict[str, Any]) -> tuple[str, str] | None:
    """What `draw_facts` of a finished hand gets wrong: the type of the record, and a sentence."""
    if not facts["seed"] and not facts["commitment"] and not facts["slot"]:
        return None  # a game without a joker
    try:
        return _commitment_problem(facts) or (_slot_problem(facts) if facts["slot"] is not None else None)
    except (ValueError, TypeError):
        return "Locked", "the seeds are not 32 bytes of hex, or a number of the draw is missing"


def _commitment_problem(facts: dict[str, Any]) -> tuple[str, str] | None:
    if facts["rules_hash"] is None:
        return "Locked", "no record says which rules were in force"
    seed = bytes.fromhex(facts["seed"])
    if joker.commitment(facts["table"], facts["hand"], facts["rules_hash"], seed).hex() != facts["commitment"]:
        return "Locked", "the commitment does not fit the seed"
    if facts["revealed"] != facts["seed"]:
        return HAND_ENDED, "another seed was revealed than was locked"
    return None


def _slot_problem(facts: dict[str, Any]) -> tuple[str, str] | None:
    if facts["doc_weight"] is None:
        return "JokerDrawn", "the rules in force have no doc_weight"
    if facts["draw"] != 1:
        return "JokerDrawn", f"draw number {facts['draw']}: a hand has one draw"
    witness = None if facts["witness"] == SINGLE_PARTY else bytes.fromhex(facts["witness"])
    weights = joker.joker_weights(facts["doc_weight"])
    seed = bytes.fromhex(facts["seed"])
    slot = joker.draw_slot(seed, witness, facts["table"], facts["hand"], facts["draw"], weights)
    computed = joker.slot_text(slot)
    if computed != facts["slot"]:
        return "JokerDrawn", f"the seeds give {computed}, the record says {facts['slot']}"
    if facts["shown"] is not None and facts["shown"] != computed:
        return "JokerShown", f"the seeds give {computed}, the board showed {facts['shown']}"
    return None


def _finding(hand: Hand, seq: int, what: str) -> Finding:
    return Finding(seq, "draw", f"record {seq}, hand {hand.number}: {what}", hand.number)


def _outcome(hand: Hand) -> str:
    ended = hand.last(HAND_ENDED)
    return OPEN if ended is None else str(field_of(ended.event, "outcome"))


def _locked(hand: Hand) -> Record | None:
    """The lock, also of a hand whose seed is still sealed: what was staked and promised is public."""
    return next((record for record in reversed(hand.records) if record.type == "Locked"), None)


def _public(event: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in fields.items() if name not in ("type", "seq", "t")}


def _search(place: dict[str, Any], name: str) -> Any:
    if name in place:
        return place[name]
    inner = (value for value in place.values() if isinstance(value, dict))
    return next((found for value in inner if (found := _search(value, name)) is not None), None)
