"""The audit's second pass: every hand opened and checked, every record outside hands read, notes kept for later.

Works on stretches that begin between hands, in this process or in several, with the same findings in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from controller.errors import TableError
from controller.journal.auditing import Checks, HandCheck, Options, Part, Progress
from controller.journal.codec import Codec, CodecError, Registry, read_body
from controller.journal.hands import Finding, Hand, Pair, decode_hand, decode_rules
from controller.journal.reader import Reader
from controller.journal.recall import untrusted
from controller.journal.records import HAND_ENDED, HAND_OPENED, TABLE_OPENED
from controller.journal.walk import Identity, identity

Untrusted = list[tuple[int, str]]
"""Hand and device: the cards of that hand came from a reader that could not prove who it is."""
Found = tuple[list[Finding], list[Any], Untrusted]
"""Findings and notes of a stretch, and its hands with cards from untrusted readers."""


class Hands(msgspec.Struct, frozen=True):
    """What the pass found, the totals, and per device the hands (ranges, both ends) whose cards it told unproved."""

    findings: list[Finding]
    totals: dict[str, Any]
    untrusted: dict[str, list[list[int]]]


class HandsPass:
    """The stretches as the first pass cuts them: at once in other processes, or in this one when that has ended."""

    def __init__(self, reader: Reader, registry: Registry, checks: Checks, options: Options) -> None:
        self._reader, self._registry, self._checks, self._options = reader, registry, checks, options
        self._parts: list[Part] = []
        self._begun: list[Future[Found]] = []
        parallel = options.jobs > 1 and not options.chain_only
        self._pool = ProcessPoolExecutor(options.jobs, mp_context=get_context("fork")) if parallel else None

    def begin(self, part: Part) -> None:
        """A stretch of which nobody knows yet whether the chain holds on its way: what is found may not count."""
        self._parts.append(part)
        if self._pool is not None:
            self._begun.append(self._pool.submit(_in_process, self._reader.file, self._registry, self._checks, part))

    def finish(self, progress: Progress) -> Hands:
        """Findings of all stretches and of what goes from hand to hand."""
        findings: list[Finding] = []
        notes: list[Any] = []
        untrusted: dict[str, list[list[int]]] = {}
        for part, (found, noted, doubtful) in zip(self._parts, self._results(), strict=True):
            findings += found
            notes += noted
            _joined(untrusted, doubtful)
            progress("hands", part.last, self._reader.last)
        if self._checks.across is None:
            return Hands(findings, {}, untrusted)
        across, totals = self._checks.across.judge(notes, self._options.from_hand is None)
        return Hands(findings + across, totals, untrusted)

    def _results(self) -> Iterator[Found]:
        if self._pool is not None:
            yield from (each.result() for each in self._begun)
            return
        who = identity(next(self._reader.rows(0), None))
        yield from (_Stretch(who, self._registry, self._checks).run(self._reader, part) for part in self._parts)

    def __enter__(self) -> HandsPass:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _joined(ranges: dict[str, list[list[int]]], more: Untrusted) -> None:
    """Hands that follow each other are one range."""
    for number, device in more:
        known = ranges.setdefault(device, [])
        if known and known[-1][1] + 1 == number:
            known[-1][1] = number
        else:
            known.append([number, number])


def _in_process(path: Path, registry: Registry, checks: Checks, part: Part) -> Found:
    with Reader(path) as reader:
        return _Stretch(identity(next(reader.rows(0), None)), registry, checks).run(reader, part)


class _Stretch:
    """One part: the rules in force on the way, what is found and what is noted."""

    def __init__(self, who: Identity, registry: Registry, checks: Checks) -> None:
        self._who, self._registry, self._checks = who, registry, checks
        self._codec = Codec(registry, who.journal_id, None)
        self._rules: msgspec.Struct | None = None
        self._findings: list[Finding] = []
        self._notes: list[Any] = []
        self._untrusted: Untrusted = []

    def run(self, reader: Reader, part: Part) -> Found:
        """Every hand of a stretch, and every record outside hands."""
        try:
            self._rules = None if part.rules is None else decode_rules(self._registry, read_body(part.rules))
        except CodecError as error:
            seq = part.after + 1
            self._findings.append(Finding(seq, "event", f"rules in force at record {seq}: {error}"))
        for rows in _grouped(reader, part):
            if rows[0][1].hand is None:
                self._outside(rows[0])
            else:
                self._hand(rows[0][1].hand, rows)
        return self._findings, self._notes, self._untrusted

    def _outside(self, pair: Pair) -> None:
        body = pair[1]
        try:
            event = self._codec.decode(body, None)
        except CodecError as error:
            self._findings.append(Finding(body.seq, "event", f"record {body.seq}: {error}"))
            return
        self._rules = event if body.type == TABLE_OPENED else self._rules
        self._note(body.seq, None, event)

    def _hand(self, number: int, rows: list[Pair]) -> None:
        hand, found = decode_hand(self._who, self._registry, number, rows, self._rules)
        self._findings += found
        for record in hand.records:
            self._note(record.seq, number, record.event)
        self._untrusted += [(number, device) for device in untrusted(hand)]
        if not found:
            self._findings += [finding for check in self._checks.hands for finding in _checked(check, hand)]

    def _note(self, seq: int, hand: int | None, event: msgspec.Struct) -> None:
        if self._checks.across is None:
            return
        try:
            noted = self._checks.across.note(seq, hand, event)
        except TableError as error:  # rules that this program does not know, say: a finding, and the audit goes on
            self._findings.append(Finding(seq, "event", f"record {seq}: {error.what}", hand))
            return
        if noted is not None:
            self._notes.append(noted)


def _checked(check: HandCheck, hand: Hand) -> list[Finding]:
    """A hand that a check cannot take at all (unknown rules) is a finding; the audit goes on."""
    try:
        return check(hand)
    except TableError as error:
        seq = hand.records[0].seq
        return [Finding(seq, "hand", f"record {seq}, hand {hand.number}: {error.what}", hand.number)]


def _grouped(reader: Reader, part: Part) -> Iterator[list[Pair]]:
    """Records outside hands one by one, hands whole (records of the table between a hand's come before it)."""
    hand: list[Pair] = []
    for row in reader.rows(part.after):
        if row.seq > part.last:
            break
        body = read_body(row.body)
        if body.hand is None:
            yield [(row, body)]
            continue
        if body.type == HAND_OPENED and hand:
            yield hand
            hand = []
        hand.append((row, body))
        if body.type == HAND_ENDED:
            yield hand
            hand = []
    if hand:
        yield hand
