"""What goes wrong at the pins: one error that says what, where and what to do."""

from __future__ import annotations

import sys

from gpiozero.exc import GPIOZeroError


class PortError(Exception):
    """A port, pin or bus that cannot be used. `code` is a short stable word; the other parts are for people."""

    def __init__(self, code: str, what: str, where: str, remedy: str) -> None:
        super().__init__(f"{what} ({where}); {remedy}")
        self.code = code
        self.what = what
        self.where = where
        self.remedy = remedy


def backend_errors() -> tuple[type[Exception], ...]:
    """What a pin factory may raise. lgpio, where installed, has an exception all its own."""
    known: tuple[type[Exception], ...] = (OSError, RuntimeError, ValueError, GPIOZeroError)
    own = getattr(sys.modules.get("lgpio"), "error", None)
    return (*known, own) if isinstance(own, type) and issubclass(own, Exception) else known
