"""`tablectl rank`: what hands are worth under a rule set, and their order."""

from __future__ import annotations

from typing import Any

import click

from controller.cli.output import print_json, print_lines, strong
from controller.domain.cards import JOKER, RANKS, Card, CardError, card_text, cards_text, deck, parse_card, parse_cards
from controller.domain.doubles import second_combination
from controller.domain.ranking import Ranked, Ranking, ranking_of
from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.rulesets import load


@click.command()
@click.argument("cards", nargs=-1, required=True)
@click.option("--rules", "name", default="caribbean", show_default=True, help="The rule set, or a file.")
@click.option("--joker", help="J-poker: the card that is the joker.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def rank(cards: tuple[str, ...], name: str, joker: str | None, as_json: bool) -> None:
    """Category, the five cards that play, and what decides ties, of one hand of five or six CARDS or of several.

    One hand: tablectl rank As Kd Qc Jh Ts. Several, each in quotes: tablectl rank "As Ks ..." "2c 2d ...".
    """
    rules = load(name)
    wild = _joker(rules, joker)
    texts = _texts(cards)
    hands = [_hand(rules, text, _where(number, text, len(texts))) for number, text in enumerate(texts, 1)]
    ranking = ranking_of(rules)
    ranked = [(hand, ranking.best(hand, wild)) for hand in hands]
    facts = [_facts(rules, ranking, hand, best, [other for _, other in ranked]) for hand, best in ranked]
    facts.sort(key=lambda fact: fact["place"])
    if as_json:
        print_json({"rules": rules.id, "hands": facts} | (facts[0] if len(facts) == 1 else {}))
    else:
        print_lines([_line(fact, len(facts)) for fact in facts])


def _texts(cards: tuple[str, ...]) -> list[str]:
    """Single cards are one hand; anything with blanks or commas is a hand of its own."""
    plain = [text.replace(",", " ") for text in cards]
    return plain if any(" " in text.strip() for text in plain) else [" ".join(plain)]


def _where(number: int, text: str, hands: int) -> str:
    return "CARDS" if hands == 1 else f"CARDS, hand {number} ({text})"


def _joker(rules: RuleSet, joker: str | None) -> Card | None:
    if joker is None:
        return None
    if rules.variant != "jpoker":
        raise TableError(412, "this game draws no joker", "--joker", "leave it out, or --rules jpoker")
    return joker_card(joker, "a card of the deck")


def joker_card(text: str, remedy: str) -> Card:
    """The card that the board shows, as one of the 52; TableError with what may stand there."""
    try:
        card = parse_card(text)
    except CardError as error:
        raise TableError(411, str(error), "--joker", remedy) from None
    if card == JOKER:
        raise TableError(411, "JK is not a card of this deck", "--joker", "one of the 52")
    return card


def _hand(rules: RuleSet, text: str, where: str) -> tuple[Card, ...]:
    try:
        cards = parse_cards(text)
    except CardError as error:
        raise TableError(411, str(error), where, "correct the hand") from None
    if len(cards) not in (5, 6):
        raise TableError(411, f"{len(cards)} cards", where, "five or six cards a hand")
    for card in set(cards).difference(deck(rules.deck_size)):
        raise TableError(411, f"{card_text(card)} is not in this deck", where, f"a card of the {rules.deck_size}")
    return cards


def _facts(
    rules: RuleSet, ranking: Ranking, hand: tuple[Card, ...], best: Ranked, others: list[Ranked]
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "cards": cards_text(hand),
        "category": str(best.category),
        "plays": cards_text(best.cards),
        "order": ["-" if rank < 0 else RANKS[rank] for rank in best.ranks],
        "place": 1 + sum(other.value > best.value for other in others),
        "tied": sum(other.value == best.value for other in others) > 1,
    }
    if rules.double_combination:
        second = second_combination(ranking, hand, rules.pay, rules.straight_pair)
        facts |= {"second": str(second)} if second else {}
    return facts


def _line(fact: dict[str, Any], hands: int) -> str:
    place = f"{fact['place']}{'=' if fact['tied'] else '.'} " if hands > 1 else ""
    second = f" + {fact['second']}" if "second" in fact else ""
    return f"{place}{strong(fact['category'] + second)}  {fact['plays']}  by {' '.join(fact['order'])}"


commands: list[click.Command] = [rank]
