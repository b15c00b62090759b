"""The state kept between hands: a start from it is the same as one from record 1, and reads no more than it must."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from crash_player import setup_of
from harness import D1, S1, Rig, make_setup
from harness_parts import open_journal
from test_table_every_game import Player

from controller.cli.audit import CHECKS
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve_all
from controller.domain.state import Secret, Table
from controller.journal import opening
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.records import StateKept
from controller.journal.verify import Options, audit
from controller.rulesets import shipped
from controller.table import keeping, past
from controller.table.statistics import SPAN, Statistics, _counted

ONE = ((("hands", ""), 1),)


def folded(journal: Journal) -> Table:
    return evolve_all(Table(), (r.event for r in journal.replay() if isinstance(r.event, ev.Event)))


@pytest.mark.parametrize("game", shipped())
def test_a_kept_state_is_the_fold_of_all_records_before_it(game: str, tmp_path: Path) -> None:
    rig = Rig(tmp_path, setup_of(game), keep_every=1).open()
    player = Player(rig, seed=5)
    for _ in range(4):
        player.hand()
    assert rig.journal is not None
    seen: list[ev.Event] = []
    compared = 0
    for record in rig.journal.replay():
        if isinstance(record.event, StateKept):
            found = keeping.restored([record.event], SPAN)
            assert found is not None
            assert found[0] == evolve_all(Table(), seen)
            compared += 1
        elif isinstance(record.event, ev.Event):
            seen.append(record.event)
    assert compared == 4
    rig.restart()
    assert rig.table == folded(rig.journal)
    player.hand()
    rig.service.end_run("test")
    rig.close()
    assert audit(tmp_path / "journal.db", Registry(ev.registry()), Options(), CHECKS).findings == ()


def test_a_start_reads_from_the_newest_kept_state_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "WHOLE_UP_TO", 10)
    walked: list[int] = []
    step = opening.Walker.step
    monkeypatch.setattr(opening.Walker, "step", lambda self, row: walked.append(row.seq) or step(self, row))
    rig = Rig(tmp_path, make_setup("jpoker"), keep_every=3).open()
    for _ in range(7):
        rig.stake(b1=10).lock().finish()
    before, last = rig.table, rig.journal.seq if rig.journal else 0
    rig.close()
    walked.clear()
    rig.journal = open_journal(tmp_path)
    replayed = past.replay(rig.journal)
    assert replayed.table == before
    assert replayed.opened is not None
    (_, newest) = (record for record in rig.journal.replay() if isinstance(record.event, StateKept))
    assert walked == list(range(newest.seq, last + 1))
    rig.close()


def test_what_cannot_be_read_back_is_passed_over(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open()
    rig.stake(b1=10).lock().finish()
    before = rig.table
    assert rig.journal is not None
    rig.service.end_run("test")
    rig.do(cm.CloseTable(), D1, S1)
    closed = rig.table
    rig.journal.keep({"version": "many"}, "{}", rig.clock.stamp())
    rig.close()
    journal = open_journal(tmp_path)
    assert past.replay(journal).table == closed != before
    journal.close()


def test_a_kept_state_that_nobody_signed_counts_for_nothing(tmp_path: Path) -> None:
    """Somebody with the file and without the key appends one: the start folds the records all the same."""
    rig = Rig(tmp_path, make_setup("jpoker"), keep_every=1).open()
    rig.stake(b1=10).lock().finish()
    before = rig.table
    assert rig.journal is not None
    rich = msgspec.structs.replace(before, hand=None, meter="1000000")
    state, memory = keeping.kept(rich, Statistics())
    rig.journal.append([StateKept(state=state, memory=memory)], hand=None, stamp=rig.clock.stamp())
    rig.close()
    journal = open_journal(tmp_path)
    assert past.replay(journal).table == before
    journal.close()


def test_cards_of_unturned_boxes_are_not_in_the_open_part() -> None:
    """The shoe's recent events may name them."""
    shoe = msgspec.structs.replace(Table().shoe, recent=((7, Secret("As")),))
    public, memory = keeping.kept(Table(shoe=shoe), Statistics())
    assert "As" not in repr(public)
    assert "As" in memory
    assert keeping.restored([StateKept(state=public, memory=memory)], SPAN) == (
        Table(shoe=shoe),
        Statistics(stopped=False),
    )
    assert {"memory"} == StateKept.WRAPPED


@pytest.mark.parametrize("span", [1, 3, 7, 50])
@pytest.mark.parametrize("every", [1, 2, 5])
def test_the_statistics_come_back_over_several_kept_states(every: int, span: int) -> None:
    """Each keeps the newest hands' counts only; the order of a deck is not kept at all."""
    s = Statistics(span=span, rules_hash="r", stopped=False, raised={1: ("a", "b")}, answered={("a", "b"): 2})
    states: list[StateKept] = []
    for hand in range(1, 24):
        s = _counted(s, ((("hands", f"box {hand % 4}"), hand),))
        if hand % every == 0:
            state, memory = keeping.kept(Table(), s, every)
            states.append(StateKept(state=state, memory=memory))
            kept = s
    assert keeping.restored(reversed(states), span) == (Table(), kept)


def test_what_was_counted_under_other_rules_stays_out() -> None:
    old = Statistics(rules_hash="old", window=(ONE,) * 5, total=5)
    new = Statistics(rules_hash="new", window=(ONE,) * 2, total=2)
    states = [StateKept(state=state, memory=memory) for state, memory in (keeping.kept(Table(), s) for s in (new, old))]
    found = keeping.restored(states, SPAN)
    assert found is not None
    assert (found[1].total, len(found[1].window)) == (2, 2)
