"""Settlement beyond the worked examples: the ten traps, carry, insurance, cap, shares, jackpot, unread cards."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from controller.domain.money import pro_rata
from controller.errors import TableError
from controller.settle import run

A_K = "As Kd 8c 6d 3h"
NO_GAME = "As Qd 8c 6d 3h"
PAIR_9 = "9c 9d 7h 5s 2c"


def hand(rules: str, dealer: str, cards: str, /, *, ante: int = 10, top: dict[str, Any] | None = None,
         after: str | None = None, **box: Any) -> dict[str, Any]:  # fmt: skip
    """One box that raises, unless the keywords say otherwise."""
    told: dict[str, Any] = {"cards": dealer} | ({"after_exchange": after} if after else {})
    boxes = [{"box": 1, "ante": ante, "cards": cards, "decision": "raise", **box}]
    return {"rules": rules, "dealer": told, "boxes": boxes, **(top or {})}


def settled(*args: Any, **kwargs: Any) -> dict[str, Any]:
    answer: dict[str, Any] = run(hand(*args, **kwargs))["boxes"][0]
    return answer


def ends(box: dict[str, Any]) -> dict[str, tuple[str, int]]:
    return {name: (stake["outcome"], stake["profit"]) for name, stake in box["stakes"].items()}


def refused(*args: Any, **kwargs: Any) -> str:
    with pytest.raises(TableError) as error:
        run(hand(*args, **kwargs))
    return error.value.code


class TestTraps:
    """Ten readings that are easily wrong."""

    def test_1_no_game_pays_the_ante_to_a_worse_hand_and_never_the_bet(self) -> None:
        assert ends(settled("caribbean", "As Qs Jd Tc 9c", "7c 5d 4h 3s 2c")) == {
            "ante": ("win", 10),
            "bet": ("push", 0),
        }
        royal = settled("caribbean", "As Qs Jd Tc 9c", "Ah Kh Qh Jh Th")
        assert ends(royal) == {"ante": ("win", 10), "bet": ("push", 0)}

    def test_2_nothing_never_wins_a_bet(self) -> None:
        assert ends(settled("caribbean", "Ac Kd 4c 3d 2h", "As Qs Jd Tc 9c"))["bet"] == ("lose", -20)

    def test_3_russian_ante_is_paid_only_without_a_game(self) -> None:
        assert ends(settled("russian", A_K, PAIR_9))["ante"] == ("push", 0)
        assert ends(settled("russian", NO_GAME, PAIR_9))["ante"] == ("win", 10)

    @pytest.mark.parametrize("cards", ["Ac Ad Ah Kc Kh", "Ac Kh Qd Jc Ts"])
    def test_4_an_ace_king_inside_the_first_is_no_second(self, cards: str) -> None:
        assert "second" not in settled("russian", "9s 9h 8c 6d 3h", cards)

    @pytest.mark.parametrize(
        ("cards", "sixth", "odds"),
        [("Kh Qs Jd Tc 9h", "9s", "8:1"), ("Kh Qh Jh Th 9h", "9s", "54:1"), ("Ah Kh Qh Jh Th", "Ts", "104:1")],
    )
    def test_5_a_paired_straight_card_is_two_straights(self, cards: str, sixth: str, odds: str) -> None:
        box = settled("russian", "As Kd 8c 6d 3h", cards, action="buy6", final=f"{cards} {sixth}")
        assert box["stakes"]["bet"]["odds"] == odds

    def test_6_pair_and_joker_is_two_pair(self) -> None:
        box = settled("jpoker", "2c 2d 2h 7s 8d", "Ac Ad Kh 5s 3c", top={"joker": "3c"})
        assert (box["hand"], ends(box)["bet"]) == ("two_pair", ("lose", -20))
        assert settled("jpoker", "2c 2d 2h 7s 8d", "Ac Ad Kh Ks 3c", top={"joker": "3c"})["hand"] == "full_house"

    def test_7_no_flush_with_two_aces(self) -> None:
        """A-Q-9-5 + joker is A-K-Q-9-5, not A-A-Q-9-5: it ties with the natural one."""
        box = settled("jpoker", "Ad Kd Qd 9d 5d", "Ah Qh 9h 5h 3c", top={"joker": "3c"})
        assert ends(box)["bet"] == ("push", 0)

    def test_8_the_53rd_card(self) -> None:
        assert ends(settled("joker53", "5h 4s 3d 2c As", "Tc 9d 7h 6s JK"))["bet"] == ("lose", -20)
        assert settled("joker53", A_K, "Kh Qh Jh Th JK")["hand"] == "flush"
        assert ends(settled("joker53", "Kh Ks 9c 5d 2h", "Kc Kd 9h 5s JK"))["bet"] == ("lose", -20)

    def test_9_the_first_reveal_settles_takers_and_insurance(self) -> None:
        """The bought hand beats both; the box that took the ante has it, the insurance is won."""
        boxes = [
            {"box": 1, "ante": 10, "cards": PAIR_9, "decision": "raise"},
            {"box": 2, "ante": 10, "cards": "8c 8d 8h Qs 4c", "decision": "raise", "insurance": 30, "buy_dealer": True},
        ]
        dealer = {"cards": "As Qd Jc 6d 3h", "after_exchange": "Qc Qd Jc 6d 3h"}
        taker, buyer = run({"rules": "russian", "dealer": dealer, "boxes": boxes})["boxes"]
        assert ends(taker) == {"ante": ("win", 10), "bet": ("push", 0)}
        assert ends(buyer)["insurance"] == ("win", 30)
        assert ends(buyer)["bet"] == ("win", 60)

    def test_10_five_boxes_exhaust_the_deck(self) -> None:
        cards = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
        boxes = [
            {"box": n, "ante": 10, "decision": "raise", "action": "exchange", "discards": [0, 1, 2, 3, 4]}
            for n in range(1, 6)
        ]
        with pytest.raises(TableError) as error:
            run({"rules": "russian", "deck": " ".join(cards), "boxes": boxes})
        assert error.value.where == "deck"


class TestCarry:
    CARRY: ClassVar = {"set": {"tie": "carry"}}

    def test_t1_the_next_round_wins(self) -> None:
        assert ends(settled("russian", A_K, PAIR_9, top=self.CARRY, carried=True)) == {
            "ante": ("push", 0),
            "bet": ("win", 20),
        }

    def test_t2_a_fold_forfeits_both(self) -> None:
        box = settled("russian", A_K, PAIR_9, top=self.CARRY, carried=True, decision="fold")
        assert (ends(box), box["net"]) == ({"ante": ("lose", -10), "bet": ("lose", -20)}, -30)

    def test_t4_exchange_and_loss(self) -> None:
        final = "9c 9d 7h 6s 2d"
        box = settled("russian", "Ts Td 8c 6d 3h", PAIR_9, top=self.CARRY, carried=True, action="exchange", final=final)
        assert box["net"] == -40

    def test_carried_where_ties_are_returned(self) -> None:
        assert refused("russian", A_K, PAIR_9, carried=True) == "TC-0412"

    def test_carried_insurance_of_a_folded_box_goes_back(self) -> None:
        box = settled("russian_carry", A_K, PAIR_9, decision="fold", insurance=30, insurance_carried=True)
        assert ends(box)["insurance"] == ("push", 0)


class TestInsurance:
    """Judged on the final hand, against the cap, at the first reveal."""

    @pytest.mark.parametrize(
        ("laid", "staked", "excess"), [(10, 10, None), (30, 30, None), (31, 30, 1), (500, 30, 470)]
    )
    def test_i1_trips(self, laid: int, staked: int, excess: int | None) -> None:
        stake = settled("russian", NO_GAME, "9c 9d 9h 5s 2c", insurance=laid)["stakes"]["insurance"]
        assert (stake["staked"], stake.get("excess")) == (staked, excess)

    def test_i2_flush_and_pair(self) -> None:
        final = "Kh Qh Jh 8h 7h 7s"
        box = settled("russian", "As 9d 8c 6d 3h", final[:14], action="buy6", final=final, insurance=100)
        assert box["stakes"]["insurance"] == {
            "staked": 60, "outcome": "win", "odds": "1:1", "profit": 60, "excess": 40,
        }  # fmt: skip

    def test_i4_two_pair_is_not_eligible(self) -> None:
        assert ends(settled("russian", NO_GAME, "9c 9d 7h 7s 2c", insurance=30))["insurance"] == ("push", 0)

    def test_the_cap_limits_it(self) -> None:
        stake = settled("russian", NO_GAME, "9c 9d 9h 5s 2c", insurance=30, top={"set": {"cap": 50}})["stakes"][
            "insurance"
        ]
        assert stake["staked"] == 25

    def test_at_least_one_ante_whatever_the_cap(self) -> None:
        stake = settled("russian", NO_GAME, "9c 9d 9h 5s 2c", insurance=30, top={"set": {"cap": 10}})["stakes"][
            "insurance"
        ]
        assert stake["staked"] == 10

    @pytest.mark.parametrize("wrong", [{"insurance": 9}, {"insurance": 10, "decision": "fold"}])
    def test_refused(self, wrong: dict[str, Any]) -> None:
        assert refused("russian", NO_GAME, "9c 9d 9h 5s 2c", **wrong) == "TC-0412"

    def test_not_where_the_joker_is_the_open_card(self) -> None:
        top = {"joker": "DOC", "set": {"insurance_max_fraction": "1/2"}}
        assert refused("jpoker_online", A_K, "9c 9d 9h 5s 2c", insurance=10, top=top) == "TC-0412"

    def test_laid_before_the_joker_was_known_it_goes_back(self) -> None:
        """Q82: the dealer holds the joker and always plays; a blind box could not know it."""
        rules = {"insurance_max_fraction": "1/2", "blind_extras": ["insurance"], "insurance_on_beaten": "carry"}
        top = {"joker": "DOC", "set": rules}
        for how in ({"blind": True}, {"insurance_carried": True}):
            for cards in ("9h 8h 7h 6h 5h", "9c 9d 9h 5s 2c"):
                stakes = settled("jpoker_online", A_K, cards, insurance=10, top=top, **how)["stakes"]
                assert stakes["insurance"] == {"staked": 10, "outcome": "push", "profit": 0}

    def test_a_template_says_what_is_missing(self) -> None:
        royal = "Ah Kh Qh Jh Th"
        assert refused("jpoker_online", "2c 5d 8c 6d 3h", royal, insurance=10, top={"joker": "2d"}) == "TC-0405"
        assert refused("oasis_nicaragua", A_K, PAIR_9, action="exchange", final="9c 9d 7h 5s 9h") == "TC-0405"


class TestCap:
    FULL = "6c 6d 6h Ks Kh"

    def test_a_lost_ante_does_not_widen_it(self) -> None:
        box = settled("russian_carry", "As Kd 8c 7d 3h", self.FULL, top={"set": {"cap": 100}})
        assert ends(box) == {"ante": ("lose", -10), "bet": ("win", 100)}

    @pytest.mark.parametrize(
        ("changes", "ante", "bet"),
        [
            ({"cap": 100}, 10, 90),
            ({"cap": 100, "cap_scope": "bet"}, 10, 100),
            ({"cap": 100, "cap_basis": "gross"}, 10, 60),
            ({"cap": 5}, 5, 0),
        ],
    )
    def test_ante_first_the_bet_is_cut(self, changes: dict[str, Any], ante: int, bet: int) -> None:
        box = settled("caribbean", "As Kd 8c 7d 3h", self.FULL, top={"set": changes})
        assert ends(box) == {"ante": ("win", ante), "bet": ("win", bet)}
        assert box["cut_by_cap"] == 150 - ante - bet

    def test_per_player_in_proportion_and_in_any_order(self) -> None:
        boxes = [
            {"box": 1, "ante": 10, "cards": self.FULL, "decision": "raise", "owner": 7},
            {"box": 2, "ante": 10, "cards": "5c 5d 2h 2s 9h", "decision": "raise", "owner": 7},
            {"box": 3, "ante": 10, "cards": "Tc Td Th 9c 9d", "decision": "raise", "owner": 8},
        ]
        request = {
            "rules": "caribbean",
            "set": {"cap": 110, "cap_per": "player"},
            "dealer": {"cards": "As Kd 8c 7d 3h"},
        }
        forward = run({**request, "boxes": boxes})["boxes"]
        backward = run({**request, "boxes": boxes[::-1]})["boxes"]
        assert forward == backward[::-1]
        assert [ends(box)["bet"][1] for box in forward] == [70, 20, 100]


class TestShares:
    def test_s1_and_s3(self) -> None:
        assert pro_rata(800, [30, 20, 10]) == [400, 267, 133]
        assert pro_rata(50, [10, 10, 10]) == [17, 17, 16]

    def test_s1_settled(self) -> None:
        box = settled("oasis_ru", "As Kd 8c 7d 3h", "6c 6d 6h Ks Kh", ante=60, backers=[30, 20, 10],
                      top={"set": {"cap": 800}})  # fmt: skip
        assert (box["net"], box["cut_by_cap"], box["shares"]) == (800, 100, [400, 267, 133])

    def test_bonus_and_jackpot_belong_to_who_staked_them(self) -> None:
        box = settled("oasis_ru", "As Kd 8c 7d 3h", "6c 6d 6h Ks Kh", bonus=5, jackpot=1, backers=[5, 5],
                      top={"jackpot": {"meter": 25000}})  # fmt: skip
        assert box["shares"] == [75, 75]

    def test_backers_must_make_up_the_ante(self) -> None:
        assert refused("oasis_ru", A_K, PAIR_9, backers=[5, 4]) == "TC-0412"


ROYAL_H, ROYAL_S = "Ah Kh Qh Jh Th", "As Ks Qs Js Ts"
SF_D, SF_C = "Kd Qd Jd Td 9d", "9c 8c 7c 6c 5c"


class TestJackpot:
    @pytest.mark.parametrize(
        ("hands", "prizes", "after"),
        [
            (["Ah 9h 5h 3h 2h", "9c 7d 5c 3s 2c"], {"1": 50, "2": 0}, "25001.40"),
            ([SF_D], {"1": 2500}, "22500.70"),
            ([ROYAL_H, ROYAL_S], {"1": 12500, "2": 12500}, "10001.40"),
            ([SF_D, ROYAL_H], {"1": 2500, "2": 22501}, "10000.40"),
            ([SF_D, SF_C], {"1": 2500, "2": 2250}, "20251.40"),
            ([ROYAL_H, SF_D, ROYAL_S], {"1": 12501, "2": 1000, "3": 12501}, "9000.10"),
        ],
        ids=["P1", "P2", "P4", "P5", "P7", "a straight flush between two royals"],
    )
    def test_prizes(self, hands: list[str], prizes: dict[str, int], after: str) -> None:
        assert self.jackpot(hands) == {"prizes": prizes, "meter": after}

    def test_first_takes(self) -> None:
        told = self.jackpot([ROYAL_H, ROYAL_S], royal_policy="first_takes")
        assert told == {"prizes": {"1": 25001, "2": 10000}, "meter": "10000.40"}

    def test_limit_hidden_rate_and_reserve(self) -> None:
        told = self.jackpot([PAIR_9], limit=25000, hidden_rate="0.1", reserve=5)
        assert told == {"prizes": {"1": 0}, "meter": "25000.00", "reserve": "5.80"}
        told = self.jackpot([ROYAL_H], hidden_rate="0.1", reserve=5)
        assert told == {"prizes": {"1": 25000}, "meter": "10005.80", "reserve": "0.00"}

    def test_fixed_prizes_from_the_meter(self) -> None:
        assert self.jackpot(["Ah 9h 5h 3h 2h"], fixed_from_meter=True)["meter"] == "24950.70"

    def test_a_meter_of_less_than_a_chip_stands(self) -> None:
        """Nothing was won by that royal, so that nothing begins anew."""
        box = {"box": 1, "ante": 10, "cards": ROYAL_H, "decision": "raise", "jackpot": 1}
        request = {"rules": "oasis_ru", "dealer": {"cards": NO_GAME}, "boxes": [box], "jackpot": {"meter": "0"}}
        assert run(request)["jackpot"] == {"prizes": {"1": 0}, "meter": "0.70"}

    def test_a_fold_wins_and_losses_may_feed(self) -> None:
        box = {"box": 1, "ante": 10, "cards": ROYAL_H, "decision": "fold", "jackpot": 1}
        request = {"rules": "oasis_ru", "dealer": {"cards": NO_GAME}, "boxes": [box], "jackpot": {"meter": "25000"}}
        assert run(request)["jackpot"]["prizes"] == {"1": 25000}
        changed = {**request, "set": {"contribution_basis": "losses", "jackpot_on_fold": "lost"}}
        assert run(changed)["jackpot"] == {"prizes": {"1": 0}, "meter": "25007.00"}

    def test_through_the_bonus(self) -> None:
        """The older practice: a royal of the bonus takes a part of the meter by its stake."""
        changes = {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.5"}, "contribution_basis": "losses"}
        request = hand(
            "oasis_ru", "9c 9d 5s 4h 2c", ROYAL_H, bonus=5, top={"set": changes, "jackpot": {"meter": 60000}}
        )
        answer = run(request)
        assert answer["boxes"][0]["stakes"]["bonus"] == {"staked": 5, "outcome": "win", "profit": 30000}
        assert answer["jackpot"] == {"prizes": {"1": 30000}, "meter": "30000.00"}
        assert refused("oasis_ru", A_K, PAIR_9, jackpot=1, top=request_top(changes)) == "TC-0412"

    def jackpot(self, hands: list[str], **changes: Any) -> dict[str, Any]:
        boxes = [
            {"box": n, "ante": 10, "cards": cards, "decision": "raise", "jackpot": 1}
            for n, cards in enumerate(hands, 1)
        ]
        block = {"meter": "25000.00", "set": {"rate": "0.70", "seed": "10000", **changes}}
        told: dict[str, Any] = run(
            {"rules": "oasis_ru", "dealer": {"cards": "2d 4d 6h 8h Qc"}, "boxes": boxes, "jackpot": block}
        )["jackpot"]
        return told


def request_top(changes: dict[str, Any]) -> dict[str, Any]:
    return {"set": changes, "jackpot": {"meter": 60000}}
