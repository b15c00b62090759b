"""Doors: open at any step, the hand goes on where it was; the next does not begin; opening is an alarm (M10)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import Doors
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause
from controller.table import lamps, prompts
from controller.table.past import Replayed, off_s

FINISH = Doors(enclosure="finish_hand", shoe="finish_hand")
STOP = Doors(enclosure="stop_now", shoe="stop_now")
STEPS = [Want.START, Want.CARD, Want.STOP, Want.BOARD, Want.DECISION, Want.REVEAL, Want.PAID]


def table(doors: Doors = FINISH, folder: Path | None = None) -> Rig:
    rig = Rig(folder, setup=msgspec.structs.replace(make_setup("jpoker", boxes=3), doors=doors)).open()
    return rig.stake(b1=10, b2=10).joker("2c").lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h")


def door(rig: Rig, *, is_open: bool, which: str = "enclosure") -> Rig:
    rig.device(cm.DoorIn(door=which, open=is_open))
    return rig


def line(rig: Rig, language: str = "en") -> str:
    return lamps.display(rig.table, rig.setup, language).lines[0]


@pytest.mark.parametrize("step", STEPS)
def test_finish_the_hand_then_stop(step: Want) -> None:
    rig = table().to(step)
    before = rig.want
    door(rig, is_open=True)
    assert rig.want == before
    if rig.phase is Phase.BETTING:
        rig.refused(Why.DOOR, cm.Start(), origin="keys")
    else:
        rig.finish()
        assert rig.phase is Phase.BETTING
        rig.refused(Why.DOOR, cm.Start(), origin="keys")
    door(rig, is_open=False).lock()
    assert rig.phase is Phase.DEALING


@pytest.mark.parametrize("step", STEPS)
def test_stop_now_and_go_on_where_it_was(step: Want) -> None:
    rig = table(STOP).to(step)
    before, phase = rig.want, rig.phase
    door(rig, is_open=True)
    assert (rig.phase, rig.want.kind) == (Phase.IRREGULAR, Want.SUPERVISOR)
    assert not rig.service.deal_enabled
    for language in ("en", "ru"):
        assert prompts.prompt(rig.table, rig.want, rig.setup).code == "TC-0333"
        assert line(rig, language) in ("DOOR OPEN", "ДВЕРЦА ОТКРЫТА")
    rig.refused(Why.DOOR, cm.Resume(), S1)
    assert rig.act(cm.Stop(), origin="keys").rejection is not None
    door(rig, is_open=False)
    assert (rig.want, rig.phase) == (before, phase)
    rig.finish()
    assert rig.table.last_hand is not None
    assert rig.table.last_hand["outcome"] == "settled"


def test_a_card_that_comes_while_play_is_stopped_is_refused() -> None:
    rig = table(STOP).lock()
    rig.card()
    door(rig, is_open=True)
    rig.card("As")
    assert len(rig.events(ev.CardRefused)) == 1
    door(rig, is_open=False)
    assert rig.want.kind is Want.CARD


def test_a_held_hand_stays_held_and_an_open_door_stops_it_again() -> None:
    rig = table(STOP).lock()
    rig.card()
    rig.do(cm.Irregular(reason="a card on the floor"))
    door(rig, is_open=True)
    assert rig.hand.cause is Cause.DECLARED
    rig.do(cm.Resume(), S1)
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.DOOR)
    rig.do(cm.VoidHand(reason="misdeal"), S1)
    assert rig.hand.cause is Cause.DOOR  # the next hand's bets wait too
    door(rig, is_open=False)
    assert rig.phase is Phase.BETTING


def test_two_doors_and_the_last_one_closed_counts() -> None:
    rig = door(door(table(STOP).lock(), is_open=True), is_open=True, which="shoe")
    door(rig, is_open=False)
    assert rig.phase is Phase.IRREGULAR
    assert door(rig, is_open=False, which="shoe").phase is Phase.DEALING


def test_the_message_stays_until_the_next_hand_ends() -> None:
    rig = door(door(table(), is_open=True), is_open=False)
    assert (line(rig), line(rig, "ru")) == ("DOOR WAS OPENED", "ДВЕРЦУ ОТКРЫВАЛИ")
    assert rig.snapshot().doors == {"enclosure": "was opened"}
    rig.lock()
    door(rig, is_open=True)
    assert rig.snapshot().doors == {"enclosure": "open"}
    rig.finish()
    assert line(rig) == "DOOR OPEN"
    door(rig, is_open=False).lock().finish()
    assert rig.snapshot().doors == {}
    assert line(rig).startswith("T1 #3")


def test_every_opening_is_an_alarm_that_asks_for_name_and_reason() -> None:
    rig = door(table(), is_open=True)
    door(rig, is_open=True)  # said again: nothing new
    assert [(a.code, a.subject, a.detail) for a in rig.table.alarms] == [
        ("door_open", "enclosure", "opened in betting")
    ]
    rig.do(cm.AnswerAlarm(alarm=1, reason="technician Petrov, lamp of box 3"), S1)
    answered = rig.events(ev.AlarmAnswered)[0]
    assert (answered.operators, answered.reason) == (("s1",), "technician Petrov, lamp of box 3")


def test_a_closed_table_watches_its_door_too() -> None:
    rig = Rig(setup=msgspec.structs.replace(make_setup("jpoker"), doors=FINISH))
    rig.connect()
    door(rig, is_open=True)
    assert [a.code for a in rig.table.alarms] == ["door_open"]
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10)
    rig.refused(Why.DOOR, cm.Start())


def note(rig: Rig, kind: str) -> None:
    rig.event_no += 1
    rig.device(cm.NoteIn(device="shoe", event_no=rig.event_no, kind=kind))


def test_the_shoe_s_lid_between_hands_is_no_alarm_and_in_a_hand_is_one() -> None:
    rig = table(STOP)
    note(rig, "lid_open")
    assert (rig.table.alarms, rig.phase) == ((), Phase.IRREGULAR)
    note(rig, "lid_closed")
    rig.lock()
    rig.card()
    note(rig, "lid_open")
    assert [(a.subject, a.detail) for a in rig.table.alarms] == [("shoe", "opened in dealing")]
    repeat = cm.NoteIn(device="shoe", event_no=rig.event_no, kind="lid_open")
    rig.device(repeat)
    assert len(rig.events(ev.DoorOpened)) == 2
    note(rig, "lid_closed")
    assert rig.phase is Phase.DEALING


def test_a_door_without_a_contact_means_nothing() -> None:
    rig = door(table(Doors()), is_open=True)
    note(rig, "lid_open")
    assert (rig.table.doors, rig.table.alarms) == ((), ())
    rig.lock()


def test_an_open_door_is_still_open_after_a_restart(tmp_path: Path) -> None:
    rig = door(table(STOP, tmp_path).lock(), is_open=True)
    rig.restart()
    assert (rig.table.doors, rig.phase) == (("enclosure",), Phase.IRREGULAR)
    door(rig, is_open=False)
    assert rig.phase is Phase.DEALING
    rig.close()


# --- nobody watched while it was off ---------------------------------------------------------------------------------


def started(off_seconds: int, doors: Doors = FINISH) -> Rig:
    rig = Rig(setup=msgspec.structs.replace(make_setup("jpoker"), doors=doors))
    rig.service.take_up(ev.RunStarted(version="0", mode="bench", hardware={}, config_hash="", off_s=off_seconds))
    return rig


@pytest.mark.parametrize(
    ("gone", "said"),
    [(1799, []), (1800, ["was off, for 0 h 30 min"]), (40_000, ["was off, for 11 h 6 min"]),
     (-1, ["was off, nobody knows how long"])],
)  # fmt: skip
def test_a_table_that_was_off_says_for_how_long(gone: int, said: list[str]) -> None:
    assert [a.detail for a in started(gone).table.alarms] == said
    assert started(gone, Doors()).table.alarms == ()


def test_the_marker_stands_until_a_hand_has_ended() -> None:
    rig = started(40_000, Doors())
    assert rig.snapshot().was_off_s == 40_000
    rig.open().stake(b1=10).lock().finish()
    assert rig.snapshot().was_off_s == 0
    assert started(30).snapshot().was_off_s == 0


def test_time_away_is_counted_from_the_last_record() -> None:
    table_state = Rig(setup=make_setup()).table
    assert off_s(Replayed(table_state, None, last_s=1000.0), 4600.5) == 3600
    assert off_s(Replayed(table_state, None, last_s=1000.0), 900.0) == -1
    assert off_s(Replayed(table_state, None), 900.0) == -1
