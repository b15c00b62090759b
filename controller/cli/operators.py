"""`tablectl operator add, list, reset`: the file of operators. Never prints a PIN or its hash."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.output import one_line, print_json, print_lines, table
from controller.cli.table import need_terminal, read_pins
from controller.control import operators
from controller.control.operators import PIN_RULE, Operator, Role

DEFAULT_FILE = Path("/etc/table-controller/operators.json")

_file = click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    default=DEFAULT_FILE,
    show_default=True,
    help="The file of operators.",
)
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


commands: list[click.Command] = [operator]


def _new_pin(operator_id: str, pin_fd: int | None) -> str:
    if pin_fd is not None:
        return read_pins((operator_id,), pin_fd)[0]
    text = f"New PIN of {operator_id} ({PIN_RULE})"
    need_terminal()
    return str(click.prompt(text, hide_input=True, confirmation_prompt=True, err=True))


def _show(found: list[Operator], as_json: bool) -> None:
    if as_json:
        print_json([{"id": one.id, "name": one.name, "roles": one.roles} for one in found])
    else:
        print_lines([one_line(line) for line in table([[one.id, ",".join(one.roles), one.name] for one in found])])
