"""Announced for later hands: another plate, the last hands of the table."""

from __future__ import annotations

from pathlib import Path

from harness import D1, S1, Rig, make_setup, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.rejections import Why


def play(rig: Rig) -> Rig:
    if not rig.hand.box(1).ante:
        rig.stake(b1=int(rig.table.limits["ante_min"]))
    rig.lay().lock().finish()
    return rig


def test_another_plate_from_the_second_hand_on(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("caribbean")).open().stake(b1=10)
    rig.lock()
    rig.do(cm.Limits(ante_min=20, ahead=2), S1)  # in mid-hand, too
    assert rig.snapshot().limits["ante_min"] == 10
    assert rig.snapshot().announced["from_hand"] == 3
    assert rig.snapshot().announced["limits"]["ante_min"] == 20
    rig.finish()
    assert (rig.hand.number, rig.snapshot().limits["ante_min"]) == (2, 10)
    rig.restart()
    play(rig)
    assert (rig.hand.number, rig.snapshot().limits["ante_min"]) == (3, 20)
    assert rig.snapshot().announced["from_hand"] == 0
    rig.refused(Why.STAKE_RANGE, cm.Start())  # the proposed stake lies below it now


def test_a_change_at_once_takes_its_place() -> None:
    rig = table("caribbean")
    rig.do(cm.Limits(ante_min=20, ahead=1), S1)
    rig.do(cm.Limits(ante_min=15), S1)
    assert rig.snapshot().announced["from_hand"] == 0
    play(rig)
    assert rig.snapshot().limits["ante_min"] == 15
    rig.refused(Why.BAD_ARGUMENT, cm.Limits(ante_min=20, ahead=-1), S1)


def test_the_last_two_hands() -> None:
    rig = table("caribbean")
    rig.do(cm.LastHands(number=2), S1)
    assert rig.snapshot().announced["last_hand"] == 2
    play(rig), play(rig)
    assert rig.snapshot().prompt.code == "TC-0853"
    rig.refused(Why.LAST_HAND, cm.Start())
    rig.do(cm.LastHands(number=1), S1)  # one more after all
    play(rig)
    rig.refused(Why.LAST_HAND, cm.Start())
    rig.do(cm.CloseTable(), S1)
    rig.do(cm.OpenTable(), D1, S1)
    play(rig)  # a new opening has no end yet


def test_said_while_a_hand_is_dealt_that_hand_does_not_count() -> None:
    rig = table("caribbean").stake(b1=10).lock()
    rig.do(cm.LastHands(number=1), S1)
    assert rig.snapshot().announced["last_hand"] == 2
    rig.do(cm.LastHands(number=0), S1)
    assert rig.snapshot().announced["last_hand"] == 0
    rig.refused(Why.BAD_ARGUMENT, cm.LastHands(number=0), S1)
    assert [e.hand for e in rig.events(ev.LastHandAnnounced)] == [2, 0]
