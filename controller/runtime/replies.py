"""What the control socket is answered: a request becomes an act, its outcome an answer. On the loop thread.

Owns the words of the answer. Every request gets one; nothing is done that was meant for another state of the table.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.control.protocol import Answer, ControlRequest, Done, Refused
from controller.domain.hand import Act
from controller.domain.hand.authority import Identity
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.remedies import remedy
from controller.errors import TableError
from controller.runtime.parts import Parts
from controller.table.reading import read_command
from controller.table.service import Outcome, public_outcome


class Replies:
    """`acted` does an act as the loop does all of them."""

    def __init__(self, parts: Parts, acted: Callable[[Act], Outcome]) -> None:
        self._p = parts
        self._acted = acted

    def reply(self, request: ControlRequest) -> None:
        """Every request is answered, also where the journal or the program fails; only the first reply counts."""
        try:
            request.reply(self._answer(request))
        except TableError as error:
            request.reply(Refused.of(error, self._p.service.table.version))
        finally:
            request.reply(Refused("TC-0324", "the program failed", request.name, "call the technician"))

    def _answer(self, request: ControlRequest) -> Answer:
        people = tuple(Identity(i.operator, frozenset(str(r) for r in i.roles)) for i in request.identities)
        if request.op == "recall":
            return self._p.recall(request.hand, people)
        service = self._p.service
        command = read_command(request.name, request.args)
        if isinstance(command, Rejection):
            return self._refusal(command, request.name)
        act = Act(command=command, people=people, origin="socket")
        hand = service.table.hand.number if service.table.hand else service.table.hands
        if (request.hand, request.version) != (hand, service.table.version):
            stale = reject(Why.STALE, hand=hand, version=service.table.version)
            service.refuse(act, stale)
            return self._refusal(stale, request.name)
        outcome = self._acted(act)
        if outcome.rejection is not None:
            return self._refusal(outcome.rejection, request.name)
        return Done(public_outcome(outcome, service.table, self._p.language), service.table.version)

    def _refusal(self, rejection: Rejection, name: str) -> Refused:
        version = self._p.service.table.version
        return Refused(rejection.code, rejection.text(self._p.language), name, remedy(rejection.why), version)
