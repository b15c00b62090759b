"""Bet sensors as stakes: lit after the record, fixed at LOCK, late bets refused, lifted chips an alarm (P13, T11)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import BetSensors
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause
from controller.table import lamps

JACKPOT = BetSensors(field="jackpot", amount=5)
BONUS = BetSensors(field="bonus", amount=20)


def table(sensors: BetSensors = JACKPOT, folder: Path | None = None, rules: str = "oasis_ru") -> Rig:
    """An open table with two boxes in play, all sensors free."""
    money = {"jackpot_stake": 5, "meter": "25000"} if sensors.field == "jackpot" else {}
    setup = msgspec.structs.replace(make_setup(rules, boxes=3, **money), sensors=sensors)
    rig = Rig(folder, setup=setup)
    rig.open().stake(b1=10, b2=10)
    return chips(rig)


def chips(rig: Rig, *boxes: int, unknown: tuple[int, ...] = ()) -> Rig:
    rig.device(cm.SensorsIn(chips=boxes, unknown=unknown))
    return rig


def lamps_of(rig: Rig) -> tuple[str, ...]:
    return lamps.display(rig.table, rig.setup, "en").board.seats[:3]


def jackpots(rig: Rig) -> list[int]:
    return [box.jackpot for box in rig.hand.boxes]


def kinds(rig: Rig, count: int) -> list[str]:
    return [type(event).__name__ for event in rig.events()[count:]]


# --- while bets are open ---------------------------------------------------------------------------------------------


def test_a_chip_is_the_side_bet_and_lit_only_once_it_is_on_record() -> None:
    rig = table()
    assert lamps_of(rig) == ("green", "green", "off")
    rig.recorder.broken = True
    rig.act(cm.SensorsIn(chips=(2,), unknown=()), origin="device")
    assert lamps_of(rig) == ("green", "green", "off")
    assert rig.service.not_recording
    rig.recorder.broken = False
    chips(rig, 2)
    assert jackpots(rig) == [0, 5, 0]
    assert lamps_of(rig) == ("green", "amber", "off")
    assert [b.chip for b in rig.snapshot().boxes] == [False, True, False]


def test_taking_the_chip_away_takes_the_bet_back() -> None:
    rig = chips(chips(table(), 1, 2), 2)
    assert jackpots(rig) == [0, 5, 0]
    assert rig.hand.box(1).ante == 10


def test_a_sensor_for_the_bonus() -> None:
    rig = chips(table(BONUS), 1)
    assert [box.bonus for box in rig.hand.boxes] == [20, 0, 0]


def test_a_chip_on_a_box_that_is_out_lights_nothing_until_the_box_comes_in() -> None:
    rig = chips(table(), 3)
    assert jackpots(rig) == [0, 0, 0]
    assert lamps_of(rig) == ("green", "green", "off")
    rig.do(cm.SetStake(box=3, ante=10))
    assert jackpots(rig) == [0, 0, 5]


def test_a_chip_that_the_plate_refuses_is_on_record_and_unlit() -> None:
    rig = table(BONUS)
    rig.do(cm.Limits(bonus_max=10), S1)
    count = len(rig.events())
    chips(rig, 1)
    assert rig.hand.box(1).bonus == 0
    assert [(e.command, e.code) for e in rig.events(ev.Rejected)] == [("chip", "TC-0507")]
    assert kinds(rig, count) == ["SensorsRead", "Rejected"]


def test_back_takes_no_player_s_chip_back() -> None:
    rig = chips(table(), 1)
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())
    rig.do(cm.SetStake(box=2, ante=20))
    rig.do(cm.Undo())
    assert jackpots(rig) == [5, 0, 0]


def test_the_last_hand_s_side_bets_stand_only_where_a_chip_lies() -> None:
    rig = chips(table(), 1, 2).lock()
    rig.to(Want.PAID)
    while rig.hand.number == 1:
        if rig.want.kind is Want.PAID:
            chips(rig, 2)
        rig.step()
    assert [(b.ante, b.jackpot) for b in rig.hand.boxes] == [(10, 0), (10, 5), (0, 0)]


def test_repeat_does_not_invent_a_chip() -> None:
    rig = chips(table(), 1, 2).lock()
    rig.to(Want.PAID)
    chips(rig, 1)
    rig.finish()
    rig.do(cm.SetStake(box=1, ante=0))
    rig.do(cm.Repeat())
    assert jackpots(rig) == [5, 0, 0]


# --- LOCK ------------------------------------------------------------------------------------------------------------


def test_lock_fixes_the_lit_seats_and_takes_the_sensors_for_the_count() -> None:
    rig = chips(table(), 1).lock()
    locked = rig.events(ev.Locked)[-1]
    assert (locked.side_bets, locked.counted) == (1, 1)
    assert [s["jackpot"] for s in locked.stakes] == [5, 0]
    assert rig.phase is Phase.DEALING


def test_a_chip_that_is_lit_nowhere_stops_at_the_count_until_a_supervisor_decides() -> None:
    rig = chips(table(), 1, 3).lock()
    assert (rig.phase, rig.want.kind) == (Phase.LOCKED, Want.COUNT)
    rig.refused(Why.COUNT_DIFFERS, cm.Start())
    rig.do(cm.Resume(), S1)
    assert rig.phase is Phase.DEALING
    assert [r.cause for r in rig.events(ev.Resumed)] == [Cause.SIDE_BETS]


def test_a_stake_without_a_chip_stops_at_the_count_too() -> None:
    rig = table()
    rig.do(cm.SetStake(box=1, jackpot=5))
    rig.lock()
    assert rig.phase is Phase.LOCKED


def test_the_dealer_s_own_count_goes_before_the_sensors() -> None:
    rig = chips(table(), 1)
    rig.do(cm.Count(number=0))
    rig.lock()
    assert rig.phase is Phase.LOCKED


def test_unread_sensors_ask_for_a_count_by_hand() -> None:
    rig = chips(table(), 1, unknown=(2,))
    rig.refused(Why.COUNT_BY_HAND, cm.Start(), origin="keys")
    rig.do(cm.Count(number=1))
    rig.lock()
    assert rig.phase is Phase.DEALING


def test_an_unknown_sensor_changes_no_stake() -> None:
    rig = chips(chips(table(), 1), unknown=(1, 2, 3))
    assert jackpots(rig) == [5, 0, 0]


# --- after LOCK ------------------------------------------------------------------------------------------------------


def test_a_late_chip_never_counts_and_is_on_record() -> None:
    rig = chips(table(), 1).lock()
    rig.card()
    count = len(rig.events())
    chips(rig, 1, 2)
    assert kinds(rig, count) == ["SensorsRead", "LateBet"]
    assert jackpots(rig) == [5, 0, 0]
    assert [b.late for b in rig.snapshot().boxes] == [False, True, False]
    for language, said in (("en", "LATE BET BOX 2"), ("ru", "ПОЗДНЯЯ СТАВКА 2")):
        assert lamps.display(rig.table, rig.setup, language).lines[0] == said
    chips(rig, 1)
    assert rig.hand.late == ()
    assert rig.events(ev.LateBetReturned) == [ev.LateBetReturned(box=2)]
    chips(rig, 1, 2)
    rig.finish()
    settled = next(e for e in rig.events(ev.HandSettled))
    assert {b["box"]: b.get("jackpot", 0) for b in settled.request["boxes"]} == {1: 5, 2: 0}


@pytest.mark.parametrize("stop", [Want.CARD, Want.DECISION, Want.REVEAL, Want.SUPERVISOR])
def test_a_chip_lifted_after_lock_is_an_alarm_and_the_bet_stands(stop: Want) -> None:
    rig = chips(table(), 1).lock()
    rig.card()
    if stop is Want.SUPERVISOR:
        rig.do(cm.Irregular(reason="noise"))
    rig.to(stop)
    chips(rig)
    assert jackpots(rig) == [5, 0, 0]
    assert rig.events(ev.SideBetLifted) == [ev.SideBetLifted(box=1)]
    (alarm,) = rig.snapshot().alarms
    assert (alarm["code"], alarm["subject"], alarm["hand"]) == ("side_bet_lifted", "box 1", 1)
    assert rig.table.call == "chip taken, box 1"
    chips(rig, 1)
    chips(rig)
    assert len(rig.table.alarms) == 2


def test_two_chips_lifted_at_once_are_two_alarms() -> None:
    rig = chips(chips(table(), 1, 2).lock())
    assert [(a.id, a.subject) for a in rig.table.alarms] == [(1, "box 1"), (2, "box 2")]


def test_the_dealer_takes_up_the_chips_of_folded_and_paid_boxes() -> None:
    rig = chips(table(), 1, 2).lock().deal()
    rig.do(cm.Fold(box=1))
    chips(rig, 2)
    rig.do(cm.Bet(box=2))
    rig.to(Want.PAID)
    chips(rig)
    assert rig.table.alarms == ()


def test_a_house_that_collects_at_lock_has_no_alarm_of_it() -> None:
    rig = chips(table(BetSensors(field="jackpot", amount=5, collect_at_lock=True)), 1).lock()
    chips(rig)
    assert (rig.table.alarms, jackpots(rig)) == ((), [5, 0, 0])


def test_a_supervisor_answers_an_alarm_with_name_and_reason() -> None:
    rig = chips(chips(table(), 1).lock())
    rig.refused(Why.NO_ALARM, cm.AnswerAlarm(alarm=7, reason="x"), S1)
    rig.refused(Why.BAD_ARGUMENT, cm.AnswerAlarm(alarm=1, reason=" "), S1)
    assert rig.do(cm.AnswerAlarm(alarm=1, reason="player was shown the rule"), D1).waiting
    rig.do(cm.AnswerAlarm(alarm=1, reason="player was shown the rule"), S1)
    answered = rig.events(ev.AlarmAnswered)
    assert [(a.id, a.reason) for a in answered] == [(1, "player was shown the rule")]
    assert "s1" in answered[0].operators
    assert rig.snapshot().alarms == ()


# --- restart ---------------------------------------------------------------------------------------------------------


def test_a_restart_forgets_the_sensors_and_misses_what_went_meanwhile(tmp_path: Path) -> None:
    rig = chips(table(folder=tmp_path), 1, 2).lock()
    rig.card()
    rig.restart()
    assert rig.table.sensors == {}
    chips(rig, 2)
    assert [a.subject for a in rig.table.alarms] == ["box 1"]
    rig.close()


def test_sensors_of_boxes_that_are_not_there_say_nothing() -> None:
    rig = table()
    count = len(rig.events())
    chips(rig, 7)
    assert kinds(rig, count) == []


def test_a_table_without_sensors_hears_nothing() -> None:
    rig = Rig(setup=make_setup("oasis_ru", boxes=3)).open().stake(b1=10)
    count = len(rig.events())
    chips(rig, 1)
    assert kinds(rig, count) == []
