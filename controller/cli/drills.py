"""Questions for dealers: what a hand pays, what it is, which one wins, what a fee costs. Pure; the rules answer them.

The same seed gives the same questions. A pay-out is asked only where both readings of the rules agree on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from controller.domain import prices
from controller.domain.cards import JOKER, Card, card_text, cards_text, deck
from controller.domain.ranking import Ranking, ranking_of
from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.settle import run

ANTES = (5, 10, 15, 20, 25, 50, 75, 100)
TRIES = 60
NOT_OFFERED = "no"


class Kind(StrEnum):
    """What a quiz is about."""

    PAYOUT = "payout"
    HAND = "hand"
    WINNER = "winner"
    FEE = "fee"


class Ask(msgspec.Struct, frozen=True):
    """One thing to answer, and the right answer: a number, or a word."""

    what: str
    right: str


class Question(msgspec.Struct, frozen=True):
    """What is shown, and what is asked of it in order."""

    kind: Kind
    shown: tuple[str, ...]
    asks: tuple[Ask, ...]


class Chance:
    """Chance that repeats with its seed: everything follows from SHA-256 of the seed and a count."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = 0

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        """All of them, in an order of their own."""
        self._count += 1
        marks = [
            hashlib.sha256(f"{self._seed}/{self._count}/{place}".encode()).digest() for place in range(len(things))
        ]
        return [things[place] for place in sorted(range(len(things)), key=marks.__getitem__)]

    def one(self, things: Sequence[Any]) -> Any:
        """One of them."""
        return self.shuffled(things)[0]


def questions(rules: RuleSet, kind: Kind, seed: int) -> Iterator[Question]:
    """Questions without end."""
    chance = Chance(seed)
    asked: Callable[[RuleSet, Chance], Question] = {
        Kind.PAYOUT: _payout,
        Kind.HAND: _hand,
        Kind.WINNER: _winner,
        Kind.FEE: _fee,
    }[kind]
    while True:
        yield asked(rules, chance)


def right(ask: Ask, said: str) -> bool:
    """Whether that is the answer; blanks, case, a plus sign and underscores do not matter."""
    words = said.strip().lower().removeprefix("+").replace(" ", "_")
    number = _number(words)
    return words == ask.right or (number is not None and number == _number(ask.right))


def _number(text: str) -> int | None:
    return int(text) if text.removeprefix("-").isdecimal() else None


# --- pay-outs


def _payout(rules: RuleSet, chance: Chance) -> Question:
    """A settled box; mostly one whose bet was won, since the others are told at a glance."""
    wanted = chance.one(("win", "win", "win", "any"))
    for _ in range(TRIES):
        request, answer = _settled(rules, chance)
        if wanted == "any" or answer["boxes"][0]["stakes"]["bet"]["profit"] > 2 * request["boxes"][0]["ante"]:
            break
    box, asked = answer["boxes"][0], request["boxes"][0]
    asks = [Ask(f"{name}, staked {stake['staked']}", str(stake["profit"])) for name, stake in box["stakes"].items()]
    return Question(Kind.PAYOUT, _felt(request, answer), (*asks, Ask(f"net of box {asked['box']}", str(box["net"]))))


def _settled(rules: RuleSet, chance: Chance) -> tuple[dict[str, Any], dict[str, Any]]:
    """A random hand of one box that bets, by both readings."""
    while True:
        cards = chance.shuffled(deck(rules.deck_size))
        box: dict[str, Any] = {"box": 1, "ante": chance.one(ANTES), "decision": "raise"}
        counts = prices.offered_counts(rules)
        if counts and chance.one((True, False)):
            places = chance.shuffled(range(5))[: chance.one(counts)]
            box |= {"action": "exchange", "discards": sorted(places)}
        elif rules.sixth_card_fee is not None and chance.one((True, False)):
            box["action"] = "buy6"
        request: dict[str, Any] = {"rules": rules.id, "deck": cards_text(cards), "boxes": [box]}
        if rules.variant == "jpoker":
            request["joker"] = card_text(chance.one(deck(52)))
        try:
            return request, run(request, rules)
        except TableError:  # a fee that is no whole amount for this ante, for instance
            continue


def _felt(request: dict[str, Any], answer: dict[str, Any]) -> tuple[str, ...]:
    box, asked = answer["boxes"][0], request["boxes"][0]
    changed = len(asked.get("discards", ()))
    draw = {"exchange": f", {changed} exchanged", "buy6": ", sixth card bought"}.get(asked.get("action", ""), "")
    joker = (f"joker   {request['joker']}",) if "joker" in request else ()
    held = box.get("final", box["cards"])
    return (*joker, f"dealer  {answer['dealer']['cards']}", f"box 1   {held}  ante {asked['ante']}, bet{draw}")


# --- hands


def _hand(rules: RuleSet, chance: Chance) -> Question:
    size = chance.one((5, 6)) if rules.sixth_card_fee is not None else 5
    joker, cards = _dealt(rules, chance, size)
    ranking = ranking_of(rules)
    category = ranking.category(ranking.value(cards, joker))
    return Question(Kind.HAND, (*_joker_line(rules, joker), cards_text(cards)), (Ask("category", str(category)),))


def _winner(rules: RuleSet, chance: Chance) -> Question:
    """Half of the time two hands of the same category, where the kickers decide."""
    ranking, alike = ranking_of(rules), chance.one((True, False))
    for _ in range(TRIES):
        joker, cards = _dealt(rules, chance, 10)
        first, second = cards[:5], cards[5:]
        values = ranking.value(first, joker), ranking.value(second, joker)
        if not alike or ranking.category(values[0]) == ranking.category(values[1]):
            break
    better = "0" if values[0] == values[1] else "1" if values[0] > values[1] else "2"
    shown = (*_joker_line(rules, joker), f"1  {cards_text(first)}", f"2  {cards_text(second)}")
    return Question(Kind.WINNER, shown, (Ask("which wins: 1, 2, or 0 for neither", better),))


def _dealt(rules: RuleSet, chance: Chance, count: int) -> tuple[Card | None, tuple[Card, ...]]:
    """So many cards with the joker of the hand; more often than at a table they are worth something."""
    ranking = ranking_of(rules)
    joker = chance.one(deck(52)) if rules.variant == "jpoker" else JOKER if rules.variant == "joker53" else None
    drawn = (tuple(chance.shuffled(deck(rules.deck_size))[:count]) for _ in range(5))
    return joker, max(drawn, key=lambda cards: _worth(ranking, cards, joker))


def _worth(ranking: Ranking, cards: tuple[Card, ...], joker: Card | None) -> int:
    """Of ten cards that of the weaker hand."""
    hands = (cards,) if len(cards) < 10 else (cards[:5], cards[5:])
    return min(ranking.value(hand, joker) for hand in hands)


def _joker_line(rules: RuleSet, joker: Card | None) -> tuple[str, ...]:
    return (f"joker {card_text(joker)}",) if rules.variant == "jpoker" and joker is not None else ()


# --- fees


def _fee(rules: RuleSet, chance: Chance) -> Question:
    wishes: dict[str, Callable[[int], int]] = {
        f"exchanges {count}": lambda ante, count=count: prices.fee(rules, count, ante)  # type: ignore[misc]
        for count in range(1, 6)
    }
    wishes["buys a sixth card"] = lambda ante: prices.sixth_card_fee(rules, ante)
    wishes["buys the dealer a card"] = lambda ante: prices.dealer_fee(rules, ante)
    wish, ante = chance.one(list(wishes)), chance.one(ANTES)
    try:
        price = str(wishes[wish](ante))
    except TableError:
        price = NOT_OFFERED
    asked = Ask(f"the fee, or `{NOT_OFFERED}` where it is not to be had", price)
    return Question(Kind.FEE, (f"ante {ante}: the box {wish}",), (asked,))
