"""`tablectl memory-clear`: two people begin a new journal because no copy of the old one holds.

Nothing is deleted: the bad files are renamed, and record 2 of the new journal names them, their hashes and the people.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from controller import journals
from controller.cli.output import print_json, print_lines
from controller.cli.table import read_pins
from controller.config import Config, load_config
from controller.control.tries import proved
from controller.domain.hand.authority import Grade, Identity, missing
from controller.domain.hand.jackpot import amount_text
from controller.domain.state import Table
from controller.errors import TableError
from controller.journal.clearing import clear
from controller.journal.opening import Owner, open_verified
from controller.journal.records import FoundMeter, MemoryCleared
from controller.runtime.clock import Clock
from controller.table import keeping
from controller.table.statistics import Statistics


@click.command("memory-clear")
@click.option("--config", type=click.Path(path_type=Path), required=True, help="table.toml of the stopped table.")
@click.option("--as", "operators", multiple=True, required=True, metavar="OPERATOR", help="Two people, each once.")
@click.option("--meter", metavar="AMOUNT", help="What the jackpot begins with (default: what the old files tell last).")
@click.option("--reserve", metavar="AMOUNT", help="And its reserve.")
@click.option("--pin-fd", type=click.IntRange(min=0), help="Read the PINs here, one a line.")
@click.option("--json", "as_json", is_flag=True, help="What was done as JSON.")
def memory_clear_command(
    config: Path,
    operators: tuple[str, ...],
    meter: str | None,
    reserve: str | None,
    pin_fd: int | None,
    as_json: bool,
) -> None:
    """Set journals aside that do not hold, and begin a new one. Grade C: a supervisor and a second person."""
    loaded = load_config(config)
    _agree(Path(loaded.control.operators), operators, read_pins(operators, pin_fd))
    done = cleared(loaded, operators, partial(_meter, loaded, meter, reserve))
    if as_json:
        print_json(msgspec.to_builtins(done))
        return
    lines = [f"set aside {aside}: sha256 {lost.sha256}" for lost, aside in zip(done.lost, done.aside, strict=True)]
    if done.witness:
        lines.append(f"set aside {done.witness}: the witness of what is lost")
    print_lines([*lines, *_told(done), f"a new journal begins; hands count on from {done.hand}"])


commands: list[click.Command] = [memory_clear_command]


Decide = Callable[[FoundMeter | None], tuple[str, str]]


def cleared(config: Config, operators: tuple[str, ...], decide: Decide) -> MemoryCleared:
    """Refused where a copy holds (exit code 2) or a daemon has it (5)."""
    paths, keys = journals.paths(config), journals.load_keys(config.keys)
    stamp = Clock("clear").stamp()
    verified = partial(open_verified, owner=Owner(config.table.id, keys))
    make = partial(journals.begin_journal, table=config.table.id, keys=keys, stamp=stamp)
    witness = Path(config.journal.witness) if config.journal.witness else None
    done = clear(paths, verified, make, _after, operators, stamp, decide, witness)
    for made in (paths[0], *([witness] if witness is not None else [])):
        _as_the_old(made)
    return done


def _after(done: MemoryCleared) -> tuple[dict[str, Any], str]:
    hits = done.found.hits if done.found is not None else 0
    table = Table(hands=done.hand, meter=done.meter, reserve=done.reserve or "0", hits=hits)
    return keeping.kept(table, Statistics())


def _meter(config: Config, meter: str | None, reserve: str | None, found: FoundMeter | None) -> tuple[str, str]:
    """What the jackpot begins with. The players' money: where no file tells it, the two people must."""
    if meter is None and reserve is None:
        if found is None and config.jackpot is not None:
            remedy = "give --meter and --reserve: what the display, the slip or the witness's list showed last"
            raise TableError(252, "the old files do not tell the jackpot's meter", "memory-clear", remedy)
        return (found.meter, found.reserve) if found is not None else ("", "")
    read = (found.meter, found.reserve) if found is not None else ("", "0")  # what nobody names stays as it was read
    amounts = read[0] if meter is None else amount_text(meter), read[1] if reserve is None else amount_text(reserve)
    if not all(amounts):
        raise TableError(252, "no amount of a meter", "--meter, --reserve", "amounts like 10250.70")
    return amounts


def _told(done: MemoryCleared) -> list[str]:
    said, found = f"jackpot {done.meter}, reserve {done.reserve}", done.found
    if not done.meter:
        return []
    if found is None:
        return [f"{said}: the old files do not tell it"]
    return [f"{said}; {found.file} tells {found.meter}, reserve {found.reserve} in record {found.seq}"]


def _agree(file: Path, operators: tuple[str, ...], pins: list[str]) -> None:
    """Every PIN right, and together grade C; none of them counts as the dealer, for nobody is at the table."""
    people = proved(file, operators, pins)
    identities = tuple(Identity(one.id, frozenset(str(r) for r in one.roles)) for one in people)
    lacking = missing(Grade.C, identities, None)
    if lacking:
        remedy = "a supervisor and another supervisor or surveillance, each with --as"
        raise TableError(238, f"{lacking} must agree", "memory-clear", remedy)


def _as_the_old(path: Path) -> None:
    """What root makes in a folder of the daemon's user is that user's."""
    owner = path.parent.stat()
    if os.geteuid() == 0:
        for made in path.parent.glob(f"{path.name}*"):
            os.chown(made, owner.st_uid, owner.st_gid)
