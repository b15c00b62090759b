"""What the demo's run directory holds: table.toml for a bench table of a game, and who works at it.

Writes nothing that is there already, so that a run can be taken up again with the same keys and journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from firmware_sim.children import call
from firmware_sim.errors import BenchError
from firmware_sim.floor_staff import DEALER, SUPERVISOR, WITNESS
from firmware_sim.text_unit import code_table

# The demo's people. Their PINs are no secret: the run directory is a bench's, and a visitor may want to try tablectl.
PINS = {DEALER: "1111", SUPERVISOR: "2222", WITNESS: "3333"}
ROLES = {DEALER: "dealer", SUPERVISOR: "supervisor", WITNESS: "surveillance"}

BOXES = {"russian_36": 2}  # three would fit the deck; others: six, or as many as the game and its deck allow
SHOE = '[shoe]\nport = "shoe"\nkey = "shoe.key"\n\n'
SOCKET_MOST = 100  # a Unix socket's path has room for 107 bytes

READER = '[reader]\nport = "reader"\ncodes = "codes.toml"\n\n'
SHUFFLER = """[shuffler]
usb_backend = "firmware_sim"
vendor = 0x1209
product = 0x5348
serial = "SIM-0002"
key = "shuffler.key"

"""
SOURCES = {"shoe": SHOE, "at_turn": "", "reader": READER}  # what a table says of where its cards come from
TABLE = """\
# Written by `firmware-sim demo`: a table on the bench.
[table]
id = "DEMO"
mode = "bench"
rules = "{game}"
boxes = {boxes}
cards = "{cards}"

[limits]
ante_min = 1000
ante_max = 10000
bonus_max = 500
cap = 300000
chips = [100, 500, 1000, 2500, 10000, 50000]

[journal]
path = "journal.db"

[keys]
credential = "credential.key"
signing = "signing.key"

[control]
socket = "control.sock"
operators = "operators.json"

{source}[gpio]
factory = "firmware_sim"

[doors]
enclosure = "finish_hand"
shoe_lid = "finish_hand"

[alarms]
hands_per_minute = 1000  # the robot is quicker than any dealer

[log]
level = "info"
file = "tabled.log"
"""


def prepare(folder: Path, game: str, cards: str = "shoe", *, shuffler: bool = False) -> Path:
    """The directory, ready for tabled; returns table.toml.

    `game`: a shipped rule set's id, or a house's file. `cards`: `shoe`, `reader` (a plain one in the shoe's
    place), or `at_turn`: dealt by hand. `shuffler`: every deck is counted before it is dealt.
    """
    if game.endswith(".toml"):
        game = str(Path(game).absolute())
    config = folder / "table.toml"
    served = 0 if config.exists() else _served(game)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchError(728, f"no directory can be made, {error.strerror}", str(folder), "use another --dir") from None
    if len(str(folder / "control.sock").encode()) > SOCKET_MOST:
        raise BenchError(723, "the path is too long for a socket", str(folder), "use a shorter --dir")
    known = "at_turn" if cards == "at_turn" else "shoe"
    if not config.exists():
        for device in ("shoe", "shuffler"):
            _pair(folder, device)
        boxes = min(BOXES.get(Path(game).stem, 6), served)
        source = SOURCES[cards] + (SHUFFLER if shuffler else "")
        config.write_text(TABLE.format(game=game, boxes=boxes, cards=known, source=source), "utf-8")
    elif _another(config.read_text("utf-8"), (f'rules = "{game}"', f'cards = "{known}"', SOURCES[cards]), shuffler):
        what = f"this table does not play {game} with cards = {cards}{' and a shuffler' if shuffler else ''}"
        raise BenchError(724, what, str(config), "use another --dir, or its game")
    if cards == "reader":
        (folder / "codes.toml").write_text(code_table(), "utf-8")
    operators = folder / "operators.json"
    if not operators.exists():
        for name, pin in PINS.items():
            call("tablectl", "operator", "add", name, "--name", name.capitalize(), "--role", ROLES[name],
                 "--file", str(operators), pins=[pin])  # fmt: skip
    if not (folder / "signing.key").exists():
        call("tabled", "--config", str(config), "--init")
    return config


def _served(game: str) -> int:
    """How many boxes the game serves. The text refuses in the check's own words, the JSON has the number."""
    call("tablectl", "rules", "check", game)
    return int(json.loads(call("tablectl", "rules", "check", game, "--json"))["boxes"])


def deck_size(game: str) -> int:
    """How many cards the game's deck has; the simulated shoe knows the shipped games only."""
    facts = json.loads(call("tablectl", "rules", "show", game, "--json"))
    return int(facts["parameters"]["deck_size"])


def _another(text: str, words: Sequence[str], shuffler: bool) -> bool:
    """The table that is there is not the one that is asked for."""
    return any(word not in text for word in words) or (SHUFFLER in text) != shuffler


def _pair(folder: Path, device: str) -> None:
    """A key for device and table, as pairing would leave it; the device's own copy lies in the device's memory."""
    ours, theirs = folder / f"{device}.key", folder / f"{device}-key"
    if ours.exists() or theirs.exists():
        return
    key = os.urandom(32)
    for path in (ours, theirs):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key)
