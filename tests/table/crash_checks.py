"""Every moment of a watched run, restarted: the table is where it was before or after the call, and the hand can end.

Used by a test for a few games, and by `make soak` for all. The run itself, uncut, says what is right.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
from crash_images import Call, Disk, is_read, lay, watched
from crash_player import setup_of
from harness import Rig
from harness_parts import open_journal
from test_table_every_game import Player

from controller.cli.audit import CHECKS
from controller.domain import events as ev
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.verify import Options, audit
from controller.table import past

PLAYER = Path(__file__).with_name("crash_player.py")


class Counted(msgspec.Struct):
    """How much was looked at."""

    calls: int = 0
    images: int = 0
    restarts: int = 0
    finished: int = 0


class Moments:
    """A run of a game, and each moment of it."""

    def __init__(self, game: str, folder: Path, hands: int = 1, *, mirror: bool = False) -> None:
        self.game, self.mirrored = game, mirror
        self.origin, self.again = folder / "run", folder / "again"
        for each in (self.origin, self.again):
            each.mkdir()
        command = [str(PLAYER), game, str(self.origin), str(hands), *(["mirror"] if mirror else [])]
        self.calls = watched(command, self.origin / "strace.log")
        for key in self.origin.glob("*.key"):
            shutil.copy(key, self.again)
        journal = self._open(self.origin)
        self.heads = {0: ""} | {row.seq: row.hash.hex() for row in journal._store.rows()}
        self.draws = _draws(journal.replay())
        journal.close()
        self.told = [int(call.data.split()[0]) for call in self.calls if call.kind == "told"]
        self.done: set[int] = set()
        self.found: dict[bytes, int] = {}

    def check(self, each: int = 1, dice: random.Random | None = None) -> Counted:
        """Each so-manieth call; with dice the power fails there, else the program is killed."""
        disk, acknowledged, counted = Disk(), 0, Counted()
        for number, call in enumerate(self.calls):
            disk.do(call)
            if call.kind == "told":
                acknowledged = int(call.data.split()[0])
            counted.calls += 1
            if acknowledged and number % each == 0:
                self._look(disk, call, number, acknowledged, dice, counted)
        assert counted.images > len(self.calls) / each / 2
        return counted

    def _open(self, folder: Path) -> Journal:
        return open_journal(folder, folder / "journal-mirror.db" if self.mirrored else None)

    def _look(
        self, disk: Disk, call: Call, number: int, acknowledged: int, dice: random.Random | None, counted: Counted
    ) -> None:
        for files in [disk.killed()] if dice is None else [disk.power_cut(), disk.power_cut(dice)]:
            where = f"{self.game}, call {number} ({call.kind} {call.path.name})"
            held = _digest(files)
            if held not in self.found:  # an fsync changes no byte: the same files, opened again, say the same
                lay(files, self.origin, self.again)
                self.found[held] = self._restart(where)
                counted.restarts += 1
            seq = self.found[held]
            self._right(seq, acknowledged, where)
            counted.images += 1
            if seq not in self.done:
                self.done.add(seq)
                self._finish(seq, where)
                counted.finished += 1

    def _restart(self, where: str) -> int:
        """Nothing that the whole run does not have. The number of the last record."""
        journal = self._open(self.again)
        try:
            assert journal.head.hex() == self.heads[journal.seq], where
            return journal.seq
        finally:
            journal.close()

    def _right(self, seq: int, acknowledged: int, where: str) -> None:
        """All that was acknowledged, and at most one act more."""
        after = min((n for n in self.told if n > acknowledged), default=acknowledged)
        assert seq in (acknowledged, after), f"{where}: acknowledged {acknowledged}, found {seq}"

    def _finish(self, seq: int, where: str) -> None:
        """Taken up from here, the hand ends with the joker that was promised, and the audit finds nothing."""
        rig = Rig(setup=setup_of(self.game))
        rig.folder, rig.journal = self.again, self._open(self.again)
        table = past.replay(rig.journal).table
        rig.event_no = table.shoe.last_event
        rig._start(table)
        rig.connect()
        player = Player(rig, seed=seq)
        if not table.open:
            rig.open()
        number = rig.hand.number
        if not any(box.playing for box in rig.hand.boxes):
            player.bets()
        while rig.table.hand is not None and rig.hand.number == number:
            player.step()
        draws = _draws(rig.journal.replay())
        for hand, promised in _draws_until(self.draws, seq):
            assert draws[hand][1:] == promised, f"{where}: another joker or commitment in hand {hand}"
        rig.close()
        report = audit(self.again / "journal.db", Registry(ev.registry()), Options(live=True), CHECKS)
        assert report.findings == (), where


def _digest(files: dict[Path, bytes]) -> bytes:
    """Of what a start reads: names and bytes."""
    digest = hashlib.sha256()
    for path in sorted(files):
        if is_read(path):
            digest.update(f"{path.name} {len(files[path])} ".encode() + files[path])
    return digest.digest()


def _draws(records: Iterator[object]) -> dict[int, tuple[int, str, str]]:
    """Of each hand: the record of its lock, its commitment and the slot that was drawn."""
    found: dict[int, tuple[int, str, str]] = {}
    for record in records:
        event, hand, seq = record.event, record.hand, record.seq  # type: ignore[attr-defined]
        if isinstance(event, ev.Locked):
            found[hand] = (seq, event.commitment, "")
        elif isinstance(event, ev.JokerDrawn):
            found[hand] = (*found[hand][:2], event.slot)
    return found


def _draws_until(draws: dict[int, tuple[int, str, str]], seq: int) -> Iterator[tuple[int, tuple[str, str]]]:
    for hand, (locked, commitment, slot) in draws.items():
        if locked <= seq:
            yield hand, (commitment, slot)


def strace_there() -> bool:
    """Whether the program that watches is installed (Debian: strace)."""
    return shutil.which("strace") is not None
