"""The board's lamps through the whole table: lamp test, and safe levels at start, stop and kill (F44)."""

from __future__ import annotations

import pytest

from firmware_sim.spi_board import DARK_AFTER_S
from firmware_sim.wiring import JACKPOT_LAMP_PIN
from tests.hil.rig import Rig, Snapshot, until

pytestmark = pytest.mark.hil


def was_tested(snap: Snapshot) -> bool:
    return bool(snap["lamp_test"])


def test_a_lamp_that_is_dark_all_day_is_found_by_the_lamp_test() -> None:
    with Rig("jpoker") as rig:
        rig.start()
        assert rig.tablectl("do", "lamp_test", "--config", str(rig.config)).returncode == 0
        assert rig.wait(was_tested)["lamp_test"] == "ok"
        rig.bench.board.break_lamp("red 6")
        rig.do("lamp_test")
        rig.wait(lambda s: s["lamp_test"] == "open or short: box 6 red")
        assert [r["data"]["ok"] for r in rig.records("LampsTested")] == [True, False]
        assert "lamp test: open or short: box 6 red" in rig.tablectl("status", "--config", str(rig.config)).stdout
        rig.open_table()  # the table's own levels end the test
        assert until(lambda: "START" in rig.bench.board.lit() and "rank A" not in rig.bench.board.lit())
        assert until(lambda: rig.bench.display.text()[0].startswith("DEMO #1 betting"))


def test_f44_no_lamp_is_high_unasked_at_start_stop_and_kill() -> None:
    """The jackpot lamp's line is never driven high; stopped: dark and OUT OF SERVICE; killed: the board goes dark."""
    with Rig("jpoker") as rig:
        seen: list[int] = []
        outputs = rig.bench.gpio.outputs

        class Recorded(dict[int, int]):
            def __setitem__(self, pin: int, level: int) -> None:
                if pin == JACKPOT_LAMP_PIN:
                    seen.append(level)
                super().__setitem__(pin, level)

        rig.bench.gpio.outputs = Recorded(outputs)
        rig.start()
        rig.open_table()
        assert until(lambda: "START" in rig.bench.board.lit())
        code, seconds = rig.stop()
        assert (code, rig.bench.board.lit()) == (0, [])
        assert seconds < 2
        assert "OUT OF SERVICE" in rig.bench.display.text()[1]
        rig.start()
        assert until(lambda: "START" in rig.bench.board.lit())
        rig.kill()
        assert until(lambda: rig.bench.board.lit() == [], DARK_AFTER_S + 1)
        rig.start()
        assert until(lambda: "START" in rig.bench.board.lit())
        assert rig.stop()[0] == 0
        assert seen
        assert set(seen) == {0}
