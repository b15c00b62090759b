"""Two ends over lossy lines: exactly once and in order, or a failure that both ends declare. Soak has more seeds."""

from __future__ import annotations

import lossy
import pytest

SEEDS = range(300)


@pytest.mark.parametrize("block", range(10))
def test_every_event_once_and_in_order_over_a_bad_line(block: int) -> None:
    for seed in SEEDS[block::10]:
        try:
            lossy.run(seed, sealed=seed % 10 != 9)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def test_the_lines_were_bad() -> None:
    """A simulation in which nothing goes wrong shows nothing."""
    worlds = [lossy.run(seed) for seed in range(12)]
    codes = {getattr(event, "code", "") for world in worlds for event in world.said}
    assert {"noise", "silent", "rebooted", "replayed"} <= codes
    assert sum(len(world.truth) for world in worlds) > 60
    assert any(world.longest_cut_ms for world in worlds)


def test_a_cut_line_is_declared_on_both_sides() -> None:
    for seed in range(20):
        lossy.declared(seed)
