"""Who has a device file open, as /proc tells. Reads links only; opens no device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

PROC = Path("/proc")


def holders(paths: Sequence[Path], proc: Path = PROC) -> tuple[dict[int, str], bool]:
    """Processes that have one of these files open, number -> name, and whether every process could be looked at."""
    wanted = {(found.st_dev, found.st_ino) for found in (path.stat() for path in paths)}
    seen: dict[int, str] = {}
    complete = True
    for process in sorted(entry for entry in proc.iterdir() if entry.name.isdigit()):
        try:
            links = list((process / "fd").iterdir())
        except PermissionError:
            complete = False
            continue
        except OSError:  # it has ended
            continue
        if wanted & set(_files(links)):
            seen[int(process.name)] = _name(process)
    return seen, complete


def _files(links: list[Path]) -> Iterator[tuple[int, int]]:
    for link in links:
        try:
            there = link.stat()
        except OSError:
            continue
        yield there.st_dev, there.st_ino


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "?"
