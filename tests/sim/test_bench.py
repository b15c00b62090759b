"""The bench as a whole without a daemon: faults, scenarios, the command line, and what becomes of child processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from drivers.wire.messages import EventKind
from firmware_sim import children, scenario
from firmware_sim.bench import Bench
from firmware_sim.demo_files import prepare
from firmware_sim.errors import BenchError
from firmware_sim.event_log import Logged
from firmware_sim.faults import LASTING, SCANS, WHAT, Fault, FaultBook, parse
from firmware_sim.main import cli
from firmware_sim.panel import Panel
from firmware_sim.world import Place
from tests.children import Child
from tests.sim.fake_table import FakeTable
from tests.sim.test_gpio import until


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(tmp_path, seed=3) as bench:
        bench.new_deck(1)
        bench.shoe.device.deal = True  # as a host would have it
        yield bench


def last(bench: Bench) -> Logged:
    event = bench.shoe._log.get(bench.shoe.device.last_event)
    assert event is not None
    return event


def test_a_card_goes_through_shoe_and_world(bench: Bench) -> None:
    bench.stack_deck(["As", "Kd"])
    bench.new_deck(2)
    assert not bench.draw_card(Place.BOX, 1)  # the lid was open: inhibited
    bench.shoe.device.deal = True
    assert bench.draw_card("box", 1)
    assert last(bench) == Logged(bench.shoe.device.last_event, EventKind.CARD, 51)
    assert bench.draw_card(Place.DEALER, card="7c")
    assert bench.world.box(1).dealt == ["As"]
    assert bench.world.dealer == ["7c"]


def test_faults_of_cards(bench: Bench) -> None:
    bench.draw_card("box", 1, "As")
    bench.inject(Fault.UNREAD_CARD)
    bench.draw_card("box", 1, "Kd")
    assert last(bench).kind == EventKind.CARD_UNREAD
    assert bench.world.box(1).dealt == ["As", "Kd"]  # it lies there all the same
    bench.inject(Fault.DUPLICATE_CARD)
    bench.draw_card("box", 1)
    assert bench.world.box(1).dealt[2] in ("As", "Kd")
    bench.inject(Fault.EXTRA_CARD)
    for _ in range(4):
        bench.draw_card("dealer")
    assert bench.world.loose == []
    before = bench.shoe.device.last_event
    bench.draw_card("dealer")
    assert bench.shoe.device.last_event == before + 2
    assert (len(bench.world.dealer), len(bench.world.loose)) == (5, 1)
    bench.inject(Fault.DOUBLE_FEED)
    bench.shoe.device.deal = True
    assert not bench.draw_card("dealer")
    assert (last(bench).kind, len(bench.world.dealer), len(bench.world.loose)) == (EventKind.DOUBLE_FEED, 5, 3)
    assert not bench.shoe.deal, "somebody must look first"


def test_faults_of_hardware(bench: Bench) -> None:
    for fault in Fault:
        if fault not in (Fault.UNREAD_CARD, Fault.DUPLICATE_CARD, Fault.EXTRA_CARD, *SCANS):
            bench.inject(fault)
    assert bench.shoe.twice
    assert bench.shoe.noise
    assert bench.panel.bouncing
    assert bench.board.dead
    assert "green 1" in bench.board.broken
    until((bench.folder / "shoe").is_symlink)  # back after 0.3 s
    with pytest.raises(BenchError, match="TC-0707"):
        bench.press("K9")
    for fault in SCANS:
        with pytest.raises(BenchError, match="TC-0718"):
            bench.inject(fault)


def test_planned_faults_happen_once_in_their_hand(bench: Bench) -> None:
    book = FaultBook(seed=1)
    book.plan(Fault.EXTRA_CARD, 2)
    assert all(book.take(1, card) == [] for card in range(1, 30))
    assert [fault for card in range(1, 30) for fault in book.take(2, card)] == [Fault.EXTRA_CARD]
    bench.plan_fault(Fault.UNREAD_CARD, 1)
    for _ in range(8):
        bench.draw_card("box", 1)
    kinds = [bench.shoe._log.get(n) for n in range(4, bench.shoe.device.last_event + 1)]
    assert [event.kind for event in kinds if event].count(EventKind.CARD_UNREAD) == 1
    assert set(WHAT) == set(Fault)
    assert set(Fault) >= LASTING
    assert parse("unread-card@7") == (Fault.UNREAD_CARD, 7)
    for bad in ("coffee", "noise@x"):
        with pytest.raises(BenchError, match="TC-0710"):
            parse(bad)


def test_a_finger_does_not_hammer() -> None:
    paused: list[float] = []

    class Wires:
        def __init__(self) -> None:
            self.changes: dict[int, int] = {}

        def drive(self, levels: dict[int, int]) -> None:
            for pin in levels:
                self.changes[pin] = self.changes.get(pin, 0) + 1

    wires = Wires()
    panel = Panel(wires, paused.append)  # type: ignore[arg-type]
    for _ in range(5):
        panel.press("OK")
    assert wires.changes == {27: 10}
    assert sum(paused) >= 4 * 0.09


SCENARIO = """
seed = 4
[[step]]
stack = ["As", "Kd"]
[[step]]
deck = 1
[[step]]
chord = ["K1", "K2"]
[[step]]
hold = "EXTRA"
seconds = 0.05
[[step]]
turn = "SWITCH"
[[step]]
sign = "1234"
[[step]]
fault = "stuck-key"
[[step]]
free = "K3"
[[step]]
unplug = true
[[step]]
replug = true
[[step]]
pause = 0.01
"""


def test_a_scenario_runs(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    done = CliRunner().invoke(cli, ["run", str(tmp_path / "s.toml"), "--dir", str(tmp_path / "b")])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == "11 pause 0.01"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[step]]\npress = 'OK'\nhold = 'OK'\n", "a step has 2 acts"),
        ("[[step]]\n", "a step has 0 acts"),
        ("[[step]]\nkick = 'OK'\n", "unknown field `kick`"),
        ("[[step]]\nfault = 'coffee'\n", "Invalid enum value 'coffee'"),
        ("seed = [", "not a scenario"),
    ],
)
def test_a_bad_scenario_is_refused_before_its_first_step(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(BenchError, match=said):
        scenario.load(tmp_path / "s.toml")
    with pytest.raises(BenchError, match="cannot read the scenario"):
        scenario.load(tmp_path / "nothing.toml")


def test_waiting_ends_with_what_stands(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        with pytest.raises(BenchError, match=r"TC-0712 waited .* for expects card: no daemon"):
            bench.wait_expects("card", 0.05)
        table = FakeTable(tmp_path / "control.sock", bench.world)
        assert bench.wait_expects("start")["hand"] == 1
        with pytest.raises(BenchError, match="for phase closed: betting, expects"):
            bench.wait_phase("closed", 0.05)
        script = scenario.Scenario(step=[scenario.Step(wait="card", timeout_s=0.05)])
        with pytest.raises(BenchError, match=r"TC-0716 step 1 \(wait\)") as caught:
            list(scenario.run(bench, script))
        assert caught.value.exit_code == 1
        table.close()


def test_commands_and_their_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BenchError, match="TC-0720 no-such-tool is not installed"):
        children.command("no-such-tool")
    tool = tmp_path / "tool"
    monkeypatch.setattr(children, "command", lambda name: str(tool))
    tool.write_text("#!/bin/sh\ncat /dev/fd/$4\necho fine\n")
    tool.chmod(0o755)
    assert children.call("tool", "one", "two", pins=["1111", "2222"]) == "1111\n2222\nfine\n"
    tool.write_text("#!/bin/sh\necho 'TC-0601 no daemon: /x: start it' >&2\nexit 4\n")
    with pytest.raises(BenchError) as caught:
        children.call("tool")
    assert (caught.value.line(), caught.value.exit_code) == ("TC-0601 no daemon: /x: start it", 4)
    tool.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(BenchError, match="TC-0722 exit code 3: tool a"):
        children.call("tool", "a")


def test_a_daemon_is_stopped_with_all_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "tabled"
    tool.write_text(
        "#!/bin/sh\nsleep 300 &\necho $! > child\necho hello\ntrap 'exit 0' TERM\nwhile true; do sleep 0.05; done\n"
    )
    tool.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(children, "command", lambda name: str(tool))
    daemon = children.Daemon(tmp_path / "table.toml", tmp_path, {})
    until(lambda: (tmp_path / "child").exists() and bool((tmp_path / "child").read_text().strip()))
    child = int((tmp_path / "child").read_text())
    assert daemon.returncode is None
    assert daemon.stop() == 0
    until(lambda: not _alive(child))
    assert daemon.tail() == "tabled.out: hello"


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_the_run_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, ...]] = []

    def called(*args: str, pins: Sequence[str] = ()) -> str:
        calls.append((*args, *pins))
        return '{"boxes": 3}'

    monkeypatch.setattr("firmware_sim.demo_files.call", called)
    config = prepare(tmp_path / "run", "russian")
    assert 'rules = "russian"' in config.read_text()
    assert "boxes = 3" in config.read_text()  # as many as its deck serves
    assert [calls.pop(0)[:3] for _ in range(2)] == [("tablectl", "rules", "check")] * 2  # before anything is made
    assert [call[:3] for call in calls[:3]] == [("tablectl", "operator", "add")] * 3
    assert calls[3] == ("tabled", "--config", str(config), "--init")
    with pytest.raises(BenchError, match="TC-0724"):
        prepare(tmp_path / "run", "jpoker")
    with pytest.raises(BenchError, match="TC-0723"):
        prepare(tmp_path / ("x" * 120), "jpoker")
    (tmp_path / "file").write_text("")
    for taken in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/none")):
        with pytest.raises(BenchError, match="TC-0728"):
            prepare(taken, "jpoker")


def test_the_bench_alone_ends_on_ctrl_c(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from firmware_sim.main import main; main()"]
    with Child([*program, "run", "--bench", "--dir", str(tmp_path / "b")], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"bench: shoe")
        assert (tmp_path / "b" / "shoe").is_symlink()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 130
    assert not (tmp_path / "b" / "gpio.sock").exists()
    assert not (tmp_path / "b" / "shoe").is_symlink()


def test_usage(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["run", "--dir", "x"], ["run", "a.toml", "--bench", "--dir", "x"]):
        assert CliRunner().invoke(cli, words).exit_code == 2
    help_text = CliRunner().invoke(cli, ["run", "--help"]).output
    assert all(str(fault) in help_text for fault in Fault)
