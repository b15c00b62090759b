"""Walking the chain: one step a record, one plain sentence where something does not hold.

Used by the start-up check and by the audit alike. It must never stop to trust a stored value that it can compute.
"""

from __future__ import annotations

from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.journal import chain
from controller.journal.codec import CodecError, read_body
from controller.journal.keys import public_key
from controller.journal.records import JOURNAL_OPENED, SCHEMA, SIGNED, Body, JournalOpened, Row, stream_of


class Signature(msgspec.Struct, frozen=True):
    """The two fields that a signed record has."""

    head: str
    signature: str


class Fault(msgspec.Struct, frozen=True):
    """What does not hold, and the records it can lie in."""

    seq: int
    until: int
    what: str


_signature = msgspec.json.Decoder(Signature)
_opened: Final = msgspec.json.Decoder(JournalOpened)


class Identity(msgspec.Struct, frozen=True):
    """What record 1 says."""

    opened: JournalOpened
    journal_id: bytes
    key: Ed25519PublicKey


def identity(first: Row | None) -> Identity:
    """Record 1 read and understood, or a CodecError that says why not."""
    if first is None or first.seq != 1:
        raise CodecError("record 1 is missing")
    body = read_body(first.body)
    if body.type != JOURNAL_OPENED:
        raise CodecError("record 1 does not open a journal")
    try:
        opened = _opened.decode(body.data)
        journal_id, key = bytes.fromhex(opened.journal), public_key(opened.public_key)
    except (msgspec.MsgspecError, ValueError):
        raise CodecError("record 1 does not name a journal and its key") from None
    if opened.schema != SCHEMA:
        raise CodecError(f"the journal has schema {opened.schema}, this program reads {SCHEMA}")
    return Identity(opened, journal_id, key)


class Walker:
    """The state of a walk: the last number and hash seen, and the last record that a good signature covers."""

    def __init__(self, who: Identity, seq: int = 0, head: bytes = chain.GENESIS, key: Ed25519PublicKey | None = None):
        self.seq = seq
        self.head = head
        self.signed = seq
        self.body: Body | None = None
        self._id = who.journal_id
        self._key = key or who.key

    def step(self, row: Row) -> Fault | None:
        """Takes the next row; the first thing wrong with it, if any. The walk goes on from what is stored."""
        what = self._link(row)
        expected, self.seq, self.head = self.seq + 1, row.seq, row.hash
        if what is not None:
            return Fault(min(expected, row.seq), row.seq, what)
        return self._check_body(row)

    def _link(self, row: Row) -> str | None:
        if row.seq != self.seq + 1:
            return f"record {self.seq + 1} is missing: {row.seq} follows {self.seq}"
        if row.prev != self.head:
            return f"record {row.seq} does not follow on the record before it"
        if chain.link(row.prev, row.body) != row.hash:
            return f"record {row.seq} was changed: its hash does not fit"
        return None

    def _check_body(self, row: Row) -> Fault | None:
        try:
            self.body = body = read_body(row.body)
        except CodecError as error:
            self.body = None
            return Fault(row.seq, row.seq, f"record {row.seq} is {error}")
        if body.seq != row.seq or row.version != body.v or row.stream != stream_of(body.hand):
            return Fault(row.seq, row.seq, f"record {row.seq}: its columns do not fit its body")
        return self._check_signature(row, body) if body.type in SIGNED else None

    def _check_signature(self, row: Row, body: Body) -> Fault | None:
        first, self.signed = self.signed + 1, row.seq
        try:
            signed = _signature.decode(body.data)
        except msgspec.MsgspecError:
            return Fault(row.seq, row.seq, f"record {row.seq} holds no signature")
        if signed.head != row.prev.hex() or not chain.signature_holds(
            self._key, self._id, row.seq, row.prev, row.body, signed.signature
        ):
            what = f"a record from {first} to {row.seq} was changed: the signature of record {row.seq} does not hold"
            return Fault(first, row.seq, what)
        return None
