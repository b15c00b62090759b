"""The bench's plain reader: what each fault puts on the line."""

from __future__ import annotations

import os
import select
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.reader_codes import parse_codes
from drivers.wire.cards import CARD_TEXT
from firmware_sim import scenario
from firmware_sim.bench import Bench
from firmware_sim.errors import BenchError
from firmware_sim.faults import Fault
from firmware_sim.text_unit import CardReader, TextUnit, code_of, code_table


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[CardReader]:
    unit = CardReader(tmp_path / "reader")
    unit.start()
    yield unit
    unit.stop()


class Host:
    """The other end of the line, raw."""

    def __init__(self, unit: TextUnit) -> None:
        self.handle = os.open(unit.port.link, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.handle)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size and select.select([self.handle], [], [], 2)[0]:
            data += os.read(self.handle, 100)
        return data


def test_faults_of_scans(reader: CardReader) -> None:
    host, code = Host(reader), code_of("7h").encode()
    expected = {
        None: code + b"\r\n",
        Fault.DOUBLE_SCAN: (code + b"\r\n") * 2,
        Fault.GLUED_SCAN: code,
        Fault.SPLIT_SCAN: code + b"\r\n",
        Fault.JUNK_SCAN: b"\x00\xff\x7f" + code + b"\r\n",
    }
    for fault, line in expected.items():
        if fault is not None:
            reader.spoil(fault)
        assert reader.card("7h")
        assert host.read(len(line)) == line
    reader.unread()
    assert host.read(8) == b"NOREAD\r\n"
    os.close(host.handle)


def test_the_table_knows_every_card() -> None:
    table = parse_codes(code_table().encode())
    assert table.missing(CARD_TEXT) == ()
    assert table.codes[code_of("As")] == "As"


def test_a_bench_with_a_reader_has_no_frames_to_damage(tmp_path: Path) -> None:
    with Bench(tmp_path, reader=True) as bench:
        assert not (tmp_path / "shoe").exists()
        for fault in (Fault.LOST_ACK, Fault.NOISE, Fault.DUPLICATE_FRAMES):
            with pytest.raises(BenchError, match="TC-0718"):
                bench.inject(fault)
        assert not bench.draw_card("dealer")  # no daemon asks for a card


def test_badges_and_tray_are_acts_of_a_scenario(tmp_path: Path) -> None:
    steps = scenario.Scenario(step=[scenario.Step(badge="04A1B2C3"), scenario.Step(tray="7h")])
    with Bench(tmp_path) as bench:
        badge, tray = Host(bench.badge), Host(bench.tray)
        assert list(scenario.run(bench, steps)) == ["1 badge 04A1B2C3", "2 tray 7h"]
        assert badge.read(10) == b"04A1B2C3\r\n"
        assert tray.read(10) == code_of("7h").encode() + b"\r\n"
        os.close(badge.handle), os.close(tray.handle)
