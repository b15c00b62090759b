"""Things that print lines on a serial port: a plain card reader, a discard tray's reader, a badge reader.

They have no memory and no proof of who they are; what nobody listens to is lost. Faults are those of real scanners.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from firmware_sim.faults import Fault
from firmware_sim.pty_port import PtyPort
from firmware_sim.world import JOKER, RANKS, SUITS

END = b"\r\n"
NO_READ = "NOREAD"
SPLIT_S = 0.3
REPEAT_MS = 1  # the bench deals faster than any hand
CARDS = [rank + suit for rank in RANKS for suit in SUITS] + [JOKER]


def code_of(card: str) -> str:
    """What this bench's cards carry: eight hex digits, as an RFID label's number."""
    return f"{0xA5010000 + 0x11 * CARDS.index(card):08X}"


def code_table() -> str:
    """The table of all 53 codes, as the daemon reads it."""
    lines = ['pattern = "(?P<code>[0-9A-F]{8})"', f"repeat_ms = {REPEAT_MS}", "", "[codes]"]
    return "\n".join(lines + [f'{code_of(card)} = "{card}"' for card in CARDS]) + "\n"


class TextUnit:
    """One such thing on a pty under `link`."""

    def __init__(self, link: Path) -> None:
        self.port = PtyPort(link)
        self._lock = threading.Lock()

    def start(self) -> None:
        """Plug in."""
        self.plug()

    def stop(self) -> None:
        """Unplug."""
        self.unplug()

    def plug(self) -> None:
        """Put the plug back."""
        with self._lock:
            self.port.plug()

    def unplug(self) -> None:
        """Pull the plug."""
        with self._lock:
            self.port.unplug()

    def restart(self) -> None:
        """Power off and on: nothing is remembered, so nothing is lost."""

    def send(self, data: bytes) -> None:
        """These bytes, as they are."""
        with self._lock:
            self.port.write(data)

    def print_line(self, text: str) -> None:
        """One line with its end."""
        self.send(text.encode("ascii") + END)


class CardReader(TextUnit):
    """A plain reader. `dealing`: whether whoever deals would draw a card now; the reader itself holds none back."""

    def __init__(self, link: Path, dealing: Callable[[], bool] = lambda: True) -> None:
        super().__init__(link)
        self._dealing = dealing
        self._spoiled: Fault | None = None
        self._timers: list[threading.Timer] = []

    @property
    def deal(self) -> bool:
        """Would a dealer who looks at the prompt draw a card?"""
        return self._dealing()

    def load(self, count: int) -> None:
        """A deck goes in: a plain reader does not know."""

    def stop(self) -> None:
        """Unplug, and let nothing come later."""
        for timer in self._timers:
            timer.cancel()
        super().stop()

    def spoil(self, fault: Fault) -> None:
        """The next scan goes wrong like this."""
        self._spoiled = fault

    def card(self, card: str) -> bool:
        """A card passes and is read."""
        code = code_of(card).encode("ascii")
        fault, self._spoiled = self._spoiled, None
        match fault:
            case Fault.DOUBLE_SCAN:
                self.send(2 * (code + END))
            case Fault.GLUED_SCAN:
                self.send(code)
            case Fault.SPLIT_SCAN:
                self.send(code[:3])
                self._later(SPLIT_S, code[3:] + END)
            case Fault.JUNK_SCAN:
                self.send(b"\x00\xff\x7f" + code + END)
            case _:
                self.send(code + END)
        return True

    def unread(self) -> bool:
        """A card passes and cannot be read: the scanner says so."""
        self.print_line(NO_READ)
        return True

    def _later(self, seconds: float, data: bytes) -> None:
        timer = threading.Timer(seconds, self.send, (data,))
        timer.daemon = True
        self._timers.append(timer)
        timer.start()
