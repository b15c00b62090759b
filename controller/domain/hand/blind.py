"""Blind boxes (Q22): nobody looks, ante and bet lie there before the deal; and what else a house lets lie there."""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import decisions
from controller.domain.hand.setup import Setup
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, Hand, Table

Result = tuple[ev.Event, ...] | Rejection


def blind(hand: Hand, cmd: cm.Blind, setup: Setup) -> Result:
    """Only a box with a stake can be blind."""
    box = hand.box(cmd.box)
    if not box.ante:
        return reject(Why.NO_STAKE)
    if box.carried or box.insurance_carried:
        return reject(Why.CARRIED, box=cmd.box)
    rules = setup.rules
    extras = (("buy6", cmd.buy6, rules.sixth_card_fee is not None), ("insurance", cmd.insurance, rules.insurance))
    for word, wanted, in_game in extras:
        if wanted and (not cmd.blind or not in_game or word not in rules.blind_extras):
            kind = "a blind" if cmd.blind else "an open"
            return reject(Why.NOT_OFFERED, what=f"{word} before the deal on {kind} box")
    return (ev.BlindSet(box=cmd.box, blind=cmd.blind, buy6=cmd.buy6, insurance=cmd.insurance),)


def wrong(box: Box, table: Table, setup: Setup) -> Rejection | None:
    """Why LOCK does not take what lies on a blind box."""
    if not box.blind:
        return None
    if box.bonus and "bonus" not in setup.rules.blind_extras:
        return reject(Why.BLIND, box=box.box)
    if box.blind_sixth and decisions.fee_of(0, True, box.ante, setup) is None:
        return reject(Why.FEE_NOT_WHOLE, fee=setup.rules.sixth_card_fee, ante=box.ante)
    if not box.blind_insurance:
        return None
    high = decisions.insurance_bound(box.ante, setup, int(table.limits["cap"]))
    if not box.ante <= box.blind_insurance <= high:
        return reject(Why.INSURANCE_RANGE, amount=box.blind_insurance, box=box.box, low=box.ante, high=high)
    return None


def extras(boxes: list[Box], setup: Setup) -> tuple[ev.Event, ...]:
    """At LOCK: what was staked blind is bought; judged like any other when the box is turned."""
    found: list[ev.Event] = []
    for box in boxes:
        if box.blind and box.blind_sixth:
            fee = decisions.fee_of(0, True, box.ante, setup)
            assert fee is not None  # `wrong` has seen to it
            found.append(ev.SixthBought(box=box.box, fee=fee))
        if box.blind and box.blind_insurance:
            found.append(ev.InsuranceStaked(box=box.box, amount=box.blind_insurance))
    return tuple(found)
