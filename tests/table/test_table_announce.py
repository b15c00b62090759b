"""The dealer tells the joker where the board cannot: with a supervisor, on record, and never a second draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.rejections import Why
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.table import lamps
from controller.table.audit import check_hand


def drawn(folder: Path | None = None, slot: str = "7c", **how: object) -> Rig:
    rig = Rig(folder, make_setup(**how)).open().stake(b1=10, b2=10).joker(slot)
    return rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c").lock().to(Want.BOARD)


def gone(rig: Rig) -> Rig:
    rig.device(cm.DeviceOut(device="board", reason="unplugged"))
    return rig


def wrong(rig: Rig) -> Rig:
    rig.device(cm.BoardFails(detail="frame"))
    assert rig.phase is Phase.FAULT
    return rig


def joker(rig: Rig) -> str | None:
    shown = rig.snapshot().joker
    assert shown is not None
    return shown.card


@pytest.mark.parametrize("trouble", [gone, wrong])
@pytest.mark.parametrize("when", ["before_deal", "during_deal", "after_deal"])
def test_the_hand_goes_on_with_the_same_joker(trouble: Callable[[Rig], Rig], when: str, tmp_path: Path) -> None:
    rig = trouble(drawn(tmp_path, joker_time=when))
    assert "announce" in rig.snapshot().allowed
    rig.do(cm.Announce())  # waits for a supervisor: nothing is told yet
    assert joker(rig) is None
    rig.do(cm.Approve(id=1), S1)
    assert (rig.hand.joker, joker(rig)) == (JokerPhase.SHOWN, "7c")
    assert lamps.display(rig.table, rig.setup, "en").lines[0] == "#1 JOKER 7c"
    rig.restart(connect=False)
    rig.connect("shoe")
    rig.finish()
    assert [(e.slot, e.by) for e in rig.events(ev.JokerShown)] == [("7c", "dealer")]
    assert len(rig.events(ev.JokerDrawn)) == 1
    assert [e.operators for e in rig.events(ev.Authorised) if e.command == "announce"] == [("s1",)]
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert (findings, check_hand(hand), check_draw(hand)) == ([], [], [])


def test_only_where_the_board_cannot() -> None:
    rig = drawn()
    rig.refused(Why.NOT_NOW, cm.Announce(), S1)
    rig.board_shows()
    gone(rig)
    rig.refused(Why.NOT_NOW, cm.Announce(), S1)


def test_a_board_that_comes_back_changes_nothing() -> None:
    rig = gone(drawn())
    rig.do(cm.Announce(), S1)
    rig.connect("board")
    rig.board_shows()
    assert len(rig.events(ev.JokerShown)) == 1
    rig.device(cm.BoardFails(detail="frame"))
    assert rig.phase is Phase.DEALING
    rig.finish()


def test_the_dealers_open_card_is_announced_as_such() -> None:
    rig = gone(drawn(slot="DOC"))
    rig.do(cm.Announce(), S1)
    assert joker(rig) == "DOC"
    rig.card("2h")
    shown = rig.snapshot().joker
    assert shown is not None
    assert shown.open_card == "2h"


def test_another_fault_comes_first() -> None:
    rig = wrong(drawn())
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    rig.refused(Why.NOT_NOW, cm.Announce(), S1)


def test_from_then_on_a_void_takes_two_people() -> None:
    rig = gone(drawn())
    rig.do(cm.Announce(), S1)
    assert rig.act(cm.VoidHand(reason="x"), S1).waiting
    rig.do(cm.VoidHand(reason="x"), S1, S2)
    assert rig.hand.number == 2


def test_the_next_hand_needs_the_board() -> None:
    rig = gone(drawn())
    rig.do(cm.Announce(), S1)
    rig.finish()
    rig.refused(Why.DEVICE, cm.Start())
