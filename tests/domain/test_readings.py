"""The two readings agree on random hands of every rule set, and what must hold of every settlement holds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.domain.cards import Card, parse_card
from controller.domain.ranking import ranking_of
from controller.domain.settlement import Settlement
from controller.referee.hands import Hands
from controller.rulesets import load, shipped
from controller.settle import ReadingsDiffer, run

from .hands import random_request

# Options of the rules that no shipped set takes, each tried on random hands beside the shipped sets as they are.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("caribbean", {"cap": 300, "cap_basis": "gross"}),
    ("caribbean", {"tie": "carry"}),
    ("oasis_ru", {"bonus_on_draw": "initial", "bonus_on_fold": "initial", "bonus_pays": "for_one"}),
    ("oasis_ru", {"cap": 200, "cap_per": "player", "exchange_fee": {"2": "1.5"}}),
    ("oasis_ru", {"repeat_exchange": True}),
    ("oasis_ru", {"jackpot_mode": "bonus_royal", "jackpot_share": {"1": "0.1", "5": "0.5"}}),
    ("oasis_ru", {"insurance": True, "dealer_exchange_fee": 1, "dealer_exchange_card": "lowest"}),
    ("oasis_nicaragua", {"pay_after_exchange": {"flush": 3, "straight": 2}}),
    ("joker53", {"joker_idle": "ace", "dealer_exchange_fee": 1, "jackpot": {"jackpot_joker": True}}),
    ("joker53", {"joker_straight_below_natural": False, "joker_flush_below_natural": False, "joker_flush": "two"}),
    ("joker53", {"natural_beats_joker": True, "bonus_joker": False, "sixth_card_fee": 1}),
    ("joker53_full", {"joker_flush": "two", "natural_beats_joker": True, "dealer_exchange_fee": 1}),
    ("joker53_full", {"sixth_card_fee": 1, "insurance": True, "jackpot": {"jackpot_joker": True}}),
    ("jpoker", {"own_rank_trips": True, "sixth_card_fee": 1, "max_actions": 2}),
    ("jpoker", {"joker_flush": "two", "bonus_table": {"trips": 5, "quads": 100}, "bonus_joker": False}),
    ("jpoker", {"natural_beats_joker": True, "insurance": True, "insurance_min": "pair", "cap": 500}),
    ("jpoker", {"dealer_exchange_fee": 2, "dealer_exchange_card": "add", "qualify_min": "two_pair"}),
    ("jpoker_online", {"insurance_max_fraction": 1}),
    ("jpoker_online", {"insurance_max_fraction": 1, "blind_extras": ["insurance"], "insurance_min": "pair"}),
    ("russian", {"straight_pair": "pair", "cap": 200, "cap_basis": "gross"}),
    ("russian", {"cap": 150, "cap_scope": "bet", "cap_per": "player", "max_actions": 2}),
    ("russian", {"cap": 150, "cap_includes_insurance": True, "insurance_on_beaten": "lose"}),
    ("russian", {"blind_extras": ["bonus", "buy6", "insurance"], "insurance_max_fraction": "1"}),
    ("russian", {"dealer_exchange_fail_ante": "paid", "dealer_exchange_redraw_same_rank": False}),
    ("russian", {"jackpot": {"limit": 20000, "hidden_rate": "0.1", "fixed_from_meter": True}, "deal_mode": "packets"}),
    ("russian", {"jackpot_hand": "final", "jackpot_on_fold": "lost", "contribution_basis": "losses", "burn_cards": 1}),
    ("russian_36", {"flush_over_full_house": True, "low_straight": "none", "royal_policy": "first_takes"}),
]
# Nicaragua's odds after an exchange are the house's to fill in; OPTIONS has it filled in.
EVERY = [(name, {}) for name in shipped() if name != "oasis_nicaragua"] + OPTIONS


@pytest.mark.parametrize(("name", "changes"), EVERY, ids=lambda value: value if isinstance(value, str) else None)
def test_both_readings_agree(name: str, changes: dict[str, Any]) -> None:
    """run() raises ReadingsDiffer where they do not; legal hands are never refused."""
    rng = random.Random(f"{name} {changes}")
    rules = load(name).with_set(changes)
    for _ in range(400):
        request = random_request(rng, rules, name, changes)
        balanced(run(request))


def balanced(answer: dict[str, Any]) -> None:
    """staked = returned + carried + house + the jackpot's part; net is the sum of the profits."""
    stakes = [stake for box in answer["boxes"] for stake in box["stakes"].values()]
    jackpot = -sum(box["stakes"]["jackpot"]["profit"] for box in answer["boxes"] if "jackpot" in box["stakes"])
    carried = sum(stake["staked"] for stake in stakes if stake["outcome"] == "carry")
    returned = sum(box["returned"] for box in answer["boxes"])
    assert sum(stake["staked"] for stake in stakes) == returned + carried + answer["house"] + jackpot
    for box in answer["boxes"]:
        assert box["net"] == sum(stake["profit"] for stake in box["stakes"].values())
        if "shares" in box:
            own = sum(box["stakes"][name]["profit"] for name in ("bonus", "jackpot") if name in box["stakes"])
            assert sum(box["shares"]) == box["net"] - own


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), cap=st.integers(1, 400))
def test_order_and_cap(seed: int, cap: int) -> None:
    """The order of the boxes matters to jackpots alone; no box wins more than the cap on ante and bet."""
    rng = random.Random(seed)
    name = rng.choice(["oasis_woo", "russian", "joker53_full", "jpoker"])
    changes = {"cap": cap}
    request = random_request(rng, load(name).with_set(changes), name, changes)
    for box in request["boxes"]:
        box.pop("jackpot", None)
    request.pop("jackpot", None)
    forward = run(request)
    backward = run({**request, "boxes": request["boxes"][::-1]})
    assert forward["boxes"] == backward["boxes"][::-1]
    assert forward["house"] == backward["house"]
    for box in forward["boxes"]:
        wins = [box["stakes"][n]["profit"] for n in ("ante", "bet") if n in box["stakes"]]
        assert sum(win for win in wins if win > 0) <= cap


@settings(max_examples=150, deadline=None)
@given(hands=st.lists(st.permutations(range(52)), min_size=3, max_size=3), shift=st.permutations(range(4)))
@pytest.mark.parametrize("name", ["caribbean", "joker53", "joker53_full", "jpoker", "russian"])
def test_order_of_hands(name: str, hands: list[list[int]], shift: list[int]) -> None:
    """A total order that ignores suits, and in which both readings put three hands alike."""
    rules = load(name)
    ranking, judge = ranking_of(rules), Hands(rules)
    joker = {"joker53": Card(52), "joker53_full": Card(52), "jpoker": Card(hands[0][0])}.get(name)
    fives = [tuple(Card(n) for n in hand[:5]) for hand in hands]
    if joker == 52:
        fives[0] = (*fives[0][:4], Card(52))
    values = [ranking.value(five, joker) for five in fives]
    strengths = [judge.best(five, joker) for five in fives]
    assert sorted(range(3), key=values.__getitem__) == sorted(range(3), key=strengths.__getitem__)
    for five, value, strength in zip(fives, values, strengths, strict=True):
        assert ranking.category(value) == judge.category(strength)
        renamed = [card if card == 52 else Card(card & ~3 | shift[card & 3]) for card in five]
        other = None if joker is None else joker if joker == 52 else Card(joker & ~3 | shift[joker & 3])
        assert ranking.value(renamed, other) == value
        assert ranking.value(five[::-1], joker) == value


def test_readings_that_differ_stop_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong domain result is not paid; the error carries both and exit code 1, and names places, not cards."""
    import controller.settle as door  # noqa: PLC0415

    real = door.settle

    def wrong(*args: Any) -> Settlement:
        import msgspec  # noqa: PLC0415

        return msgspec.structs.replace(real(*args), house=99)

    monkeypatch.setattr(door, "settle", wrong)
    request = {
        "rules": "caribbean",
        "dealer": {"cards": "As Kd 8c 7d 3h"},
        "boxes": [{"box": 1, "ante": 10, "cards": "6c 6d 6h Ks Kh", "decision": "raise"}],
    }
    with pytest.raises(ReadingsDiffer) as error:
        run(request)
    assert (error.value.domain["house"], error.value.referee["house"]) == (99, -150)
    assert (error.value.where, error.value.exit_code) == ("house", 1)
    assert parse_card("As") == 51
