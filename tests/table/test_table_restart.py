"""Killed at any moment and started from the file: the same table, prompt and lamps, and the hand can be finished.

Also what a journal that takes no write does to a hand (F64, F65, F68), and clocks that jump (F69, F70).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import E1, S1, S2, Rig, make_setup
from harness_parts import clone, open_journal, quick_folder

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve
from controller.domain.hand import Act
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.rejections import Why, reject
from controller.domain.state import Cause, Table
from controller.journal.hands import read_hand
from controller.table import past
from controller.table.audit import check_hand


class Watched(Rig):
    """Keeps a copy of the files, and what was to be seen, after every act that left a record."""

    def watch(self, into: Path) -> None:
        self.into = into
        self.moments: list[tuple[Path, int, Table, Any]] = []
        self.watching = True

    def act(self, *args: Any, **kwargs: Any) -> Any:
        outcome = super().act(*args, **kwargs)
        if getattr(self, "watching", False) and self.journal is not None and self.folder is not None:
            seq = self.journal.seq
            if not self.moments or self.moments[-1][1] != seq:
                copy = clone(self.folder, self.into / f"{len(self.moments)}")
                self.moments.append((copy, seq, self.table, self.sinks()))
        return outcome


def jpoker(rig: Rig) -> None:
    rig.stake(b1=10, b2=10, b4=20).do(cm.Owner(box=2, owner=1))
    rig.do(cm.Blind(box=4))
    rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "9h"}).lock()
    rig.card(), rig.card(unread=True)
    rig.deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.finish()


def troubled(rig: Rig) -> None:
    """Everything that can be got out of."""
    rig.stake(b1=10, b2=10, b3=10)
    rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "9h"})
    rig.do(cm.Count(number=1)), rig.lock()
    rig.do(cm.Resume()), rig.do(cm.Approve(id=1), S1)
    rig.card()
    rig.event_no += 1
    rig.device(cm.LostIn(device="shoe", first=2, last=2)), rig.do(cm.Reset(), S1)
    rig.card("9c", lay=False), rig.do(cm.Resume(), S1)  # the same card again
    rig.to(Want.BOARD)
    rig.device(cm.BoardFails(detail="frame")), rig.do(cm.Reset(), S1)
    rig.deal()
    rig.card("Ah", lay=False), rig.do(cm.Resume(), S1)
    rig.do(cm.Exchange(box=1)), rig.do(cm.Undo()), rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1))
    rig.do(cm.VoidBox(box=2, reason="dead")), rig.do(cm.VoidBox(box=2, reason="dead"), E1)
    rig.do(cm.VoidBox(box=2, reason="dead"), S1)
    rig.do(cm.CorrectStake(box=3, ante=20), S1)
    rig.do(cm.Fold(box=3)), rig.ok()
    rig.do(cm.Hold(box=1)), rig.do(cm.Release(box=1), S1)
    rig.finish()


def oasis(rig: Rig) -> None:
    rig.stake(b1=10, b2=20, b3=10)
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.Backers(box=2, shares=(15, 5)))
    rig.lay("Kh Js 8c 7d 2h", b1="3h 4h 6h 8h Th", draws={2: "Ac"}).lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Exchange(box=2)), rig.card(), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
    rig.finish()


def after_all(rig: Rig) -> None:
    rig.stake(b1=10, b2=10).lock().deal()
    rig.do(cm.Exchange(box=1)), rig.ok(), rig.do(cm.Exchange(box=2, count=2)), rig.ok()
    rig.card(), rig.do(cm.Bet(box=1)), rig.card(), rig.do(cm.VoidHand(reason="test")), rig.do(cm.Approve(id=1), S1)
    rig.do(cm.Approve(id=1), S2)


HANDS: dict[str, tuple[Callable[[Rig], None], dict[str, Any]]] = {
    "jpoker": (jpoker, {"rules": "jpoker"}),
    "troubled": (troubled, {"rules": "jpoker"}),
    "oasis": (oasis, {"rules": "oasis_ru", "settle_order": "left_to_right"}),
    "after_all": (after_all, {"rules": "jpoker", "draw_timing": "after_all", "joker_time": "after_deal"}),
}


@pytest.mark.parametrize("name", HANDS)
def test_every_prefix_of_the_journal(name: str) -> None:
    with quick_folder() as folder:
        every_prefix(folder, name)


def every_prefix(tmp_path: Path, name: str) -> None:
    play, how = HANDS[name]
    home = tmp_path / "home"
    home.mkdir()
    rig = Watched(home, make_setup(**how))
    rig.open().watch(tmp_path)
    if rig.setup.joker:
        rig.joker("2c")
    play(rig)
    rig.close()
    assert rig.hand.number == 2
    assert len(rig.moments) > 15
    for folder, _, table, sinks in rig.moments:
        again = resumed(folder, rig)
        assert again.replayed_table == table
        assert msgspec.json.decode(again.at_start[0]) == msgspec.json.decode(sinks[0])
        assert again.at_start[1] == sinks[1]
        number = again.hand.number
        again.connect()
        again.event_no = again.table.shoe.last_event
        again.finish()
        assert again.hand.number == number + 1
        assert again.journal is not None
        hand, findings = read_hand(again.journal._store, again.journal._codec.registry, number, "test")
        assert findings == []
        assert check_hand(hand) == []
        assert sum(r.type == "JokerDrawn" for r in hand.records) <= 1
        again.close()


class Resumed(Rig):
    """A second life of a table, from a copy of its files."""

    replayed_table: Table
    at_start: Any

    def _create(self, folder: Path) -> Any:
        return open_journal(folder)

    def _start(self, table: Table) -> None:
        assert self.journal is not None
        self.replayed_table = past.replay(self.journal).table
        self.at_start = None
        self.service = _peek(self, self.replayed_table)
        self.at_start = self.sinks()
        super()._start(self.replayed_table)


def _peek(rig: Rig, table: Table) -> Any:
    """What would be shown of this state before anything is recorded."""
    from controller.table.service import Service  # noqa: PLC0415

    return Service(rig.setup, table, None, rig.entropy, lambda: None)  # type: ignore[arg-type]


def resumed(folder: Path, like: Rig) -> Resumed:
    rig = Resumed.__new__(Resumed)
    Rig.__init__(rig, folder, like.setup)
    rig.deck = dict(like.deck)
    rig.taint = False  # cards already public in the first life may be laid again
    return rig


def test_every_single_record_folds(tmp_path: Path) -> None:
    """Also between the records of one act: each prefix is a state with one of the table's phases."""
    rig = Rig(tmp_path, make_setup("jpoker")).open().joker("2c")
    troubled(rig)
    assert rig.journal is not None
    table = Table()
    for record in rig.journal.replay():
        if isinstance(record.event, ev.Event):
            table = evolve(table, record.event)
        assert isinstance(table.phase, Phase)
    assert table == rig.table
    rig.close()


def test_a_hand_end_without_the_next_beginning(tmp_path: Path) -> None:
    """Power goes between the two transactions: the next start opens the next hand."""
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock().to(Want.PAID)
    recorder = rig.recorder
    append = recorder.append

    def once(events: Any, hand: int | None) -> None:
        append(events, hand)
        recorder.broken = True

    recorder.append = once  # type: ignore[method-assign]
    outcome = rig.act(cm.Ok(), origin="keys")
    assert outcome.rejection is not None
    assert rig.table.hand is None
    rig.restart()
    assert rig.hand.number == 2
    assert rig.phase is Phase.BETTING
    rig.close()


def test_the_same_without_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock().to(Want.PAID)
    append = rig.recorder.append

    def once(events: Any, hand: int | None) -> None:
        append(events, hand)
        rig.recorder.broken = True

    rig.recorder.append = once  # type: ignore[method-assign]
    rig.act(cm.Ok(), origin="keys")
    rig.recorder.append = append  # type: ignore[method-assign]
    rig.recorder.broken = False
    rig.service.tick()
    assert (rig.phase, rig.hand.number) == (Phase.BETTING, 2)
    rig.close()


@pytest.mark.parametrize(
    "moment", [Want.START, Want.CARD, Want.STOP, Want.BOARD, Want.DECISION, Want.REVEAL, Want.PAID]
)
def test_a_journal_that_takes_no_write_freezes_the_hand(tmp_path: Path, moment: Want) -> None:
    """Nothing is acknowledged, shown or moved; when a write works again the hand goes on as if nothing had been."""
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lay("Kh Ks 8c 7d 2h").joker("2c")
    if moment is not Want.START:
        rig.lock()
    rig.to(moment)
    before, seq = rig.table, rig.journal.seq if rig.journal else 0
    acts: dict[Want, cm.Command] = {
        Want.START: cm.Start(), Want.STOP: cm.Stop(), Want.BOARD: cm.BoardShows(), Want.DECISION: cm.Bet(box=1),
        Want.REVEAL: cm.Ok(), Want.PAID: cm.Ok(),
        Want.CARD: cm.CardIn(device="shoe", event_no=rig.event_no + 1, card=rig.truth(rig.want)),
    }  # fmt: skip
    rig.recorder.broken = True
    for _ in range(2):
        rig.refused(Why.NOT_RECORDING, acts[moment], origin="device")
    assert rig.table == before
    assert not rig.service.deal_enabled
    assert b'"not_recording":"disk full"' in rig.shown[-1]
    rig.service.tick()
    assert rig.service.not_recording
    assert rig.journal is not None
    assert rig.journal.seq == seq
    rig.recorder.broken = False
    rig.service.tick()
    assert not rig.service.not_recording
    assert b"disk full" not in rig.shown[-1]  # and the screens hear of it
    rig.event_no += moment is Want.CARD
    rig.do(acts[moment], origin="device")
    if rig.table.hand is not None and rig.hand.number == 1:
        rig.finish()
    rig.close()


def test_refusals_are_not_forgotten_by_a_broken_journal() -> None:
    rig = Rig(setup=make_setup("jpoker")).open()
    rig.recorder.broken = True
    for _ in range(3):
        rig.act(cm.Start(), origin="keys")
    rig.service.tick()
    assert rig.events(ev.Rejected) == []
    rig.recorder.broken = False
    rig.service.tick()
    assert [r.count for r in rig.events(ev.Rejected)] == [3]
    assert not rig.service.not_recording


def test_a_program_error_on_a_broken_journal_does_not_end_the_daemon() -> None:
    rig = Rig(setup=make_setup("jpoker")).open().stake(b1=10).lock()
    rig.recorder.broken = True
    rig.service.record_fault(Cause.PROGRAM, "KeyError")
    assert rig.service.not_recording
    assert rig.phase is Phase.DEALING
    rig.recorder.broken = False
    rig.service.record_fault(Cause.PROGRAM, "KeyError")
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.PROGRAM)
    rig.do(cm.Reset(), S1)
    rig.finish()


def test_acts_that_the_loop_refuses_are_on_record() -> None:
    """A stale version, and keys before the board has shown the joker again after a restart."""
    rig = Rig(setup=make_setup("jpoker")).open()
    rig.service.refuse(Act(command=cm.Bet(box=1)), reject(Why.STALE, hand=1, version=2))  # provokes STALE
    rig.service.refuse(Act(command=cm.Ok(), origin="keys"), reject(Why.JOKER_DARK))  # provokes JOKER_DARK
    assert [(r.code, r.command) for r in rig.events(ev.Rejected)] == [("TC-0502", "bet"), ("TC-0540", "ok")]


def test_wall_time_is_a_label(tmp_path: Path) -> None:
    """The clock goes back by weeks, then forward by years: order is the journal's, and nothing fires (F69, F70)."""
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock()
    for wall in ("2023-01-01T00:00:00.000+00:00", "2031-01-01T00:00:00.000+00:00", "1970-01-01T00:00:00.000+00:00"):
        rig.clock.wall = wall
        rig.step()
        rig.service.tick()
    rig.restart()
    rig.finish()
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert findings == [] == check_hand(hand)
    rig.close()


def test_an_orderly_stop_in_mid_hand(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock().to(Want.BOARD)
    rig.service.end_run("SIGTERM")
    rig.restart()
    assert rig.hand.joker is JokerPhase.DRAWN
    rig.finish()
    rig.close()
