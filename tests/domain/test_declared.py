"""Results that people declare where cards cannot be had: both readings pay what they would pay for the cards."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.errors import TableError
from controller.rulesets import load
from controller.settle import run
from tests.domain.hands import random_request

GAMES = ["caribbean", "oasis_ru", "jpoker", "joker53", "russian", "oasis_woo", "oasis_nicaragua"]
LESS = {"oasis_nicaragua": {"pay_after_exchange": {"flush": 2, "two_pair": 1}}}
UNREAD = " ".join(["??"] * 5)


def in_form_a(request: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The same hand with the result declared in place of every card."""
    told = {box["box"]: box for box in answer["boxes"]}
    plain = {key: value for key, value in request.items() if key not in ("deck", "jackpot")}
    dealer = {"cards": UNREAD, "declared": answer["dealer"]["hand"]}
    return {**plain, "dealer": dealer, "boxes": [declared(box, told[box["box"]]) for box in request["boxes"]]}


def declared(box: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    said = {key: value for key, value in box.items() if key != "discards"}
    count = len(box.get("discards", ()))
    if count:
        drawn = count + ("buy6" in box["action"])
        said |= {"count": count, "drawn": " ".join(["??"] * drawn)}
    elif box.get("action") == "buy6":
        said["final"] = f"{UNREAD} ??"
    said["cards"] = UNREAD
    if box["decision"] == "raise":
        end = {"win": "win", "lose": "lose"}.get(told["stakes"]["bet"]["outcome"], "tie")
        said["declared"] = {"hand": told["hand"], "against": end}
        if "second" in told:
            said["declared"]["second"] = told["second"]
    return said


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 10**9))
@pytest.mark.parametrize("name", GAMES)
def test_the_word_pays_what_the_cards_pay(name: str, seed: int) -> None:
    rules = load(name)
    changes: dict[str, Any] = {"dealer_exchange_fee": "none"} if rules.dealer_exchange_fee is not None else {}
    changes |= LESS.get(name, {})
    request = random_request(random.Random(seed), rules.with_set(changes), name, changes)
    for box in request["boxes"]:
        box.pop("bonus", None), box.pop("jackpot", None)
    request.pop("jackpot", None)
    by_cards = run(request)
    by_word = run(in_form_a(request, by_cards))
    assert by_word["house"] == by_cards["house"]
    assert by_word["dealer"]["declared"] is True
    for said, seen in zip(by_word["boxes"], by_cards["boxes"], strict=True):
        assert (said["stakes"], said["net"], said["returned"]) == (seen["stakes"], seen["net"], seen["returned"])
        assert said.get("declared", False) == ("declared" in said)


def asked(**box: Any) -> dict[str, Any]:
    boxes = [{"box": 1, "ante": 10, "cards": UNREAD, "decision": "raise", **box}]
    return {"rules": "caribbean", "dealer": {"cards": "Kh Ks 8c 7d 2h"}, "boxes": boxes}


@pytest.mark.parametrize(
    ("box", "code"),
    [
        ({"declared": {"hand": "nothing", "against": "win"}}, 412),  # below his pair
        ({"declared": {"hand": "flush", "against": "lose"}}, 412),
        ({"declared": {"hand": "two_pair", "against": "tie"}}, 412),
        ({"declared": {"hand": "pair"}}, 412),  # he plays: how does it end?
        ({"declared": {"hand": "pair", "against": "win"}, "cards": "As Ad 3c 4c 5c"}, 412),
        ({"declared": {"hand": "pair", "against": "won"}}, 410),
        ({"declared": {"hand": "pairs", "against": "win"}}, 410),
        ({"declared": {"hand": "pair", "against": "win", "second": "pair"}}, 412),
        ({"declared": {"hand": "pair", "against": "win", "odds": 100}}, 410),
        ({}, 413),
    ],
)
def test_what_cannot_be_declared(box: dict[str, Any], code: int) -> None:
    with pytest.raises(TableError) as caught:
        run(asked(**box))
    assert caught.value.code == f"TC-0{code}"


@pytest.mark.parametrize("end", ["win", "lose", "tie"])
def test_the_same_category_ends_as_people_say(end: str) -> None:
    told = run(asked(declared={"hand": "pair", "against": end}))["boxes"][0]
    assert told["stakes"]["bet"]["outcome"] == {"win": "win", "lose": "lose", "tie": "push"}[end]


def test_a_bonus_needs_its_cards() -> None:
    request = asked(declared={"hand": "flush", "against": "win"}, bonus=5) | {"rules": "oasis_ru"}
    with pytest.raises(TableError):
        run(request)


def test_a_box_with_cards_does_not_meet_a_declared_dealer() -> None:
    request = asked(cards="As Ad 3c 4c 5c") | {"dealer": {"cards": UNREAD, "declared": "pair"}}
    with pytest.raises(TableError):
        run(request)
    request = request | {"dealer": {"cards": "Kh Ks 8c 7d 2h", "declared": "pair"}}
    with pytest.raises(TableError):
        run(request)
