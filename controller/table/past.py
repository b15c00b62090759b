"""The past at the table: replaying a journal into the state, and recalling one hand for a supervisor."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from controller.control.protocol import Answer, Done, Refused
from controller.domain import events as ev
from controller.domain.evolve import evolve
from controller.domain.hand.authority import OVERSIGHT, Identity
from controller.domain.state import Table
from controller.errors import TableError
from controller.journal.codec import CodecError
from controller.journal.journal import Journal
from controller.journal.records import Stamp, StateKept
from controller.journal.sealing import SealError
from controller.journal.summaries import told
from controller.table import keeping
from controller.table.statistics import SPAN, Statistics, fold


class Replayed(msgspec.Struct, frozen=True):
    """The state that a journal says, the rules that were in force last, its statistics, and when it ends."""

    table: Table
    opened: ev.TableOpened | None
    statistics: Statistics = Statistics()
    last_s: float = 0.0


def replay(journal: Journal, span: int = SPAN, step: Callable[[], None] = lambda: None) -> Replayed:
    """All events behind the newest kept state folded, in order of their numbers and no other.

    `span`: hands that the statistics cover. `step` is called at each record, so that somebody knows that it goes on.
    """
    seq, table, statistics = _begin(journal, span)
    last_s = 0.0
    try:
        for record in journal.replay(max(0, seq - 1)):
            step()
            last_s = seconds(record.stamp)
            if isinstance(record.event, ev.Event) and record.seq > seq:
                seq = record.seq
                table = evolve(table, record.event)
                statistics = fold(statistics, record.event, last_s)
        opened = journal.rules_in_force()
    except (CodecError, SealError, ValueError, LookupError, AssertionError, TypeError) as error:
        raise TableError(
            208,
            f"the journal does not verify: behind record {seq} something cannot be replayed ({error})",
            "journal.path",
            "run `tablectl audit`, then restore the mirror or set the file aside",
            exit_code=3,
        ) from None
    return Replayed(table, opened if isinstance(opened, ev.TableOpened) else None, statistics, last_s)


def _begin(journal: Journal, span: int) -> tuple[int, Table, Statistics]:
    """The newest kept state and its record, or nothing and 0."""
    events = (record.event for record in journal.kept_states())
    found = keeping.restored((event for event in events if isinstance(event, StateKept)), span)
    return (0, Table(), Statistics(span=span)) if found is None else (journal.kept, *found)


def seconds(stamp: Stamp) -> float:
    """The wall time of a record, a label; 0 where it is none."""
    try:
        return datetime.fromisoformat(stamp.t).timestamp()
    except ValueError:
        return 0.0


def off_s(replayed: Replayed, now_s: float) -> int:
    """For how long nothing was recorded; -1 where the clock went back or there is no record."""
    gone = now_s - replayed.last_s
    return int(gone) if replayed.last_s and gone >= 0 else -1


def recall_hand(journal: Journal, number: int) -> dict[str, Any]:
    """A hand as any outsider may read it: whole once it has ended, its public facts while it is open.

    Number 0 asks for the last hands in a line each. TableError where it is not to be had.
    """
    if number == 0:
        return {"recall": True, "hands": [told(summary) for summary in journal.summaries()]}
    return journal.recall(number)


def may_recall(people: tuple[Identity, ...]) -> Refused | None:
    """A supervisor (or surveillance) with his PIN; everybody else is refused."""
    if any(p.roles & OVERSIGHT for p in people):
        return None
    return Refused("TC-0534", "recall needs a supervisor", "recall", "give --as SUPERVISOR and the PIN")


def answer_recall(journal: Journal, number: int) -> Answer:
    """The hand, or why it is not to be had: none of that number, or its file is away or damaged."""
    try:
        return Done(recall_hand(journal, number))
    except TableError as error:
        return Refused("TC-0260", error.what, error.where, error.remedy)
