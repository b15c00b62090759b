"""The worked examples of the settle contract, played at the table: cards from the shoe, discards named at the turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.rejections import Why

LINES = (Path(__file__).parents[1] / "golden" / "settle.jsonl").read_text("utf-8").splitlines()
VECTORS = [
    vector
    for vector in map(json.loads, LINES)
    if "deck" not in vector["in"] and len(vector["in"]["boxes"]) == 1 and "carry" not in str(vector["in"].get("set"))
]
AT_ITS_PLACE = {  # what the table refuses before it comes to a settlement
    "O12": Why.MUST_BET,
    "O22": Why.NOT_NOW,  # it decided by lying there: nobody is asked
    "U47": Why.NOT_NOW,
    "O26": Why.EXCHANGE_COUNT,
}


def exchanged(box: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Discards and drawn cards of an exchange, or the sixth card."""
    if box.get("action") == "buy6":
        return [], box["final"].split()[-1:]
    pairs = list(zip(box["cards"].split(), box.get("final", box["cards"]).split(), strict=True))
    return [old for old, new in pairs if old != new], [new for old, new in pairs if old != new]


def seated(vector: dict[str, Any]) -> Rig:
    asked = vector["in"]
    house = {key: value for key, value in asked.get("set", {}).items() if key != "cap"}
    how = {"cap": asked.get("set", {}).get("cap", 10**9), "ante_min": 1, "ante_max": 10**6, "bonus_max": 10**6}
    return Rig(setup=make_setup(asked["rules"], boxes=1, house=house, discard_check_from="five_of_a_kind", **how))


def dealt(rig: Rig, vector: dict[str, Any]) -> list[str]:
    """The box staked and dealt; returns its discards."""
    asked = vector["in"]
    (box,) = asked["boxes"]
    discards, drawn = exchanged(box)
    rig.do(cm.SetStake(box=1, ante=box["ante"], bonus=box.get("bonus", 0)))
    if box.get("blind"):
        rig.do(cm.Blind(box=1))
    if "joker" in asked:
        rig.joker(asked["joker"])
    rig.lay(asked["dealer"]["cards"], draws={1: " ".join(drawn)}, b1=box["cards"])
    changed = asked["dealer"].get("after_exchange", asked["dealer"]["cards"]).split()
    new = [card for card in changed if card not in asked["dealer"]["cards"].split()]
    rig.deck |= {("dealer_draw", 0, i): card for i, card in enumerate(new)}
    if setup_joker(rig):
        rig.lock().deal()
    else:
        rig.ok().deal()
    return discards


def setup_joker(rig: Rig) -> bool:
    return rig.setup.joker


def act(rig: Rig, box: dict[str, Any], discards: list[str]) -> None:
    """What the box does before its last word, and the cards that come for it."""
    if discards:
        rig.do(cm.Exchange(box=1, count=len(discards)))
    elif box.get("action") == "buy6":
        rig.do(cm.Buy6(box=1))
    while rig.want.kind is Want.CARD:
        rig.card()
    if box.get("insurance"):
        rig.do(cm.Insure(box=1, amount=box["insurance"]))


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["id"] not in AT_ITS_PLACE], ids=lambda v: v["id"])
def test_played_at_the_table(vector: dict[str, Any]) -> None:
    (box,) = vector["in"]["boxes"]
    rig = seated(vector).open()
    discards = dealt(rig, vector)
    act(rig, box, discards)
    if not box.get("blind"):
        rig.do(cm.Bet(box=1) if box["decision"] == "raise" else cm.Fold(box=1))
    while rig.hand.number == 1:
        if rig.want.kind is Want.DISCARDS:
            rig.do(cm.NameDiscards(box=1, cards=" ".join(discards)))
        elif rig.want.kind is Want.CHOICE:
            rig.do(cm.BuyDealer(box=1) if box.get("buy_dealer") else cm.TakeAnte(box=1))
        else:
            rig.step()
    (answer,) = rig.events(ev.HandSettled)[-1].answer["boxes"]
    (wanted,) = vector["out"]["boxes"]
    for name, stake in wanted["stakes"].items():
        assert {key: answer["stakes"][name][key] for key in stake} == stake
    assert set(answer["stakes"]) == set(wanted["stakes"])
    assert (answer["net"], answer["returned"]) == (wanted["net"], wanted["returned"])


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["id"] in AT_ITS_PLACE], ids=lambda v: v["id"])
def test_refused_at_its_place(vector: dict[str, Any]) -> None:
    why = AT_ITS_PLACE[vector["id"]]
    rig = seated(vector)
    rig.connect()
    rig.do(cm.OpenTable(), D1, S1)
    discards = dealt(rig, vector)
    if why is Why.MUST_BET:
        act(rig, vector["in"]["boxes"][0], discards)
        rig.refused(why, cm.Fold(box=1))
        return
    rig.refused(why, cm.Exchange(box=1, count=len(discards)))


def test_enough_of_them() -> None:
    assert len(VECTORS) >= 80
