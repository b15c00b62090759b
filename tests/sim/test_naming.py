"""Cards thrown away one after another: what the player then holds, and which keys name what lies beside the box."""

from __future__ import annotations

from firmware_sim import naming
from firmware_sim.players import MOST_AGAIN, Player
from firmware_sim.world import BoxCards

HELD = BoxCards(dealt=["Qc", "Jd", "8h", "4s", "2c"], drawn=["Qd", "2d", "Qh"], thrown=(3, 4, 4))


def test_a_card_that_came_may_go_again() -> None:
    assert HELD.held() == ["Qc", "Jd", "8h", "Qd", "Qh"]
    assert HELD.gone() == ["4s", "2c", "2d"]


def test_several_at_once_and_a_sixth_card() -> None:
    cards = BoxCards(dealt=["Qc", "Jd", "8h", "4s", "2c"], drawn=["9d", "9s", "Ah"], thrown=(3, 4))
    assert cards.held() == ["Qc", "Jd", "8h", "9d", "9s", "Ah"]
    assert cards.gone() == ["4s", "2c"]


def test_digits_for_dealt_cards_and_behind_change_for_drawn_ones() -> None:
    assert naming.keys(HELD, ()) == ("K4",)
    assert naming.keys(HELD, {"4s", "2c"}) == ("CHANGE", "K2")
    assert naming.keys(HELD, {"4s", "2c", "2d"}) == ("OK",)
    many = BoxCards(dealt=["Qc"], drawn=[f"{n}d" for n in "23456789"], thrown=(0,) * 9)
    assert naming.keys(many, {"Qc", *many.drawn[:6]}) == ("CHANGE", "CHANGE", "K1")


def test_a_player_tries_each_number_once_and_has_enough_some_time() -> None:
    cards = ["Ac", "Jd", "8h", "4s", "2c"]
    player = Player("oasis_ru", {"exchange 1"})
    assert player.again(cards, None, 1) == (4,)
    assert player.again(cards, None, MOST_AGAIN) == ()
    assert Player("oasis_ru").again(["Ac", "Ad", "8h", "4s", "2c"], None, 1) == ()
