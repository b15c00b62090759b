"""One hand as a plain block of text for the demo: who had what, the joker, each stake's odds and amount, the net.

Only what the table shows after the hand (`last_hand` of the snapshot). Pure; wraps for narrow terminals.
"""

from __future__ import annotations

import textwrap
from typing import Any

LEAST_WIDTH = 60
MOST_WIDTH = 100
NAMES = {
    "nothing": "nothing",
    "ace_king": "ace-king",
    "pair": "a pair",
    "two_pair": "two pair",
    "trips": "three of a kind",
    "straight": "a straight",
    "flush": "a flush",
    "full_house": "a full house",
    "quads": "four of a kind",
    "straight_flush": "a straight flush",
    "royal_flush": "a royal flush",
    "five_of_a_kind": "five of a kind",
}


def money(amount: int) -> str:
    """Minor units as whole ones where they come out even."""
    sign, amount = ("-" if amount < 0 else ""), abs(amount)
    whole, rest = divmod(amount, 100)
    return f"{sign}{whole:,}" + (f".{rest:02d}" if rest else "")


def signed(amount: int) -> str:
    """With its sign, as a net."""
    return ("+" if amount > 0 else "") + money(amount)


def hand_block(last: dict[str, Any], width: int) -> str:
    """The block of one finished hand."""
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    title = f"hand {last.get('hand')}"
    if last.get("outcome") != "settled":
        return f"{title}: {last.get('outcome')}, all stakes back"
    lines = [title + _joker(last), "  " + _dealer(last)]
    lines += [line for box in last.get("boxes", ()) for line in _box(box)]
    house = -sum(int((box.get("answer") or {}).get("net") or 0) for box in last.get("boxes", ()))
    lines.append(f"  house {signed(house)}")
    return "\n".join(_wrapped(line, width) for line in lines)


def _wrapped(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _joker(last: dict[str, Any]) -> str:
    joker = last.get("joker")
    if joker is None:
        return ""
    return ", joker DEALER'S OPEN CARD" if joker == "DOC" else f", joker {joker}"


def _dealer(last: dict[str, Any]) -> str:
    cards = " ".join(last.get("dealer") or ())
    has = NAMES.get(str(last.get("dealer_hand")), str(last.get("dealer_hand")))
    return f"dealer  {cards}  {has}{'' if last.get('plays') else ', DOES NOT PLAY'}"


def _box(box: dict[str, Any]) -> list[str]:
    answer = box.get("answer") or {}
    head = f"  box {box.get('box')}  {_cards(box, answer)}"
    if box.get("status") == "void":
        return [f"  box {box.get('box')}  void, stakes back"]
    stakes = "; ".join(_stake(name, stake) for name, stake in (answer.get("stakes") or {}).items())
    return [head, f"    {stakes}; net {signed(int(answer.get('net') or 0))}"]


def _cards(box: dict[str, Any], answer: dict[str, Any]) -> str:
    count = int(box.get("count") or 0)
    changed = f" after {count} exchanged" if count else ""
    if box.get("decision") == "fold":
        return f"folds{changed}"
    if not box.get("turned"):
        return f"not turned{changed}"
    has = NAMES.get(str(answer.get("hand")), "")
    dealt, final = " ".join(box.get("dealt") or ()), answer.get("final")
    swap = f" -{' '.join(box.get('discards') or ())} +{' '.join(box.get('drawn') or ())}" if count else ""
    cut = f", cut by the cap {money(int(answer['cut_by_cap']))}" if answer.get("cut_by_cap") else ""
    return f"{dealt}{swap}  {has}{cut}" if dealt or not final else f"{final}  {has}{cut}"


def _stake(name: str, stake: dict[str, Any]) -> str:
    label = name.replace("_", " ")
    staked, profit = int(stake.get("staked") or 0), int(stake.get("profit") or 0)
    match stake.get("outcome"):
        case "win":
            return f"{label} {money(staked)} wins {stake.get('odds', '')} {signed(profit)}".replace("  ", " ")
        case "push":
            return f"{label} {money(staked)} back"
        case "fee":
            return f"{label} {money(staked)}"
        case outcome:
            return f"{label} {money(staked)} {'lost' if outcome == 'lose' else outcome}"
