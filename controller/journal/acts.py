"""Acts of people outside the play that move money: each is signed in its own transaction.

Owns which events these are, and which of them still lack their signature on a walk. What no key signed counts for
nothing: whoever has the file can append it. It must never excuse one by the signature of a later run.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controller.journal.records import METER_MOVED, SIGNED, Body

ACTS: Final = frozenset({"MeterCorrected", "DisputeClosed", "CarriedReturned"})


class Act(msgspec.Struct, frozen=True):
    """An act on record that no signature covers."""

    seq: int
    hand: int | None
    type: str

    def __str__(self) -> str:
        return (
            f"record {self.seq} ({self.type}) moves money and is not signed: no signature of its run stands behind it"
        )


def is_act(name: str, hand: int | None) -> bool:
    """Whether an event is such an act; a meter moves within a hand by its settlement, outside one by people."""
    return name in ACTS or (name == METER_MOVED and hand is None)


class Owed:
    """The acts of a walk that still lack a signature."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self._run = ""

    def step(self, body: Body) -> list[Act]:
        """Takes the next record; gives the acts that a run left unsigned where this is the first of another run."""
        left: list[Act] = []
        if body.run != self._run:
            left, self.acts, self._run = self.acts, [], body.run
        if body.type in SIGNED:
            self.acts = []
        elif is_act(body.type, body.hand):
            self.acts.append(Act(body.seq, body.hand, body.type))
        return left
