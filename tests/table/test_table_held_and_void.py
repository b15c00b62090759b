"""Boxes that are held or void: the others are paid, their own stakes go back or wait."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import E1, S1
from test_table_hands import PLAYS, PLAYS_NOT, audited, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.rejections import Why


def test_hold_leaves_one_box_and_pays_the_others(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10, b2=10, b3=10).joker("2c").lay(PLAYS).lock().deal()
    for box in (1, 2, 3):
        rig.do(cm.Bet(box=box))
    rig.ok()
    rig.do(cm.Differs(box=3, cards="As Ks"))
    assert rig.table.call
    assert rig.want.box == 2
    rig.ok(), rig.ok(), rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.RELEASE, 3)
    assert rig.snapshot().prompt.code == "TC-0821"
    rig.do(cm.Release(box=3), S1)
    assert not rig.table.call
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 3)
    rig.ok()
    assert rig.events(ev.HandEnded)[-1].disputed == (3,)
    audited(rig, 1)
    rig.close()


def test_a_called_box_stays_called_through_a_dispute(tmp_path: Path) -> None:
    """The dealer does not play, the bonus wins: the box is turned for it, held or not."""
    rig = table(tmp_path, "oasis_ru").stake(b1=10, b2=10)
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.SetStake(box=2, bonus=5))
    rig.lay(PLAYS_NOT, b1="3h 4h 6h 8h Th", b2="Ac 9c 4d 5d 6d").lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.TURN, 1)  # box 2 can win nothing that way
    rig.do(cm.Hold(box=1)), rig.ok()
    assert rig.want.kind is Want.RELEASE
    rig.do(cm.Release(box=1), S1)
    assert (rig.want.kind, rig.want.box) == (Want.TURN, 1)
    rig.finish()
    boxes = {b["box"]: b["net"] for b in audited(rig, 1).answer["boxes"]}
    assert boxes == {1: 310, 2: 5}
    rig.close()


def test_a_void_box_gets_its_stakes_back_and_the_others_play(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10, b2=20).joker("2c").lay(PLAYS).lock()
    rig.card(), rig.card(), rig.card()
    rig.refused(Why.NO_STAKE, cm.VoidBox(box=3, reason="four cards"), S1)
    rig.do(cm.VoidBox(box=2, reason="four cards"), S1)
    assert rig.want.box == 1
    rig.deal()
    rig.do(cm.Bet(box=1))
    box = rig.snapshot().boxes[1]
    assert (box.status, box.returned, box.net) == ("void", 20, 0)
    rig.finish()
    assert [b["box"] for b in audited(rig, 1).answer["boxes"]] == [1]
    rig.close()


@pytest.mark.parametrize("when", [Want.CARD, Want.STOP, Want.DECISION, Want.REVEAL, Want.TURN])
def test_every_box_void_ends_the_hand(tmp_path: Path, when: Want) -> None:
    rig = (
        table(tmp_path)
        .stake(b1=10, b2=10)
        .joker("2c")
        .lay(PLAYS)
        .lock()
        .to(when if when is not Want.TURN else Want.PAID)
    )
    for box in (1, 2):
        rig.do(cm.VoidBox(box=box, reason="dead"), S1, E1)
    assert rig.hand.number == 2
    ended = rig.events(ev.HandEnded)[-1]
    assert (ended.outcome, len(ended.key)) == ("void", 64)
    rig.close()
