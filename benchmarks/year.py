"""A long journal: how a start, a recall and an audit grow with it. `benchmarks/year.py [HANDS]` (a year is 400,000).

Plays one hand of Oasis for real, writes it again and again with keys, seals and signatures of its own, and measures at
a tenth of the file and at its end. Each hand takes about 50 kB. `make bench` runs it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from harness import Rig, make_setup
from harness_parts import TABLE, open_journal
from test_table_every_game import Player

from controller.cli.audit import CHECKS
from controller.domain import events as ev
from controller.domain.evolve import evolve_all
from controller.domain.state import Table
from controller.journal import keys as key_files
from controller.journal.codec import Registry
from controller.journal.hands import read_hand
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.journal.records import Stamp
from controller.journal.verify import Options, audit
from controller.table import keeping, past
from controller.table.statistics import Statistics

GAME = "oasis_ru"


def main(hands: int) -> None:
    """Writes, and measures twice."""
    with tempfile.TemporaryDirectory() as folder:
        writer = Writer(Path(folder))
        for many in (max(60, hands // 10), hands):
            began = time.perf_counter()
            writer.until(many)
            print(f"{many} hands, {writer.journal.seq} records written in {time.perf_counter() - began:.0f} s")
            writer.journal.close()
            measure(Path(folder), many)
            writer.journal = quick(open_journal(Path(folder)))


class Writer:
    """One real hand, again and again."""

    def __init__(self, folder: Path) -> None:
        rig = Rig(folder, make_setup(GAME, boxes=6, ante_min=10)).open()
        Player(rig, seed=6).hand()
        assert rig.journal is not None
        self.hand = [r.event for r in rig.journal.replay_hand(1) if isinstance(r.event, ev.Event)]
        rig.close()
        for old in folder.glob("journal*"):
            old.unlink()
        again = Rig(None, rig.setup)
        made = Journal.create(
            folder / "journal.db",
            table=TABLE,
            keys=key_files.load(folder),
            registry=_registry(),
            entropy=os.urandom,
            stamp=stamp(0),
        )
        self.journal = quick(made)
        again.open()
        self.table = Table()
        self.append(
            [e for e in again.events() if not isinstance(e, ev.HandOpened | ev.DeckTaken | ev.PhaseEntered)], None
        )

    def until(self, hands: int) -> None:
        """More hands, up to this number."""
        for number in range(self.table.hands + 1, hands + 1):
            key = os.urandom(32).hex()
            self.append([_numbered(event, number, key) for event in self.hand], number)
            if number % keeping.EVERY == 0:
                self.journal.keep(*keeping.kept(self.table, Statistics()), stamp(number))
        self.journal.append([ev.RunEnded(reason="bench", head="", signature="")], hand=None, stamp=stamp(hands))

    def append(self, events: list[ev.Event], hand: int | None) -> None:
        """On record and in the state."""
        self.journal.append(events, hand=hand, stamp=stamp(hand or 0))
        self.table = evolve_all(self.table, events)


def measure(folder: Path, hands: int) -> None:
    """What a person waits for."""
    path = folder / "journal.db"
    print(f"  file {path.stat().st_size / 1e9:.2f} GB")
    show("start: verify and replay", lambda: past.replay(opened := open_journal(folder)) and opened.close())
    show("recall of a hand in the middle", lambda: recalled(path, hands // 2))
    for name, options in (
        ("audit, chain only", Options(chain_only=True)),
        ("audit, everything", Options()),
        ("audit, everything, two processes", Options(jobs=2)),
    ):
        began = time.perf_counter()
        report = audit(path, _registry(), options, CHECKS)
        spent = time.perf_counter() - began
        assert report.ok, report.findings[:3]
        print(f"  {name}: {spent:.1f} s, {report.records / spent:,.0f} records/s, {report.hands / spent:,.0f} hands/s")


def recalled(path: Path, number: int) -> None:
    """One hand out of the file."""
    with Reader(path) as reader:
        assert read_hand(reader, _registry(), number, "bench")[1] == []


def show(name: str, act: Callable[[], Any]) -> None:
    """The best of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    print(f"  {name}: {min(times) * 1000:.0f} ms")


def quick(journal: Journal) -> Journal:
    """A file that nobody needs after a power cut."""
    journal._store._connection.execute("PRAGMA synchronous=OFF").fetchall()
    return journal


def stamp(number: int) -> Stamp:
    """A label."""
    return Stamp("2024-01-01T00:00:00.000+00:00", number, "bench")


def _numbered(event: ev.Event, number: int, key: str) -> ev.Event:
    if isinstance(event, ev.HandOpened):
        return msgspec.structs.replace(event, hand=number, key=key)
    if isinstance(event, ev.HandEnded):
        return msgspec.structs.replace(event, hand=number, key=key)
    return event


def _registry() -> Registry:
    return Registry(ev.registry())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
