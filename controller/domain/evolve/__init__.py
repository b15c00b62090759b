"""evolve(table, event) -> table: what each event does to the state. Pure, total, and never a decision.

One function per event, found by the event's class. Whatever is journalled can be folded: a wrong fact must have been
refused by decide, before it became one.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.domain import events as ev
from controller.domain.evolve import (  # noqa: F401 - they register their folds
    decks,
    discard_tray,
    play,
    setright,
    settling,
    trouble,
    watch,
)
from controller.domain.evolve import table as _table  # noqa: F401
from controller.domain.evolve.folding import FOLDS, replace
from controller.domain.state import Hand, Table

# The dealer's own acts that he may take back (grade A), and what makes that too late: a physical fact.
UNDOABLE = (ev.StakeSet, ev.OwnerSet, ev.BlindSet, ev.CountGiven, ev.Folded, ev.BetMade, ev.ExchangeAsked,
            ev.SixthBought, ev.DrawFixed, ev.InsuranceStaked, ev.AnteTaken, ev.DealerBought, ev.Discarded,
            ev.StakeEntered)  # fmt: skip
PHYSICAL = (ev.Locked, ev.CardDealt, ev.CardsBurned, ev.CardsByHand, ev.CardsSwitched, ev.ResultDeclared,
            ev.DisputeDeferred, ev.HandsSwapped, ev.CardReassigned, ev.CardReplaced, ev.CardExposed,
            ev.JokerShown, ev.DealerRevealed, ev.DealerRedrawn, ev.BoxTurned, ev.BoxPaid, ev.BonusShown, ev.BonusPaid,
            ev.CardEntered, ev.BoxVoided, ev.Irregularity, ev.FaultRaised, ev.HandOpened, ev.HandEnded,
            ev.StakeCorrected, ev.BoxHeld, ev.BoxReleased, ev.DiscardsChecked,
            ev.CardRedirected, ev.JokerDrawn)  # fmt: skip


def evolve(table: Table, event: ev.Event) -> Table:
    """The state after one event."""
    before = table.hand
    fold = FOLDS.get(type(event))
    if fold is None:  # nothing that anyone at the table could see
        return table
    table = fold(table, event)
    undo = table.undo
    if getattr(event, "sensed", False):  # a player's chip is a physical fact
        undo = ()
    elif isinstance(event, UNDOABLE) and before is not None:
        if not getattr(event, "joined", False) and not _by_lock(event, before):  # one act, one step back
            undo = (*undo, before)
    elif isinstance(event, PHYSICAL):
        undo = ()
    return replace(table, version=table.version + 1, undo=undo)


def _by_lock(event: ev.Event, before: Hand) -> bool:
    """What a blind box buys comes with LOCK, which nobody takes back."""
    return isinstance(event, ev.SixthBought | ev.InsuranceStaked) and before.box(event.box).blind


def evolve_all(table: Table, events: Iterable[ev.Event]) -> Table:
    """The state after several events."""
    for event in events:
        table = evolve(table, event)
    return table
