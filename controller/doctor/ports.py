"""Serial ports: there, by a name that stays, for the daemon's user, and in nobody else's hands. Opens none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene
from controller.domain.cards import card_text, deck
from controller.errors import TableError
from controller.reader_files import code_table
from controller.rulesets import load
from drivers.holders import holders
from drivers.transport.tcp_port import SCHEME

PRESENT = Topic(901)
HOLDER = Topic(902)
NAME = Topic(903)
PERMISSION = Topic(904)
CODES = Topic(909)
COUNTED = ("ttyUSB", "ttyACM")
UART = ("ttyAMA", "ttyS", "serial0")  # on the header: no plug, so no udev rule of ours
CMDLINE = "cmdline.txt"
UART_ON = "enable_uart=1 (Raspberry Pi 5: dtparam=uart0=on) in config.txt, then restart (docs/install.md)"
CONSOLE = re.compile(r"\bconsole=((?:serial|ttyAMA|ttyS)\d+)\S*")


def probe(scene: Scene) -> Iterator[Finding]:
    """The ports that the configuration names."""
    ports = _ports(scene)
    if not ports:
        yield PRESENT.skipped("no port is configured", "table.toml")
    for name, path in ports.items():
        if not path.exists():
            remedy = UART_ON if _is_uart(path) else _there(scene.machine)
            yield PRESENT.fail(f"{name}: no such port", str(path), remedy)
            continue
        yield PRESENT.ok(f"{name}: the port is there", str(path))
        yield from _holders(scene, name, path)
        yield _name(scene.machine, name, path)
        yield _permission(scene.machine, name, path)
    yield from _codes(scene)


def _ports(scene: Scene) -> dict[str, Path]:
    """Serial ones by the name of their section; a peer on TCP has none."""
    config = scene.config
    sections = {
        "shoe": config.shoe,
        "reader": config.reader,
        "tray": config.tray,
        "badge": config.badge,
        "overlay": config.overlay,
        "printer": config.printer,
    }
    ports = {name: section.port for name, section in sections.items() if section is not None}
    return {name: Path(port) for name, port in ports.items() if not port.startswith(SCHEME)}


def _codes(scene: Scene) -> Iterator[Finding]:
    """The code tables of plain readers: read as the daemon reads them at its start."""
    cards = [card_text(card) for card in deck(load(scene.config.table.rules).deck_size)]
    for name, section in (("reader", scene.config.reader), ("tray", scene.config.tray)):
        if section is None:
            continue
        try:
            known = code_table(section.codes, cards)
        except TableError as error:
            yield CODES.fail(f"{name}: {error.what}", section.codes, error.remedy)
        else:
            yield CODES.ok(f"{name}: {len(known.codes)} codes, every card of the game has one", section.codes)


def _there(machine: Machine) -> str:
    found = sorted(_by_id(machine))
    offered = f"by-id names here: {', '.join(found)}" if found else "no serial device is plugged in"
    return f"plug it in, or name another port in table.toml ({offered})"


def _by_id(machine: Machine) -> dict[str, Path]:
    folder = machine.dev / "serial/by-id"
    return {entry.name: entry.resolve() for entry in folder.iterdir()} if folder.is_dir() else {}


# --- who holds it


def _holders(scene: Scene, name: str, path: Path) -> Iterator[Finding]:
    found, complete = holders([path], scene.machine.proc)
    strangers = {pid: comm for pid, comm in found.items() if pid != scene.daemon}
    for pid, comm in strangers.items():
        what = f"{name}: port in use by pid {pid} ({comm})"
        yield HOLDER.fail(what, str(path), f"stop it, and keep it away: systemctl status {pid}")
    if strangers:
        return
    if not complete and scene.daemon not in found:
        yield HOLDER.skipped(f"{name}: not every process can be looked at", str(path), "run it with sudo")
    elif scene.daemon in found:
        yield HOLDER.ok(f"{name}: held by the daemon, pid {scene.daemon}, and nobody else", str(path))
    else:
        yield HOLDER.ok(f"{name}: nobody holds the port", str(path))


# --- its name and who may open it


def _name(machine: Machine, name: str, path: Path) -> Finding:
    real = path.resolve()
    if not path.name.startswith(COUNTED):
        return NAME.ok(f"{name}: a name that does not depend on the order of plugging in ({real.name} now)", str(path))
    better = [f"{machine.dev}/serial/by-id/{entry}" for entry, target in _by_id(machine).items() if target == real]
    remedy = "deploy/install.sh --device NAME=SERIAL makes /dev/table-NAME"
    if better:
        remedy = f"name {better[0]} in table.toml, or {remedy}"
    return NAME.warn(f"{name}: the kernel counts these names anew at each start", str(path), remedy)


def _permission(machine: Machine, name: str, path: Path) -> Finding:
    user = machine.user
    console = _console(machine, path)
    if console:
        remedy = f"take {console} out of it, then restart (docs/install.md)"
        what = f"{name}: the system's serial console is on the same UART"
        return PERMISSION.fail(what, str(machine.boot / CMDLINE), remedy)
    if user.may_use(path):
        return PERMISSION.ok(f"{name}: {user.name} may use it", str(path))
    return PERMISSION.fail(
        f"{name}: {user.name} may not use it (mode {path.stat().st_mode & 0o777:04o})",
        str(path),
        f"usermod -aG dialout {user.name}, then start the daemon anew"
        if _is_uart(path)
        else "deploy/install.sh --device NAME=SERIAL writes the udev rule; then plug it in again",
    )


def _is_uart(path: Path) -> bool:
    return path.resolve().name.startswith(UART)


def _console(machine: Machine, path: Path) -> str:
    """The word that puts a console on this port at each start; empty: none does."""
    try:
        words = (machine.boot / CMDLINE).read_text("utf-8")
    except FileNotFoundError:
        return ""
    mine = (found for found in CONSOLE.finditer(words) if (machine.dev / found[1]).resolve() == path.resolve())
    return next((found[0] for found in mine), "")
