"""What things cost and how far a deck reaches: fees, draws, the public bound on insurance. Depends on no card."""

from __future__ import annotations

from fractions import Fraction

from controller.domain.paytable import DOUBLES, FIVE_CARD_DOUBLES, Category
from controller.domain.ruleset import RuleSet
from controller.errors import TableError

HAND = 5


def bet_of(ante: int) -> int:
    """The bet is twice the ante in every game."""
    return 2 * ante


def offered_counts(rules: RuleSet) -> tuple[int, ...]:
    """How many cards may be exchanged."""
    return tuple(sorted(rules.exchange_fee))


def one_by_one(rules: RuleSet) -> bool:
    """Cards are exchanged one after another, as long as the deck lasts (Q31)."""
    return rules.repeat_exchange and 1 in rules.exchange_fee


def fee(rules: RuleSet, count: int, ante: int) -> int:
    """Price of exchanging so many cards. TableError where that is not offered or not a whole number of chips."""
    if one_by_one(rules) and count > 0:
        return _whole(rules.exchange_fee[1] * ante * (count * (count + 1) // 2), "exchange")  # 1 + 2 + 3 ... (Q31)
    if count not in rules.exchange_fee:
        offered = ", ".join(map(str, offered_counts(rules))) or "none"
        raise TableError(412, f"an exchange of {count} is not offered", "exchange", f"numbers of cards: {offered}")
    return _whole(rules.exchange_fee[count] * ante, "exchange")


def sixth_card_fee(rules: RuleSet, ante: int) -> int:
    """Price of a sixth card."""
    if rules.sixth_card_fee is None:
        raise TableError(412, "a sixth card is not offered", "buy6", "bet, fold or exchange")
    return _whole(rules.sixth_card_fee * ante, "buy6")


def dealer_fee(rules: RuleSet, ante: int) -> int:
    """Price of a card for the dealer."""
    if rules.dealer_exchange_fee is None:
        raise TableError(412, "a card for the dealer is not offered", "buy_dealer", "take the ante")
    return _whole(rules.dealer_exchange_fee * ante, "buy_dealer")


def _whole(price: Fraction, where: str) -> int:
    if price.denominator != 1:
        raise TableError(414, "the fee is not a whole number of chips", where, "an ante that makes it whole")
    return int(price)


def deepest_draw(rules: RuleSet) -> int:
    """The most cards that one box can draw."""
    exchange = max(rules.exchange_fee, default=0)
    sixth = 0 if rules.sixth_card_fee is None else 1
    return exchange + sixth if rules.max_actions > 1 else max(exchange, sixth)


def cards_needed(rules: RuleSet, boxes: int, *, redraws: bool = False) -> int:
    """The longest that so many boxes can make a hand. A dealer's redraw may end with the deck, unless counted."""
    dealer = 0
    if rules.dealer_exchange_fee is not None:
        again = rules.dealer_exchange_redraw_same_rank and rules.dealer_exchange_card != "add"
        dealer = 4 if redraws and again else 1
    return rules.burn_cards + HAND * (boxes + 1) + boxes * deepest_draw(rules) + dealer


def boxes_served(rules: RuleSet, boxes: int, *, redraws: bool = False) -> bool:
    """The deck serves the dearest draw of every box."""
    return cards_needed(rules, boxes, redraws=redraws) <= rules.deck_size


def most_boxes(rules: RuleSet, *, redraws: bool = False) -> int:
    """The largest number of boxes that the deck serves."""
    return max((n for n in range(1, 10) if boxes_served(rules, n, redraws=redraws)), default=0)


def most_dealt(rules: RuleSet) -> int:
    """The largest number of boxes that may be dealt: all draws served, or as many as there are cards for (1.7)."""
    if rules.stub_policy != "announced_limit":
        return most_boxes(rules)
    dealer = 0 if rules.dealer_exchange_fee is None else 1
    return (rules.deck_size - rules.burn_cards - dealer) // HAND - 1


def odds(rules: RuleSet, category: Category, *, exchanged: bool = False) -> int:
    """Odds of the bet for a hand; 0 where the table has none (it cannot win)."""
    if exchanged and category in rules.pay_after_exchange:
        return rules.pay_after_exchange[category]
    return rules.pay.get(category, 0)


def highest_odds(rules: RuleSet) -> int:
    """The best that a bet can be paid, two combinations included where they count."""
    tables = [rules.pay, {**rules.pay, **rules.pay_after_exchange}]
    singles = max(max(table.values()) for table in tables)
    if not rules.double_combination:
        return singles
    six = rules.sixth_card_fee is not None
    doubles = [
        table[first] + table[second]
        for table in tables
        for first, second in DOUBLES
        if second in table and (six or (first in FIVE_CARD_DOUBLES and second is Category.ACE_KING))
    ]
    return max([singles, *doubles])


def best_win(rules: RuleSet, ante: int) -> int:
    """The most that one box of this ante can win with ante and bet, were there no cap (Q13)."""
    return bet_of(ante) * highest_odds(rules) + (ante if rules.ante_on_win == "paid" else 0)


def bet_room(rules: RuleSet, ante: int) -> int | None:
    """What the cap leaves for the win of one box's bet when the box wins; None without a cap."""
    if rules.cap is None:
        return None
    with_ante = rules.cap_scope == "ante_bet"
    room = rules.cap - (ante if with_ante and rules.ante_on_win == "paid" else 0)
    if rules.cap_basis == "gross":
        room -= bet_of(ante) + (ante if with_ante and rules.ante_on_win != "lost" else 0)
    return max(room, 0)


def insurance_limit(rules: RuleSet, ante: int, bet_odds: int) -> int:
    """The most that may be insured on a hand that pays so much: at least one ante (Q59)."""
    if rules.insurance_max_fraction is None:
        raise TableError(
            405, "insurance_max_fraction is not filled in", "insurance", "the house's value in the rule set"
        )
    win, room = bet_of(ante) * bet_odds, bet_room(rules, ante)
    return max(ante, int(rules.insurance_max_fraction * (win if room is None else min(win, room))))


def insurance_bound(rules: RuleSet, ante: int) -> int:
    """The most that any box may lay as insurance, whatever it holds: tells nothing about its cards."""
    return insurance_limit(rules, ante, highest_odds(rules))
