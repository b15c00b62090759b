"""Lines for the dealer's hands: TAKE, PAY, BACK, odds, amount, chips."""

from __future__ import annotations

from controller.table.payout import in_chips, pay_lines

CHIPS = (100, 500, 1000, 2500, 10000, 50000)


def test_a_winning_box_is_paid_stake_by_stake() -> None:
    stakes = {
        "ante": {"staked": 1000, "outcome": "win", "odds": "1:1", "profit": 1000},
        "bet": {"staked": 2000, "outcome": "win", "odds": "2:1", "profit": 4000},
        "fee": {"staked": 1000, "outcome": "fee", "profit": -1000},
        "bonus": {"staked": 200, "outcome": "lose", "profit": -200},
    }
    ante, bet, bonus = pay_lines(stakes, CHIPS)
    assert (ante.say, ante.odds, ante.amount, ante.chips) == ("PAY", "1:1", 1000, "1x1000")
    assert bet.text() == "BET PAY 2:1 4000"
    assert bet.chips == "1x2500 1x1000 1x500"
    assert (bonus.say, bonus.amount) == ("TAKE", 200)


def test_a_push_goes_back_and_a_tie_may_stay() -> None:
    stakes = {
        "ante": {"staked": 1000, "outcome": "push", "profit": 0},
        "bet": {"staked": 2000, "outcome": "carry", "profit": 0},
    }
    assert [(line.say, line.amount) for line in pay_lines(stakes, CHIPS)] == [("BACK", 1000), ("STAYS", 2000)]


def test_what_no_chip_makes_up_stands_last() -> None:
    assert in_chips(63_150, CHIPS) == "1x50000 1x10000 1x2500 1x500 1x100 +50"
    assert in_chips(0, CHIPS) == ""
    assert in_chips(7, CHIPS) == "+7"


def test_a_box_without_an_answer_has_no_lines() -> None:
    assert pay_lines(None, CHIPS) == ()
