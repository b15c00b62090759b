"""Slow but plain readings to check the odds by: loops over cards with the domain's own ranking, nothing of numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

from controller.domain.cards import JOKER, Card, deck
from controller.domain.doubles import second_combination
from controller.domain.prices import odds
from controller.domain.ranking import ranking_of
from controller.domain.ruleset import RuleSet

ANTE = {"paid": 1, "push": 0, "lost": -1}


def raise_value(
    rules: RuleSet,
    final: Sequence[Card],
    open_card: Card,
    joker: Card | None = None,
    dead: Sequence[Card] = (),
    exchanged: bool = False,
) -> float:
    """Mean net of ante and bet over every dealer's hand; `dead` were thrown away."""
    ranking = ranking_of(rules)
    wild = JOKER if rules.deck_size == 53 else joker
    live = [card for card in deck(rules.deck_size) if card not in {*final, *dead, open_card}]
    mine = ranking.value(list(final), wild)
    paid = odds(rules, ranking.category(mine), exchanged=exchanged)
    if rules.double_combination:
        second = second_combination(ranking, final, rules.pay, rules.straight_pair)
        paid += rules.pay[second] if second else 0
    floor = ranking.number[rules.qualify_min] << 28
    won = ANTE[rules.ante_on_win] + 2 * paid
    total = 0
    for hidden in combinations(live, 4):
        theirs = ranking.value([*hidden, open_card], wild)
        if theirs < floor:
            total += ANTE[rules.ante_on_no_qualify]
        elif theirs != mine:
            total += won if mine > theirs else -3
    return total / comb(len(live), 4)


def exchange_value(
    rules: RuleSet, cards: Sequence[Card], gone: Card, open_card: Card, joker: Card | None = None
) -> float:
    """Mean net of exchanging one card and then betting or folding."""
    live = [card for card in deck(rules.deck_size) if card not in cards and card != open_card]
    kept = [card for card in cards if card != gone]
    values = [raise_value(rules, [*kept, card], open_card, joker, [gone], exchanged=True) for card in live]
    return sum(max(value, -1.0) for value in values) / len(live) - float(rules.exchange_fee[1])
