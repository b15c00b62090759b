"""The hash chain and what a signature covers: bytes in, bytes out.

Owns the layout that docs/journal.md publishes. It must never look at a key that is secret, nor at a file.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.domain.joker import prefixed

GENESIS: Final = bytes(32)
"""`prev` of record 1."""

SIGNATURE_LABEL: Final = b"table-controller journal signature 1"
KEY_LABEL: Final = b"table-controller hand key 1"
_EMPTY: Final = b'"signature":""'


def link(prev: bytes, body: bytes) -> bytes:
    """The hash of a record: over the hash before it and its stored bytes."""
    return hashlib.sha256(prev + body).digest()


def signed_message(journal_id: bytes, seq: int, prev: bytes, unsigned_body: bytes) -> bytes:
    """What a checkpoint signs: all before it through `prev`, and itself with its signature left empty."""
    return prefixed(SIGNATURE_LABEL) + journal_id + seq.to_bytes(8, "big") + link(prev, unsigned_body)


def unsigned(body: bytes, sig: str) -> bytes:
    """The stored body with the signature taken out again (quotes inside strings are escaped: the first match is it)."""
    return body.replace(b'"signature":"' + sig.encode() + b'"', _EMPTY, 1)


def signed(body: bytes, sig: str) -> bytes:
    """The body with its empty signature filled in."""
    return body.replace(_EMPTY, b'"signature":"' + sig.encode() + b'"', 1)


def signature_holds(key: Ed25519PublicKey, journal_id: bytes, seq: int, prev: bytes, body: bytes, sig: str) -> bool:
    """Whether a signed record was written by the holder of the table's signing key."""
    try:
        key.verify(bytes.fromhex(sig), signed_message(journal_id, seq, prev, unsigned(body, sig)))
    except (InvalidSignature, ValueError):
        return False
    return True


def key_commit(key: bytes) -> str:
    """The promise of a hand's key, public from the hand's first record on (AES-GCM alone does not commit to a key)."""
    return hashlib.sha256(prefixed(KEY_LABEL) + prefixed(key)).hexdigest()
