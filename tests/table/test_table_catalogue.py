"""The catalogue of an archived journal: a search finds by it what the records say, and is never misled by a bad one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from archiving import archived, play, played
from click.testing import CliRunner
from harness import Rig, make_setup
from harness_parts import open_journal

from controller.cli.catalogue import catalogue_command
from controller.cli.find import find_command
from controller.journal import catalogue
from controller.journal.archive import files
from controller.journal.catalogue import catalogue_of, hands, lacking, make
from controller.journal.reader import Reader
from controller.journal.records import Row
from controller.journal.summaries import Summary, latest, summaries
from controller.table import past


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two archived files and the one in use."""
    folder = tmp_path_factory.mktemp("catalogue")
    rig = played(folder, 3)
    for _ in range(2):
        archived(folder)
        rig.journal = open_journal(folder)
        rig._start(past.replay(rig.journal).table)
        play(rig.open(), 2)
    return folder


def copied(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "copy") / "journal.db"


def of_records(path: Path) -> list[Summary]:
    with Reader(path) as reader:
        return list(summaries(reader.rows()))


def found(path: Path, *asked: str) -> list[str]:
    done = CliRunner().invoke(find_command, [str(path), "--archive", "--json", *asked])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_a_search_by_catalogues_finds_what_the_records_say(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(folder, tmp_path)
    asked = ((), ("--won", "1"), ("--outcome", "not_played"), ("--box", "1", "--lost", "20"), ("--card", "As"))
    before = [found(path, *words) for words in asked]
    assert len(before[0]) > 7
    made = json.loads(CliRunner().invoke(catalogue_command, [str(path), "--json"]).output)["made"]
    assert list(made) == [str(catalogue_of(each)) for each in list(files(path))[1:]]
    monkeypatch.setattr(catalogue, "summaries", lambda rows: iter(()))  # who reads records now finds nothing
    assert [found(path, *words) for words in asked] != before, "the file in use has no catalogue"
    monkeypatch.undo()
    read: list[Path] = []
    monkeypatch.setattr(catalogue, "summaries", lambda rows: read.append(path) or summaries(rows))
    assert [found(path, *words) for words in asked] == before
    assert len(read) == len(asked), "only the file in use is read, once for each search"


def test_the_file_in_use_gets_none_and_one_that_fits_stays(folder: Path, tmp_path: Path) -> None:
    path = copied(folder, tmp_path)
    assert lacking(path) == list(files(path))[1:]
    assert CliRunner().invoke(catalogue_command, [str(path)]).exit_code == 0
    assert lacking(path) == []
    assert CliRunner().invoke(catalogue_command, [str(path)]).output == "no file lacks a catalogue\n"
    assert not catalogue_of(path).exists()


def test_a_catalogue_with_any_byte_changed_cut_or_of_another_file_is_not_believed(folder: Path, tmp_path: Path) -> None:
    path = copied(folder, tmp_path)
    newer, older = list(files(path))[1:]
    make(newer), make(older)
    whole, true = catalogue_of(older).read_bytes(), of_records(older)
    assert list(hands(older)) == true
    for at in range(0, len(whole), 7):
        catalogue_of(older).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert list(hands(older)) == true, at
    for end in (0, 10, len(whole) // 2, len(whole) - 1):
        catalogue_of(older).write_bytes(whole[:end])
        assert list(hands(older)) == true, end
    catalogue_of(older).write_bytes(catalogue_of(newer).read_bytes())
    assert list(hands(older)) == true
    assert lacking(path) == [older]


def test_a_making_that_is_cut_off_leaves_the_search_as_it_was(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(folder, tmp_path)
    older = list(files(path))[-1]

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="No space"):
        broken.setattr(catalogue.os, "fsync", full)
        make(older)
    assert not catalogue_of(older).exists()
    assert list(hands(older)) == of_records(older)
    assert make(older) == len(of_records(older))
    assert lacking(path) == list(files(path))[1:-1]


class Counted:
    """A journal that counts the records it is asked for from the end."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.back = reader, 0

    def rows(self, after: int = 0) -> Iterator[Row]:
        return self.reader.rows(after)

    def stream(self, name: str) -> list[Row]:
        return self.reader.stream(name)

    def rows_back(self, before: int) -> Iterator[Row]:
        for row in self.reader.rows_back(before):
            self.back += 1
            yield row


def test_the_last_hands_are_listed_without_a_walk_back_to_the_sign_on(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker", boxes=1), keep_every=5).open()
    while rig.table.hands <= 30:
        rig.stake(b1=10).finish()
    rig.close()
    with Reader(tmp_path / "journal.db") as reader:
        counted = Counted(reader)
        told = latest(counted, rig.table.hands, many=3)
        assert told == list(summaries(reader.rows()))[30:27:-1]
        assert {(hand.dealer, hand.rules) for hand in told} == {("d1", "jpoker")}
        assert counted.back < 200 < reader.last
