"""`firmware-sim demo`: bench, daemon and people together; one block of text a hand; an audit at the end.

Starts the installed commands and speaks to the daemon through them and through keys; stops them in order, also on
Ctrl-C.
"""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from firmware_sim.bench import Bench, last_hand
from firmware_sim.children import Daemon, call
from firmware_sim.demo_files import PINS, deck_size, prepare
from firmware_sim.errors import BenchError
from firmware_sim.faults import Fault
from firmware_sim.feed import Snapshot
from firmware_sim.floor_staff import DEALER, SUPERVISOR, WITNESS, Say, decide
from firmware_sim.hand_text import hand_block

READY_S = 30.0
START_S = 5.0
STUCK_S = 60.0
WATCHABLE_S = 0.45
MOST_VOID = 5
QUIET_S = 1.1  # keys count once they have been quiet for a second (docs/wiring.md)


class Staff:
    """The supervisor and the surveillance of the demo, in a thread: what needs them is said through tablectl."""

    def __init__(self, bench: Bench, say: Callable[[Say], None]) -> None:
        self._bench = bench
        self._say = say
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="staff", daemon=True)
        self.problem: BenchError | None = None

    def start(self) -> None:
        """On duty."""
        self._thread.start()

    def stop(self) -> None:
        """Off duty."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=70)

    def _run(self) -> None:
        said = None
        while not self._stop.is_set():
            snap = self._bench.feed.latest
            wish = decide(snap, self._bench.world) if snap else None
            if snap is None or wish is None or (wish, snap.get("version")) == said:
                self._stop.wait(0.05)
                continue
            said = (wish, snap.get("version"))
            try:
                self._say(wish)
                self.problem = None
            except BenchError as error:  # refused, or the table has moved on: look again, unhurried
                self.problem = error
                self._stop.wait(1.0)


PROGRESS = {
    "betting": "bets",
    "dealing": "the deal",
    "decisions": "the players decide",
    "reveal": "the dealer shows",
    "settling": "boxes are turned and paid",
}


class Demo:
    """One run."""

    def __init__(
        self,
        folder: Path,
        game: str,
        hands: int | None,
        seed: int,
        faults: Sequence[tuple[Fault, int]] = (),
        cards: str = "shoe",
        *,
        shuffler: bool = False,
    ) -> None:
        self._folder = folder
        self._hands = hands
        self._config = prepare(folder, game, cards, shuffler=shuffler)
        self._shuffler = shuffler
        pace_s = 0.0 if hands else WATCHABLE_S
        self._bench = Bench(folder, seed, robot=True, pace_s=pace_s, reader=cards == "reader")
        self._bench.deck_size = deck_size(game)
        for fault, hand in faults:
            self._bench.plan_fault(fault, hand)
        self._bench.dealer.enabled.clear()
        self._bench.dealer.most_hands = hands
        self._staff = Staff(self._bench, self._say_aloud)
        self._daemon: Daemon | None = None
        self._shown = 0
        self._before = 0  # hands that the journal held when this run began
        self._told = (0, "")
        self._tail_told = False
        self._settled = 0
        self._void_in_a_row = 0

    def run(self) -> int:
        """Until so many hands are settled, or Ctrl-C; the exit code."""
        played = False
        try:
            self._open()
            played = self._play()
        except KeyboardInterrupt:
            _print("stopping ...")
            played = self._hands is None
        finally:
            stopped = self._stop()
        return 0 if self._audit() and stopped and played else 1

    # --- beginning

    def _open(self) -> None:
        self._bench.start()
        environ = {
            "GPIOZERO_PIN_FACTORY": "firmware_sim",
            "FIRMWARE_SIM_SOCKET": str(self._folder / "gpio.sock"),
        }
        self._daemon = Daemon(self._config, self._folder, environ)
        snap = self._wait(self._devices, READY_S, "tabled to be ready")
        self._shown = self._before = last_hand(snap)
        if not snap.get("open"):
            # Two suffice, but where the player has the edge.
            self._say(Say(("open_table",), (DEALER, SUPERVISOR, WITNESS)))
        self._staff.start()
        threading.Event().wait(QUIET_S)
        self._bench.dealer.enabled.set()

    def _devices(self, snap: Snapshot) -> bool:
        """The supervisor opens once the shuffler is there: before that he would have to vouch for the first deck."""
        return not self._shuffler or (snap.get("devices") or {}).get("shuffler") == "ready"

    def _say(self, say: Say) -> None:
        who = [word for name in say.who for word in ("--as", name)]
        call("tablectl", "do", *say.command, "--config", str(self._config), *who, pins=[PINS[name] for name in say.who])

    def _say_aloud(self, say: Say) -> None:
        if say.repair:
            self._bench.repair_board()
        self._say(say)
        repair = "technician repairs the board; " if say.repair else ""
        _print(f"  ({repair}{' and '.join(say.who)}: {' '.join(say.command)})")

    # --- playing

    def _play(self) -> bool:
        while self._hands is None or self._settled < self._hands:
            snap = self._wait(lambda now: last_hand(now) > self._shown, STUCK_S, "a hand to be settled")
            self._show(snap)
        return True

    def _show(self, snap: Snapshot) -> None:
        self._shown = last_hand(snap)
        settled = snap["last_hand"].get("outcome") == "settled"
        self._settled += settled
        self._void_in_a_row = 0 if settled else self._void_in_a_row + 1
        width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
        _print(hand_block(snap["last_hand"], width))
        if self._void_in_a_row >= MOST_VOID:
            what = f"{MOST_VOID} hands in a row ended void"
            raise BenchError(727, what, self._stands(), "see tabled.log", exit_code=1)

    def _wait(self, wanted: Callable[[Snapshot], bool], progress_s: float, what: str) -> Snapshot:
        """A snapshot as wanted; gives up when the table has not moved for so long, or the daemon has ended."""
        since, version = time.monotonic(), None
        while time.monotonic() - since < progress_s:
            snap = self._bench.feed.wait(wanted, 0.25)
            if snap is not None:
                return snap
            self._progress(self._bench.feed.latest or {})
            seen = (self._bench.feed.latest or {}).get("version")
            if seen != version:
                since, version = time.monotonic(), seen
            code = self._daemon.returncode if self._daemon else None
            if code is not None:
                what, where = f"tabled ended with {code}", str(self._folder)
                raise BenchError(725, what, where, "see its log", exit_code=max(code, 1))  # killed: below 0
        raise BenchError(726, f"waited {progress_s:.0f} s for {what}", self._stands(), "see tabled.log", exit_code=1)

    def _progress(self, snap: Snapshot) -> None:
        """At a pace one can watch: what the table does between two accounts."""
        now = (int(snap.get("hand") or 0), str(snap.get("phase")))
        if self._hands is None and now != self._told and now[1] in PROGRESS:
            self._told = now
            _print(f"  hand {now[0]}: {PROGRESS[now[1]]} ...")

    def _stands(self) -> str:
        snap = self._bench.feed.latest
        if snap is None:
            return "no answer on control.sock"
        devices = ", ".join(f"{name} {health}" for name, health in (snap.get("devices") or {}).items())
        stands = f"hand {snap.get('hand')}, {snap.get('phase')}, expects {snap.get('expects')}, {devices}"
        problem = self._staff.problem
        return f"{stands}, last act {self._bench.dealer.last_step!r}" + (f", {problem.line()}" if problem else "")

    # --- end

    def _stop(self) -> bool:
        """People first, then the daemon, then the hardware. A second Ctrl-C does not leave half of it running."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        self._bench.dealer.stop()
        self._staff.stop()
        if self._daemon and self._daemon.returncode is None:
            self._bench.feed.wait(lambda now: True, START_S)  # a daemon that is only just starting is let start
        code = self._daemon.stop() if self._daemon else 0
        self._bench.stop()
        if code and self._daemon:
            _print(f"tabled ended with exit code {code}", error=True)
            _print(self.tail(), error=True)
        return code == 0

    def _audit(self) -> bool:
        journal = self._folder / "journal.db"
        if not journal.exists():
            return False
        try:
            behind = ["--from", str(self._before + 1)] if self._before else []
            _print(call("tablectl", "audit", str(journal), *behind).strip())
        except BenchError as error:
            _print(error.line(), error=True)
            return False
        return True

    def tail(self) -> str:
        """The end of the daemon's log, once."""
        told, self._tail_told = self._tail_told, True
        return "" if told or self._daemon is None else self._daemon.tail()


def _print(text: str, *, error: bool = False) -> None:
    print(text, file=sys.stderr if error else sys.stdout, flush=True)


def run_demo(
    folder: Path,
    game: str,
    hands: int | None,
    seed: int,
    faults: Sequence[tuple[Fault, int]] = (),
    cards: str = "shoe",
    *,
    shuffler: bool = False,
) -> int:
    """The whole demo; errors in one line with the end of the log."""
    demo = None
    try:
        demo = Demo(folder, game, hands, seed, faults, cards, shuffler=shuffler)
        return demo.run()
    except BenchError as error:
        if demo is not None and (tail := demo.tail()):
            _print(tail, error=True)
        _print(error.line(), error=True)
        return error.exit_code
