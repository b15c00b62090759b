"""One SPI device through gpiozero's pin factory. Owns the bus handle; never takes a bit-banged bus for the real one."""

from __future__ import annotations

import warnings
from typing import Any, Protocol

from gpiozero import SPISoftwareFallback

from drivers.gpio.errors import PortError, backend_errors
from drivers.gpio.pins import SPI_PORT


class Link(Protocol):
    """What the joker board and the display need of a bus."""

    def transfer(self, data: bytes) -> bytes: ...

    def close(self) -> None: ...


class SpiLink:
    """SPI0 with one chip select. Every failure is a PortError."""

    def __init__(self, factory: Any, device: int) -> None:
        self._where = f"SPI{SPI_PORT} CE{device}"
        try:
            with warnings.catch_warnings():
                # Where the bus cannot be opened gpiozero falls back to bit-banging: a silent other way, so an error.
                warnings.simplefilter("error", SPISoftwareFallback)
                self._spi = factory.spi(port=SPI_PORT, device=device)
        except (*backend_errors(), SPISoftwareFallback) as cause:
            raise PortError(
                "spi_unavailable", f"SPI bus not usable: {cause}", self._where, "check dtparam=spi=on and group spi"
            ) from cause

    def transfer(self, data: bytes) -> bytes:
        """Full duplex, one period of chip select."""
        try:
            return bytes(self._spi.transfer(list(data)))
        except backend_errors() as cause:
            raise PortError("spi_failed", f"SPI transfer failed: {cause}", self._where, "check the cable") from cause

    def close(self) -> None:
        self._spi.close()
