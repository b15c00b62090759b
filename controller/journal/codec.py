"""Events to bodies and back, generic over the event classes that are handed in.

An event class names the fields that are sealed with the hand's key (HIDDEN) and with the table's credential (WRAPPED);
everything else is public at once. Without the right key a field stays shut: decoding never guesses, and an error text
never repeats what was inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from controller.domain.events import JournalDegraded
from controller.journal import chain
from controller.journal.records import (
    HAND_OPENED,
    Body,
    Checkpoint,
    Continues,
    JournalOpened,
    MemoryCleared,
    Record,
    SealedEvent,
    Stamp,
    StateKept,
)
from controller.journal.sealing import BLOCK, Entropy, associated, seal, unseal

Upcast = Callable[[dict[str, Any]], dict[str, Any]]

BIG_BLOCK: Final = 8192
"""Block of a seal that holds more than texts of fixed length (a whole settlement): its length must tell no hand."""

_canonical = msgspec.json.Encoder(order="sorted")
_body = msgspec.json.Decoder(Body)


_OF_THE_FILE = (JournalOpened, Continues, MemoryCleared, StateKept, Checkpoint)
OWN: Final[tuple[type[msgspec.Struct], ...]] = (*_OF_THE_FILE, JournalDegraded)
"""What the journal writes by itself, in any registry."""


class CodecError(ValueError):
    """A body that is no record of this registry, or an event that may not be recorded so."""


class Draft(msgspec.Struct, frozen=True):
    """An event about to be recorded. `key` is the open hand's key, where there is one."""

    event: msgspec.Struct
    seq: int
    hand: int | None
    stamp: Stamp
    key: bytes | None

    def __repr__(self) -> str:
        return f"Draft(seq={self.seq}, type={type(self.event).__name__!r})"


class Registry:
    """Event classes by type name, and the functions that lift the data of older versions."""

    def __init__(
        self, classes: Mapping[str, type[msgspec.Struct]], upcasters: Mapping[tuple[str, int], Upcast] | None = None
    ) -> None:
        own = {cls.__name__: cls for cls in OWN}
        self.classes: dict[str, type[msgspec.Struct]] = {**classes, **own}
        self.upcasters = dict(upcasters or {})
        self._decoders: dict[str, msgspec.json.Decoder[msgspec.Struct]] = {}  # made as they are wanted

    def __reduce__(self) -> tuple[type[Registry], tuple[object, object]]:
        return Registry, (self.classes, self.upcasters)  # decoders do not travel to the audit's other processes

    def decode(self, body: Body) -> msgspec.Struct:
        """An event without sealed fields, straight from its bytes."""
        cls = self.find(body)
        if body.v != version_of(cls):
            return self.build(body, {})
        try:
            return self._decoder(body.type, cls).decode(body.data)
        except msgspec.ValidationError as error:
            raise CodecError(f"{body.type}: {error}") from None

    def _decoder(self, name: str, cls: type[msgspec.Struct]) -> msgspec.json.Decoder[msgspec.Struct]:
        found = self._decoders.get(name)
        if found is None:
            found = self._decoders[name] = msgspec.json.Decoder(cls)
        return found

    def build(self, body: Body, secret: dict[str, Any]) -> msgspec.Struct:
        """An event of its public fields and the opened ones, lifted to today's version."""
        cls = self.find(body)
        fields: dict[str, Any] = {**msgspec.json.decode(body.data), **secret}
        for v in range(body.v, version_of(cls)):
            if (body.type, v) not in self.upcasters:
                raise CodecError(f"{body.type}: nothing lifts version {v}")
            fields = self.upcasters[body.type, v](fields)
        try:
            return msgspec.convert(fields, cls)
        except msgspec.ValidationError:
            raise CodecError(f"{body.type}: its fields do not fit the type") from None

    def find(self, body: Body) -> type[msgspec.Struct]:
        """The class of a body, or CodecError: an unknown type, or one from a newer program."""
        cls = self.classes.get(body.type)
        if cls is None:
            raise CodecError(f"unknown type {body.type!r}")
        if not 1 <= body.v <= version_of(cls):
            raise CodecError(f"{body.type}: version {body.v} is not known")
        return cls


class Codec:
    """Encodes with the keys of the table and decodes with whatever keys there are."""

    def __init__(self, registry: Registry, journal_id: bytes, credential: bytes | None) -> None:
        self.registry = registry
        self.journal_id = journal_id
        self._credential = credential

    def encode(self, draft: Draft, entropy: Entropy) -> bytes:
        """The canonical JSON body."""
        cls = type(draft.event)
        if self.registry.classes.get(cls.__name__) is not cls:
            raise CodecError(f"{cls.__name__} is not in the registry")
        fields: dict[str, Any] = msgspec.to_builtins(draft.event)
        fields.pop("type", None)
        aad = associated(self.journal_id, draft.seq)
        hidden, wrapped = hidden_of(cls), wrapped_of(cls)
        opening = cls.__name__ == HAND_OPENED
        commit = chain.key_commit(bytes.fromhex(fields["key"])) if opening else None
        body = Body(
            seq=draft.seq, t=draft.stamp.t, mono=draft.stamp.mono, run=draft.stamp.run, synced=draft.stamp.synced,
            type=cls.__name__, v=version_of(cls), hand=draft.hand,
            sealed=_shut(draft.key, fields, hidden, aad, entropy),
            wrapped=_shut(self._credential, fields, wrapped, aad, entropy),
            key_commit=commit, data=msgspec.Raw(_canonical.encode(fields)),
        )  # fmt: skip
        return _canonical.encode(body)

    def decode(self, body: Body, hand_key: bytes | None) -> msgspec.Struct:
        """The event, or a SealedEvent where a key is missing. SealError where a key is there and does not open."""
        if body.sealed is None and body.wrapped is None:
            return self.registry.decode(body)
        aad = associated(self.journal_id, body.seq)
        secret: dict[str, Any] = {}
        for text, key in ((body.sealed, hand_key), (body.wrapped, self._credential)):
            if text is None:
                continue
            if key is None:
                return self._still_shut(body)
            secret |= msgspec.json.decode(unseal(key, text, aad))
        return self.registry.build(body, secret)

    def record(self, body: Body, digest: bytes, hand_key: bytes | None) -> Record:
        """A decoded record."""
        stamp = Stamp(body.t, body.mono, body.run, body.synced)
        return Record(body.seq, body.hand, body.type, stamp, self.decode(body, hand_key), digest)

    def _still_shut(self, body: Body) -> SealedEvent:
        cls = self.registry.find(body)
        return SealedEvent(body.type, msgspec.json.decode(body.data), hidden_of(cls) | wrapped_of(cls))


def read_body(raw: bytes) -> Body:
    """The body of a row. CodecError where it is no JSON of that shape."""
    try:
        return _body.decode(raw)
    except msgspec.MsgspecError as error:
        raise CodecError(f"no body of a record ({error})") from None
    except UnicodeDecodeError:
        raise CodecError("no body of a record (not UTF-8)") from None


def hidden_of(cls: type[msgspec.Struct]) -> frozenset[str]:
    """Fields sealed with the hand's key."""
    return getattr(cls, "HIDDEN", frozenset())


def wrapped_of(cls: type[msgspec.Struct]) -> frozenset[str]:
    """Fields sealed with the table's credential."""
    return getattr(cls, "WRAPPED", frozenset())


def version_of(cls: type[msgspec.Struct]) -> int:
    """The schema number of a class; 1 unless it says otherwise."""
    return getattr(cls, "V", 1)


def _shut(key: bytes | None, fields: dict[str, Any], names: frozenset[str], aad: bytes, entropy: Entropy) -> str | None:
    """Takes the named fields out and seals them."""
    if not names:
        return None
    if key is None:
        raise CodecError("a hidden field outside a hand: there is no key to seal it with")
    taken = {name: fields.pop(name) for name in names}
    block = BLOCK if all(isinstance(value, str) for value in taken.values()) else BIG_BLOCK
    return seal(key, _canonical.encode(taken), aad, entropy, block)
