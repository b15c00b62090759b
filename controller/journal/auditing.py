"""What an audit is asked, what it is told on the way, and the stretches it is cut into. Frozen data and names only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.journal.hands import Finding, Hand

HandCheck = Callable[[Hand], list[Finding]]
Progress = Callable[[str, int, int], None]
"""Told the stage ("chain", then "hands"), and how many records of how many are done."""

MOST_FINDINGS = 100
PROGRESS_EVERY = 2000
PART_ROWS = 4000
SIGNATURES_EVERY = 64


class Options(msgspec.Struct, frozen=True):
    """What an audit is asked for."""

    key: Ed25519PublicKey | None = None
    head: bytes | None = None
    live: bool = False
    from_hand: int | None = None
    chain_only: bool = False
    jobs: int = 1


class Across(msgspec.Struct, frozen=True):
    """A check that goes from hand to hand. Both are module-level functions: `--jobs` sends them to other processes.

    `note` takes number, hand and event of a record and keeps what matters of it (None: nothing); `judge` gets all
    notes in order, and whether they begin with the journal, and gives findings and totals.
    """

    note: Callable[[int, int | None, msgspec.Struct], Any]
    judge: Callable[[Sequence[Any], bool], tuple[list[Finding], dict[str, Any]]]


class Checks(msgspec.Struct, frozen=True):
    """What is asked beyond the journal's own form: of every hand, and from hand to hand."""

    hands: tuple[HandCheck, ...] = ()
    across: Across | None = None


class Part(msgspec.Struct, frozen=True):
    """A stretch of records that begins between hands, and the rules in force there."""

    after: int
    last: int
    rules: bytes | None
