"""One maximum payout over all boxes of a player (`cap_per = player`): they are turned together, then settled together.

What one of them is paid depends on the others, so none is settled before every one that is turned at all lies open. The
rest of the table asks here who belongs together; nothing here knows what a hand is worth.
"""

from __future__ import annotations

import msgspec

from controller.domain import events as ev
from controller.domain.hand.setup import Setup
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, BoxStatus, FaceUp, Hand

DONE = (BoxStatus.PAID, BoxStatus.DEFERRED)


def shared(setup: Setup) -> bool:
    """Whether a player's boxes share the maximum payout (Q11)."""
    return str(setup.rules.cap_per) == "player"


def others(hand: Hand, box: Box, setup: Setup) -> list[Box]:
    """The other boxes in play of the same player; none where every box has a maximum of its own."""
    if not shared(setup):
        return []
    return [b for b in hand.boxes if b.playing and b.owner == box.owner and b.box != box.box]


def asked_with(hand: Hand, box: Box, setup: Setup) -> list[Box]:
    """The boxes of a request that settles this one: it first, the others without side bets, which no cap touches."""
    return [box, *(msgspec.structs.replace(b, bonus=0, jackpot=0) for b in others(hand, box, setup))]


def withdrawn(hand: Hand, events: tuple[ev.Event, ...], setup: Setup) -> tuple[ev.Event, ...] | Rejection:
    """What an act on one box means for the others of its player: unpaid ones are computed anew, a paid one forbids."""
    touched = {number for event in events for number in _touched(hand, event)} if shared(setup) else set()
    found: dict[int, ev.Event] = {}
    for number in sorted(touched):
        for other in others(hand, hand.box(number), setup):
            if other.status in DONE:
                return reject(Why.PLAYER_PAID, box=number, paid=other.box)
            if other.answer is not None and other.box not in touched:
                found[other.box] = ev.AnswerWithdrawn(box=other.box)
    return (*events, *found.values())


def _touched(hand: Hand, event: ev.Event) -> tuple[int, ...]:
    """Boxes whose money an event changes."""
    match event:
        case ev.BoxVoided() | ev.StakeCorrected() | ev.Discarded() | ev.ResultDeclared() if event.box:
            return (event.box,)
        case ev.HandsSwapped():
            return (event.first, event.second)
        case ev.CardReassigned():
            names = {event.card, event.was}
            return tuple(b.box for b in hand.boxes if names & {s.card for s in _open(b)})
        case _:
            return ()


def _open(box: Box) -> list[FaceUp]:
    return [slot for slot in (*box.dealt, *box.drawn) if isinstance(slot, FaceUp)]
