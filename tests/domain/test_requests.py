"""Requests that are damaged in any way get an answer or a TableError; form B told as form A settles the same."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from controller.errors import TableError
from controller.rulesets import load
from controller.settle import run

from .hands import random_request

GOLDEN = Path(__file__).parents[1] / "golden" / "settle.jsonl"
REQUESTS = [json.loads(line)["in"] for line in GOLDEN.read_text("utf-8").splitlines()]
JUNK: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, "", "??", "As", "JK", "As As As As As", [], [1], [[]], {}, {"a": 1}, "fold", "DOC",
    "12/0", "nan", "é", ["bonus"], [0, 0], "?? ?? ?? ?? ??", "raise", "exchange",
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, item in inner for p in places(item, (*path, key)))]


def damaged(rng: random.Random, request: dict[str, Any]) -> Any:
    request = copy.deepcopy(request)
    path = rng.choice([p for p in places(request) if p])
    holder: Any = request
    for key in path[:-1]:
        holder = holder[key]
    what = rng.random()
    if what < 0.2:
        del holder[path[-1]]
    elif what < 0.4 and isinstance(holder, dict):
        holder[rng.choice(["cards", "final", "drawn", "count", "bonus", "set", "joker", "backers", "x"])] = rng.choice(
            JUNK
        )
    else:
        holder[path[-1]] = rng.choice(JUNK)
    return request


def test_damage_is_refused_never_a_crash() -> None:
    rng = random.Random(5)
    refused = 0
    for _ in range(6_000):
        request = damaged(rng, rng.choice(REQUESTS))
        if rng.random() < 0.3 and request:
            request = damaged(rng, request)
        try:
            run(request)
        except TableError as error:
            refused += 1
            assert error.code.startswith("TC-04") and error.exit_code == 2, (request, error.line())
    assert refused > 3_000


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_for_a_request(junk: Any) -> None:
    with pytest.raises(TableError):
        run(junk)


@pytest.mark.parametrize("name", ["oasis_woo", "russian", "russian_carry", "jpoker", "joker53_full"])
def test_form_b_told_as_form_a(name: str) -> None:
    rng, rules = random.Random(name), load(name)
    for _ in range(150):
        request = random_request(rng, rules, name, {})
        answer = run(request)
        dealt = {key: request[key] for key in ("rules", "set", "jackpot", "joker") if key in request}
        dealer = dict(answer["dealer"])
        cards = {"cards": dealer["cards"]}
        if "after_exchange" in dealer:
            cards["after_exchange"] = dealer["after_exchange"]["cards"]
        boxes = []
        for asked, told in zip(request["boxes"], answer["boxes"], strict=True):
            box = {key: value for key, value in asked.items() if key != "discards"} | {"cards": told["cards"]}
            boxes.append(box | ({"final": told["final"]} if asked.get("action", "none") != "none" else {}))
        del answer["used"]
        assert run({**dealt, "dealer": cards, "boxes": boxes}) == answer
