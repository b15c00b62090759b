"""Every failure of serial lines, USB and pins that a bench can make has its switch, and the page says which."""

from __future__ import annotations

import contextlib
import io
import os
import re
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_sim.bench import Bench
from firmware_sim.console import listen
from firmware_sim.faults import LASTING, WHAT, Fault
from firmware_sim.main import sink
from firmware_sim.pty_port import PtyPort
from firmware_sim.text_unit import code_of
from tests.sim.test_gpio import until

PAGE = (Path(__file__).parents[2] / "docs" / "bench.md").read_text("utf-8")
SERIAL = "F1 F6 F7 F8 F9 F10 F12 F14 F15 F16 F17 F19 F20 F22 F23 F24 F25"
USB = "F27 F28 F29 F32 F33 F34"
PINS = "F37 F39 F40 F42 F43 F44 F45 F46 F47"
READERS = "F49 F50 F52 F53"
INSIDE = "F23 F40 F42 F44 F45 F47 F50"  # nothing outside the daemon makes them


def by_number() -> Iterator[tuple[str, str]]:
    """Number and what stands in its last column."""
    for numbers, switch in re.findall(r"^\| (F\d[F\d, ]*) \|.*\| (.*) \|$", PAGE, re.MULTILINE):
        yield from ((number, switch) for number in numbers.split(", "))


def test_every_failure_has_its_switch_or_a_reason() -> None:
    table = dict(by_number())
    assert sorted(table) == sorted(f"{SERIAL} {USB} {PINS} {READERS}".split())
    assert {number for number, switch in table.items() if switch.startswith("none: ")} == set(INSIDE.split())
    for number, switch in table.items():
        named = re.findall(r"`([^`]*)`", switch)
        if number in INSIDE.split():
            assert len(switch) > 30, "the reason"
        elif number == "F19":
            assert named == ["firmware-sim sink --deaf"] and any("--deaf" in one.opts for one in sink.params)
        else:
            assert named and all(Fault(name) for name in named)


def test_every_switch_stands_on_the_page_with_what_it_does() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("| `")]
    described = {name: row for row in rows for name in re.findall(r"`([^`]*)`", row.split("|")[1])}
    assert set(Fault) <= set(described) and set(WHAT) == set(Fault)
    assert {fault for fault in Fault if "(lasting)" in described[fault]} == LASTING


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(tmp_path, seed=3) as bench:
        yield bench


def test_a_person_types_a_fault_while_the_bench_runs(bench: Bench) -> None:
    said: list[str] = []
    listen(bench, io.StringIO("noise\n\ncoffee\nunplug-3s@7\ndouble-scan\nboard-dead\n"), said.append)
    assert bench.shoe.noise and bench.board.dead  # type: ignore[union-attr]
    assert said[0] == "noise: noise on the serial line, damaged frames among it"
    assert [line[:7] for line in said[1:]] == ["TC-0710", "unplug-", "TC-0718", "board-d"]
    assert (bench.folder / "shoe").is_symlink(), "hand 7 has not come"


def test_a_person_types_a_switch_a_scan_and_a_deck(bench: Bench) -> None:
    """What `tablectl pair`, `tablectl learn-cards` and a shuffler ask of people."""
    said: list[str] = []
    typed = io.StringIO("pairing\nscan As\nscan 1c\ndeck_in R-1041\ndeck_in R 1\ndeck_in R/1\n")
    with (bench.folder / "tray").open("rb", buffering=0) as port:
        tty.setraw(port.fileno())
        os.set_blocking(port.fileno(), False)
        listen(bench, typed, said.append)
        heard = bytearray()
        until(lambda: heard.extend(port.read(100) or b"") or len(heard) == 10)  # type: ignore[func-returns-value]
        assert heard == code_of("As").encode("ascii") + b"\r\n"
    assert min(bench.shoe.device.pairing_until_ns, bench.decks.unit.device.pairing_until_ns) > time.monotonic_ns()
    assert [line.partition(" ")[0] for line in said] == [
        "pairing:", "scan", "TC-0730", "deck_in", "TC-0710", "TC-0731"
    ]  # fmt: skip
    holds = bench.decks.unit.device.holds
    assert holds is not None and holds.mark == "R-1041" and said[1] == "scan As: printed at tray"
    listen(bench, io.StringIO("deck_out\n"), said.append)
    assert bench.decks.unit.device.holds is None


def test_a_scan_goes_to_the_plain_reader_where_there_is_one(tmp_path: Path) -> None:
    said: list[str] = []
    with Bench(tmp_path, reader=True) as bench:
        listen(bench, io.StringIO("scan JK\n"), said.append)
    assert said == ["scan JK: printed at reader"]


def test_a_shoe_that_restarts_when_opened_forgets_and_prints_its_banner(bench: Bench) -> None:
    """F9, at the device's end: twice opened, twice restarted; in between nothing is heard."""
    shoe = bench.shoe
    bench.inject(Fault.RESTART_ON_OPEN)
    until((bench.folder / "shoe").is_symlink)
    shoe.load(52)
    assert shoe.device.last_event == 3
    descriptor = os.open(bench.folder / "shoe", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    heard = bytearray()

    def read() -> bytes:
        with contextlib.suppress(BlockingIOError):
            heard.extend(os.read(descriptor, 100))
        return bytes(heard)

    try:
        tty.setraw(descriptor)  # a cooked line would take bytes of the next frame for Ctrl-C and throw the banner away
        until(lambda: shoe.device.last_event == 0)
        until(lambda: read().startswith(b"SHOE v1.2\r\n"))
    finally:
        os.close(descriptor)


def test_an_echo_is_no_opening(tmp_path: Path) -> None:
    """A fresh line echoes what the device says although nobody has opened it."""
    port = PtyPort(tmp_path / "shoe")
    port.plug()
    port.write(b"anybody there?\0")
    until(lambda: bool(port.read()))  # the kernel's own thread echoes
    assert (port.openings, port.idle) == (0, True)
    with (tmp_path / "shoe").open("rb", buffering=0):
        assert port.read() == b"" and (port.openings, port.idle) == (1, False)
    port.read()
    assert (port.openings, port.idle) == (1, True)
    port.unplug()
