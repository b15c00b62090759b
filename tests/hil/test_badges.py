"""Badges at the table: on and off in two seconds between hands, and in place of a PIN at the key switch."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from controller.control import operators
from firmware_sim.demo_files import SHOE
from tests.hil.rig import Rig, Snapshot, table, until

pytestmark = pytest.mark.hil
BADGES = {"dealer": "0400000D", "supervisor": "04000005"}
CHANGE = {SHOE: SHOE + '[badge]\nport = "badge"\n\n'}


@pytest.fixture
def rig() -> Iterator[Rig]:
    with table(changes=CHANGE) as rig:
        for who, badge in BADGES.items():
            operators.set_badge(rig.folder / "operators.json", who, badge)
        rig.wait(lambda s: s["devices"].get("badge") == "ready")
        yield rig


def show(rig: Rig, badge: str) -> None:
    rig.bench.badge.print_line(badge)


def test_on_and_off_in_two_seconds_between_hands_only(rig: Rig) -> None:
    started = time.monotonic()
    show(rig, BADGES["dealer"])
    rig.wait(lambda s: "dealer" not in s["signed_on"])
    assert time.monotonic() - started < 2
    show(rig, BADGES["supervisor"])
    rig.wait(lambda s: s["signed_on"].get("inspector") == "supervisor")
    show(rig, BADGES["dealer"])
    rig.wait(lambda s: s["signed_on"].get("dealer") == "dealer")
    rig.play_until(lambda s: s["phase"] == "dealing")
    show(rig, BADGES["supervisor"])
    refused = rig.wait(lambda s: (s["health"]["refused"] or {}).get("code") == "TC-0533")
    assert refused["signed_on"] == {"dealer": "dealer", "inspector": "supervisor"}
    assert rig.stop()[0] == 0
    who = [(r["type"], r["data"]["operator"]) for kind in ("On", "Off") for r in rig.records(f"OperatorSigned{kind}")]
    assert who.count(("OperatorSignedOn", "dealer")) == 2
    assert ("OperatorSignedOff", "dealer") in who
    every = b"".join(path.read_bytes() for path in rig.folder.iterdir() if path.is_file())
    assert not any(badge.encode() in every for badge in BADGES.values())


def test_an_unknown_badge_is_refused_and_a_known_one_stands_for_the_pin(rig: Rig) -> None:
    show(rig, "04999999")
    rig.wait(lambda s: (s["health"]["refused"] or {}).get("code") == "TC-0534")
    rig.wait(lambda s: not s["health"]["refused"])
    rig.bench.turn("SWITCH", on=True)
    reads(rig, "SUPERVISOR")
    while "CLOSE TABLE" not in (line := shown(rig)):  # steps to the line that closes the table
        rig.press("BET")
        assert until(lambda line=line: shown(rig) != line)
    rig.press("OK")
    reads(rig, "PIN")
    show(rig, BADGES["supervisor"])
    closed: Snapshot = rig.wait(lambda s: not s["open"])
    assert closed["phase"] == "closed"
    assert rig.records("Authorised")[-1]["data"]["operators"] == ["supervisor"]


def shown(rig: Rig) -> str:
    return "|".join(rig.bench.display.text())


def reads(rig: Rig, word: str) -> None:
    assert until(lambda: word in shown(rig)), shown(rig)
