"""A recalled hand for people: who had what, each stake, and where somebody stepped in. Pure; amounts in minor units."""

from __future__ import annotations

from typing import Any

from controller.journal.recall import OPEN, SINGLE_PARTY

UNTRUSTED = "cards from {devices}, which cannot prove who it is: untrusted"
SEALED = "the hand is open: its cards and its seed are read when its last record has revealed the key"
_DRAW = ("commitment", "seed", "witness", "rules_hash", "doc_weight", "draw", "slot", "shown")
_OWN = frozenset({"seq", "t", "type"})


def recall_lines(facts: dict[str, Any]) -> list[str]:
    """The whole hand: `facts` as `recall --json` prints them."""
    lines = [f"RECALL hand {facts['hand']}, table {facts['table']}: {facts['outcome']}"]
    if facts["outcome"] == OPEN:
        lines.append(SEALED)
    if devices := facts.get("untrusted"):
        lines.append(UNTRUSTED.format(devices=", ".join(devices)))
    lines += draw_lines(facts["draw"])
    lines += [_stake(box) for box in facts.get("stakes", ())]
    lines += [_override(entry) for entry in facts.get("decisions", ())]
    request, answer = facts["request"] or {}, facts["answer"] or {}
    if dealer := answer.get("dealer"):
        plays = "" if dealer.get("qualifies") else ", does not play"
        lines.append(f"dealer: {dealer.get('cards', '')}, {dealer.get('hand')}{plays}")
    asked = {box.get("box"): box for box in request.get("boxes", ())}
    for box in answer.get("boxes", ()):
        lines += _box(box, asked.get(box.get("box"), {}))
    if "house" in answer:
        lines.append(f"house: {answer['house']}")
    return lines + [_override(entry) for entry in facts["overrides"]]


def draw_lines(draw: dict[str, Any] | None) -> list[str]:
    """What a recomputation of the draw takes; a sentence where there was nothing to draw."""
    if draw is None:
        return ["no draw: bets were never closed"]
    if not draw["commitment"]:
        return ["no draw: this game draws no joker"]
    said = {
        **draw,
        "witness": "SINGLE_PARTY (the house's seed alone)" if draw["witness"] == SINGLE_PARTY else draw["witness"],
    }
    return [f"{name}: {said[name]}" for name in _DRAW if said[name] is not None]


def _box(box: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    dealt, final = box.get("cards", ""), box.get("final", "")
    cards = dealt if final in ("", dealt) else f"{dealt} -> {final}"
    said = f"{asked.get('action', '')} {asked.get('decision', '')}".strip()
    net = f"net {box.get('net')}, gets {box.get('returned')}"
    lines = [f"box {box.get('box')}: {cards}, {box.get('hand')}, {said}: {net}"]
    for name, stake in (box.get("stakes") or {}).items():
        odds = f" {stake['odds']}" if stake.get("odds") else ""
        lines.append(f"  {name} {stake.get('staked')}: {stake.get('outcome')}{odds} {stake.get('profit')}")
    return lines


def _stake(box: dict[str, Any]) -> str:
    lies = ", ".join(f"{name} {_plain(value)}" for name, value in box.items() if name != "box" and value)
    return f"box {box.get('box')} staked: {lies}"


def _override(entry: dict[str, Any]) -> str:
    fields = ", ".join(f"{name} {_plain(value)}" for name, value in entry.items() if name not in _OWN and value)
    return f"record {entry['seq']}, {entry['t']}: {entry['type']}" + (f" ({fields})" if fields else "")


def _plain(value: Any) -> str:
    return " ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
