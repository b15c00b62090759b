"""The past at the table: replaying a journal into the state, and recalling one hand for a supervisor."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.control.protocol import Answer, Done, Refused
from controller.domain import events as ev
from controller.domain.evolve import evolve
from controller.domain.hand.authority import OVERSIGHT, Identity
from controller.domain.state import Table
from controller.journal.hands import Hand
from controller.journal.journal import Journal
from controller.journal.recall import recall


class Replayed(msgspec.Struct, frozen=True):
    """The state that a journal says, and the rules that were in force last."""

    table: Table
    opened: ev.TableOpened | None


def replay(journal: Journal) -> Replayed:
    """All events folded, in order of their numbers and no other."""
    table = Table()
    opened: ev.TableOpened | None = None
    for record in journal.replay():
        if isinstance(record.event, ev.Event):
            table = evolve(table, record.event)
        if isinstance(record.event, ev.TableOpened):
            opened = record.event
    return Replayed(table, opened)


def recall_hand(journal: Journal, number: int, table: str) -> dict[str, Any] | None:
    """A finished hand whole; None where there is none of this number or it is still open."""
    records = journal.replay_hand(number)
    if not records or journal.open_hand == number:
        return None
    opened = _opened_before(journal, records[0].seq)
    return recall(Hand(number, table, opened, tuple(records), True))


def _opened_before(journal: Journal, seq: int) -> ev.TableOpened | None:
    found = None
    for record in journal.replay():
        if record.seq >= seq:
            break
        if isinstance(record.event, ev.TableOpened):
            found = record.event
    return found


def may_recall(people: tuple[Identity, ...]) -> Refused | None:
    """A supervisor (or surveillance) with his PIN; everybody else is refused."""
    if any(p.roles & OVERSIGHT for p in people):
        return None
    return Refused("TC-0534", "recall needs a supervisor", "recall", "give --as SUPERVISOR and the PIN")


def answer_recall(found: dict[str, Any] | None, number: int) -> Answer:
    """The hand, or that there is none to be had."""
    if found is None:
        return Refused("TC-0260", f"no finished hand {number}", "recall", "ask for a hand that has ended")
    return Done(found)
