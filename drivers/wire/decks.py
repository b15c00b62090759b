"""What a shuffler's events hold (docs/protocol.md, section 4): a deck's mark and numbers, never a card.

Owns the layout and its limits. Pure; a detail that does not fit raises ValueError.
"""

from __future__ import annotations

import re
from enum import IntEnum

import msgspec

MARK = re.compile(r"[A-Za-z0-9-]{1,12}\Z")
LAYOUTS: dict[int, tuple[str, ...]] = {
    0x17: (),
    0x18: (),
    0x19: ("count", "doubles", "unread"),
    0x1A: ("reason", "count"),
    0x1B: (),
}


class FailReason(IntEnum):
    """Why a shuffle was not done."""

    JAM = 1
    LID = 2
    POWER = 3
    COUNT = 4
    OTHER = 5


class DeckReport(msgspec.Struct, frozen=True, kw_only=True):
    """One event's detail. `doubles`: cards that equal another one of the deck; `unread`: cards of no known face."""

    deck: str
    count: int = 0
    doubles: int = 0
    unread: int = 0
    reason: int = 0


def is_mark(text: str) -> bool:
    """Whether a deck may be called so: 1 to 12 letters, digits or `-`."""
    return MARK.match(text) is not None


def pack(kind: int, report: DeckReport) -> bytes:
    """The detail of an event of this kind."""
    detail = bytes(getattr(report, name) for name in LAYOUTS[kind]) + pack_mark(report.deck)
    unpack(kind, detail)
    return detail


def pack_mark(deck: str) -> bytes:
    """A deck's mark as text of the protocol."""
    return bytes([len(deck)]) + deck.encode("ascii")


def unpack_mark(data: bytes) -> str:
    """The other way; ValueError where it is not one."""
    if not data or len(data) != 1 + data[0]:
        raise ValueError("wrong length")
    deck = data[1:].decode("latin-1")
    if not is_mark(deck):
        raise ValueError("a deck's mark is not 1 to 12 letters, digits or -")
    return deck


def unpack(kind: int, detail: bytes) -> DeckReport:
    """The detail of an event of this kind, or ValueError."""
    names = LAYOUTS[kind]
    if len(detail) < len(names):
        raise ValueError("wrong length")
    numbers = dict(zip(names, detail, strict=False))
    report = DeckReport(deck=unpack_mark(detail[len(names) :]), **numbers)
    if report.doubles + report.unread > report.count and kind == 0x19:
        raise ValueError("more doubles and unread cards than cards")
    if "reason" in names and report.reason not in FailReason.__members__.values():
        raise ValueError(f"unknown reason {report.reason}")
    return report
