"""Who sits on the USB: only what the house has allowed, by vendor, product and serial number (T1)."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes.util import find_library
from fnmatch import fnmatchcase
from pathlib import Path

from controller.device_config import REAL_BACKEND
from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene

ALLOWED = Topic(960)
SHUFFLER = Topic(961)
LIBRARY = Topic(962)
HUB = "09"
DANGEROUS = {"03": "keyboard or mouse", "08": "mass storage", "e0": "wireless", "02": "network or modem"}


def probe(scene: Scene) -> Iterator[Finding]:
    """Each device once; hubs, the root hubs among them, are no devices of their own."""
    folder = scene.machine.sys / "bus/usb/devices"
    yield from _shuffler(scene, folder)
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
    name = _identity(machine, entry)
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


# --- the shuffler


def _shuffler(scene: Scene, folder: Path) -> Iterator[Finding]:
    """Plugged in under the identity of table.toml, for the daemon's user, and with the library that speaks to it."""
    section = scene.config.shuffler
    if section is None:
        return
    if section.usb_backend != REAL_BACKEND:
        yield SHUFFLER.skipped(
            "the shuffler is not on this machine's bus", f"shuffler.usb_backend {section.usb_backend}"
        )
        return
    yield _library()
    wanted = f"{section.vendor:04x}:{section.product:04x}:{section.serial}"
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    entry = next((one for one in entries if _identity(scene.machine, one) == wanted), None)
    if entry is None:
        remedy = "plug it in, or correct vendor, product and serial in table.toml (findings TC-0960 tell what is there)"
        yield SHUFFLER.fail(f"no shuffler {wanted}", str(folder), remedy)
        return
    yield _node(scene.machine, entry)


def _identity(machine: Machine, entry: Path) -> str:
    return ":".join(machine.text(entry / part) or "" for part in ("idVendor", "idProduct", "serial"))


def _node(machine: Machine, entry: Path) -> Finding:
    numbers = [int(machine.text(entry / part) or "0") for part in ("busnum", "devnum")]
    node = machine.dev / f"bus/usb/{numbers[0]:03d}/{numbers[1]:03d}"
    if not node.exists():
        return SHUFFLER.fail("the shuffler has no device file", str(node), "is udev running? plug it in again")
    if machine.user.may_use(node):
        return SHUFFLER.ok(f"the shuffler is there and {machine.user.name} may use it", str(node))
    remedy = "deploy/install.sh --device shuffler=SERIAL writes the udev rule; then plug it in again"
    return SHUFFLER.fail(f"{machine.user.name} may not use the shuffler", str(node), remedy)


def _library() -> Finding:
    found = find_library("usb-1.0")
    if found is None:
        return LIBRARY.fail("libusb is not installed", "libusb-1.0.so.0", "apt-get install libusb-1.0-0")
    return LIBRARY.ok("libusb is installed", found)
