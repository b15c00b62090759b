"""Which products one code supports: what goes with a full table, with board and keys, with the board alone.

Pure; the configuration asks it. What is missing at a table must be missing in its configuration too.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.domain.state import CardSource, Equipment

BOARD_INPUTS = ("START", "STOP")
WITHOUT_SHOE = {
    Equipment.KEYS: (CardSource.AT_TURN, CardSource.NONE),
    Equipment.BOARD: (CardSource.NONE,),
}


def equipment_wrong(
    equipment: Equipment, cards: CardSource, sections: tuple[str, ...]
) -> Iterator[tuple[str, str, str]]:
    """Key, what is wrong, what is allowed. `sections`: those of [shoe], [reader], [sensors] that the file has."""
    allowed = WITHOUT_SHOE.get(equipment)
    if allowed is None:
        return
    if cards not in allowed:
        words = " or ".join(f'"{one}"' for one in allowed)
        yield "table.cards", f'table.cards is "{cards}" with equipment = "{equipment}"', f"give {words}"
    for name in sections:
        if name != "sensors" or equipment is Equipment.BOARD:
            yield (
                name,
                f'section {name} with equipment = "{equipment}"',
                'leave it out, or set table.equipment to "full"',
            )


def inputs_of(equipment: Equipment, pins: dict[str, int]) -> dict[str, int]:
    """The pins that are inputs at this table."""
    if equipment is Equipment.BOARD:
        return {name: pin for name, pin in pins.items() if name in BOARD_INPUTS}
    return {name: pin for name, pin in pins.items() if name != "JACKPOT_LAMP"}
