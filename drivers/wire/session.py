"""The sealed session of the device protocol (docs/protocol.md, section 9): a device's key, new keys for each session.

Sans-I/O: no clock, no randomness of its own (nonces and times are given in). Owns proof, seal, counters and the age of
messages; never answers anything. Noise never reaches it: a frame's CRC was right. What it refuses it names.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from drivers.wire.codec import from_bytes, pack_texts
from drivers.wire.messages import (
    CLEAR,
    PROOF_BYTES,
    VERSION,
    Hello,
    HelloAsk,
    Pair,
    Paired,
    ProtocolError,
)

SEALED = 1  # the security byte
KEY_BYTES = 32
NONCE_BYTES = 16
TAG_BYTES = 16
COUNTER_BYTES = 8
HEADER_BYTES = 4
AGE_NS = 1_000_000_000  # a host's message that can be older is not obeyed
SENT_KEPT = 256
_LABEL = b"table device session 1"
_ID_LABEL = b"table device key id 1"

Entropy = Callable[[int], bytes]  # so many random bytes, from the operating system
Question = tuple[int, bytes]  # a HELLO_ASK: nonce and the host's 16 random bytes


class Tamper(StrEnum):
    """What a whole frame was that no honest device of this table sends now."""

    FORGED = "forged"  # no key that we hold opens it: altered, invented, or another device's
    REPLAYED = "replayed"  # sealed in this session, but sent before: a copy, or out of order
    OLD_SESSION = "old_session"  # sealed in the session before this one, or on its way since then
    DOWNGRADE = "downgrade"  # in clear, where this end has a key
    WRONG_KEY = "wrong_key"  # a HELLO without proof of our key
    UNPAIRED = "unpaired"  # whatever it says: this end has no key to ask for a proof with


class Tampered(msgspec.Struct, frozen=True):
    """A refused frame. `claimed` is what an unproven HELLO says of itself: for people, never to be believed."""

    kind: Tamper
    claimed: Hello | None = None


class Opened(msgspec.Struct, frozen=True):
    """An authentic message as its clear content. `late`: older than AGE_NS, perhaps. `begun`: first of its session."""

    content: bytes
    late: bool = False
    begun: int | None = None


class NoSession(msgspec.Struct, frozen=True):
    """A sealed message of this type came to a device that has no session."""

    message_type: int


Found = Opened | Tampered | NoSession | None  # None: not for us, and no news


class Seal(Protocol):
    """What a Link asks of its session. Contents are header and body, clear on our side, sealed on the line's."""

    def wrap(self, content: bytes, now_ns: int) -> bytes:
        """A message of ours -> what goes into the frame."""

    def unwrap(self, content: bytes, now_ns: int) -> Found:
        """A frame of the other side -> what it was. ProtocolError where a right CRC closes off nonsense."""


def key_id(key: bytes) -> str:
    """16 hex digits that name a key and tell nothing of it."""
    return hashlib.sha256(_ID_LABEL + key).hexdigest()[:16]


class SessionKeys:
    """The three keys of one session, and where both directions stand."""

    def __init__(self, key: bytes, question: Question, answer: bytes, hello: Hello, *, host: bool) -> None:
        self.question, self.answer = question, answer
        info = _LABEL + question[0].to_bytes(8, "little") + hello.boot_id + pack_texts(hello.model, hello.serial)
        made = HKDF(SHA256(), 3 * KEY_BYTES, question[1] + answer, info).derive(key)
        to_device, to_host, self._proof = made[:32], made[32:64], made[64:]
        self._ours, self._theirs = map(AESGCM, (to_device, to_host) if host else (to_host, to_device))
        self.sent = 0
        self.heard = 0

    def proof(self, content: bytes) -> bytes:
        """Of a HELLO: whoever made it holds the device's key and answers this question."""
        return hmac.digest(self._proof, content, "sha256")

    def seal(self, header: bytes, body: bytes) -> bytes:
        """The next message of our direction."""
        self.sent += 1
        counter = self.sent.to_bytes(COUNTER_BYTES, "little")
        return header + counter + self._ours.encrypt(bytes(4) + counter, body, header + counter)

    def open(self, content: bytes) -> bytes | None:
        """The body of a message of the other direction, whenever it was sent; None: not of this session."""
        counter = content[HEADER_BYTES : HEADER_BYTES + COUNTER_BYTES]
        head = content[: HEADER_BYTES + COUNTER_BYTES]
        try:
            return self._theirs.decrypt(bytes(4) + counter, content[len(head) :], head)
        except InvalidTag:
            return None

    def fresh(self, content: bytes) -> bool:
        """Whether this (authentic) message is newer than all before it; marks it as heard."""
        counter = int.from_bytes(content[HEADER_BYTES : HEADER_BYTES + COUNTER_BYTES], "little")
        newer, self.heard = counter > self.heard, max(self.heard, counter)
        return newer


def _header(content: bytes, security: int) -> bytes:
    return content[:1] + bytes([security]) + content[2:HEADER_BYTES]


def _clear(content: bytes, body: bytes) -> bytes:
    return _header(content, CLEAR) + body


def _require_sealed(content: bytes) -> None:
    least = HEADER_BYTES + COUNTER_BYTES + TAG_BYTES
    if content[:1] != bytes([VERSION]):
        raise ProtocolError(f"version {content[0]}, expected {VERSION}")
    if content[1] != SEALED:
        raise ProtocolError(f"security {content[1]}, expected {SEALED}")
    if content[2] not in (HelloAsk.TYPE, Hello.TYPE) and len(content) < least:
        raise ProtocolError("wrong length")


class HostSeal:
    """The host's end. `key` None: not paired, so nothing is believed."""

    def __init__(self, key: bytes | None, entropy: Entropy) -> None:
        self._key, self._entropy = key, entropy
        self._asked: Question | None = None
        self._active: SessionKeys | None = None
        self._before: SessionKeys | None = None

    @property
    def paired(self) -> bool:
        """Whether there is a key to ask for a proof with."""
        return self._key is not None

    def nonce(self) -> int:
        """For a new question; no earlier run of this host has asked with it."""
        return max(1, int.from_bytes(self._entropy(8), "little"))

    def rekey(self, key: bytes | None) -> None:
        """Another key, or none: every session ends, every question is void."""
        self._key = key
        self._asked = self._active = self._before = None

    def wrap(self, content: bytes, now_ns: int) -> bytes:
        """A question gets random bytes, once for each nonce; everything else is sealed. `now_ns` is not needed."""
        header, body = _header(content, SEALED), content[HEADER_BYTES:]
        if content[2] == Pair.TYPE:
            return content
        if content[2] == HelloAsk.TYPE:
            nonce = int.from_bytes(body, "little")
            if self._asked is None or self._asked[0] != nonce:
                self._asked = (nonce, self._entropy(NONCE_BYTES))
            return header + body + self._asked[1]
        if self._active is None:
            raise ValueError("no session to seal with")
        return self._active.seal(header, self._active.heard.to_bytes(COUNTER_BYTES, "little") + body)

    def unwrap(self, content: bytes, now_ns: int) -> Found:
        """A HELLO that proves the key begins a session; other messages are opened."""
        if content[1:3] == bytes([CLEAR, Paired.TYPE]):
            return Opened(content)  # counts only while people pair
        if self._key is None:
            return Tampered(Tamper.UNPAIRED)
        if content[1] == CLEAR:
            return Tampered(Tamper.DOWNGRADE)
        _require_sealed(content)
        if content[2] == Hello.TYPE:
            return self._hello(content, self._key)
        if self._active is None:
            return None  # of a session before this run: nobody can tell what it was
        body = self._active.open(content)
        if body is not None:
            return Opened(_clear(content, body)) if self._active.fresh(content) else Tampered(Tamper.REPLAYED)
        if self._active.heard == 0:  # on its way since before this session, which the device may not know of yet
            return Tampered(Tamper.OLD_SESSION)
        known = self._before is not None and self._before.open(content) is not None
        return Tampered(Tamper.OLD_SESSION if known else Tamper.FORGED)

    def _hello(self, content: bytes, key: bytes) -> Found:
        if content[HEADER_BYTES : HEADER_BYTES + 8] == bytes(8):
            return Opened(
                _clear(content, content[HEADER_BYTES:])
            )  # "ask me": proves nothing, and may be said by anyone
        told, proof = content[:-PROOF_BYTES], content[-PROOF_BYTES:]
        body, answer = told[HEADER_BYTES:-NONCE_BYTES], told[-NONCE_BYTES:]
        hello = from_bytes(_clear(content, body))
        if not isinstance(hello, Hello) or self._asked is None or hello.nonce != self._asked[0]:
            return None  # an answer to an older question
        keys = SessionKeys(key, self._asked, answer, hello, host=True)
        if not hmac.compare_digest(keys.proof(told), proof):
            return Tampered(Tamper.WRONG_KEY, hello)
        if self._active is not None and self._active.question == self._asked:
            return None  # the question was answered already: one answer, one session
        self._before, self._active = self._active, keys
        return Opened(_clear(content, body))


class DeviceSeal:
    """The device's end: the session, and the one that a host may be about to begin."""

    def __init__(self, key: bytes, entropy: Entropy) -> None:
        self._key, self._entropy = key, entropy
        self._asked: Question | None = None
        self._active: SessionKeys | None = None
        self._pending: SessionKeys | None = None
        self._before: SessionKeys | None = None
        self._sent: deque[tuple[int, int]] = deque(maxlen=SENT_KEPT)  # number and time of what we sent in the session
        self._pending_ns = 0

    def wrap(self, content: bytes, now_ns: int) -> bytes:
        """A HELLO is proven, except "ask me"; everything else is sealed. Empty: nobody waits for it any more."""
        header, body = _header(content, SEALED), content[HEADER_BYTES:]
        if content[2] == Paired.TYPE:
            return content
        if content[2] == Hello.TYPE:
            return header + body if body[:8] == bytes(8) else self._prove(content, now_ns)
        if self._active is None:
            raise ValueError("no session to seal with")
        self._sent.append((self._active.sent + 1, now_ns))
        return self._active.seal(header, body)

    def unwrap(self, content: bytes, now_ns: int) -> Found:
        """A message opened by the keys of a session about to begin begins it; the one before ends with that."""
        if content[1:3] == bytes([CLEAR, Pair.TYPE]):
            return Opened(content)  # counts only while the device's own switch says so
        if content[1] == CLEAR:
            return Tampered(Tamper.DOWNGRADE)
        _require_sealed(content)
        if content[2] == HelloAsk.TYPE:
            return self._hello_ask(content)
        begun = self._pending is not None and self._pending.open(content) is not None
        if begun:
            self._begin()
        if self._active is None:
            return NoSession(content[2])
        body = self._active.open(content)
        if body is None:
            known = self._before is not None and self._before.open(content) is not None
            return Tampered(Tamper.OLD_SESSION if known else Tamper.FORGED)
        if len(body) < COUNTER_BYTES:
            raise ProtocolError("wrong length")
        if not self._active.fresh(content):
            return Tampered(Tamper.REPLAYED)
        late = self._late(int.from_bytes(body[:COUNTER_BYTES], "little"), now_ns)
        return Opened(_clear(content, body[COUNTER_BYTES:]), late, self._active.question[0] if begun else None)

    def _hello_ask(self, content: bytes) -> Found:
        if len(content) != HEADER_BYTES + 8 + NONCE_BYTES:
            raise ProtocolError("wrong length")
        nonce, random = content[HEADER_BYTES:-NONCE_BYTES], content[-NONCE_BYTES:]
        self._asked = (int.from_bytes(nonce, "little"), random)
        return Opened(_clear(content, nonce))

    def _prove(self, content: bytes, now_ns: int) -> bytes:
        """Keys for the question: those it has already, or new ones."""
        hello, question = from_bytes(content), self._asked
        if not isinstance(hello, Hello) or question is None or question[0] != hello.nonce:
            return b""
        had = (keys for keys in (self._active, self._pending) if keys is not None and keys.question == question)
        keys = next(had, None)
        if keys is None:
            answer = self._entropy(NONCE_BYTES)
            keys = self._pending = SessionKeys(self._key, question, answer, hello, host=False)
            self._pending_ns = now_ns
        told = _header(content, SEALED) + content[HEADER_BYTES:] + keys.answer
        return told + keys.proof(told)

    def _begin(self) -> None:
        self._before, self._active, self._pending = self._active, self._pending, None
        self._sent.clear()
        self._sent.append((0, self._pending_ns))

    def _late(self, heard: int, now_ns: int) -> bool:
        """The host made this message after it had heard our message `heard`; when did we send that?"""
        while len(self._sent) > 1 and self._sent[0][0] < heard:
            self._sent.popleft()
        number, sent_ns = self._sent[0]
        return number != heard or now_ns - sent_ns > AGE_NS
