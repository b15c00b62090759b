"""F42: lgpio makes a FIFO in its working folder at import. The check before it, as another user, in `/`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What lgpio does at import, and nothing else of it.
LGPIO = """
import os
class error(Exception): pass
os.mkfifo(os.path.join(os.environ.get("LG_WD") or ".", ".lgd-nfy0"))
raise ImportError("imported as far as its FIFO")
"""
# Libraries are loaded first: the user who is left may not be allowed to read where they lie.
SCRIPT = """
import os, sys
import importlib.metadata, gpiozero, gpiozero.pins.local
from drivers.gpio.errors import PortError
from drivers.gpio.factory import open_factory
sys.path.insert(0, sys.argv[1])
os.chdir("/")
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    open_factory("lgpio", production=True)
except PortError as error:
    print(error.code, error.what)
"""


def started(folder: Path, lg_wd: str | None) -> str:
    environ = {name: text for name, text in os.environ.items() if name not in ("LG_WD", "GPIOZERO_PIN_FACTORY")}
    if lg_wd is not None:
        environ["LG_WD"] = lg_wd
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    done = subprocess.run(command, env=environ, cwd=Path.cwd(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_f42_in_the_root_folder_as_another_user(tmp_path: Path) -> None:
    public = Path(os.environ.get("TMPDIR", "/tmp")) / f"lgpio-{os.getpid()}"
    public.mkdir(mode=0o777)
    public.chmod(0o777)
    try:
        (public / "lgpio.py").write_text(LGPIO, "utf-8")
        assert started(public, None).startswith("work_folder lgpio cannot write into its working folder /")
        said = started(public, str(public))
        assert said.startswith("factory_import") and "as far as its FIFO" in said
        assert (public / ".lgd-nfy0").is_fifo()
    finally:
        for path in sorted(public.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        public.rmdir()
