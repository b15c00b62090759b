"""`tablectl pair`: two people give a device of a closed table a new key, or take the table's key of it back.

The daemon does it; this only asks and waits for the outcome. No key ever comes through the socket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controller.cli.output import print_json, print_lines
from controller.cli.table import read_pins, socket_path, with_socket
from controller.control.client import Client
from controller.errors import TableError


@click.command()
@click.argument("device", default="shoe")
@with_socket
@click.option(
    "--as", "operators", multiple=True, metavar="OPERATOR", help="Who agrees: two people, none of them dealer."
)
@click.option("--pin-fd", type=click.IntRange(min=0), help="Read the PINs here, one a line, in the order of --as.")
@click.option("--revoke", is_flag=True, help="Only destroy the table's key of this device.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def pair(
    device: str,
    socket: Path | None,
    config: Path | None,
    operators: tuple[str, ...],
    pin_fd: int | None,
    revoke: bool,
    as_json: bool,
) -> None:
    """A new key for DEVICE (shoe or shuffler): set the switch inside it, then call this within a minute."""
    path = socket_path(socket, config)
    identities = list(zip(operators, read_pins(operators, pin_fd), strict=True))
    with Client(path) as client:
        snapshot = client.status()
        reply = client.do(
            "unpair" if revoke else "pair",
            {"device": device},
            hand=int(snapshot["hand"]),
            version=int(snapshot["version"]),
            identities=identities,
        )
        if reply.outcome.get("waiting"):
            raise TableError(334, f"not yet: {reply.outcome['missing']}", device, "name both people with --as")
    outcome = _outcome(path, device)
    if as_json:
        print_json({"ok": True, "device": device, **outcome})
    else:
        print_lines([f"{device}: " + ", ".join(f"{key} {value}" for key, value in outcome.items())])


def _outcome(path: Path, device: str) -> dict[str, Any]:
    """What became of it; the daemon gives up after a minute."""
    with Client(path) as client:
        for snapshot in client.watch():
            now: dict[str, Any] = snapshot["health"]["pairing"].get(device, {"state": "failed"})
            if now["state"] == "failed":
                what = str(now.get("detail", "no such device"))
                raise TableError(333, what, device, "check the cable and the switch, then pair again", exit_code=4)
            if now["state"] != "open":
                return now
    raise TableError(631, "the connection broke", device, "see the daemon's log", exit_code=4)


commands: list[click.Command] = [pair]
