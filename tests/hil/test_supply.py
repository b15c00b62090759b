"""The daemon on a Pi with a weak supply: what its kernel says comes through to the table. The kernel is a stand-in."""

from __future__ import annotations

import sys

import pytest

from tests.hil.rig import Rig

pytestmark = pytest.mark.hil

A_PI = """
from controller import supply
supply.is_pi = lambda proc: True
supply.read = lambda sys: supply.Reading(bits=1)
supply.LASTS_NS = 0
from controller.app import main
main()
"""


def test_under_voltage_is_told_and_no_hand_begins() -> None:
    with Rig("oasis_ru") as rig:
        rig.start(program=(sys.executable, "-c", A_PI))
        told = rig.wait(lambda s: any("NO NEW HAND" in one for one in s["health"]["warnings"]))
        assert any("official supply" in one for one in told["health"]["warnings"])
        assert rig.stop()[0] == 0
        assert [one["data"]["fault"] for one in rig.records("MachineFailing")] == ["under-voltage"]
