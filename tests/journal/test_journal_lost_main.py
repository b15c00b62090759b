"""The main file's disk is full or read-only at the start, the mirror is good: the table goes on from it (F64, F65)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal import journal as journals
from controller.journal.opening import Owner, open_verified
from controller.journal.store import NO_ROOM, Store
from controller.journal.verify import Options, audit

HERE = Path(__file__).parent
UNSHARE = ["unshare", "-rm"]
MOUNTS = shutil.which("unshare") is not None and subprocess.run([*UNSHARE, "true"], check=False).returncode == 0


class Disk(samples.Copies):
    """A main file whose disk takes nothing while `broken`, and its mirror."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder)
        self.broken = False
        monkeypatch.setattr(journals, "open_verified", self._open)

    def _open(self, path: Path, owner: Owner, *, shared: bool = False) -> Store:
        if self.broken and path == self.main:
            raise TableError(251, "the journal's file system is read-only", str(path), "repair", exit_code=NO_ROOM)
        return open_verified(path, owner, shared=shared)

    def run_without_main(self, first: int) -> None:
        """As the table does: the run's first record, then why it began without the main file."""
        journal = self.open()
        events = [samples.RunStarted(), *journal.degraded]
        assert len(events) == 2
        journal.append(events, hand=None, stamp=samples.stamp(run="other"))
        journal.append(samples.hand_events(first), hand=first, stamp=samples.stamp(run="other"))
        journal.close()

    def same(self) -> bool:
        with Store.open(self.main) as main, Store.open(self.mirror) as mirror:
            return (main.seq, main.head) == (mirror.seq, mirror.head)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(tmp_path, monkeypatch)


def test_f64_the_mirror_carries_the_table_and_says_so(disk: Disk) -> None:
    disk.play(2)
    before = disk.main.read_bytes()
    disk.broken = True
    journal = disk.open()
    why = "the journal's file system is read-only"
    assert (journal.health()["durable"], journal.lacking()) == ("mirror", f"main: {why}")
    assert [(d.copy, d.fault) for d in journal.degraded] == [("main", why)]
    samples.play(journal, 1, 3)
    journal.close()
    assert disk.main.read_bytes() == before
    assert {p.name for p in disk.mirror.parent.iterdir() if "reading" in p.name} == set()


def test_f65_it_is_level_again_as_soon_as_the_disk_takes_it(disk: Disk) -> None:
    disk.play(2)
    disk.broken = True
    journal = disk.open()
    samples.play(journal, 1, 3)
    disk.broken = False
    assert any(journal.lacking() == "" for _ in range(5))
    samples.play(journal, 1, 4)
    assert journal.health()["durable"] == "main"
    journal.close()
    assert disk.same()


def test_a_later_start_fills_the_main_file_up(disk: Disk) -> None:
    disk.play(2)
    disk.broken = True
    disk.run_without_main(3)
    disk.run_without_main(4)
    disk.broken = False
    journal = disk.open()
    assert [(r.copy, "in the mirror only" in r.why) for r in journal.repaired] == [("main", True)]
    journal.close()
    assert disk.same()
    assert audit(disk.main, samples.REGISTRY, Options(live=True)).ok


def ahead(disk: Disk) -> None:
    """The main file has a hand that the mirror lacks: the power failed between the two."""
    kept = disk.mirror.read_bytes()
    disk.play(1, 3)
    disk.mirror.write_bytes(kept)


def test_what_only_the_main_file_has_is_in_the_mirror_before_it_goes_on(disk: Disk) -> None:
    disk.play(2)
    ahead(disk)
    disk.broken = True
    journal = disk.open()
    assert journal.last_hand == 3
    journal.close()
    disk.run_without_main(4)
    disk.broken = False
    disk.open().close()
    assert disk.same()


def older(disk: Disk) -> None:
    kept = disk.main.read_bytes()
    journal = disk.open()
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp(run="later"))
    journal.close()
    disk.main.write_bytes(kept)


def forked(disk: Disk) -> None:
    kept = disk.main.read_bytes()
    disk.play(1, 3)
    other = disk.main.with_name("other.db")
    other.write_bytes(kept)
    journal = samples.reopen(other)
    samples.play(journal, 2, 3)
    journal.close()
    disk.main.write_bytes(other.read_bytes())


@pytest.mark.parametrize(("spoil", "code"), [(older, "TC-0230"), (forked, "TC-0231")])
def test_two_stories_are_refused_all_the_same(disk: Disk, spoil: Callable[[Disk], None], code: str) -> None:
    disk.play(2)
    spoil(disk)
    disk.broken = True
    with pytest.raises(TableError) as error:
        disk.open()
    assert (error.value.code, str(disk.main) in error.value.where) == (code, True)
    assert ".reading" not in error.value.where


def test_a_main_file_that_cannot_be_read_either_is_refused(disk: Disk) -> None:
    """It may hold what the mirror lacks, and nobody can tell."""
    disk.play(2)
    disk.main.unlink()
    disk.main.mkdir()
    disk.broken = True
    with pytest.raises(TableError) as error:
        disk.open()
    assert (error.value.code, error.value.exit_code) == ("TC-0251", NO_ROOM)


def test_a_damaged_one_leaves_the_mirror_as_the_good_copy(disk: Disk) -> None:
    disk.play(2)
    data = bytearray(disk.main.read_bytes())
    data[data.index(b"HandSettled") + 40] ^= 1
    disk.main.write_bytes(data)
    disk.broken = True
    disk.run_without_main(3)
    disk.broken = False
    journal = disk.open()
    assert [r.copy for r in journal.repaired] == ["main"]
    journal.close()
    assert disk.same()


@pytest.mark.skipif(not MOUNTS, reason="no user namespaces here")
@pytest.mark.parametrize(("how", "code"), [("read-only", "TC-0251"), ("full", "TC-0244")])
def test_on_a_real_file_system(tmp_path: Path, how: str, code: str) -> None:
    """tmpfs of its own, remounted or filled to the last page."""
    done = subprocess.run(
        [*UNSHARE, sys.executable, str(HERE / "lost_disk.py"), str(tmp_path), how],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["alone", code, "mirror", "2", "level", "3"], done.stdout + done.stderr
