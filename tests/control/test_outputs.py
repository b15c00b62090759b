"""The output thread: the lamp test is shown, judged and over; nothing that is wanted meanwhile is kept waiting."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from controller.runtime.outputs import TEST_LINES, LampsTested, Outputs, Shown
from controller.table.lamps import Display, JackpotLamp
from drivers.events import BoardReport
from drivers.gpio.layout import BoardLevels

LINES = ("T1 closed", "", "", "")


def display(*, call: bool = False) -> Display:
    return Display(board=BoardLevels(call=call), lines=LINES, jackpot=JackpotLamp.DARK, joker=False)


class Fake:
    """Board, text display and jackpot lamp that say what they were told, in order."""

    def __init__(self) -> None:
        self.told: queue.Queue[Any] = queue.Queue()

    def show(self, levels: BoardLevels, sequence: int, now_ns: int) -> BoardReport:
        self.told.put(("call" if levels.call else "dark", sequence))
        return BoardReport(sequence, True, "", None, now_ns)

    def lamp_test(self, sequence: int, now_ns: int) -> BoardReport:
        self.told.put(("test", sequence))
        return BoardReport(sequence, False, "open or short: START", None, now_ns)


class Text:
    def __init__(self) -> None:
        self.lines: list[tuple[str, ...]] = []

    def show(self, lines: tuple[str, ...]) -> None:
        self.lines.append(lines)


def outputs(post: Callable[[Any], None]) -> tuple[Outputs, Fake, Text, list[bool]]:
    board, text, jackpot = Fake(), Text(), []  # type: ignore[var-annotated]
    made = Outputs(board, text, jackpot.append, post, lambda: 0, refresh_s=60.0)
    made.start()
    return made, board, text, jackpot


def test_a_lamp_test_is_judged_and_other_levels_end_it_at_once() -> None:
    posted: queue.Queue[Any] = queue.Queue()
    made, board, text, jackpot = outputs(posted.put)
    try:
        made.show(display(), 0)
        assert isinstance(posted.get(timeout=5), Shown)
        made.lamp_test()
        tested = posted.get(timeout=5)
        assert isinstance(tested, LampsTested)
        assert tested.report.detail == "open or short: START"
        made.show(display(call=True), 0)  # sooner than the test would end by itself
        assert posted.get(timeout=1).report.sequence == 3
        assert [board.told.get(timeout=1) for _ in range(3)] == [("dark", 1), ("test", 2), ("call", 3)]
    finally:
        made.close()
    assert text.lines == [LINES, TEST_LINES, LINES]
    assert jackpot == [False, True, False]


def test_the_end_of_the_daemon_ends_a_lamp_test() -> None:
    posted: queue.Queue[Any] = queue.Queue()
    made, *_ = outputs(posted.put)
    made.show(display(), 0)
    posted.get(timeout=5)
    made.lamp_test()
    posted.get(timeout=5)
    closed = threading.Thread(target=made.close)
    closed.start()
    closed.join(1.5)
    assert not closed.is_alive()
    assert not made.is_alive()
