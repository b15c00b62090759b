"""What the settlement refuses: unread cards that matter, play that the game does not offer."""

from __future__ import annotations

from typing import Any

import pytest

from .test_settlement import A_K, NO_GAME, PAIR_9, ends, refused, settled


class TestUnread:
    """`??` counts only where a stake depends on it; discards without names only where nobody turns the box."""

    def test_no_game_needs_no_cards(self) -> None:
        assert ends(settled("oasis_ru", NO_GAME, "?? ?? 7h 5s 2c"))["ante"] == ("win", 10)

    @pytest.mark.parametrize("extra", [{}, {"bonus": 5}])
    def test_a_game_does(self, extra: dict[str, Any]) -> None:
        assert refused("oasis_ru", A_K, "?? 9d 7h 5s 2c", **extra) == "TC-0413"
        assert refused("oasis_ru", "?? Kd 8c 6d 3h", "9c 9d 7h 5s 2c") == "TC-0413"

    def test_a_bonus_does_unless_it_is_lost_anyway(self) -> None:
        assert refused("oasis_ru", NO_GAME, "?? 9d 7h 5s 2c", bonus=5) == "TC-0413"
        assert ends(settled("oasis_ru", "?? ?? ?? ?? 3h", "?? 9d 7h 5s 2c", bonus=5, decision="fold"))["bonus"] == (
            "lose",
            -5,
        )

    def test_count_and_drawn(self) -> None:
        draw = {"action": "exchange", "count": 2, "drawn": "5d 2d"}
        box = settled("oasis_woo", NO_GAME, PAIR_9, **draw)
        assert (box["count"], box["drawn"]) == (2, "5d 2d")
        assert "final" not in box and "hand" not in box
        assert ends(settled("oasis_woo", A_K, PAIR_9, **draw, decision="fold"))["fee"] == ("fee", -20)
        assert refused("oasis_woo", A_K, PAIR_9, **draw) == "TC-0413"
        assert refused("russian", NO_GAME, PAIR_9, **draw, insurance=10) == "TC-0413"


class TestRefused:
    @pytest.mark.parametrize(
        ("rules", "box"),
        [
            ("caribbean", {"action": "exchange", "final": "9c 9d 7h 5s 2d"}),
            ("caribbean", {"bonus": 5}),
            ("jpoker", {"bonus": 5}),
            ("oasis_ru", {"action": "buy6", "final": "9c 9d 7h 5s 2c 2d"}),
            ("oasis_ru", {"buy_dealer": True}),
            ("oasis_ru", {"insurance": 10}),
            ("oasis_ru", {"blind": True, "decision": "fold"}),
            ("russian", {"blind": True, "action": "buy6", "final": "9c 9d 7h 5s 2c 2d"}),
            ("russian", {"blind": True, "buy_dealer": True}),
            ("russian", {"blind": True, "insurance": 10}),
            ("russian", {"buy_dealer": True, "decision": "fold"}),
            ("oasis_ru", {"jackpot": 1}),
        ],
    )
    def test_illegal_play(self, rules: str, box: dict[str, Any]) -> None:
        top = {"joker": "Kc"} if rules == "jpoker" else None
        assert refused(rules, A_K, PAIR_9, top=top, **box) == "TC-0412"

    def test_one_card_after_another(self) -> None:
        """Q31: 1 + 2 + 3 antes; a card may come and go."""
        repeat = {"set": {"repeat_exchange": True}}
        draws = {"action": "exchange", "final": "9c 9d 7h 6s 2d", "drawn": "Kc 6s 2d"}
        box = settled("oasis_ru", A_K.replace("6d", "4d"), PAIR_9, **draws, top=repeat)
        assert (ends(box)["fee"], box["drawn"]) == (("fee", -60), "Kc 6s 2d")
        assert refused("oasis_ru", A_K, PAIR_9, **draws) == "TC-0412"
        assert refused("oasis_ru", A_K, PAIR_9, **{**draws, "drawn": "Kc 6s 2h"}, top=repeat) == "TC-0412"

    def test_a_fee_that_is_not_whole(self) -> None:
        fee = {"set": {"exchange_fee": {"2": 1.5}}}
        final = "9c 9d 7h 6s 2d"
        assert ends(settled("oasis_ru", A_K, PAIR_9, action="exchange", final=final, top=fee))["fee"] == ("fee", -15)
        assert refused("oasis_ru", A_K, PAIR_9, ante=5, action="exchange", final=final, top=fee) == "TC-0414"

    @pytest.mark.parametrize(
        "wrong",
        [{"top": {"sets": {}}}, {"bet": 20}, {"ante": 0}, {"ante": True}, {"ante": 10.0}, {"decision": "call"},
         {"action": "swap"}, {"blind": 1}, {"final": "9c 9d 7h 5s 2d"}, {"top": {"joker": "Kc"}}],
    )  # fmt: skip
    def test_the_shape(self, wrong: dict[str, Any]) -> None:
        assert refused("oasis_ru", A_K, PAIR_9, **wrong) in ("TC-0410", "TC-0412")

    @pytest.mark.parametrize(
        "after",
        ["8d Qd 8c 6d 3s", "As 8d 8c 6d 3h", "Ah Qd 8c 6d 3h", "8d Qd 8c 6d 3h 2c", "8c Qd 8c 6d 3h"],
        ids=["two cards", "not the highest", "the same rank", "six", "twice"],
    )
    def test_the_dealers_card(self, after: str) -> None:
        assert refused("russian", NO_GAME, PAIR_9, after=after, buy_dealer=True) in ("TC-0412", "TC-0411")

    def test_a_dealers_card_that_nobody_bought(self) -> None:
        assert refused("russian", NO_GAME, PAIR_9, after="8d Qd 8c 6d 3h") == "TC-0412"
        assert refused("russian", NO_GAME, PAIR_9, buy_dealer=True) == "TC-0412"
        assert ends(settled("russian", A_K, PAIR_9, buy_dealer=True))["bet"] == ("win", 20)  # a wish that cannot act

    def test_a_sixth_card_for_the_dealer(self) -> None:
        box = settled("russian_carry", NO_GAME, PAIR_9, after=f"{NO_GAME} 8d", buy_dealer=True)
        assert ends(box) == {"ante": ("lose", -10), "bet": ("win", 20), "dealer_fee": ("fee", -10)}

    def test_a_deuce_of_clubs_is_a_card(self) -> None:
        """Card number 0 is as good as any: it may replace the dealer's highest."""
        assert ends(settled("russian", "As Qd 8c 6d 2h", "9c 9d 7h 5s 3c", after="2c Qd 8c 6d 2h", buy_dealer=True))[
            "bet"
        ] == (
            "win",
            20,
        )
