"""The demo as a stranger runs it: seeds that repeat, signals in mid-hand (more: tests/sim/test_demo.py)."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.children import Child
from tests.hil.rig import BIN, LAB_AUDITOR, tablectl, until

pytestmark = pytest.mark.hil


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="hil-", dir="/tmp"))
    yield made
    shutil.rmtree(made)


def running(folder: Path) -> list[int]:
    """Processes that have to do with this directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in line:
                found.append(int(entry.name))
    return found


def demo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [str(BIN / "firmware-sim"), "demo", "--dir", str(folder), *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)


def blocks(out: str) -> list[str]:
    """What is said of each hand, without the run's head and end."""
    body = out.partition("\nhand 1")[2].partition("\naudit:")[0]
    return re.split(r"\n(?=hand \d)", "hand 1" + body)


def test_a_seed_gives_the_same_hands(folder: Path) -> None:
    """The deck and what the players do; the joker is the table's own draw and differs, so a game without one."""
    one, other = (demo(folder / name, "--hands", "2", "--game", "oasis_ru", "--seed", "12") for name in "ab")
    assert one.returncode == other.returncode == 0, one.stderr + other.stderr
    assert one.stderr == other.stderr == ""
    assert blocks(one.stdout) == blocks(other.stdout)
    argv = [sys.executable, str(LAB_AUDITOR), str(folder / "a/journal.db")]
    lab = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert lab.stdout.startswith("OK 2 hands, "), lab.stdout + lab.stderr
    assert [re.match(r"hand \d", block)[0] for block in blocks(one.stdout)] == ["hand 1", "hand 2"]  # type: ignore[index]
    assert re.fullmatch(r"audit: OK 2 hands, \d+ records, head [0-9a-f]{64}", one.stdout.strip().splitlines()[-1])
    assert running(folder) == []


def test_a_demo_without_a_shoe(folder: Path) -> None:
    done = demo(folder / "a", "--hands", "1", "--game", "oasis_ru", "--cards", "at_turn", "--seed", "12")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"audit: OK 1 hands?, \d+ records, head [0-9a-f]{64}", done.stdout.strip().splitlines()[-1])
    assert "CardDealt" not in log(folder / "a")
    again = demo(folder / "a", "--hands", "1", "--game", "oasis_ru", "--seed", "12")
    assert "TC-0724" in again.stderr  # the folder's table has no shoe


def test_a_house_s_own_game_with_its_own_deck(folder: Path) -> None:
    """The simulated shoe deals the deck that the file names, to no more boxes than the file has."""
    house = folder / "house.toml"
    house.write_text('base = "oasis_ru"\ndeck_size = 36\nlow_straight = "A6789"\nmax_boxes = 3\n', "utf-8")
    done = demo(folder / "a", "--hands", "2", "--game", str(house), "--seed", "12")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().splitlines()[-1].startswith("audit: OK 2 hands, ")
    assert "boxes = 3\n" in (folder / "a" / "table.toml").read_text("utf-8")


@pytest.mark.parametrize(("number", "when"), [(signal.SIGINT, "CardDealt"), (signal.SIGTERM, "StakeSet")])
def test_a_signal_stops_all_of_it(number: signal.Signals, when: str, folder: Path) -> None:
    argv = [str(BIN / "firmware-sim"), "demo", "--dir", str(folder), "--seed", "2"]
    with Child(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert until(lambda: when in log(folder))
        child.send_signal(number)
        out, err = child.communicate(timeout=30)
    assert running(folder) == []
    if number is signal.SIGINT:
        assert child.returncode == 0, err
        assert "Traceback" not in out + err
        assert out.strip().splitlines()[-1].startswith("audit: OK")
    assert tablectl("audit", str(folder / "journal.db")).returncode == 0


def log(folder: Path) -> str:
    path = folder / "tabled.log"
    return path.read_text("utf-8") if path.exists() else ""
