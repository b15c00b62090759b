"""The audit's first pass: one walk over all rows for chain, signatures, runs and the numbers of hands.

Also cuts the journal into the stretches of the second pass, told one by one, so that it may begin beside this one.
It must never stop at the first finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from controller.errors import TableError
from controller.journal import auditing, chain
from controller.journal.acts import Act, Owed
from controller.journal.auditing import Options, Part, Progress
from controller.journal.codec import CodecError, read_body
from controller.journal.hands import Finding
from controller.journal.reader import Reader
from controller.journal.records import (
    CONTINUES,
    HAND_ENDED,
    HAND_OPENED,
    MEMORY_CLEARED,
    RUN_ENDED,
    RUN_STARTED,
    TABLE_OPENED,
    Body,
    Row,
    stream_of,
)
from controller.journal.walk import Fault, Identity, Walker

_WATCHED: Final = frozenset({HAND_OPENED, HAND_ENDED, TABLE_OPENED, CONTINUES, MEMORY_CLEARED})


_ROW: Final = re.compile(r"\brow (\d+) ")


class Unsigned(msgspec.Struct, frozen=True):
    """So many records at the end that no signature covers: the first of them, and its time (a label)."""

    records: int
    since: int
    t: str


class _Ended(msgspec.Struct, frozen=True):
    outcome: str = ""


class _Before(msgspec.Struct, frozen=True):
    hand: int


_ended: Final = msgspec.json.Decoder(_Ended)


class ChainPass:
    """One walk over all rows: chain, signatures, runs, numbers of hands; and the parts for the second pass."""

    def __init__(
        self,
        reader: Reader,
        who: Identity,
        options: Options,
        progress: Progress,
        cut: Callable[[Part], None],
    ) -> None:
        """`cut` is told each stretch as soon as its end is known."""
        self._reader = reader
        self._cut = cut
        self._options = options
        self._progress = progress
        self.findings: list[Finding] = []
        self.records = self.hands = 0
        self.outcomes: Counter[str] = Counter()
        start = self._start()
        before = next(reader.rows(start - 1), None) if start else None
        rules = _rules_at(reader, start)
        head = chain.GENESIS if before is None else before.hash
        self._walker = Walker(who, start, head, options.key, auditing.SIGNATURES_EVERY)
        self._part = Part(start, start, rules)
        self._rules = rules
        self._hand: int | None = None if start else 0
        self._open = False
        self._run: str | None = None
        self._last = ""
        self._owed = Owed()
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

    @property
    def unsigned(self) -> Unsigned | None:
        """What stands behind the last signature; None where nothing does, or no record could be read."""
        since = self._walker.signed + 1
        row = next(self._reader.rows(since - 1), None) if since <= self.seq else None
        if row is None or row.seq != since:
            return None
        try:
            when = read_body(row.body).t
        except CodecError:
            when = ""
        return Unsigned(self.seq - since + 1, since, when)

    def run(self) -> None:
        """All rows, then what only the end can tell."""
        try:
            for row in self._reader.rows(self._walker.seq):
                self._row(row)
        except TableError as error:
            self._find(self._walker.seq + 1, "file", f"record {self._walker.seq + 1}: {error.what}")
        self._progress("chain", self._reader.last, self._reader.last)
        self._cut(Part(self._part.after, self._walker.seq, self._part.rules))
        self._chain_fault(self._walker.settle())
        self._unsigned_acts(self._owed.acts)
        self._end()

    def _chain_fault(self, fault: Fault | None) -> None:
        if fault is not None:
            self._find(fault.seq, "chain", fault.what, until=fault.until)

    def _unsigned_acts(self, acts: list[Act]) -> None:
        for act in acts:
            self._find(act.seq, "act", str(act))

    def _row(self, row: Row) -> None:
        self._chain_fault(self._walker.step(row))
        self.records += 1
        if self.records % auditing.PROGRESS_EVERY == 0:
            self._progress("chain", row.seq, self._reader.last)
        body = self._walker.body
        if body is not None:
            self._last = body.type
            self._unsigned_acts(self._owed.step(body))
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
                self.outcomes[_outcome(body)] += 1
            case "TableOpened":
                self._rules = row.body
            case "Continues" | "MemoryCleared":
                self._hand = _before(body)

    def _hand_opened(self, seq: int, body: Body) -> None:
        if body.hand is None or self._open or (self._hand is not None and body.hand != self._hand + 1):
            self._find(seq, "hand", f"record {seq}: hand {body.hand} does not follow hand {self._hand}, ended")
        self._hand, self._open = body.hand, True
        if seq - self._part.after > auditing.PART_ROWS:
            self._cut(Part(self._part.after, seq - 1, self._part.rules))
            self._part = Part(seq - 1, seq - 1, self._rules)

    def _end(self) -> None:
        seq = self._walker.seq
        strange = self._reader.schema_fault()
        if strange:
            self._find(0, "schema", f"{strange}: somebody has worked on the file")
        torn = "" if self._options.chain_only else self._reader.page_fault()
        if torn:
            self._find(_row_in(torn), "schema", f"the file's pages do not hold together: {torn}")
        unread = any(finding.code == "file" for finding in self.findings)  # then nobody knows how it ends
        if self._last != RUN_ENDED and not self._options.live and not unread:
            self._find(seq, "end", f"record {seq}: the journal ends inside a run: cut, or still running")
        if self._options.head is not None and not self._reader.has_hash(self._options.head):
            what = f"the given head is not in the journal, which ends at record {seq}: cut or replaced"
            self._find(seq, "head", what)

    def _start(self) -> int:
        """Number of the record before the first one to look at."""
        hand = self._options.from_hand
        if hand is None:
            return 0
        rows = self._reader.stream(stream_of(hand))
        if not rows:
            raise TableError(211, f"no hand {hand} in this journal", str(self._reader.path), "hands count from 1")
        return rows[0].seq - 1

    def _find(self, seq: int, code: str, what: str, until: int | None = None) -> None:
        if len(self.findings) < auditing.MOST_FINDINGS:
            self.findings.append(Finding(seq, code, what, None, until))


def _row_in(told: str) -> int:
    """The row that SQLite names ("row 57 missing from index by_stream"), which is the record's number; 0 for none."""
    found = _ROW.search(told)
    return int(found[1]) if found is not None else 0


def _outcome(body: Body) -> str:
    """How a hand ended; what is no such record at all is found when the hand is looked at."""
    try:
        return _ended.decode(body.data).outcome
    except msgspec.MsgspecError:
        return ""


def _before(body: Body) -> int | None:
    """The last hand of the journal that this one follows."""
    try:
        return msgspec.json.decode(body.data, type=_Before).hand
    except msgspec.MsgspecError:
        return None


def _rules_at(reader: Reader, start: int) -> bytes | None:
    for row in reader.rows_back(start + 1) if start else ():
        if b'"type":"TableOpened"' in row.body:
            return row.body
    return None
