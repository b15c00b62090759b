"""`tablectl statistics`: counts of the last hands, from the running table or folded out of a journal file.

From the table only what everybody may see; from a file also how alike the decks were, once their hands had ended.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from controller.cli.output import one_line, print_json, print_lines
from controller.cli.table import socket_path, with_socket
from controller.control.client import Client
from controller.domain import events as ev
from controller.journal.codec import Registry
from controller.journal.hands import read_hand
from controller.journal.reader import Reader
from controller.journal.records import HAND_OPENED, SealedEvent
from controller.table import alarms
from controller.table.ended_hands import records
from controller.table.past import seconds
from controller.table.statistics import Statistics, fold
from controller.table.voided import Voided, as_if
from controller.table.watch import summary
from controller.watch_config import AlarmsSection


@click.command("statistics")
@click.argument("journal", type=click.Path(path_type=Path), required=False)
@with_socket
@click.option("--json", "as_json", is_flag=True, help="The numbers as one JSON object.")
def statistics_command(journal: Path | None, socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Readers, dealers, wins, jokers and alarms of the last hands; of the file JOURNAL, else of the running table."""
    if journal is None:
        with Client(socket_path(socket, config)) as client:
            snapshot = client.status()
        told = {**snapshot.get("statistics", {}), "alarms": snapshot.get("alarms", [])}
    else:
        told = from_file(journal, _limits(config))
    if as_json:
        print_json(told)
    else:
        print_lines([one_line(line) for line in lines(told)])


def _limits(config: Path | None) -> AlarmsSection:
    if config is None:
        return AlarmsSection()
    from controller.config import load_config  # noqa: PLC0415 - only where it is asked for

    return load_config(config).alarms


def from_file(journal: Path, limits: AlarmsSection) -> dict[str, Any]:
    """What the journal's hands give, with the alarms that its statistics call for at its end."""
    found = Statistics(span=limits.hands)
    ends: dict[int, str] = {}  # voided hands and their dealers
    for record in records(journal):
        event = record.event
        if isinstance(event, SealedEvent) and record.type == HAND_OPENED:  # its key is nobody's business here
            event = ev.HandOpened(hand=int(event.public["hand"]), key="")
        if isinstance(event, ev.HandEnded) and event.outcome == "void":
            ends[event.hand] = found.dealer
        found = fold(found, event, seconds(record.stamp))
    neighbours, order = alarms.decks(found)
    likeness = {
        "compared": len(found.likeness),
        "kept": sum(one.kept for one in found.likeness),
        "expected": round(sum(one.expected for one in found.likeness), 2),
        "chance_neighbours": neighbours,
        "chance_order": order,
    }
    due = [msgspec.structs.asdict(alarm) for alarm in alarms.due(found, limits)]
    voided = [msgspec.structs.asdict(hand) for hand in voided_hands(journal, ends)]
    return {**summary(found), "decks": likeness if found.likeness else {}, "voided": voided, "alarms": due}


def voided_hands(journal: Path, dealers: dict[int, str]) -> list[Voided]:
    """What these hands would have paid, had nobody voided them."""
    known = Registry(ev.registry())
    with Reader(journal) as reader:
        hands = (as_if(read_hand(reader, known, n, str(journal))[0], dealer) for n, dealer in dealers.items())
        return [hand for hand in hands if hand is not None]


def lines(told: dict[str, Any]) -> list[str]:
    """The same for people."""
    found = [f"hands {told.get('hands', 0)}"]
    for whom, (unread, cards) in told.get("readers", {}).items():
        found.append(f"{whom}: {unread} of {cards} cards unread")
    found += [f"{device}: gone {count} time(s) in the last hour" for device, count in told.get("drops", {}).items()]
    for dealer, counts in told.get("dealers", {}).items():
        found.append(f"{dealer}: " + ", ".join(f"{what.replace('_', ' ')} {count}" for what, count in counts.items()))
    for whom, (won, decided) in told.get("wins", {}).items():
        found.append(f"wins {whom}: {won} of {decided}")
    for name in ("jokers", "decks"):
        if values := told.get(name):
            found.append(f"{name}: " + ", ".join(f"{what.replace('_', ' ')} {value}" for what, value in values.items()))
    found += [_voided(hand) for hand in told.get("voided", [])]
    return found + [f"ALARM {a['code']} {a['subject']}: {a['detail']}" for a in told.get("alarms", [])]


def _voided(hand: dict[str, Any]) -> str:
    nets = [f"box {box} {net:+d}" for box, net in hand["nets"].items()] + [f"box {box} ?" for box in hand["open"]]
    who = ", ".join(hand["by"])
    return f"void hand {hand['hand']} ({hand['reason']}; {hand['phase']}; dealer {hand['dealer']}; by {who}): " + (
        f"as if settled: {', '.join(nets)}" if nets else "nothing staked"
    )


commands: list[click.Command] = [statistics_command]
