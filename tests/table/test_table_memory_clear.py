"""The jackpot over a memory clear: the players' money is read from the lost file, or two people say what it was."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest
from archiving import STAMP, made
from harness import S1, S2, Rig
from harness_parts import TABLE, open_journal, registry
from test_table_jackpot import NOTHING, PLAYS, ROYAL, play, table

from controller.cli.audit import CHECKS
from controller.cli.memory_clear import _after, _meter
from controller.config import Config
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.errors import TableError
from controller.journal import keys as key_files
from controller.journal.auditing import Options
from controller.journal.clearing import clear, found_meter
from controller.journal.opening import Owner, open_verified
from controller.journal.records import FoundMeter, MemoryCleared
from controller.journal.verify import audit
from controller.table import past

JACKPOT = msgspec.convert(
    {
        "table": {"id": TABLE, "rules": "oasis_ru", "boxes": 3},
        "limits": {"ante_min": 1, "ante_max": 9, "cap": 99, "chips": [1, 2, 3, 4, 5, 6]},
        "journal": {"path": "journal.db"},
        "keys": {"credential": "c", "signing": "s"},
        "control": {"operators": "o"},
        "jackpot": {"stake": 1},
    },
    Config,
)


def spoil(path: Path, at: bytes = b'"type":"CardDealt"') -> None:
    """Four bytes of the last such record."""
    data = bytearray(path.read_bytes())
    place = data.rindex(at)
    data[place : place + 4] = b"XXXX"
    path.write_bytes(data)


def cleared(path: Path, meter: str | None = None, reserve: str | None = None) -> MemoryCleared:
    owner = Owner(TABLE, key_files.load(path.parent))
    decide = partial(_meter, JACKPOT, meter, reserve)
    verified = partial(open_verified, owner=owner)
    return clear([path], verified, made, _after, ("s1", "s2"), STAMP, decide)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = table(tmp_path)
    play(rig, PLAYS, "bet", b1=ROYAL)
    rig.do(cm.Award(hit=1), S1, S2)
    rig.finish()
    for _ in range(2):
        play(rig, PLAYS, "bet", b1=NOTHING)
    rig.close()
    return rig


def test_it_goes_on_where_the_lost_file_ends_and_the_record_says_where_that_was_read(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    spoil(path)
    done = cleared(path)
    assert done.found is not None
    assert (done.found.file, done.found.hits, done.meter) == ("journal.db", rig.table.hits, rig.table.meter)
    state = past.replay(journal := open_journal(tmp_path)).table
    journal.close()
    assert (state.meter, state.reserve, state.hits) == (rig.table.meter, rig.table.reserve, rig.table.hits)
    assert rig.table.meter not in ("", "25000")
    report = audit(path, registry(), Options(), CHECKS)
    assert report.findings == ()


def test_a_corrected_meter_counts_and_a_kept_state_is_enough(rig: Rig, tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    fixed = ev.MeterCorrected(
        before=rig.table.meter, after="30000", reserve_before="0", reserve="7", operators=("s1", "s2"), reason="slip"
    )
    journal.append([fixed], hand=None, stamp=STAMP)
    journal.close()
    found = found_meter([tmp_path / "journal.db"])
    assert found is not None
    assert (found.meter, found.reserve, found.hits) == ("30000", "7", rig.table.hits)


def test_what_the_two_people_say_stands_beside_what_was_read(rig: Rig, tmp_path: Path) -> None:
    spoil(tmp_path / "journal.db")
    done = cleared(tmp_path / "journal.db", "26000.50", "12")
    assert (done.meter, done.reserve) == ("26000.50", "12")
    assert done.found is not None
    assert done.found.meter == rig.table.meter


def test_where_no_file_tells_it_they_must_say_it(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"nothing is left")
    with pytest.raises(TableError) as error:
        cleared(path)
    assert (error.value.code, path.read_bytes()) == ("TC-0252", b"nothing is left")
    with pytest.raises(TableError, match="no amount"):
        cleared(path, "-4")
    assert cleared(path, "25100").meter == "25100"


def test_the_end_of_a_file_that_cannot_be_read_to_its_front_still_tells_it(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    data = bytearray(path.read_bytes())
    page = data.index(b'"type":"CardDealt"') // 4096 * 4096
    data[page : page + 4096] = b"\xff" * 4096  # a whole page near the front
    path.write_bytes(data)
    found = found_meter([path])
    assert found is not None
    assert found.meter == rig.table.meter


@pytest.mark.parametrize("digit", [b"9", b"X"])
def test_a_record_that_is_damaged_by_its_own_hash_tells_no_amount(digit: bytes, rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    data = bytearray(path.read_bytes())
    place = data.index(f'"after":"{rig.table.meter}"'.encode()) + len('"after":"1')
    data[place : place + 1] = digit
    path.write_bytes(data)
    found = found_meter([path])
    assert found is not None
    assert found.meter == rig.events(ev.Locked)[-1].meter, "what the last whole record says"


def test_a_reserve_that_nobody_names_stays_as_it_was_read() -> None:
    found = FoundMeter(file="journal.db", seq=9, meter="75001/3", reserve="512.5", hits=1)
    assert _meter(JACKPOT, "26000.50", None, found) == ("26000.50", "512.5")
    assert _meter(JACKPOT, None, "3", found) == ("75001/3", "3")
