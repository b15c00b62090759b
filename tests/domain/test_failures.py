"""Known ways in which other programs got hands wrong, by their numbers in the list of failures."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from controller.domain.cards import JOKER, CardError, parse_card, parse_cards
from controller.domain.paytable import Category
from controller.domain.ranking import ranking_of
from controller.errors import TableError
from controller.rulesets import load
from controller.settle import run

NO_GAME, A_K = "As Qd 8c 6d 3h", "As Kd 8c 6d 3h"


def category(rules: str, text: str, joker: str | None = None, **changes: Any) -> Category:
    ranking = ranking_of(load(rules).with_set(changes))
    return ranking.best(parse_cards(text), joker and parse_card(joker)).category


def value(rules: str, text: str) -> int:
    return ranking_of(load(rules)).value(parse_cards(text))


def settled(rules: str, dealer: str, cards: str, /, top: dict[str, Any] | None = None, **box: Any) -> dict[str, Any]:
    boxes = [{"box": 1, "ante": 10, "cards": cards, "decision": "raise", **box}]
    return run({"rules": rules, "dealer": {"cards": dealer}, "boxes": boxes, **(top or {})})


@pytest.mark.parametrize(
    ("dealer", "cards", "extra"),
    [(A_K, "Ac Ac Kc Qc Jc", {}), (A_K, "As Ks Qs Js Ts", {"jackpot": 1}),
     ("As As 8c 6d 3h", "9c 9d 7h 5s 2c", {}),
     (A_K, "9c 9d 7h 5s 2c", {"action": "exchange", "final": "9c 9d 7h 5s As"})],
)  # fmt: skip
def test_f52_a_card_that_stands_twice_is_refused(dealer: str, cards: str, extra: dict[str, Any]) -> None:
    with pytest.raises(TableError) as error:
        settled("oasis_ru", dealer, cards, {"jackpot": {"meter": 1000}}, **extra)
    assert error.value.code == "TC-0411"
    assert "stands twice" in error.value.line(), "named, with its place; a table passes on the code alone"


def test_f53_ten_is_t_or_10_and_nothing_else() -> None:
    assert parse_card("10c") == parse_card("Tc") == parse_card("T♣") == parse_card("10♧")
    assert [parse_card(text) for text in ("A♠", "K♥", "2♦")] == [parse_card(text) for text in ("As", "Kh", "2d")]
    assert settled("caribbean", A_K, "10c 10d 7h 5s 2c")["boxes"][0]["cards"] == "Tc Td 7h 5s 2c"
    for wrong in ("1c", "tc", "TC", "Tc ", "10", "c10", "♣T", "", "JKs", "0c"):
        with pytest.raises(CardError):
            parse_card(wrong)


@pytest.mark.parametrize(
    ("high", "low"),
    [("Kh Th 5h 4h 3h", "Qc Tc 7c 5c 4c"), ("Ah 9h 5h 4h 2h", "Ac 9c 5c 3c 2c"), ("9h 9s Kd Jh 3c", "9c 9d Kh Ts 4c")],
)
def test_f92_every_card_of_a_flush_counts(high: str, low: str) -> None:
    assert value("caribbean", high) > value("caribbean", low)
    assert settled("caribbean", low, high)["boxes"][0]["stakes"]["bet"]["outcome"] == "win"
    assert settled("caribbean", high, low)["boxes"][0]["stakes"]["bet"]["outcome"] == "lose"


def test_f92_equal_in_all_five_ranks_ties_both_ways() -> None:
    one, other = "9h 9s Kd Jh 3c", "9c 9d Kh Jd 3s"
    for dealer, box in ((one, other), (other, one)):
        assert settled("caribbean", dealer, box)["boxes"][0]["stakes"]["bet"]["outcome"] == "push"


@pytest.mark.parametrize(
    ("six", "five"),
    [("9c 9d 8c 8d Kh Ks", "Kh Ks 9c 9d 8c"), ("9c 9d 8c 8d 2h 2s", "9c 9d 8c 8d 2h"),
     ("Qc Qd Qh 8c 8d 8h", "Qc Qd Qh 8c 8d"), ("7c 7d 7h 7s Kc Kd", "7c 7d 7h 7s Kc"),
     ("9c 8d 7h 6s 5c 9d", "9c 8d 7h 6s 5c"), ("9c 9d 8c 8d Kh 2s", "9c 9d 8c 8d Kh")],
)  # fmt: skip
def test_f94_best_five_of_six_in_every_order(six: str, five: str) -> None:
    ranking, wanted = ranking_of(load("russian")), value("russian", five)
    assert {ranking.value(order) for order in permutations(parse_cards(six))} == {wanted}
    assert sorted(ranking.best(parse_cards(six)).ranks) == sorted(ranking.best(parse_cards(five)).ranks)


def test_f94_the_kicker_is_the_highest_card() -> None:
    assert value("russian", "9c 9d 8c 8d Kh 2s") > value("russian", "9h 9s 8h 8s Qh 2c")


def test_f95_a_straight_and_a_flush_of_different_cards() -> None:
    six = "Kh Qh Jh Ts 9h 7h"
    assert category("russian", six) == "flush"
    box = settled("russian", A_K, "Kh Qh Jh Ts 9h", action="buy6", final=six)["boxes"][0]
    assert (box["hand"], box["second"], box["stakes"]["bet"]["odds"]) == ("flush", "straight", "9:1")


@pytest.mark.parametrize(
    ("dealer", "decision", "ante", "bet"),
    [(NO_GAME, "raise", ("win", 10), ("push", 0)), (A_K, "raise", ("push", 0), ("win", 60)),
     ("Tc Td Th 6d 2h", "raise", ("lose", -10), ("lose", -20)), (A_K, "fold", ("lose", -10), None)],
)  # fmt: skip
@pytest.mark.parametrize("bonus", [0, 5])
def test_f97_side_bets_stand_on_their_own(
    dealer: str, decision: str, ante: tuple[str, int], bet: tuple[str, int] | None, bonus: int
) -> None:
    """Each outcome of the table, with and without a bonus; a stake of nought is no stake."""
    stakes = settled("russian", dealer, "9c 9d 9h 5s 2c", decision=decision, bonus=bonus)["boxes"][0]["stakes"]
    ends = {name: (stake["outcome"], stake["profit"]) for name, stake in stakes.items()}
    assert ends == {"ante": ante} | ({"bet": bet} if bet else {}) | ({"bonus": ("win", 100)} if bonus else {})


@pytest.mark.parametrize(
    ("rules", "cards", "wanted", "top"),
    [("joker53_full", "9c 7d 6h 5s JK", "straight", 7), ("joker53", "9c 7d 6h 5s JK", "straight", 7),
     ("joker53_full", "9c 9d 6h 5s JK", "trips", 7), ("joker53", "9c 9d 6h 5s JK", "pair", 7),
     ("joker53_full", "9c 9d 9h 5s JK", "quads", 7), ("joker53", "9c 9d 9h 5s JK", "trips", 7),
     ("joker53_full", "9c 9d 9h 9s JK", "five_of_a_kind", 7), ("joker53", "9c 9d 9h 9s JK", "quads", 7),
     ("joker53_full", "Ah 9h 6h 5h JK", "flush", 12), ("joker53", "Ah 9h 6h 5h JK", "flush", 12)],
)  # fmt: skip
def test_f98_what_a_joker_may_be(rules: str, cards: str, wanted: str, top: int) -> None:
    best = ranking_of(load(rules)).best(parse_cards(cards))
    assert (best.category, best.ranks[0]) == (wanted, top)
    if wanted == "flush":
        assert best.ranks == (12, 11, 7, 4, 3)  # the joker is the king: the ace is already there


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [("9c 7d 6h 5s 2c", "straight"), ("9c 9d 6h 5s 2c", "two_pair"), ("9c 9d 9h 5s 2c", "quads"),
     ("9c 9d 9h 9s 2c", "five_of_a_kind"), ("Ah 9h 6h 5h 2c", "flush")],
)  # fmt: skip
def test_f98_what_the_joker_of_jpoker_may_be(cards: str, wanted: str) -> None:
    assert category("jpoker", cards, "2c") == wanted
    assert category("jpoker", cards, "2d") != "five_of_a_kind"


@pytest.mark.parametrize("rules", ["caribbean", "oasis_ru", "jpoker", "russian"])
def test_f98_a_53rd_card_in_a_game_without_one(rules: str) -> None:
    top = {"joker": "2d"} if rules == "jpoker" else None
    with pytest.raises(TableError) as error:
        settled(rules, A_K, "9c 9d 7h 5s JK", top)
    assert error.value.code == "TC-0411"
    assert JOKER == 52


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 6, 7, 8])
def test_f100_any_number_of_cards_is_an_answer(count: int) -> None:
    cards = " ".join(["2c", "3d", "4h", "5s", "7c", "8d", "9h", "Ts"][:count])
    with pytest.raises(TableError) as error:
        settled("caribbean", A_K, cards)
    assert error.value.code == "TC-0411"
