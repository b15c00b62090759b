"""Pins and SPI: the factory that really loads, the devices behind it, and who else wants the same pins. Drives none."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.config import Mode
from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene
from controller.journal.codec import read_body
from controller.journal.reader import Reader
from controller.journal.records import RUN_STARTED
from drivers.gpio.errors import PortError
from drivers.gpio.factory import VARIABLE, factory_name, open_factory

FACTORY = Topic(905)
CHIP = Topic(906)
SPI = Topic(907)
CONFLICT = Topic(908)
SPI_DEVICES = {"spidev0.0": "joker board", "spidev0.1": "text display"}
# What a line of config.txt gives to another driver (docs/wiring.md, section 1), unless the line says off.
CLAIMS = {
    r"dtparam=i2c(_arm)?=on": (2, 3),
    r"dtparam=i2s=on": (18, 19, 20, 21),
    r"dtoverlay=hifiberry.*": (18, 19, 20, 21),
    r"dtoverlay=w1-gpio\b(?!.*gpiopin)": (4,),
    r"dtoverlay=spi1-\dcs.*": (16, 17, 18, 19, 20, 21),
    r"enable_uart=1": (14, 15),
}


def probe(scene: Scene) -> Iterator[Finding]:
    """Factory first: without it the rest is only told."""
    yield _factory(scene)
    if scene.config.gpio.factory not in ("lgpio", "native"):
        yield CHIP.skipped("the pins are not this machine's", f"gpio.factory {scene.config.gpio.factory}")
        return
    yield from _chips(scene.machine)
    yield from _spi(scene.machine)
    yield from _claims(scene)
    yield from _lines(scene)


def _factory(scene: Scene) -> Finding:
    name = scene.machine.environ.get(VARIABLE) or scene.config.gpio.factory
    where = f"{VARIABLE}={name}" if scene.machine.environ.get(VARIABLE) else f"gpio.factory {name}"
    if scene.daemon is not None:  # its pins are its own: what it has opened stands in its journal
        return FACTORY.ok(f"the daemon, pid {scene.daemon}, has opened {_opened(scene)}", scene.config.journal.path)
    try:
        with _work_folder():
            factory = open_factory(name, production=scene.config.table.mode is Mode.PRODUCTION)
            kind = factory_name(factory)
            factory.close()
    except PortError as error:
        return FACTORY.fail(error.what, where, error.remedy)
    return FACTORY.ok(f"the pin factory is {kind}", where)


def _opened(scene: Scene) -> str:
    with Reader(Path(scene.config.journal.path)) as reader:
        for row in reader.rows_back(reader.last + 1):
            body = read_body(row.body)
            if body.type == RUN_STARTED:
                return str(msgspec.json.decode(body.data)["hardware"]["pin_factory"])
    return "none yet"


@contextlib.contextmanager
def _work_folder() -> Iterator[None]:
    """lgpio makes a FIFO where it is imported (F42): here in a folder that goes away again."""
    before = os.environ.get("LG_WD")
    with tempfile.TemporaryDirectory(prefix="doctor-") as folder:
        os.environ["LG_WD"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["LG_WD"]
            else:
                os.environ["LG_WD"] = before


def _chips(machine: Machine) -> Iterator[Finding]:
    chips = sorted(machine.dev.glob("gpiochip*"))
    if not chips:
        yield CHIP.fail(
            "there is no GPIO chip", str(machine.dev / "gpiochip0"), "this is no Pi, or its kernel is wrong"
        )
    elif any(machine.user.may_use(chip) for chip in chips):
        yield CHIP.ok(f"{machine.user.name} may use a GPIO chip", str(chips[0]))
    else:
        yield CHIP.fail(f"{machine.user.name} may not use it", str(chips[0]), f"usermod -aG gpio {machine.user.name}")


def _spi(machine: Machine) -> Iterator[Finding]:
    for device, what in SPI_DEVICES.items():
        path = machine.dev / device
        if not path.exists():
            told = f"{what}: no SPI device, only slow bit-banging would be left, which the daemon refuses"
            yield SPI.fail(told, str(path), "dtparam=spi=on in config.txt, then restart the Pi")
        elif machine.user.may_use(path):
            yield SPI.ok(f"{what}: {machine.user.name} may use the bus", str(path))
        else:
            yield SPI.fail(
                f"{what}: {machine.user.name} may not use it", str(path), f"usermod -aG spi {machine.user.name}"
            )


# --- who else wants the pins


def _claims(scene: Scene) -> Iterator[Finding]:
    path = scene.machine.boot / "config.txt"
    text = scene.machine.text(path)
    if text is None:
        yield CONFLICT.skipped("no config.txt", str(path))
        return
    ours = {pin: name for name, pin in scene.config.gpio.pins.items()}
    clean = True
    for line in (line.split("#")[0].strip() for line in text.splitlines()):
        for pattern, pins in CLAIMS.items():
            wanted = [f"{ours[pin]} (GPIO{pin})" for pin in pins if pin in ours]
            if wanted and re.fullmatch(pattern, line):
                clean = False
                what = f"{line} takes {', '.join(wanted)} away"
                yield CONFLICT.fail(what, str(path), "take the line out (docs/wiring.md), then restart the Pi")
    if clean:
        yield CONFLICT.ok("no overlay takes one of our pins", str(path))


def _lines(scene: Scene) -> Iterator[Finding]:
    """Lines that a driver or a program holds, as the kernel's debug file tells root."""
    path = scene.machine.sys / "kernel/debug/gpio"
    text = scene.machine.text(path)
    if text is None:
        yield CONFLICT.skipped("who holds which pin is told to root alone", str(path), "run it with sudo")
        return
    held = dict(_held(text))
    others = {name: held[pin] for name, pin in scene.config.gpio.pins.items() if pin in held}
    if scene.daemon is None and others:
        for name, consumer in others.items():
            what = f"{name} (GPIO{scene.config.gpio.pins[name]}) is held by {consumer}"
            yield CONFLICT.fail(what, str(path), "stop that program or remove its overlay")
    elif scene.daemon is None:
        yield CONFLICT.ok("nobody holds one of our pins", str(path))
    else:
        yield CONFLICT.ok(f"{len(others)} pins are held while the daemon runs", str(path))


def _held(text: str) -> Iterator[tuple[int, str]]:
    """` gpio-517 (GPIO5 |lg ) in hi`: the number in the line's name counts, the first one depends on the kernel."""
    for line in text.splitlines():
        found = re.match(r"\s*gpio-\d+\s*\(GPIO(\d+)\s*\|([^)]*)\)", line)
        if found and found[2].strip():
            yield int(found[1]), found[2].strip()
