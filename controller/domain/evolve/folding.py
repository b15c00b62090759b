"""What the folds share: their register and the few ways in which a frozen table is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from controller.domain import events as ev
from controller.domain.phases import next_health
from controller.domain.state import SHUFFLER, UNKNOWN, Box, FaceDown, FaceUp, Secret, Slot, Stake, Table, Unread

E = TypeVar("E", bound=ev.Event)
Fold = Callable[[Table, Any], Table]
FOLDS: dict[type[ev.Event], Fold] = {}
replace = msgspec.structs.replace
RECENT_EVENTS = 64


def on(kind: type[E]) -> Callable[[Callable[[Table, E], Table]], Callable[[Table, E], Table]]:
    """Registers the fold of one kind of event."""

    def register(fold: Callable[[Table, E], Table]) -> Callable[[Table, E], Table]:
        FOLDS[kind] = fold
        return fold

    return register


def trusting(table: Table, device: str = "") -> Table:
    """People have looked and decided: a device that was distrusted may serve again. Without a name: all of them."""
    believed = {n: next_health(h, "trusted") for n, h in table.devices.items() if device in ("", n)}
    return replace(table, devices={**table.devices, **believed})


def heard(table: Table, device: str, event_no: int, what: str) -> Table:
    """A numbered event is on record: which memory it belongs to, and what a repeat of it must equal."""
    memory = table.shuffler if device == SHUFFLER else table.shoe
    recent = (*memory.recent, (event_no, Secret(what)))[-RECENT_EVENTS:]
    memory = replace(memory, last_event=event_no, log_last=max(memory.log_last, event_no), recent=recent)
    return replace(table, shuffler=memory) if device == SHUFFLER else replace(table, shoe=memory)


def with_hand(table: Table, **changes: Any) -> Table:
    """The open hand with these fields changed."""
    assert table.hand is not None
    return replace(table, hand=replace(table.hand, **changes))


def with_box(table: Table, number: int, **changes: Any) -> Table:
    """One box with these fields changed."""
    assert table.hand is not None
    boxes = tuple(replace(b, **changes) if b.box == number else b for b in table.hand.boxes)
    return with_hand(table, boxes=boxes)


def dealt_slot(card: str) -> Slot:
    """Where a card of the shoe lies: face down, or unread."""
    return Unread() if card == UNKNOWN else FaceDown(card)


def up(slots: tuple[Slot, ...], cards: Iterable[str]) -> tuple[Slot, ...]:
    """The slots turned face up; those that lay open, and those that nobody knows yet, stay as they are."""
    pairs = zip(slots, cards, strict=True)
    return tuple(slot if isinstance(slot, FaceUp) or card == UNKNOWN else FaceUp(card) for slot, card in pairs)


def put(slots: tuple[Slot, ...], index: int, slot: Slot) -> tuple[Slot, ...]:
    """One slot of several replaced."""
    return (*slots[:index], slot, *slots[index + 1 :])


def proposed(number: int, stake: Stake | None) -> Box:
    """A box before the deal, with what lay or lies on it."""
    if stake is None:
        return Box(box=number, owner=number)
    return Box(
        box=number,
        owner=stake.owner,
        ante=stake.ante,
        bonus=stake.bonus,
        jackpot=stake.jackpot,
        blind=stake.blind,
        backers=stake.backers,
        carried=stake.carried,
        insurance=stake.insurance,
        insurance_carried=stake.insurance_carried,
    )
