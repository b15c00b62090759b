"""What a rule set offers at the table, as plain numbers: exchange counts, fees, and how many boxes a deck serves."""

from __future__ import annotations

from controller.domain.ruleset import RuleSet


def exchange_counts(rules: RuleSet) -> tuple[int, ...]:
    """How many cards may be exchanged, ascending; empty where none."""
    return tuple(sorted(rules.exchange_fee))


def fee_of(rules: RuleSet, count: int, ante: int) -> int | None:
    """The fee of exchanging `count` cards in minor units; None where it does not come out whole (Q24)."""
    fee = rules.exchange_fee[count] * ante
    return int(fee) if fee.denominator == 1 else None


def dearest_draw(rules: RuleSet) -> int:
    """The most cards that one box can draw."""
    counts = exchange_counts(rules)
    exchange = counts[-1] if counts else 0
    sixth = 0 if rules.sixth_card_fee is None else 1
    return exchange + sixth if rules.max_actions > 1 else max(exchange, sixth)


def cards_needed(rules: RuleSet, boxes: int) -> int:
    """Cards of the worst hand with so many boxes: deal, draws, burns, the dealer's card (three redraws of its rank)."""
    dealer = 0
    if rules.dealer_exchange_fee is not None:
        dealer = 4 if rules.dealer_exchange_redraw_same_rank else 1
    return 5 * (boxes + 1) + boxes * dearest_draw(rules) + dealer + rules.burn_cards


def boxes_served(rules: RuleSet) -> int:
    """How many boxes the deck serves at their dearest draws (stub_policy `fewer_boxes`)."""
    return max((n for n in range(10) if cards_needed(rules, n) <= rules.deck_size), default=0)
