"""`tablectl status`, `watch`, `do`: the control socket from a terminal. Shows public facts only, having no others."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from controller.cli.output import one_line, print_json, print_lines
from controller.cli.table_text import describe, describe_outcome, describe_prompt
from controller.control.client import DEFAULT_SOCKET, Client, Reply
from controller.errors import TableError

STALE = "TC-0502"
TRIES = 5  # a PIN takes a quarter of a second to check; a table in play moves meanwhile

Function = TypeVar("Function", bound=Callable[..., Any])


def with_socket(function: Function) -> Function:
    """Options that say which table: --socket, or --config whose control.socket it is."""
    config = click.option("--config", type=click.Path(path_type=Path), help="table.toml that names the socket.")
    path = click.option("--socket", type=click.Path(path_type=Path), help=f"Control socket (default {DEFAULT_SOCKET}).")
    return config(path(function))


def socket_path(socket: Path | None, config: Path | None) -> Path:
    """The socket to use. Both options at once are a mistake."""
    if socket is not None and config is not None:
        raise click.UsageError("give --socket or --config, not both")
    if config is None:
        return socket or DEFAULT_SOCKET
    from controller.config import load_config  # noqa: PLC0415 - only where it is asked for

    return Path(load_config(config).control.socket)


@click.command()
@with_socket
@click.option("--json", "as_json", is_flag=True, help="The snapshot as JSON.")
def status(socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Phase, boxes, prompt and devices."""
    with Client(socket_path(socket, config)) as client:
        snapshot = client.status()
    if as_json:
        print_json(snapshot)
    else:
        print_lines([one_line(line) for line in describe(snapshot)])


@click.command()
@with_socket
@click.option("--json", "as_json", is_flag=True, help="JSON lines (they always are).")
def watch(socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Snapshots as they come, one JSON object a line, until Ctrl-C."""
    with Client(socket_path(socket, config)) as client:
        for message in client.watch(beats=True):
            if "snapshot" in message:
                print_json(message["snapshot"])
            elif _nobody_reads():  # a beat: nothing to print, so a closed pipe would not show by itself
                raise BrokenPipeError


def _nobody_reads() -> bool:
    """Whoever read our standard output has gone."""
    ear = select.poll()
    ear.register(1, 0)
    return any(what & (select.POLLERR | select.POLLHUP) for _, what in ear.poll(0))


@click.command()
@click.argument("name")
@click.argument("args", nargs=-1, metavar="[KEY=VALUE]...")
@with_socket
@click.option("--as", "operators", multiple=True, metavar="OPERATOR", help="Who agrees; may be repeated.")
@click.option("--pin-fd", type=click.IntRange(min=0), help="Read the PINs here, one a line, in the order of --as.")
@click.option("--hand", type=int, help="The hand that you saw (default: now).")
@click.option("--version", "seen", type=int, help="The version that you saw (default: now).")
@click.option("--token", help="Name of this act: sent again, it is not done again.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def do(
    name: str,
    args: tuple[str, ...],
    socket: Path | None,
    config: Path | None,
    operators: tuple[str, ...],
    pin_fd: int | None,
    hand: int | None,
    seen: int | None,
    token: str | None,
    as_json: bool,
) -> None:
    """One command at the table, for instance: do exchange box=3 count=1."""
    arguments = parse_args(args)
    path = socket_path(socket, config)
    identities = list(zip(operators, read_pins(operators, pin_fd), strict=True))
    with Client(path) as client:
        look = partial(_look, client, hand, seen)
        say = partial(client.do, name, arguments, identities=identities, token=token)
        reply = _said(look, say, tries=1 if seen is not None or token else TRIES)
        prompt = {} if as_json else client.status().get("prompt") or {}
    if as_json:
        print_json({"ok": True, "outcome": reply.outcome, "version": reply.version})
    else:
        print_lines([one_line(line) for line in (*describe_outcome(reply.outcome), *describe_prompt(prompt))])


def _look(client: Client, hand: int | None, seen: int | None) -> dict[str, int]:
    """Hand and version that the act is meant for: those named, else those of now."""
    now = {} if None not in (hand, seen) else client.status()
    return {
        "hand": int(now["hand"]) if hand is None else hand,
        "version": int(now["version"]) if seen is None else seen,
    }


def _said(look: Callable[[], dict[str, int]], say: Callable[..., Reply], tries: int) -> Reply:
    """The act. Who named no version means the table as it is: where it moves on, look again, in the same hand."""
    first = meant = look()
    for _ in range(tries - 1):
        try:
            return say(**meant)
        except TableError as error:
            meant = look()
            if error.code != STALE or meant["hand"] != first["hand"]:
                raise
    return say(**meant)


commands: list[click.Command] = [status, watch, do]


# --- arguments


def parse_args(words: tuple[str, ...]) -> dict[str, Any]:
    """`box=3 cards=Qd chips={"500":2}`: whole numbers, true, false, null, JSON lists and objects; else text."""
    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise click.UsageError(f"{one_line(word)} is not KEY=VALUE")
        if key in found:
            raise click.UsageError(f"{one_line(key)} is given twice")
        found[key] = _value(key, text)
    return found


def _value(key: str, text: str) -> Any:
    if not (text.startswith(("{", "[")) or text in ("true", "false", "null") or _is_number(text)):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        raise click.UsageError(f"the value of {one_line(key)} is not JSON") from None


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")


def read_pins(operators: tuple[str, ...], pin_fd: int | None) -> list[str]:
    """One PIN for each operator, from the descriptor or asked on the terminal without showing it."""
    if not operators:
        return []
    if pin_fd is None:
        need_terminal()
        return [click.prompt(f"PIN of {operator}", hide_input=True, err=True) for operator in operators]
    try:
        with os.fdopen(os.dup(pin_fd), encoding="ascii", errors="replace") as file:
            pins = [file.readline().strip() for _ in operators]
    except OSError as error:
        remedy = "give an open descriptor, for instance 3< file"
        raise TableError(191, f"cannot read the PINs, {error.strerror}", f"--pin-fd {pin_fd}", remedy) from None
    if not all(pins):
        raise TableError(191, "a PIN is missing", f"--pin-fd {pin_fd}", "give one line for each --as")
    return pins


def need_terminal() -> None:
    """A PIN is asked where it can be typed unseen, or not at all."""
    if not sys.stdin.isatty():
        raise TableError(192, "no terminal to ask for a PIN", "standard input", "give it with --pin-fd")
