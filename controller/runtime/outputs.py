"""The output thread: board, lamps, text display. Latest wins: a slow board shows the newest levels, never a queue.

Knows what to show and nothing of why. Read-backs go home through the inbox; the loop never waits for this thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

import msgspec

from controller.table.lamps import Display, JackpotLamp
from drivers.events import BoardReport, DeviceFault
from drivers.gpio.errors import PortError
from drivers.gpio.layout import BoardLevels

REFRESH_S = 1.0  # the same levels again, so that a lamp that fails later is seen
TEST_S = 2.0
TEST_LINES = ("#" * 20, "#" * 20, "#" * 20, "#" * 20)
FLASH_S = 0.5  # lit so long, dark so long
SENSE_S = 0.1  # where bet sensors are fitted: each answer of the board is a sample of them


class Board(Protocol):
    """drivers.gpio.joker_board.JokerBoard."""

    def show(self, levels: BoardLevels, sequence: int, now_ns: int) -> BoardReport: ...

    def lamp_test(self, sequence: int, now_ns: int) -> BoardReport: ...


class Text(Protocol):
    """drivers.gpio.text_display.TextDisplay."""

    def show(self, lines: tuple[str, str, str, str]) -> None: ...


class Shown(msgspec.Struct, frozen=True):
    """The board's answer to one frame. `hand` is the hand whose joker the frame carried, 0 for none."""

    report: BoardReport
    hand: int


class LampsTested(msgspec.Struct, frozen=True):
    """What a lamp test found."""

    report: BoardReport


class Flash:
    """A lamp's rhythm, by the time of each look at it; a new flash begins lit."""

    def __init__(self) -> None:
        self._lit = False
        self._since_ns: int | None = None

    def level(self, wanted: JackpotLamp, now_ns: int) -> bool:
        """What the lamp's line carries now."""
        if wanted is not JackpotLamp.FLASHING:
            self._lit, self._since_ns = False, None
        elif self._since_ns is None or now_ns - self._since_ns >= FLASH_S * 1e9:
            self._lit, self._since_ns = not self._lit, now_ns
        return self._lit or wanted is JackpotLamp.LIT


class Outputs:
    """One thread, one mailbox."""

    def __init__(
        self,
        board: Board,
        text: Text,
        jackpot_lamp: Callable[[bool], None],
        post: Callable[[Shown | LampsTested | DeviceFault], None],
        clock_ns: Callable[[], int],
        refresh_s: float = REFRESH_S,
    ) -> None:
        self._board = board
        self._text = text
        self._jackpot_lamp = jackpot_lamp
        self._post = post
        self._clock_ns = clock_ns
        self._refresh_s = refresh_s
        self._ready = threading.Condition()
        self._wanted: tuple[Display, int] | None = None
        self._lines: tuple[str, ...] = ()
        self._sequence = 0
        self._stopping = self._test_asked = False
        self._broken: set[str] = set()
        self._flash = Flash()
        self._thread = threading.Thread(target=self._run, name="outputs", daemon=True)

    def start(self) -> None:
        """Begins to show."""
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether anything is shown at all."""
        return self._thread.is_alive()

    def show(self, display: Display, hand: int) -> None:
        """From the loop: these levels from now on. Never waits."""
        with self._ready:
            self._wanted = (display, hand)
            self._ready.notify()

    def lamp_test(self) -> None:
        """From the loop: every lamp for a moment, or until other levels are wanted. Never waits."""
        with self._ready:
            self._test_asked = True
            self._ready.notify()

    def close(self, timeout_s: float = 1.0) -> None:
        """Ends the thread; a transfer under way may still finish."""
        with self._ready:
            self._stopping = True
            self._ready.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        shown: tuple[Display, int] | None = None
        while True:
            with self._ready:
                if self._wanted is shown and not self._stopping and not self._test_asked:
                    self._ready.wait(self._pause_s())
                if self._stopping:
                    return
                shown = self._wanted
                test, self._test_asked = self._test_asked, False
            if test:
                shown = self._test(shown)
            if shown is not None:
                self._show(*shown)

    def _pause_s(self) -> float:
        flashing = self._wanted is not None and self._wanted[0].jackpot is JackpotLamp.FLASHING
        return min(self._refresh_s, FLASH_S) if flashing else self._refresh_s

    def _show(self, display: Display, hand: int) -> None:
        self._sequence += 1
        try:
            report = self._board.show(display.board, self._sequence, self._clock_ns())
        except PortError as error:
            report = BoardReport(self._sequence, False, str(error), None, self._clock_ns())
        self._post(Shown(report, hand if display.joker else 0))
        self._guarded("display", lambda: self._write(display.lines))
        level = self._flash.level(display.jackpot, self._clock_ns())
        self._guarded("jackpot_lamp", lambda: self._jackpot_lamp(level))

    def _test(self, shown: tuple[Display, int] | None) -> tuple[Display, int] | None:
        """All lamps are judged at once and stay lit for a person to see; other levels end it. What is wanted then."""
        self._sequence += 1
        try:
            report = self._board.lamp_test(self._sequence, self._clock_ns())
        except PortError as error:
            report = BoardReport(self._sequence, False, str(error), None, self._clock_ns())
        self._post(LampsTested(report))
        self._guarded("display", lambda: self._write(TEST_LINES))
        self._guarded("jackpot_lamp", lambda: self._jackpot_lamp(True))
        with self._ready:
            self._ready.wait_for(lambda: self._stopping or self._differs(shown), TEST_S)
            return self._wanted

    def _differs(self, shown: tuple[Display, int] | None) -> bool:
        return shown is None or self._wanted is None or self._wanted[0].board != shown[0].board

    def _write(self, lines: tuple[str, str, str, str]) -> None:
        if lines != self._lines:
            self._text.show(lines)
            self._lines = lines

    def _guarded(self, name: str, write: Callable[[], None]) -> None:
        """A broken display or lamp is told once and stops nothing."""
        try:
            write()
            self._broken.discard(name)
        except PortError as error:
            self._lines = ()
            if name not in self._broken:
                self._broken.add(name)
                self._post(DeviceFault(name, "output", str(error)))
