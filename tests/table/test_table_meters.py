"""The audit follows the progressive from hand to hand: what it contributes, wins, and is taken up at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import D1, E1, S1, S2, Rig, make_setup
from test_table_jackpot import FLUSH, NOTHING, PLAYS, ROYAL, play, table

from controller.cli.audit import CHECKS
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.rejections import Why
from controller.journal.auditing import Options
from controller.journal.verify import Report, audit


def audited(rig: Rig, **options: Any) -> Report:
    """Beside the table, as `audit --live` reads."""
    assert rig.journal is not None and rig.folder is not None
    return audit(rig.folder / "journal.db", rig.journal._codec.registry, Options(live=True, **options), CHECKS)


def append(rig: Rig, *events: ev.Event, hand: int | None = None) -> None:
    assert rig.journal is not None
    rig.journal.append(events, hand=hand, stamp=rig.clock.stamp())


def test_hands_that_feed_and_win_are_counted(tmp_path: Path) -> None:
    rig = table(tmp_path)
    for _ in range(3):
        play(rig, PLAYS, "bet", "fold", b1=NOTHING, b2="9d 9h 7s 5c 4s")
    rig.do(cm.CloseTable(), D1, S1), rig.do(cm.OpenTable(), D1, S1)
    report = audited(rig)
    assert report.findings == ()
    assert report.outcomes == {"settled": 3, "not_played": 1}
    meter = {"first": "25000", "last": "25004.20", "reserve": "0"}
    assert report.totals == {**meter, "staked": 6, "contributed": "21/5", "hits": 0, "prizes": 0, "corrections": []}


def test_jobs_and_a_later_start_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.journal.auditing.PART_ROWS", 20)
    rig = table(tmp_path)
    for _ in range(3):
        play(rig, PLAYS, "bet", b1=NOTHING)
    append(rig, ev.MeterMoved(before="25002.10", after="9", reserve="0", cause="a thief"), hand=rig.table.hands)
    one = audited(rig)
    assert [f.code for f in one.findings] == ["meter"]
    assert audited(rig, jobs=2) == one
    assert [f.code for f in audited(rig, from_hand=2).findings] == ["meter"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [("25000", "24000", "no hand was settled"), ("24000", "24000", "taken up at 24000"), ("", "1", "it stands at")],
)
def test_a_meter_moved_between_hands_is_found(tmp_path: Path, before: str, after: str, words: str) -> None:
    rig = table(tmp_path)
    rate = ev.MeterMoved(before=before, after=after, reserve="0", cause="a thief")
    append(rig, rate, hand=None if not before else rig.table.hands)
    found = audited(rig).findings
    assert {f.code for f in found} == {"meter"}
    assert words in found[0].what


def corrected(rig: Rig, meter: str = "24000.5", **how: str) -> None:
    rig.do(cm.CorrectMeter(meter=meter, reason="wrong first amount", **how), S1, E1)


@pytest.mark.parametrize("closed", [True, False])
def test_two_people_correct_a_meter_and_the_audit_follows(closed: bool, tmp_path: Path) -> None:
    rig = table(tmp_path)
    play(rig, PLAYS, "bet", b1=NOTHING)
    if closed:
        rig.do(cm.CloseTable(), D1, S1)
    corrected(rig, reserve="12")
    assert (rig.table.meter, rig.table.reserve) == ("24000.50", "12")
    assert rig.replayed() == rig.table
    if closed:
        rig.do(cm.OpenTable(), D1, S1)
    play(rig, PLAYS, "bet", b1=NOTHING)
    assert rig.snapshot().meters["jackpot"] == "24001.20"
    report = audited(rig)
    assert report.findings == ()
    told = report.totals["corrections"]
    assert [(c["by"], c["operators"], c["reason"]) for c in told] == [("-4941/5", ["s1", "e1"], "wrong first amount")]
    assert report.totals["contributed"] == "7/5"


def test_a_correction_takes_two_people_neither_of_them_the_dealer_and_a_reason() -> None:
    rig = table()
    wish = cm.CorrectMeter(meter="1", reason="why not")
    for people in ((), (S1,), (D1, S1)):
        assert rig.act(wish, *people).waiting
        assert rig.table.meter == "25000"
    rig.refused(Why.BAD_ARGUMENT, cm.CorrectMeter(meter="1", reason=" "), S1, S2)
    for amount in ("", "-1", "x", "1/3", "1e3000", "10000000000001"):
        rig.refused(Why.BAD_ARGUMENT, cm.CorrectMeter(meter=amount, reason="r"), S1, S2)
    rig.do(wish, S2)
    assert rig.table.meter == "1"
    assert rig.events(ev.MeterCorrected)[0].operators == ("s1", "d1", "s2")


def test_no_meter_is_corrected_while_bets_are_locked_or_where_there_is_none() -> None:
    rig = table()
    rig.stake(b1=10).ok()
    rig.refused(Why.HAND_RUNNING, cm.CorrectMeter(meter="1", reason="r"), S1, S2)
    bare = Rig(setup=make_setup("oasis_ru")).open()
    bare.refused(Why.NO_JACKPOT, cm.CorrectMeter(meter="1", reason="r"), S1, S2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"operators": ("s1",)}, "without two people"),
        ({"reason": ""}, "without two people and a reason"),
        ({"before": "7"}, "taken up at 7"),
        ({"reserve_before": "5"}, "reserve 5"),
    ],
)
def test_a_correction_that_is_none_is_found(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    rig = table(tmp_path)
    facts: dict[str, Any] = {
        "before": "25000", "after": "9", "reserve_before": "0", "reserve": "0", "operators": ("s1", "s2"),
        "reason": "r",
    }  # fmt: skip
    append(rig, ev.MeterCorrected(**{**facts, **changes}), hand=rig.table.hands)
    assert words in audited(rig).findings[0].what


def test_a_meter_set_in_the_middle_of_a_hand_is_found(tmp_path: Path) -> None:
    rig = table(tmp_path)
    rig.stake(b1=10).ok()
    wrong = ev.MeterCorrected(
        before="25000", after="9", reserve_before="0", reserve="0", operators=("s1", "s2"), reason="r"
    )
    append(rig, wrong, hand=rig.table.hands)
    assert "in the middle of a hand" in audited(rig).findings[0].what


def test_a_hand_that_takes_up_another_meter_is_found(tmp_path: Path) -> None:
    rig = table(tmp_path)
    play(rig, PLAYS, "bet", b1=NOTHING)
    rig.service.table = rig.table.__class__(
        **{n: getattr(rig.table, n) for n in rig.table.__struct_fields__} | {"meter": "7"}
    )
    play(rig, PLAYS, "bet", b1=NOTHING)
    found = audited(rig).findings
    assert found[0].code == "meter"
    assert "taken up at 7 (reserve 0), it stood at 25000.70" in found[0].what


def test_a_royal_is_followed_over_the_reset(tmp_path: Path) -> None:
    rig = table(tmp_path)
    play(rig, PLAYS, "bet", "bet", b1=ROYAL, b2=FLUSH)
    while rig.want.kind is Want.AWARD:
        hit = next(hit for hit in rig.hand.hits if not hit.awarded)
        rig.do(cm.Award(hit=hit.id), S1, S2, E1)
    rig.finish()
    play(rig, PLAYS, "bet", b1=NOTHING)
    report = audited(rig)
    assert report.findings == ()
    hits = rig.events(ev.JackpotHit)
    assert {hit.prize for hit in hits} >= {25001, 50}
    assert (report.totals["hits"], report.totals["prizes"]) == (len(hits), sum(hit.prize for hit in hits))
    assert report.totals["last"] == rig.table.meter


def test_an_award_that_nobody_hit_is_found(tmp_path: Path) -> None:
    rig = table(tmp_path)
    append(rig, ev.JackpotAwarded(id=1, box=1, prize=25000), hand=rig.table.hands)
    assert "no such hit waits" in audited(rig).findings[0].what
