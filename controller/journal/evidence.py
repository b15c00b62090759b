"""The evidence pack of one finished hand: its records with the signatures around them. The public key is enough.

Owns the pack's form (docs/journal.md). It must never hold a key of the table, nor trust what it says of itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.errors import TableError
from controller.journal.auditing import HandCheck
from controller.journal.codec import CodecError, Registry, read_body
from controller.journal.hands import Finding, Hand, Pair, Rows, decode_hand, decode_rules, excerpt
from controller.journal.recall import recall
from controller.journal.records import HAND_ENDED, SIGNED, TABLE_OPENED, Row, field_of, stream_of
from controller.journal.walk import Identity, Walker, identity

LOCKED: Final = "Locked"
KIND: Final = "table-controller evidence 1"
_canonical = msgspec.json.Encoder(order="sorted")


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record as it is stored: hashes as hex, the body as it was written."""

    seq: int
    prev: str
    hash: str
    body: str


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stretches of the journal that each end in a signed record, and what they say as `recall` tells it.

    `opening` begins with record 1, `rules` with the TableOpened in force, `dealer` with his sign-on (or is empty), and
    `records` with the signature before the hand.
    """

    kind: str
    table: str
    hand: int
    journal: str
    public_key: str
    opening: list[Stored]
    rules: list[Stored]
    dealer: list[Stored]
    records: list[Stored]
    facts: dict[str, Any]


def make(source: Rows, registry: Registry, number: int, where: str) -> Pack:
    """The pack of hand `number`. TableError where it is not there, not finished, or does not verify (exit code 3)."""
    try:
        first = next(source.rows(0), None)
        who = identity(first)
        pairs = excerpt(source, who, number, where)
        if not any(body.type == HAND_ENDED for _, body in pairs):
            raise TableError(212, f"hand {number} is not finished", where, "wait for its last record")
        start = pairs[0][0].seq
        before = _signed_before(source, start)
        locked = next((row.seq for row, body in pairs if body.type == LOCKED), start)
        rules = _last_before(source, start, TABLE_OPENED)
        hand, findings = _hand(registry, who, number, pairs, rules)
        if findings:
            raise CodecError(findings[0].what)
        return Pack(
            kind=KIND, table=who.opened.table, hand=number, journal=who.opened.journal,
            public_key=who.opened.public_key, opening=_stretch(source, first), rules=_stretch(source, rules),
            dealer=_stretch(source, _last_before(source, locked, "OperatorSignedOn", b'"role":"dealer"')),
            records=[_stored(row) for row in (*before, *(row for row, _ in pairs))], facts=recall(hand),
        )  # fmt: skip
    except CodecError as error:
        remedy = "run `tablectl audit` on the file"
        raise TableError(208, f"the journal does not verify: {error}", where, remedy, exit_code=3) from None


def encoded(pack: Pack) -> bytes:
    """One line of canonical JSON."""
    return _canonical.encode(pack) + b"\n"


def decoded(data: bytes, where: str) -> Pack:
    """A pack read again. TableError where it is none."""
    try:
        pack = msgspec.json.decode(data, type=Pack)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TableError(243, f"not an evidence pack ({error})", where, "name the JSON file of a pack") from None
    if pack.kind != KIND:
        raise TableError(243, f"a pack of kind {pack.kind!r}", where, f"this program reads {KIND!r}")
    return pack


def check(pack: Pack, registry: Registry, key: Ed25519PublicKey | None, checks: Sequence[HandCheck]) -> list[Finding]:
    """What does not hold, from the pack and the public key alone. Without a key that of record 1 is taken as given."""
    try:
        who = identity(next(iter(_rows(pack.opening)), None))
        findings = [
            fault for part in (pack.opening, pack.rules, pack.dealer, pack.records) for fault in _walk(part, who, key)
        ]
        if key is not None and key != who.key:
            findings.append(Finding(1, "key", "record 1 names another public key than the one given"))
        if findings:
            return findings
        pairs = [(row, read_body(row.body)) for row in _rows(pack.records)]
        if not pairs or not (pairs[0][1].type in SIGNED or pairs[0][0].seq == 1):
            raise CodecError("the records do not begin with a signature before the hand")
        if not pack.rules or (pack.dealer and not dealer_of(pack)):
            raise CodecError("the pack does not show which rules were in force, or who dealt")
        hand, findings = _hand(registry, who, pack.hand, pairs, next(iter(_rows(pack.rules))))
    except CodecError as error:
        return [Finding(1, "event", str(error))]
    if not findings:
        findings = [finding for each in checks for finding in each(hand)]
    return findings + _said(pack, who, hand) + _vouched(pack, hand)


def _vouched(pack: Pack, hand: Hand) -> list[Finding]:
    """LOCK names dealer and rules: other stretches than those, or none, do not go with this hand."""
    locked = hand.last(LOCKED)
    if locked is None:
        return []
    shown = {"dealer": dealer_of(pack), "rules_hash": field_of(hand.opened, "rules_hash")}
    wrong = [name for name, told in shown.items() if (field_of(locked.event, name) or told) != told]
    what = f"hand {pack.hand}: {', '.join(wrong)} of its LOCK (record {locked.seq}) are not what the pack shows"
    return [Finding(locked.seq, "hand", what, pack.hand)] if wrong else []


def _said(pack: Pack, who: Identity, hand: Hand) -> list[Finding]:
    """What the pack says beside its records must be what they say."""
    told = (pack.table, pack.journal, pack.public_key, _canonical.encode(pack.facts))
    due = (who.opened.table, who.opened.journal, who.opened.public_key, _canonical.encode(recall(hand)))
    if told == due:
        return []
    return [Finding(hand.records[0].seq, "hand", f"hand {pack.hand}: the pack tells otherwise than its records")]


def _hand(
    registry: Registry, who: Identity, number: int, pairs: Sequence[Pair], rules: Row | None
) -> tuple[Hand, list[Finding]]:
    own = [pair for pair in pairs if pair[1].hand == number]
    if not own:
        raise CodecError(f"no record of hand {number}")
    opened = None if rules is None else read_body(rules.body)
    if opened is not None and opened.type != TABLE_OPENED:
        raise CodecError(f"record {opened.seq} opens no table")
    return decode_hand(who, registry, number, own, decode_rules(registry, opened))


def _walk(part: Sequence[Stored], who: Identity, key: Ed25519PublicKey | None) -> list[Finding]:
    """A stretch: its links, and the signature that it ends in."""
    if not part:
        return []
    rows = list(_rows(part))
    walker = Walker(who, rows[0].seq - 1, rows[0].prev, key)
    faults = [fault for row in rows if (fault := walker.step(row)) is not None]
    found = [Finding(fault.seq, "chain", fault.what, None, fault.until) for fault in faults]
    if walker.signed != rows[-1].seq:
        found.append(Finding(rows[-1].seq, "end", f"record {rows[-1].seq} ends a stretch and is not signed"))
    return found


def _rows(part: Sequence[Stored]) -> Iterator[Row]:
    for stored in part:
        body = stored.body.encode()
        told = read_body(body)
        try:
            prev, digest = bytes.fromhex(stored.prev), bytes.fromhex(stored.hash)
        except ValueError:
            raise CodecError(f"record {stored.seq}: its hashes are no hex text") from None
        yield Row(stored.seq, stream_of(told.hand), told.v, prev, digest, body)


def _stored(row: Row) -> Stored:
    return Stored(row.seq, row.prev.hex(), row.hash.hex(), row.body.decode())


def _stretch(source: Rows, begin: Row | None) -> list[Stored]:
    """From a record to the first signed one."""
    found: list[Stored] = []
    for row in source.rows(begin.seq - 1) if begin is not None else ():
        found.append(_stored(row))
        if _signed(row):
            break
    return found


def _signed_before(source: Rows, seq: int) -> list[Row]:
    """From the last signed record before a hand (or record 1) up to the hand."""
    found: list[Row] = []
    for row in source.rows_back(seq):
        found.append(row)
        if _signed(row):
            break
    return found[::-1]


def _signed(row: Row) -> bool:
    return b'"signature":"' in row.body and read_body(row.body).type in SIGNED


def _last_before(source: Rows, seq: int, name: str, also: bytes = b"") -> Row | None:
    """The last record of a type before a hand."""
    wanted = f'"type":"{name}"'.encode()
    rows = (row for row in source.rows_back(seq) if wanted in row.body and also in row.body)
    return next((row for row in rows if read_body(row.body).type == name), None)


def dealer_of(pack: Pack) -> str:
    """Who had signed on as dealer; "" where nobody had."""
    if not pack.dealer:
        return ""
    body = read_body(pack.dealer[0].body.encode())
    data: dict[str, Any] = msgspec.json.decode(body.data)
    return str(data["operator"]) if body.type == "OperatorSignedOn" and data["role"] == "dealer" else ""
