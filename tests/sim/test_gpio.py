"""The bench's pins, board and display, reached as the daemon reaches them: gpiozero and our drivers on SimFactory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gpiozero import Button, Device, DigitalOutputDevice, SPIDevice
from gpiozero.exc import GPIOPinInUse, PinSetInput

from drivers.events import Edge
from drivers.gpio.factory import open_factory
from drivers.gpio.joker_board import JokerBoard
from drivers.gpio.layout import BoardLevels
from drivers.gpio.panel import Panel as DriverPanel
from drivers.gpio.spi_link import SpiLink
from drivers.gpio.text_display import TextDisplay as DriverDisplay
from firmware_sim.bench import Bench
from firmware_sim.errors import BenchError
from firmware_sim.gpio_factory import SOCKET_VARIABLE, BenchMissing, SimFactory
from firmware_sim.gpio_server import GpioServer
from firmware_sim.spi_board import LedBoard, crc8


def wire(text: str) -> list[int]:
    return list(bytes.fromhex(text))


def until(done: Callable[[], bool], timeout_s: float = 5.0) -> None:
    deadline = time.monotonic() + timeout_s
    tick = threading.Event()
    while not done():
        assert time.monotonic() < deadline
        tick.wait(0.005)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(tmp_path, seed=1) as bench:
        yield bench


@pytest.fixture
def factory(bench: Bench) -> Iterator[SimFactory]:
    factory = SimFactory(str(bench.folder / "gpio.sock"))
    yield factory
    factory.close()


def test_no_bench_is_said_clearly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SOCKET_VARIABLE, raising=False)
    with pytest.raises(BenchMissing, match="TC-0705 no bench is named"):
        SimFactory()
    monkeypatch.setenv(SOCKET_VARIABLE, str(tmp_path / "gpio.sock"))
    with pytest.raises(BenchMissing, match=r"TC-0704 the bench is not there .*firmware-sim run --bench"):
        SimFactory()


def test_found_by_its_entry_point(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "firmware_sim")
    monkeypatch.setenv(SOCKET_VARIABLE, str(bench.folder / "gpio.sock"))
    found = Device._default_pin_factory()
    assert isinstance(found, SimFactory)
    found.close()
    ours = open_factory("firmware_sim", production=False)
    assert ours.board_info.model == "4B"
    ours.close()


def test_buttons_outputs_and_pins(bench: Bench, factory: SimFactory) -> None:
    seen: list[str] = []
    button = Button(13, pull_up=True, pin_factory=factory)
    button.when_pressed = lambda: seen.append("down")
    button.when_released = lambda: seen.append("up")
    bench.press("K1")
    until(lambda: seen == ["down", "up"])
    lamp = DigitalOutputDevice(26, initial_value=True, pin_factory=factory)
    until(bench.jackpot_lamp)
    lamp.off()
    until(lambda: not bench.jackpot_lamp())
    with pytest.raises(PinSetInput):
        button.pin.state = 1
    button.close()
    lamp.close()


def test_a_held_key_is_held_for_who_comes_later(bench: Bench) -> None:
    bench.panel.stick("K3")
    bench.turn("SWITCH", on=True)
    factory = SimFactory(str(bench.folder / "gpio.sock"))
    panel = DriverPanel(factory, lambda edge: None, time.monotonic_ns)
    levels = panel.read_levels()
    assert [name for name, active in levels.items() if active] == ["K3", "SWITCH", "DOOR"]
    panel.close()
    factory.close()


def test_edges_keep_the_bench_time(bench: Bench, factory: SimFactory) -> None:
    edges: list[Edge] = []
    panel = DriverPanel(factory, edges.append, time.monotonic_ns)
    bench.hold("EXTRA", 0.1)
    until(lambda: len(edges) == 2)
    assert [edge.active for edge in edges] == [True, False]
    assert edges[1].t_ns - edges[0].t_ns >= 95_000_000
    bench.chord("K1", "K2")
    until(lambda: len(edges) == 6)
    assert {edge.name for edge in edges[2:]} == {"K1", "K2"}
    bench.panel.bouncing = True
    bench.press("OK")
    until(lambda: len(edges) == 16)
    assert not edges[-1].active
    panel.close()


def test_spi_as_gpiozero_uses_it(bench: Bench, factory: SimFactory) -> None:
    board, display = SPIDevice(port=0, device=0, pin_factory=factory), SPIDevice(port=0, device=1, pin_factory=factory)
    with pytest.raises(GPIOPinInUse):
        factory.spi(port=0, device=0)
    frame = wire("4A 07 20 20 14 10 C0 00 00 00 00 00 00 00 00 B0")
    assert board._spi.transfer(frame) == wire("B5 00 00 00 00 00 00 00 00 00 00 00 00 00 00 CD")
    bench.board.sense(1, chip=True)
    bench.board.sense(3, chip=True)
    assert board._spi.transfer(frame) == wire("B5 07 20 20 14 10 C0 00 00 00 00 00 00 00 05 3B")
    assert bench.board.lit() == ["rank 7", "suit c", "green 1", "green 3", "red 4", "FOLD", "BET"]
    assert bench.board.joker() == "7c"
    display.close()
    board.close()


def test_the_board_takes_right_frames_only() -> None:
    board = LedBoard()
    assert crc8(b"123456789") == 0xF4
    board.transfer(wire("4A FF 00 00 02 00 00 20 00 00 00 00 00 00 00 3D"))
    assert (board.lit(), board.joker(), board.counter) == (["DOC", "STOP"], "DOC", 255)
    for bad in ("4A FF 00 00 02 00 00 20 00 00 00 00 00 00 00 3C", "4A FF 3D", "B5" + " 00" * 15):
        board.transfer(wire(bad))
    assert (board.refused, board.lit()) == (3, ["DOC", "STOP"])
    board.power(on=False)
    assert (board.transfer([1, 2]), board.lit()) == ([0, 0], [])
    board.power(on=True)
    assert (board.lit(), board.counter) == ([], 0)
    with pytest.raises(BenchError, match="TC-0708"):
        board.break_lamp("rank 1")


def test_our_drivers_and_the_bench_read_the_wiring_page_alike(bench: Bench, factory: SimFactory) -> None:
    board = JokerBoard(SpiLink(factory, 0))
    levels = BoardLevels(
        rank=5, suit=0, seats=("green", "off", "green", "red", "off", "off", "off"), keys=frozenset({"OK"})
    )
    assert board.show(levels, 7, 0).ok
    assert bench.board.lit() == ["rank 7", "suit c", "green 1", "green 3", "red 4", "OK"]
    assert board.lamp_test(8, 0).ok
    bench.board.break_lamp("CALL")
    broken = board.lamp_test(9, 0)
    assert not broken.ok
    assert "CALL" in broken.detail
    bench.board.power(on=False)
    assert not board.show(levels, 10, 0).ok
    board.close()
    display = DriverDisplay(SpiLink(factory, 1))
    display.show(["HAND 17", "Box 3 decides", "BET FOLD CHANGE", "Ждите"])
    assert [line.rstrip() for line in bench.display.text()] == ["HAND 17", "Box 3 decides", "BET FOLD CHANGE", "ZHdite"]
    display.close()


def test_the_bench_goes_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "gpio.sock"
    first = GpioServer(path)
    first.attach(0, lambda data: [1] * len(data))
    first.start()
    first.drive({13: 0})
    factory = SimFactory(str(path))
    button = Button(13, pull_up=True, pin_factory=factory)
    lamp = DigitalOutputDevice(26, initial_value=True, pin_factory=factory)
    spi = factory.spi(port=0, device=0)
    assert button.is_pressed
    assert spi.transfer([0, 0]) == [1, 1]
    first.stop()
    until(lambda: not button.is_pressed)  # the pull holds it
    assert spi.transfer([0, 0]) == [255, 255]
    second = GpioServer(path)
    second.drive({13: 0})
    second.start()
    until(lambda: button.is_pressed)
    until(lambda: second.outputs.get(26) == 1)
    for device in (button, lamp, spi):
        device.close()
    factory.close()
    until(lambda: second.connected == 0)
    second.stop()
    assert not path.exists()


def test_one_bench_a_directory(bench: Bench) -> None:
    with pytest.raises(BenchError, match="TC-0709"):
        GpioServer(bench.folder / "gpio.sock").start()


def test_a_board_that_nobody_drives_goes_dark_by_itself() -> None:
    now = [0.0]
    board = LedBoard(lambda: now[0])
    body = [0x4A, 1, 0, 0, 0, 0, 0, 0x10, *[0] * 7]
    frame = [*body, crc8(bytes(body))]
    board.transfer(frame)
    now[0] = 3.0
    assert board.lit() == ["START"]
    board.transfer(frame)
    now[0] = 6.0
    assert board.lit() == ["START"]
    now[0] = 6.1
    assert (board.lit(), board.counter) == ([], 0)
    board.transfer(frame)
    assert board.lit() == ["START"]
