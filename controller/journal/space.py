"""How full a journal's file system is, and from when on that matters. Reads, and decides nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

LOW_PERCENT: Final = 95
LOW_BYTES: Final = 2 << 30
FULL_PERCENT: Final = 99
FULL_BYTES: Final = 256 << 20


class Space(msgspec.Struct, frozen=True):
    """A file system as its user sees it, in bytes."""

    total: int
    free: int

    @property
    def used_percent(self) -> int:
        """Rounded down."""
        return 100 * (self.total - self.free) // self.total if self.total else 0

    @property
    def low(self) -> bool:
        """Time to make room: 95 % used, and on a large disk also less than 2 GiB (some weeks of hands) left."""
        return self.used_percent >= LOW_PERCENT and self.free < LOW_BYTES

    @property
    def full(self) -> bool:
        """No new hand: 99 % used, and on a large disk also less than 256 MiB left."""
        return self.used_percent >= FULL_PERCENT and self.free < FULL_BYTES


def space_of(folder: Path) -> Space:
    """As the system tells it; all zero where it does not."""
    try:
        told = os.statvfs(folder)
    except OSError:
        return Space(0, 0)
    return Space(told.f_blocks * told.f_frsize, told.f_bavail * told.f_frsize)
