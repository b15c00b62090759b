"""A small table's events and journals for the tests: own classes, the names that the journal knows by convention."""

from __future__ import annotations

import hashlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from controller.domain import joker
from controller.domain.events import JournalRepaired
from controller.journal import keys as key_files
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.keys import Keys
from controller.journal.records import Stamp

RULES_HASH = "5f" * 32
RUN = "0123456789abcdef"


class Sample(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    HIDDEN: ClassVar[frozenset[str]] = frozenset()
    WRAPPED: ClassVar[frozenset[str]] = frozenset()


class RunStarted(Sample, frozen=True, tag=True):
    mode: str = "test"


class RunEnded(Sample, frozen=True, tag=True):
    reason: str = "stop"
    head: str = ""
    signature: str = ""


class TableOpened(Sample, frozen=True, tag=True):
    rules: dict[str, Any]
    rules_hash: str


class HandOpened(Sample, frozen=True, tag=True):
    WRAPPED: ClassVar[frozenset[str]] = frozenset({"key"})
    hand: int
    key: str


class Locked(Sample, frozen=True, tag=True):
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"seed"})
    commitment: str
    seed: str


class CardDealt(Sample, frozen=True, tag=True):
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"card"})
    place: str
    card: str


class JokerDrawn(Sample, frozen=True, tag=True):
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"slot"})
    slot: str
    draw: int = 1


class JokerShown(Sample, frozen=True, tag=True):
    slot: str


class BoxVoided(Sample, frozen=True, tag=True):
    box: int
    reason: str


class HandSettled(Sample, frozen=True, tag=True):
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"request", "answer"})
    request: dict[str, Any]
    answer: dict[str, Any]


class HandEnded(Sample, frozen=True, tag=True):
    hand: int
    outcome: str
    key: str
    seed: str


class Told(Sample, frozen=True, tag=True):
    WRAPPED: ClassVar[frozenset[str]] = frozenset({"secret"})
    secret: str


CLASSES: dict[str, type[msgspec.Struct]] = {cls.__name__: cls for cls in (*Sample.__subclasses__(), JournalRepaired)}
REGISTRY = Registry(CLASSES)


def counting() -> Callable[[int], bytes]:
    """Entropy for tests: every call other bytes, every run the same."""
    numbers = itertools.count()
    return lambda n: hashlib.shake_256(f"entropy {next(numbers)}".encode()).digest(n)


def stamp(mono: int = 0, t: str = "2025-03-01T12:00:00Z", run: str = RUN, synced: bool = True) -> Stamp:
    return Stamp(t, mono, run, synced)


def keys_in(directory: Path) -> Keys:
    directory.mkdir(exist_ok=True)
    if (directory / key_files.SIGNING).exists():
        return key_files.load(directory)
    return key_files.create(directory, os.urandom)


def new(path: Path, entropy: Callable[[int], bytes] | None = None) -> Journal:
    keys = keys_in(path.parent / "keys")
    return Journal.create(path, table="T1", keys=keys, registry=REGISTRY, entropy=entropy or os.urandom, stamp=stamp())


def reopen(path: Path, mirror: Path | None = None, witness: Path | None = None) -> Journal:
    """As a run begins that has something mended: with that on record."""
    journal = opened(path, mirror, witness)
    if journal.repaired:
        journal.append([RunStarted(), *journal.repaired], hand=None, stamp=stamp())
    return journal


def opened(path: Path, mirror: Path | None = None, witness: Path | None = None) -> Journal:
    """Nothing is recorded yet."""
    keys = keys_in(path.parent / "keys")
    return Journal.open(
        path, table="T1", keys=keys, registry=REGISTRY, entropy=os.urandom, mirror=mirror, witness=witness
    )


class Copies:
    """A folder with a journal, another with its mirror."""

    def __init__(self, folder: Path) -> None:
        self.main = folder / "journal.db"
        self.mirror = folder / "stick" / "mirror.db"
        self.mirror.parent.mkdir()
        new(self.main).close()

    def open(self) -> Journal:
        return reopen(self.main, self.mirror)

    def play(self, hands: int, first: int = 1) -> None:
        journal = self.open()
        play(journal, hands, first)
        journal.close()


def hand_events(number: int, cards: Sequence[str] = ("As", "Kd"), doc_weight: int = 3) -> list[Sample]:
    seed = hashlib.sha256(f"seed {number}".encode()).digest()
    key = hashlib.sha256(f"key {number}".encode()).hexdigest()
    commitment = joker.commitment("T1", number, RULES_HASH, seed).hex()
    slot = joker.slot_text(joker.draw_slot(seed, None, "T1", number, 1, joker.joker_weights(doc_weight)))
    return [
        HandOpened(hand=number, key=key),
        Locked(commitment=commitment, seed=seed.hex()),
        *(CardDealt(place="box", card=card) for card in cards),
        JokerDrawn(slot=slot),
        JokerShown(slot=slot),
        HandSettled(request={"rules": "jpoker", "dealer": " ".join(cards)}, answer={"boxes": [{"box": 1, "net": 10}]}),
        HandEnded(hand=number, outcome="settled", key=key, seed=seed.hex()),
    ]


def play(journal: Journal, hands: int, first: int = 1) -> None:
    """A run with that many hands, one event an append, ended in order."""
    journal.append(
        [RunStarted(), TableOpened(rules={"doc_weight": 3}, rules_hash=RULES_HASH)], hand=None, stamp=stamp()
    )
    for number in range(first, first + hands):
        for mono, event in enumerate(hand_events(number)):
            journal.append([event], hand=number, stamp=stamp(mono))
    journal.append([RunEnded()], hand=None, stamp=stamp())


def journal_file(path: Path, hands: int = 3) -> Path:
    """A finished journal file."""
    journal = new(path)
    play(journal, hands)
    journal.close()
    return path


def tamper(path: Path, statements: Sequence[tuple[str, tuple[Any, ...]]]) -> None:
    """What somebody with the file and the sqlite3 shell can do, who leaves the guards as he found them."""
    connection = sqlite3.connect(path, isolation_level=None)
    guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement, values in statements:
        connection.execute(statement, values)
    for _, made in guards:
        connection.execute(made)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def rehash(path: Path) -> None:
    """Makes the chain fit again, as a forger without the signing key would."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.text_factory = bytes
    head = bytes(32)
    links = []
    for seq, body in connection.execute("SELECT seq, body FROM journal ORDER BY seq").fetchall():
        digest = hashlib.sha256(head + body).digest()
        links.append(("UPDATE journal SET prev = ?, hash = ? WHERE seq = ?", (head, digest, seq)))
        head = digest
    connection.close()
    tamper(path, links)


def body_of(path: Path, seq: int) -> bytes:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = bytes
    body: bytes = connection.execute("SELECT body FROM journal WHERE seq = ?", (seq,)).fetchone()[0]
    connection.close()
    return body
