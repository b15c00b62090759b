"""tablectl for tests: as a person runs it, or in this process where only its verdict matters."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.cli.main import run

BIN = Path(sys.executable).parent


def tablectl(*args: str, pins: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Runs tablectl, with PINs on a descriptor."""
    read, write = os.pipe()
    os.write(write, "".join(f"{pin}\n" for pin in pins).encode())
    os.close(write)
    try:
        return subprocess.run(
            [str(BIN / "tablectl"), *args, *(("--pin-fd", str(read)) if pins else ())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            pass_fds=(read,),
            timeout=60,
            check=False,
        )
    finally:
        os.close(read)


def tablectl_here(*args: str) -> subprocess.CompletedProcess[str]:
    """The same command line, in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(list(args))
    return subprocess.CompletedProcess(args, code, out.getvalue(), err.getvalue())
