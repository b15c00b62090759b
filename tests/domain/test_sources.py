"""Facts of the four source documents that no other test states; docs/sources.md names each with its test."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from controller.domain.cards import JOKER, parse_cards
from controller.domain.hand.betting import bonus_limit
from controller.domain.hand.setup import Plate, Procedure, Setup
from controller.domain.ranking import ranking_of
from controller.domain.state import Table
from controller.rulesets import load
from controller.settle import run

from .test_settlement import ends, refused, settled

ROOT = Path(__file__).parents[2]
PLAYS, NO_GAME = "As Kd 8c 6d 3h", "As Qd 8c 6d 3h"
PAIR, FRESH = "9c 9d 7h 5s 2c", "Tc Jd 4h 3s Qc"
ODDS = {
    "Ah Kh Qh Jh Th": 100, "9h 8h 7h 6h 5h": 50, "4c 4d 4h 4s Kc": 20, "6c 6h 6s Ks Kh": 7, "Ah 9h 5h 4h 2h": 5,
    "9c 8d 7h 6s 5c": 4, "9c 9d 9h Qs 4c": 3, "Ac Ad 5c 5d Th": 2, "8d 8h Kc 4c 2d": 1, "Ac Kh Qd 7s 3c": 1,
}  # fmt: skip
JPOKER = {
    "Jc Jd Jh Js 2d": 150, "Ah Kh Qh Jh Th": 75, "9h 8h 7h 6h 5h": 35, "4c 4d 4h 4s Kc": 15, "6c 6d 6h Ks Kh": 7,
    "Ah 9h 5h 4h 3h": 5, "9c 8d 7h 6s 5c": 4, "9c 9d 9h Qs 4c": 3, "Ac Ad 5c 5d Th": 2, "8c 8d Kc 4c 3d": 1,
}  # fmt: skip
FALLING = [
    "Ah Kh Qh Jh Th", "Qc Jc Tc 9c 8c", "Jc Jd Jh Js 5c", "6c 6d 6h Ks Kh", "Ah 9h 5h 4h 2h", "9c 8d 7h 6s 5c",
    "9c 9d 9h Qs 4c", "Ac Ad 5c 5d Th", "8c 8d Kh 4c 2d", "Ac Kh 8d 7s 3c", "Jc Th 7d 5s 2c",
]  # fmt: skip


def value(text: str, rules: str = "caribbean") -> int:
    return ranking_of(load(rules)).value(parse_cards(text))


# --- hands (Caribbean/Oasis article; Russian poker; Oasis, joker, J-poker) -------------------------------------------


def test_eleven_combinations_in_order() -> None:
    ranking = ranking_of(load("caribbean"))
    names = [str(ranking.category(value(hand))) for hand in FALLING]
    assert names == [
        "royal_flush", "straight_flush", "quads", "full_house", "flush", "straight", "trips", "two_pair", "pair",
        "ace_king", "nothing",
    ]  # fmt: skip
    assert all(high > low for high, low in itertools.pairwise(map(value, FALLING)))


@pytest.mark.parametrize(
    ("high", "low"),
    [("Ac Kd Jh 3s 2c", "Ad Kh Ts 9c 8d"), ("5c 5d 4h 3s 2c", "4c 4d Ah Ks Qc"), ("5c 5d Qh 3s 2c", "5h 5s Jd Tc 9c"),
     ("Ac Ad 2h 2s 3c", "Kc Kd Qh Qs Ah"), ("3c 3d 3h 2c 2d", "2c 2d 2h Ac Ad"), ("6c 5d 4h 3s 2c", "5c 4d 3h 2s Ac")],
)  # fmt: skip
def test_the_examples_of_comparing(high: str, low: str) -> None:
    assert value(high) > value(low)


def test_the_ace_stands_at_both_ends_of_a_straight_and_never_inside() -> None:
    ranking = ranking_of(load("caribbean"))
    assert ranking.category(value("Ac Kd Qh Js Tc")) == ranking.category(value("5c 4d 3h 2s Ac")) == "straight"
    for inside in ("4c 3d 2h As Kc", "3c 2d Ah Ks Qc"):
        assert ranking.category(value(inside)) == "ace_king"


def test_suits_have_no_rank() -> None:
    assert len({value(" ".join(rank + suit for rank in "AKQJT")) for suit in "cdhs"}) == 1
    assert value("Ac Kd 9h 7s 3c") == value("As Kc 9d 7h 3d")


# --- Oasis (Caribbean/Oasis article; Oasis in the manner of wizardofodds) --------------------------------------------


@pytest.mark.parametrize("rules", ["caribbean", "oasis_ru", "oasis_woo", "russian"])
@pytest.mark.parametrize("ante", [10, 100])
def test_the_odds_of_the_bet(rules: str, ante: int) -> None:
    for cards, odds in ODDS.items():
        used = set(cards.split())
        dealer = next(d for d in ("As Kd 8c 7d 3h", "7c 7s Jd 8s 3s", "As Ks 6d 5s 2s") if not used & set(d.split())
                      and value(d) < value(cards))  # fmt: skip
        bet = settled(rules, dealer, cards, ante=ante)["stakes"]["bet"]
        single = load(rules).with_set({"double_combination": False})
        assert single.pay[ranking_of(single).category(value(cards))] == odds
        assert (bet["staked"], bet["profit"]) == (2 * ante, odds * 2 * ante)


def test_a_royal_flush_wins_2010_on_an_ante_of_ten() -> None:
    box = settled("oasis_ru", "9c 9d 5s 4h 2c", "Ah Kh Qh Jh Th")
    assert (ends(box), box["net"]) == ({"ante": ("win", 10), "bet": ("win", 2000)}, 2010)


def test_an_exchange_against_a_dealer_who_does_not_play_is_even() -> None:
    box = settled("oasis_ru", NO_GAME, "Qc 9d 8h 7s 6c", action="exchange", final="2d 9d 8h 7s 6c")
    assert (ends(box)["fee"], ends(box)["ante"], box["net"]) == (("fee", -10), ("win", 10), 0)


@pytest.mark.parametrize("dealer", [PLAYS, NO_GAME])
def test_a_fold_loses_the_ante_whatever_the_dealer_has(dealer: str) -> None:
    box = settled("oasis_ru", dealer, "9c 9d 7h 5s 2c", decision="fold")
    assert (ends(box), box["net"]) == ({"ante": ("lose", -10)}, -10)


def test_the_dealer_plays_from_ace_king_4_3_2() -> None:
    assert ends(settled("oasis_woo", "As Kd 4c 3d 2h", "9c 9d 7h 5s 2c"))["bet"] == ("win", 20)
    assert ends(settled("oasis_woo", "As Qd Jc Ts 9h", "9c 9d 7h 5s 2c"))["bet"] == ("push", 0)


@pytest.mark.parametrize(
    ("rules", "fees"),
    [("oasis_ru", [10]), ("oasis_woo", [10, 20, 30, 20, 10]), ("oasis_galewind", [10, 20, 30, 40, 50]),
     ("jpoker", [10, 20]), ("russian", [10] * 5)],
)  # fmt: skip
def test_what_an_exchange_costs(rules: str, fees: list[int]) -> None:
    cards, fresh = PAIR.split(), FRESH.split()
    top = {"joker": "Kh"} if rules == "jpoker" else None
    for count in range(1, 6):
        final = " ".join(fresh[:count] + cards[count:])
        asked: dict[str, Any] = {"action": "exchange", "final": final, "top": top}
        if count > len(fees):
            assert refused(rules, PLAYS, " ".join(cards), **asked) == "TC-0412"
        else:
            box = settled(rules, PLAYS, " ".join(cards), **asked)
            assert ends(box)["fee"] == ("fee", -fees[count - 1])


@pytest.mark.parametrize(
    ("rules", "forced"), [("oasis_ru", ()), ("oasis_woo", (5,)), ("oasis_belgium", (1, 2, 3, 4, 5))]
)
def test_after_which_exchange_a_fold_is_refused(rules: str, forced: tuple[int, ...]) -> None:
    cards, fresh = PAIR.split(), FRESH.split()
    for count in load(rules).exchange_fee:
        final = " ".join(fresh[:count] + cards[count:])
        asked: dict[str, Any] = {"action": "exchange", "final": final, "decision": "fold"}
        if count in forced:
            assert refused(rules, PLAYS, " ".join(cards), **asked) == "TC-0412"
        else:
            assert settled(rules, PLAYS, " ".join(cards), **asked)["net"] == -10 - 10 * load(rules).exchange_fee[count]


def test_what_other_houses_do_otherwise() -> None:
    full = "6c 6h 6s Ks Kh"
    assert ends(settled("oasis_galewind", "As Ad 8c 7d 3h", full))["bet"] == ("win", 120)
    less = {"set": {"pay_after_exchange": {"full_house": 5}}}
    drawn = settled("oasis_nicaragua", "As Ad 8c 7d 3h", "6c 6h 6s Ks 2h", action="exchange", final=full, top=less)
    assert (ends(drawn)["fee"], ends(drawn)["bet"]) == (("fee", -10), ("win", 100))
    assert ends(settled("oasis_nicaragua", "As Ad 8c 7d 3h", full, top=less))["bet"] == ("win", 140)
    sold = settled("oasis_helsinki", NO_GAME, full, after="8d Qd 8c 6d 3h", buy_dealer=True)
    assert ends(sold) == {"dealer_fee": ("fee", -10), "ante": ("win", 10), "bet": ("win", 140)}


# --- bonus (Oasis, joker, J-poker; Russian poker) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "odds"),
    [("oasis_ru", {"royal": 1000, "sf": 500, "quads": 200, "full": 100, "flush": 60, "straight": 40, "trips": 0}),
     ("russian", {"royal": 1000, "sf": 500, "quads": 300, "full": 100, "flush": 50, "straight": 40, "trips": 20,
                  "sixes": 0, "sevens": 5, "kings": 0})],
)  # fmt: skip
@pytest.mark.parametrize("dealer", ["2s 3s 4s 8c Jd", "Ac Ad As 2s 3s"])
def test_the_odds_of_the_bonus_whoever_wins(rules: str, odds: dict[str, int], dealer: str) -> None:
    hands = {
        "royal": "Ah Kh Qh Jh Th", "sf": "9h 8h 7h 6h 5h", "quads": "5c 5d 5h 5s Kc", "full": "6c 6d 6h Ks Kh",
        "flush": "Ah 9h 5h 4h 2h", "straight": "9c 8d 7h 6s 5c", "trips": "9c 9d 9h Qs 4c", "sixes": "6c 6d 6h Qs 4c",
        "sevens": "7c 7d 5c 5d Th", "kings": "Kc Kd 5c 5d Th",
    }  # fmt: skip
    for name, factor in odds.items():
        bonus = settled(rules, dealer, hands[name], bonus=5, top={"set": {"cap": 10}})["stakes"]["bonus"]
        assert (name, bonus["profit"]) == (name, 5 * factor if factor else -5)


def test_a_house_may_pay_the_bonus_for_trips_too() -> None:
    top = {"set": {"bonus_table": {"trips": 10}}}
    assert ends(settled("oasis_ru", PLAYS, "9c 9d 9h Qs 4c", bonus=5, top=top))["bonus"] == ("win", 50)


def test_the_bonus_after_an_exchange() -> None:
    """Lost by one source, judged on the dealt cards by another."""
    draw = {"action": "exchange", "final": "Ah Kh Qh Jh Th", "bonus": 5}
    assert ends(settled("oasis_ru", PLAYS, "9s Kh Qh Jh Th", **draw))["bonus"] == ("lose", -5)
    assert ends(settled("oasis_woo", PLAYS, "9s Kh Qh Jh Th", **draw))["bonus"] == ("win", 200)


@pytest.mark.parametrize(
    ("changes", "ante", "most"),
    [({}, 10, 5), ({}, 11, 5), ({}, 900, 50), ({"bonus_max": "1/4"}, 40, 10), ({"bonus_max": "none"}, 10, 50)],
)
def test_the_bonus_is_half_of_the_ante_at_most(changes: dict[str, Any], ante: int, most: int) -> None:
    plate = Plate(ante_min=1, ante_max=1000, cap=10**6, bonus_max=50)
    setup = Setup(table="T1", rules=load("russian").with_set(changes), boxes=4, plate=plate, procedure=Procedure(),
                  settle=run, settle_rules="russian", settle_set={})  # fmt: skip
    assert bonus_limit(ante, Table(limits={"bonus_max": 50}), setup) == most


# --- Russian poker ---------------------------------------------------------------------------------------------------


def test_36_cards() -> None:
    ranking = ranking_of(load("russian_36"))
    assert ranking.category(value("9c 8d 7h 6s Ac", "russian_36")) == "straight"
    assert ends(settled("russian_36", "As Kd 8c 7d 6h", "9c 9d 8h 7s 6c"))["bet"] == ("win", 20)


def test_the_ante_of_a_winner_by_both_readings() -> None:
    pair = "9c 9d 7h 5s 2c"
    assert ends(settled("russian", PLAYS, pair)) == {"ante": ("push", 0), "bet": ("win", 20)}
    assert ends(settled("russian_carry", PLAYS, pair)) == {"ante": ("lose", -10), "bet": ("win", 20)}


def test_no_game_by_both_readings() -> None:
    royal = "Ah Kh Qh Jh Th"
    assert ends(settled("russian", NO_GAME, royal)) == {"ante": ("win", 10), "bet": ("push", 0)}
    assert ends(settled("russian_carry", NO_GAME, royal)) == {"ante": ("push", 0), "bet": ("push", 0)}


def test_a_tie_by_both_readings() -> None:
    tie = ("9h 9s 7d 5c 2d", "9c 9d 7h 5s 2c")
    assert ends(settled("russian", *tie)) == {"ante": ("push", 0), "bet": ("push", 0)}
    assert ends(settled("russian_carry", *tie)) == {"ante": ("carry", 0), "bet": ("carry", 0)}


def test_a_loser_loses_fee_ante_and_bet() -> None:
    box = settled("russian", "Ts Td 8c 6d 3h", "9c 9d 7h 5s 2c", action="buy6", final="9c 9d 7h 5s 2c Jd")
    assert ends(box) == {"fee": ("fee", -10), "ante": ("lose", -10), "bet": ("lose", -20)}


def test_a_folded_box_keeps_its_bonus() -> None:
    assert ends(settled("russian", PLAYS, "9c 9d 9h Qs 4c", decision="fold", bonus=5))["bonus"] == ("win", 100)


def test_three_pairs_are_two_combinations_and_never_three() -> None:
    box = settled("russian", PLAYS, "9c 9d 5c 5d Kh", action="buy6", final="9c 9d 5c 5d Kh Ks")
    assert ends(box)["bet"] == ("win", 80)


@pytest.mark.parametrize(
    ("dealer", "wanted"),
    [
        (NO_GAME, ("win", 30)),
        (PLAYS, ("lose", -30)),
        ("Ts Td Th 6d 3h", ("carry", 0)),
        ("9s 9h 9c 7h 3h", ("lose", -30)),
    ],
)
def test_insurance_in_the_words_of_the_source(dealer: str, wanted: tuple[str, int]) -> None:
    cards = "9c 9d 9h 5s 2c" if "9c" not in dealer else "Tc Td Th 5s 2c"
    assert ends(settled("russian_carry", dealer, cards, insurance=30))["insurance"] == wanted


# --- joker -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [("Tc 9d 7h 2s JK", "nothing"), ("Tc 9d 7h 6s JK", "straight"), ("Kh Qh Jh Th JK", "flush"),
     ("9c 9d 7h 5s JK", "pair")],
)  # fmt: skip
def test_a_53rd_card_completes_two_kinds_of_hands(cards: str, wanted: str) -> None:
    assert ranking_of(load("joker53")).best(parse_cards(cards)).category == wanted


def test_a_straight_with_the_53rd_card_is_below_every_other() -> None:
    ranking = ranking_of(load("joker53"))
    lowest, joker, trips = "5c 4d 3h 2s Ac", "Ac Kd Qh Js JK", "9c 9d 9h Qs 4c"
    assert ranking.value(parse_cards(lowest)) > ranking.value(parse_cards(joker), JOKER)
    assert ranking.value(parse_cards(joker), JOKER) > ranking.value(parse_cards(trips))


def test_the_odds_of_jpoker() -> None:
    for cards, odds in JPOKER.items():
        joker = "2d" if "2d" in cards else "2c"
        dealer = "7c 7s Td 8s 3s" if value(cards) > value("7c 7s Td 8s 3s") or joker == "2d" else "5h 5s Jd 9s 3s"
        box = settled("jpoker", dealer, cards, top={"joker": joker})
        assert (cards, box["stakes"]["bet"]["profit"]) == (cards, 20 * odds)


def test_five_of_a_kind_beats_a_royal_flush() -> None:
    ranking = ranking_of(load("jpoker"))
    joker = parse_cards("2d")[0]
    assert ranking.value(parse_cards("3c 3d 3h 3s 2d"), joker) > ranking.value(parse_cards("Ah Kh Qh Jh Th"), joker)


def test_a_card_for_the_dealer_in_jpoker_where_a_house_sells_it() -> None:
    top = {"joker": "2d", "set": {"dealer_exchange_fee": 1}}
    box = settled("jpoker", NO_GAME, "9c 9d 7h 5s 2c", after="8d Qd 8c 6d 3h", buy_dealer=True, top=top)
    assert ends(box) == {"dealer_fee": ("fee", -10), "ante": ("win", 10), "bet": ("win", 20)}
    assert refused("jpoker", NO_GAME, "9c 9d 7h 5s 2c", buy_dealer=True, top={"joker": "2d"}) == "TC-0412"


# --- the page --------------------------------------------------------------------------------------------------------


def test_every_test_that_the_page_names_exists() -> None:
    page = (ROOT / "docs/sources.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)*test_\w+\.py)(?:::(\w+(?:\.\w+)?))?`", page))
    assert len(named) > 60
    for file, test in named:
        text = (ROOT / "tests" / file).read_text("utf-8")
        for word in test.split(".") if test else []:
            assert re.search(rf"^\s*(?:def|class) {word}\b", text, re.M), f"{file}::{test}"


def test_every_worked_example_that_the_page_names_exists() -> None:
    page = (ROOT / "docs/sources.md").read_text("utf-8")
    known = set(re.findall(r'^\{"id": ?"(\w+)"', (ROOT / "tests/golden/settle.jsonl").read_text("utf-8"), re.M))
    named = set(re.findall(r"\[(\w+)\](?!\()", page))
    assert named and named <= known
