"""From a hand to a settle request of form A: what the settlement, the record and `recall` are computed from.

Holds face-down cards: stays inside the loop thread and the sealed record.
"""

from __future__ import annotations

from typing import Any

from controller.domain.hand import jackpot, one_player
from controller.domain.hand.dealer import in_request_order
from controller.domain.hand.setup import Setup
from controller.domain.play import Action
from controller.domain.prices import one_by_one
from controller.domain.state import DOC, Box, Choice, Decision, Hand, Slot, StakeEntry, known


def _text(slots: tuple[Slot, ...]) -> str:
    return " ".join(known(slot) for slot in slots)


def final_cards(box: Box) -> tuple[str, ...]:
    """The box's final cards: each replacement in its predecessor's place, a sixth card last. Needs named discards.

    Where cards were exchanged one after another some of the drawn ones are among the discards.
    """
    gone = box.discards or ()
    dealt = [known(slot) for slot in box.dealt]
    drawn = [known(slot) for slot in box.drawn]
    places = sorted(dealt.index(card) for card in gone if card in dealt)
    for place, card in zip(places, (c for c in drawn[: box.count] if c not in gone), strict=True):
        dealt[place] = card
    return (*dealt, *drawn[box.count :])


def box_request(box: Box, *, one_by_one: bool = False) -> dict[str, Any]:
    """One box of a request. `one_by_one`: cards are exchanged one after another, and all that came are named."""
    entry: dict[str, Any] = {"box": box.box, "ante": box.ante, "cards": _text(box.dealt)}
    if box.action is not Action.NONE:
        entry["action"] = str(box.action)
        if not box.count or (box.discards is not None and len(box.discards) == box.count):
            entry["final"] = " ".join(final_cards(box))
            entry |= {"drawn": _text(box.drawn[: box.count])} if one_by_one and box.count else {}
        else:
            entry |= {"count": box.count, "drawn": _text(box.drawn)}
    entry["decision"] = str(box.decision or Decision.FOLD)
    if box.declared is not None:
        said = {"hand": box.declared.hand, "against": box.declared.against, "second": box.declared.second}
        entry["declared"] = {key: word for key, word in said.items() if word}
    for key, value in (("bonus", box.bonus), ("jackpot", box.jackpot), ("insurance", box.insurance)):
        if value:
            entry[key] = value
    if box.blind:
        entry["blind"] = True
    for key, flag in (("carried", box.carried), ("insurance_carried", box.insurance_carried)):
        if flag:
            entry[key] = True
    if box.choice is Choice.BUY:
        entry["buy_dealer"] = True
    if box.backers:
        entry["backers"] = list(box.backers)
    return entry


def _owner(box: Box, setup: Setup) -> dict[str, Any]:
    """Whose box it is, where that bears on the money."""
    return {"owner": box.owner} if one_player.shared(setup) else {}


def _cap(hand: Hand, limits: dict[str, Any]) -> int | str:
    """The plate's maximum; none where amounts are not known and the odds alone are told."""
    return "none" if hand.stake_entry is StakeEntry.NONE else int(limits["cap"])


def request(hand: Hand, boxes: list[Box], setup: Setup, limits: dict[str, Any]) -> dict[str, Any]:
    """The request for these boxes, in the order in which they are settled."""
    asked: dict[str, Any] = {
        "rules": setup.settle_rules,
        "set": {**setup.settle_set, "cap": _cap(hand, limits)},
        "dealer": {"cards": _text(in_request_order(hand, setup))},
        "boxes": [box_request(box, one_by_one=one_by_one(setup.rules)) | _owner(box, setup) for box in boxes],
    }
    if hand.dealer_declared:
        asked["dealer"]["declared"] = hand.dealer_declared
    meter = jackpot.asked(hand, boxes, setup)
    if meter is not None:
        asked["jackpot"] = meter
    if hand.bought and any(box.choice is Choice.BUY for box in boxes):  # the others never play against it
        asked["dealer"]["after_exchange"] = " ".join(hand.dealer_final)
    if hand.slot is not None:
        asked["joker"] = DOC if hand.slot == DOC else str(hand.slot)
    return asked
