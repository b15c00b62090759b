"""Which keys name the next card that a box threw away. Knows the felt and the table's keys, presses nothing."""

from __future__ import annotations

from collections.abc import Collection

from firmware_sim.world import BoxCards

ROW = 6  # drawn cards that the digits name behind each CHANGE


def keys(held: BoxCards, named: Collection[str]) -> tuple[str, ...]:
    """Its place among the dealt five, or (behind CHANGE) among the drawn ones; OK when all are named."""
    card = next((card for card in held.gone() if card not in named), None)
    if card is None:
        return ("OK",)
    if card in held.dealt:
        return (f"K{held.dealt.index(card) + 1}",)
    page, digit = divmod(held.drawn.index(card), ROW)
    return (*["CHANGE"] * (page + 1), f"K{digit + 1}")
