"""The 4 x 20 text display: four lines to the bytes of docs/wiring.md section 4. Blocking; lives in the output thread.

Write only: it cannot be read back, so nothing may depend on what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from drivers.gpio.errors import PortError
from drivers.gpio.spi_link import Link

LINES = 4
WIDTH = 20
OUT_OF_SERVICE = ("", "   OUT OF SERVICE", "     NE RABOTAET", "")

_COMMAND, _DATA = 0xF8, 0xFA
_FIRST_CELL = (0x80, 0xA0, 0xC0, 0xE0)
_ON = 0x0C
_SETUP = "c2A c71 d00 c2A c79 cD5 c70 c78 c2A c09 c06 c72 d00 c2A c79 cDA c10 cDC c00 c81 c7F cD9 cF1 cDB c40 c78 c28"
_LETTERS = {
    "А": "A", "Б": "B", "В": "V", "Г": "G", "Д": "D", "Е": "E", "Ё": "E", "Ж": "ZH", "З": "Z", "И": "I", "Й": "Y",
    "К": "K", "Л": "L", "М": "M", "Н": "N", "О": "O", "П": "P", "Р": "R", "С": "S", "Т": "T", "У": "U", "Ф": "F",
    "Х": "KH", "Ц": "TS", "Ч": "CH", "Ш": "SH", "Щ": "SCH", "Ъ": "", "Ы": "Y", "Ь": "", "Э": "E", "Ю": "YU", "Я": "YA",
}  # fmt: skip
_SIGNS = {
    "«": '"', "»": '"', "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "№": "N", "×": "x",
    "♣": "c", "♦": "d", "♥": "h", "♠": "s", "\u00a0": " ",
}  # fmt: skip
_LATIN = _SIGNS | _LETTERS | {capital.lower(): latin.lower() for capital, latin in _LETTERS.items()}


class TextDisplay:
    """Every update writes everything, set-up included: a display that lost its supply comes back with the next one."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def show(self, lines: Sequence[str]) -> None:
        """Up to four lines; missing ones are blank. PortError if the bus fails."""
        if len(lines) > LINES:
            raise ValueError(f"the display has {LINES} lines, not {len(lines)}")
        for transfer in transfers(lines):
            self._link.transfer(transfer)

    def close(self) -> None:
        """Say that the table is closed, then give the bus back."""
        with suppress(PortError):
            self.show(OUT_OF_SERVICE)
        self._link.close()


def transfers(lines: Sequence[str]) -> Iterator[bytes]:
    """The six transfers of one update."""
    yield b"".join(_packet(_COMMAND if word[0] == "c" else _DATA, int(word[1:], 16)) for word in _SETUP.split())
    for number, cell in enumerate(_FIRST_CELL):
        text = lines[number] if number < len(lines) else ""
        yield _packet(_COMMAND, cell) + b"".join(_packet(_DATA, code) for code in line_bytes(text))
    yield _packet(_COMMAND, _ON)


def line_bytes(text: str) -> bytes:
    """Exactly 20 characters of 32..126."""
    return latin(text)[:WIDTH].ljust(WIDTH).encode("ascii")


def latin(text: str) -> str:
    """Russian in Latin letters; what the display does not have becomes `?`."""
    return "".join(sign if " " <= sign <= "~" else _LATIN.get(sign, "?") for sign in text)


def _packet(start: int, byte: int) -> bytes:
    return bytes([start, _turned(byte & 0x0F), _turned(byte >> 4)])


def _turned(value: int) -> int:
    """The bits in reverse order: the controller takes the least significant first, the bus sends it last."""
    return int(f"{value:08b}"[::-1], 2)
