"""Both copies bad: refused, then two people begin a new journal whose record 2 names the old files (F63)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from firmware_sim.demo_files import WITNESS
from tests.hil.commands import tablectl_here
from tests.hil.rig import Rig, table
from tests.hil.test_mirror import WITH_MIRROR

pytestmark = pytest.mark.hil


def spoil(path: Path) -> str:
    """Four bytes in the middle; the hash of what is left."""
    data = path.read_bytes()
    at = data.index(b'"type":"CardDealt"', len(data) // 3)
    path.write_bytes(data[:at] + b"XXXX" + data[at + 4 :])
    return hashlib.sha256(path.read_bytes()).hexdigest()


def clear(rig: Rig, *who: str, pins: list[str]) -> tuple[int, str, str]:
    asked = [word for name in who for word in ("--as", name)]
    done = rig.tablectl("memory-clear", "--config", str(rig.config), "--json", *asked, pins=pins)
    return done.returncode, done.stdout, done.stderr


def test_a_fresh_journal_takes_two_people() -> None:
    with table(seed=3, changes=WITH_MIRROR) as rig:
        rig.play_hands(1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        assert "TC-0237" in clear(rig, "supervisor", WITNESS, pins=["2222", "3333"])[2]  # the copies hold
        mirror = rig.folder / "mirror.db"
        hashes = [spoil(rig.journal), spoil(mirror)]
        rig.spawn()
        assert rig.child is not None
        assert rig.child.wait(20) == 3
        assert rig.stderr.splitlines()[-1].startswith("TC-0227 neither copy of the journal holds")
        for who, pins in ((("supervisor",), ["2222"]), (("supervisor", "dealer"), ["2222", "1111"])):
            code, _, why = clear(rig, *who, pins=pins)
            assert (code, "TC-0238" in why) == (2, True)
        assert clear(rig, "supervisor", WITNESS, pins=["2222", "6666"])[2].startswith('{"error":{"code":"TC-0610"')
        assert rig.journal.exists()
        code, out, why = clear(rig, "supervisor", WITNESS, pins=["2222", "3333"])
        assert (code, why) == (0, "")
        told = json.loads(out)
        assert [lost["sha256"] for lost in told["lost"]] == hashes
        assert told["aside"] == ["journal.db.aside-1", "mirror.db.aside-1"]
        assert hashlib.sha256((rig.folder / told["aside"][0]).read_bytes()).hexdigest() == hashes[0]
        rig.start()
        assert rig.records()[1]["data"]["operators"] == ["supervisor", WITNESS]
        assert rig.records()[1]["data"]["lost"][0]["head"]
        rig.open_table()
        assert rig.now["hand"] == told["hand"] + 1
        rig.play_hands(told["hand"] + 1)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        assert tablectl_here("audit", str(mirror)).returncode == 0
