"""Wall time is a label: jumps go on record, and a clock behind the journal is told (F69, F70, M16)."""

from __future__ import annotations

from controller.runtime.clock import Clock, Steps, kernel_synced, label

T0 = 1_700_000_000.0


class Time:
    """Both clocks, moved by the test."""

    def __init__(self) -> None:
        self.wall, self.mono = T0, 50.0
        self.clock = Clock("r", lambda: self.wall, lambda: round(self.mono * 1e9), lambda: False)

    def pass_s(self, seconds: float, jump: float = 0.0) -> None:
        self.mono += seconds
        self.wall += seconds + jump


def test_a_stamp_says_whether_the_clock_is_synchronised() -> None:
    time = Time()
    stamp = time.clock.stamp()
    assert (stamp.t, stamp.mono, stamp.run, stamp.synced) == (label(T0), 50_000_000_000, "r", False)
    assert Clock("r", lambda: T0, lambda: 0, lambda: True).stamp().synced
    assert kernel_synced() in (True, False)


def test_a_jump_of_more_than_a_second_is_an_event_and_drift_is_none() -> None:
    time = Time()
    steps = Steps(time.clock, T0 - 100)
    for _ in range(20):
        time.pass_s(1, jump=0.5)  # a clock that is being slewed hard
        assert steps.look("") is None
    time.pass_s(1, jump=9 * 3600)
    stepped = steps.look("")
    assert stepped is not None
    assert (stepped.step_ms, stepped.behind, stepped.now) == (9 * 3_600_000, "", label(time.wall))
    assert steps.look("") is None


def test_fourteen_days_back_is_behind_until_the_clock_is_right_again() -> None:
    time = Time()
    steps = Steps(time.clock, T0 - 100)
    time.pass_s(1, jump=-14 * 86400)
    back = steps.look("")
    assert back is not None
    assert (back.step_ms, back.behind) == (-14 * 86_400_000, label(T0 + 1))
    time.pass_s(1)
    assert steps.look(back.behind) is None
    time.pass_s(1, jump=14 * 86400)
    right = steps.look(back.behind)
    assert right is not None
    assert (right.step_ms, right.behind) == (14 * 86_400_000, "")


def test_a_start_before_the_journals_last_time_is_told_at_once_and_ends_by_itself() -> None:
    time = Time()
    steps = Steps(time.clock, T0 + 30)
    told = steps.look("")
    assert told is not None
    assert (told.step_ms, told.behind) == (0, label(T0 + 30))
    time.pass_s(29.5)
    over = steps.look(told.behind)
    assert over is not None
    assert (over.step_ms, over.behind) == (0, "")
