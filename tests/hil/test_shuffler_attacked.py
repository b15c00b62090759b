"""Somebody on the shuffler's line: the real daemon, pyusb and a simulated bus. People are called, and play goes on."""

from __future__ import annotations

import pytest

from firmware_sim.faults import Fault
from tests.hil.rig import last_hand
from tests.hil.test_shuffler import data, finish, table

pytestmark = pytest.mark.hil


@pytest.mark.parametrize(
    ("fault", "word"), [(Fault.SHUFFLER_FORGED, "tampered"), (Fault.SHUFFLER_SWAPPED, "wrong_key")]
)
def test_an_attack_on_its_line_calls_people_and_no_deck_is_dealt_before_two_have_looked(
    fault: Fault, word: str
) -> None:
    with table() as rig:
        rig.play_hands(1)
        rig.bench.inject(fault)
        rig.wait(lambda s: [alarm["code"] for alarm in s["alarms"]] == ["line_distrusted"])
        rig.play_until(lambda s: s["prompt"]["code"] == "TC-0862")
        stands = last_hand(rig.now)
        rig.play_hands(stands + 2)
        finish(rig)
        assert word in {one["code"] for one in data(rig, "DeviceTroubled") if one["device"] == "shuffler"}
        assert all(len(one["operators"]) == 2 for one in data(rig, "AlarmAnswered"))
        assert {one["source"] for one in data(rig, "DeckTaken")} == {"shuffler"}
