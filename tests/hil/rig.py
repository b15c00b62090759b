"""A whole table for one test: bench in the test process, tabled as a child on a real pty, all gone at the end.

Looks at the daemon only from outside: its exit code, stderr, log, socket, journal file, and what lamps show.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.control.client import Client
from controller.errors import TableError
from drivers.gpio.debounce import Timing
from firmware_sim.bench import Bench
from firmware_sim.demo_files import PINS, READER, SHOE, prepare
from firmware_sim.floor_staff import decide
from firmware_sim.text_unit import code_table
from firmware_sim.world import World
from tests.hil.commands import BIN, tablectl, tablectl_here

Snapshot = dict[str, Any]
Wanted = Callable[[Snapshot], bool]
PATIENCE_S = 60.0  # costs nothing where the table answers; a busy machine may take its time
LAB_AUDITOR = Path(__file__).parents[1] / "lab" / "auditor.py"
UNREAD = "??"  # never read and never turned
CHANGES_BY_RESTART = frozenset({"version", "devices", "troubles", "health", "was_off_s"})


_made: dict[str, Path] = {}


def _prepared(game: str) -> Path:
    """Keys, operators and an empty journal, made once for all tests of a game."""
    if game not in _made:
        _made[game] = Path(tempfile.mkdtemp(prefix="hil-", dir="/tmp")) / "made"
        prepare(_made[game], game)
    return _made[game]


def forget_prepared() -> None:
    """Removes what `_prepared` has made."""
    while _made:
        shutil.rmtree(_made.popitem()[1].parent, ignore_errors=True)


class RecordingBench(Bench):
    """Keeps the felt of every hand before the cards go back into the shuffler."""

    def __init__(self, folder: Path, seed: int, *, robot: bool = False, reader: bool = False) -> None:
        super().__init__(folder, seed, robot=robot, reader=reader)
        self.felts: dict[int, World] = {}

    def new_deck(self, hand: int) -> None:
        if self.world.hand:
            self.felts[self.world.hand] = copy.deepcopy(self.world)
        super().new_deck(hand)


class Watcher:
    """Every line that the control socket's watch sends, as bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: list[bytes] = []
        self._stop = threading.Event()
        self._sock: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        sock = self._sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)

    def snapshots(self) -> list[Snapshot]:
        return [json.loads(line)["snapshot"] for line in list(self.lines) if line.startswith(b'{"snapshot"')]

    def _run(self) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                sock.connect(str(self._path))
                self._sock = sock
                sock.sendall(b'{"op":"watch"}\n')
                with sock.makefile("rb") as stream:
                    self.lines += iter(stream.readline, b"")
            self._stop.wait(0.05)


class Rig:
    """One table."""

    def __init__(
        self,
        game: str = "jpoker",
        seed: int = 1,
        changes: Mapping[str, str] | None = None,
        *,
        reader: bool = False,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hil-", dir="/tmp")) / "t"
        shutil.copytree(_prepared(game), self.folder)
        self.config = self.folder / "table.toml"
        text = self.config.read_text("utf-8")
        if reader:
            changes = {SHOE: READER, **(changes or {})}
            (self.folder / "codes.toml").write_text(code_table(), "utf-8")
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        self.config.write_text(text, "utf-8")
        self.journal = self.folder / "journal.db"
        self.bench = RecordingBench(self.folder, seed, reader=reader)
        self.child: subprocess.Popen[bytes] | None = None
        self.clean = True
        self._keys_at: float | None = None

    def __enter__(self) -> Rig:
        self.bench.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bench.dealer.stop()
        self.kill()
        self.bench.stop()
        if self.clean:
            shutil.rmtree(self.folder.parent, ignore_errors=True)

    # --- the daemon

    def spawn(
        self, *, environ: Mapping[str, str] | None = None, program: Sequence[str] = (), pass_fds: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        """tabled, not waited for."""
        assert self.child is None or self.child.poll() is not None
        self._keys_at = None
        with (self.folder / "stderr").open("ab") as err:
            self.child = subprocess.Popen(
                [*(program or (str(BIN / "tabled"),)), "--config", str(self.config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=err,
                env={**os.environ, **self.environ(), **(environ or {})},
                start_new_session=True,
                pass_fds=pass_fds,
            )
        return self.child

    def environ(self) -> dict[str, str]:
        return {"GPIOZERO_PIN_FACTORY": "firmware_sim", "FIRMWARE_SIM_SOCKET": str(self.folder / "gpio.sock")}

    def start(self, **how: Any) -> Snapshot:
        """tabled, until its first snapshot is there and its devices are ready."""
        self.spawn(**how)
        return self.wait(devices_ready)

    def kill(self) -> None:
        """Power cut for the daemon."""
        if self.child is not None and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
        if self.child is not None:
            self.child.wait()
            self.wait_gone()

    def restart_same(self) -> Snapshot:
        """Kill, start again, and see that nothing but the run has changed."""
        before = self.now
        self.kill()
        after = self.start()
        assert same_table(before, after) == {}
        assert after["version"] > before["version"]
        return after

    def wait_gone(self) -> None:
        """The bench has seen that the daemon is away: what it knows from now on is of the next run."""
        assert until(lambda: self.bench.feed.latest is None)

    def stop(self) -> tuple[int, float]:
        """SIGTERM; exit code and seconds."""
        assert self.child is not None
        started = time.monotonic()
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(10)
        self.wait_gone()
        return code, time.monotonic() - started

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr").read_text("utf-8")

    @property
    def log(self) -> str:
        path = self.folder / "tabled.log"
        return path.read_text("utf-8") if path.exists() else ""

    # --- people

    @property
    def now(self) -> Snapshot:
        """The newest snapshot."""
        return self.wait(lambda _: True)

    def wait(self, wanted: Wanted, timeout_s: float = PATIENCE_S) -> Snapshot:
        found = self.bench.feed.wait(wanted, timeout_s)
        if found is None:
            seen = self.bench.feed.latest or {}
            picked = {
                key: seen.get(key) for key in ("hand", "phase", "expects", "prompt", "joker", "devices", "version")
            }
            self.clean = False
            ended = f"tabled ended: {self.stderr}; " if self.child is not None and self.child.poll() is not None else ""
            raise AssertionError(f"not seen in {timeout_s} s; {ended}{picked}; {self.folder}; {self.log[-800:]}")
        return found

    def wait_expects(self, kind: str, timeout_s: float = PATIENCE_S) -> Snapshot:
        return self.wait(lambda snap: snap["expects"]["kind"] == kind, timeout_s)

    def do(self, name: str, *who: str, **args: Any) -> Any:
        """A command over the socket, by people with their PINs, with what they see now."""
        for _ in range(5):  # the table may move between look and word
            with Client(self.folder / "control.sock") as client:
                snap = client.status()
                people = [(one, PINS[one]) for one in who]
                try:
                    return client.do(name, args, hand=snap["hand"], version=snap["version"], identities=people).outcome
                except TableError as error:
                    if "version" not in error.what:
                        raise
        raise AssertionError("the table never stood still")

    def open_table(self) -> Snapshot:
        """The table opens; keys count from now on."""
        self.do("open_table", "dealer", "supervisor", "witness")  # some of the games favour the player: grade C
        self.wait_for_keys()
        return self.wait_expects("start")

    def wait_for_keys(self) -> None:
        """A key counts once it has been quiet for the settle time (docs/wiring.md) since this run read it first.

        RunStarted is written after that, by the same clock; an edge carries the bench's time, so a busy daemon that
        comes to it late takes it all the same.
        """
        if self._keys_at is None:
            assert self.now  # a snapshot of this run: its RunStarted stands in the file
            self._keys_at = (self.records("RunStarted")[-1]["mono"] + Timing().settle_ns) / 1e9
        pause(max(0.0, self._keys_at - time.monotonic()))

    def press(self, name: str) -> None:
        """A short press, not before keys count."""
        self.wait_for_keys()
        self.bench.press(name)

    def tablectl(self, *args: str, pins: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """The command, as a person gives it."""
        return tablectl(*args, pins=pins)

    # --- hands

    def play_until(self, wanted: Wanted, timeout_s: float = PATIENCE_S) -> Snapshot:
        """The robot plays, step by step in this thread, until a look shows what is wanted."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            snap = self.bench.feed.latest
            if snap is not None and wanted(snap):
                return snap
            self._help(snap)
            if snap is not None and snap["expects"]["kind"] != "card":
                self.wait_for_keys()
            self.bench.dealer.step()
        return self.wait(wanted, 0.1)

    def wait_staffed(self, wanted: Wanted, timeout_s: float = 60.0) -> Snapshot:
        """Until the robot, in its own thread, and the floor staff have brought it there."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            found = self.bench.feed.wait(wanted, 0.1)
            if found is not None:
                return found
            self._help(self.bench.feed.latest)
        return self.wait(wanted, 0.1)

    def _help(self, snap: Snapshot | None) -> None:
        """What the dealer alone may not do, the floor staff does."""
        say = decide(snap, self.bench.world) if snap else None
        if say is not None:
            name, *args = say.command
            given = {key: int(value) if value.isdecimal() else value for key, value in (a.split("=") for a in args)}
            with contextlib.suppress(TableError):  # said already, and the look is old
                self.do(name, *say.who, **given)

    def play_hands(self, count: int, timeout_s: float = 60.0) -> Snapshot:
        """Until this hand has ended."""
        self.bench.dealer.most_hands = None
        return self.play_until(lambda snap: last_hand(snap) >= count, timeout_s)

    # --- afterwards

    def audit(self) -> str:
        """The audit's verdict; fails where it is not clean, or where a stranger's auditor says otherwise."""
        done = tablectl_here("audit", str(self.journal))
        self.clean = self.clean and done.returncode == 0
        assert done.returncode == 0, (done.stdout, done.stderr, str(self.folder))
        assert "audit: OK" in done.stdout
        beside = subprocess.run(
            [sys.executable, str(LAB_AUDITOR), str(self.journal)], capture_output=True, text=True, check=False
        )
        assert beside.returncode == 0, beside.stdout + beside.stderr
        return done.stdout

    def records(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The journal's records (of a kind) as they stand in the file, oldest first."""
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as db:
            every = [json.loads(row[0]) for row in db.execute("select body from journal order by seq")]
        return [record for record in every if kind is None or record["type"] == kind]

    def recall(self, hand: int) -> Snapshot:
        """A finished hand out of the file."""
        done = tablectl_here("recall", str(hand), "--json", str(self.journal))
        assert done.returncode == 0, done.stderr
        found: Snapshot = json.loads(done.stdout)
        return found

    def felt_agrees(self, hand: int) -> None:
        """Every card of the record lay on the felt where the record says, and no other; none twice."""
        felt = self.bench.felts.get(hand) or self.bench.world
        assert felt.hand == hand
        request = self.recall(hand)["request"]
        recorded = {box["box"]: box for box in request["boxes"]}
        assert {box for box, cards in felt.boxes.items() if cards.dealt} == set(recorded)
        for number, box in recorded.items():
            lay = felt.box(number)
            said = box["cards"].split()
            assert len(said) == len(lay.dealt)
            assert all(one in (lies, UNREAD) for one, lies in zip(said, lay.dealt, strict=True)), (number, said, lay)
            if "final" in box and lay.thrown:
                assert sorted(box["final"].split()) == sorted(lay.held()), number
        dealer = request["dealer"]["cards"].split()
        assert dealer == felt.dealer
        every = [card for lay in felt.boxes.values() for card in lay.dealt + lay.drawn] + felt.dealer
        assert len(every) == len(set(every))


def devices_ready(snap: Snapshot) -> bool:
    source = "reader" if "reader" in snap["devices"] else "shoe"
    needed = (source, "board") if snap["cards"] == "shoe" else ("board",)
    return all(snap["devices"].get(name) in ("ready", "degraded") for name in needed)


def last_hand(snap: Snapshot) -> int:
    return int((snap["last_hand"] or {}).get("hand") or 0)


def same_table(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """What differs between two looks, apart from what a restart changes by nature."""
    keys = (before.keys() | after.keys()) - CHANGES_BY_RESTART
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


def pause(seconds: float) -> None:
    """Real hardware takes real time: a finger, a plug, a settling contact."""
    threading.Event().wait(seconds)


def until(wanted: Callable[[], object], timeout_s: float = PATIENCE_S) -> bool:
    """Looks again and again until it is so."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if wanted():
            return True
        pause(0.01)
    return bool(wanted())


@contextlib.contextmanager
def table(
    game: str = "jpoker", seed: int = 1, changes: Mapping[str, str] | None = None, *, reader: bool = False
) -> Iterator[Rig]:
    """A table with a running daemon, opened."""
    with Rig(game, seed, changes, reader=reader) as rig:
        rig.start()
        rig.open_table()
        yield rig
