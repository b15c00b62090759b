"""Every shipped rule set dealt at the table, every choice that it offers taken, every hand audited.

Templates are filled in as a house would; what the house would have to decide is stated here.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from harness import D1, S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.cards import card_text, deck
from controller.domain.hand.dealing import seen_cards
from controller.domain.hand.decisions import options
from controller.domain.hand.expects import Want
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.rulesets import shipped
from controller.table.audit import check_hand

HANDS = 25
FILLED: dict[str, dict[str, Any]] = {
    "oasis_nicaragua": {"pay_after_exchange": {"royal_flush": 50, "straight_flush": 25, "quads": 10, "full_house": 5}},
    "jpoker_online": {"insurance_max_fraction": "1/2"},
}
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "one after another": ("oasis_ru", {"repeat_exchange": True}),
    "one after another and then a sixth": ("russian", {"repeat_exchange": True, "max_actions": 2}),
    "one after another, joker": ("jpoker", {"repeat_exchange": True}),
    "bonus at the deal": (
        "oasis_ru",
        {
            "bonus_pay_time": "at_deal",
            "bonus_on_draw": "initial",
            "bonus_on_fold": "initial",
            "bonus_table": {"pair": 2},
        },
    ),
    "bonus with the bet, draws forfeit it": ("russian", {"bonus_pay_time": "with_bet", "bonus_table": {"pair": 2}}),
    "bonus with the bet, joker": ("jpoker", {"bonus_pay_time": "with_bet", "bonus_table": {"pair": 2}}),
    "one maximum a player": ("oasis_helsinki", {"cap_per": "player"}),
    "one maximum a player, insured": ("russian", {"cap_per": "player", "cap_includes_insurance": True}),
    "one maximum a player, gross, carried": ("russian_carry", {"cap_per": "player", "cap_basis": "gross"}),
}
CHOICES = {"bet", "fold", "exchange", "buy6", "insure", "take_ante", "buy_dealer"}


def offered(rig: Rig) -> set[str]:
    """What the rule set lets a player do."""
    rules = rig.setup.rules
    words = {"bet": True, "fold": True, "exchange": bool(rules.exchange_fee), "insure": rules.insurance,
             "buy6": rules.sixth_card_fee is not None}  # fmt: skip
    bought = rules.dealer_exchange_fee is not None
    return {word for word, there in words.items() if there} | ({"take_ante", "buy_dealer"} if bought else set())


class Player:
    """Does anything that is allowed, from a seed."""

    def __init__(self, rig: Rig, seed: int) -> None:
        self.rig = rig
        self.random = random.Random(seed)
        self.taken: set[str] = set()

    def hand(self) -> None:
        number = self.rig.hand.number
        self.bets()
        self.rig.ok() if not self.rig.setup.joker else self.rig.lock()
        while self.rig.table.hand is not None and self.rig.hand.number == number:
            self.step()

    def bets(self) -> None:
        rig = self.rig
        for box in rig.hand.boxes:
            if box.carried:
                continue
            ante = self.random.choice([0, 20, 20, 40])
            if box.box == 1 and not any(b.ante for b in rig.hand.boxes):
                ante = 20
            rig.do(cm.SetStake(box=box.box, ante=ante))
            if ante and rig.setup.rules.bonus_table and self.random.random() < 0.5:
                rig.do(cm.SetStake(box=box.box, bonus=2))
        if not any(b.ante for b in rig.hand.boxes):
            rig.do(cm.SetStake(box=1, ante=20))
        if rig.hand.box(1).ante and rig.hand.box(2).ante and self.random.random() < 0.5:
            rig.do(cm.Owner(box=2, owner=1))

    def step(self) -> None:
        want = self.rig.want
        match want.kind:
            case Want.CARD:
                self.card()
            case Want.DECISION:
                self.decide(want.box)
            case Want.DISCARDS:
                self.rig.do(cm.NameDiscards(box=want.box, cards=self.random.choice(self.rig.discardable(want.box))))
            case Want.CHOICE:
                buys = self.random.random() < 0.5
                self.taken.add("buy_dealer" if buys else "take_ante")
                self.rig.do(cm.BuyDealer(box=want.box) if buys else cm.TakeAnte(box=want.box))
            case _:
                self.rig.step()

    def card(self) -> None:
        size = self.rig.setup.rules.deck_size
        free = [t for c in deck(size) if (t := card_text(c)) not in seen_cards(self.rig.hand)]
        self.rig.card(self.random.choice(free))

    def decide(self, number: int) -> None:
        box = self.rig.hand.box(number)
        words = [w for w in options(self.rig.hand, box, self.rig.setup) if w != "fix_draw"]
        word = self.random.choice([*words, "bet"])
        if word == "insure" and box.insurance:
            word = "bet"
        self.taken.add(word)
        commands: dict[str, cm.Command] = {
            "bet": cm.Bet(box=number), "fold": cm.Fold(box=number), "exchange": cm.Exchange(box=number),
            "buy6": cm.Buy6(box=number), "insure": cm.Insure(box=number),
        }  # fmt: skip
        self.rig.do(commands[word])


@pytest.mark.parametrize("name", [*shipped(), *OPTIONS])
def test_every_choice_of_every_game(name: str, tmp_path: Path) -> None:
    rules, house = OPTIONS.get(name, (name, FILLED.get(name)))
    setup = make_setup(rules, boxes=2, house=house, ante_min=10, cap=90 if "maximum" in name else 100_000)
    setup.rules.require_complete()
    rig = Rig(folder=tmp_path, setup=setup).open()
    player = Player(rig, seed=sum(map(ord, name)))
    for _ in range(HANDS):
        player.hand()
    assert player.taken == offered(rig)
    ended = [e for e in rig.events(ev.HandEnded) if e.outcome == "settled"]
    assert len(ended) == HANDS
    assert rig.journal is not None
    for event in ended:
        hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, event.hand, "test")
        assert (findings, check_hand(hand), check_draw(hand)) == ([], [], [])
    rig.do(cm.CloseTable(), D1, S1, S2)
