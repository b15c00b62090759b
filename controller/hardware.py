"""Ports, pins and the devices behind them, opened in order and given back: a part of app.py's work, and nobody else's.

Exit code 4 where something is not to be had, 5 where another program holds it. Starts no thread before `start`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from controller.config import Config, Mode, ReaderSection
from controller.device_config import ShoeSection
from controller.domain.hand.expects import lit
from controller.domain.state import Table
from controller.equipment import inputs_of
from controller.errors import TableError
from controller.journal.keys import read_key
from controller.peripheral_config import OverlaySection, PrinterSection
from controller.reader_files import code_table
from controller.runtime.pairing import Sealed
from controller.runtime.parts import Line
from drivers.badge_reader import BadgeReader
from drivers.gpio.debounce import MS
from drivers.gpio.errors import PortError
from drivers.gpio.factory import factory_name, open_factory
from drivers.gpio.joker_board import JokerBoard
from drivers.gpio.panel import Panel, open_panel
from drivers.gpio.pins import JOKER_BOARD, TEXT_DISPLAY
from drivers.gpio.sensors import BetSensors, SensorTiming
from drivers.gpio.spi_link import SpiLink
from drivers.gpio.text_display import TextDisplay
from drivers.pairing import Pairable
from drivers.ports import BytePort, CardSource, Device
from drivers.reader_ascii import PlainReader
from drivers.shoe import Shoe
from drivers.shuffler import Shuffler
from drivers.text_peer import TextPeer
from drivers.transport.pump import PortUnavailable
from drivers.transport.serial_port import PortBusy, SerialPump, open_serial
from drivers.transport.tcp_port import SCHEME, open_tcp
from drivers.tray_reader import TrayReader
from drivers.wire.session import HostSeal, key_id

INBOX = 1024
PIN_FACTORY = "GPIOZERO_PIN_FACTORY"
OVERLAY_LINES, SLIPS = 500, 20  # texts that wait for a peer that is away


class Hardware(msgspec.Struct):
    """Opened ports and devices. `source`: the one among the lines whose cards are dealt; `sealed`: those with keys."""

    inbox: queue.Queue[Any]
    lines: tuple[Line, ...]
    ports: tuple[BytePort, ...]
    source: CardSource | None
    sealed: dict[str, Sealed]
    shuffler: Shuffler | None
    panel: Panel
    board: JokerBoard
    text: TextDisplay
    names: dict[str, str]

    def peer(self, name: str) -> TextPeer | None:
        """The overlay or the printer, where there is one."""
        peers = (line.device for line in self.lines if isinstance(line.device, TextPeer))
        return next((peer for peer in peers if peer.name == name), None)

    def start(self) -> None:
        """The ports begin to speak."""
        for port in self.ports:
            port.start()


@contextlib.contextmanager
def open_hardware(config: Config, table: Table, cards: Sequence[str]) -> Iterator[Hardware]:
    """Everything with pins and wires. `table`: which device events are on disk; `cards`: the deck of the game."""
    inbox: queue.Queue[Any] = queue.Queue(INBOX)
    with contextlib.ExitStack() as stack:
        try:
            sealed: dict[str, Sealed] = {}
            lines, ports, source = _open_lines(config, table.shoe.last_event, cards, inbox, sealed, stack)
            shuffler, usb = _open_shuffler(config, table.shuffler.last_event, inbox, sealed, stack)
            lines, ports = (*lines, *(one for one, _ in usb)), (*ports, *(port for _, port in usb))
            name = os.environ.get(PIN_FACTORY) or config.gpio.factory
            factory = open_factory(name, production=config.table.mode is Mode.PRODUCTION)
            lamp = config.gpio.pins["JACKPOT_LAMP"]
            make = partial(Panel, factory, inbox.put_nowait, time.monotonic_ns, inputs=inputs(config), lamp=lamp)
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
            **({"reader": config.reader.port} if config.reader else {}),
            "usb_backend": config.shuffler.usb_backend if config.shuffler else "",
            "pin_factory": factory_name(factory),
        }
        yield Hardware(inbox, lines, ports, source, sealed, shuffler, panel, board, text, names)


def inputs(config: Config) -> dict[str, int]:
    """Every pin that is an input."""
    return inputs_of(config.table.equipment, config.gpio.pins)


def _quietly(close: Callable[[], None]) -> Callable[[], None]:
    """At the end a device that is gone already is no news."""

    def closing() -> None:
        with contextlib.suppress(PortError):
            close()

    return closing


def _open_lines(
    config: Config,
    last_event: int,
    cards: Sequence[str],
    inbox: queue.Queue[Any],
    sealed: dict[str, Sealed],
    stack: contextlib.ExitStack,
) -> tuple[tuple[Line, ...], tuple[BytePort, ...], CardSource | None]:
    """The devices on serial ports."""
    seal = _seal(config.shoe.key) if config.shoe is not None else None
    source, section = _source(config, last_event, cards, seal)
    lines, ports = list[Line](), list[BytePort]()
    if source is not None and section is not None:
        ports.append(_open_serial(source.name, section.port, section.baud, inbox, stack))
        key = section.key if isinstance(section, ShoeSection) else None
        lines.append(Line(_pairable(source, seal, key, sealed), ports[0]))
    if config.badge is not None:
        ports.append(_open_serial("badge", config.badge.port, config.badge.baud, inbox, stack))
        lines.append(Line(BadgeReader("badge", config.badge.pattern), ports[-1]))
    if config.tray is not None:
        tray = TrayReader("tray", code_table(config.tray.codes, cards))
        ports.append(_open_serial(tray.name, config.tray.port, config.tray.baud, inbox, stack))
        lines.append(Line(tray, ports[-1]))
    for peer, told in _peers(config):
        opener = open_tcp if told.port.startswith(SCHEME) else open_serial
        ports.append(SerialPump(peer.name, told.port, told.baud, inbox.put, time.monotonic_ns, opener=opener))
        stack.callback(ports[-1].close)
        lines.append(Line(peer, ports[-1]))
    return tuple(lines), tuple(ports), source


def _peers(config: Config) -> Iterator[tuple[TextPeer, OverlaySection | PrinterSection]]:
    if config.overlay is not None:
        yield TextPeer("overlay", "OVERLAY/text", most=OVERLAY_LINES), config.overlay
    if config.printer is not None:
        encoding = str(config.printer.encoding)
        yield TextPeer("printer", "PRINTER/text", most=SLIPS, encoding=encoding, again=True), config.printer


def _pairable(device: Device, seal: HostSeal | None, key: str | None, sealed: dict[str, Sealed]) -> Device:
    """The device as it is, or, with a key, as one that people can pair."""
    if seal is None or key is None:
        return device
    pairable = Pairable(device, seal, os.urandom)
    sealed[device.name] = Sealed(pairable, Path(key))
    return pairable


def _source(
    config: Config, last_event: int, cards: Sequence[str], seal: HostSeal | None
) -> tuple[CardSource | None, ShoeSection | ReaderSection | None]:
    """What reads the cards as they are dealt, and where it is plugged in."""
    if config.reader is not None:
        return PlainReader("reader", code_table(config.reader.codes, cards), last_event), config.reader
    if config.shoe is not None:
        return Shoe("shoe", last_event, seal=seal), config.shoe
    return None, None


def _open_shuffler(
    config: Config, last_event: int, inbox: queue.Queue[Any], sealed: dict[str, Sealed], stack: contextlib.ExitStack
) -> tuple[Shuffler | None, tuple[tuple[Line, BytePort], ...]]:
    """The device on USB. Not plugged in: it is looked for again and again, the prompt says so."""
    fitted = config.shuffler
    if fitted is None:
        return None, ()
    from drivers.transport.usb_port import UsbId, UsbPump, backend_named  # noqa: PLC0415 - most tables have no USB

    try:
        backend = backend_named(fitted.usb_backend)
    except PortUnavailable as error:
        remedy = "install it (Debian: libusb-1.0-0), or correct the key"
        raise TableError(339, str(error), "shuffler.usb_backend", remedy, exit_code=4) from None
    seal = _seal(fitted.key)
    shuffler = Shuffler("shuffler", last_event, serial=fitted.serial, seal=seal)
    wanted = UsbId(fitted.vendor, fitted.product, fitted.serial)
    pump = UsbPump(shuffler.name, wanted, backend, inbox.put, time.monotonic_ns)
    stack.callback(pump.close)
    return shuffler, ((Line(_pairable(shuffler, seal, fitted.key, sealed), pump), pump),)


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


def bet_sensors(config: Config, table: Table) -> BetSensors | None:
    """The bet sensors, where they are fitted; a chip whose bet is in the journal may lie there at start."""
    if config.sensors is None:
        return None
    expected = [box.box for box in table.hand.boxes if lit(box)] if table.hand else []
    timing = SensorTiming(settle_ns=config.sensors.settle_ms * MS)
    return BetSensors(config.table.boxes, expected=expected, timing=timing)
