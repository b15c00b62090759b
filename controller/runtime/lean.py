"""structlog as the daemon needs it: without rich, which its console output would load with sixty modules beside it.

Owns how structlog is imported, and nothing of what is logged. Whoever wants rich in the same process finds it as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(name: str) -> Iterator[None]:
    """An import in here finds no module of this name; one that is loaded already stays."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the import system's own sign for "not there"
    try:
        yield
    finally:
        del sys.modules[name]


with without("rich"):
    import structlog
    from structlog.typing import WrappedLogger

__all__ = ["WrappedLogger", "structlog"]
