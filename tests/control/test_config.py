"""table.toml: the shipped examples load, and each kind of mistake is one line with file, key and what is allowed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from controller.config import DEFAULT_PINS, Config, JokerTime, Language, Mode, load_config
from controller.errors import TableError
from controller.rulesets import shipped

EXAMPLES = Path(__file__).parents[2] / "deploy" / "config"
BASE = """
[table]
id = "T1"
mode = "bench"
rules = "jpoker"
boxes = 6
[limits]
ante_min = 10
ante_max = 100
cap = 2000
chips = [1, 5, 10, 25, 100, 500]
[journal]
path = "run/journal.db"
[keys]
credential = "credential.key"
signing = "signing.key"
[control]
operators = "operators.json"
[shoe]
port = "shoe.pty"
key = "shoe.key"
"""


def load(tmp_path: Path, text: str, environ: dict[str, str] | None = None) -> Config:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, environ or {})


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(TableError) as caught:
        load(tmp_path, text)
    assert caught.value.exit_code == 2
    assert "table.toml" in caught.value.where
    line = caught.value.line()
    assert "\n" not in line
    return line


@pytest.mark.parametrize("name", shipped())
def test_shipped_examples_load(name: str) -> None:
    config = load_config(EXAMPLES / f"{name}.toml", {})
    assert config.table.rules == name
    assert config.table.mode is Mode.PRODUCTION
    assert config.journal.path == "/var/lib/table-controller/journal.db"
    assert config.gpio.pins == DEFAULT_PINS
    assert config.procedure.stop_timeout_s == 10
    assert config.shoe is not None and config.shoe.key == "/var/lib/table-controller/shoe.key"


def test_there_is_an_example_for_every_game_and_one_for_the_bench() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.toml")} == {*shipped(), "bench"}
    assert load_config(EXAMPLES / "bench.toml", {}).table.mode is Mode.BENCH


def test_defaults_and_relative_paths(tmp_path: Path) -> None:
    config = load(tmp_path, BASE)
    assert config.journal.path == str(tmp_path / "run/journal.db")
    assert config.journal.mirror is None
    assert config.keys.credential == str(tmp_path / "credential.key")
    assert config.control.socket == "/run/table-controller/control.sock"
    assert config.shoe is not None
    assert (config.shoe.port, config.shoe.baud) == (str(tmp_path / "shoe.pty"), 115_200)
    assert config.procedure.joker_time is None
    assert config.table.language is Language.EN


def test_credentials_directory_holds_bare_names_only(tmp_path: Path) -> None:
    text = BASE.replace('"signing.key"', '"./signing.key"')
    config = load(tmp_path, text, {"CREDENTIALS_DIRECTORY": "/run/credentials/tabled.service"})
    assert config.keys.credential == "/run/credentials/tabled.service/credential.key"
    assert config.keys.signing == str(tmp_path / "signing.key")


def test_a_shoe_in_clear_is_possible_where_somebody_says_so(tmp_path: Path) -> None:
    text = BASE.replace('"bench"', '"production"').replace('key = "shoe.key"', "unsealed = true")
    shoe = load(tmp_path, text).shoe
    assert shoe is not None and shoe.key is None and shoe.unsealed


def test_rules_as_a_file(tmp_path: Path) -> None:
    assert load(tmp_path, BASE.replace('"jpoker"', '"house.toml"')).table.rules == str(tmp_path / "house.toml")


def test_overrides_and_pins(tmp_path: Path) -> None:
    more = '[procedure]\njoker_time = "after_deal"\n[gpio]\nfactory = "firmware_sim"\npins = {JACKPOT = 14}\n'
    config = load(tmp_path, BASE + more)
    assert config.procedure.joker_time is JokerTime.AFTER_DEAL
    assert config.gpio.pins == {**DEFAULT_PINS, "JACKPOT": 14}


def test_default_pins_are_those_of_the_wiring_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "wiring.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z0-9]+)` \| (\d+) \|", page, re.MULTILINE)
    lamp = re.findall(r"^\| jackpot lamp \| (\d+) \|", page, re.MULTILINE)
    assert {name: int(pin) for name, pin in rows} | {"JACKPOT_LAMP": int(lamp[0])} == DEFAULT_PINS


def test_the_page_names_every_key_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    lines = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    rows = {key: cells for cells in lines for key in re.findall(r"`(\w+\.\w+)`", cells[1])}
    sections = {item.name: item.type for item in msgspec.structs.fields(Config)}
    for name, section in sections.items():
        kind = next((part for part in get_args(section) if part is not type(None)), section)
        for item in msgspec.structs.fields(kind):
            default = rows[f"{name}.{item.name}"][3]
            if item.default not in (None, msgspec.NODEFAULT):
                assert str(item.default).lower() in default.lower(), item.name
            assert (default.strip() == "-") is item.required


SHUFFLER = """
[shuffler]
vendor = 0x1209
product = 0x5348
serial = "SH-1"
"""
MISTAKES = {
    "unknown key": (BASE.replace("boxes", "boxs"), ["key table.boxs", "did you mean boxes?", "(and 1 more)"]),
    "unknown section": (BASE.replace("[shoe]", "[show]"), ["key show", "did you mean shoe?"]),
    "missing key": (BASE.replace("cap = 2000\n", ""), ["missing key limits.cap", "a whole number from 1 to"]),
    "missing section": (BASE.replace("[keys]", "[table.keys]"), ["key table.keys"]),
    "wrong type": (BASE.replace("cap = 2000", 'cap = "2000"'), ["limits.cap is '2000'", "a whole number"]),
    "a float is no money": (BASE.replace("cap = 2000", "cap = 2000.0"), ["limits.cap is 2000.0"]),
    "true is no number": (BASE.replace("boxes = 6", "boxes = true"), ["table.boxes is True", "from 1 to 7"]),
    "out of range": (BASE.replace("boxes = 6", "boxes = 8"), ["key table.boxes", "a whole number from 1 to 7"]),
    "enum": (BASE.replace('"bench"', '"test"'), ["table.mode is 'test'", 'one of "production", "bench"']),
    "five chips": (BASE.replace(", 500]", "]"), ["limits.chips is a list", "a list of 6"]),
    "chips not rising": (BASE.replace("[1, 5", "[5, 1"), ["limits.chips do not rise"]),
    "chips twice": (BASE.replace("[1, 5", "[5, 5"), ["limits.chips do not rise"]),
    "minimum above maximum": (BASE.replace("ante_min = 10", "ante_min = 101"), ["above limits.ante_max"]),
    "section is a value": ("log = 3\n" + BASE, ["log is not a section"]),
    "no shoe": (BASE.split("[shoe]", maxsplit=1)[0], ["missing section shoe", "at_turn"]),
    "a shoe in clear in production": (
        BASE.replace('"bench"', '"production"').replace('key = "shoe.key"\n', ""),
        ["missing key shoe.key in production", "tablectl pair", "unsealed = true"],
    ),
    "a simulated bus in production": (
        BASE.replace('"bench"', '"production"') + SHUFFLER + 'usb_backend = "firmware_sim"\nkey = "k"\n',
        ["shuffler.usb_backend 'firmware_sim' in production", "libusb1"],
    ),
    "a shuffler in clear in production": (
        BASE.replace('"bench"', '"production"') + SHUFFLER,
        ["missing key shuffler.key in production", "tablectl pair"],
    ),
    "a shuffler without a serial number": (
        BASE + SHUFFLER.split("serial", maxsplit=1)[0],
        ["missing key shuffler.serial"],
    ),
    "a shuffler sealed and not": (
        BASE + SHUFFLER + 'key = "k"\nunsealed = true\n',
        ["shuffler.key and shuffler.unsealed contradict"],
    ),
    "sealed and unsealed": (
        BASE.replace('key = "shoe.key"', 'key = "shoe.key"\nunsealed = true'),
        ["shoe.key and shoe.unsealed contradict"],
    ),
    "shoe and reader": (BASE + '[reader]\nport = "p"\ncodes = "c"\n', ["both [shoe] and [reader]"]),
    "open boxes": (
        BASE.replace("boxes = 6", "boxes = 1") + "[procedure]\nmax_open_boxes = 2\n",
        ["procedure.max_open_boxes 2 is more"],
    ),
    "simulated pins in production": (
        BASE.replace('"bench"', '"production"') + '[gpio]\nfactory = "mock"\n',
        ["gpio.factory 'mock' in production"],
    ),
    "unknown pin": (BASE + "[gpio.pins]\nSTRAT = 4\n", ["gpio.pins.STRAT", "did you mean START?"]),
    "pin twice": (BASE + "[gpio.pins]\nSTART = 27\n", ["are both pin 27"]),
    "pin of SPI": (BASE + "[gpio.pins]\nSTART = 8\n", ["which SPI or the EEPROM needs"]),
    "pin beyond the header": (BASE + "[gpio.pins]\nSTART = 28\n", ["key gpio.pins", "from 0 to 27"]),
    "mirror is the journal": (
        BASE.replace('path = "run/journal.db"', 'path = "a.db"\nmirror = "a.db"'),
        ["journal.mirror is the file of journal.path"],
    ),
    "mirror is somebody else's file": (
        BASE.replace('path = "run/journal.db"', 'path = "a.db"\nmirror = "./x/../operators.json"'),
        ["journal.mirror is the file of control.operators"],
    ),
    "a name": (BASE.replace('id = "T1"', 'id = "T 1"'), ["table.id is 'T 1'", "a name of 1 to 32"]),
    "a name ends where it ends": (BASE.replace('id = "T1"', 'id = "T1\\n"'), ["table.id is 'T1\\n'"]),
    "no text": (BASE.replace('"operators.json"', '""'), ["control.operators is ''", "a text of one line"]),
    "a NUL in a path": (BASE.replace('"shoe.pty"', '"a\\u0000b"'), ["key shoe.port", "a text of one line"]),
    "key twice": (BASE.replace("boxes = 6", "boxes = 6\nboxes = 5"), ["not TOML", "line 7"]),
    "not TOML": ("[table", ["not TOML", "correct the file"]),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_one_line_for_each_mistake(tmp_path: Path, kind: str) -> None:
    text, parts = MISTAKES[kind]
    line = refused(tmp_path, text)
    for part in parts:
        assert part in line, line


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="No such file"):
        load_config(tmp_path / "absent.toml", {})
    with pytest.raises(TableError, match="Is a directory"):
        load_config(tmp_path, {})
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'[table]\nid = "\xe9"\n')
    with pytest.raises(TableError, match="not UTF-8"):
        load_config(latin, {})
    long = tmp_path / "long.toml"
    long.write_bytes(b"#" * 300_000)
    with pytest.raises(TableError, match="more than"):
        load_config(long, {})
    deep = tmp_path / "deep.toml"
    deep.write_bytes(b"a = " + b"[" * 50_000)
    with pytest.raises(TableError, match="not TOML"):
        load_config(deep, {})
