"""A disk without room at the start says nothing about the journal (F65); one file under two names is no mirror."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal import store as stores
from controller.journal.clearing import clear
from controller.journal.copies import NOT_OURS, open_pair
from controller.journal.journal import Journal
from controller.journal.keys import SIGNING, Keys
from controller.journal.opening import Owner, open_verified
from controller.journal.repairs import Repairs
from controller.journal.space import Space
from controller.journal.store import NO_ROOM, Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    journal = samples.new(tmp_path / "journal.db")
    samples.play(journal, 2)
    journal.close()
    return tmp_path / "journal.db"


@pytest.fixture
def mirror(path: Path) -> Path:
    samples.reopen(path, path.with_name("mirror.db")).close()
    return path.with_name("mirror.db")


@contextlib.contextmanager
def no_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file takes another byte, and the file system says that it is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(stores, "space_of", lambda _: Space(1 << 30, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        monkeypatch.undo()


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if not each.name.endswith(("-wal", "-shm", ".lock"))}


def test_f65_a_full_disk_at_the_start_is_said_and_the_journal_opens_when_there_is_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with no_room(monkeypatch), pytest.raises(TableError) as error:
        samples.reopen(path)
    assert (error.value.code, error.value.exit_code) == ("TC-0244", NO_ROOM)
    assert "make room" in error.value.remedy
    samples.reopen(path).close()


def test_f65_a_full_disk_is_never_mended_from_the_mirror(
    path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The main file may hold what the mirror lacks."""
    before = names(path.parent)
    with no_room(monkeypatch), pytest.raises(TableError, match="no room"):
        samples.reopen(path, mirror)
    assert names(path.parent) == before
    journal = samples.reopen(path, mirror)
    assert journal.repaired == ()
    journal.close()


def test_f65_nor_does_a_memory_clear_set_it_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = names(path.parent)
    owner = Owner("T1", samples.keys_in(path.parent / "keys"))

    def never(_: Path) -> Journal:
        raise AssertionError

    with no_room(monkeypatch), pytest.raises(TableError, match="no room"):
        clear([path], lambda each: open_verified(each, owner), never, lambda _: ({}, ""), ("s", "w"), samples.stamp())
    assert names(path.parent) == before


def test_f65_a_mirror_on_a_full_disk_is_lacking_and_stays(path: Path, mirror: Path) -> None:
    def opened(each: Path) -> Store:
        if each == mirror:
            raise TableError(244, "no room to open the journal", str(each), "make room", exit_code=NO_ROOM)
        return Store.open(each)

    repairs = Repairs(path)
    pair = open_pair(path, mirror, opened, repairs)
    assert (pair.mirror, pair.lacking, repairs.pending) == (None, "mirror: no room to open the journal", ())
    assert mirror.exists()
    pair.durable.close()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_one_file_under_two_names_is_no_mirror(path: Path, link: object) -> None:
    """Two write-ahead files over one database would ruin it."""
    other = path.with_name("mirror.db")
    assert callable(link)
    link(path, other)
    with pytest.raises(TableError) as error:
        samples.reopen(path, other)
    assert (error.value.code, error.value.exit_code) == ("TC-0245", 2)
    samples.reopen(path).close()


def test_another_key_than_the_tables_is_told_from_a_damaged_file(path: Path, mirror: Path) -> None:
    own, other = samples.keys_in(path.parent / "keys"), samples.keys_in(path.parent / "other")
    journal = samples.reopen(path)
    journal.append([samples.HandOpened(3, "07" * 32)], hand=3, stamp=samples.stamp())
    journal.close()
    mirror.unlink()
    for keys in (other, Keys((path.parent / "keys" / SIGNING).read_bytes(), other.credential)):
        with pytest.raises(TableError) as error:
            Journal.open(path, table="T1", keys=keys, registry=samples.REGISTRY, entropy=os.urandom)
        assert (error.value.code, error.value.remedy) == ("TC-0208", NOT_OURS)
    samples.reopen(path, mirror).close()
    with pytest.raises(TableError) as error:
        Journal.open(path, table="T2", keys=own, registry=samples.REGISTRY, entropy=os.urandom, mirror=mirror)
    assert (error.value.code, error.value.remedy) == ("TC-0227", NOT_OURS)
