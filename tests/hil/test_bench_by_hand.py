"""The bench by hand, with the commands that stand in deploy/config/bench.toml: as a person would type them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.control.client import Client
from controller.errors import TableError
from tests.hil.commands import BIN
from tests.hil.rig import until

pytestmark = pytest.mark.hil

ROOT = Path(__file__).parents[2]
PINS = {"d1": "1425", "s1": "6315", "e1": "4263"}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short: a Unix socket's path has room for 107 bytes."""
    made = Path(tempfile.mkdtemp(prefix="bench-", dir="/tmp"))
    (made / "deploy").symlink_to(ROOT / "deploy")
    yield made
    shutil.rmtree(made)


def commands() -> list[str]:
    text = (ROOT / "deploy/config/bench.toml").read_text("utf-8")
    return [line.split("   (")[0] for line in re.findall(r"^#   (.+)$", text, re.MULTILINE)]


def type_in(line: str, folder: Path, stack: contextlib.ExitStack) -> None:
    """One line of the shell. What goes to the background is stopped in order at the end."""
    environ = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    if line.endswith(" &"):
        child = subprocess.Popen(["bash", "-c", "exec env " + line[:-2]], cwd=folder, env=environ)
        stack.callback(stop, child)
        return
    who = re.findall(r"(?:--as|operator add) (\w+)", line)
    given = {"input": "".join(PINS[one] + "\n" for one in who)} if who else {}
    words = line + (" --pin-fd 0" if who else "")
    done = subprocess.run(["bash", "-c", words], cwd=folder, env=environ, text=True, check=False, **given)
    assert done.returncode == 0, line


def stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    assert child.wait(10) in (0, 130)


def answers(folder: Path) -> bool:
    try:
        with Client(folder / "run/control.sock") as client:
            return client.status()["devices"].get("shoe") == "ready"
    except TableError:
        return False


def test_the_commands_of_the_page_open_a_table(folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        for line in commands():
            type_in(line, folder, stack)
            if line.endswith("&"):
                until((folder / "run/shoe").exists)
            if "GPIOZERO" in line:
                assert until(lambda: answers(folder)), line
        with Client(folder / "run/control.sock") as client:
            assert client.status()["open"] is True
