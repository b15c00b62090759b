"""The referee's reading of one box: which row of the settlement table it stands in, and what that row says."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from controller.domain.cards import Card
from controller.domain.ruleset import Category, RuleSet
from controller.errors import TableError
from controller.referee import doubles
from controller.referee.hands import Hands, Strength
from controller.referee.meter import Winner

Cards = tuple[Card, ...] | None
Stakes = dict[str, dict[str, Any]]


class Mine(NamedTuple):
    """A box's final hand and what its bet would be paid. Without strength where people declared it."""

    strength: Strength | None
    category: Category
    second: Category | None
    odds: int


class Situation(NamedTuple):
    """What all boxes of a hand have in common."""

    rules: RuleSet
    hands: Hands
    wild: Card | None
    dealer: tuple[Strength | None, bool] | None
    after: tuple[Strength | None, bool] | None
    doc: bool = False
    """The dealer's open card is the joker: he plays for certain."""

    def winners(self, box: Mapping[str, Any], told: Mapping[str, Any], dealt: Cards, final: Cards) -> list[Winner]:
        """The box's entry in the jackpot, if it has one."""
        jackpot = self.rules.jackpot
        if jackpot.jackpot_mode == "bonus_royal":
            bonus = told["stakes"].get("bonus")
            if bonus is None or bonus["outcome"] != "win" or self._bonus_category(dealt) != Category.ROYAL_FLUSH:
                return []
            return [(box["box"], Category.ROYAL_FLUSH, jackpot.jackpot_share[box["bonus"]])]
        if not box["jackpot"]:
            return []
        return [(box["box"], self._entitled(box, dealt if jackpot.jackpot_hand == "initial" else final), Fraction(1))]

    def _entitled(self, box: Mapping[str, Any], cards: Cards) -> Category | None:
        jackpot = self.rules.jackpot
        if box["decision"] == "fold" and jackpot.jackpot_on_fold == "lost":
            return None
        known = needed(cards, box)
        strength = self.hands.best(known, self.wild) if jackpot.jackpot_joker else self.hands.plain(known)
        category = self.hands.category(strength)
        if category == Category.FIVE_OF_A_KIND and category not in jackpot.fixed:
            category = Category.QUADS
        prized = {Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, *jackpot.fixed}
        return category if category in prized else None

    def _bonus_category(self, dealt: Cards) -> Category:
        return self.hands.category(self.bonus_strength(dealt or ()))

    def bonus_strength(self, dealt: tuple[Card, ...]) -> Strength:
        return self.hands.best(dealt, self.wild) if self.rules.bonus_joker else self.hands.plain(dealt)


def needed(cards: Cards, box: Mapping[str, Any]) -> tuple[Card, ...]:
    """The cards, where a stake depends on them."""
    if cards is None:
        raise TableError(413, "a stake depends on a card that was never read", f"box {box['box']}", "enter the card")
    return cards


def judge_box(situation: Situation, box: Mapping[str, Any], dealt: Cards, final: Cards) -> dict[str, Any]:
    """`hand`, `second` and `stakes` of one box, before the cap and the jackpot."""
    said = box["declared"]
    mine = _said(situation.rules, box, said) if said else None if final is None else _mine(situation, box, final)
    row, dealer_bought = _row(situation, box, mine)
    stakes = _ante_and_bet(situation.rules, box, mine, row)
    _fees(situation.rules, box, stakes, dealer_bought)
    if box["insurance"]:
        stakes["insurance"] = _insurance(situation, box, mine)
    if box["bonus"]:
        stakes["bonus"] = _bonus(situation, box, dealt)
    told: dict[str, Any] = {}
    if mine is not None:
        told["hand"] = str(mine.category)
        told |= {"second": str(mine.second)} if mine.second else {}
    return told | {"stakes": stakes}


def _mine(situation: Situation, box: Mapping[str, Any], final: tuple[Card, ...]) -> Mine:
    rules, hands = situation.rules, situation.hands
    pay = dict(rules.pay)
    if "exchange" in box["action"]:
        pay.update(rules.pay_after_exchange)
    strength = hands.best(final, situation.wild)
    category = hands.category(strength)
    second = doubles.second(hands, final, pay) if rules.double_combination else None
    return Mine(strength, category, second, pay.get(category, 0) + (pay[second] if second else 0))


def _said(rules: RuleSet, box: Mapping[str, Any], said: Mapping[str, Any]) -> Mine:
    """What people declared: nothing is compared, only paid."""
    pay = {**rules.pay, **(rules.pay_after_exchange if "exchange" in box["action"] else {})}
    first, second = Category(said["hand"]), said.get("second")
    extra = Category(second) if second else None
    return Mine(None, first, extra, pay.get(first, 0) + (pay[extra] if extra else 0))


def _beside(box: Mapping[str, Any], mine: Mine, strength: Strength | None) -> str:
    """`win`, `tie` or `beaten`: by the cards, or by the word of those who saw them."""
    if box["declared"]:
        return {"win": "win", "tie": "tie", "lose": "beaten"}[box["declared"]["against"]]
    assert mine.strength is not None
    assert strength is not None
    if mine.strength == strength:
        return "tie"
    return "win" if mine.strength > strength else "beaten"


def _row(situation: Situation, box: Mapping[str, Any], mine: Mine | None) -> tuple[str, bool]:
    """The row of the settlement table, and whether the box paid for the dealer's card."""
    if box["decision"] == "fold":
        return "fold", False
    dealer = situation.dealer
    if dealer is None:
        raise TableError(413, "a stake depends on a card that was never read", "dealer", "enter the card")
    bought = bool(box["buy_dealer"]) and not dealer[1]
    if bought and situation.after is not None:
        dealer = situation.after
    strength, plays = dealer
    if not plays:
        return ("bought in vain" if bought else "no game"), bought
    if mine is None:
        raise TableError(413, "a stake depends on a card that was never read", f"box {box['box']}", "enter the card")
    return _beside(box, mine, strength), bought


def _ante_and_bet(rules: RuleSet, box: Mapping[str, Any], mine: Mine | None, row: str) -> Stakes:
    ante, bet = box["ante"], 2 * box["ante"]
    ante_end = {
        "fold": "lose",
        "no game": rules.ante_on_no_qualify,
        "bought in vain": rules.dealer_exchange_fail_ante,
        "win": rules.ante_on_win,
        "tie": rules.tie,
        "beaten": "lose",
    }[row]
    stakes = {"ante": _stake(ante, _ENDS.get(ante_end, ante_end), 1)}
    if row == "fold":
        return stakes | ({"bet": _stake(bet, "lose")} if box["carried"] else {})
    bet_end = {"no game": "push", "bought in vain": "push", "win": "win", "tie": rules.tie, "beaten": "lose"}[row]
    return stakes | {"bet": _stake(bet, bet_end, mine.odds if mine else 0)}


_ENDS = {"paid": "win", "lost": "lose"}


def _stake(staked: int, outcome: str, odds: int = 0) -> dict[str, Any]:
    match outcome:
        case "win":
            return {"staked": staked, "outcome": outcome, "odds": f"{odds}:1", "profit": staked * odds}
        case "lose" | "fee":
            return {"staked": staked, "outcome": outcome, "profit": -staked}
        case _:
            return {"staked": staked, "outcome": outcome, "profit": 0}


def _fees(rules: RuleSet, box: Mapping[str, Any], stakes: Stakes, dealer_bought: bool) -> None:
    prices: list[Fraction] = []
    if "exchange" in box["action"] and rules.repeat_exchange and 1 in rules.exchange_fee:
        prices += [rules.exchange_fee[1] * turn for turn in range(1, box["count"] + 1)]
    elif "exchange" in box["action"]:
        prices.append(rules.exchange_fee[box["count"]])
    if "buy6" in box["action"] and rules.sixth_card_fee is not None:
        prices.append(rules.sixth_card_fee)
    if prices:
        stakes["fee"] = _stake(int(sum(prices) * box["ante"]), "fee")
    if dealer_bought and rules.dealer_exchange_fee is not None:
        stakes["dealer_fee"] = _stake(int(rules.dealer_exchange_fee * box["ante"]), "fee")


def _insurance(situation: Situation, box: Mapping[str, Any], mine: Mine | None) -> dict[str, Any]:
    rules, laid = situation.rules, box["insurance"]
    if box["decision"] == "fold" or situation.doc:
        return _stake(laid, "push")
    if mine is None or situation.dealer is None:
        raise TableError(413, "a stake depends on a card that was never read", f"box {box['box']}", "enter the card")
    if not situation.hands.at_least(mine.category, rules.insurance_min):
        return _stake(laid, "push")
    staked = min(laid, _limit(rules, box["ante"], mine.odds))
    strength, plays = situation.dealer
    if not plays:
        end = "win"
    else:
        end = {"win": "lose", "tie": "push", "beaten": rules.insurance_on_beaten}[_beside(box, mine, strength)]
    told = _stake(staked, end, 1)
    return told | ({"excess": laid - staked} if laid > staked else {})


def _limit(rules: RuleSet, ante: int, odds: int) -> int:
    """The larger of one ante and the fraction of what the bet could win under the cap."""
    assert rules.insurance_max_fraction is not None
    possible = 2 * ante * odds
    if rules.cap is not None:
        taken = 0
        if rules.cap_scope == "ante_bet":
            taken += ante if rules.ante_on_win == "paid" else 0
            taken += ante if rules.cap_basis == "gross" and rules.ante_on_win != "lost" else 0
        taken += 2 * ante if rules.cap_basis == "gross" else 0
        possible = min(possible, max(rules.cap - taken, 0))
    part = rules.insurance_max_fraction * possible
    return max(ante, part.numerator // part.denominator)


def _bonus(situation: Situation, box: Mapping[str, Any], dealt: Cards) -> dict[str, Any]:
    rules, hands, staked = situation.rules, situation.hands, box["bonus"]
    if box["action"] != "none" and rules.bonus_on_draw == "forfeit":
        return _stake(staked, "lose")
    if box["decision"] == "fold" and rules.bonus_on_fold == "lost":
        return _stake(staked, "lose")
    strength = situation.bonus_strength(needed(dealt, box))
    category, ranks = hands.category(strength), strength[2]
    if category == Category.TWO_PAIR and rules.bonus_sevens and 7 not in ranks[:2]:
        return _stake(staked, "lose")
    if category == Category.TRIPS and ranks[0] < (rules.bonus_trips_min_rank or 0):
        return _stake(staked, "lose")
    for entry in reversed(hands.order):
        if entry in rules.bonus_table and hands.at_least(category, entry):
            odds = rules.bonus_table[entry]
            told = _stake(staked, "win", odds)
            told["profit"] -= staked if rules.bonus_pays == "for_one" else 0
            return told
    return _stake(staked, "lose")
