"""The audit: a journal file checked from its bytes alone, on any machine that has a copy.

First the chain and its signatures, then every hand: key, seals, draw, and whatever checks are handed in. Opens the
file read only and must never write beside it, nor stop at the first finding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from controller.journal.auditing import MOST_FINDINGS, Checks, Options, Progress
from controller.journal.chain_pass import ChainPass, Unsigned
from controller.journal.codec import CodecError, Registry
from controller.journal.hands import Finding
from controller.journal.hands_pass import Hands, HandsPass
from controller.journal.reader import Reader
from controller.journal.walk import identity

_BROKEN = frozenset({"chain", "file", "hand"})
"""Findings after which hands are not looked at: their records cannot be told apart."""


class Report(msgspec.Struct, frozen=True):
    """What it found. `hands` are those that ended in the records looked at, `outcomes` how; `totals` of the meter.

    `untrusted`: by device, the ranges of hands whose cards it told without being able to prove who it is. No finding:
    such a reader is a house's choice, but whoever relies on a hand must know. Nor is `unsigned` one: every journal has
    it behind its last signature, unless an orderly stop ended it.
    """

    records: int
    hands: int
    seq: int
    head: str
    findings: tuple[Finding, ...]
    outcomes: dict[str, int] = {}
    totals: dict[str, Any] = {}
    untrusted: dict[str, list[list[int]]] = {}
    unsigned: Unsigned | None = None

    @property
    def ok(self) -> bool:
        """No finding."""
        return not self.findings

    @property
    def first(self) -> Finding | None:
        """The finding that shows at the lowest record."""
        return next(iter(self.ordered()), None)

    def ordered(self) -> list[Finding]:
        """By the record at which each shows; a range shows at its end, what names no record behind all."""
        return sorted(self.findings, key=lambda finding: finding.shows_at)


def audit(
    path: Path,
    registry: Registry,
    options: Options | None = None,
    checks: Checks | None = None,
    progress: Progress | None = None,
) -> Report:
    """Everything that can be checked. TableError only where the file is no journal at all."""
    options, checks, progress = options or Options(), checks or Checks(), progress or _silent
    with Reader(path) as reader:
        try:
            who = identity(next(reader.rows(0), None))
        except CodecError as error:
            return Report(0, 0, 0, "", (Finding(1, "identity", f"record 1: {error}"),))
        with HandsPass(reader, registry, checks, options) as hands_pass:
            chain_pass = ChainPass(reader, who, options, progress, hands_pass.begin)
            chain_pass.run()
            findings: list[Finding] = chain_pass.findings
            hands = Hands([], {}, {})
            if not options.chain_only and not any(finding.code in _BROKEN for finding in findings):
                hands = hands_pass.finish(progress)
                findings += hands.findings
        return Report(
            chain_pass.records, chain_pass.hands, chain_pass.seq, chain_pass.head,
            tuple(findings[:MOST_FINDINGS]), chain_pass.outcomes, hands.totals, hands.untrusted, chain_pass.unsigned,
        )  # fmt: skip


def _silent(stage: str, done: int, of: int) -> None:
    pass
