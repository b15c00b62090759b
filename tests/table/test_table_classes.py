"""One ranking for everybody: what displays call a hand is what it was settled as, for random hands of several games.

F95, F97 and F100 of the list of failures, as far as they are a table's business; the hands themselves are judged in
tests/domain/test_failures.py.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from harness import Rig, make_setup
from test_table_every_game import FILLED, Player

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.state import Cause
from controller.rulesets import load
from controller.table import lamps

GAMES = ["caribbean", "oasis_woo", "joker53", "joker53_full", "jpoker", "jpoker_online", "russian", "russian_carry"]


class Watcher(Player):
    """Notes the class that each display shows of every hand, by hand's number and box (0: the dealer)."""

    def __init__(self, rig: Rig, seed: int) -> None:
        super().__init__(rig, seed)
        self.shown: dict[tuple[int, int], set[str]] = {}

    def step(self) -> None:
        self.look()
        super().step()

    def look(self) -> None:
        rig, number = self.rig, self.rig.hand.number
        snapshot = rig.snapshot()
        if snapshot.dealer.hand is not None and not rig.hand.bought:
            self.shown.setdefault((number, 0), set()).add(snapshot.dealer.hand)
        for box in snapshot.boxes:
            if box.hand is not None:
                self.shown.setdefault((number, box.box), set()).add(box.hand)
        if rig.want.kind is Want.PAID and rig.hand.box(rig.want.box).answer is not None:
            line = lamps.display(rig.table, rig.setup, "en").lines[0]
            name = line.removeprefix(f"BOX {rig.want.box}").strip().replace(" ", "_").lower()
            if name:
                self.shown.setdefault((number, rig.want.box), set()).add(name)


def classes(rules: str, seed: int, hands: int) -> int:
    """Plays; the number of hands whose class was compared. AssertionError where two places name two classes."""
    player = Watcher(Rig(setup=make_setup(rules, boxes=2, house=FILLED.get(rules), ante_min=10)).open(), seed)
    player.rig.taint = False
    for _ in range(hands):
        player.hand()
    recorded: dict[tuple[int, int], str] = {}
    for number, event in player.rig.recorder.events:
        if isinstance(event, ev.HandSettled):
            recorded |= named(number or 0, event.answer)
    compared = recorded.keys() & player.shown.keys()
    for place in compared:
        assert player.shown[place] == {recorded[place]}, (rules, seed, place)
    turned = {(n, e.box) for n, e in player.rig.recorder.events if isinstance(e, ev.BoxTurned)}
    assert {place for place in recorded if place in turned} <= compared, "what lay open was shown"
    return len(compared)


def named(number: int, answer: dict[str, Any]) -> dict[tuple[int, int], str]:
    boxes = {(number, box["box"]): box["hand"] for box in answer["boxes"] if "hand" in box}
    return boxes | ({(number, 0): answer["dealer"]["hand"]} if "hand" in answer["dealer"] else {})


@pytest.mark.parametrize("rules", GAMES)
def test_f95_every_display_names_the_class_that_is_settled(rules: str) -> None:
    """`make soak` plays 10,000 of these."""
    assert classes(rules, seed=95, hands=25) >= 25


def test_f95_a_straight_and_a_flush_of_different_cards() -> None:
    rig = Rig(setup=make_setup("russian", boxes=2)).open()
    rig.lay("As Kd 9c 6d 3h", draws={1: "7h"}, b1="Kh Qh Jh Ts 9h")
    rig.stake(b1=10).ok().deal()
    rig.do(cm.Buy6(box=1)), rig.card(), rig.do(cm.Bet(box=1))
    rig.to(Want.PAID)
    assert rig.snapshot().boxes[0].hand == "flush"
    assert lamps.display(rig.table, rig.setup, "en").lines[0] == "BOX 1 FLUSH"
    rig.finish()
    (box,) = rig.events(ev.HandSettled)[-1].answer["boxes"]
    assert (box["hand"], box["second"], box["stakes"]["bet"]["odds"]) == ("flush", "straight", "9:1")


@pytest.mark.parametrize("rules", ["oasis_ru", "russian_carry", "jpoker"])
def test_f97_every_house_rule_is_a_value_in_the_opening_s_record(rules: str) -> None:
    """Whatever the rule set leaves to its default is written out too."""
    house = {"pay": {"flush": 4}, "draw_timing": "after_all"}
    rig = Rig(setup=make_setup(rules, house=house)).open()
    (opened,) = rig.events(ev.TableOpened)
    every = set(msgspec.json.decode(load("caribbean").canonical()))
    assert set(opened.rules) == every
    assert (opened.rules["pay"]["flush"], opened.rules["draw_timing"]) == (4, "after_all")
    assert opened.rules_hash == rig.setup.rules.rules_hash() == rig.snapshot().rules_hash != load(rules).rules_hash()
    assert {"ante_min", "ante_max", "cap", "bonus_max"} <= set(opened.limits)


def test_f100_no_number_of_cards_is_too_few_or_too_many_to_answer() -> None:
    """Below five cards no class is shown; a card too many stops play until somebody with authority has looked."""
    rig = Rig(setup=make_setup("oasis_ru", boxes=2)).open().stake(b1=10).ok()
    while rig.phase is Phase.DEALING:
        assert [box.hand for box in rig.snapshot().boxes] == [None, None]
        assert rig.snapshot().dealer.hand is None
        rig.step()
    rig.card("As")
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.EXTRA_CARD)
    assert rig.snapshot().boxes[0].hand is None
