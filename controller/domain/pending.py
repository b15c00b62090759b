"""What stands at a table beyond one hand: disputes that nobody has ended, and what was announced for later hands."""

from __future__ import annotations

from typing import Any

import msgspec


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A box of an ended hand that is still disputed; `net` and `returned` by the record."""

    hand: int
    box: int
    net: int
    returned: int
    reason: str


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """Another plate from a hand on, and the last hand to be played; 0: nothing announced."""

    limits: dict[str, Any] = {}
    from_hand: int = 0
    last_hand: int = 0
