"""The robot without a shoe: what it lays, which keys name a card."""

from __future__ import annotations

import pytest

from firmware_sim import by_hand
from firmware_sim.world import Place, World


class Hands:
    def __init__(self, world: World) -> None:
        self.world, self.pressed = world, list[str]()

    def press(self, name: str) -> None:
        self.pressed.append(name)

    def lay_card(self, place: Place, box: int = 0) -> None:
        self.world.lay(self.world.take(), place, box)


@pytest.mark.parametrize(
    ("card", "keys"),
    [
        ("As", ["BET", "K4", "OK"]),
        ("Kd", ["BET", "BET", "K2", "OK"]),
        ("2h", ["BET", "FOLD", "FOLD", "K3", "OK"]),
        ("JK", ["BET", "FOLD", "OK"]),
        ("3c", ["BET", "FOLD", "FOLD", "FOLD", "K1", "OK"]),
    ],
)
def test_the_shorter_way_round(card: str, keys: list[str]) -> None:
    assert by_hand.presses(card, set(), joker=True) == keys


def test_a_rank_that_lies_open_in_all_suits_is_stepped_over() -> None:
    assert by_hand.presses("Kd", {"Ac", "Ad", "Ah", "As"}) == ["BET", "K2", "OK"]


def snapshot(count: int, dealt: int = 0) -> dict[str, object]:
    boxes = [{"box": n, "in": n != 2, "status": "open", "cards": ["back"] * dealt} for n in (1, 2, 3)]
    return {"boxes": boxes, "dealer": {"cards": []}, "expects": {"kind": "deal", "count": count}}


def test_cards_lie_in_the_order_of_the_deal_and_once() -> None:
    world = World(1)
    world.shuffle(1)
    order = list(world._deck)
    hands = Hands(world)
    for _ in range(2):  # the press was lost: the step comes again, the cards do not
        by_hand.deal(hands, world, snapshot(14))
    assert world.box(1).dealt == order[0:14:3][:5]
    assert world.box(3).dealt == order[1:14:3][:5]
    assert world.dealer == order[2:14:3]
    assert world.box(2).dealt == []
