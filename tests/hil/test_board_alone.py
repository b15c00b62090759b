"""The joker board with START and STOP and nothing else: hands on the real daemon, a restart with the joker lit."""

from __future__ import annotations

import pytest

from tests.hil.commands import tablectl_here
from tests.hil.rig import table

pytestmark = pytest.mark.hil

BOARD = {
    'cards = "shoe"': 'cards = "none"\nequipment = "board"',
    '[shoe]\nport = "shoe"\nkey = "shoe.key"\n\n': "",
    "bonus_max = 500": "bonus_max = 0",
}


def test_a_hand_of_start_stop_start() -> None:
    with table(seed=3, changes=BOARD) as rig:
        rig.press("K1")  # not wired at this table
        rig.press("START")
        rig.wait_expects("stop")
        rig.press("STOP")
        shown = rig.wait_expects("next")
        assert shown["joker"]["state"] == "shown"
        assert rig.bench.board.joker() == shown["joker"]["card"]
        rig.restart_same()
        rig.press("START")
        assert rig.wait(lambda s: s["hand"] == 2)["last_hand"]["outcome"] == "joker_only"
        assert rig.stop()[0] == 0
        rig.audit()
        assert rig.records("StakeSet") == []
        assert tablectl_here("verify-hand", "1", str(rig.journal)).returncode == 0


def test_a_board_that_dies_is_no_end() -> None:
    """The joker is announced with a supervisor; after a restart no key waits for a board that cannot come."""
    with table(seed=3, changes=BOARD) as rig:
        rig.press("START")
        rig.wait_expects("stop")
        rig.bench.board.power(on=False)
        rig.press("STOP")
        dead = rig.wait(lambda s: "announce" in s["allowed"])
        assert dead["joker"]["card"] is None
        rig.do("announce", "supervisor")
        told = rig.wait_expects("next")["joker"]["card"]
        rig.kill()
        rig.spawn()
        assert rig.wait_expects("next")["joker"]["card"] == told
        rig.wait(lambda _: any(told in line for line in rig.bench.display.text()))
        rig.press("START")
        rig.wait(lambda s: s["hand"] == 2)
        assert rig.stop()[0] == 0
        rig.audit()
        assert len(rig.records("JokerDrawn")) == 1
