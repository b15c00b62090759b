"""What a PIN at the key switch leads to: an act, or the last hands on the text display, on record.

It must never stop the table: where a reading cannot be recorded, nothing is shown.
"""

from __future__ import annotations

from controller.control.protocol import Done
from controller.domain.hand import Act
from controller.domain.hand.authority import Identity
from controller.domain.rejections import Rejection, Why, reject
from controller.errors import TableError
from controller.runtime.parts import Parts, PinSaid
from controller.table.menu import ReadHands
from controller.table.recall_pages import pages


def meant(parts: Parts, said: PinSaid) -> Act | Rejection | None:
    """The act of somebody who has proved who he is, or why not; None where he only reads."""
    if isinstance(said.verdict, TableError):
        parts.log.warning("PIN or badge at the table refused", code=said.verdict.code)
        unknown = reject(Why.NOT_ALLOWED, operator="?", role=said.verdict.what)
        if not isinstance(said.command, ReadHands):
            parts.service.refuse(Act(command=said.command, origin="keys"), unknown)
        return unknown
    people = tuple(Identity(i.operator, frozenset(str(r) for r in i.roles)) for i in said.verdict)
    if isinstance(said.command, ReadHands):
        return _recall(parts, people)
    return Act(command=said.command, people=people, origin="keys")


def _recall(parts: Parts, people: tuple[Identity, ...]) -> Rejection | None:
    try:
        answer = parts.recall(0, people)
    except TableError as error:
        parts.log.warning("recall at the key switch failed", code=error.code)
        return None
    if isinstance(answer, Done):
        parts.keypad.read(pages(answer.outcome["hands"]))
        return None
    parts.log.warning("recall at the key switch refused", code=answer.code)
    who = people[0] if people else Identity("?", frozenset())
    return reject(Why.NOT_ALLOWED, operator=who.operator, role=", ".join(sorted(who.roles)))
