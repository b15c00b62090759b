"""What every stake of a hand pays: the domain's own reading of the rules. Pure, and integers only.

The caller has checked that the play is legal (domain.legal). A card that was never read is an error only where a
stake depends on it. The referee computes the same answer in another way; neither may use the other's code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from controller.domain.cards import Card
from controller.domain.doubles import second_combination
from controller.domain.jackpot import Entry, Meter, award
from controller.domain.money import pro_rata
from controller.domain.paytable import Category
from controller.domain.play import Action, Box, Cards, Declared, Round
from controller.domain.prices import bet_of, dealer_fee, fee, insurance_limit, odds, sixth_card_fee
from controller.domain.ranking import Ranking, ranking_of
from controller.domain.ruleset import RuleSet
from controller.errors import TableError


class Stake(msgspec.Struct, frozen=True):
    """One stake and its end: `win push lose fee carry`; `odds` x to 1 where it was won at odds."""

    staked: int
    outcome: str
    profit: int = 0
    odds: int | None = None
    excess: int = 0


class BoxResult(msgspec.Struct, frozen=True, kw_only=True):
    box: Box
    hand: Category | None
    second: Category | None
    stakes: Mapping[str, Stake]
    cut_by_cap: int = 0
    shares: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"BoxResult({self.box.box})"

    @property
    def net(self) -> int:
        return sum(stake.profit for stake in self.stakes.values())

    @property
    def returned(self) -> int:
        return sum(s.staked + s.profit for s in self.stakes.values() if s.outcome in ("win", "push"))


class DealerHand(msgspec.Struct, frozen=True):
    """The dealer's cards; value None where they were not all read."""

    cards: Cards
    value: int | None = None
    hand: Category | None = None
    plays: bool = False

    def __repr__(self) -> str:
        return f"DealerHand({len(self.cards)} cards)"  # they may lie face down


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    dealer: DealerHand
    after_exchange: DealerHand | None
    boxes: tuple[BoxResult, ...]
    house: int
    prizes: Mapping[int, int] | None
    meter: Meter | None


class _Hand(NamedTuple):
    """A box's final hand. `against`: how it ends where the value is not known, since no card is."""

    value: int
    category: Category
    second: Category | None
    odds: int
    against: str = ""

    def __repr__(self) -> str:
        return "_Hand"


def settle(rules: RuleSet, round_: Round) -> Settlement:
    """The whole hand. TableError where a stake depends on a card that was never read."""
    return _Reading(rules, round_).settle()


class _Reading:
    """One settlement under way: rules, cards, dealer."""

    def __init__(self, rules: RuleSet, round_: Round) -> None:
        self.rules = rules
        self.round = round_
        self.ranking: Ranking = ranking_of(rules)
        self.joker = Card(52) if rules.variant == "joker53" else round_.joker
        self.dealer = self._dealer(round_.dealer, round_.declared)
        self.after = None if round_.after_exchange is None else self._dealer(round_.after_exchange)

    def settle(self) -> Settlement:
        results = capped(self.rules, [self._box(box) for box in self.round.boxes])
        results, prizes, meter = self._jackpots(results)
        return Settlement(
            dealer=self.dealer,
            after_exchange=self.after,
            boxes=tuple(_shared(result) for result in results),
            house=-sum(s.profit for r in results for name, s in r.stakes.items() if name != "jackpot"),
            prizes=prizes,
            meter=meter,
        )

    def _dealer(self, cards: Cards, declared: Category | None = None) -> DealerHand:
        known = [card for card in cards if card is not None]
        if declared is not None:
            return DealerHand(cards, None, declared, self._reaches(declared, self.rules.qualify_min))
        if len(known) < len(cards):
            return DealerHand(cards)
        value = self.ranking.value(known, self.joker)
        category = self.ranking.category(value)
        return DealerHand(cards, value, category, self._reaches(category, self.rules.qualify_min))

    def _reaches(self, category: Category, minimum: Category) -> bool:
        return self.ranking.number[category] >= self.ranking.number[minimum]

    def _box(self, box: Box) -> BoxResult:
        hand = self._hand(box)
        stakes = self._main(box, hand)
        if box.insurance:
            stakes["insurance"] = self._insurance(box, hand)
        if box.bonus:
            stakes["bonus"] = self._bonus(box)
        category, second = (hand.category, hand.second) if hand else (None, None)
        return BoxResult(box=box, hand=category, second=second, stakes=stakes)

    def _hand(self, box: Box) -> _Hand | None:
        if box.declared is not None:
            return self._declared(box, box.declared)
        known = [card for card in box.final or () if card is not None]
        if box.final is None or len(known) < len(box.final):
            return None
        value = self.ranking.value(known, self.joker)
        category = self.ranking.category(value)
        exchanged, second = box.action.exchanges, None
        paid = odds(self.rules, category, exchanged=exchanged)
        if self.rules.double_combination:
            table = {**self.rules.pay, **self.rules.pay_after_exchange} if exchanged else self.rules.pay
            second = second_combination(self.ranking, known, table, self.rules.straight_pair)
            paid += table[second] if second else 0
        return _Hand(value, category, second, paid)

    def _declared(self, box: Box, said: Declared) -> _Hand:
        """No cards: category and end as people said them. Never compared by value."""
        exchanged = box.action.exchanges
        paid = odds(self.rules, said.hand, exchanged=exchanged)
        if said.second is not None:
            table = {**self.rules.pay, **self.rules.pay_after_exchange} if exchanged else self.rules.pay
            paid += table[said.second]
        return _Hand(0, said.hand, said.second, paid, said.against)

    def _needed(self, hand: _Hand | None, box: Box) -> _Hand:
        if hand is None:
            raise _unread(f"box {box.box}")
        return hand

    def _plays(self) -> bool:
        if self.dealer.hand is None:
            raise _unread("dealer")
        return self.dealer.plays

    def _against(self, box: Box) -> DealerHand:
        """The dealer's hand that this box meets: the bought one only where it bought, and he did not play."""
        if not self._plays() and box.buy_dealer and self.after is not None:
            if self.after.value is None:
                raise _unread("dealer.after_exchange")
            return self.after
        return self.dealer

    def _main(self, box: Box, hand: _Hand | None) -> dict[str, Stake]:
        bet = bet_of(box.ante)
        if not box.raised:
            stakes = {"ante": _lost(box.ante)} | ({"bet": _lost(bet)} if box.carried else {})
            return stakes | self._fees(box, bought=False)
        dealer = self._against(box)
        bought = dealer is self.after
        if dealer.plays:
            ante, wager = self._compare(box, bet, self._needed(hand, box), dealer)
        else:
            paid = self.rules.dealer_exchange_fail_ante if bought else self.rules.ante_on_no_qualify
            ante, wager = _ante(box.ante, paid), Stake(bet, "push")
        return {"ante": ante, "bet": wager} | self._fees(box, bought=bought)

    def _fees(self, box: Box, *, bought: bool) -> dict[str, Stake]:
        price = fee(self.rules, box.count, box.ante) if box.action.exchanges else 0
        price += sixth_card_fee(self.rules, box.ante) if box.action.buys else 0
        fees = {} if box.action is Action.NONE else {"fee": Stake(price, "fee", -price)}
        if bought:
            price = dealer_fee(self.rules, box.ante)
            fees["dealer_fee"] = Stake(price, "fee", -price)
        return fees

    def _compare(self, box: Box, bet: int, hand: _Hand, dealer: DealerHand) -> tuple[Stake, Stake]:
        order = _order(hand, dealer)
        if order > 0:
            return _ante(box.ante, self.rules.ante_on_win), Stake(bet, "win", bet * hand.odds, hand.odds)
        if order < 0:
            return _lost(box.ante), _lost(bet)
        return Stake(box.ante, self.rules.tie), Stake(bet, self.rules.tie)

    def _insurance(self, box: Box, hand: _Hand | None) -> Stake:
        if not box.raised:
            return Stake(box.insurance, "push")  # a carried one: the folded hand is not eligible, it goes back
        if self.round.doc:
            return Stake(box.insurance, "push")  # the dealer holds the joker and always plays: there is none (Q82)
        hand = self._needed(hand, box)
        if not self._reaches(hand.category, self.rules.insurance_min):
            return Stake(box.insurance, "push")
        staked = min(box.insurance, insurance_limit(self.rules, box.ante, hand.odds))
        excess = box.insurance - staked
        if not self._plays():
            return Stake(staked, "win", staked, 1, excess)
        order = _order(hand, self.dealer)
        if order > 0:
            return Stake(staked, "lose", -staked, excess=excess)
        outcome = "push" if order == 0 else self.rules.insurance_on_beaten
        return Stake(staked, outcome, -staked if outcome == "lose" else 0, excess=excess)

    def _bonus(self, box: Box) -> Stake:
        drawn = box.action is not Action.NONE
        if (drawn and self.rules.bonus_on_draw == "forfeit") or (not box.raised and self.rules.bonus_on_fold == "lost"):
            return _lost(box.bonus)
        known = self._read(box.cards, f"box {box.box}")
        value = self.ranking.value(known, self.joker) if self.rules.bonus_joker else self.ranking.natural(known)
        paid = self._bonus_odds(value)
        if paid is None:
            return _lost(box.bonus)
        return Stake(box.bonus, "win", box.bonus * (paid - (self.rules.bonus_pays == "for_one")), paid)

    def _bonus_odds(self, value: int) -> int | None:
        category = self.ranking.category(value)
        ranks = [(value >> shift & 15) - 1 for shift in (20, 16)]  # of the two pairs; the first of the trips
        lowest = self.rules.bonus_trips_min_rank
        if category is Category.TWO_PAIR and self.rules.bonus_sevens and 7 - 2 not in ranks:
            return None
        if category is Category.TRIPS and lowest is not None and ranks[0] + 2 < lowest:
            return None
        numbers = self.ranking.number
        entries = [entry for entry in self.rules.bonus_table if numbers[entry] <= numbers[category]]
        return self.rules.bonus_table[max(entries, key=numbers.__getitem__)] if entries else None

    def _read(self, cards: Cards, where: str) -> list[Card]:
        known = [card for card in cards if card is not None]
        if len(known) < len(cards):
            raise _unread(where)
        return known

    def _jackpots(self, results: list[BoxResult]) -> tuple[list[BoxResult], Mapping[int, int] | None, Meter | None]:
        if self.round.meter is None:
            return results, None, None
        rules = self.rules.jackpot
        through_bonus = rules.jackpot_mode == "bonus_royal"
        meter = Meter(self.round.meter, rules.reserve).fed(rules, self._basis(results, through_bonus))
        if through_bonus:
            entries = [entry for result in results for entry in self._royal_bonus(result)]
        else:
            entries = [Entry(r.box.box, self._jackpot_hand(r)) for r in results if r.box.jackpot]
        prizes, meter = award(rules, meter, entries)
        return [_with_prize(r, prizes, through_bonus) for r in results], prizes, meter

    def _basis(self, results: Sequence[BoxResult], through_bonus: bool) -> int:
        """Chips of which the rate is taken: side bets, or what the players of this hand lost."""
        if self.rules.jackpot.contribution_basis == "losses":
            stakes = [stake for result in results for stake in result.stakes.values()]
            return sum(stake.staked for stake in stakes if stake.outcome in ("lose", "fee"))
        return sum(r.box.bonus if through_bonus else r.box.jackpot for r in results)

    def _royal_bonus(self, result: BoxResult) -> list[Entry]:
        stake = result.stakes.get("bonus")
        if stake is None or stake.outcome != "win":
            return []
        known = self._read(result.box.cards, f"box {result.box.box}")
        value = self.ranking.value(known, self.joker) if self.rules.bonus_joker else self.ranking.natural(known)
        if self.ranking.category(value) is not Category.ROYAL_FLUSH:
            return []
        share = self.rules.jackpot.jackpot_share.get(stake.staked)
        if share is None:
            raise TableError(405, f"jackpot_share has no entry for a bonus of {stake.staked}", "jackpot_share",
                             "the part of the meter that such a stake wins")  # fmt: skip
        return [Entry(result.box.box, Category.ROYAL_FLUSH, share)]

    def _jackpot_hand(self, result: BoxResult) -> Category | None:
        """The category that is entitled: flush or better, by the natural cards unless the house says otherwise."""
        rules, box = self.rules.jackpot, result.box
        if not box.raised and rules.jackpot_on_fold == "lost":
            return None
        cards = box.cards if rules.jackpot_hand == "initial" else box.final
        known = self._read((None,) if cards is None else cards, f"box {box.box}")
        value = self.ranking.value(known, self.joker) if rules.jackpot_joker else self.ranking.natural(known)
        category = self.ranking.category(value)
        if category is Category.FIVE_OF_A_KIND and category not in rules.fixed:
            category = Category.QUADS  # no house prints a prize; the four of a kind in it has one
        entitled = category in (Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH) or category in rules.fixed
        return category if entitled else None


def capped(rules: RuleSet, results: list[BoxResult]) -> list[BoxResult]:
    """The results with the wins cut to the plate's maximum, per box or over one owner's boxes."""
    if rules.cap is None:
        return results
    groups: dict[str, list[BoxResult]] = {}
    for result in sorted(results, key=lambda r: r.box.box):
        owner = result.box.owner
        key = f"owner {owner}" if rules.cap_per == "player" and owner is not None else f"box {result.box.box}"
        groups.setdefault(key, []).append(result)
    done = {r.box.box: r for group in groups.values() for r in _cut(rules, rules.cap, group)}
    return [done[result.box.box] for result in results]


def _cut(rules: RuleSet, cap: int, group: list[BoxResult]) -> list[BoxResult]:
    scope = ["ante", "bet"] if rules.cap_scope == "ante_bet" else ["bet"]
    scope = ["insurance", *scope] if rules.cap_includes_insurance else scope
    lines = [r.stakes[name] for r in group for name in scope if name in r.stakes]
    back = sum(s.staked for s in lines if s.outcome in ("win", "push")) if rules.cap_basis == "gross" else 0
    room = max(cap - back, 0)
    for name in scope:  # what is paid first is cut last
        wins = [r.stakes[name].profit if name in r.stakes and r.stakes[name].profit > 0 else 0 for r in group]
        paid = wins if sum(wins) <= room else pro_rata(room, wins)
        room -= sum(paid)
        group = [_less(r, name, win - pay) for r, win, pay in zip(group, wins, paid, strict=True)]
    return group


def _less(result: BoxResult, name: str, cut: int) -> BoxResult:
    if not cut:
        return result
    stake = result.stakes[name]
    stakes = {**result.stakes, name: msgspec.structs.replace(stake, profit=stake.profit - cut)}
    return msgspec.structs.replace(result, stakes=stakes, cut_by_cap=result.cut_by_cap + cut)


def _with_prize(result: BoxResult, prizes: Mapping[int, int], through_bonus: bool) -> BoxResult:
    stakes, prize = dict(result.stakes), prizes.get(result.box.box, 0)
    if through_bonus and result.box.box in prizes:
        stakes["bonus"] = Stake(result.box.bonus, "win", prize)
    elif result.box.jackpot:
        staked = result.box.jackpot
        stakes["jackpot"] = Stake(staked, "win", prize - staked) if prize else _lost(staked)
    return msgspec.structs.replace(result, stakes=stakes)


def _shared(result: BoxResult) -> BoxResult:
    if not result.box.backers:
        return result
    common = sum(stake.profit for name, stake in result.stakes.items() if name not in ("bonus", "jackpot"))
    return msgspec.structs.replace(result, shares=tuple(pro_rata(common, result.box.backers)))


def _order(hand: _Hand, dealer: DealerHand) -> int:
    """Above zero where the box is better than the dealer."""
    if hand.against:
        return {"win": 1, "tie": 0, "lose": -1}[hand.against]
    assert dealer.value is not None
    return (hand.value > dealer.value) - (hand.value < dealer.value)


def _ante(ante: int, outcome: str) -> Stake:
    match outcome:
        case "paid":
            return Stake(ante, "win", ante, 1)
        case "lost":
            return _lost(ante)
        case _:
            return Stake(ante, "push")


def _lost(staked: int) -> Stake:
    return Stake(staked, "lose", -staked)


def _unread(where: str) -> TableError:
    return TableError(413, "a stake depends on a card that was never read", where, "enter the card")
