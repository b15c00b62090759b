"""`tablectl learn-cards`: the code table of a plain reader, card by card, from scans of a deck.

Every accepted code is on disk before the next card is asked for, so it can be taken up again. Guesses nothing: a scan
that could be two, or a code that is another card's, is said and asked for again.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from controller.cli.output import one_line
from controller.domain.cards import card_text, deck
from controller.errors import TableError
from drivers.events import PortBytes, PortClosed, PortEvent, PortOpened
from drivers.reader_codes import CodeTable, CodeTableError, check, parse_codes, toml_of
from drivers.text_lines import LineCutter, Printed
from drivers.transport.pump import PortUnavailable
from drivers.transport.serial_port import PortBusy, SerialPump

WAIT_S = 0.2


@click.command("learn-cards")
@click.argument("codes", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--port", required=True, help="The reader's serial device; tabled must not hold it.")
@click.option("--baud", type=click.IntRange(1200, 4_000_000), default=9600, show_default=True)
@click.option("--deck", "size", type=click.Choice(["52", "53", "36"]), default="52", show_default=True)
@click.option("--decks", type=click.IntRange(1, 9), default=1, show_default=True, help="So many codes for each card.")
@click.option("--pattern", help="Of a new table: a regular expression for a whole line, with (?P<code>...).")
@click.option("--ends", help="Of a new table: the characters that end a line, as \\r\\n.")
@click.option("--any-length", is_flag=True, help="Codes may differ in length.")
@click.option("--skip", multiple=True, metavar="CARD", help="Do not ask for this card; may be repeated.")
def learn_cards(
    codes: Path,
    port: str,
    baud: int,
    size: str,
    decks: int,
    pattern: str | None,
    ends: str | None,
    any_length: bool,
    skip: tuple[str, ...],
) -> int:
    """Scans a deck into CODES, card by card. A file that stands there is gone on with; Ctrl-C keeps what is learnt."""
    table = _table(codes, pattern, ends)
    cards = [card_text(card) for card in deck(int(size))]
    with contextlib.suppress(KeyboardInterrupt), _lines(port, baud, table) as lines:
        for card in lacking(table, cards, decks):
            if card not in skip:
                table = _learn(table, card, lines, any_length)
                write(codes, table)
    return _say_what_lacks(codes, table, cards, decks)


commands: list[click.Command] = [learn_cards]


def lacking(table: CodeTable, cards: Sequence[str], decks: int) -> list[str]:
    """The cards to ask for, deck by deck: each as often as codes of it are missing."""
    have = list(table.codes.values())
    return [card for number in range(1, decks + 1) for card in cards if have.count(card) < number]


def taken(table: CodeTable, card: str, line: str, *, any_length: bool = False) -> CodeTable | str:
    """The table with this scan as the card's code, or why it cannot be."""
    match = re.fullmatch(table.pattern, line)
    if match is None or not match["code"]:
        return f"{line!r} does not fit the pattern"
    code = match["code"]
    if code in table.codes:
        return f"that code is {table.codes[code]}"
    length = next((len(known) for known in table.codes), len(code))
    if len(code) != length and not any_length:
        return f"{code!r} has {len(code)} characters, the others {length}: two scans in one, or half of one?"
    try:
        grown = msgspec.convert(
            {**msgspec.to_builtins(table), "codes": {**table.codes, code: card}}, CodeTable
        )  # a code must be printable, too
        check(grown)
    except (CodeTableError, msgspec.ValidationError) as error:
        return str(error)
    return grown


def write(path: Path, table: CodeTable) -> None:
    """Atomically: a power cut leaves the old table or the new one."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.write(toml_of(table))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise TableError(142, f"cannot write the code table, {error.strerror}", str(path), "check the folder") from None


def _table(path: Path, pattern: str | None, ends: str | None) -> CodeTable:
    """The one that stands there, or a new one."""
    if path.exists():
        if pattern or ends:
            raise click.UsageError(f"{path} exists: its pattern and ends stand in it")
        return _read(path)
    named = {"pattern": pattern, "ends": ends and ends.encode().decode("unicode_escape")}
    try:
        table = msgspec.convert({key: value for key, value in named.items() if value}, CodeTable)
        check(table)
    except (CodeTableError, msgspec.ValidationError) as error:
        raise click.UsageError(str(error)) from None
    return table


def _read(path: Path) -> CodeTable:
    try:
        return parse_codes(path.read_bytes())
    except CodeTableError as error:
        raise TableError(140, f"not a code table, {error}", str(path), "correct it, or name a new file") from None


def _learn(table: CodeTable, card: str, lines: Iterator[str], any_length: bool) -> CodeTable:
    click.echo(f"{card}: scan it")
    for line in lines:
        found = taken(table, card, line, any_length=any_length)
        if isinstance(found, CodeTable):
            return found
        click.echo(one_line(f"  no: {found}; scan the {card}"))
    raise AssertionError("lines never end")


def _say_what_lacks(path: Path, table: CodeTable, cards: Sequence[str], decks: int) -> int:
    missing = lacking(table, cards, decks)
    click.echo(f"{path}: {len(table.codes)} codes" + (f", lacking: {' '.join(missing)}" if missing else ", complete"))
    return 1 if missing else 0


@contextlib.contextmanager
def _lines(port: str, baud: int, table: CodeTable) -> Iterator[Iterator[str]]:
    """What the reader prints from now on, one text a scan; a repeat of the scanner is none."""
    events: queue.Queue[PortEvent] = queue.Queue()
    pump = SerialPump("reader", port, baud, events.put, time.monotonic_ns)
    try:
        pump.probe()
    except PortBusy as error:
        raise TableError(331, str(error), port, "stop tabled or the other program", exit_code=5) from None
    except PortUnavailable as error:
        raise TableError(332, str(error), port, "plug the reader in, name its device", exit_code=4) from None
    pump.start()
    try:
        yield _scans(events, table)
    finally:
        pump.close()


def _scans(events: queue.Queue[PortEvent], table: CodeTable) -> Iterator[str]:
    cutter = LineCutter(table.ends.encode("ascii"), table.unfinished_ms)
    last, last_ns, gone = b"", 0, False
    while True:
        items = cutter.tick(time.monotonic_ns())
        with contextlib.suppress(queue.Empty):
            event = events.get(timeout=WAIT_S)
            if isinstance(event, PortBytes):
                items += cutter.feed(event.data, event.t_ns)
            elif isinstance(event, PortClosed) and not gone:
                gone = True
                click.echo(f"  the reader is gone ({event.reason}): plug it in")
            elif isinstance(event, PortOpened) and gone:
                gone = False
                click.echo("  the reader is back")
        for item in items:
            now = time.monotonic_ns()
            repeated = item.raw == last and now - last_ns < table.repeat_ms * 1_000_000
            last, last_ns = item.raw, now
            text = item.raw.decode("ascii", "replace")  # as the table's own driver reads it
            if not isinstance(item, Printed):
                click.echo(one_line(f"  no: {_shown(item.raw)} does not end"))
            elif repeated or (table.ignore and re.fullmatch(table.ignore, text)):
                continue
            elif not item.raw.isascii():  # at the table no code could ever equal it
                click.echo(one_line(f"  no: {_shown(item.raw)} is not ASCII: noise, or another baud rate?"))
            else:
                yield text


def _shown(raw: bytes) -> str:
    return ascii(raw)[1:]
