"""A reader at the discard tray on a real pty beside the shoe: it names discards, and an odd card is an alarm."""

from __future__ import annotations

import pytest

from firmware_sim.demo_files import SHOE
from firmware_sim.text_unit import code_table
from tests.hil.rig import Rig, Snapshot

pytestmark = pytest.mark.hil
CHANGE = {SHOE: SHOE + '[tray]\nport = "tray"\ncodes = "codes.toml"\n\n'}


def asks_for_discards(snap: Snapshot) -> bool:
    return snap["expects"]["kind"] == "discards"


def test_the_tray_names_discards_and_finds_a_stranger() -> None:
    with Rig("oasis_ru", seed=5, changes=CHANGE) as rig:
        (rig.folder / "codes.toml").write_text(code_table(), "utf-8")
        rig.start()
        rig.wait(lambda s: s["devices"].get("tray") == "ready")
        rig.open_table()
        asked = rig.play_until(asks_for_discards)
        number, box = asked["hand"], asked["expects"]["box"]
        lies = rig.bench.world.box(box)
        thrown = [lies.dealt[position] for position in lies.thrown]
        for card in thrown:
            rig.bench.tray.card(card)
        named = rig.wait(lambda s: set(thrown) <= set(s["boxes"][box - 1]["discards"]))
        assert named["expects"]["kind"] != "discards" or named["expects"]["box"] != box
        rig.play_hands(number)
        felt = rig.bench.felts.get(number) or rig.bench.world
        every = [card for lay in felt.boxes.values() for card in lay.dealt + lay.drawn] + felt.dealer
        stranger = next(card for card in ("2c", "7d", "Ks", "Ah", "9h", "4s") if card not in every)
        rest = [card for card in every if card not in thrown]
        for card in (stranger, *rest[1:]):  # a stranger in place of a card of the felt
            rig.bench.tray.card(card)
        rig.play_until(lambda s: s["hand"] == number + 1 and s["phase"] == "dealing")
        alarms = [r["data"] for r in rig.records("AlarmRaised") if r["data"]["code"] == "discard_tray"]
        told = [a["detail"] for a in alarms if a["subject"] == f"hand {number}"]
        assert told == ["1 never dealt, 1 missing"]
        assert rig.stop()[0] == 0
        assert '"cards"' not in str([r["data"] for r in rig.records("TrayDiffers")])
        assert all("card" not in r["data"] for r in rig.records("TrayRead"))
        rig.audit()
