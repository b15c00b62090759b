"""What the record of one hand says: its settlement, its draw, its overrides, and whether the draw is right.

Works on a decoded hand and nothing else. It must never need the table, a key of the table or the network.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.domain import joker
from controller.journal.hands import Finding, Hand
from controller.journal.records import HAND_ENDED

SINGLE_PARTY = "SINGLE_PARTY"
OVERRIDES = frozenset(
    {
        *("CardEntered", "CardRedirected", "StakeCorrected", "BoxVoided", "BoxHeld", "BoxReleased", "JokerVoided"),
        *("Irregularity", "Resumed", "Authorised", "Undone", "FaultRaised", "FaultReset", "ReadingsDiffered"),
        "EventsMissed",
    }
)


def recall(hand: Hand) -> dict[str, Any]:
    """The hand as JSON: request and answer of form A, the draw, what people overrode, how it ended."""
    settled = hand.last("HandSettled")
    return {
        "hand": hand.number,
        "table": hand.table,
        "outcome": _outcome(hand),
        "request": _field(settled.event, "request") if settled else None,
        "answer": _field(settled.event, "answer") if settled else None,
        "draw": draw_facts(hand),
        "overrides": overrides(hand),
        "records": {"first": hand.records[0].seq, "last": hand.records[-1].seq} if hand.records else None,
        "recall": True,
    }


def overrides(hand: Hand) -> list[dict[str, Any]]:
    """Every record where a person or a fault stepped in, with its number and time label."""
    return [
        {"seq": record.seq, "t": record.stamp.t, "type": record.type, **_public(record.event)}
        for record in hand.records
        if record.type in OVERRIDES and not record.sealed
    ]


def draw_facts(hand: Hand) -> dict[str, Any] | None:
    """Everything that a recomputation of the draw takes, and what was recorded; None where nothing was locked."""
    locked, drawn, shown = hand.last("Locked"), hand.last("JokerDrawn"), hand.last("JokerShown")
    if locked is None:
        return None
    witness = _field(locked.event, "witness_seed") or ""
    return {
        "table": hand.table,
        "hand": hand.number,
        "draw": _field(drawn.event, "draw") if drawn else None,
        "rules_hash": _field(hand.opened, "rules_hash"),
        "doc_weight": doc_weight(hand.opened),
        "commitment": _field(locked.event, "commitment"),
        "seed": _field(locked.event, "seed"),
        "witness": witness or SINGLE_PARTY,
        "slot": _field(drawn.event, "slot") if drawn else None,
        "shown": _field(shown.event, "slot") if shown else None,
    }


def doc_weight(opened: msgspec.Struct | None) -> int | None:
    """The weight of DOC in the rules in force."""
    for name in ("rules", "procedure"):
        place = _field(opened, name)
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
    if len(drawn) > 1:
        return [_finding(hand, drawn[1].seq, "a second draw in one hand")]
    locked = hand.last("Locked")
    facts = draw_facts(hand)
    if locked is None or facts is None:
        return [_finding(hand, drawn[0].seq, "a draw before the lock")] if drawn else []
    findings = _check_commitment(hand, locked.seq, facts)
    if drawn and not findings:
        findings += _check_slot(hand, drawn[0].seq, facts)
    return findings


def _check_commitment(hand: Hand, seq: int, facts: dict[str, Any]) -> list[Finding]:
    seed, rules_hash = facts["seed"], facts["rules_hash"]
    if not seed and not facts["commitment"]:
        return []  # a game without a joker
    if rules_hash is None:
        return [_finding(hand, seq, "no record says which rules were in force")]
    try:
        expected = joker.commitment(hand.table, hand.number, rules_hash, bytes.fromhex(seed)).hex()
    except ValueError:
        return [_finding(hand, seq, "the seed is not 32 bytes of hex")]
    if expected != facts["commitment"]:
        return [_finding(hand, seq, "the commitment does not fit the seed")]
    ended = hand.last(HAND_ENDED)
    if ended is not None and _field(ended.event, "seed") != seed:
        return [_finding(hand, ended.seq, "another seed was revealed than was locked")]
    return []


def _check_slot(hand: Hand, seq: int, facts: dict[str, Any]) -> list[Finding]:
    weight = facts["doc_weight"]
    if weight is None:
        return [_finding(hand, seq, "the rules in force have no doc_weight")]
    witness = None if facts["witness"] == SINGLE_PARTY else bytes.fromhex(facts["witness"])
    weights = joker.joker_weights(weight)
    slot = joker.draw_slot(bytes.fromhex(facts["seed"]), witness, hand.table, hand.number, facts["draw"], weights)
    computed = joker.slot_text(slot)
    if computed != facts["slot"]:
        return [_finding(hand, seq, f"the seeds give {computed}, the record says {facts['slot']}")]
    if facts["shown"] is not None and facts["shown"] != computed:
        return [_finding(hand, seq, f"the seeds give {computed}, the board showed {facts['shown']}")]
    return []


def _finding(hand: Hand, seq: int, what: str) -> Finding:
    return Finding(seq, "draw", f"record {seq}, hand {hand.number}: {what}", hand.number)


def _outcome(hand: Hand) -> str:
    ended = hand.last(HAND_ENDED)
    return "open" if ended is None else str(_field(ended.event, "outcome"))


def _field(event: msgspec.Struct | None, name: str) -> Any:
    return getattr(event, name, None)


def _public(event: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in fields.items() if name not in ("type", "seq", "t")}


def _search(place: dict[str, Any], name: str) -> Any:
    if name in place:
        return place[name]
    inner = (value for value in place.values() if isinstance(value, dict))
    return next((found for value in inner if (found := _search(value, name)) is not None), None)
