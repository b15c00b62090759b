"""`make demo HANDS=20 GAME=` of every shipped game: twenty hands settled and audited, every choice of it taken."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from controller.rulesets import shipped
from tests.hil.rig import BIN

pytestmark = pytest.mark.hil

HANDS = 20
AT_ONCE = 4  # a demo mostly waits for its own hands and lamps
# What a house would have to fill in; the numbers are examples.
FILLED = {
    "oasis_nicaragua": "[pay_after_exchange]\nroyal_flush = 50\nstraight_flush = 25\nquads = 10\nfull_house = 5\n",
    "jpoker_online": 'insurance_max_fraction = "1/2"\n',
}

Run = tuple[subprocess.CompletedProcess[str], Path]


@pytest.fixture(scope="module")
def demos() -> Iterator[dict[str, Future[Run]]]:
    folder = Path(tempfile.mkdtemp(prefix="hil-", dir="/tmp"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {game: pool.submit(demo, folder, game) for game in shipped()}
    shutil.rmtree(folder)


def demo(folder: Path, game: str) -> Run:
    name = game
    if game in FILLED:
        (folder / "house").mkdir(exist_ok=True)
        (folder / "house" / f"{game}.toml").write_text(f'base = "{game}"\n{FILLED[game]}', "utf-8")
        name = str(folder / "house" / f"{game}.toml")
    where = folder / str(shipped().index(game))
    argv = [
        str(BIN / "firmware-sim"),
        "demo",
        "--hands",
        str(HANDS),
        "--game",
        name,
        "--seed",
        "5",
        "--dir",
        str(where),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL)
    return done, where / "journal.db"


def records(journal: Path) -> list[dict[str, Any]]:
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as db:
        return [json.loads(body) for (body,) in db.execute("select body from journal order by seq")]


def offered(rules: dict[str, Any]) -> set[str]:
    """What the rules in the opening's record let a player do."""
    words = {"bet", "fold"} | {f"exchange {count}" for count, fee in rules["exchange_fee"].items() if fee is not None}
    words |= {"buy6"} if rules["sixth_card_fee"] is not None else set()
    words |= {"insure"} if rules["insurance"] else set()
    return words | ({"take_ante", "buy_dealer"} if rules["dealer_exchange_fee"] is not None else set())


WORDS = {
    "BetMade": "bet", "Folded": "fold", "SixthBought": "buy6", "InsuranceStaked": "insure", "AnteTaken": "take_ante",
    "DealerBought": "buy_dealer",
}  # fmt: skip


def taken(found: list[dict[str, Any]]) -> set[str]:
    """What the players did; of an exchange the number of cards that it ended with."""
    counts = {
        (one["hand"], one["data"]["box"]): one["data"]["count"] for one in found if one["type"] == "ExchangeAsked"
    }
    return {WORDS[one["type"]] for one in found if one["type"] in WORDS} | {f"exchange {n}" for n in counts.values()}


@pytest.mark.parametrize("game", shipped())
def test_twenty_hands_with_every_choice(game: str, demos: dict[str, Future[Run]]) -> None:
    done, journal = demos[game].result()
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith(f"audit: OK {HANDS} hands, ")
    found = records(journal)
    opened = next(one["data"] for one in found if one["type"] == "TableOpened")
    assert taken(found) == offered(opened["rules"])
