"""The joker board: shows whole levels and says whether the board proves it. Blocking; lives in the output thread.

Never repairs, never repeats on its own, never decides what to show.
"""

from __future__ import annotations

from contextlib import suppress

from drivers.events import BoardReport
from drivers.gpio.errors import PortError
from drivers.gpio.layout import ALL_LIT, BoardLevels, Verdict, counter_of, frame, judge, lamps_of
from drivers.gpio.spi_link import Link


class JokerBoard:
    """Every frame goes twice: the first transfer latches it, the second reads it back (docs/wiring.md section 3)."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def show(self, levels: BoardLevels, sequence: int, now_ns: int) -> BoardReport:
        """Light exactly these lamps. The report never names the joker's lamps."""
        return _report(self._send(lamps_of(levels), sequence, name_joker=False), sequence, now_ns)

    def lamp_test(self, sequence: int, now_ns: int) -> BoardReport:
        """Light every lamp; the report names the broken ones. Only while no joker is drawn."""
        return _report(self._send(ALL_LIT, sequence, name_joker=True), sequence, now_ns)

    def close(self) -> None:
        """Dark, then give the bus back. A board that is gone does not stop a shutdown."""
        with suppress(PortError):
            self._link.transfer(frame(0, 1))
        self._link.close()

    def _send(self, lamps: int, sequence: int, *, name_joker: bool) -> Verdict:
        sent = frame(lamps, counter_of(sequence))
        try:
            self._link.transfer(sent)
            return judge(sent, self._link.transfer(sent), name_joker=name_joker)
        except PortError as fault:
            return Verdict(False, str(fault), None)


def _report(verdict: Verdict, sequence: int, now_ns: int) -> BoardReport:
    return BoardReport(sequence=sequence, ok=verdict.ok, detail=verdict.detail, sensors=verdict.sensors, t_ns=now_ns)
