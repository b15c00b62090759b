"""Reading what lies in deploy/: the unit as key -> values, and the programs of systemd where they are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "systemd" / "tabled.service"
# The interpreter itself, not the one of a virtual environment: it has no libraries but the standard ones.
PYTHON = str(getattr(sys, "_base_executable", sys.executable))


def settings(text: str) -> dict[str, list[str]]:
    """Every assignment of a unit file, in order."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def unit() -> dict[str, list[str]]:
    """The shipped unit."""
    return settings(UNIT.read_text("utf-8"))


def tool(*command: str) -> subprocess.CompletedProcess[str]:
    """One of systemd's own programs. `make test` as root installs them."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here (Debian packages systemd and udev)")
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def install(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """deploy/install.sh into a folder."""
    command = ["bash", str(DEPLOY / "install.sh"), "--root", str(root), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
