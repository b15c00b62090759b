"""Bet sensors: which chip really lies there. The failures F37 (storm) and F39 (active at start) for this input."""

from __future__ import annotations

from drivers.events import ButtonFault, SensorLevels
from drivers.gpio.sensors import MS, BetSensors, SensorTiming

EVERY_NS = 100 * MS


class Line:
    """Samples every 100 ms."""

    def __init__(self, boxes: int = 3, expected: tuple[int, ...] = ()) -> None:
        self.sensors = BetSensors(boxes, expected=expected)
        self.now_ns = 0
        self.levels: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.faults: list[str] = []

    def send(self, mask: int | None, times: int = 1) -> Line:
        for _ in range(times):
            self.now_ns += EVERY_NS
            for told in self.sensors.sample(mask, self.now_ns):
                if isinstance(told, ButtonFault):
                    self.faults.append(f"{told.name}: {told.reason}")
                else:
                    self.levels.append((told.chips, told.unknown))
        return self


def test_nothing_is_known_before_a_quiet_second() -> None:
    line = Line().send(0, 10)
    assert line.levels == []
    assert line.send(0, 1).levels == [((), ())]


def test_a_chip_counts_when_it_has_lain_for_the_settle_time() -> None:
    line = Line().send(0, 11)
    assert line.send(0b010, 3).levels[1:] == []
    assert line.send(0b010, 1).levels[1:] == [((2,), ())]
    assert line.send(0b011, 4).levels[2:] == [((1, 2), ())]
    assert line.send(0, 4).levels[3:] == [((), ())]
    assert line.faults == []


def test_a_hand_that_passes_over_is_no_chip() -> None:
    line = Line().send(0, 11)
    assert line.send(0b100, 2).send(0, 10).levels == [((), ())]


def test_f39_a_chip_at_start_is_no_act_until_the_sensor_was_free() -> None:
    line = Line().send(0b001, 30)
    assert line.levels == [((), (1,))]
    assert line.faults == ["sensor 1: chip at start"]
    line.send(0, 11)
    assert line.levels[-1] == ((), ())
    assert line.send(0b001, 4).levels[-1] == ((1,), ())
    assert line.faults == ["sensor 1: chip at start"]


def test_a_chip_at_start_whose_bet_is_on_record_is_believed() -> None:
    line = Line(expected=(1,)).send(0b001, 11)
    assert (line.levels, line.faults) == ([((1,), ())], [])


def test_a_recorded_chip_that_is_gone_at_start_is_told() -> None:
    assert Line(expected=(1,)).send(0, 11).levels == [((), ())]


def test_f37_a_storm_breaks_the_sensor_until_it_is_quiet_and_free() -> None:
    line = Line().send(0, 11)
    for _ in range(6):
        line.send(0b010).send(0)
    assert line.faults == ["sensor 2: chatters"]
    assert line.levels == [((), ()), ((), (2,))]
    assert line.send(0b010, 30).levels[2:] == []  # a chip would be no news from a sensor that nobody believes
    assert line.send(0, 11).levels[2:] == [((), ())]
    assert line.send(0b010, 4).levels[3:] == [((2,), ())]


def test_a_storm_at_one_box_touches_no_other() -> None:
    line = Line().send(0, 11).send(0b001, 4)
    for _ in range(6):
        line.send(0b011).send(0b001)
    assert line.levels[-1] == ((1,), (2,))


def test_one_bad_answer_changes_nothing() -> None:
    line = Line().send(0, 11).send(0b001, 4)
    assert line.send(None, 5).send(0b001, 5).levels == [((), ()), ((1,), ())]


def test_a_second_without_answers_and_nothing_is_known() -> None:
    line = Line().send(0, 11).send(0b001, 4).send(None, 10)
    assert line.levels[-1] == ((), (1, 2, 3))
    assert line.send(0b001, 11).levels[-1] == ((1,), ())  # what lay there may still lie there
    assert line.faults == []


def test_after_a_gap_a_new_chip_is_not_believed() -> None:
    line = Line().send(0, 11).send(None, 10).send(0b100, 11)
    assert line.levels[-1] == ((), (3,))
    assert line.faults == ["sensor 3: chip at start"]


def test_samples_that_come_late_are_a_gap_too() -> None:
    sensors = BetSensors(1, timing=SensorTiming())
    for tenth in range(12):
        sensors.sample(0, tenth * EVERY_NS)
    told = sensors.sample(1, 5000 * MS)
    assert told == [SensorLevels(chips=(), unknown=(1,), t_ns=5000 * MS)]
