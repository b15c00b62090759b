"""What a table in one process is made of: randomness, time and record that a test steers, and journals on disk."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from controller.domain import events as ev
from controller.domain import joker as draw
from controller.domain.decks import DeckRules
from controller.domain.hand.setup import Plate, Procedure, Setup
from controller.domain.state import Table
from controller.journal import keys as key_files
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.records import Stamp
from controller.journal.store import JournalWriteError, WriteFault
from controller.rulesets import load
from controller.table import keeping
from controller.table.setup import settle_both
from controller.table.statistics import Statistics

TABLE = "T1"


def make_setup(rules: str = "jpoker", boxes: int = 6, house: dict[str, Any] | None = None, **procedure: Any) -> Setup:
    """What a table plays; `house` are parameters of the rule set, the rest is procedure and plate."""
    plate = {"ante_min": 10, "ante_max": 1000, "cap": 100_000, "bonus_max": 50}
    plate |= {key: procedure.pop(key) for key in (*plate, "chips", "award_limit") if key in procedure}
    jackpot_stake, meter = procedure.pop("jackpot_stake", 0), procedure.pop("meter", "")
    kept = procedure.pop("decks", DeckRules())
    base = load(rules)
    timing = {k: v for k, v in procedure.items() if k in ("joker_time", "draw_timing", "settle_order")}
    played = base.with_set({**(house or {}), **timing}, "test")
    return Setup(
        table=TABLE,
        rules=played,
        boxes=boxes,
        plate=Plate(**plate),
        procedure=msgspec.structs.replace(
            Procedure(
                joker_time=str(played.joker_time),
                draw_timing=str(played.draw_timing),
                settle_order=str(played.settle_order),
            ),
            **{k: v for k, v in procedure.items() if k not in timing},
        ),
        settle=settle_both,
        settle_rules=base.base_id or base.id,
        settle_set=played.settlement_diff(load(base.base_id or base.id)),
        jackpot_stake=jackpot_stake,
        meter_start=meter,
        decks=kept,
    )


@lru_cache(maxsize=512)
def seed_for(slot: str, hand: int, doc_weight: int) -> bytes:
    """A seed whose draw gives this slot."""
    weights = draw.joker_weights(doc_weight)
    for n in range(100_000):
        seed = hashlib.sha256(b"seed%d" % n).digest()
        if draw.slot_text(draw.draw_slot(seed, None, TABLE, hand, 1, weights)) == slot:
            return seed
    raise AssertionError(f"no seed gives {slot}")


class Entropy:
    """Repeatable randomness. The service asks for a key, then a seed; the seed can be chosen."""

    def __init__(self) -> None:
        self.calls = 0
        self.seed = b""

    def __call__(self, count: int) -> bytes:
        self.calls += 1
        if self.calls % 2 == 0 and self.seed:
            return self.seed
        return hashlib.sha256(b"entropy%d" % self.calls).digest()[:count]


class Clock:
    """Moves only when a test says so."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000
        self.wall = "2024-01-01T00:00:00.000+00:00"

    def stamp(self) -> Stamp:
        self.ns += 1_000_000
        return Stamp(self.wall, self.ns, "run1")


class Recorder:
    """The journal behind the clock; or nothing but a list. `broken` makes every write fail."""

    def __init__(self, journal: Journal | None, clock: Clock) -> None:
        self.journal = journal
        self.clock = clock
        self.broken = False
        self.lost = ""
        self.warned: dict[str, str] = {}
        self.steps: list[ev.ClockStepped] = []
        self.events: list[tuple[int | None, ev.Event]] = []

    def append(self, events: Sequence[ev.Event], hand: int | None) -> None:
        if self.broken:
            raise JournalWriteError(WriteFault.FULL, "journal.db")
        if self.journal is not None:
            self.journal.append(events, hand=hand, stamp=self.clock.stamp())
        self.events += [(hand, event) for event in events]

    def fail_over(self, error: JournalWriteError) -> ev.JournalDegraded:
        if self.journal is None:
            raise error
        degraded = self.journal.fail_over(error, self.clock.stamp())
        self.events.append((None, degraded))
        return degraded

    def keep(self, table: Table, statistics: Statistics) -> None:
        if self.journal is not None:
            self.journal.keep(*keeping.kept(table, statistics), self.clock.stamp())

    def knows(self, head: str) -> bool:
        return self.journal is not None and self.journal.knows(head)

    def lacking(self) -> str:
        return self.lost if self.journal is None else self.journal.lacking()

    def clock_step(self, behind: str) -> ev.ClockStepped | None:
        return self.steps.pop(0) if self.steps else None

    def warnings(self) -> dict[str, str]:
        return self.warned

    @property
    def degraded(self) -> Sequence[ev.JournalDegraded]:
        return () if self.journal is None else self.journal.degraded

    @property
    def repaired(self) -> Sequence[ev.JournalRepaired]:
        return () if self.journal is None else self.journal.repaired


def registry() -> Registry:
    return Registry(ev.registry())


def open_journal(folder: Path, mirror: Path | None = None, witness: Path | None = None) -> Journal:
    keys, path = key_files.load(folder), folder / "journal.db"
    return Journal.open(
        path, table=TABLE, keys=keys, registry=registry(), entropy=Entropy(), mirror=mirror, witness=witness
    )


def clone(folder: Path, into: Path) -> Path:
    """The files as a power cut at this moment would leave them."""
    into.mkdir()
    for source in folder.iterdir():
        if source.name.startswith("journal.db") and "lock" in source.name:
            continue
        shutil.copy(source, into / source.name)
    return into


@contextlib.contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory where there is one: for tests that write thousands of records and do not test the disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)
