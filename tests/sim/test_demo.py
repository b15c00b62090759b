"""The demo with the real daemon: installed commands, hands, faults, the audit, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from firmware_sim import scenario
from firmware_sim.bench import Bench
from firmware_sim.children import Daemon, call
from firmware_sim.demo import QUIET_S, Staff
from firmware_sim.demo_files import PINS, prepare
from firmware_sim.floor_staff import Say
from tests.children import Child
from tests.sim.test_gpio import until

pytestmark = pytest.mark.hil

PROGRAM = [sys.executable, "-c", "from firmware_sim.main import main; main()", "demo"]


def demo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "COLUMNS": "60"}
    return subprocess.run(
        [*PROGRAM, "--dir", str(folder), *words], capture_output=True, text=True, timeout=120, check=False, env=environ
    )


def left_running(folder: Path) -> list[str]:
    """Processes whose command line names the run directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if str(folder) in line and "tabled" in line:
                found.append(line)
    return found


@pytest.mark.parametrize("game", ["jpoker", "oasis_ru"])
def test_hands_and_audit(tmp_path: Path, game: str) -> None:
    done = demo(tmp_path, "--game", game, "--hands", "2", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("audit: OK 2 hands, ")
    assert next(line for line in lines if line.startswith("hand ")).startswith("hand 1")
    assert "\x1b" not in done.stdout
    assert left_running(tmp_path) == []
    again = demo(tmp_path, "--game", game, "--hands", "1", "--seed", "3")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "hand 3" in again.stdout
    assert again.stdout.splitlines()[-1].startswith("audit: OK 1 hands, ")


@pytest.mark.parametrize("fault", ["unread-card", "duplicate-card", "extra-card", "unplug-300ms", "open-lamp"])
def test_faults_do_not_end_the_evening(tmp_path: Path, fault: str) -> None:
    done = demo(tmp_path, "--hands", "3", "--seed", "8", "--fault", fault)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("void" in done.stdout) == (fault == "duplicate-card")


def test_ctrl_c_stops_in_order(tmp_path: Path) -> None:
    with Child([*PROGRAM, "--dir", str(tmp_path), "--seed", "1"], stdout=subprocess.PIPE, text=True) as process:
        until(lambda: bool(left_running(tmp_path)) and (tmp_path / "control.sock").exists(), 20)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=40)
    assert "audit: OK" in out
    assert process.returncode == 0, out
    assert left_running(tmp_path) == []


@pytest.mark.parametrize(("game", "said"), [("no_such_game", "TC-0401 no rule set"), ("jpoker_online", "TC-0405")])
def test_a_game_that_cannot_be_played_is_refused_before_anything_is_made(tmp_path: Path, game: str, said: str) -> None:
    done = demo(tmp_path / "run", "--hands", "1", "--game", game)
    assert done.returncode != 0
    assert done.stderr.startswith(said) and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_daemon_that_cannot_start_is_shown(tmp_path: Path) -> None:
    prepare(tmp_path, "jpoker")
    (tmp_path / "journal.db").unlink()
    done = demo(tmp_path, "--hands", "1")
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith("TC-")
    assert "Traceback" not in done.stderr


def test_the_scenario_of_the_page(tmp_path: Path) -> None:
    """docs/bench.md's example, against a daemon that people opened by tablectl."""
    page = (Path(__file__).parents[2] / "docs" / "bench.md").read_text("utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    (tmp_path / "page.toml").write_text(next(block for block in blocks if "[[step]]" in block))
    config = prepare(tmp_path, "jpoker")
    with Bench(tmp_path, seed=7) as bench:
        environ = {"GPIOZERO_PIN_FACTORY": "firmware_sim", "FIRMWARE_SIM_SOCKET": str(tmp_path / "gpio.sock")}
        daemon = Daemon(config, tmp_path, environ)

        def say(said: Say) -> None:
            who = [word for name in said.who for word in ("--as", name)]
            call("tablectl", "do", *said.command, "--config", str(config), *who, pins=[PINS[name] for name in said.who])

        staff = Staff(bench, say)  # the joker is the table's own draw: discards may want a supervisor's look
        try:
            bench.wait_expects("open", 20)
            say(Say(("open_table",), ("dealer", "supervisor", "witness")))
            bench.wait_expects("start")
            staff.start()
            threading.Event().wait(QUIET_S)
            steps = scenario.run(bench, scenario.load(tmp_path / "page.toml"))
            done = [next(steps) for _ in range(7)]
            assert bench.world.box(1).dealt == ["As"]  # now: the robot's next deck clears the felt
            done += steps
            assert done[-1] == "10 wait_hand 1"
            assert any(line.strip() for line in bench.display.text())
            bench.let_robot_play(False)
        finally:
            staff.stop()
            assert daemon.stop() == 0, daemon.tail()
