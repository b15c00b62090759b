"""The base of all events, and the promise that none of them shows a sealed field by accident.

A journal outlives the program: a field that is added to an event later has a default, so that older records still fold.
What cannot have one takes a new version `V` of the event and an upcaster in the journal's registry.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

NO_FIELDS: frozenset[str] = frozenset()


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """HIDDEN names fields sealed with the hand's key, WRAPPED those sealed with the table's credential key."""

    HIDDEN: ClassVar[frozenset[str]] = NO_FIELDS
    WRAPPED: ClassVar[frozenset[str]] = NO_FIELDS

    def __repr__(self) -> str:
        secret = self.HIDDEN | self.WRAPPED | {"key", "seed"}
        shown = (f"{name}={'**' if name in secret else repr(getattr(self, name))}" for name in self.__struct_fields__)
        return f"{type(self).__name__}({', '.join(shown)})"
