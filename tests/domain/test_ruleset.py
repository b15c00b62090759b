"""Rule sets: strict reading, merging, hashing, differences; prices and the reach of the deck."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.domain.paytable import Category
from controller.domain.prices import (
    boxes_served,
    cards_needed,
    fee,
    highest_odds,
    insurance_bound,
    most_boxes,
    offered_counts,
)
from controller.domain.ruleset import JACKPOT_PARAMETERS, PARAMETERS, JackpotRules, RuleSet
from controller.errors import TableError
from controller.rulesets import load, shipped
from controller.settle import run


def house(tmp_path: Path, text: str, name: str = "house.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_fourteen_ship_and_two_wait_for_the_house() -> None:
    assert len(shipped()) == 14
    waiting = {name: load(name).fill_in for name in shipped() if load(name).fill_in}
    assert waiting == {"oasis_nicaragua": ("pay_after_exchange",), "jpoker_online": ("insurance_max_fraction",)}
    for name in waiting:
        with pytest.raises(TableError) as error:
            load(name).require_complete()
        assert error.value.code == "TC-0405"
    assert load("jpoker").require_complete().id == "jpoker"


def test_every_parameter_stands_in_the_one_table() -> None:
    about = {"id", "base_id", "title", "fill_in", "jackpot"}
    assert set(PARAMETERS) == set(RuleSet.__struct_fields__) - about
    assert set(JACKPOT_PARAMETERS) == set(JackpotRules.__struct_fields__)
    assert all(parameter.meaning for parameter in (PARAMETERS | JACKPOT_PARAMETERS).values())


@pytest.mark.parametrize("name", shipped())
def test_what_is_written_reads_back(name: str) -> None:
    rules = load(name)
    again = load(rules.base_id).with_set(msgspec.json.decode(rules.canonical()))
    assert again.canonical() == rules.canonical()
    assert again.rules_hash() == rules.rules_hash()
    for other in map(load, shipped()):
        assert msgspec.structs.replace(other, fill_in=rules.fill_in).restored(rules.facts()).facts() == rules.facts()
        assert (
            msgspec.structs.replace(other, fill_in=rules.fill_in).with_set(rules.difference(other)).facts()
            == rules.facts()
        )


@pytest.mark.parametrize(
    ("text", "code", "where", "word"),
    [
        ('base = "russian"\nante_on_wim = "push"', "TC-0402", "house.toml", "ante_on_win"),
        ('base = "russian"\nante_on_win = "maybe"', "TC-0403", "house.toml.ante_on_win", "paid, push, lost"),
        ('base = "russian"\n[pay]\nflash = 5', "TC-0402", "house.toml.pay", "flush"),
        ('base = "russian"\n[pay]\nflush = 5.5', "TC-0403", "house.toml.pay.flush", "whole number"),
        ('base = "russian"\n[exchange_fee]\n6 = 1', "TC-0402", "house.toml.exchange_fee", "1, 2, 3, 4, 5"),
        ('base = "russian"\ncap_basis = true', "TC-0403", "house.toml.cap_basis", "profit, gross"),
        ('base = "russian"\n[jackpot]\nrate = 1.5', "TC-0403", "house.toml.jackpot.rate", "at most 1"),
        ('base = "russian"\ndeck_size = 53', "TC-0404", "house.toml.deck_size", "joker53"),
        ('base = "jpoker"\ndouble_combination = true', "TC-0404", "house.toml.double_combination", "joker"),
        ('base = "jpoker"\nqualify_min = "ace_king"', "TC-0404", "house.toml.qualify_min", "pair"),
        ('base = "joker53"\njoker_mode = "full"', "TC-0404", "house.toml.pay", "five_of_a_kind"),
        ('base = "caribbean"\n[exchange_fee]\n1 = 1', "TC-0404", "house.toml.exchange_fee", "oasis"),
        ('base = "russsian"', "TC-0401", "house.toml.base", "russian"),
        ('title = "no game"', "TC-0403", "house.toml.variant", "caribbean"),
        ("variant = ", "TC-0406", "house.toml", "correct"),
    ],
)
def test_a_mistake_names_file_key_and_what_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: str, where: str, word: str
) -> None:
    house(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError) as error:
        load("house.toml")
    assert (error.value.code, error.value.where) == (code, where)
    assert word in error.value.remedy


def test_a_houses_file_stands_on_a_shipped_set(tmp_path: Path) -> None:
    text = 'base = "oasis_ru"\ndraw_timing = "after_all"\n[exchange_fee]\n2 = 1.5\n[pay]\nfull_house = 6\n'
    rules, base = load(house(tmp_path, text)), load("oasis_ru")
    assert (rules.id, rules.base_id) == ("house", "oasis_ru")
    assert rules.exchange_fee == {1: Fraction(1), 2: Fraction(3, 2)}
    assert rules.settlement_diff(base) == {"exchange_fee": {"2": "1.5"}, "pay": {"full_house": 6}}
    assert rules.difference(base) == {**rules.settlement_diff(base), "draw_timing": "after_all"}
    filled = load(house(tmp_path, 'base = "oasis_nicaragua"\n[pay_after_exchange]\nflush = 4\n', "n.toml"))
    assert filled.require_complete().base_id == "oasis_nicaragua"


def test_a_table_and_a_laptop_settle_alike(tmp_path: Path) -> None:
    """A house's own file, or the shipped set with what bears on the settlement: one answer, one hash."""
    rules = load(house(tmp_path, 'base = "oasis_ru"\ndraw_timing = "after_all"\n[pay]\nfull_house = 6\n'))
    hand: dict[str, Any] = {
        "dealer": {"cards": "As Kd 8c 7d 3h"},
        "boxes": [{"box": 1, "ante": 10, "cards": "6c 6d 6h Ks Kh", "decision": "raise"}],
    }
    table = run({"rules": "house", "set": {"cap": 100}, **hand}, rules)
    recalled = {"cap": 100, **rules.settlement_diff(load("oasis_ru"))}
    laptop = run({"rules": "oasis_ru", "set": recalled, **hand})
    assert {**table, "rules": "oasis_ru"} == laptop
    assert run({"rules": "oasis_ru", "set": {"cap": 100}, **hand}, rules) == laptop
    with pytest.raises(TableError):
        run({"rules": "russian", **hand}, rules)


def test_tables_merge_by_key_and_none_takes_out() -> None:
    rules = load("oasis_woo").with_set({"exchange_fee": {"2": "1.50", "5": None}, "bonus_table": None})
    assert offered_counts(rules) == (1, 2, 3, 4)
    assert rules.bonus_table == {}
    assert rules.exchange_fee[2] == Fraction(3, 2)
    assert load("oasis_woo").with_set({"exchange_fee": {"2": 1.1}}).exchange_fee[2] == Fraction(11, 10)


@pytest.mark.parametrize("wrong", ["1e999999999", " 1", "1_0", "nan", "-1", "1/0", [], True])
def test_fees_are_numbers(wrong: object) -> None:
    with pytest.raises(TableError):
        load("oasis_ru").with_set({"exchange_fee": {"1": wrong}})


def test_fees() -> None:
    rules = load("oasis_ru").with_set({"exchange_fee": {"2": 1.5}})
    assert (fee(rules, 1, 5), fee(rules, 2, 10)) == (5, 15)
    for count, ante in ((2, 5), (3, 10)):
        with pytest.raises(TableError):
            fee(rules, count, ante)


@pytest.mark.parametrize(
    ("name", "changes", "boxes", "cards"),
    [
        ("caribbean", {}, 9, 50),
        ("oasis_ru", {}, 7, 47),
        ("oasis_ru", {"exchange_fee": {"2": 2}}, 6, 47),
        ("jpoker", {}, 6, 47),
        ("oasis_woo", {}, 4, 45),
        ("jpoker", {"exchange_fee": {"3": 3}}, 5, 45),
        ("joker53", {}, 8, 53),
        ("russian", {"max_actions": 2, "dealer_exchange_fee": None}, 4, 49),
        ("russian", {}, 4, 46),
        ("russian_36", {}, 3, 36),
    ],
)
def test_how_far_the_deck_reaches(name: str, changes: dict[str, Any], boxes: int, cards: int) -> None:
    rules = load(name).with_set(changes)
    assert cards_needed(rules, boxes) == cards
    assert boxes_served(rules, boxes)
    assert most_boxes(rules) >= boxes
    if cards >= 45 and name != "oasis_ru":
        assert not boxes_served(rules, boxes + 1)


def test_redraws_and_burns() -> None:
    assert most_boxes(load("russian_36")) == 3
    assert most_boxes(load("russian_36"), redraws=True) == 2
    burning = load("joker53").with_set({"burn_cards": 1, "dealer_exchange_fee": 1})
    assert most_boxes(burning, redraws=True) == 7
    for rules in map(load, shipped()):
        assert boxes_served(rules, rules.max_boxes), rules.id


def test_the_public_bound_on_insurance() -> None:
    """A fraction of what the dearest hand could win, cut by the cap; the same for every box of that ante."""
    assert highest_odds(load("russian")) == 150
    assert highest_odds(load("caribbean")) == 100
    assert insurance_bound(load("russian"), 10) == 1500
    assert insurance_bound(load("russian").with_set({"cap": 1000}), 10) == 500
    assert insurance_bound(load("russian").with_set({"sixth_card_fee": None}), 10) == 1000
    assert Category.ROYAL_FLUSH in load("russian").pay


def default_of(name: str) -> str:
    """In the page's words."""
    if name == "variant":
        return "(must be given)"
    kind, parameters = (RuleSet, PARAMETERS) if name in PARAMETERS else (JackpotRules, JACKPOT_PARAMETERS)
    field = next(one for one in msgspec.structs.fields(kind) if one.name == name)
    value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    written = parameters[name].kind.write(value)
    if written is None or written in ({}, []):
        return "none" if written is None else "empty"
    return written if isinstance(written, str) else msgspec.json.encode(written).decode().replace('"', "")


def test_the_page_names_every_parameter_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
    rows = {line.split("|")[1].strip(" `"): line.split("|") for line in page.splitlines() if line.startswith("| `")}
    for name, parameter in (PARAMETERS | JACKPOT_PARAMETERS).items():
        assert rows[name][2].strip() == parameter.kind.allowed, name
        assert rows[name][3].strip() == default_of(name), name
        assert rows[name][4].strip() == ("settlement" if parameter.settles else "procedure"), name
        assert rows[name][5].strip() == parameter.meaning, name
