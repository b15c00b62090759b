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


class _Pending(msgspec.Struct, frozen=True):
    """A signed record whose signature is still to be checked, and the first record that only it covers."""

    first: int
    row: Row
    signed: Signature


class Walker:
    """The state of a walk: the last number and hash seen, and the last signed record.

    With `every` above 1 only each so-many-th signature is checked, and the last by `settle`: a signature covers all
    records before it, the earlier signatures too.
    """

    def __init__(
        self,
        who: Identity,
        seq: int = 0,
        head: bytes = chain.GENESIS,
        key: Ed25519PublicKey | None = None,
        every: int = 1,
    ) -> None:
        self.seq = seq
        self.head = head
        self.signed = seq
        self.body: Body | None = None
        self._stream: tuple[int | None, str] = (None, stream_of(None))
        self._id = who.journal_id
        self._key = key or who.key
        self._every = every
        self._pending: list[_Pending] = []

    def step(self, row: Row) -> Fault | None:
        """Takes the next row; the first thing wrong with it, if any. The walk goes on from what is stored.

        Behind a broken link no signature covers what came before it, so those still to be checked are checked first.
        """
        fits = row.seq == self.seq + 1 and row.prev == self.head and chain.link(row.prev, row.body) == row.hash
        fault = None if fits else self.settle() or self._broken(row)
        self.seq, self.head = row.seq, row.hash
        checked = self._check_body(row)
        return fault or checked

    def _broken(self, row: Row) -> Fault:
        if row.seq != self.seq + 1:
            what = f"record {self.seq + 1} is missing: {row.seq} follows {self.seq}"
        elif row.prev != self.head:
            what = f"record {row.seq} does not follow on the record before it"
        else:
            what = f"record {row.seq} was changed: its hash does not fit"
        return Fault(min(self.seq + 1, row.seq), row.seq, what)

    def _check_body(self, row: Row) -> Fault | None:
        try:
            self.body = body = read_body(row.body)
        except CodecError as error:
            self.body = None
            return Fault(row.seq, row.seq, f"record {row.seq} is {error}")
        if body.hand != self._stream[0]:
            self._stream = (body.hand, stream_of(body.hand))
        if body.seq != row.seq or row.version != body.v or row.stream != self._stream[1]:
            return Fault(row.seq, row.seq, f"record {row.seq}: its columns do not fit its body")
        return self._check_signature(row, body) if body.type in SIGNED else None

    def _check_signature(self, row: Row, body: Body) -> Fault | None:
        first, self.signed = self.signed + 1, row.seq
        try:
            signed = _signature.decode(body.data)
        except msgspec.MsgspecError:
            return Fault(row.seq, row.seq, f"record {row.seq} holds no signature")
        self._pending.append(_Pending(first, row, signed))
        return self.settle() if len(self._pending) >= self._every else None

    def settle(self) -> Fault | None:
        """Checks the newest signature, which covers all before it; where it fails, each one, to name the first."""
        pending, self._pending = self._pending, []
        if not pending or self._holds(pending[-1]):
            return None
        bad = next(each for each in pending if not self._holds(each))
        what = f"the signature of record {bad.row.seq} does not hold"
        if bad.first < bad.row.seq:
            what = f"a record from {bad.first} to {bad.row.seq} was changed: {what}"
        return Fault(bad.first, bad.row.seq, what)

    def _holds(self, each: _Pending) -> bool:
        row, signed = each.row, each.signed
        if signed.head != row.prev.hex():
            return False
        return chain.signature_holds(self._key, self._id, row.seq, row.prev, row.body, signed.signature)
