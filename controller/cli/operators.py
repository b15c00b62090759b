"""`tablectl operator add, list, reset, badge, remove`: the file of operators. Never prints a PIN, a badge or a hash."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from controller.cli.output import one_line, print_json, print_lines, table
from controller.cli.table import need_terminal, read_pins
from controller.control import operators
from controller.control.operators import PIN_RULE, Operator, Role

DEFAULT_FILE = Path("/etc/table-controller/operators.json")

Function = TypeVar("Function", bound=Callable[..., Any])


def _file(command: Function) -> Function:
    """Options that say which file: --file, or --config whose control.operators it is. The command gets its `path`."""

    @functools.wraps(command)
    def found(*args: Any, file: Path | None, config: Path | None, **named: Any) -> Any:
        return command(*args, path=_path(file, config), **named)

    text = f"The file of operators (default {DEFAULT_FILE})."
    named = click.option("--file", type=click.Path(path_type=Path), help=text)
    by_config = click.option("--config", type=click.Path(path_type=Path), help="table.toml that names the file.")
    return cast(Function, named(by_config(found)))


def _path(file: Path | None, config: Path | None) -> Path:
    if file is not None and config is not None:
        raise click.UsageError("give --file or --config, not both")
    if config is None:
        return file or DEFAULT_FILE
    from controller.config import load_config  # noqa: PLC0415 - only where it is asked for

    return Path(load_config(config).control.operators)


_pin_fd = click.option(
    "--pin-fd", type=click.IntRange(min=0), help=f"Read the PIN ({PIN_RULE}) here, not on the terminal."
)
_roles = click.Choice([role.value for role in Role])
_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def operator() -> None:
    """Who may agree to what at this table."""


@operator.command()
@click.argument("operator_id", metavar="ID")
@click.option("--name", required=True, help="As it stands on slips and in records.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice([role.value for role in Role]),
    help="May be repeated.",
)
@_file
@_pin_fd
@_json
def add(operator_id: str, name: str, roles: tuple[str, ...], path: Path, pin_fd: int | None, as_json: bool) -> None:
    """A new operator."""
    pin = _new_pin(operator_id, pin_fd)
    added = operators.add(path, operator_id, name, tuple(Role(role) for role in roles), pin)
    _show([added], as_json)


@operator.command("list")
@_file
@_json
def list_(path: Path, as_json: bool) -> None:
    """All operators."""
    _show(list(operators.load(path).operators), as_json)


@operator.command()
@click.argument("operator_id", metavar="ID")
@_file
@_pin_fd
@_json
def reset(operator_id: str, path: Path, pin_fd: int | None, as_json: bool) -> None:
    """A new PIN for an operator."""
    _show([operators.reset(path, operator_id, _new_pin(operator_id, pin_fd))], as_json)


@operator.command()
@click.argument("operator_id", metavar="ID")
@_file
@_json
def remove(operator_id: str, path: Path, as_json: bool) -> None:
    """Takes an operator out. What he did stays in the journal."""
    _show([operators.remove(path, operator_id)], as_json)


@operator.command()
@click.argument("operator_id", metavar="ID")
@click.option("--badge-fd", type=click.IntRange(min=0), help="Read the badge here, not on the terminal.")
@click.option("--none", "none", is_flag=True, help="Take his badge away.")
@_file
@_json
def badge(operator_id: str, badge_fd: int | None, none: bool, path: Path, as_json: bool) -> None:
    """A badge for an operator: what its reader prints (a keyboard wedge types it)."""
    _show([operators.set_badge(path, operator_id, None if none else _new_badge(operator_id, badge_fd))], as_json)


commands: list[click.Command] = [operator]


def _new_badge(operator_id: str, badge_fd: int | None) -> str:
    if badge_fd is not None:
        return read_pins((operator_id,), badge_fd)[0]
    need_terminal()
    return str(click.prompt(f"Badge of {operator_id}", hide_input=True, err=True)).strip()


def _new_pin(operator_id: str, pin_fd: int | None) -> str:
    if pin_fd is not None:
        return read_pins((operator_id,), pin_fd)[0]
    text = f"New PIN of {operator_id} ({PIN_RULE})"
    need_terminal()
    return str(click.prompt(text, hide_input=True, confirmation_prompt=True, err=True))


def _show(found: list[Operator], as_json: bool) -> None:
    if as_json:
        print_json(
            [{"id": one.id, "name": one.name, "roles": one.roles, "badge": one.badge is not None} for one in found]
        )
        return
    rows = [[one.id, ",".join(one.roles), "badge" if one.badge else "-", one.name] for one in found]
    print_lines([one_line(line) for line in table(rows)])
