"""All probes, in the order in which a technician works, and one run of them; what happens when a probe cannot look."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from controller.config import load_config
from controller.doctor import board, disk, pins, ports, record, services, software, usb
from controller.doctor.finding import Finding, Level, Topic
from controller.doctor.machine import Machine, Scene
from controller.errors import TableError
from controller.journal.reader import lock_file

CONFIG = Topic(900)
UNSEEN = Topic(999)

Probe = Callable[[Scene], Iterator[Finding]]
PROBES: dict[str, Probe] = {
    "ports": ports.probe,
    "pins": pins.probe,
    "board": board.probe,
    "disk": disk.probe,
    "software": software.probe,
    "record": record.probe,
    "services": services.probe,
    "usb": usb.probe,
}


def examine(machine: Machine, config_file: Path) -> Iterator[Finding]:
    """Every finding, as soon as it is there. A configuration that does not load is one, and the last."""
    try:
        config = load_config(config_file, machine.environ)
    except TableError as error:
        yield CONFIG.fail(f"{error.code} {error.what}", error.where, error.remedy)
        return
    yield CONFIG.ok(f"table {config.table.id}, {config.table.rules}, {config.table.mode}", str(config_file))
    scene = Scene(machine, config, daemon_of(Path(config.journal.path)))
    for name, probe in PROBES.items():
        yield from _guarded(name, probe, scene)


def _guarded(name: str, probe: Probe, scene: Scene) -> Iterator[Finding]:
    """What may not be looked at is said; the other probes go on."""
    try:
        yield from probe(scene)
    except OSError as error:
        what = f"the rest of {name} cannot be looked at ({error.strerror})"
        yield UNSEEN.skipped(what, str(error.filename or name), "run it with sudo")


def daemon_of(journal: Path) -> int | None:
    """The process that holds this journal; None: no daemon runs on it. Takes nothing from it."""
    try:
        lock = os.open(lock_file(journal), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(lock, 32, 0).decode(errors="replace").strip()
        return int(holder) if holder.isdecimal() else None
    finally:
        os.close(lock)
    return None


def failed(findings: list[Finding]) -> bool:
    """Whether somebody must act before the table may open."""
    return any(finding.level is Level.FAIL for finding in findings)
