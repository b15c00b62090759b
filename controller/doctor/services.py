"""What else runs: the unit itself, programs that grab serial ports, and radio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene

UNIT = Topic(950)
MODEM = Topic(951)
BRAILLE = Topic(952)
RADIO = Topic(953)
RADIOS = {"wlan": "Wi-Fi", "bluetooth": "Bluetooth"}


def probe(scene: Scene) -> Iterator[Finding]:
    """The unit, the two grabbers, the radios."""
    machine = scene.machine
    if _active(machine, "tabled") is None:
        for topic in (UNIT, MODEM, BRAILLE):
            yield topic.skipped("no systemd runs here", "systemctl")
    else:
        yield _unit(machine)
        rules = list(rules_with(machine, "ID_MM_PORT_IGNORE"))
        yield _grabber(machine, MODEM, "ModemManager", rules)
        yield _grabber(machine, BRAILLE, "brltty", [])
    yield from _radios(machine)


def _active(machine: Machine, unit: str) -> bool | None:
    """None where no systemd answers."""
    said = machine.run(("systemctl", "is-active", unit))
    if said is None or said.out in ("", "offline"):
        return None
    return said.out in ("active", "activating", "reloading")


def _unit(machine: Machine) -> Finding:
    said = machine.run(("systemctl", "show", "tabled", "--property=LoadState,UnitFileState,ActiveState,NRestarts"))
    state = dict(line.split("=", 1) for line in said.out.splitlines() if "=" in line) if said else {}
    what = (
        f"{state.get('ActiveState')}, {state.get('UnitFileState') or 'no unit file'}, {state.get('NRestarts')} restarts"
    )
    if state.get("LoadState") != "loaded":
        return UNIT.fail("there is no unit tabled.service", "systemctl", "run deploy/install.sh")
    if state.get("ActiveState") == "failed":
        return UNIT.fail(what, "tabled.service", "journalctl -u tabled says why")
    if state.get("UnitFileState") != "enabled":
        return UNIT.warn(f"{what}: it does not start with the Pi", "tabled.service", "systemctl enable tabled")
    if state.get("NRestarts") not in ("0", None):
        return UNIT.warn(what, "tabled.service", "journalctl -u tabled says why it was started anew")
    return UNIT.ok(what, "tabled.service")


def rules_with(machine: Machine, word: str) -> Iterator[Path]:
    """The rules files that say so, a comment not counted."""
    for folder in machine.udev_rules:
        for path in sorted(folder.glob("*table-controller*.rules")) if folder.is_dir() else ():
            lines = (machine.text(path) or "").splitlines()
            if any(word in line and not line.lstrip().startswith("#") for line in lines):
                yield path


def _grabber(machine: Machine, topic: Topic, unit: str, rules: list[Path]) -> Finding:
    """F10: it opens every serial device that appears and types into it, unless a rule keeps it away."""
    if not _active(machine, unit):
        return topic.ok(f"{unit} is not running", f"{unit}.service")
    if rules:
        return topic.ok(f"{unit} runs, and a rule keeps it away from our devices", str(rules[0]))
    rule = ", or deploy/install.sh --device NAME=SERIAL writes the rule" if topic is MODEM else ""
    remedy = f"systemctl mask --now {unit}{rule}"
    return topic.fail(f"{unit} runs and may take the ports of shoe and shuffler", f"{unit}.service", remedy)


def _radios(machine: Machine) -> Iterator[Finding]:
    folder = machine.sys / "class/rfkill"
    on = []
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        kind = machine.text(entry / "type") or "?"
        if (machine.text(entry / "soft"), machine.text(entry / "hard")) == ("0", "0"):
            on.append(RADIOS.get(kind, kind))
    for name in on:
        remedy = "dtoverlay=disable-wifi and disable-bt in config.txt; rfkill block all for now"
        yield RADIO.warn(f"{name} is on", str(folder), remedy)
    if not on:
        yield RADIO.ok("no radio is on", str(folder))
