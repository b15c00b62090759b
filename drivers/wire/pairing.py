"""How a device and a table come to a common key (docs/protocol.md, section 11): X25519 in clear, while people watch.

Sans-I/O; random bytes are given in. Owns the agreement and its proof; keeps no key and decides nothing.
"""

from __future__ import annotations

import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from drivers.wire.codec import pack_texts
from drivers.wire.messages import PUBLIC_BYTES, Pair, Paired

_LABEL = b"table device key 1"


def public_of(private: bytes) -> bytes:
    """The half that may be told, of 32 random bytes."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def answer(asked: Pair, private: bytes, model: str, serial: str, firmware: str) -> tuple[Paired, bytes] | None:
    """The device's end: what to say, and the key to keep. None: the host's half is none."""
    public = public_of(private)
    keys = _agreed(private, asked.public, asked.public + public)
    if keys is None:
        return None
    proof = _proof(keys[1], public, model, serial, firmware)
    return Paired(public, model, serial, firmware, proof), keys[0]


def key_of(private: bytes, said: Paired) -> bytes | None:
    """The host's end: the key that the device has too. None: it proves none."""
    keys = _agreed(private, said.public, public_of(private) + said.public)
    if keys is None:
        return None
    proof = _proof(keys[1], said.public, said.model, said.serial, said.firmware)
    return keys[0] if hmac.compare_digest(proof, said.proof) else None


def _agreed(private: bytes, theirs: bytes, publics: bytes) -> tuple[bytes, bytes] | None:
    """The key and the one that proves it."""
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(theirs))
    except ValueError:  # a point of small order: the result would be known to everybody
        return None
    made = HKDF(SHA256(), 2 * PUBLIC_BYTES, publics, _LABEL).derive(shared)
    return made[:PUBLIC_BYTES], made[PUBLIC_BYTES:]


def _proof(key: bytes, public: bytes, *texts: str) -> bytes:
    return hmac.digest(key, public + pack_texts(*texts), "sha256")
