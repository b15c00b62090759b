"""gpiozero pin factory `firmware_sim`: the daemon's pins and SPI lie on the bench, over a Unix socket.

Runs inside the daemon's process. FIRMWARE_SIM_SOCKET names the socket. Must never decide anything: levels come from the
bench, outputs and SPI transfers go to it. Without the bench inputs rest at their pulls and SPI reads ones, as an
unpowered board would; the link is made anew by itself.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import Any

from gpiozero.exc import (
    PinFixedPull,
    PinInvalidFunction,
    PinInvalidPull,
    PinPWMUnsupported,
    PinSetInput,
    SPIBadArgs,
    SPIInvalidClockMode,
)
from gpiozero.mixins import SharedMixin
from gpiozero.pins import SPI
from gpiozero.pins.pi import PiFactory, PiPin, spi_port_device

from firmware_sim.bench_link import BenchLink, BenchMissing

SOCKET_VARIABLE = "FIRMWARE_SIM_SOCKET"
PI_REVISION = 0xC03112  # a Pi 4B, 4 GB: the board that docs/wiring.md is drawn for


class SimPin(PiPin):  # type: ignore[misc]  # gpiozero ships no types
    """A pin whose input level is what the bench's wire says, else its pull."""

    def __init__(self, factory: SimFactory, info: Any) -> None:
        super().__init__(factory, info)
        if factory.busy():
            raise OSError(errno.EBUSY, "GPIO busy")
        self._function = "input"
        self._pull = info.pull or "floating"
        self._out = 0
        self._edges = "both"
        self._bounce: float | None = None
        self._state = self._level()

    def close(self) -> None:
        """Back to a plain input."""
        self.when_changed = None
        self.function = "input"

    def refresh(self, ticks: float) -> None:
        """The wire may have changed: take the level and tell who listens."""
        level = self._level()
        if level == self._state:
            return
        self._state = level
        wanted = self._edges in ("both", "rising" if level else "falling")
        if wanted and self._function == "input" and self._when_changed is not None:
            self._call_when_changed(ticks, level)

    def _level(self) -> int:
        if self._function == "output":
            return self._out
        wire: int | None = self._factory.wire(self._number)
        return wire if wire is not None else int(self._pull == "up")

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction("a pin of the bench is an input or an output")
        self._function = value
        self._state = self._level()

    def _get_state(self) -> int:
        return self._state

    def _set_state(self, value: float) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set the state of input pin {self!r}")
        self._out = self._state = int(bool(value))
        self._factory.output(self._number, self._out)

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if value not in ("floating", "up", "down"):
            raise PinInvalidPull("pull must be floating, up, or down")
        if self._function != "input" or (self.info.pull and value != self.info.pull):
            raise PinFixedPull(f"{self!r} has a fixed pull")
        self._pull = value
        self._state = self._level()

    def _get_frequency(self) -> None:
        return None

    def _set_frequency(self, value: float | None) -> None:
        if value is not None:
            raise PinPWMUnsupported(f"no PWM on {self!r} of the bench")

    def _get_bounce(self) -> float | None:
        return self._bounce

    def _set_bounce(self, value: float | None) -> None:
        self._bounce = value

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        self._edges = value

    def _enable_event_detect(self) -> None:
        pass

    def _disable_event_detect(self) -> None:
        pass


class SimSPI(SPI):  # type: ignore[misc]  # gpiozero ships no types
    """Hardware SPI 0, chip select 0 or 1, at the bench."""

    def __init__(self, clock_pin: str, mosi_pin: str, miso_pin: str, select_pin: str, pin_factory: SimFactory) -> None:
        self._closed = True
        self._port, self._device = spi_port_device(clock_pin, mosi_pin, miso_pin, select_pin)
        super().__init__(pin_factory=pin_factory)
        self.pin_factory.reserve_pins(self, *(pin for pin in (clock_pin, mosi_pin, miso_pin, select_pin) if pin))
        self._closed = False
        self._clock_mode = 0
        self._lsb_first = False
        self._select_high = False
        self._bits_per_word = 8
        self._rate = 500_000

    def _conflicts_with(self, other: Any) -> bool:
        return not isinstance(other, SimSPI) or (self._port, self._device) == (other._port, other._device)

    def close(self) -> None:
        """Release the pins."""
        if not self._closed:
            self.pin_factory.release_all(self)
        self._closed = True
        super().close()

    @property
    def closed(self) -> bool:
        """True once closed."""
        return self._closed

    def __repr__(self) -> str:
        return "SPI(closed)" if self._closed else f"SPI(port={self._port}, device={self._device})"

    def transfer(self, data: Any) -> list[int]:
        """Full duplex: as many words back as went out."""
        self._check_open()
        words: list[int] = self.pin_factory.transfer(self._device, [int(word) for word in data])
        return words

    def _get_clock_mode(self) -> int:
        return self._clock_mode

    def _set_clock_mode(self, value: int) -> None:
        if not 0 <= value < 4:
            raise SPIInvalidClockMode(f"{value} is not a valid clock mode")
        self._clock_mode = value

    def _get_lsb_first(self) -> bool:
        return self._lsb_first

    def _set_lsb_first(self, value: bool) -> None:
        self._lsb_first = bool(value)

    def _get_select_high(self) -> bool:
        return self._select_high

    def _set_select_high(self, value: bool) -> None:
        self._select_high = bool(value)

    def _get_bits_per_word(self) -> int:
        return self._bits_per_word

    def _set_bits_per_word(self, value: int) -> None:
        self._bits_per_word = int(value)

    def _get_rate(self) -> int:
        return self._rate

    def _set_rate(self, value: int) -> None:
        self._rate = int(value)


class SimSPIShared(SharedMixin, SimSPI):  # type: ignore[misc]  # gpiozero ships no types
    """The same, shared by several gpiozero devices."""

    @classmethod
    def _shared_key(cls, clock_pin: str, mosi_pin: str, miso_pin: str, select_pin: str, pin_factory: SimFactory) -> Any:
        return (clock_pin, select_pin)


class SimFactory(PiFactory):  # type: ignore[misc]  # gpiozero ships no types
    """A Pi whose pins lie on the bench."""

    def __init__(self, path: str | None = None) -> None:
        super().__init__()
        path = path or os.environ.get(SOCKET_VARIABLE)
        if not path:
            raise BenchMissing(
                f"TC-0705 no bench is named: {SOCKET_VARIABLE}: set it to the bench's gpio.sock, "
                "or choose another GPIOZERO_PIN_FACTORY"
            )
        self.pin_class = SimPin
        self._wires: dict[int, int] = {}
        self._outputs: dict[int, int] = {}
        self._first = threading.Event()
        self._link = BenchLink(path, self._levels, self._gone)
        self._link.start()
        if not self._first.wait(5):
            self._link.close()
            raise BenchMissing(f"TC-0706 the bench says nothing: {path}: restart `firmware-sim run --bench`")

    def close(self) -> None:
        """Let go of pins and bench."""
        super().close()
        self._link.close()

    def wire(self, number: int) -> int | None:
        """The level on a wire; None where nothing is connected."""
        return self._wires.get(number)

    def busy(self) -> bool:
        """Does somebody else hold the chip's lines still?"""
        return self.ticks() < self._link.busy_until

    def output(self, number: int, level: int) -> None:
        """An output pin was set."""
        self._outputs[number] = level
        self._link.send({"out": number, "level": level})

    def transfer(self, device: int, data: list[int]) -> list[int]:
        """One SPI transfer to the chip at this select."""
        return self._link.transfer(device, data)

    def spi(self, **spi_args: Any) -> SimSPI:
        """Hardware SPI only; the table has no bit-banged bus."""
        pins, rest = self._extract_spi_args(**spi_args)
        shared = bool(rest.pop("shared", False))
        if rest:
            raise SPIBadArgs(f"unrecognized keyword argument {rest.popitem()[0]}")
        return SimSPIShared(pin_factory=self, **pins) if shared else SimSPI(pin_factory=self, **pins)

    def ticks(self) -> float:
        """Seconds of the system's monotonic clock, which the bench shares."""
        return time.monotonic()

    def ticks_diff(self, later: float, earlier: float) -> float:
        """Plain difference."""
        return later - earlier

    def _get_revision(self) -> int:
        return PI_REVISION

    def _levels(self, levels: dict[int, int], ticks: float, everything: bool) -> None:
        self._wires.update(levels)
        if everything:  # a new link: the bench does not know our outputs yet
            for number, level in list(self._outputs.items()):
                self._link.send({"out": number, "level": level})
        self._refresh(ticks)
        self._first.set()

    def _gone(self) -> None:
        self._wires.clear()
        self._refresh(self.ticks())

    def _refresh(self, ticks: float) -> None:
        for pin in list(self.pins.values()):
            pin.refresh(ticks)
