"""`make bench`, second part: the table's pace as people at it feel it, by a real daemon on the bench. Judges nothing.

Times are the bench's monotonic clock, from the finger's edge or the card's byte to what can be seen of it outside.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from run import row, timed

from controller.domain.events import BoxPaid, registry
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.keys import create
from controller.journal.records import Stamp
from drivers.gpio.debounce import Timing
from firmware_sim.bench import Bench, last_hand
from firmware_sim.children import Daemon, call
from firmware_sim.demo import Staff
from firmware_sim.demo_files import PINS, prepare
from firmware_sim.wiring import INPUTS

Snapshot = dict[str, Any]
BOXES = 6
CARD_S = 0.3
HANDS = int(os.environ.get("HANDS") or 20)
STARTS = 5
FRAME = b"x" * 24  # about a card on the wire
ECHO = """
import os, sys, tty
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
tty.setraw(fd)
print("up", flush=True)
while data := os.read(fd, 4096):
    os.write(fd, data)
"""
# Everything that tabled imports and has not written itself, imported by a program that then only sits there.
PEER = """
import contextlib, importlib, os, socket, sys, time
sys.modules["rich"] = None  # structlog would load it, and tabled keeps it from that
for name in sys.stdin.read().split():
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
time.sleep(60)
"""
LIST = """
import sys
import controller.app
ours = ("controller", "drivers", "firmware_sim", "__main__")
print(*(m for m in sys.modules if m.split(".")[0] not in ours))
"""


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


def us(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}"


def at(values: list[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class TimedBench(Bench):
    """Notes when fingers and cards act, when the answer is seen, when lamps change, when the shoe is answered."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.acts: list[tuple[float, Snapshot]] = []
        self.seen: list[tuple[float, float]] = []
        self.lamps: list[float] = []
        self.answers: list[float] = []
        self.held_since: float | None = None
        put, self._lit, self._sent = self.feed._put, self.board.lit(), dict[int, float]()
        write, receive = self.shoe.port.write, self.shoe.device.receive

        def seen(snap: Snapshot | None) -> None:
            if snap is not None:
                refused = (snap.get("health") or {}).get("refused")  # an answer too, and no new version
                self.seen.append((time.monotonic(), float("inf") if refused else snap["version"]))
            put(snap)

        def transfer(data: list[int]) -> list[int]:
            answer = self.board.transfer(data)
            if (lit := self.board.lit()) != self._lit:
                self._lit = lit
                self.lamps.append(time.monotonic())
            return answer

        def wrote(data: bytes) -> int:
            if data and self.shoe.device.last_event > self.shoe.device.acked:
                self._sent.setdefault(self.shoe.device.last_event, time.monotonic())
            return write(data)

        def received(data: bytes, now_ns: int) -> None:
            receive(data, now_ns)
            arrived = time.monotonic()
            acked = self.shoe.device.acked
            for number in [n for n in self._sent if n <= acked]:
                sent = self._sent.pop(number)
                if number in self.cards:
                    self.answers.append(arrived - sent)

        drive, names = self.gpio.drive, {wire.pin: name for name, wire in INPUTS.items()}

        def driven(levels: dict[int, int]) -> None:
            for pin, level in levels.items():
                self._edge(names[pin], down=level != INPUTS[names[pin]].rest)
            drive(levels)

        self.cards: set[int] = set()
        self.gpio.drive = driven  # type: ignore[method-assign]
        self.feed._put = seen  # type: ignore[method-assign]
        self.gpio.attach(0, transfer)
        self.shoe.port.write = wrote  # type: ignore[method-assign]
        self.shoe.device.receive = received  # type: ignore[method-assign]

    def draw_card(self, place: Any = None, box: int = 0, card: str | None = None) -> bool:
        """A card that is held back is waiting, too."""
        snap, now = self.feed.latest, time.monotonic()
        with self.shoe._lock:
            self.cards.add(self.shoe.device.last_event + 1)
        if not super().draw_card(place, box, card):
            self.held_since = self.held_since or now
            return False
        if snap is not None:
            self.acts.append((self.held_since or now, snap))
        self.held_since = None
        return True

    def _edge(self, name: str, *, down: bool) -> None:
        """A box key in betting acts when it is let go, every other key when it comes down."""
        snap = self.feed.latest
        if snap is not None and down != (snap["phase"] == "betting" and name.startswith("K")):
            self.acts.append((time.monotonic(), snap))

    def waited(self) -> dict[int, list[float]]:
        """Of each hand: how long each act waited for the table's answer, or until hands did the next thing anyway."""
        found: dict[int, list[float]] = defaultdict(list)
        for (began, snap), (following, _) in pairwise(self.acts):
            answered = next((t for t, version in self.seen if t >= began and version > snap["version"]), following)
            found[snap["hand"]].append(min(answered, following) - began)
        return found


@contextlib.contextmanager
def playing(folder: Path, seed: int) -> Iterator[TimedBench]:
    """A table that is open, whose keys count."""
    config = prepare(folder, "jpoker")

    def say(said: Any) -> None:
        who = [word for name in said.who for word in ("--as", name)]
        call("tablectl", "do", *said.command, "--config", str(config), *who, pins=[PINS[name] for name in said.who])

    with TimedBench(folder, seed) as bench:
        environ = {"GPIOZERO_PIN_FACTORY": "firmware_sim", "FIRMWARE_SIM_SOCKET": str(folder / "gpio.sock")}
        daemon, staff = Daemon(config, folder, environ), Staff(bench, say)
        try:
            bench.wait_expects("open", 20)
            call("tablectl", "do", "open_table", "--config", str(config), "--as", "dealer", "--as", "supervisor",
                 "--as", "witness", pins=[PINS["dealer"], PINS["supervisor"], PINS["witness"]])  # fmt: skip
            bench.wait_expects("start")
            threading.Event().wait(Timing().settle_ns / 1e9)
            staff.start()
            yield bench
        finally:
            staff.stop()
            bench.dealer.stop()
            daemon.stop()


def by_the_clock(bench: TimedBench) -> None:
    """Six boxes dealt by a dealer who looks at nothing: a card every 300 ms, the player's STOP among them."""
    bench.new_deck(1)
    for box in range(1, BOXES + 1):
        bench.press(f"K{box}")
    bench.wait_expects("start")
    bench.press("START")
    bench.wait_phase("dealing")
    cards = 5 * (BOXES + 1)
    late, began = 0, time.monotonic()
    for number in range(cards):
        pause_until(began + number * CARD_S)
        place, box = bench._expected()
        while place is None or not bench.draw_card(place, box):
            late += bench.held_since is not None or place is None
            threading.Event().wait(0.005)
            place, box = bench._expected()
        if number == cards // 3:
            pause_until(began + (number + 0.5) * CARD_S)
            bench.press("STOP")
    took = time.monotonic() - began
    row("a card every 300 ms, cards that waited", f"{late} of {cards}", f"{took:.1f} s for the deal", "", "0")


def pause_until(moment: float) -> None:
    threading.Event().wait(max(0.0, moment - time.monotonic()))


def lamps(bench: TimedBench) -> None:
    """The rest of that hand by the robot, unhurried; what follows a key on the lamps."""
    bench.wait_phase("decisions")
    bench.acts.clear()
    while last_hand(bench.feed.latest or {}) < 1:
        snap = bench.feed.latest
        bench.dealer.step()
        if snap is not None and (snap.get("expects") or {}).get("kind") != "card":
            threading.Event().wait(CARD_S)
    keys = [t for t, snap in bench.acts if snap["expects"]["kind"] != "card"]
    found = [min((c - t for c in bench.lamps if 0 <= c - t < CARD_S), default=None) for t in keys]
    lit = [wait for wait in found if wait is not None]
    row("a lamp after a key's edge, p50", ms(at(lit, 0.5)), f"most {ms(max(lit))}, {len(lit)} keys", "", "<= 100 ms")


def hands(bench: TimedBench) -> None:
    """The robot as fast as it can: all waiting is the controller's."""
    last = last_hand(bench.feed.latest or {})
    bench.acts.clear()
    bench.answers.clear()
    bench.let_robot_play(True)
    bench.wait_hands(last + HANDS, 30.0 * HANDS)
    bench.let_robot_play(False)
    sums = [sum(waits) for hand, waits in bench.waited().items() if last < hand <= last + HANDS]
    p50 = f"p50 {at(sums, 0.5):.2f} s, {len(sums)} hands"
    row("waiting by the controller, a hand, p95", f"{at(sums, 0.95):.2f} s", p50, "", "<= 3 s")


def round_trips(count: int) -> list[float]:
    """A frame over a pty to another process and back."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    with subprocess.Popen([sys.executable, "-c", ECHO, os.ttyname(slave)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()

        def trip() -> None:
            os.write(master, FRAME)
            got = 0
            while got < len(FRAME):
                select.select([master], [], [])
                got += len(os.read(master, 4096))

        found = [timed(trip) for _ in range(count)]
        child.kill()
    os.close(slave)
    os.close(master)
    return found


def appends(folder: Path, count: int) -> list[float]:
    """Durable appends of one small event."""
    folder.mkdir()
    stamp = Stamp("2026-01-01T00:00:00.000+00:00", 0, "bench")
    journal = Journal.create(folder / "j.db", table="T", keys=create(folder, os.urandom), registry=Registry(registry()),
                             entropy=os.urandom, stamp=stamp)  # fmt: skip
    event = BoxPaid(box=1)
    found = [timed(lambda: journal.append([event], hand=None, stamp=stamp)) for _ in range(count)]
    journal.close()
    return found


def syncs(folder: Path, count: int) -> list[float]:
    """What the disk takes for a few bytes that must stay."""
    raw = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    found = [timed(lambda: (os.write(raw, b"x" * 300), os.fdatasync(raw))) for _ in range(count)]
    os.close(raw)
    return found


def answers(found: list[float], trips: list[float], durable: list[float], synced: list[float]) -> None:
    """Card to durable record to acknowledgement, the line sealed, beside its parts in the same run."""
    for name, part in (("a frame over a pty and back", trips), ("write + fdatasync, 300 bytes", synced)):
        row(f"  {name}, p50", f"{us(at(part, 0.5))} us", f"p99 {us(at(part, 0.99))} us", "", "")
    for share in (0.5, 0.99):
        ours, floor = at(found, share), at(trips, share) + at(durable, share)
        peer = f"{us(at(trips, share))} + {us(at(durable, share))} us"
        name = f"a sealed card to its ack, p{share * 100:.0f}"
        row(name, f"{us(ours)} us", f"pty + append {peer}", f"{ours / floor:.2f}", "<= 2" if share == 0.5 else "")


def started(folder: Path, argv: list[str], environ: dict[str, str], said: str = "") -> tuple[float, float, float]:
    """Seconds to READY, MiB resident, share of a core while nothing happens."""
    path = folder / "notify"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(path))
        began = time.monotonic()
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              env={**os.environ, **environ, "NOTIFY_SOCKET": str(path)}) as child:  # fmt: skip
            assert child.stdin is not None
            child.stdin.write(said)
            child.stdin.close()
            while b"READY=1" not in notify.recv(4096):
                pass
            ready = time.monotonic() - began
            threading.Event().wait(1.5)
            used, looked = busy_ns(child.pid), time.monotonic_ns()
            threading.Event().wait(1.5)
            share = (busy_ns(child.pid) - used) / (time.monotonic_ns() - looked)
            resident = int(Path(f"/proc/{child.pid}/status").read_text().partition("VmRSS:")[2].split()[0]) / 1024
            child.terminate()
    return ready, resident, share


def busy_ns(pid: int) -> int:
    """Processor time of all threads."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir())


def starting(folder: Path) -> None:
    """A daemon on an empty journal beside an interpreter that imports what it imports."""
    config = prepare(folder, "jpoker")
    names = subprocess.run([sys.executable, "-c", LIST], capture_output=True, text=True, check=True).stdout
    tabled = [str(Path(sys.executable).with_name("tabled")), "--config", str(config)]
    environ = {"GPIOZERO_PIN_FACTORY": "firmware_sim", "FIRMWARE_SIM_SOCKET": str(folder / "gpio.sock")}
    with Bench(folder):
        pairs = [
            (started(folder, tabled, environ), started(folder, [sys.executable, "-c", PEER], {}, names))
            for _ in range(STARTS)
        ]
    middle: Callable[[int, int], float] = lambda who, what: statistics.median(pair[who][what] for pair in pairs)  # noqa: E731
    ratios = [statistics.median(ours[what] / peer[what] for ours, peer in pairs) for what in (0, 1)]
    row("start to READY", ms(middle(0, 0)), f"bare imports {ms(middle(1, 0))}", f"{ratios[0]:.2f}", "<= 1.5")
    peer = f"bare imports {middle(1, 1):.1f} MiB"
    row("resident memory", f"{middle(0, 1):.1f} MiB", peer, f"{ratios[1]:.2f}", "<= 48 MiB")
    row("idle, share of a core", f"{middle(0, 2):.2%}", "-", "", "<= 1 %")


def main() -> None:
    """The whole table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a table that is installed has its byte code
    print(f"{'what':38} {'ours':>14} {'beside':>22} {'ratio':>9}   goal")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        trips, durable, synced = round_trips(1000), appends(folder / "before", 300), syncs(folder, 300)
        with playing(folder / "table", 1) as bench:
            by_the_clock(bench)
            lamps(bench)
            hands(bench)
            found = list(bench.answers)
        durable += appends(folder / "after", 300)
        answers(found, trips + round_trips(1000), durable, synced + syncs(folder, 300))
        starting(folder / "start")


if __name__ == "__main__":
    main()
