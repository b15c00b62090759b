"""The Pi itself: supply, heat, clock. What only a Pi has is skipped elsewhere, and said so."""

from __future__ import annotations

from collections.abc import Iterator

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene

POWER = Topic(910)
HEAT = Topic(911)
SYNC = Topic(912)
RTC = Topic(913)
HOT_MILLI = 75_000
# Bits of the firmware's get_throttled: what holds now, and (16 higher) what has happened since the start.
THROTTLED = {
    0: "under-voltage",
    1: "the frequency is capped",
    2: "throttled",
    3: "the soft temperature limit is reached",
}
SUPPLY = "use the official supply and a short thick cable; nothing else on the same supply"


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
        remedy = SUPPLY if bit == 0 else "look at supply and cooling"
        if bits >> bit & 1:
            yield POWER.fail(f"{name} now", where, remedy)
        elif bits >> bit + 16 & 1:
            yield POWER.warn(f"{name} at some time since the start", where, remedy)
    if not bits:
        yield POWER.ok("no under-voltage and no throttling since the start", where)


def _throttled(machine: Machine) -> tuple[int | None, str]:
    said = machine.run(("vcgencmd", "get_throttled"))
    text = said.out.partition("=")[2] if said is not None and said.code == 0 else None
    where = "vcgencmd get_throttled"
    if text is None:
        path = machine.sys / "devices/platform/soc/soc:firmware/get_throttled"
        text, where = machine.text(path), str(path)
    try:
        return (int(text, 16) if text else None), where
    except ValueError:
        return None, where


def _heat(machine: Machine) -> Finding:
    path = machine.sys / "class/thermal/thermal_zone0/temp"
    text = machine.text(path)
    if text is None or not text.lstrip("-").isdigit():
        return HEAT.skipped("no thermometer", str(path))
    degrees = f"{int(text) / 1000:.0f} degrees Celsius"
    if int(text) >= HOT_MILLI:
        return HEAT.warn(degrees, str(path), "give it air or a heat sink; at 80 it slows down")
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
