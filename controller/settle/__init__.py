"""Settles a hand by both readings of the rules: the domain's and the referee's. The one door to a settlement.

Takes and gives the JSON objects of the settle contract. Touches no journal, device or clock.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec

from controller import referee
from controller.domain.cards import JOKER, card_text
from controller.domain.legal import check_cards, check_declared, check_round
from controller.domain.paytable import Category
from controller.domain.play import Round
from controller.domain.ranking import ranking_of
from controller.domain.ruleset import RuleSet
from controller.domain.settlement import settle
from controller.errors import TableError
from controller.rulesets import ORDER, load
from controller.settle.answer import answer, cards_text
from controller.settle.dealing import Deck, deal
from controller.settle.request import read_deck, read_joker, read_meter, read_round, read_top, read_wishes, wrong

__all__ = ["ReadingsDiffer", "rules_of", "run"]


class ReadingsDiffer(TableError):
    """The two readings of the rules do not agree: nobody is paid. Carries both answers."""

    def __init__(self, domain: dict[str, Any], other: dict[str, Any]) -> None:
        places = ", ".join(_differing(domain, other)) or "the answer"
        super().__init__(490, "the two readings of the rules differ", places, "stop the table, report it", exit_code=1)
        self.domain = domain
        self.referee = other


def run(request: Mapping[str, Any], rules: RuleSet | None = None) -> dict[str, Any]:
    """The settlement of one request. With `rules` (a table's own) the request names them or the set they stand on."""
    top = read_top(request)
    table, rules_hash = rules_of(top, rules)
    meter, changes = read_meter(top.get("jackpot"))
    table = table.with_jackpot(changes) if changes else table
    used = None
    if "deck" in top:
        deck = Deck(read_deck(top, table.deck_size))
        joker, doc = read_joker(top)
        if doc and table.variant != "jpoker":
            raise wrong("this game draws no joker", "joker", "leave it out")
        round_ = msgspec.structs.replace(deal(table, deck, read_wishes(top), joker, doc), meter=meter)
        used = deck.used
    else:
        round_ = read_round(top, meter)
    told = _both(top["rules"], rules_hash, table, round_)
    return told if used is None else {**told, "used": used}


def rules_of(top: Mapping[str, Any], rules: RuleSet | None) -> tuple[RuleSet, str]:
    """The rule set after `set`, and its hash: that of the shipped set with what bears on the settlement."""
    name = top["rules"]
    changes = msgspec.json.encode(_plain(top.get("set", {})), order="sorted")
    if rules is None:
        return _shipped_with(name, changes)
    if name not in (rules.id, rules.base_id):
        raise wrong(f"the table plays {rules.id}", "rules", f"{rules.id} or {rules.base_id}")
    table = rules.with_set(top.get("set", {}))
    base = load(rules.base_id)
    return table, base.with_set(table.settlement_diff(base)).rules_hash()


@functools.lru_cache(maxsize=256)
def _shipped_with(name: str, changes: bytes) -> tuple[RuleSet, str]:
    if name not in ORDER:
        raise TableError(401, f"no rule set {name!r}", "rules", f"one of {', '.join(ORDER)}")
    rules = load(name).with_set(msgspec.json.decode(changes))
    return rules, rules.rules_hash()


def _plain(value: Any) -> Any:
    """Numbers as the text that was written, so that no decimal passes through a binary float twice."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | None) else str(value)


def _both(name: str, rules_hash: str, rules: RuleSet, round_: Round) -> dict[str, Any]:
    check_cards(rules, round_)
    dealer = _dealer_hand(rules, round_)
    check_round(rules, round_, None if dealer is None else _plays(rules, dealer))
    check_declared(rules, round_, dealer)
    first = answer(name, rules_hash, rules, settle(rules, round_))
    try:
        second: dict[str, Any] = {"rules": name, "rules_hash": rules_hash, **referee.settle(rules, plain(round_))}
    except TableError as error:  # refused by one reading alone: they differ
        raise ReadingsDiffer(first, dict(error.as_json())) from None
    if first != second:
        raise ReadingsDiffer(first, second)
    return first


def _dealer_hand(rules: RuleSet, round_: Round) -> Category | None:
    if round_.declared is not None:
        return round_.declared
    cards = [card for card in round_.dealer if card is not None]
    if len(cards) < 5:
        return None
    ranking = ranking_of(rules)
    return ranking.category(ranking.value(cards, JOKER if rules.variant == "joker53" else round_.joker))


def _plays(rules: RuleSet, hand: Category) -> bool:
    number = ranking_of(rules).number
    return number[hand] >= number[rules.qualify_min]


def plain(round_: Round) -> dict[str, Any]:
    """The round as form A writes it: the words that the referee reads."""
    dealer = {"cards": cards_text(round_.dealer)}
    if round_.declared is not None:
        dealer["declared"] = str(round_.declared)
    if round_.after_exchange is not None:
        dealer["after_exchange"] = cards_text(round_.after_exchange)
    return {
        "dealer": dealer,
        "joker": None if round_.joker is None else card_text(round_.joker),
        "doc": round_.doc,
        "meter": round_.meter,
        "boxes": [
            {
                "box": box.box,
                "ante": box.ante,
                "cards": cards_text(box.cards),
                "final": None if box.final is None else cards_text(box.final),
                "action": str(box.action),
                "count": box.count,
                "drawn": cards_text(box.drawn),
                "decision": "raise" if box.raised else "fold",
                "carried": box.carried,
                "bonus": box.bonus,
                "insurance": box.insurance,
                "jackpot": box.jackpot,
                "buy_dealer": box.buy_dealer,
                "backers": list(box.backers),
                "owner": box.owner,
                "declared": None if box.declared is None else msgspec.to_builtins(box.declared),
            }
            for box in round_.boxes
        ],
    }


def _differing(first: Any, second: Any, where: str = "") -> list[str]:
    """The places where two answers differ; places only, for they may stand in a log."""
    if isinstance(first, dict) and isinstance(second, dict):
        names = [*first, *(key for key in second if key not in first)]
        return [p for key in names for p in _differing(first.get(key), second.get(key), f"{where}.{key}")]
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [p for i in range(len(first)) for p in _differing(first[i], second[i], f"{where}[{i}]")]
    return [] if first == second else [where.lstrip(".")]
