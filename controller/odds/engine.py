"""The odds of a rule set under a strategy: the exact sum over all deals, and a sampled rest where a game needs one."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import sqrt

from controller.domain.ruleset import RuleSet
from controller.odds.finals import Book
from controller.odds.hand import Adviser
from controller.odds.open_joker import play_open
from controller.odds.payoff import Payoff
from controller.odds.play import Totals, groups, play
from controller.odds.result import Odds
from controller.odds.sample import Gain, draws_gain, needs_draws, needs_purchase, needs_sixth, purchase_gain
from controller.odds.sidebets import side_bets
from controller.odds.strategies import Strategy, strategy

Progress = Callable[[str, float], None]
HANDS = 2000


def compute(
    rules: RuleSet, name: str = "best", *, hands: int = HANDS, seed: int = 1, progress: Progress | None = None
) -> Odds:
    """The odds. `hands`: size of the sample, where one is needed. TableError for what is not covered."""
    started = time.monotonic()
    book = Book(rules.require_complete())
    chosen = strategy(book, name)
    payoff = Payoff(book)
    totals = exact(book, payoff, chosen, progress)
    sampled = _sampled(book, payoff, chosen, hands, seed, progress)
    return _odds(book, chosen, totals, sampled, time.monotonic() - started)


def adviser(rules: RuleSet) -> Adviser:
    """Values shown hands under these rules."""
    book = Book(rules.require_complete())
    return Adviser(book, Payoff(book))


def exact(book: Book, payoff: Payoff, chosen: Strategy, progress: Progress | None = None) -> Totals:
    """Sums over all deals of raise, fold, an exchange of one card, a sixth card."""
    drawing = chosen.draws != "none" and (1 in book.rules.exchange_fee or book.rules.sixth_card_fee is not None)
    totals = Totals()
    for group in groups(book, payoff, drawing, _part(progress, "all deals")):
        play(group, chosen, totals)
    if book.joker != "none":
        play_open(book, payoff, chosen, totals, _part(progress, "joker open"))
    return totals


def _part(progress: Progress | None, label: str) -> Callable[[float], None] | None:
    if progress is None:
        return None
    told = progress
    return lambda done: told(label, done)


def _sampled(
    book: Book, payoff: Payoff, chosen: Strategy, hands: int, seed: int, progress: Progress | None
) -> list[Gain]:
    if chosen.draws != "best":
        return []
    found = []
    if needs_draws(book) or needs_sixth(book):
        found.append(draws_gain(book, payoff, hands, seed, _part(progress, "draws of several cards")))
    if needs_purchase(book):
        found.append(purchase_gain(book, payoff, max(hands // 4, 2), seed, _part(progress, "cards for the dealer")))
    return found


def _odds(book: Book, chosen: Strategy, totals: Totals, sampled: list[Gain], seconds: float) -> Odds:
    rules, ways = book.rules, totals.ways
    means = {name: total / ways for name, total in totals.sums.items()}
    choices = {name: number / ways for name, number in totals.choices.items()}
    for gain in sampled:
        means["ev"] += gain.mean
        for name, change in gain.moments.items():
            means[name] += change if name != "ev" else 0.0
        for name, change in gain.choices.items():
            choices[name] = choices.get(name, 0.0) + change
    return Odds(
        rules=rules.id,
        rules_hash=rules.rules_hash(),
        strategy=chosen.name,
        method="sample" if sampled else "exact",
        house_edge=-means["ev"],
        element_of_risk=-means["ev"] / means["staked"],
        variance=means["square"] - means["ev"] ** 2,
        stderr=sqrt(sum(gain.stderr**2 for gain in sampled)),
        qualifies=totals.qualifies / ways,
        wins=means["won"],
        frequencies={name: choices[name] for name in sorted(choices)},
        staked=means["staked"],
        sides=side_bets(book),
        notes=_notes(book, chosen),
        seconds=round(seconds, 2),
    )


def _notes(book: Book, chosen: Strategy) -> tuple[str, ...]:
    """What was sampled or left out."""
    rules, best = book.rules, chosen.draws == "best"
    told = (
        (best and needs_draws(book), "draws of several cards are sampled"),
        (best and needs_sixth(book), "a sixth card is sampled"),
        (best and needs_purchase(book), "buying the dealer a card is sampled; the variance is without it"),
        (rules.dealer_exchange_fee is not None and book.joker != "none", "buying the dealer a card is left out"),
        (best and rules.repeat_exchange, "exchanging cards one after another is left out"),
        (best and rules.max_actions > 1, "a sixth card after an exchange is left out"),
        (rules.tie == "carry", "a tie counts as a push; what a carried stake is worth later is left out"),
        (rules.insurance and rules.insurance_on_beaten == "carry", "carried insurance counts as returned"),
        (rules.cap is not None, "the maximum payout is left out"),
    )
    return tuple(text for holds, text in told if holds)
