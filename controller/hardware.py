"""Ports, pins and the devices behind them, opened in order and given back: a part of app.py's work, and nobody else's.

Exit code 4 where something is not to be had, 5 where another program holds it. Starts no thread before `start`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from controller.config import Config, Mode
from controller.errors import TableError
from controller.journal.keys import read_key
from controller.runtime.parts import Line
from drivers.gpio.errors import PortError
from drivers.gpio.factory import factory_name, open_factory
from drivers.gpio.joker_board import JokerBoard
from drivers.gpio.panel import Panel, open_panel
from drivers.gpio.pins import JOKER_BOARD, TEXT_DISPLAY
from drivers.gpio.spi_link import SpiLink
from drivers.gpio.text_display import TextDisplay
from drivers.ports import BytePort, CardSource
from drivers.shoe import Shoe
from drivers.transport.pump import PortUnavailable
from drivers.transport.serial_port import PortBusy, SerialPump
from drivers.wire.session import HostSeal, key_id

INBOX = 1024
PIN_FACTORY = "GPIOZERO_PIN_FACTORY"


class Hardware(msgspec.Struct):
    """Opened ports and devices. `source`: the device among the lines whose cards are dealt."""

    inbox: queue.Queue[Any]
    lines: tuple[Line, ...]
    ports: tuple[BytePort, ...]
    source: CardSource | None
    panel: Panel
    board: JokerBoard
    text: TextDisplay
    names: dict[str, str]

    def start(self) -> None:
        """The ports begin to speak."""
        for port in self.ports:
            port.start()


@contextlib.contextmanager
def open_hardware(config: Config, last_event: int) -> Iterator[Hardware]:
    """Everything with pins and wires. `last_event`: number of the last card event that is on disk."""
    inbox: queue.Queue[Any] = queue.Queue(INBOX)
    with contextlib.ExitStack() as stack:
        try:
            lines, ports, source = _open_lines(config, last_event, inbox, stack)
            name = os.environ.get(PIN_FACTORY) or config.gpio.factory
            factory = open_factory(name, production=config.table.mode is Mode.PRODUCTION)
            make = partial(Panel, factory, inbox.put_nowait, time.monotonic_ns, inputs=inputs(config))
            panel = open_panel(make, time.sleep)
            stack.callback(panel.close)
            board = JokerBoard(SpiLink(factory, JOKER_BOARD))
            stack.callback(_quietly(board.close))
            text = TextDisplay(SpiLink(factory, TEXT_DISPLAY))
            stack.callback(_quietly(text.close))
        except PortError as error:
            raise TableError(330, error.what, error.where, error.remedy, exit_code=4) from None
        names = {
            "shoe": config.shoe.port if config.shoe else "",
            "shoe_link": _link_name(config),
            "usb_backend": "",
            "pin_factory": factory_name(factory),
        }
        yield Hardware(inbox, lines, ports, source, panel, board, text, names)


def inputs(config: Config) -> dict[str, int]:
    """Every pin that is an input."""
    return {name: pin for name, pin in config.gpio.pins.items() if name != "JACKPOT_LAMP"}


def _quietly(close: Callable[[], None]) -> Callable[[], None]:
    """At the end a device that is gone already is no news."""

    def closing() -> None:
        with contextlib.suppress(PortError):
            close()

    return closing


def _open_lines(
    config: Config, last_event: int, inbox: queue.Queue[Any], stack: contextlib.ExitStack
) -> tuple[tuple[Line, ...], tuple[BytePort, ...], CardSource | None]:
    """The devices on serial ports."""
    if config.shoe is None:
        return (), (), None
    shoe = Shoe("shoe", last_event, seal=_seal(config.shoe.key))
    port = _open_serial(shoe.name, config.shoe.port, config.shoe.baud, inbox, stack)
    return (Line(shoe, port),), (port,), shoe


def _link_name(config: Config) -> str:
    """For the record of a run: how far the shoe's line can be trusted."""
    if config.shoe is None:
        return ""
    if config.shoe.key is None:
        return "clear"
    key = _stored(config.shoe.key)
    return f"sealed {key_id(key)}" if key else "not paired"


def _seal(path: str | None) -> HostSeal | None:
    return HostSeal(_stored(path), os.urandom) if path is not None else None


def _stored(path: str) -> bytes | None:
    """The device's key; None before the first pairing."""
    return read_key(Path(path)) if Path(path).exists() else None


def _open_serial(name: str, path: str, baud: int, inbox: queue.Queue[Any], stack: contextlib.ExitStack) -> SerialPump:
    """A pump for this port. Not plugged in yet: it goes on trying, the prompt says so."""
    pump = SerialPump(name, path, baud, inbox.put, time.monotonic_ns)
    stack.callback(pump.close)
    try:
        pump.probe()
    except PortBusy as error:
        raise TableError(331, str(error), path, "stop the other program", exit_code=5) from None
    except PortUnavailable:
        pass
    return pump
