"""`tablectl odds` and `advise`: what a game costs the player, a change the house, and how a hand is played best."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.cli.output import print_json, print_lines, strong, table
from controller.cli.rank import joker_card
from controller.domain.cards import Card, CardError, card_text, cards_text, deck, parse_card, parse_cards
from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.odds import Odds, edge, require_numpy, store
from controller.odds.result import DOUBT
from controller.rulesets import load

if TYPE_CHECKING:
    from controller.odds.hand import Choice

_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")
_set = click.option("--set", "changes", multiple=True, metavar="KEY=VALUE",
                    help="Changes a parameter: pay.flush=6, exchange_fee.2=none.")  # fmt: skip


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="ID | diff A B | diff ID --set KEY=VALUE")
@_set
@click.option("--strategy", default="best", show_default=True, help="best, s002, raise-all, pair-or-better, ...")
@click.option("--against", is_flag=True, help="Compares ID as it is with ID after --set.")
@click.option("--hands", type=click.IntRange(min=0), default=0, help="Hands of the sample, where a game needs one.")
@click.option("--no-cache", is_flag=True, help="Computes again, and keeps nothing.")
@click.option("--store", "keep", is_flag=True, help="Puts the odds among those that ship (a developer's command).")
@_json
def odds(
    names: tuple[str, ...],
    changes: tuple[str, ...],
    strategy: str,
    against: bool,
    hands: int,
    no_cache: bool,
    keep: bool,
    as_json: bool,
) -> None:
    """Exact odds of a rule set (an id, or a file); `odds diff` shows what a change costs the house."""
    set_ = _changes(changes)

    def compute(rules: RuleSet) -> Odds:
        return edge(rules, strategy, hands=hands, cache=not no_cache, progress=_progress())

    if names[0] == "diff" or against:
        first, second = _pair(names, set_)
        _print_diff(compute(first), compute(second), as_json)
        return
    if len(names) != 1:
        raise TableError(190, "one rule set, or diff and two", "tablectl odds", "see tablectl odds --help")
    rules = load(names[0]).with_set(set_, "--set") if set_ else load(names[0])
    answer = compute(rules)
    if keep:
        click.echo(f"stored in {store.put(rules, answer)}", err=True)
    if as_json:
        print_json(_facts(answer))
    else:
        print_lines(_lines(answer))


def _pair(names: Sequence[str], set_: dict[str, Any]) -> tuple[RuleSet, RuleSet]:
    """The two rule sets of a comparison."""
    ids = names[1:] if names[0] == "diff" else names
    if not 1 <= len(ids) <= 2 or (len(ids) == 1 and not set_):
        raise TableError(190, "two rule sets, or one and --set", "tablectl odds diff", "see tablectl odds --help")
    first = load(ids[0])
    other = load(ids[1]) if len(ids) == 2 else first
    return first, other.with_set(set_, "--set") if set_ else other


def _changes(texts: Sequence[str]) -> dict[str, Any]:
    """`pay.flush=6` as {"pay": {"flush": 6}}; values are JSON where they can be, else text."""
    found: dict[str, Any] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise TableError(190, f"{text!r} is not KEY=VALUE", "--set", "for example --set pay.flush=6")
        *tables, key = path.split(".")
        place = found
        for name in tables:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise TableError(190, f"{name} is set twice, as a value and as a table", "--set", "one of the two")
        place[key] = _value(value)
    return found


def _value(text: str) -> object:
    try:
        return json.loads(text, parse_float=Decimal)
    except ValueError:
        return text


def _progress() -> Callable[[str, float], None] | None:
    """A line on the terminal that goes away again; nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(label: str, done: float) -> None:
        width = 30
        bar = "#" * round(width * done)
        end = "\r" + " " * 70 + "\r" if done >= 1 else ""
        print(f"\r{label:24} [{bar:{width}}] {100 * done:3.0f} %{end}", end="", file=sys.stderr, flush=True)

    return show


def _facts(answer: Odds) -> dict[str, Any]:
    facts: dict[str, Any] = msgspec.to_builtins(answer)
    del facts["key"], facts["sides_key"]
    return facts


def _percent(value: float) -> str:
    return f"{100 * value:.4f} %"


def _lines(answer: Odds) -> list[str]:
    error = f" +- {_percent(answer.stderr)}" if answer.method == "sample" else ""
    rows = [
        ["house edge", f"{_percent(answer.house_edge)} of the ante{error}"],
        ["element of risk", f"{_percent(answer.element_of_risk)} of {answer.staked:.4f} antes staked"],
        ["variance", f"{answer.variance:.4f} (standard deviation {answer.variance**0.5:.4f} antes)"],
        ["dealer plays", _percent(answer.qualifies)],
        ["box wins", _percent(answer.wins)],
        *([name.replace("_", " "), _percent(value)] for name, value in answer.frequencies.items()),
        *([name.replace("_", " "), _side(name, value)] for name, value in answer.sides.items()),
    ]
    doubt = [f"note: within {DOUBT} standard errors of nought: whose edge it is is in doubt"] * answer.in_doubt
    head = strong(f"{answer.rules}, {answer.strategy}: {answer.method}") + f"  ({answer.rules_hash[:12]})"
    return [head, *table(rows), *doubt, *(f"note: {note}" for note in answer.notes)]


def _side(name: str, value: float) -> str:
    return f"{value:,.2f}" if name == "jackpot_break_even" else _percent(value)


def _print_diff(first: Odds, second: Odds, as_json: bool) -> None:
    """What the second costs the house, measured against the first."""
    change = second.house_edge - first.house_edge
    error = (first.stderr**2 + second.stderr**2) ** 0.5
    if as_json:
        print_json({"a": _facts(first), "b": _facts(second), "change": change, "stderr": error})
        return
    rows = [["", "a", "b", "change"]]
    for name in ("house_edge", "element_of_risk", "qualifies", "wins"):
        one, other = getattr(first, name), getattr(second, name)
        rows.append([name.replace("_", " "), _percent(one), _percent(other), _percent(other - one)])
    rows.append(
        ["variance", *(f"{v:.4f}" for v in (first.variance, second.variance, second.variance - first.variance))]
    )
    verb = "costs" if change < 0 else "brings"
    notes = [f"note: {note}" for note in dict.fromkeys((*first.notes, *second.notes))]
    tail = f" +- {_percent(error)}" if error else ""
    print_lines([*table(rows), f"b {verb} the house {_percent(abs(change))} of the ante{tail}", *notes])


@click.command()
@click.option("--rules", "name", default="caribbean", show_default=True, help="The rule set, or a file.")
@click.option("--cards", required=True, help="The box's five cards.")
@click.option("--open", "open_card", required=True, help="The dealer's open card.")
@click.option("--joker", help="J-poker: the card that is the joker; DOC where it is the open card.")
@_set
@_json
def advise(name: str, cards: str, open_card: str, joker: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """The best play of a shown hand, with the value of each choice in antes."""
    set_ = _changes(changes)
    rules = load(name).with_set(set_, "--set") if set_ else load(name)
    hand, shown_open = _cards(rules, cards, open_card)
    wild = _joker(rules, joker, shown_open)
    require_numpy()
    from controller.odds.engine import adviser  # noqa: PLC0415 - numpy is an extra
    from controller.odds.hand import Shown  # noqa: PLC0415

    choices = adviser(rules).choices(Shown(hand, shown_open, wild))
    if as_json:
        facts = [{"choice": c.name, "cards": cards_text(c.gone), "value": c.ev} for c in choices]
        print_json({"rules": rules.id, "rules_hash": rules.rules_hash(), "best": facts[0], "choices": facts})
    else:
        print_lines(_advice(choices))


def _advice(choices: list[Choice]) -> list[str]:
    """The best choice, then the others; of an exchange only the best few."""
    shown = [c for c in choices if c.name != "exchange"] + [c for c in choices if c.name == "exchange"][:5]
    rows = [[_told(c), f"{c.ev:+.6f}"] for c in sorted(shown, key=lambda c: -c.ev)]
    rows[0][0] = strong(rows[0][0])
    return table(rows)


def _told(choice: Choice) -> str:
    return f"exchange {cards_text(choice.gone)}" if choice.gone else choice.name


def _cards(rules: RuleSet, cards: str, open_card: str) -> tuple[tuple[Card, ...], Card]:
    try:
        hand = parse_cards(cards.replace(",", " "))
        shown = parse_card(open_card)
    except CardError as error:
        raise TableError(411, str(error), "--cards", "correct the cards") from None
    if len(hand) != 5:
        raise TableError(411, f"{len(hand)} cards", "--cards", "the five dealt cards")
    if shown in hand:
        raise TableError(411, f"{card_text(shown)} stands twice", "--open", "the dealer's open card")
    for card in {*hand, shown}.difference(deck(rules.deck_size)):
        raise TableError(411, f"{card_text(card)} is not in this deck", "--cards", f"cards of the {rules.deck_size}")
    return hand, shown


def _joker(rules: RuleSet, joker: str | None, shown: Card) -> Card | None:
    if rules.variant != "jpoker":
        if joker is not None:
            raise TableError(412, "this game draws no joker", "--joker", "leave it out")
        return None
    if joker is None:
        raise TableError(412, "the joker is missing", "--joker", "a card, or DOC")
    if joker == "DOC":
        return shown
    return joker_card(joker, "a card of the deck, or DOC")


commands: list[click.Command] = [odds, advise]
