"""The Pi's supply and heat as its kernel tells them: what a reading means, and when no new hand may begin.

Reads small files, runs no command; knows no journal and no table. `tabled` and doctor share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

SECOND_NS = 1_000_000_000
HOT_MILLI = 75_000
TOO_HOT_MILLI = 80_000  # from here on the firmware slows the processor down
LASTS_NS = 60 * SECOND_NS
"""A grave sign that comes again and again for so long keeps the next hand from beginning ..."""
QUIET_NS = 60 * SECOND_NS
"""... until none was seen for so long."""
TOLD_NS = 600 * SECOND_NS
"""A warning stands so long after its sign was last seen: a supply at its limit makes no flood of records."""

BEFORE = 16
"""In get_throttled a bit stands for what holds now; so many higher, one for what has happened since the start."""
UNDER_VOLTAGE, THROTTLED_NOW = 0, 2
THROTTLED = {
    UNDER_VOLTAGE: "under-voltage",
    1: "the frequency is capped",
    THROTTLED_NOW: "throttled",
    3: "the soft temperature limit is reached",
}
CODES = {UNDER_VOLTAGE: "under_voltage", 1: "capped", THROTTLED_NOW: "throttled", 3: "soft_limit"}
SUPPLY = "use the official supply and a short thick cable; nothing else on the same supply"
COOLING = "look at supply and cooling"
AIR = "give it air or a heat sink"


class Reading(Struct, frozen=True):
    """One look. `bits` of get_throttled, `milli` degrees Celsius; None where the kernel does not say."""

    bits: int | None = None
    milli: int | None = None


def text_of(path: Path) -> str | None:
    """A small file without its last newline; None where there is none to read."""
    try:
        return path.read_text("utf-8", "replace").strip().rstrip("\0")
    except OSError:
        return None


def is_pi(proc: Path) -> bool:
    """As the firmware says."""
    return (text_of(proc / "device-tree/model") or "").startswith("Raspberry Pi")


def bits_file(sys: Path) -> Path:
    """Where the kernel tells get_throttled; the bus is called otherwise on each model."""
    fixed = sys / "devices/platform/soc/soc:firmware/get_throttled"
    return next(iter(sorted(sys.glob("devices/platform/soc*/soc*:firmware/get_throttled"))), fixed)


def heat_file(sys: Path) -> Path:
    """The processor's thermometer."""
    return sys / "class/thermal/thermal_zone0/temp"


def bits_of(text: str | None) -> int | None:
    """Hexadecimal, with or without 0x."""
    try:
        return int(text, 16) if text else None
    except ValueError:
        return None


def read(sys: Path) -> Reading:
    """What the kernel says now."""
    heat = text_of(heat_file(sys)) or ""
    milli = int(heat) if heat.lstrip("-").isdecimal() else None
    return Reading(bits_of(text_of(bits_file(sys))), milli)


def signs(reading: Reading) -> Iterator[tuple[str, str]]:
    """What is not well, as code and text with its remedy."""
    bits = reading.bits or 0
    for bit, name in THROTTLED.items():
        remedy = SUPPLY if bit == UNDER_VOLTAGE else COOLING
        if bits >> bit & 1:
            yield CODES[bit], f"the Pi: {name}: {remedy}"
        elif bits >> bit + BEFORE & 1:
            yield f"{CODES[bit]}_before", f"the Pi: {name} at some time since its start: {remedy}"
    if reading.milli is not None and reading.milli >= HOT_MILLI:
        yield "hot", f"the Pi: {HOT_MILLI // 1000} degrees Celsius or more: {AIR}"


def grave(reading: Reading) -> str:
    """What may stop the machine in mid-hand, in a few words; empty where nothing does."""
    bits, milli = reading.bits or 0, reading.milli or 0
    found = [THROTTLED[bit] for bit in (UNDER_VOLTAGE, THROTTLED_NOW) if bits >> bit & 1]
    return ", ".join(
        [*found, *([f"{TOO_HOT_MILLI // 1000} degrees Celsius or more"] if milli >= TOO_HOT_MILLI else [])]
    )


class Verdict:
    """What follows from one reading after another: warnings that stand, and why no new hand may begin."""

    def __init__(self) -> None:
        self.warnings: dict[str, str] = {}
        self.failing = ""
        self._told: dict[str, tuple[str, int]] = {}
        self._since_ns: int | None = None
        self._last_ns = 0

    def take(self, reading: Reading, now_ns: int) -> None:
        """One look more."""
        self._told |= {code: (text, now_ns) for code, text in signs(reading)}
        self._told = {code: one for code, one in self._told.items() if now_ns - one[1] < TOLD_NS}
        self.warnings = {code: text for code, (text, _) in self._told.items()}
        what = grave(reading)
        if what:
            self._since_ns = now_ns if self._since_ns is None else self._since_ns
            self._last_ns = now_ns
            if now_ns - self._since_ns >= LASTS_NS:
                self.failing = self.failing or what
        elif self._since_ns is not None and now_ns - self._last_ns >= QUIET_NS:
            self._since_ns, self.failing = None, ""
