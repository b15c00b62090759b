"""Entropy that is the same on every run: what passes today passes tomorrow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable


def steady(name: str) -> Callable[[int], bytes]:
    """A stream of SHAKE-256."""
    buffer, blocks = bytearray(), 0

    def entropy(count: int) -> bytes:
        nonlocal blocks
        while len(buffer) < count:
            buffer.extend(hashlib.shake_256(f"{name} {blocks}".encode()).digest(65_536))
            blocks += 1
        taken = bytes(buffer[:count])
        del buffer[:count]
        return taken

    return entropy
