"""`tablectl quiz`: asks dealers what hands pay and what they are, and marks the answers."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable

import click

from controller.cli.drills import Ask, Kind, Question, questions, right
from controller.cli.output import print_json, strong
from controller.domain.paytable import Category
from controller.rulesets import load

MOST = 1000


@click.command()
@click.option("--kind", type=click.Choice([str(kind) for kind in Kind]), default="payout", show_default=True)
@click.option("--rules", "name", default="jpoker", show_default=True, help="The rule set, or a file.")
@click.option("--questions", "count", type=click.IntRange(1, MOST), default=10, show_default=True, help="So many.")
@click.option("--seed", type=int, help="The same questions again.")
@click.option("--json", "as_json", is_flag=True, help="Questions with their answers, one JSON object a line.")
def quiz(kind: str, name: str, count: int, seed: int | None, as_json: bool) -> int:
    """Asks COUNT questions on the terminal, or of standard input a line for each; exit code 1 where one was wrong."""
    rules = load(name).require_complete()
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    asked = itertools.islice(questions(rules, Kind(kind), seed), count)
    if as_json:
        for question in asked:
            print_json(question)
        return 0
    click.echo(f"{rules.id}, {kind}, seed {seed}. What a player gains is +, what he loses -, a push 0.")
    if kind == Kind.HAND:
        click.echo(f"Categories: {', '.join(str(one).replace('_', ' ') for one in Category)}.")
    return _marked(asked)


def _marked(asked: Iterable[Question]) -> int:
    """Asks them; says what was right at each, and how many at the end."""
    good = total = 0
    for number, question in enumerate(asked, start=1):
        click.echo("\n".join((strong(f"\n{number}."), *question.shown)))
        for ask in question.asks:
            total += 1
            good += _answered(ask)
    click.echo(f"\n{good} of {total} right")
    return 0 if good == total else 1


def _answered(ask: Ask) -> bool:
    said = click.prompt(ask.what, default="", show_default=False)
    correct = right(ask, said)
    click.echo("  right" if correct else f"  no: {ask.right.replace('_', ' ')}")
    return correct


commands: list[click.Command] = [quiz]
