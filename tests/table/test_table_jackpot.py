"""The progressive of one table: stakes, the meter to the last fraction, hits frozen and awarded."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from harness import D1, E1, S1, S2, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why

PLAYS = "As Kd 9c 6d 3h"
NO_GAME = "As Qd 9c 6d 3h"
FLUSH = "Kh 9h 5h 4h 2h"
ROYAL = "Ac Kc Qc Jc Tc"
STRAIGHT_FLUSH = "Qd Jd Td 9d 8d"
NOTHING = "Qh 7d 5s 3s 2c"


def table(folder: Path | None = None, rules: str = "oasis_ru", **how: Any) -> Rig:
    how = {"jackpot_stake": 1, "meter": "25000", "award_limit": 100, **how}
    return Rig(folder=folder, setup=make_setup(rules, **how)).open()


def play(rig: Rig, dealer: str, *decisions: str, jackpots: tuple[int, ...] = (1, 2, 3), **boxes: str) -> Rig:
    """A hand up to its end or to a hit; decisions by box in order."""
    rig.stake(**dict.fromkeys(boxes, 10))
    for number in jackpots:
        if f"b{number}" in boxes:
            rig.do(cm.SetStake(box=number, jackpot=1))
    rig.lay(dealer, **boxes).ok().deal()
    for number, word in enumerate(decisions, 1):
        rig.do(cm.Bet(box=number) if word == "bet" else cm.Fold(box=number))
    hand = rig.hand.number
    while rig.table.hand is not None and rig.hand.number == hand and rig.want.kind is not Want.AWARD:
        rig.step()
    return rig


def meters(rig: Rig) -> list[tuple[str, str]]:
    return [(e.before, e.after) for e in rig.events(ev.MeterMoved)]


def test_the_meter_opens_once_and_a_hand_feeds_it() -> None:
    rig = table()
    assert rig.table.meter == "25000"
    play(rig, PLAYS, "bet", "fold", b1=NOTHING, b2="9d 9h 7s 5c 4s")
    assert meters(rig) == [("", "25000"), ("25000", "25001.40")]
    rig.do(cm.CloseTable(), D1, S1), rig.do(cm.OpenTable(), D1, S1)
    assert rig.table.meter == "25001.40"


def test_p1_a_flush_is_paid_its_fixed_prize_by_the_house() -> None:
    rig = play(table(), PLAYS, "bet", "bet", b1=FLUSH, b2=NOTHING)
    assert (rig.want.kind, rig.want.box, rig.want.count) == (Want.AWARD, 1, 50)
    assert meters(rig)[-1] == ("25000", "25001.40")
    rig.refused(Why.NO_HIT, cm.Award(hit=7), S1)
    assert rig.act(cm.Award(hit=1)).waiting, "the dealer alone awards nothing"
    rig.do(cm.Award(hit=1), S1)
    assert rig.phase is Phase.BETTING
    rig.refused(Why.NO_HIT, cm.Award(hit=1), S1)


def test_p2_a_straight_flush_takes_its_tenth_and_two_people() -> None:
    rig = play(table(), PLAYS, "bet", jackpots=(1,), b1=STRAIGHT_FLUSH)
    assert meters(rig)[-1] == ("25000", "22500.70")
    assert rig.hand.hits[0].prize == 2500
    outcome = rig.act(cm.Award(hit=1), S1)
    assert outcome.waiting, "above the limit: two people, neither of them the dealer"
    rig.refused(Why.SAME_PERSON, cm.Approve(id=outcome.waiting), S1)
    rig.do(cm.Approve(id=outcome.waiting), E1)
    assert rig.events(ev.JackpotAwarded)[0].prize == 2500
    assert rig.phase is Phase.BETTING


def test_p4_two_royals_share_and_p5_is_paid_in_settle_order() -> None:
    rig = play(table(), PLAYS, "bet", "bet", b1=ROYAL, b2="Ah Kh Qh Jh Th")
    assert [(h.box, h.prize) for h in rig.hand.hits] == [(2, 12500), (1, 12500)]
    assert meters(rig)[-1] == ("25000", "10001.40")
    rig.finish()
    rig = table(settle_order="left_to_right")
    play(rig, PLAYS, "bet", "bet", b1=STRAIGHT_FLUSH, b2="Ah Kh Qh Jh Th")
    assert [(h.box, h.prize) for h in rig.hand.hits] == [(1, 2500), (2, 22501)]
    assert meters(rig)[-1] == ("25000", "10000.40")


@pytest.mark.parametrize("word", ["bet", "fold"])
def test_a_hit_of_an_unplayed_or_folded_hand_is_called_to_be_turned(word: str) -> None:
    rig = play(table(), NO_GAME, word, "bet", b1=FLUSH, b2=NOTHING)
    assert rig.hand.box(1).turned
    assert not rig.hand.box(2).turned
    assert rig.want.kind is Want.AWARD


def test_what_hides_is_not_told_before_its_turn() -> None:
    """A hit is recognised when the box is turned, never at the deal."""
    rig = table()
    rig.stake(b1=10, b2=10)
    for number in (1, 2):
        rig.do(cm.SetStake(box=number, jackpot=1))
    rig.lay(PLAYS, b1=FLUSH, b2=NOTHING).ok().deal()
    assert rig.snapshot().meters == {"jackpot": "25000", "stake": 1, "hits": []}
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert rig.hand.hits == ()


def test_a_void_hand_books_nothing() -> None:
    rig = table()
    rig.stake(b1=10)
    rig.do(cm.SetStake(box=1, jackpot=1))
    rig.ok().deal()
    rig.do(cm.VoidHand(reason="misdeal"), S1)
    assert meters(rig) == [("", "25000")]


def test_only_the_one_stake_is_taken() -> None:
    rig = table()
    rig.stake(b1=10)
    rig.refused(Why.JACKPOT_STAKE, cm.SetStake(box=1, jackpot=2))
    plain = Rig(setup=make_setup("oasis_ru")).open()
    plain.stake(b1=10)
    plain.refused(Why.NO_JACKPOT, cm.SetStake(box=1, jackpot=1))


def test_a_restart_finds_the_frozen_hit(tmp_path: Path) -> None:
    rig = play(table(tmp_path), PLAYS, "bet", jackpots=(1,), b1=ROYAL)
    before, want = rig.table.hand, rig.want
    rig.restart()
    assert (rig.table.hand, rig.want) == (before, want)
    rig.do(cm.Award(hit=1), S1, S2)
    assert rig.table.meter == "10000.70", "what could not be divided stays"


def test_contributions_reconcile_over_many_hands() -> None:
    """Contributions x rate = meter + paid from it, to the last fraction; nothing lowers it but a recorded hit."""
    rig = table()
    for number in range(40):
        cards = [FLUSH, NOTHING, STRAIGHT_FLUSH, "7c 7d 7h 2s 2d"][number % 4]
        play(rig, PLAYS, "bet", jackpots=(1,), b1=cards)
        if rig.want.kind is Want.AWARD:
            rig.step()
    paid = Fraction(0)
    for before, after in meters(rig)[1:]:
        paid += max(Fraction(0), Fraction(before) + Fraction(7, 10) - Fraction(after))
    assert Fraction(rig.table.meter) == 25000 + 40 * Fraction(7, 10) - paid
    awarded = sum(e.prize for e in rig.events(ev.JackpotAwarded) if e.prize not in (50, 100))
    assert paid == awarded


def test_a_royal_in_the_bonus_takes_its_share_of_the_meter() -> None:
    """S003's older practice: no stake of its own, the losses feed it."""
    house = {"jackpot": {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.5"}, "contribution_basis": "losses"}}
    rig = Rig(setup=make_setup("oasis_ru", house=house, meter="25000")).open()
    rig.stake(b1=10, b2=10)
    rig.refused(Why.BONUS_SHARE, cm.SetStake(box=1, bonus=4))  # its royal could not be settled
    rig.do(cm.SetStake(box=1, bonus=5))
    rig.lay(PLAYS, b1=ROYAL, b2=NOTHING).ok().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    rig.finish()
    answer = rig.events(ev.HandSettled)[-1].answer
    bonus = next(b for b in answer["boxes"] if b["box"] == 1)["stakes"]["bonus"]
    fed = Fraction(7, 10) * (10 + 0)  # box 2 folded; nothing else was lost
    assert bonus["profit"] == int((25000 + fed) / 2)
    assert Fraction(rig.table.meter) == 25000 + fed - bonus["profit"]
    (hit,) = rig.events(ev.JackpotHit)
    assert (hit.box, hit.prize) == (1, bonus["profit"])


@pytest.mark.parametrize("other", [NOTHING, "Ah Kh Qh Jh Th"])
def test_a_royal_in_the_bonus_is_paid_once_by_its_award(other: str, tmp_path: Path) -> None:
    """At its turn only the stake goes back: what the other box feeds, or shares, is not known yet."""
    house = {"jackpot": {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.6"}}}
    rig = Rig(tmp_path, make_setup("oasis_ru", house=house, meter="10000")).open()
    rig.lay("Ad Kd 9c 6d 3h", b1=ROYAL, b2=other)
    for box in (1, 2):
        rig.do(cm.SetStake(box=box, ante=10, bonus=5))
    rig.do(cm.Count(number=2)), rig.ok().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.finish()
    at_the_box = {e.box: e.answer["stakes"]["bonus"]["profit"] for e in rig.events(ev.BoxSettled)}
    awarded = {e.box: e.prize for e in rig.events(ev.JackpotAwarded)}
    due = {b["box"]: b["stakes"]["bonus"]["profit"] for b in rig.events(ev.HandSettled)[-1].answer["boxes"]}
    assert {box: paid + awarded.get(box, 0) for box, paid in at_the_box.items()} == due
    assert due[1] == (6004 if other == NOTHING else 5003)


def test_a_meter_in_thirds_is_found_again_by_a_restart_and_corrected(tmp_path: Path) -> None:
    house = {"jackpot": {"rate": "1/3", "hidden_rate": "1/7"}}
    rig = table(tmp_path, house=house)
    play(rig, PLAYS, "bet", b1=NOTHING)
    assert (rig.table.meter, rig.table.reserve) == ("75001/3", "1/7")
    rig.restart()
    rig.do(cm.CorrectMeter(meter="25000", reason="slip"), S1, S2)
    assert (rig.table.meter, rig.table.reserve) == ("25000", "1/7")


def test_a_bonus_that_no_share_names_is_not_brought_in_by_a_corrected_stake() -> None:
    house = {"jackpot": {"jackpot_mode": "bonus_royal", "jackpot_share": {"5": "0.5"}}}
    rig = Rig(setup=make_setup("oasis_ru", house=house, meter="25000")).open().lay(PLAYS, b1=ROYAL).stake(b1=10)
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.Count(number=1)), rig.ok().deal()
    rig.refused(Why.BONUS_SHARE, cm.CorrectStake(box=1, ante=10, bonus=4), S1)
    rig.do(cm.CorrectStake(box=1, ante=10, bonus=0), S1)
