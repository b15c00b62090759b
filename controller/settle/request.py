"""Reads a settle request of form A or B, strictly: every key, every type, with the place of what is wrong.

Owns the request's shape. Whether the play was legal is judged by domain.legal, on what this module returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from controller.domain.cards import Card, CardError, deck, parse_card
from controller.domain.money import exact
from controller.domain.paytable import Category
from controller.domain.play import Action, Box, Cards, Declared, Round
from controller.errors import TableError
from controller.settle.dealing import Wish

UNREAD = "??"
DOC = "DOC"
MOST = 10**12  # chips; a larger number is a slip of the keys
_TOP = {"rules", "set", "dealer", "deck", "boxes", "joker", "jackpot"}
_BOX = {
    "box", "ante", "action", "decision", "blind", "carried", "bonus", "insurance", "insurance_carried", "jackpot",
    "buy_dealer", "backers", "owner",
}  # fmt: skip
_FORM_A = _BOX | {"cards", "final", "count", "drawn", "declared"}
_FORM_B = _BOX | {"discards"}


def wrong(what: str, where: str, allowed: str) -> TableError:
    """The request's shape is not the contract's."""
    return TableError(410, what, where, allowed)


def keys(value: object, where: str, allowed: set[str], needed: set[str]) -> Mapping[str, Any]:
    """The object, once it has all needed keys and no unknown one."""
    if not isinstance(value, Mapping):
        raise wrong("not an object", where, "an object")
    for key in value:
        if key not in allowed:
            raise wrong(f"unknown key {key!r}", where, ", ".join(sorted(allowed)))
    for key in sorted(needed):
        if key not in value:
            raise wrong(f"{key} is missing", where, f"needed: {', '.join(sorted(needed))}")
    return value


def read_top(request: object) -> Mapping[str, Any]:
    """The request's outer shape; form B has a deck, form A a dealer."""
    top = keys(request, "request", _TOP, {"rules", "boxes"})
    if ("deck" in top) == ("dealer" in top):
        raise wrong("neither or both of dealer and deck", "request", "dealer (form A) or deck (form B)")
    if not isinstance(top["rules"], str):
        raise wrong("not a text", "rules", "the id of a rule set")
    if not isinstance(top.get("set", {}), Mapping):
        raise wrong("not an object", "set", "parameters by name")
    if not isinstance(top["boxes"], list | tuple) or not top["boxes"]:
        raise wrong("not a list of boxes", "boxes", "at least one box")
    return top


def read_round(top: Mapping[str, Any], meter: Fraction | None) -> Round:
    """Form A."""
    dealer = keys(top["dealer"], "dealer", {"cards", "after_exchange", "declared"}, {"cards"})
    cards = _cards(dealer["cards"], "dealer.cards", (5,))
    after = dealer.get("after_exchange")
    joker, doc = read_joker(top)
    declared = _category(dealer["declared"], "dealer.declared") if "declared" in dealer else None
    if declared is not None and any(card is not None for card in cards):
        raise wrong("a declared hand beside known cards", "dealer", "one of them")
    if doc and cards[4] is None and declared is None:
        raise TableError(413, "the joker is the dealer's open card, which was not read", "dealer", "enter the card")
    return Round(
        dealer=cards,
        after_exchange=None if after is None else _cards(after, "dealer.after_exchange", (5, 6)),
        boxes=different([_box_a(box, i) for i, box in enumerate(top["boxes"])]),
        joker=cards[4] if doc else joker,
        doc=doc,
        declared=declared,
        meter=meter,
    )


def read_wishes(top: Mapping[str, Any]) -> tuple[Wish, ...]:
    """The boxes of form B: what they want, before any card is known."""
    wishes = [_box_b(box, i) for i, box in enumerate(top["boxes"])]
    different([wish.box for wish in wishes])
    return tuple(wishes)


def read_deck(top: Mapping[str, Any], size: int) -> tuple[Card, ...]:
    cards = _cards(top["deck"], "deck", (size,))
    known = tuple(card for card in cards if card is not None)
    if set(known) != set(deck(size)):
        raise TableError(411, "not every card of the deck once", "deck", f"the {size} cards of the deck")
    return known


def read_joker(top: Mapping[str, Any]) -> tuple[Card | None, bool]:
    """The joker, or that it is the dealer's open card."""
    joker = top.get("joker")
    if joker is None or joker == DOC:
        return None, joker == DOC
    return _card(joker, "joker"), False


def different(boxes: list[Box]) -> tuple[Box, ...]:
    numbers = [box.box for box in boxes]
    if len(set(numbers)) < len(numbers):
        raise wrong("a box stands twice", "boxes", "each box once")
    return tuple(boxes)


def read_meter(jackpot: object) -> tuple[Fraction | None, Mapping[str, Any]]:
    """The meter before the hand, and the parameters of the jackpot that this request sets."""
    if jackpot is None:
        return None, {}
    block = keys(jackpot, "jackpot", {"meter", "set"}, {"meter"})
    try:
        meter = exact(block["meter"])
    except ValueError:
        raise wrong("not an amount", "jackpot.meter", "a number or decimal text") from None
    if meter < 0:
        raise wrong("a negative meter", "jackpot.meter", "zero or more")
    changes = block.get("set") or {}
    if not isinstance(changes, Mapping):
        raise wrong("not an object", "jackpot.set", "parameters by name")
    return meter, changes


def _box_a(value: object, index: int) -> Box:
    where = _place(value, index)
    box = keys(value, where, _FORM_A, {"box", "ante", "cards", "decision"})
    facts = _common(box, where)
    action: Action = facts["action"]
    cards = _cards(box["cards"], f"{where}, cards", (5,))
    facts["cards"] = cards
    if "declared" in box:
        facts["declared"] = _declared(box["declared"], f"{where}, declared")
    if "final" in box or not action.exchanges:
        if "count" in box or ("drawn" in box and not action.exchanges):
            raise wrong("count and drawn stand in place of `final` after an exchange", where, "leave them out")
        return Box(**facts, **_final(box, cards, action, where))
    count, drawn = box.get("count"), _drawn(box, where)
    if not isinstance(count, int) or isinstance(count, bool) or len(drawn) != count + action.buys:
        raise wrong("count and drawn do not agree", where, "as many drawn cards as the count, and the sixth card last")
    return Box(**facts, final=None, count=count, drawn=drawn)


def _declared(value: object, where: str) -> Declared:
    said = keys(value, where, {"hand", "against", "second"}, {"hand"})
    if said.get("against", "") not in ("", "win", "tie", "lose"):
        raise wrong(f"unknown end {said['against']!r}", where, "win, tie, lose")
    second = _category(said["second"], where) if "second" in said else None
    return Declared(hand=_category(said["hand"], where), against=said.get("against", ""), second=second)


def _category(value: object, where: str) -> Category:
    if value not in list(Category):
        raise wrong(f"unknown hand {value!r}", where, ", ".join(Category))
    return Category(str(value))


def _drawn(box: Mapping[str, Any], where: str) -> Cards:
    if "drawn" not in box or "count" not in box:
        raise wrong("an exchange without `final`, or without `count` and `drawn`", where, "the cards after it")
    return _cards(box["drawn"], f"{where}, drawn", tuple(range(1, 48)))  # one after another, more than five may come


def _final(box: Mapping[str, Any], cards: Cards, action: Action, where: str) -> dict[str, Any]:
    if action is Action.NONE:
        if "final" in box and _cards(box["final"], f"{where}, final", (5,)) != cards:
            raise wrong("other cards without an action", f"{where}, final", "leave it out, or say the action")
        return {"final": cards}
    if "final" not in box:
        raise wrong("final is missing", where, "the cards after the action")
    final = _cards(box["final"], f"{where}, final", (6 if action.buys else 5,))
    places = [i for i in range(5) if final[i] != cards[i]]
    if bool(places) != action.exchanges:
        raise wrong("final does not fit the action", f"{where}, final", "each replacement in its predecessor's place")
    if "drawn" in box:  # one after another (repeat_exchange): more may have come than stayed
        drawn = _cards(box["drawn"], f"{where}, drawn", tuple(range(len(places), 48)))
        return {"final": final, "count": len(drawn), "drawn": drawn}
    return {"final": final, "count": len(places)}


def _box_b(value: object, index: int) -> Wish:
    where = _place(value, index)
    box = keys(value, where, _FORM_B, {"box", "ante", "decision"})
    facts = _common(box, where)
    discards = box.get("discards", [])
    if not isinstance(discards, list | tuple) or any(type(n) is not int or not 0 <= n <= 4 for n in discards):
        raise wrong("not a list of positions", f"{where}, discards", "numbers from 0 to 4")
    if bool(discards) != facts["action"].exchanges:
        raise wrong("discards do not fit the action", f"{where}, discards", "with an exchange and only there")
    return Wish(box=Box(**facts, cards=(), final=(), count=len(discards)), discards=tuple(discards))


def _place(value: object, index: int) -> str:
    number = value.get("box") if isinstance(value, Mapping) else None
    return f"box {number}" if isinstance(number, int) else f"boxes[{index}]"


def _common(box: Mapping[str, Any], where: str) -> dict[str, Any]:
    action, decision = box.get("action", "none"), box["decision"]
    if action not in list(Action):
        raise wrong(f"unknown action {action!r}", where, ", ".join(Action))
    if decision not in ("raise", "fold"):
        raise wrong(f"unknown decision {decision!r}", where, "raise, fold")
    owner = box.get("owner")
    if owner is not None and (isinstance(owner, bool) or not isinstance(owner, str | int)):
        raise wrong("not an owner", f"{where}, owner", "a number or a text")
    return {
        "box": _whole(box, "box", where, 1),
        "ante": _whole(box, "ante", where, 1),
        "action": Action(action),
        "raised": decision == "raise",
        "owner": None if owner is None else str(owner),
        "backers": _backers(box, where),
        **{name: _whole(box, name, where, 0) for name in ("bonus", "insurance", "jackpot")},
        **{name: _flag(box, name, where) for name in ("blind", "carried", "insurance_carried", "buy_dealer")},
    }


def _backers(box: Mapping[str, Any], where: str) -> tuple[int, ...]:
    backers = box.get("backers", [])
    if not isinstance(backers, list | tuple) or any(type(n) is not int or not 1 <= n <= MOST for n in backers):
        raise wrong("not a list of antes", f"{where}, backers", "whole numbers above zero")
    return tuple(backers)


def _whole(box: Mapping[str, Any], name: str, where: str, low: int) -> int:
    value = box.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= MOST:
        raise wrong(f"{name} is not a whole number from {low}", where, "chips in minor units")
    return value


def _flag(box: Mapping[str, Any], name: str, where: str) -> bool:
    value = box.get(name, False)
    if not isinstance(value, bool):
        raise wrong(f"{name} is not true or false", where, "true or false")
    return value


def _card(text: object, where: str) -> Card:
    try:
        return parse_card(text if isinstance(text, str) else repr(text))
    except CardError as error:
        raise TableError(411, str(error), where, "correct the card") from None


def _cards(text: object, where: str, counts: tuple[int, ...]) -> Cards:
    if not isinstance(text, str):
        raise wrong("not a text", where, "cards separated by spaces")
    cards = tuple(None if word == UNREAD else _card(word, where) for word in text.split())
    if len(cards) not in counts:
        raise TableError(411, f"{len(cards)} cards", where, " or ".join(map(str, counts)) + " cards")
    return cards
