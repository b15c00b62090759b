"""What the table watches, at the key switch: alarms answered, lamps tested."""

from __future__ import annotations

from harness import S1
from test_table_keys import fingers

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.table import menu


def test_an_alarm_is_answered_and_the_lamps_are_tested_at_the_key_switch() -> None:
    keys = fingers()
    keys.rig.service.record(ev.AlarmRaised(id=1, code="door_open", subject="enclosure", detail="opened in betting"))
    titles = [item.title for item in menu.items(keys.rig.table, keys.rig.setup)]
    assert "lamp test" in titles
    keys.edge("SWITCH", True)
    keys.press(*["BET"] * titles.index("alarm 1 door_open"), "OK", "K1", "K2", "K3", "K4", "OK")
    (act,) = keys.supervised
    assert (act.command, act.pin) == (cm.AnswerAlarm(alarm=1, reason="supervisor at the table"), "1234")
    keys.rig.do(act.command, S1, origin="keys")
    assert keys.rig.table.alarms == ()
    keys.rig.stake(b1=10).lock()
    assert "lamp test" not in [item.title for item in menu.items(keys.rig.table, keys.rig.setup)]
