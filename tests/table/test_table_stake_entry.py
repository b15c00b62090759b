"""Stakes that are named at the payout, or never: what is asked, what is told, and how the record marks it."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import PLAYS, PLAYS_NOT, S1, Rig, make_setup
from test_table_keys import Fingers

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import StakeEntry
from controller.journal.hands import read_hand
from controller.table import lamps
from controller.table.audit import check_hand


def played(entry: StakeEntry, dealer: str = PLAYS, folder: Path | None = None, **how: object) -> Rig:
    """Oasis with a bonus on box 2: box 1 exchanges, 1 and 2 bet, 3 folds; the dealer is turned."""
    rig = Rig(folder, make_setup("oasis_ru", stake_entry=entry, **how)).open().stake(b1=10, b2=10, b3=10)
    rig.do(cm.SetStake(box=2, bonus=5))
    rig.lay(dealer, b1="9c 9d 5h 6s 3c", b2="Qc Jc 5c 6c 4c", draws={1: "9h"}).ok().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
    return rig.ok()


def told(rig: Rig) -> list[str]:
    """What box 2 is paid, line by line."""
    return [line.text() for line in rig.snapshot().boxes[1].pay]


def audited(rig: Rig) -> None:
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert (findings, check_hand(hand)) == ([], [])


def test_named_box_by_box_as_they_are_paid(tmp_path: Path) -> None:
    rig = played(StakeEntry.AT_PAYOUT, folder=tmp_path)
    assert (rig.want.kind, rig.want.box) == (Want.STAKE, 2)
    assert rig.hand.box(2).answer is None  # nothing is told to pay before
    rig.do(cm.SetStake(box=2, ante=50, bonus=10))
    assert [line.text() for line in rig.snapshot().boxes[1].pay] == [
        "ANTE PAY 1:1 50",
        "BET PAY 5:1 500",
        "BONUS PAY 60:1 600",
    ]
    rig.do(cm.Undo())
    assert rig.want.kind is Want.STAKE
    rig.do(cm.SetStake(box=2, ante=20))
    rig.restart()
    rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    assert (rig.want.kind, rig.want.box) == (Want.STAKE, 1)
    rig.do(cm.SetStake(box=1, ante=30))
    assert rig.hand.box(1).fee == 30
    rig.finish()
    settled = rig.events(ev.HandSettled)[0]
    assert {box["box"]: box["ante"] for box in settled.request["boxes"]} == {1: 30, 2: 20, 3: 10}
    assert settled.nominal == (3,)  # folded: what lay there went to the tray uncounted
    assert rig.events(ev.Locked)[0].stake_entry == "at_payout"
    assert {s.box: s.ante for s in rig.table.stakes} == {1: 30, 2: 20, 3: 10}  # proposed for the next hand
    audited(rig)


def test_an_ok_takes_what_stands_proposed() -> None:
    rig = played(StakeEntry.AT_PAYOUT)
    rig.ok()
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 2)
    assert rig.events(ev.StakeEntered)[0].ante == 10


def test_what_cannot_lie_there() -> None:
    rig = played(StakeEntry.AT_PAYOUT)
    rig.refused(Why.STAKE_RANGE, cm.SetStake(box=2, ante=5))
    rig.refused(Why.BONUS_RANGE, cm.SetStake(box=2, ante=50, bonus=500))
    rig.refused(Why.BAD_ARGUMENT, cm.SetStake(box=2, ante=50, bonus=0))  # one was counted at LOCK
    rig.refused(Why.NOT_NOW, cm.SetStake(box=1, ante=50))
    rig.do(cm.SetStake(box=2, ante=50))
    rig.refused(Why.NOT_NOW, cm.SetStake(box=2, ante=60))
    rig.do(cm.CorrectStake(box=2, ante=60), S1)
    assert rig.want.kind is Want.PAID  # named once: a correction does not ask again


def test_nobody_names_what_stays_face_down() -> None:
    rig = played(StakeEntry.AT_PAYOUT, PLAYS_NOT)
    rig.finish()
    assert rig.events(ev.HandSettled)[0].nominal == (1, 2, 3) or 2 not in rig.events(ev.HandSettled)[0].nominal


def test_odds_only(tmp_path: Path) -> None:
    """No amount is told anywhere, nor cut by a plate that knows none."""
    rig = played(StakeEntry.NONE, folder=tmp_path, cap=50)
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 2)
    assert told(rig) == ["ANTE PAY 1:1", "BET PAY 5:1", "BONUS PAY 60:1"]
    assert all(line.chips == "" for line in rig.snapshot().boxes[1].pay)
    assert lamps.display(rig.table, rig.setup, "en").lines == (
        "BOX 2 FLUSH",
        "ANTE PAY 1:1",
        "BET PAY 5:1",
        "BONUS PAY 60:1",
    )
    assert (rig.snapshot().boxes[1].net, rig.snapshot().boxes[1].returned) == (0, 0)
    rig.finish()
    settled = rig.events(ev.HandSettled)[0]
    assert settled.nominal == (3, 2, 1)
    assert settled.request["set"]["cap"] == "none"
    assert rig.events(ev.Locked)[0].stake_entry == "none"
    assert rig.table.last_hand is not None
    assert rig.table.last_hand["stake_entry"] == "none"
    audited(rig)


def test_named_at_the_keys() -> None:
    rig = played(StakeEntry.AT_PAYOUT, chips=(5, 10, 25, 100, 500, 1000))
    keys = Fingers(rig)
    keys.press("K3", "K3", "OK")  # two of 25, in place of what stood proposed
    assert (rig.hand.box(2).ante, rig.hand.box(2).bonus, rig.want.kind) == (50, 5, Want.PAID)
    keys.press("OK", "K5")
    assert (rig.want.kind, rig.want.box) == (Want.STAKE, 1)
    keys.press("OK")
    rig.do(cm.DiscardCheck(box=1), S1)  # three nines
    keys.press("OK")
    assert (rig.phase, rig.hand.number) == (Phase.BETTING, 2)
    assert keys.refusals == []


@pytest.mark.parametrize("entry", [StakeEntry.AT_PAYOUT, StakeEntry.NONE])
@pytest.mark.parametrize("rules", ["caribbean", "jpoker", "joker53", "oasis_helsinki"])
@pytest.mark.parametrize("dealer", [PLAYS, PLAYS_NOT])
def test_every_game_to_its_end(entry: StakeEntry, rules: str, dealer: str) -> None:
    rig = Rig(setup=make_setup(rules, boxes=4, stake_entry=entry)).open().stake(b1=10, b2=10)
    rig.lay(dealer, b1="9c 9d 5h 6s 3c").lock().finish()
    assert rig.hand.number == 2
