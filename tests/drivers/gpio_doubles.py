"""Doubles for the pins and the SPI bus, made from docs/wiring.md alone: they share no code with the driver."""

from __future__ import annotations

from gpiozero.pins.mock import MockFactory, MockPin


class Board:
    """The joker board as the page describes it, with what a test may break."""

    def __init__(self) -> None:
        self.power_on()
        self.open_lamps: set[int] = set()
        self.sensors = 0
        self.dead: int | None = None
        self.flip: int | None = None
        self.flip_in: int | None = None
        self.deaf = False
        self.received: list[bytes] = []

    def power_on(self) -> None:
        self.counter = 0
        self.lamps = bytes(6)

    def transfer(self, words: list[int]) -> list[int]:
        if self.flip_in is not None:
            words = _flipped(words, self.flip_in)
        self.received.append(bytes(words))
        answer = self._answer()
        good = len(words) == 16 and words[0] == 0x4A and _crc(words[:15]) == words[15]
        if good and not self.deaf:
            self.counter, self.lamps = words[1], bytes(words[2:8])
        if self.dead is not None:
            return [self.dead] * len(words)
        return answer if self.flip is None else _flipped(answer, self.flip)

    def _answer(self) -> list[int]:
        errors = [0] * 6
        for lamp in self.open_lamps:
            errors[lamp // 8] |= 1 << (lamp % 8)
        body = [0xB5, self.counter, *self.lamps, *errors, self.sensors]
        return [*body, _crc(body)]


class Screen:
    """The display: understands start bytes and halves, keeps the cells."""

    def __init__(self) -> None:
        self.cells: dict[int, int] = {}
        self.commands: list[int] = []
        self.on = False
        self._address = 0
        self._wants_data = 0

    def transfer(self, words: list[int]) -> list[int]:
        assert len(words) % 3 == 0
        for start, low, high in zip(*[iter(words)] * 3, strict=True):
            assert start in (0xF8, 0xFA) and not low & 0x0F and not high & 0x0F
            byte = _turn(low) | _turn(high) << 4
            self._data(byte) if start == 0xFA else self._command(byte)
        return [0] * len(words)

    def lines(self) -> list[str]:
        return ["".join(chr(self.cells.get(first + i, 32)) for i in range(20)) for first in (0x00, 0x20, 0x40, 0x60)]

    def _data(self, byte: int) -> None:
        if self._wants_data:
            self._wants_data -= 1
            return
        self.cells[self._address] = byte
        self._address += 1

    def _command(self, byte: int) -> None:
        self.commands.append(byte)
        if byte in (0x71, 0x72):
            self._wants_data = 1
        elif byte in (0x80, 0xA0, 0xC0, 0xE0):
            self._address = byte & 0x7F
        elif byte == 0x0C:
            self.on = True


class Bus:
    """What factory.spi() gives."""

    def __init__(self, device: Board | Screen) -> None:
        self.device = device
        self.closed = False
        self.error: Exception | None = None

    def transfer(self, words: list[int]) -> list[int]:
        if self.error is not None:
            raise self.error
        return self.device.transfer(words)

    def close(self) -> None:
        self.closed = True


class WatchedPin(MockPin):
    """Keeps every level that the line had while it was driven, and how it was left."""

    def _set_state(self, value: float) -> None:
        self.__dict__.setdefault("driven", []).append(bool(value))
        super()._set_state(value)


class Pi(MockFactory):
    """Mock pins, and the two SPI devices of the page."""

    def __init__(self) -> None:
        super().__init__(pin_class=WatchedPin)
        self.board, self.screen = Board(), Screen()
        self.buses = {0: Bus(self.board), 1: Bus(self.screen)}

    def spi(self, **spi_args: int) -> Bus:
        assert spi_args["port"] == 0
        return self.buses[spi_args["device"]]


class Clock:
    """Time by hand."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


def _crc(data: list[int]) -> int:
    crc = 0
    for byte in data:
        for bit in range(7, -1, -1):
            top = (crc >> 7) ^ (byte >> bit & 1)
            crc = (crc << 1 & 0xFF) ^ (7 if top else 0)
    return crc


def _turn(value: int) -> int:
    return sum(1 << (7 - bit) for bit in range(8) if value >> bit & 1)


def _flipped(words: list[int], bit: int) -> list[int]:
    return [word ^ (1 << bit % 8) if place == bit // 8 else word for place, word in enumerate(words)]
