"""`tablectl find`: the hands of a journal file that have what is asked for. Looks at public facts, changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from controller.cli.audit import default_journal
from controller.cli.output import one_line, print_json, print_lines, table
from controller.domain.cards import CardError, card_text, parse_card
from controller.errors import TableError
from controller.journal.archive import absent, files, lost
from controller.journal.catalogue import hands
from controller.journal.summaries import Summary, told

Function = TypeVar("Function", bound=Callable[..., Any])
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T.*)?)?)?")
OUTCOMES = ("settled", "void", "not_played", "joker_only", "open")


def _asked(function: Function) -> Function:
    for decorate in (
        click.option("--card", "cards", multiple=True, metavar="CARD", help="Was shown (several: all of them)."),
        click.option("--joker", metavar="CARD", help="The joker; DOC too."),
        click.option("--dealer", metavar="OPERATOR", help="Who dealt."),
        click.option("--rules", metavar="ID", help="The game."),
        click.option("--date", metavar="YYYY-MM-DD", help="When it began, or how that begins (2025-03)."),
        click.option("--outcome", type=click.Choice(OUTCOMES), help="How it ended."),
        click.option("--box", type=click.IntRange(1, 7), help="This box was settled."),
        click.option("--won", type=int, metavar="AMOUNT", help="The box (or the whole hand) won at least this."),
        click.option("--lost", type=int, metavar="AMOUNT", help="It lost at least this."),
        click.option("--hit", is_flag=True, help="A jackpot was hit."),
        click.option("--overridden", is_flag=True, help="A person or a fault stepped in."),
    ):
        function = decorate(function)
    return function


@click.command("find")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@click.option("--archive", "archived", is_flag=True, help="The archived files that it goes on from, too.")
@_asked
@click.option("--json", "as_json", is_flag=True, help="One JSON object a hand.")
def find_command(journal: Path | None, archived: bool, as_json: bool, **asked: Any) -> None:
    """List the hands of JOURNAL that fit everything asked."""
    wanted = {**asked, "cards": {_card(text) for text in asked["cards"]}, "joker": _card(asked["joker"])}
    _begins_a_date(asked["date"])
    path = journal or default_journal()
    found = search(list(files(path)) if archived else [path], wanted)
    if as_json:
        for hand in found:
            print_json(hand)
    else:
        print_lines([one_line(line) for line in lines(found)])
    away = absent(path) if archived else None
    if away is not None:  # no fault, but nobody may take the list for whole
        what = f"hands up to {away.hand} are not listed: {away.file} is not beside the journal"
        click.echo(TableError(247, what, str(path), "bring the archived file back").line(), err=True)
    for each in lost(path) if archived else []:
        click.echo(each.error(str(path)).line(), err=True)


commands: list[click.Command] = [find_command]


def search(paths: list[Path], asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The hands of these files, the newest file first, that fit: in the order in which they were played."""
    return [told(hand) for path in reversed(paths) for hand in hands(path) if fits(hand, asked)]


def fits(hand: Summary, asked: dict[str, Any]) -> bool:
    """Whether a hand has everything that was asked for; what is None, empty or false was not."""
    box = asked["box"]
    net = hand.net if box is None else hand.boxes.get(box, 0)
    return all(
        (
            asked["cards"] <= hand.cards,
            asked["joker"] in (None, hand.joker),
            asked["dealer"] in (None, hand.dealer),
            asked["rules"] in (None, hand.rules),
            asked["date"] is None or hand.t.startswith(asked["date"]),
            asked["outcome"] in (None, hand.outcome),
            box is None or box in hand.boxes,
            asked["won"] is None or net >= asked["won"],
            asked["lost"] is None or -net >= asked["lost"],
            not asked["hit"] or hand.hits > 0,
            not asked["overridden"] or hand.overrides > 0,
        )
    )


def lines(found: list[dict[str, Any]]) -> list[str]:
    """A table for people, of hands as `told` tells them."""
    rows = [["hand", "began", "rules", "dealer", "ended", "joker", "dealer's cards", "boxes", "overrides"]]
    for hand in found:
        boxes = " ".join(f"{box}:{net:+}" for box, net in hand["boxes"].items())
        words = [hand[part] for part in ("rules", "dealer", "outcome", "joker", "dealer_cards")]
        rows.append([str(hand["hand"]), hand["t"][:19], *words, boxes, str(hand["overrides"] or "")])
    return [*table(rows), f"{len(found)} hands"]


def _begins_a_date(text: str | None) -> None:
    """A date that no hand can bear would find none, as if none had been played."""
    if text is not None and DATE.fullmatch(text) is None:
        raise TableError(246, f"{text!r} is not a date", "find --date", "write 2025-03-31, or how it begins: 2025-03")


def _card(text: str | None) -> str | None:
    if text is None or text.upper() == "DOC":
        return text and "DOC"
    try:
        return card_text(parse_card(text))
    except CardError:
        raise TableError(242, f"{text!r} is not a card", "find", "write rank and suit, as in Qh") from None
