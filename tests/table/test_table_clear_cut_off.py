"""A memory clear that is cut off is brought to its end by the next, and names what was lost (F63)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from clearing import MAIN, MIRROR, WITNESS, cleared, lost, opened, spoil
from crash_checks import strace_there
from crash_images import moments
from test_table_archive import checked

from controller.errors import TableError
from controller.journal.archive import sha256_of
from controller.journal.codec import read_body
from controller.journal.reader import Reader
from controller.journal.records import MemoryCleared
from controller.journal.witness import Seen
from controller.table import past


@pytest.mark.skipif(not strace_there(), reason="strace is not installed (`make test` as root installs it)")
@pytest.mark.parametrize("power", [False, True])
def test_cut_off_at_any_call_the_next_clear_ends_it(power: bool, tmp_path: Path) -> None:
    """Until the new journal is in force none is, and a clear names the true files; then it is whole."""
    origin, again = tmp_path / "run", tmp_path / "again"
    script, seen, hashes = Path(__file__).with_name("clearing.py"), set(), list[str]()
    for _ in moments(script, origin, again, power=power, seed=6):
        hashes = hashes or [sha256_of(origin / f"{name}.aside-1") for name in (MAIN, MIRROR)]
        seen.add(went_on(again, hashes))
    assert seen == {False, True}


def went_on(folder: Path, hashes: list[str]) -> bool:
    """Whether the new journal was in force already; either way it is in the end, and says what it must."""
    in_force = True
    try:
        opened(folder).close()
    except TableError as error:
        assert error.exit_code == 3
        in_force = False
        cleared(folder)
    journal = opened(folder)
    table, repaired = past.replay(journal).table, journal.repaired
    journal.close()
    assert {said.copy for said in repaired} <= {"mirror"}  # those of openings before it, too: none came to a record
    said = record_2(folder)
    assert [(each.file, each.sha256) for each in said.lost] == list(zip((MAIN, MIRROR), hashes, strict=True))
    assert [sha256_of(folder / name) for name in said.aside] == hashes
    assert (said.hand, table.hands, table.meter) == (3, 3, said.meter)
    assert checked(folder / MAIN).findings == ()
    old = msgspec.json.decode((folder / said.witness).read_bytes(), type=Seen)
    assert old.seq > 4  # the new one begins with four records
    return in_force


def record_2(folder: Path) -> MemoryCleared:
    with Reader(folder / MAIN) as reader:
        body = read_body(next(reader.rows(1)).body)
    return msgspec.json.decode(body.data, type=MemoryCleared)


def test_cut_off_twice_the_third_still_knows_what_the_first_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost(tmp_path)

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    rename = Path.rename
    only_main = lambda file, to: fails() if file.name == MIRROR else rename(file, to)  # noqa: E731
    for name, broken in (("pathlib.Path.rename", only_main), ("clearing.made", fails)):
        with monkeypatch.context() as patched, pytest.raises(TableError) as error:
            patched.setattr(name, broken)
            cleared(tmp_path)
        assert (error.value.code, (tmp_path / MAIN).exists()) == ("TC-0254", False)
    said = cleared(tmp_path)
    assert said.aside == (f"{MAIN}.aside-1", f"{MIRROR}.aside-1")
    assert said.witness == f"{WITNESS}.aside-1"


def test_files_set_aside_are_taken_up_where_no_journal_is_left(tmp_path: Path) -> None:
    lost(tmp_path)
    for name in (MAIN, MIRROR):
        (tmp_path / name).rename(tmp_path / f"{name}.aside-3")
    said = cleared(tmp_path)
    assert said.aside == (f"{MAIN}.aside-3", f"{MIRROR}.aside-3")
    assert (said.hand, said.lost[0].sha256) == (3, sha256_of(tmp_path / f"{MAIN}.aside-3"))


def test_an_older_file_set_aside_is_none_of_the_lost_ones(tmp_path: Path) -> None:
    lost(tmp_path)
    (tmp_path / MIRROR).rename(tmp_path / f"{MIRROR}.aside-1")
    assert cleared(tmp_path).aside == (f"{MAIN}.aside-1",)


def test_the_old_witness_stands_aside_and_the_new_one_knows_the_new_journal(tmp_path: Path) -> None:
    lost(tmp_path)
    first = cleared(tmp_path)
    spoil(tmp_path / MAIN, b'"type":"RunEnded"')
    second = cleared(tmp_path)
    assert (first.witness, second.witness) == (f"{WITNESS}.aside-1", f"{WITNESS}.aside-2")
    journal = opened(tmp_path)
    known = msgspec.json.decode((tmp_path / WITNESS).read_bytes(), type=Seen)
    assert (known.journal, known.head) == (journal.identity.journal_id.hex(), journal.head.hex())
    assert {said.copy for said in journal.repaired} == {"mirror"}
    journal.close()


def test_without_the_medium_of_the_witness_nothing_is_set_aside(tmp_path: Path) -> None:
    lost(tmp_path)
    with pytest.raises(TableError) as error:
        cleared(tmp_path, "no/stick/witness.json")
    assert error.value.code == "TC-0255"
    assert not list(tmp_path.glob("*.aside-*"))
    assert cleared(tmp_path).aside == (f"{MAIN}.aside-1", f"{MIRROR}.aside-1")
