"""A copy of the journal is lost in mid-hand: the hand goes on, no new one starts; both lost: it freezes (F64, F65)."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import D1, S1, Rig, make_setup

from controller.cli.audit import CHECKS
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve_all
from controller.domain.hand.expects import Want
from controller.domain.rejections import Why
from controller.domain.state import Table
from controller.errors import TableError
from controller.journal import journal as journals
from controller.journal.codec import Registry, read_body
from controller.journal.durable import RETRY_LOOKS
from controller.journal.opening import Owner, open_verified
from controller.journal.store import NO_ROOM, Store
from controller.journal.verify import Options, audit


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A table with a journal and a mirror in another folder, two cards dealt."""
    (tmp_path / "stick").mkdir()
    rig = Rig(tmp_path, make_setup("jpoker"), mirror=tmp_path / "stick" / "mirror.db")
    rig.open().stake(b1=10).lock()
    rig.card(), rig.card()
    yield rig
    assert rig.journal is not None
    rig.journal.close()


def files(rig: Rig) -> tuple[Store, Store]:
    assert rig.journal is not None
    assert rig.journal._files._mirror is not None
    return rig.journal._files._main, rig.journal._files._mirror._store


@contextlib.contextmanager
def readonly(*stores: Store) -> Iterator[None]:
    """SQLite's "attempt to write a readonly database" from now on."""
    for store in stores:
        store._connection.execute("PRAGMA query_only=ON").fetchall()
    yield
    for store in stores:
        with contextlib.suppress(sqlite3.ProgrammingError):  # closed by a restart
            store._connection.execute("PRAGMA query_only=OFF").fetchall()


def mirror_level(rig: Rig) -> None:
    """Its thread tries again by itself."""
    assert rig.journal is not None
    follower = rig.journal._files._mirror
    assert follower is not None
    with follower._changed:
        assert follower._changed.wait_for(lambda: not follower.lag and not follower._fault, 10)


def cards(rig: Rig) -> int:
    return sum(len(b.dealt) for b in rig.hand.boxes) + len(rig.hand.dealer)


def replayed(rig: Rig) -> Table:
    assert rig.journal is not None
    events = [r.event for r in rig.journal.replay() if isinstance(r.event, ev.Event)]
    return evolve_all(Table(), events)


def test_a_start_without_the_main_file_takes_the_hand_up_from_the_mirror(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F64, F65 at the start: its disk is full or read-only, and the cards lie on the felt."""
    broken = [True]

    def opened(path: Path, owner: Owner, *, shared: bool = False) -> Store:
        if broken[0] and path.name == "journal.db":
            raise TableError(244, "no room to open the journal", str(path), "make room", exit_code=NO_ROOM)
        return open_verified(path, owner, shared=shared)

    monkeypatch.setattr(journals, "open_verified", opened)
    rig.restart()
    assert (cards(rig), rig.table.degraded) == (2, "main: no room to open the journal")
    rig.finish()
    rig.refused(Why.ONE_COPY, cm.Lock())
    broken[0] = False
    for _ in range(RETRY_LOOKS):
        rig.service.tick()
    assert rig.table.degraded == ""
    main, _ = files(rig)
    kinds = [body.type for body in (read_body(row.body) for row in main.rows()) if body.type.startswith("Journal")]
    assert kinds[-2:] == ["JournalDegraded", "JournalRestored"]
    rig.stake(b1=10).lock().finish()
    rig.restart()
    assert audit(main.path, Registry(ev.registry()), Options(live=True), CHECKS).ok


def test_the_hand_goes_on_with_the_mirror_and_no_new_one_starts(rig: Rig) -> None:
    """F64, first half, and the way back."""
    main, mirror = files(rig)
    with readonly(main):
        rig.card()
        assert rig.table.degraded == "main: file system read-only"
        assert (cards(rig), main.seq) == (3, mirror.seq - 2)  # JournalDegraded and the card
        rig.finish()
        rig.stake(b2=10)
        rig.refused(Why.ONE_COPY, cm.Start())
        rig.service.tick()
        rig.refused(Why.ONE_COPY, cm.Start())
        assert rig.service.not_recording == ""
    for _ in range(5):  # the main file is tried now and then
        rig.service.tick()
    assert rig.table.degraded == ""
    assert [e.copy for e in rig.events(ev.JournalRestored)] == ["main"]
    mirror_level(rig)
    assert (main.seq, main.head) == (mirror.seq, mirror.head)
    assert replayed(rig) == rig.table
    rig.lock()
    rig.finish()
    rig.service.end_run("test")
    assert rig.folder is not None
    report = audit(rig.folder / "journal.db", Registry(ev.registry()), Options(), CHECKS)
    assert (report.findings, report.hands) == ((), 2)


def test_neither_copy_takes_a_write_and_the_hand_freezes(rig: Rig) -> None:
    """F64 and F65, second half: nothing acknowledged or shown, then it goes on where it was."""
    main, mirror = files(rig)
    before, shown = rig.table, rig.sinks()
    with readonly(main, mirror):
        rig.strict = False
        outcome = rig.card()
        assert outcome.rejection is not None
        assert outcome.rejection.why is Why.NOT_RECORDING
        rig.service.tick()
        assert rig.service.not_recording == "file system read-only"
        assert rig.table == before
        assert rig.sinks()[1] == shown[1]
        assert not rig.service.deal_enabled
        rig.strict = True
    mirror_level(rig)
    rig.service.tick()
    assert rig.service.not_recording == ""
    assert rig.table.degraded == ""
    rig.again(rig.event_no)  # the shoe, never acknowledged, sends it again
    assert cards(rig) == 3
    rig.finish()
    assert replayed(rig) == rig.table


def test_a_lost_mirror_lets_the_hand_end_and_holds_the_next(rig: Rig) -> None:
    _, mirror = files(rig)
    with readonly(mirror):
        rig.finish()
        rig.service.tick()
        assert rig.table.degraded == "mirror: file system read-only"
        rig.stake(b1=10)
        rig.refused(Why.ONE_COPY, cm.Start())
    mirror_level(rig)
    rig.service.tick()
    assert rig.table.degraded == ""
    rig.lock()


def test_a_restart_in_a_degraded_hand_finds_the_same_hand(rig: Rig) -> None:
    main, _ = files(rig)
    with readonly(main):
        rig.to(Want.BOARD)
        slot, degraded = rig.hand.slot, rig.table.degraded
        rig.restart()
    assert degraded == "main: file system read-only"
    assert rig.hand.slot == slot
    last = rig.events(ev.JournalRepaired)[-1]
    assert last.copy == "main"
    assert last.why.endswith("were in the mirror only")
    assert rig.table.degraded == ""
    rig.board_shows()
    rig.finish()


def test_a_clock_behind_the_journal_opens_no_table() -> None:
    """M16: a year back. What is open goes on, a closed table stays closed until the clock is right."""
    rig = Rig(setup=make_setup("jpoker"))
    rig.connect()
    back = ev.ClockStepped(before="2024-01-01", now="2023-01-01", step_ms=-31_536_000_000, behind="2024-01-01")
    rig.recorder.steps = [back]
    rig.service.tick()
    rejection = rig.refused(Why.CLOCK_BEHIND, cm.OpenTable(), D1, S1)
    assert "2024-01-01" in rejection.text("en")
    rig.recorder.steps = [ev.ClockStepped(before="2023-01-01", now="2024-01-02", step_ms=31_622_400_000, behind="")]
    rig.service.tick()
    rig.do(cm.OpenTable(), D1, S1)
    assert len(rig.events(ev.ClockStepped)) == 2


def test_trouble_with_the_disk_is_on_record_once_and_shown_while_it_lasts() -> None:
    rig = Rig(setup=make_setup("jpoker")).open()
    for warned in ({"disk_low": "95 %"}, {"disk_low": "96 %"}, {}, {"disk_low": "95 %", "reader_pinned": "WAL 17 MB"}):
        rig.recorder.warned = warned
        rig.service.tick()
        assert rig.service.warnings == warned
    told = [(e.code, e.detail) for e in rig.events(ev.DeviceTroubled) if e.device == "journal"]
    assert told == [("disk_low", "95 %"), ("disk_low", "95 %"), ("reader_pinned", "WAL 17 MB")]
