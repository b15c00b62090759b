"""The shoe has seen more acknowledged than this journal knows: an older copy. A supervisor decides, on record."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import D1, S1, S2, Rig, locked, make_setup, table
from harness_parts import open_journal

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause
from controller.table import past

WHAT = "events up to 40 were on record, this journal ends at 5: an older copy?"


def ahead(rig: Rig, device: str = "shoe") -> None:
    rig.device(cm.TroubleIn(device=device, code="acked_ahead", detail=WHAT))


def adopted(rig: Rig) -> list[int]:
    return [event.event_no for event in rig.events(ev.ShoeAdopted)]


def test_a_hand_that_is_being_dealt_stops_and_its_cards_come_again() -> None:
    rig = locked()
    rig.card(), rig.card()
    rig.connect("shoe", log_last=40)
    ahead(rig)
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.OLD_JOURNAL)
    assert rig.snapshot().prompt.code == "TC-0342"
    assert rig.events(ev.DeviceTroubled)[-1].detail == WHAT
    rig.do(cm.Reset(), D1)  # the dealer alone only asks
    assert (rig.phase, len(rig.table.waiting)) == (Phase.FAULT, 1)
    rig.do(cm.Reset(), S1)
    assert adopted(rig)[-1] == rig.event_no
    assert (rig.phase, rig.table.shoe.ahead) == (Phase.DEALING, "")
    rig.finish()


def test_between_hands_they_are_passed_over() -> None:
    rig = table()
    rig.connect("shoe", log_last=40)
    ahead(rig)
    assert rig.hand.fault_cause is Cause.OLD_JOURNAL
    rig.refused(Why.NOT_NOW, cm.Lock())
    rig.do(cm.Reset(), S1)
    assert (adopted(rig)[-1], rig.phase) == (40, Phase.BETTING)
    rig.event_no = 40
    rig.stake(b1=10).lock().finish()


def test_a_voided_hand_leaves_them_behind() -> None:
    rig = locked()
    rig.card()
    rig.connect("shoe", log_last=40)
    ahead(rig)
    rig.do(cm.VoidHand(reason="older copy"), S1, S2)
    assert (adopted(rig)[-1], rig.phase, rig.table.shoe.ahead) == (40, Phase.BETTING, "")


def test_found_while_the_table_is_closed_it_waits_at_the_opening() -> None:
    rig = table()
    rig.do(cm.CloseTable(), S1)
    rig.connect("shoe", log_last=40)
    ahead(rig)
    assert rig.table.shoe.ahead == WHAT
    rig.do(cm.OpenTable(), D1, S1)
    assert (rig.phase, rig.hand.fault_cause, rig.hand.detail) == (Phase.FAULT, Cause.OLD_JOURNAL, WHAT)
    rig.do(cm.Reset(), S1)
    assert (adopted(rig)[-1], rig.phase) == (40, Phase.BETTING)


@pytest.mark.parametrize("other", [True, False])
def test_what_says_nothing_of_this_journal_is_only_written_down(other: bool) -> None:
    """Another shoe has other numbers; a shuffler moves no card."""
    rig = table()
    rig.do(cm.CloseTable(), S1)
    if other:
        rig.connect("shoe", serial="SN2", log_last=40)
    ahead(rig, "shoe" if other else "shuffler")
    assert (rig.events(ev.DeviceTroubled)[-1].code, rig.table.shoe.ahead) == ("acked_ahead", "")
    rig.do(cm.OpenTable(), D1, S1)
    assert rig.phase is Phase.BETTING


def test_dealt_by_hand_nothing_waits_for_it_until_the_shoe_serves_again() -> None:
    rig = table()
    rig.do(cm.Manual(reason="shoe"), S1)
    rig.connect("shoe", log_last=40)
    ahead(rig)
    assert rig.phase is Phase.BETTING
    rig.do(cm.Automatic(), S1)
    assert (adopted(rig)[-1], rig.table.shoe.ahead) == (40, "")


def test_it_is_still_held_after_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock()
    rig.card()
    ahead(rig)
    rig.restart()
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.OLD_JOURNAL)
    rig.do(cm.Reset(), S1)
    rig.finish()


# --- the head from the last slip -------------------------------------------------------------------------------------


def closed(rig: Rig) -> str:
    """Closed for the night; the head that somebody notes."""
    rig.do(cm.CloseTable(), S1)
    assert rig.journal is not None
    return rig.journal.head.hex()


def test_a_table_opens_with_the_head_that_was_noted(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open()
    noted = closed(rig)
    rig.restart()
    rig.refused(Why.HEAD_UNKNOWN, cm.OpenTable(head="ab" * 32), D1, S1)
    rig.refused(Why.HEAD_UNKNOWN, cm.OpenTable(head=noted[:15]), D1, S1)  # too little of it says nothing
    rig.do(cm.OpenTable(head=noted[:16].upper()), D1, S1)
    assert (rig.phase, rig.events(ev.TableOpened)[-1].head) == (Phase.BETTING, noted[:16].upper())


def test_an_older_copy_does_not_open_with_it(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open()
    closed(rig)
    assert rig.journal is not None
    rig.journal.close()
    old = (tmp_path / "journal.db").read_bytes()
    rig.journal = open_journal(tmp_path)
    rig._start(past.replay(rig.journal).table)
    noted = closed(rig.open())
    rig.journal.close()
    (tmp_path / "journal.db").write_bytes(old)
    rig.journal = open_journal(tmp_path)
    rig._start(past.replay(rig.journal).table)
    rig.connect()
    rig.refused(Why.HEAD_UNKNOWN, cm.OpenTable(head=noted), D1, S1)
    rig.do(cm.OpenTable(), D1, S1)  # nobody gave one: the witness and the shoe remain
