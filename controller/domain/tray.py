"""What the reader at the discard tray saw of a hand, and how far that agrees with the hand's record. Pure.

Looked at only once the hand has ended: until then some of these cards lie face down, and nothing may depend on them.
"""

from __future__ import annotations

from collections import Counter

import msgspec

UNKNOWN = "??"


class Tray(msgspec.Struct, frozen=True, kw_only=True):
    """From one LOCK to the next: cards read at the tray, and the cards of the record of the hand that ended meanwhile.

    `loose`: cards of that hand that nobody knows (unread, burned). `patchy`: the reader was away for a while.
    """

    seen: tuple[str, ...] = ()
    hand: int = 0
    dealt: tuple[str, ...] = ()
    loose: int = 0
    patchy: bool = False

    def __repr__(self) -> str:
        return f"Tray(hand={self.hand}, {len(self.seen)} seen, {len(self.dealt)} dealt)"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Cards by name; the numbers allow for cards that nobody knows and reads that failed."""

    never_dealt: tuple[str, ...]
    twice: tuple[str, ...]
    missing: tuple[str, ...]
    strangers: int
    lost: int

    @property
    def any(self) -> bool:
        """Whether tray and record differ at all."""
        return bool(self.strangers or self.twice or self.lost)

    def __repr__(self) -> str:
        return f"Difference({self.strangers}, {len(self.twice)}, {self.lost})"


def compare(tray: Tray) -> Difference:
    """A card that was never dealt, one seen twice, one that never came. Swapped cards are one of each."""
    count = Counter(tray.seen)
    failed = count.pop(UNKNOWN, 0)
    dealt = set(tray.dealt)
    never = tuple(card for card in count if card not in dealt)
    missing = tuple(card for card in tray.dealt if card not in count)
    return Difference(
        never_dealt=never,
        twice=tuple(card for card, times in count.items() if times > 1),
        missing=missing,
        strangers=max(0, len(never) - tray.loose),
        lost=0 if tray.patchy else max(0, len(missing) - failed),
    )
