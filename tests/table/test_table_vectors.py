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
    if vector["in"]["rules"] in ("jpoker", "oasis_ru")
    and "deck" not in vector["in"]
    and len(vector["in"]["boxes"]) == 1
]
AT_ITS_PLACE = {  # what the table refuses before it comes to a settlement
    "O22": Why.NOT_NOW,  # it decided by lying there: nobody is asked
    "O24": Why.UNSUPPORTED,
    "O26": Why.EXCHANGE_COUNT,
}


def exchanged(box: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Discards and drawn cards of an exchange."""
    pairs = list(zip(box["cards"].split(), box.get("final", box["cards"]).split(), strict=True))
    return [old for old, new in pairs if old != new], [new for old, new in pairs if old != new]


def seated(vector: dict[str, Any]) -> Rig:
    asked = vector["in"]
    house = {key: value for key, value in asked.get("set", {}).items() if key != "cap"}
    how = {"cap": asked.get("set", {}).get("cap", 10**9), "ante_min": 1, "ante_max": 10**6, "bonus_max": 10**6}
    return Rig(setup=make_setup(asked["rules"], house=house, **how))


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
    rig.lay(asked["dealer"]["cards"], draws={1: " ".join(drawn)}, b1=box["cards"]).lock().deal()
    return discards


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["id"] not in AT_ITS_PLACE], ids=lambda v: v["id"])
def test_played_at_the_table(vector: dict[str, Any]) -> None:
    (box,) = vector["in"]["boxes"]
    rig = seated(vector).open()
    discards = dealt(rig, vector)
    if discards:
        rig.do(cm.Exchange(box=1, count=len(discards)))
        for _ in discards:
            rig.card()
    if not box.get("blind"):
        rig.do(cm.Bet(box=1) if box["decision"] == "raise" else cm.Fold(box=1))
    while rig.hand.number == 1:
        if rig.want.kind is Want.DISCARDS:
            rig.do(cm.NameDiscards(box=1, cards=" ".join(discards)))
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
    if why is Why.UNSUPPORTED:
        rig.refused(why, cm.OpenTable(), D1, S1)
        return
    rig.do(cm.OpenTable(), D1, S1)
    discards = dealt(rig, vector)
    rig.refused(why, cm.Exchange(box=1, count=len(discards)))


def test_enough_of_them() -> None:
    assert len(VECTORS) >= 20
