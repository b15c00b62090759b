"""`tablectl learn-cards` with a reader on a real pty: a whole deck, scans that are none, and a table taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.learn import lacking, taken, write
from drivers.reader_codes import CodeTable, parse_codes
from firmware_sim.faults import Fault
from firmware_sim.text_unit import CardReader, code_of
from tests.children import Child

TABLECTL = Path(sys.executable).with_name("tablectl")


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[CardReader]:
    unit = CardReader(tmp_path / "reader")
    unit.start()
    yield unit
    unit.stop()


class Learning:
    """The command as a person runs it."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.codes = folder / "codes.toml"
        argv = [TABLECTL, "learn-cards", str(self.codes), "--port", str(folder / "reader"), "--deck", "36", *more]
        self.child = Child(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
            env={"PYTHONUNBUFFERED": "1", "PATH": os.defpath},
        )  # fmt: skip

    def says(self) -> str:
        assert self.child.stdout is not None
        return self.child.stdout.readline().rstrip()

    def end(self) -> tuple[int, str]:
        rest = self.child.communicate(timeout=20)[0]
        return self.child.returncode, rest.splitlines()[-1]


def test_a_deck_is_learnt_card_by_card(tmp_path: Path, reader: CardReader) -> None:
    """F49, F53: a double scan is one, glued and torn ones are asked for again, no code is taken twice."""
    learning = Learning(tmp_path, "--pattern", "(?P<code>[0-9A-F]+)")
    assert learning.says() == "6c: scan it"
    reader.spoil(Fault.DOUBLE_SCAN)
    reader.card("6c")
    assert learning.says() == "6d: scan it"
    reader.spoil(Fault.GLUED_SCAN)
    reader.card("6d"), reader.card("6h")
    assert "two scans in one" in learning.says()
    reader.card("6c")
    assert learning.says() == "  no: that code is 6c; scan the 6d"
    reader.spoil(Fault.JUNK_SCAN)
    reader.card("6d")
    assert "is not ASCII" in learning.says()
    reader.card("6d")
    assert learning.says() == "6h: scan it"
    learning.child.send_signal(signal.SIGINT)
    code, last = learning.end()
    assert code == 1
    assert last.startswith(f"{learning.codes}: 2 codes, lacking: 6h 6s 7c")
    assert parse_codes(learning.codes.read_bytes()).codes == {code_of("6c"): "6c", code_of("6d"): "6d"}

    again = Learning(tmp_path)
    while (said := again.says()).endswith(": scan it"):
        reader.card(said[:2])
    assert said == f"{again.codes}: 36 codes, complete"
    assert again.child.wait(20) == 0
    assert parse_codes(again.codes.read_bytes()).codes == {code_of(card): card for card in lacking_at_first()}


def lacking_at_first() -> list[str]:
    return [rank + suit for rank in "6789TJQKA" for suit in "cdhs"]


def test_the_plug_is_pulled_and_a_line_does_not_end(tmp_path: Path, reader: CardReader) -> None:
    """F1, F17."""
    learning = Learning(tmp_path)
    learning.says()
    reader.send(b"A50")
    assert learning.says() == "  no: 'A50' does not end"
    reader.unplug()
    assert "the reader is gone (" in learning.says()
    reader.plug()
    assert learning.says() == "  the reader is back"
    reader.card("6c")
    assert learning.says() == "6d: scan it"
    learning.child.kill()
    learning.child.communicate()


def test_a_line_that_is_not_ascii_is_no_code(tmp_path: Path, reader: CardReader) -> None:
    """A wrong baud rate: learnt as text such bytes would be a code that the table's driver never sees."""
    learning = Learning(tmp_path)
    learning.says()
    reader.send(b"\xff\x80\r\n")
    assert learning.says() == r"  no: '\xff\x80' is not ASCII: noise, or another baud rate?"
    reader.card("6c")
    assert learning.says() == "6d: scan it"
    learning.child.send_signal(signal.SIGINT)
    learning.end()
    assert parse_codes(learning.codes.read_bytes()).codes == {code_of("6c"): "6c"}


def test_a_banner_may_be_ignored_whatever_it_is_written_in(tmp_path: Path, reader: CardReader) -> None:
    write(tmp_path / "codes.toml", CodeTable(ignore="READY.*"))
    learning = Learning(tmp_path)
    learning.says()
    reader.send(b"READY \xb5\r\n")
    reader.card("6c")
    assert learning.says() == "6d: scan it"
    learning.child.kill()
    learning.child.communicate()


def test_a_port_that_is_held_or_missing(tmp_path: Path, reader: CardReader) -> None:
    """F16."""
    first = Learning(tmp_path)
    first.says()
    second = Learning(tmp_path)
    code, last = second.end()
    assert (code, last[:7]) == (5, "TC-0331")
    assert f"pid {first.child.pid}" in last
    first.child.kill()
    first.child.communicate()
    reader.unplug()
    code, last = Learning(tmp_path).end()
    assert (code, last[:7]) == (4, "TC-0332")


def test_a_table_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "codes.toml"
    write(path, CodeTable(codes={"1": "As"}))
    path.with_name(".codes.toml.new").write_text("half of it")  # a power cut while it was written
    write(path, CodeTable(codes={"1": "As", "2": "Kd"}))
    assert parse_codes(path.read_bytes()).codes == {"1": "As", "2": "Kd"}
    assert [one.name for one in tmp_path.iterdir()] == ["codes.toml"]


def test_two_decks_have_two_codes_for_each_card() -> None:
    table = CodeTable(codes={"11": "2c", "12": "2d", "21": "2c"})
    assert lacking(table, ["2c", "2d", "2h"], 1) == ["2h"]
    assert lacking(table, ["2c", "2d", "2h"], 2) == ["2h", "2d", "2h"]


@pytest.mark.parametrize(
    ("line", "why"),
    [("11", "that code is 2c"), ("1", "1 characters"), ("1122", "4 characters"), ("x y", "pattern"), ("", "pattern")],
)
def test_a_scan_that_is_no_new_code(line: str, why: str) -> None:
    table = CodeTable(codes={"11": "2c", "22": "2d"})
    found = taken(table, "2h", line)
    assert isinstance(found, str)
    assert why in found
    assert isinstance(taken(table, "2h", "33"), CodeTable)
    assert isinstance(taken(table, "2h", "333", any_length=True), CodeTable)
    assert "beginning or the end" in str(taken(table, "2h", "115", any_length=True))
