"""Seals: AES-256-GCM text for what must not be read yet, bound to one record of one journal.

Nonces come from the entropy that is handed in. The length of a seal must never depend on what is inside beyond its
padded block: a face-down card may not be told by the length of its record.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Entropy = Callable[[int], bytes]

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
BLOCK: Final = 64
"""Smallest block that a sealed text is filled up to, with blanks, which JSON ignores."""


class SealError(ValueError):
    """A seal that does not open: another key, another place, or a touched text. Says nothing of the content."""


def associated(journal_id: bytes, seq: int) -> bytes:
    """The associated data of a seal: it opens only at its own place in its own journal."""
    return journal_id + seq.to_bytes(8, "big")


def seal(key: bytes, text: bytes, aad: bytes, entropy: Entropy, block: int = BLOCK) -> str:
    """Base64 of nonce, ciphertext and tag."""
    nonce = entropy(NONCE_BYTES)
    filled = text + b" " * (-len(text) % block)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, filled, aad)).decode()


def unseal(key: bytes, sealed: str, aad: bytes) -> bytes:
    """The JSON text inside (blanks at its end). SealError where it does not open."""
    try:
        raw = base64.b64decode(sealed, validate=True)
        return AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], aad)
    except (InvalidTag, binascii.Error, ValueError):
        raise SealError("the seal does not open") from None
