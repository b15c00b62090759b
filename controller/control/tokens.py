"""One act for one token: the same command sent again (double click, retry) joins the first and gets its answer.

Bounded memory of this run only; what must hold across a restart is the table's, which finds the token in the journal.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from controller.control.protocol import Answer, Done
from controller.errors import TableError

Waiter = TypeVar("Waiter")


class Tokens(Generic[Waiter]):
    """Tokens in flight with who waits for them, and the answers of the last commands that were done."""

    def __init__(self, remembered: int = 512) -> None:
        self._flying: dict[str, tuple[bytes, list[Waiter]]] = {}
        self._done: OrderedDict[str, tuple[bytes, Answer]] = OrderedDict()
        self._remembered = remembered

    def enter(self, token: str, content: bytes, waiter: Waiter) -> Answer | bool:
        """True: first of its kind, send it on. False: it has joined one in flight. Else the answer of then."""
        if token in self._done:
            known, answer = self._done[token]
            _same(known, content)
            return answer
        if token in self._flying:
            known, waiters = self._flying[token]
            _same(known, content)
            waiters.append(waiter)
            return False
        self._flying[token] = (content, [waiter])
        return True

    def finish(self, token: str, answer: Answer) -> list[Waiter]:
        """Everyone who waits for this answer. Refusals are not remembered: a retry is judged anew."""
        content, waiters = self._flying.pop(token)
        if isinstance(answer, Done):
            self._done[token] = (content, answer)
            if len(self._done) > self._remembered:
                self._done.popitem(last=False)
        return waiters


def _same(known: bytes, content: bytes) -> None:
    if known != content:
        raise TableError(605, "this token belongs to another command", "control socket, token", "use a new token")
