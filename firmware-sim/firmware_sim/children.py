"""The demo's child processes: the installed commands, started so that nothing is left running whatever happens.

Owns the daemon's process group and its output; finds the commands beside the running Python.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from firmware_sim.errors import BenchError

STOP_S = 15.0
TAIL_LINES = 12
TAIL_WIDTH = 220


def command(name: str) -> str:
    """Where an installed command lies."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise BenchError(720, f"{name} is not installed", sys.prefix, "run `make setup`", exit_code=4)
    return found


def call(name: str, *args: str, pins: Sequence[str] = ()) -> str:
    """Run a command to its end and give its output; with PINs on a descriptor. A failure is a BenchError."""
    argv = [command(name), *args]
    read, write = os.pipe()
    try:
        os.write(write, "".join(f"{pin}\n" for pin in pins).encode())
        os.close(write)
        if pins:
            argv += ["--pin-fd", str(read)]
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=(read,), timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        raise BenchError(721, "no answer in 60 s", f"{name} {args[0] if args else ''}", "see tabled.log") from None
    finally:
        os.close(read)
    if done.returncode:
        lines = ((done.stderr or done.stdout).strip() or f"exit code {done.returncode}").splitlines()
        said = next((line.removeprefix("fault: ") for line in lines if "TC-" in line), lines[-1])
        if said.startswith("TC-"):
            raise BenchError.told(said, done.returncode)
        where = f"{name} {' '.join(args[:2])}"
        raise BenchError(722, said, where, "see tabled.log", exit_code=done.returncode)
    return done.stdout


class Daemon:
    """tabled in a process group of its own, so that Ctrl-C reaches the demo first."""

    def __init__(self, config: Path, folder: Path, environ: Mapping[str, str]) -> None:
        self._out = folder / "tabled.out"
        self._logs = (folder / "tabled.log", self._out)
        with self._out.open("ab") as out:
            self._process = subprocess.Popen(
                [command("tabled"), "--config", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environ},
                start_new_session=True,
            )

    @property
    def returncode(self) -> int | None:
        """Its exit code once it has ended."""
        return self._process.poll()

    def stop(self) -> int:
        """In order: SIGTERM and patience, then the hard way. Returns the exit code."""
        if self.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        self.kill()
        return code

    def kill(self) -> None:
        """Whatever of its group is still there."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def tail(self) -> str:
        """The last lines of its log and its output."""
        lines: list[str] = []
        for path in self._logs:
            with contextlib.suppress(OSError):
                last = path.read_text("utf-8", "replace").splitlines()[-TAIL_LINES:]
                lines += [f"{path.name}: {line[:TAIL_WIDTH]}" for line in last]
        return "\n".join(lines)
