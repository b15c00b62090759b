"""The audit: a journal file checked from its bytes alone, on any machine that has a copy.

First the chain and its signatures, then every hand: key, seals, draw, and whatever checks are handed in. Opens the
file read only and must never write beside it, nor stop at the first finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.errors import TableError
from controller.journal import chain
from controller.journal.codec import CodecError, Registry, read_body
from controller.journal.hands import Finding, Hand, Pair, decode_hand, decode_rules
from controller.journal.reader import Reader
from controller.journal.records import (
    HAND_ENDED,
    HAND_OPENED,
    RUN_ENDED,
    RUN_STARTED,
    TABLE_OPENED,
    Body,
    Row,
    stream_of,
)
from controller.journal.walk import Fault, Identity, Walker, identity

HandCheck = Callable[[Hand], list[Finding]]
Progress = Callable[[int, int], None]

MOST_FINDINGS = 100
PROGRESS_EVERY = 2000
PART_ROWS = 4000
SIGNATURES_EVERY = 64


class Options(msgspec.Struct, frozen=True):
    """What an audit is asked for."""

    key: Ed25519PublicKey | None = None
    head: bytes | None = None
    live: bool = False
    from_hand: int | None = None
    chain_only: bool = False
    jobs: int = 1


class Report(msgspec.Struct, frozen=True):
    """What it found. `hands` are those that ended in the records looked at."""

    records: int
    hands: int
    seq: int
    head: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No finding."""
        return not self.findings

    @property
    def first(self) -> Finding | None:
        """The finding that shows at the lowest record."""
        return next(iter(self.ordered()), None)

    def ordered(self) -> list[Finding]:
        """By the record at which each shows; a range shows at its end."""
        return sorted(self.findings, key=lambda finding: finding.until or finding.seq)


class Part(msgspec.Struct, frozen=True):
    """A stretch of records that begins between hands, and the rules in force there."""

    after: int
    last: int
    rules: bytes | None


def audit(
    path: Path,
    registry: Registry,
    options: Options | None = None,
    checks: Sequence[HandCheck] = (),
    progress: Progress | None = None,
) -> Report:
    """Everything that can be checked. TableError only where the file is no journal at all."""
    options = options or Options()
    with Reader(path) as reader:
        try:
            who = identity(next(reader.rows(0), None))
        except CodecError as error:
            return Report(0, 0, 0, "", (Finding(1, "identity", f"record 1: {error}"),))
        chain_pass = _ChainPass(reader, who, options, progress)
        chain_pass.run()
        findings = chain_pass.findings
        if not options.chain_only and not any(finding.code in _BROKEN for finding in findings):
            findings += _hands_pass(reader, who, registry, chain_pass.parts, options.jobs, checks)
        return Report(chain_pass.records, chain_pass.hands, chain_pass.seq, chain_pass.head, tuple(findings))


_WATCHED = frozenset({HAND_OPENED, HAND_ENDED, TABLE_OPENED})
_BROKEN = frozenset({"chain", "file", "hand"})
"""Findings after which hands are not looked at: their records cannot be told apart."""


class _ChainPass:
    """One walk over all rows: chain, signatures, runs, numbers of hands; and the parts for the second pass."""

    def __init__(self, reader: Reader, who: Identity, options: Options, progress: Progress | None) -> None:
        self._reader = reader
        self._options = options
        self._progress = progress
        self.findings: list[Finding] = []
        self.parts: list[Part] = []
        self.records = self.hands = 0
        start = self._start()
        before = next(reader.rows(start - 1), None) if start else None
        rules = _rules_at(reader, start)
        head = chain.GENESIS if before is None else before.hash
        self._walker = Walker(who, start, head, options.key, SIGNATURES_EVERY)
        self._part = Part(start, start, rules)
        self._rules = rules
        self._hand: int | None = None
        self._open = False
        self._run: str | None = None
        self._last = ""
        if options.key is not None and options.key != who.key:
            self._find(1, "key", "record 1 names another public key than the one given")

    @property
    def seq(self) -> int:
        """The last record."""
        return self._walker.seq

    @property
    def head(self) -> str:
        """Its hash."""
        return self._walker.head.hex()

    def run(self) -> None:
        """All rows, then what only the end can tell."""
        try:
            for row in self._reader.rows(self._walker.seq):
                self._row(row)
        except TableError as error:
            self._find(self._walker.seq + 1, "file", f"record {self._walker.seq + 1}: {error.what}")
        self.parts.append(Part(self._part.after, self._walker.seq, self._part.rules))
        self._chain_fault(self._walker.settle())
        self._end()

    def _chain_fault(self, fault: Fault | None) -> None:
        if fault is not None:
            self._find(fault.seq, "chain", fault.what, until=fault.until)

    def _row(self, row: Row) -> None:
        self._chain_fault(self._walker.step(row))
        self.records += 1
        if self._progress is not None and self.records % PROGRESS_EVERY == 0:
            self._progress(row.seq, self._reader.last)
        body = self._walker.body
        if body is not None:
            self._last = body.type
            if body.run != self._run or body.type in _WATCHED:
                self._follow(row, body)

    def _follow(self, row: Row, body: Body) -> None:
        if body.run != self._run:
            if self._run is not None and body.type != RUN_STARTED:
                self._find(row.seq, "run", f"record {row.seq} is of another run, which never started")
            self._run = body.run
        match body.type:
            case "HandOpened":
                self._hand_opened(row.seq, body)
            case "HandEnded":
                self.hands += 1
                self._open = False
            case "TableOpened":
                self._rules = row.body

    def _hand_opened(self, seq: int, body: Body) -> None:
        if body.hand is None or self._open or (self._hand is not None and body.hand != self._hand + 1):
            self._find(seq, "hand", f"record {seq}: hand {body.hand} does not follow hand {self._hand}, ended")
        self._hand, self._open = body.hand, True
        if seq - self._part.after > PART_ROWS:
            self.parts.append(Part(self._part.after, seq - 1, self._part.rules))
            self._part = Part(seq - 1, seq - 1, self._rules)

    def _end(self) -> None:
        seq = self._walker.seq
        strange = self._reader.schema_fault()
        if strange:
            self._find(max(seq, self._reader.last), "schema", f"{strange}: somebody has worked on the file")
        unread = any(finding.code == "file" for finding in self.findings)  # then nobody knows how it ends
        if self._last != RUN_ENDED and not self._options.live and not unread:
            self._find(seq, "end", f"record {seq}: the journal ends inside a run: cut, or still running")
        if self._options.head is not None and not self._reader.has_hash(self._options.head):
            what = f"the given head is not in the journal, which ends at record {seq}: cut or replaced"
            self._find(seq, "head", what)

    def _start(self) -> int:
        """Number of the record before the first one to look at: the signed one before the hand asked for."""
        hand = self._options.from_hand
        if hand is None:
            return 0
        rows = self._reader.stream(stream_of(hand))
        if not rows:
            raise TableError(211, f"no hand {hand} in this journal", str(self._reader.path), "hands count from 1")
        return rows[0].seq - 1

    def _find(self, seq: int, code: str, what: str, until: int | None = None) -> None:
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Finding(seq, code, what, None, until))


def _rules_at(reader: Reader, start: int) -> bytes | None:
    for row in reader.rows_back(start + 1) if start else ():
        if b'"type":"TableOpened"' in row.body:
            return row.body
    return None


def _hands_pass(
    reader: Reader, who: Identity, registry: Registry, parts: list[Part], jobs: int, checks: Sequence[HandCheck]
) -> list[Finding]:
    if jobs <= 1 or len(parts) == 1:
        found = [_check_part(reader, who, registry, part, checks) for part in parts]
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
            found = list(pool.map(_check_part_of, repeat(reader.path), repeat(registry), parts, repeat(checks)))
    return [finding for findings in found for finding in findings][:MOST_FINDINGS]


def _check_part_of(path: Path, registry: Registry, part: Part, checks: Sequence[HandCheck]) -> list[Finding]:
    with Reader(path) as reader:
        return _check_part(reader, identity(next(reader.rows(0), None)), registry, part, checks)


def _check_part(
    reader: Reader, who: Identity, registry: Registry, part: Part, checks: Sequence[HandCheck]
) -> list[Finding]:
    """Every hand of a stretch, and every record outside hands."""
    findings: list[Finding] = []
    try:
        rules = None if part.rules is None else decode_rules(registry, read_body(part.rules))
    except CodecError as error:
        rules = None
        findings.append(Finding(part.after + 1, "event", f"rules in force at record {part.after + 1}: {error}"))
    for rows in _grouped(reader, part):
        body = rows[0][1]
        if body.hand is None:
            try:
                event = registry.decode(body) if body.wrapped is None else None
                rules = event if body.type == TABLE_OPENED else rules
            except CodecError as error:
                findings.append(Finding(body.seq, "event", f"record {body.seq}: {error}"))
            continue
        hand, found = decode_hand(who, registry, body.hand, rows, rules)
        findings += found
        if not found:
            findings += [finding for check in checks for finding in _checked(check, hand)]
    return findings


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
