"""Where a simulated device keeps its key: a file that stands for memory that survives power. Never shows the key."""

from __future__ import annotations

import os
from pathlib import Path


class KeyMemory:
    """One device's key, or none before it was ever paired."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes | None:
        """As it stands."""
        return self._path.read_bytes() if self._path.exists() else None

    def write(self, key: bytes) -> None:
        """In place of an older one, whole or not at all."""
        fresh = self._path.with_name(self._path.name + ".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(key)
        fresh.replace(self._path)
