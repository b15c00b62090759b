"""A machine made of files: /proc, /sys, /dev and /boot in a folder, commands from a table, one user."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from controller.config import load_config
from controller.doctor.finding import Finding, Level
from controller.doctor.machine import Machine, Said, Scene, User
from controller.doctor.probes import Probe

CONFIG = """
[table]
id = "T1"
mode = "{mode}"
rules = "jpoker"
boxes = 6
[limits]
ante_min = 10
ante_max = 100
cap = 2000
chips = [1, 5, 10, 25, 100, 500]
[journal]
path = "var/journal.db"
[keys]
credential = "credential.key"
signing = "signing.key"
[control]
operators = "operators.json"
[shoe]
port = "dev/table-shoe"
unsealed = true
"""


class Tree:
    """Files under a folder, and the machine that looks at them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers: dict[tuple[str, ...], Said] = {}
        self.user = User("table-controller", os.getuid() or 1234, frozenset({os.getgid() or 1234}))
        self.environ: dict[str, str] = {}
        self.root = True
        self.daemon: int | None = None
        self.now = "2026-11-30T12:00:00.000+00:00"
        self.ticks: Iterator[int] = iter(range(0, 10**12, 1_000_000))
        for name in ("proc", "sys", "dev", "boot", "var", "rules"):
            (folder / name).mkdir()

    def put(self, name: str, text: str = "", mode: int = 0o644) -> Path:
        """A file with this text."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def link(self, name: str, target: Path) -> Path:
        """A symbolic link."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        return path

    def process(self, pid: int, comm: str, *opened: Path) -> None:
        """A process with these files open."""
        self.put(f"proc/{pid}/comm", comm + "\n")
        (self.folder / f"proc/{pid}/fd").mkdir()
        for number, path in enumerate(opened, 3):
            self.link(f"proc/{pid}/fd/{number}", path)

    def says(self, *command: str, out: str, code: int = 0) -> None:
        """What a command answers; all others are not installed."""
        self.answers[command] = Said(code, out)

    def config(self, more: str = "", mode: str = "production") -> Path:
        """table.toml."""
        return self.put("table.toml", CONFIG.format(mode=mode) + more)

    def machine(self) -> Machine:
        def run(command: Sequence[str]) -> Said | None:
            return self.answers.get(tuple(command))

        return Machine(
            proc=self.folder / "proc",
            sys=self.folder / "sys",
            dev=self.folder / "dev",
            boot=self.folder / "boot",
            udev_rules=(self.folder / "rules",),
            run=run,
            user=self.user,
            root=self.root,
            environ=self.environ,
            now=self.now,
            clock_ns=lambda: next(self.ticks),
        )

    def scene(self) -> Scene:
        """Machine and configuration."""
        if not (self.folder / "table.toml").exists():
            self.config()
        return Scene(self.machine(), load_config(self.folder / "table.toml", {}), self.daemon)

    def find(self, probe: Probe) -> Found:
        """What a probe says here."""
        return Found(tuple(probe(self.scene())))


class Found(msgspec.Struct, frozen=True):
    """Findings, asked by number."""

    findings: tuple[Finding, ...]

    def of(self, number: int) -> list[Finding]:
        return [one for one in self.findings if one.code == f"TC-{number:04d}"]

    def level(self, number: int) -> Level:
        """The worst of that number."""
        order = [Level.SKIPPED, Level.OK, Level.WARN, Level.FAIL]
        return max((one.level for one in self.of(number)), key=order.index)

    def text(self, number: int) -> str:
        return " | ".join(one.line() for one in self.of(number))
