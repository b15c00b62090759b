"""Hands whose STOP always comes at the same moment after LOCK, by the table's own decision; no clock runs."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from harness import make_setup, table

from controller.domain import joker
from controller.domain.events import JokerDrawn
from controller.domain.hand.betting import stop
from controller.domain.state import Secret


def stopped(entropy: Callable[[int], bytes], many: int) -> list[int]:
    """Slots that STOP draws in so many hands that differ in number and seed alone."""
    rig = table().stake(b1=10).lock()
    rig.card()
    slots = {joker.slot_text(slot): slot for slot in range(53)}
    setup = make_setup("jpoker")
    found: list[int] = []
    for number in range(1, many + 1):
        seed = entropy(joker.SEED_BYTES)
        promise = joker.commitment(setup.table, number, rig.table.rules_hash, seed).hex()
        hand = msgspec.structs.replace(rig.hand, number=number, seed=Secret(seed.hex()), commitment=promise)
        (event,) = stop(rig.table, hand, setup)  # type: ignore[misc]
        assert isinstance(event, JokerDrawn)
        found.append(slots[event.slot])
    return found
