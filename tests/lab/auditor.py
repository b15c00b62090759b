"""An auditor as a laboratory would write its own: from docs/journal.md and docs/draw.md, with none of the table's code.

Needs the standard library and `cryptography`. Finds what was touched and names the first bad record; settles no hand.

    python auditor.py JOURNAL [--head HEX] [--key HEX] [--live]
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

COLUMNS = "seq, stream, version, prev, hash, body"
KEYS = {"seq", "t", "synced", "mono", "run", "type", "v", "hand", "data", "sealed", "wrapped", "key_commit"}
SIGNED = ("Checkpoint", "RunEnded")
ACTS = ("MeterCorrected", "DisputeClosed", "CarriedReturned")
RANKS, SUITS = "23456789TJQKA", "cdhs"
Row = tuple[int, bytes, int, bytes, bytes, bytes]
Body = dict[str, Any]


class Finding(NamedTuple):
    """Records `first` to `last` hold something that does not fit."""

    first: int
    last: int
    what: str


def prefixed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


@dataclass
class Chain:
    """Numbers, links, hashes, columns and signatures, row by row."""

    seq: int = 0
    head: bytes = bytes(32)
    signed: int = 0
    journal: bytes = b""
    key: Ed25519PublicKey | None = None

    def take(self, row: Row) -> tuple[Body | None, Finding | None]:
        """The row's body and what is wrong with it; the walk goes on from what is stored."""
        seq, stream, version, prev, digest, raw = row
        expected, head = self.seq + 1, self.head
        self.seq, self.head = seq, digest
        if seq != expected:
            return None, Finding(min(seq, expected), seq, f"record {expected} is missing, {seq} stands there")
        if prev != head or hashlib.sha256(prev + raw).digest() != digest:
            return None, Finding(seq, seq, "the link or the hash does not fit")
        body = parsed(raw)
        if body is None or body["seq"] != seq or body["v"] != version or stream != stream_of(body).encode():
            return None, Finding(seq, seq, "no body of a record, or columns that do not repeat it")
        if seq == 1 and not self._opened(body):
            return body, Finding(1, 1, "record 1 opens no journal")
        if body["type"] in SIGNED:
            covered, self.signed = self.signed + 1, seq
            if not self._signature_holds(body, prev, raw):
                return body, Finding(covered, seq, f"signature {seq} does not hold")
        return body, None

    def _opened(self, body: Body) -> bool:
        data = body["data"]
        try:
            self.journal = bytes.fromhex(data["journal"])
            self.key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(data["public_key"]))
        except (KeyError, TypeError, ValueError):
            return False
        return bool(body["type"] == "JournalOpened" and data.get("schema") == 1 and len(self.journal) == 16)

    def _signature_holds(self, body: Body, prev: bytes, raw: bytes) -> bool:
        data = body["data"]
        if self.key is None or data.get("head") != prev.hex():
            return False
        empty = raw.replace(b'"signature":"%s"' % data["signature"].encode(), b'"signature":""', 1)
        message = prefixed(b"table-controller journal signature 1") + self.journal + body["seq"].to_bytes(8, "big")
        try:
            self.key.verify(bytes.fromhex(data["signature"]), message + hashlib.sha256(prev + empty).digest())
        except (InvalidSignature, ValueError):
            return False
        return True


def parsed(raw: bytes) -> Body | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    fits = isinstance(body, dict) and set(body) == KEYS and isinstance(body["data"], dict)
    return body if fits else None


def stream_of(body: Body) -> str:
    return "table" if body["hand"] is None else f"hand/{body['hand']}"


def opened(journal: bytes, records: list[Body]) -> Iterator[Finding]:
    """Opens the seals of a finished hand with its revealed key, once that is the promised one. Fills `data` up."""
    last = records[-1]["seq"]
    secret = bytes.fromhex(records[-1]["data"]["key"])
    promise = hashlib.sha256(prefixed(b"table-controller hand key 1") + prefixed(secret)).hexdigest()
    if records[0]["type"] != "HandOpened" or records[0]["key_commit"] != promise:
        yield Finding(last, last, "another key than promised")
        return
    for record in records:
        if record["sealed"] is None:
            continue
        place = journal + record["seq"].to_bytes(8, "big")
        try:
            seal = base64.b64decode(record["sealed"], validate=True)
            record["data"] |= json.loads(AESGCM(secret).decrypt(seal[:12], seal[12:], place))
        except (InvalidTag, ValueError):
            yield Finding(record["seq"], record["seq"], "a seal does not open")
            return


def draw(table: str, records: list[Body], rules: Body) -> Iterator[Finding]:
    """The draw of a finished hand from its seeds."""
    of = {record["type"]: record for record in records}
    locked, drawn, shown, ended = (of.get(n) for n in ("Locked", "JokerDrawn", "JokerShown", "HandEnded"))
    draws = [record["seq"] for record in records if record["type"] == "JokerDrawn"]
    if len(draws) > 1 or (draws and locked is None):
        yield Finding(draws[-1], draws[-1], "a second draw, or one before the lock")
    if locked is None or ended is None or not locked["data"]["commitment"]:
        return
    seed, number = bytes.fromhex(locked["data"]["seed"]), locked["hand"]
    parts = (b"table-controller draw commitment 1", table.encode(), number.to_bytes(8, "big"),
             rules["rules_hash"].encode(), seed)  # fmt: skip
    if hashlib.sha256(b"".join(map(prefixed, parts))).hexdigest() != locked["data"]["commitment"]:
        yield Finding(locked["seq"], locked["seq"], "the commitment does not fit the seed")
    if ended["data"]["seed"] != seed.hex():
        yield Finding(ended["seq"], ended["seq"], "another seed is revealed than was locked")
    if drawn is None:
        return
    witness = locked["data"].get("witness_seed") or bytes(32).hex()
    number_of = int(drawn["data"]["draw"]).to_bytes(8, "big")
    due = slot(seed, bytes.fromhex(witness), table, number, rules["rules"]["doc_weight"], number_of)
    for record in filter(None, (drawn, shown)):
        if record["data"]["slot"] != due:
            yield Finding(record["seq"], record["seq"], f"the seeds give {due}")


def slot(seed: bytes, witness: bytes, table: str, hand: int, doc_weight: int, draw_number: bytes) -> str:
    total, block = 52 + doc_weight, 0
    message = prefixed(b"table-controller draw 1") + witness + prefixed(table.encode())
    message += hand.to_bytes(8, "big") + draw_number
    while True:
        words = hmac.new(seed, message + block.to_bytes(8, "big"), "sha256").digest()
        for at in (0, 8, 16, 24):
            word = int.from_bytes(words[at : at + 8], "big")
            if word < 2**64 // total * total:
                place = word % total
                return RANKS[place // 4] + SUITS[place % 4] if place < 52 else "DOC"
        block += 1


@dataclass
class Meter:
    """The progressive, from record to record."""

    amount: str = ""
    reserve: str = "0"
    last_hit: int = 0
    begun: bool = False
    chips: int | None = None
    hits: dict[int, tuple[int, int]] = field(default_factory=dict)
    grown: tuple[int, Fraction] | None = None

    def take(self, record: Body, rules: Body) -> Iterator[Finding]:
        data, seq = record["data"], record["seq"]
        if record["type"] != "JackpotHit" and self.grown is not None:
            yield from self._fed(rules)
        self.begun = self.begun or record["type"] in ("Locked", "MeterMoved")
        match record["type"]:
            case "Locked" if data["meter"] and (data["meter"], data["reserve"]) != (self.amount, self.reserve):
                yield Finding(seq, seq, f"the meter is taken up at {data['meter']}, it stood at {self.amount}")
            case "HandSettled" if "request" in data:
                bet = "bonus" if rules["rules"]["jackpot"]["jackpot_mode"] == "bonus_royal" else "jackpot"
                self.chips = sum(box.get(bet, 0) for box in data["request"]["boxes"])
            case "StateKept":
                kept = tuple(str(data["state"].get(name, "")) for name in ("meter", "reserve", "hits"))
                if not self.begun:  # the journal goes on from another: the meter is the one that it begins with
                    self.amount, self.reserve, self.last_hit = kept[0], kept[1] or "0", int(kept[2] or 0)
                elif kept != (self.amount, self.reserve, str(self.last_hit)):
                    yield Finding(seq, seq, f"the kept state has a meter of {kept[0]}, it stands at {self.amount}")
            case "MeterMoved":
                if data["before"] != self.amount:
                    yield Finding(seq, seq, f"the meter moves from {data['before']}, it stood at {self.amount}")
                if self.amount:
                    held = Fraction(self.amount) + Fraction(self.reserve)
                    self.grown = seq, Fraction(data["after"]) + Fraction(data["reserve"]) - held
                self.amount, self.reserve = data["after"], data["reserve"]
            case "MeterCorrected":
                if (data["before"], data["reserve_before"]) != (self.amount, self.reserve):
                    yield Finding(seq, seq, f"the meter is corrected from {data['before']}, it stood at {self.amount}")
                if len(set(data["operators"])) < 2 or not data["reason"].strip():
                    yield Finding(seq, seq, "the meter is corrected without two people and a reason")
                self.amount, self.reserve = data["after"], data["reserve"]
            case "JackpotHit":
                self.grown = None  # what was won leaves the meter
                if data["id"] != self.last_hit + 1:
                    yield Finding(seq, seq, f"hit {data['id']} follows hit {self.last_hit}")
                self.last_hit = data["id"]
                self.hits[data["id"]] = (data["box"], data["prize"])
            case "JackpotAwarded" if self.hits.pop(data["id"], None) != (data["box"], data["prize"]):
                yield Finding(seq, seq, "an award that nobody hit")

    def _fed(self, rules: Body) -> Iterator[Finding]:
        (seq, grown), self.grown = self.grown or (0, Fraction(0)), None
        terms = rules["rules"]["jackpot"]
        if terms["contribution_basis"] == "bets":
            due = (Fraction(str(terms["rate"])) + Fraction(str(terms["hidden_rate"]))) * (self.chips or 0)
            if grown != due:
                yield Finding(seq, seq, f"the meter grew by {grown}, {due} was contributed")
        self.chips = None


@dataclass
class Auditor:
    """A whole journal, record by record."""

    chain: Chain = field(default_factory=Chain)
    meter: Meter = field(default_factory=Meter)
    findings: list[Finding] = field(default_factory=list)
    hand: list[Body] = field(default_factory=list)
    rules: Body = field(default_factory=dict)
    table: str = ""
    hands: int = 0
    ended: int = 0
    last: Body | None = None
    unsigned: list[int] = field(default_factory=list)

    def run(self, rows: Iterable[Row], *, live: bool = False) -> list[Finding]:
        """All findings; what cannot be told apart any more is not looked at."""
        for row in rows:
            body, finding = self.chain.take(row)
            if finding is not None:
                self.findings.append(finding)
            if body is not None and not self.findings:
                self._acts(body)
                self._facts(body)
                self.last = body
        if not self.findings:
            self._never_signed()
        if not self.findings and not live and (self.last is None or self.last["type"] != "RunEnded"):
            self.findings.append(Finding(self.chain.seq, self.chain.seq, "ends inside a run: cut, or still running"))
        return sorted(self.findings, key=lambda finding: finding.last)

    def _acts(self, body: Body) -> None:
        """What people did outside the play with money counts by a signature of the same run, and by nothing else."""
        if self.last is not None and body["run"] != self.last["run"]:
            self._never_signed()
        if body["type"] in SIGNED:
            self.unsigned = []
        elif body["type"] in ACTS or (body["type"] == "MeterMoved" and body["hand"] is None):
            self.unsigned.append(body["seq"])

    def _never_signed(self) -> None:
        self.findings += (Finding(seq, seq, "an act that moves money, signed by nobody") for seq in self.unsigned)
        self.unsigned = []

    def _facts(self, body: Body) -> None:
        match body["type"]:
            case "JournalOpened":
                self.table = body["data"]["table"]
            case "TableOpened":
                self.rules = body["data"]
            case "Continues" | "MemoryCleared":
                self.hands = body["data"]["hand"]
            case "HandOpened":
                if body["hand"] != self.hands + 1 or (self.hand and self.hand[-1]["type"] != "HandEnded"):
                    self._find(body, f"hand {body['hand']} does not follow hand {self.hands}, ended")
                self.hand, self.hands = [], body["hand"]
        if body["hand"] is None:
            self.findings += self.meter.take(body, self.rules)
            return
        if body["hand"] != self.hands:
            self._find(body, "a record of a hand that is not open")
        self.hand.append(body)
        if body["type"] == "HandEnded":
            self._ended()

    def _ended(self) -> None:
        self.ended += 1
        self.findings += opened(self.chain.journal, self.hand)
        if self.findings:
            return
        self.findings += draw(self.table, self.hand, self.rules)
        for record in self.hand:
            self.findings += self.meter.take(record, self.rules)

    def _find(self, body: Body, what: str) -> None:
        self.findings.append(Finding(body["seq"], body["seq"], what))


def rows_of(path: Path) -> list[Row]:
    """The stored rows, read without a trace. Copy a file that has a write-ahead file beside it first, both together."""
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    connection.text_factory = bytes
    rows: list[Row] = connection.execute(f"SELECT {COLUMNS} FROM journal ORDER BY seq").fetchall()
    connection.close()
    return rows


def audit(path: Path, *, head: str = "", key: str = "", live: bool = False) -> tuple[Auditor, list[Finding]]:
    """The whole file."""
    auditor, rows = Auditor(), rows_of(path)
    findings = auditor.run(rows, live=live)
    if head and not any(row[4].hex() == head.lower() for row in rows):
        findings.append(Finding(auditor.chain.seq, auditor.chain.seq, "the given head is not in it: cut or put back"))
    if key and not (auditor.chain.key and auditor.chain.key.public_bytes_raw().hex() == key.lower()):
        findings.insert(0, Finding(1, 1, "another public key than the given one"))
    return auditor, findings


def main() -> int:
    """Prints the findings, or that there are none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--head", default="")
    parser.add_argument("--key", default="")
    parser.add_argument("--live", action="store_true")
    given = parser.parse_args()
    auditor, findings = audit(given.journal, head=given.head, key=given.key, live=given.live)
    for finding in findings:
        print(f"record {finding.first} to {finding.last}: {finding.what}")
    if not findings:
        print(f"OK {auditor.ended} hands, {auditor.chain.seq} records, head {auditor.chain.head.hex()}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
