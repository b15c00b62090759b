"""The machine as the probes see it: folders, commands, users and clocks, all handed in. Owns no opinion.

The real one is made by `Machine.here`; tests hand in trees of files and answers.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Callable, Mapping, Sequence
from grp import getgrall
from pathlib import Path

from msgspec import Struct

from controller.config import Config
from controller.supply import is_pi, text_of

SERVICE_USER = "table-controller"
PATIENCE_S = 10.0


class Said(Struct, frozen=True):
    """What a command answered."""

    code: int
    out: str


class User(Struct, frozen=True):
    """Whose permissions count: the daemon's user."""

    name: str
    uid: int
    groups: frozenset[int]

    def may_use(self, path: Path) -> bool:
        """Read and write, by owner, group or others, as the kernel looks at it."""
        found = path.stat()
        if self.uid == 0:
            return True
        if found.st_uid == self.uid:
            bits = found.st_mode >> 6
        elif found.st_gid in self.groups:
            bits = found.st_mode >> 3
        else:
            bits = found.st_mode
        return bits & 0o6 == 0o6


Run = Callable[[Sequence[str]], Said | None]


class Machine(Struct, frozen=True):
    """Where things are. `run` gives None where there is no such command; `user` is the daemon's."""

    proc: Path
    sys: Path
    dev: Path
    boot: Path
    udev_rules: tuple[Path, ...]
    run: Run
    user: User
    root: bool
    environ: Mapping[str, str]
    now: str
    clock_ns: Callable[[], int]

    def text(self, path: Path) -> str | None:
        """A small file without its last newline; None where there is none to read."""
        return text_of(path)

    def is_pi(self) -> bool:
        """As the firmware says."""
        return is_pi(self.proc)


class Scene(Struct, frozen=True):
    """What a probe gets: machine, configuration, and the process that holds the journal (None: no daemon runs)."""

    machine: Machine
    config: Config
    daemon: int | None


def run_command(command: Sequence[str]) -> Said | None:
    """One command without a shell; its standard output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Said(done.returncode, done.stdout.strip())


def service_user() -> User:
    """The user of the unit where there is one, else whoever asks."""
    try:
        entry = pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return User(str(os.getuid()), os.getuid(), frozenset({os.getgid(), *os.getgroups()}))
    member = {group.gr_gid for group in getgrall() if SERVICE_USER in group.gr_mem}
    return User(SERVICE_USER, entry.pw_uid, frozenset({entry.pw_gid, *member}))


def here(now: str, clock_ns: Callable[[], int], environ: Mapping[str, str]) -> Machine:
    """This machine."""
    firmware = Path("/boot/firmware")
    return Machine(
        proc=Path("/proc"),
        sys=Path("/sys"),
        dev=Path("/dev"),
        boot=firmware if firmware.is_dir() else Path("/boot"),
        udev_rules=(Path("/etc/udev/rules.d"), Path("/run/udev/rules.d"), Path("/usr/lib/udev/rules.d")),
        run=run_command,
        user=service_user(),
        root=os.geteuid() == 0,
        environ=environ,
        now=now,
        clock_ns=clock_ns,
    )
