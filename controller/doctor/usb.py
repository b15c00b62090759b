"""Who sits on the USB: only what the house has allowed, by vendor, product and serial number (T1)."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene

ALLOWED = Topic(960)
HUB = "09"
DANGEROUS = {"03": "keyboard or mouse", "08": "mass storage", "e0": "wireless", "02": "network or modem"}


def probe(scene: Scene) -> Iterator[Finding]:
    """Each device once; hubs, the root hubs among them, are no devices of their own."""
    folder = scene.machine.sys / "bus/usb/devices"
    if not folder.is_dir():
        yield ALLOWED.skipped("this machine tells of no USB", str(folder))
        return
    allowed = scene.config.usb.allow
    devices = [entry for entry in sorted(folder.iterdir()) if _is_device(scene.machine, entry)]
    for entry in devices:
        yield _judge(scene.machine, entry, allowed)
    if not devices:
        yield ALLOWED.ok("nothing is plugged in", str(folder))


def _is_device(machine: Machine, entry: Path) -> bool:
    return (entry / "idVendor").exists() and machine.text(entry / "bDeviceClass") != HUB


def _judge(machine: Machine, entry: Path, allowed: tuple[str, ...]) -> Finding:
    name = ":".join(machine.text(entry / part) or "" for part in ("idVendor", "idProduct", "serial"))
    what = " ".join(filter(None, (machine.text(entry / part) for part in ("manufacturer", "product")))) or "a device"
    classes = {machine.text(one / "bInterfaceClass") for one in entry.glob("*:*")}
    kinds = ", ".join(text for code, text in DANGEROUS.items() if code in classes)
    told = f"{what} {name}" + (f" ({kinds})" if kinds else "")
    if any(fnmatchcase(name, pattern) for pattern in allowed):
        return ALLOWED.ok(f"allowed: {told}", str(entry))
    remedy = f'unplug it, or add "{name}" to usb.allow in table.toml'
    if not allowed:
        return ALLOWED.warn(f"there is no list of allowed devices, and this is plugged in: {told}", str(entry), remedy)
    return ALLOWED.fail(f"not allowed: {told}", str(entry), remedy)
