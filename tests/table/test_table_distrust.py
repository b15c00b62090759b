"""A line that somebody tampers with: what stops a hand, what is only written down, and who lets it go on."""

from __future__ import annotations

import pytest
from harness import S1, Rig, locked, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.phases import Health, Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause


def trouble(rig: Rig, code: str) -> None:
    rig.device(cm.TroubleIn(device="shoe", code=code, detail="somebody is on the wire"))


@pytest.mark.parametrize("code", ["wrong_key", "downgrade", "tampered", "unreadable_event"])
def test_a_shoe_that_is_not_ours_stops_a_hand(code: str) -> None:
    rig = locked()
    trouble(rig, code)
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.SHOE)
    assert rig.events(ev.DeviceTroubled)[-1].code == code
    rig.do(cm.Reset(), S1)
    assert rig.phase is Phase.DEALING
    rig.finish()


@pytest.mark.parametrize("code", ["forged", "replayed", "old_session", "held_back"])
def test_what_was_refused_once_is_on_record_and_stops_nothing(code: str) -> None:
    rig = locked()
    trouble(rig, code)
    assert rig.events(ev.DeviceTroubled)[-1].code == code
    assert (rig.phase, rig.table.devices["shoe"]) == (Phase.DEALING, Health.DEGRADED)
    rig.finish()


@pytest.mark.parametrize("code", ["tampered", "unreadable_event"])
def test_a_distrusted_shoe_deals_no_hand_until_people_say_so(code: str) -> None:
    rig = table().stake(b1=10)
    trouble(rig, code)
    assert rig.table.devices["shoe"] is Health.UNTRUSTED
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.SHOE)
    rig.connect("shoe")  # introducing itself again does not help
    assert rig.table.devices["shoe"] is Health.UNTRUSTED
    rig.refused(Why.NOT_NOW, cm.Lock())
    rig.do(cm.Reset(), S1)
    assert rig.table.devices["shoe"] is Health.READY
    rig.lock().finish()


def test_the_record_says_whether_a_line_is_sealed() -> None:
    rig = table()
    up = cm.DeviceIn(device="shoe", model="SHOE", serial="SN1", firmware="1", boot_id="b")
    rig.device(up)
    assert not rig.events(ev.DeviceUp)[-1].sealed
    rig.device(cm.DeviceIn(device="shoe", model="SHOE", serial="SN1", firmware="1", boot_id="b", sealed=True))
    assert rig.events(ev.DeviceUp)[-1].sealed


@pytest.mark.parametrize("where", ["half_drawn", "unknown"])
def test_a_card_that_sticks_when_the_shoe_comes_back_calls_somebody(where: str) -> None:
    """The hand waits at the same place; the card comes as an event when it is drawn."""
    rig = locked()
    rig.device(cm.TroubleIn(device="shoe", code="card_position", detail=where))
    assert rig.table.call.startswith("shoe:") and rig.phase is Phase.DEALING
    rig.device(cm.TroubleIn(device="shoe", code="card_position", detail=where))
    assert len(rig.events(ev.CallRaised)) == 1
    rig.finish()
