"""What is in somebody else's hands, ports and pins: said with who it is, waited for where it helps. F10 F40 F43."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from firmware_sim.faults import Fault
from tests.children import Child
from tests.hil.rig import Rig, devices_ready, table
from tests.hil.test_shoe_line import dealt, finish

pytestmark = pytest.mark.hil

ROOT = Path(__file__).parents[2]


@contextmanager
def stranger(link: Path) -> Iterator[int]:
    """Another process that takes a port which has just appeared, locks it, and lets it go at the end; its number."""
    code = (
        "import fcntl, os, sys\n"
        "ours, theirs = os.openpty()\n"
        "fcntl.flock(theirs, fcntl.LOCK_EX)\n"
        "os.symlink(os.ttyname(theirs), sys.argv[1])\n"
        "print('there', flush=True)\n"
        "sys.stdin.read()\n"
        "os.unlink(sys.argv[1])\n"
    )
    command = [sys.executable, "-c", code, str(link)]
    with Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"there\n"
        yield child.pid
        child.communicate()


def test_f10_a_port_that_somebody_grabs_at_plugging_in_is_waited_for_and_told() -> None:
    with table(seed=3) as rig:
        before = dealt(4, rig)
        rig.bench.unplug_shoe()
        rig.wait(lambda snap: snap["devices"]["shoe"] == "absent")
        with stranger(rig.folder / "shoe") as pid:
            told = rig.wait(lambda snap: snap["health"]["ports"].get("shoe") == f"port in use by pid {pid}")
            assert told["expects"] == before["expects"]
            text = rig.tablectl("status", "--config", str(rig.config)).stdout
            assert f"port shoe: port in use by pid {pid}" in text
        rig.bench.replug_shoe()
        back = rig.wait(devices_ready)
        assert back["health"]["ports"] == {}
        finish(rig)


def test_f10_the_bench_s_own_busy_port_costs_no_card() -> None:
    with table(seed=3) as rig:
        before = dealt(4, rig)
        rig.bench.inject(Fault.PORT_BUSY)
        told = rig.wait(lambda snap: snap["health"]["ports"].get("shoe") == f"port in use by pid {os.getpid()}")
        assert told["expects"] == before["expects"]
        rig.wait(devices_ready)
        finish(rig)


def refused(rig: Rig, **environ: str) -> tuple[int, str]:
    code = rig.spawn(environ=environ).wait(20)
    assert rig.stderr.count("\n") == 1, rig.stderr
    return code, rig.stderr


@pytest.mark.parametrize("cause", ["raise ImportError('liblgpio.so.1: cannot open')", "raise OSError('wrong chip')"])
def test_f40_lgpio_that_cannot_be_imported_ends_the_start_and_nothing_else_is_tried(cause: str) -> None:
    with Rig() as rig:
        broken = rig.folder / "broken"
        broken.mkdir()
        (broken / "lgpio.py").write_text(cause, "utf-8")
        code, line = refused(rig, GPIOZERO_PIN_FACTORY="lgpio", PYTHONPATH=str(broken), LG_WD=str(rig.folder))
        assert code == 4
        said = re.search(r"'(.*)'", cause)
        assert said is not None and "lgpio" in line and said[1] in line and "python3-lgpio" in line
        assert rig.records("RunStarted") == []  # no run with another factory


def test_f40_gpiozero_is_pinned_exactly_and_the_class_is_on_record() -> None:
    for lock in ("requirements.lock", "requirements-table.lock"):
        assert f"gpiozero=={version('gpiozero')} " in (ROOT / lock).read_text("utf-8")
    with Rig() as rig:
        rig.start()
        (run,) = rig.records("RunStarted")
        assert run["data"]["hardware"]["pin_factory"] == "firmware_sim.gpio_factory:SimFactory"
        assert rig.stop()[0] == 0


def test_f43_the_daemon_has_no_children_that_could_inherit_a_pin() -> None:
    with table(seed=3) as rig:
        assert rig.child is not None
        tasks = Path(f"/proc/{rig.child.pid}/task")

        def children() -> str:
            return "".join((task / "children").read_text() for task in tasks.iterdir())

        seen = set()
        rig.play_until(lambda snap: bool(seen.add(children()) or (snap["last_hand"] or {}).get("hand")))
        assert seen == {""}
        for link in (tasks.parent / "fd").iterdir():  # and what it has open goes to no program that it might start
            with_cloexec = (tasks.parent / "fdinfo" / link.name).read_text()
            flags = int(re.findall(r"flags:\s+(\d+)", with_cloexec)[0], 8)
            assert flags & os.O_CLOEXEC or int(link.name) <= 2, os.readlink(link)
        assert rig.stop()[0] == 0


def test_f43_no_part_of_the_daemon_forks() -> None:
    """What starts processes belongs to tablectl and is imported by no module of the daemon."""
    code = (
        "import controller.app, sys\n"
        "ours = [m for n, m in sys.modules.items() if n.split('.')[0] in ('controller', 'drivers')]\n"
        "print('multiprocessing' in sys.modules, *(m.__file__ for m in ours if m.__file__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, *files = done.stdout.split()
    assert loaded == "False" and len(files) > 50
    for file in files:
        assert not re.search(r"subprocess|multiprocessing|os\.fork|posix_spawn", Path(file).read_text("utf-8")), file
