"""Plugs pulled on a real pty: nothing leaks, nothing floods, the shoe is usable within two seconds (soak: 2,000)."""

from __future__ import annotations

import replug

CYCLES = 60


def test_f14_f15_plugs_pulled_and_put_back() -> None:
    found = replug.run(CYCLES, card_every=10)
    assert found.cards == ["As"] * (CYCLES // 10)
    assert found.slowest_s < replug.USABLE_S
