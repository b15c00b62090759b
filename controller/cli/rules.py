"""`tablectl rules`: the rule sets that ship and a house's own; shows, checks, compares, hashes. Changes none."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.cli.output import print_json, print_lines, strong, table
from controller.config import Config, load_config
from controller.domain.prices import best_win, most_dealt
from controller.domain.ruleset import RuleSet
from controller.errors import TableError
from controller.odds import NOT_KNOWN, remark
from controller.rulesets import explain, load, shipped

_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def rules() -> None:
    """The games and their parameters."""


@rules.command("list")
@_json
def list_(as_json: bool) -> None:
    """The rule sets that ship."""
    sets = [load(name) for name in shipped()]
    if as_json:
        print_json([_about(one) for one in sets])
    else:
        print_lines(table([[one.id, one.title, f"{one.rules_hash()[:12]}"] for one in sets]))


@rules.command()
@click.argument("rule_set", metavar="ID")
@_json
def show(rule_set: str, as_json: bool) -> None:
    """Every parameter of a rule set (an id, or a file)."""
    chosen = load(rule_set)
    if as_json:
        print_json({**_about(chosen), "parameters": chosen.facts()})
        return
    meanings = explain()
    facts = chosen.facts()
    jackpot = facts.pop("jackpot")
    rows = [[name, _text(value), meanings[name]] for name, value in (facts | jackpot).items()]
    print_lines([strong(f"{chosen.id}: {chosen.title}"), f"hash {chosen.rules_hash()}", *table(rows)])


@rules.command()
@click.argument("file", metavar="FILE")
@_json
def check(file: str, as_json: bool) -> int:
    """Checks a rule set (file or id) or a table.toml with the rule set that it names.

    Exit code 1: a template that is not filled in, or a plate that does not go with the game.
    """
    config = _table_config(file)
    chosen = load(file if config is None else config.table.rules)
    faults, warnings = _findings(chosen, config)
    odds = remark(chosen)
    warnings += odds.warnings if odds is not None else [] if chosen.fill_in else [NOT_KNOWN]
    if as_json:
        told = {"odds": odds.text if odds is not None else None, "warnings": warnings, "boxes": _most_boxes(chosen)}
        print_json({**_about(chosen), "ok": not faults, "faults": faults, **told})
    else:
        print_lines([odds.text] if odds is not None else [])
        print_lines([f"fault: {fault}" for fault in faults] + [f"warning: {warning}" for warning in warnings])
        print_lines([f"{chosen.id}: {'not ready' if faults else 'OK'}, serves {most_dealt(chosen)} boxes"])
    return 1 if faults else 0


@rules.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@_json
def diff(one: str, other: str, as_json: bool) -> None:
    """What differs between two rule sets."""
    first, second = load(one), load(other)
    there, back = second.difference(first), first.difference(second)
    if as_json:
        print_json({"a": first.id, "b": second.id, "differences": {k: {"a": back[k], "b": there[k]} for k in there}})
    else:
        rows = [[name, _text(back[name]), _text(there[name])] for name in there]
        print_lines(table([["", first.id, second.id], *rows]) if rows else ["no difference"])


@rules.command("hash")
@click.argument("rule_set", metavar="ID")
@_json
def hash_(rule_set: str, as_json: bool) -> None:
    """The SHA-256 of a rule set's canonical form."""
    chosen = load(rule_set)
    if as_json:
        print_json({"id": chosen.id, "rules_hash": chosen.rules_hash()})
    else:
        print_lines([chosen.rules_hash()])


def _about(one: RuleSet) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "base": one.base_id,
        "template": list(one.fill_in),
        "rules_hash": one.rules_hash(),
    }


def _text(value: object) -> str:
    return "none" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _table_config(file: str) -> Config | None:
    """The configuration, where the file is a table.toml and not a rule set."""
    if not file.endswith(".toml"):
        return None
    try:
        data = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None  # load() says what is wrong with it
    return load_config(Path(file)) if "table" in data else None


def _findings(chosen: RuleSet, config: Config | None) -> tuple[list[str], list[str]]:
    """What keeps a table from opening, and what a supervisor has to acknowledge."""
    faults, warnings = [], []
    try:
        chosen.require_complete()
    except TableError as error:
        faults.append(error.line())
    if chosen.max_boxes > most_dealt(chosen):
        warnings.append(f"max_boxes = {chosen.max_boxes}, but the deck serves {most_dealt(chosen)}")
    if config is not None:
        faults += _plate_faults(chosen, config)
        warnings += _plate_warnings(chosen, config)
    return faults, warnings


def _plate_faults(chosen: RuleSet, config: Config) -> list[str]:
    faults = []
    if config.limits.ante_min > config.limits.ante_max:
        faults.append(f"limits.ante_min {config.limits.ante_min} is above ante_max {config.limits.ante_max}")
    most = _most_boxes(chosen)
    if config.table.boxes > most:
        faults.append(f"table.boxes = {config.table.boxes}: 1 to {most}, by max_boxes and by what the deck serves")
    return faults


def _most_boxes(chosen: RuleSet) -> int:
    """As many as a table may have: by the rule set, and by its deck."""
    return min(chosen.max_boxes, most_dealt(chosen))


def _plate_warnings(chosen: RuleSet, config: Config) -> list[str]:
    """Q13: a plate that cuts even the smallest bet's best win; fees that do not come out whole."""
    ante, warnings = config.limits.ante_min, []
    best = best_win(chosen, ante)
    if config.limits.cap < best:
        warnings.append(f"limits.cap {config.limits.cap} is below what ante_min can win ({best})")
    for count, price in chosen.exchange_fee.items():
        if (price * ante).denominator != 1:
            warnings.append(f"the fee for {count} cards is not whole at ante_min {ante}")
    return warnings


commands: list[click.Command] = [rules]
