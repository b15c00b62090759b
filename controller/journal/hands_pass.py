"""The audit's second pass: every hand opened and checked, every record outside hands read, notes kept for later.

Works on stretches that begin between hands, in this process or in several, with the same findings in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
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


def check_hands(
    reader: Reader, registry: Registry, checks: Checks, parts: list[Part], options: Options, progress: Progress
) -> Hands:
    """Findings of all stretches and of what goes from hand to hand."""
    findings: list[Finding] = []
    notes: list[Any] = []
    untrusted: dict[str, list[list[int]]] = {}
    for part, (found, noted, doubtful) in zip(
        parts, _results(reader, registry, checks, parts, options.jobs), strict=True
    ):
        findings += found
        notes += noted
        _joined(untrusted, doubtful)
        progress("hands", part.last, reader.last)
    if checks.across is None:
        return Hands(findings, {}, untrusted)
    across, totals = checks.across.judge(notes, options.from_hand is None)
    return Hands(findings + across, totals, untrusted)


def _joined(ranges: dict[str, list[list[int]]], more: Untrusted) -> None:
    """Hands that follow each other are one range."""
    for number, device in more:
        known = ranges.setdefault(device, [])
        if known and known[-1][1] + 1 == number:
            known[-1][1] = number
        else:
            known.append([number, number])


def _results(reader: Reader, registry: Registry, checks: Checks, parts: list[Part], jobs: int) -> Iterator[Found]:
    if jobs <= 1 or len(parts) == 1:
        who = identity(next(reader.rows(0), None))
        yield from (_Stretch(who, registry, checks).run(reader, part) for part in parts)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        yield from pool.map(_in_process, repeat(reader.file), repeat(registry), repeat(checks), parts)


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
