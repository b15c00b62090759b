"""`make soak SEEDS=n PARTS="crash hands"`: what is too long for the suite, part by part, and what each took.

Prints the seed of the first failure. Not collected by pytest.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "table"))
sys.path.insert(0, str(Path(__file__).parent / "lab"))
sys.path.insert(0, str(Path(__file__).parent / "randomness"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import auditor
import crash_checks
import lab_journals
import mutation
from harness import Rig, make_setup
from phase_locked import stopped
from statistics_stream import Stream
from test_table_classes import GAMES, classes
from test_table_every_game import FILLED, Player

from controller import settle
from controller.domain import events as ev
from controller.domain import joker
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.randomness.report import judged
from controller.rulesets import load, shipped
from controller.table.audit import check_hand
from tests.domain.hands import random_request
from tests.domain.test_all_hands import all_fours
from tests.domain.test_readings import EVERY

HANDS = 20
REQUESTS = 500
STOPS = 200_000
FAIR_SEEDS, FAIR_HANDS = 6, 10_000
SHOWN = 10_000


def run(rules: str, seed: int, folder: Path) -> int:
    """Some hands of one game from one seed, every one audited. AssertionError where anything does not hold."""
    setup = make_setup(rules, boxes=2, house=FILLED.get(rules), ante_min=10)
    rig = Rig(folder=folder, setup=setup).open()
    rig.taint = False
    player = Player(rig, seed)
    for _ in range(HANDS):
        player.hand()
    assert rig.journal is not None
    for event in rig.events(ev.HandEnded):
        hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, event.hand, "soak")
        assert (findings, check_hand(hand), check_draw(hand)) == ([], [], []), f"hand {event.hand}"
    return len(rig.events(ev.HandEnded))


def readings(seed: int) -> int:
    """Random requests of every game by both readings; `run` raises where they differ."""
    rng = random.Random(seed)
    for name, changes in EVERY:
        rules = load(name).with_set(changes)
        for _ in range(REQUESTS):
            settle.run(random_request(rng, rules, name, changes))
    return len(EVERY) * REQUESTS


def mutations() -> int:
    """Every bit of every byte of a thousand records, before the table's auditor and the laboratory's."""
    with tempfile.TemporaryDirectory() as folder:
        return mutation.every_byte(auditor.rows_of(lab_journals.jpoker(Path(folder), 1000)), mutation.BITS)


def crashes() -> int:
    """Every game killed, and its power cut, at each single write of two hands."""
    if not crash_checks.strace_there():
        print("soak: crash left out: strace is not installed", flush=True)
        return 0
    images = 0
    for rules in shipped():
        for dice, mirror in ((None, False), (random.Random(rules), False), (random.Random(rules), True)):
            with tempfile.TemporaryDirectory() as folder:
                images += crash_checks.Moments(rules, Path(folder), 2, mirror=mirror).check(dice=dice).images
    return images


def phase_locked() -> int:
    """R4: STOP at one and the same moment of 200,000 hands draws as well as ever. AssertionError where it does not."""
    weights = joker.joker_weights(3)
    found = judged("stop", lambda _, w, many: stopped(os.urandom, many), weights, STOPS, 10, 0.01 / 8, os.urandom)
    assert all(verdict.passed for verdict in found), found
    return STOPS


def fair_play() -> int:
    """T6, T26: fair shuffles, jokers, dealers and players raise no alarm. AssertionError names the seed otherwise."""
    for seed in range(FAIR_SEEDS):
        due = Stream(seed).play(FAIR_HANDS).due
        assert due == {}, (seed, due)
    return FAIR_SEEDS * FAIR_HANDS


def shown() -> int:
    """F95: in so many hands no display names another class than the settlement."""
    return sum(classes(rules, seed=1, hands=-(-SHOWN // len(GAMES))) for rules in GAMES)


def every_four() -> int:
    """Each of the 270,725 fours with each kind of joker by both readings, suits and all; AssertionError otherwise."""
    return sum(all_fours(name) for name in ("joker53", "joker53_full", "jpoker"))


def hands(seeds: int) -> int:
    """Hands of every game from so many seeds; AssertionError, and the seed, otherwise."""
    count = 0
    for seed in range(seeds):
        for rules in shipped():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    count += run(rules, seed, Path(folder))
                except BaseException:
                    print(f"soak: FAILED {rules} seed {seed}", flush=True)
                    raise
    return count


PARTS: dict[str, tuple[Callable[[int], int], str]] = {
    "fair": (lambda _: fair_play(), "fair hands without an alarm"),
    "four": (lambda _: every_four(), "hands with a joker valued alike by both readings"),
    "shown": (lambda _: shown(), "classes on displays, each as it was settled"),
    "stop": (lambda _: phase_locked(), "draws by a STOP at a fixed moment"),
    "bits": (lambda _: mutations(), "changed bits of a journal found and placed"),
    "crash": (lambda _: crashes(), "moments of a kill or a power cut from which the table came back"),
    "readings": (lambda seeds: sum(readings(seed) for seed in range(seeds)), "requests settled by both readings"),
    "hands": (hands, "hands dealt and audited"),
}


def main(seeds: int, wanted: Sequence[str]) -> None:
    """`tests/soak.py SEEDS [PART...]`: all parts where none is named. Another name is a part of soak_line.py."""
    for name, (part, what) in PARTS.items():
        if wanted and name not in wanted:
            continue
        print(f"soak: {name} begins", flush=True)
        began = time.perf_counter(), time.process_time()
        count = part(seeds)
        if not count:  # it has said why
            continue
        took, busy = time.perf_counter() - began[0], time.process_time() - began[1]
        print(f"soak: OK {name}: {count} {what}, {took:.0f} s ({busy:.0f} s of a core)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:])
