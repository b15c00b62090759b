"""The Pi itself: supply, heat, clock. What only a Pi has is skipped elsewhere, and said so."""

from __future__ import annotations

from collections.abc import Iterator

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene
from controller.supply import (
    AIR,
    BEFORE,
    COOLING,
    HOT_MILLI,
    SUPPLY,
    THROTTLED,
    UNDER_VOLTAGE,
    bits_file,
    bits_of,
    heat_file,
)

POWER = Topic(910)
HEAT = Topic(911)
SYNC = Topic(912)
RTC = Topic(913)


def probe(scene: Scene) -> Iterator[Finding]:
    """Supply and heat, then the clock."""
    machine = scene.machine
    if machine.is_pi():
        yield from _power(machine)
    else:
        yield POWER.skipped("not a Raspberry Pi: its supply is not watched", str(machine.proc / "device-tree/model"))
    yield _heat(machine)
    yield _synchronised(machine)
    yield _rtc(machine)


def _power(machine: Machine) -> Iterator[Finding]:
    bits, where = _throttled(machine)
    if bits is None:
        yield POWER.skipped("the firmware does not answer", where, "install vcgencmd (raspi-utils), run with sudo")
        return
    for bit, name in THROTTLED.items():
        remedy = SUPPLY if bit == UNDER_VOLTAGE else COOLING
        if bits >> bit & 1:
            yield POWER.fail(f"{name} now", where, remedy)
        elif bits >> bit + BEFORE & 1:
            yield POWER.warn(f"{name} at some time since the start", where, remedy)
    if not bits:
        yield POWER.ok("no under-voltage and no throttling since the start", where)


def _throttled(machine: Machine) -> tuple[int | None, str]:
    said = machine.run(("vcgencmd", "get_throttled"))
    text = said.out.partition("=")[2] if said is not None and said.code == 0 else None
    where = "vcgencmd get_throttled"
    if text is None:
        path = bits_file(machine.sys)
        text, where = machine.text(path), str(path)
    return bits_of(text), where


def _heat(machine: Machine) -> Finding:
    path = heat_file(machine.sys)
    text = machine.text(path)
    if text is None or not text.lstrip("-").isdigit():
        return HEAT.skipped("no thermometer", str(path))
    degrees = f"{int(text) / 1000:.0f} degrees Celsius"
    if int(text) >= HOT_MILLI:
        return HEAT.warn(degrees, str(path), f"{AIR}; at 80 it slows down")
    return HEAT.ok(degrees, str(path))


def _synchronised(machine: Machine) -> Finding:
    where = "timedatectl"
    said = machine.run((where, "show", "--property=NTPSynchronized", "--value"))
    if said is None or said.code:
        return SYNC.skipped("whether the clock is synchronised cannot be asked", where, "timedatectl status")
    if said.out == "yes":
        return SYNC.ok("the clock is synchronised", where)
    remedy = "check network and timedatectl; the journal's order does not depend on it, its times do"
    return SYNC.warn("the clock is not synchronised", where, remedy)


def _rtc(machine: Machine) -> Finding:
    folder = machine.sys / "class/rtc"
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    if found:
        return RTC.ok(f"a battery clock ({machine.text(found[0] / 'name') or found[0].name})", str(found[0]))
    return RTC.warn("no battery clock: times are wrong after a power cut", str(folder), "fit one (dtoverlay=i2c-rtc)")
