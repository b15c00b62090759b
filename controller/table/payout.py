"""What the dealer's hands do at a settled box: TAKE, PAY or BACK, odds, amount, and the chips that make it up. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

SAY = {"lose": "TAKE", "win": "PAY", "push": "BACK", "carry": "STAYS"}
ORDER = ("ante", "bet", "insurance", "bonus", "jackpot")
SHORT = {"ante": "ANTE", "bet": "BET", "insurance": "INS", "bonus": "BONUS", "jackpot": "JACKP"}


class PayLine(msgspec.Struct, frozen=True):
    """One stake's line. `amount` is what moves: the stake taken or handed back, the winnings paid (the stake stays)."""

    stake: str
    say: str
    odds: str
    amount: int
    chips: str

    def text(self) -> str:
        """Twenty characters at most for usual amounts: `BET PAY 2:1 4000`."""
        words = (SHORT[self.stake], self.say, self.odds, str(self.amount or ""))
        return " ".join(word for word in words if word)


def pay_lines(
    stakes: Mapping[str, Mapping[str, Any]] | None, chips: Sequence[int], *, odds_only: bool = False
) -> tuple[PayLine, ...]:
    """The lines of a box's answer, in the order in which they are settled. Fees were taken when they fell due.

    `odds_only`: the amounts are not known, so none is told.
    """
    found = []
    for name in ORDER:
        line = (stakes or {}).get(name)
        if line is None or line["outcome"] not in SAY:
            continue
        amount = 0 if odds_only else line["profit"] if line["outcome"] == "win" else line["staked"]
        odds = line.get("odds", "")
        found.append(PayLine(name, SAY[line["outcome"]], odds, amount, in_chips(amount, chips)))
    return tuple(found)


def in_chips(amount: int, chips: Sequence[int]) -> str:
    """`1x500 2x100`, the largest first; what no chip makes up stands last as `+3`."""
    words = []
    for chip in sorted(chips, reverse=True):
        count, amount = divmod(amount, chip)
        if count:
            words.append(f"{count}x{chip}")
    return " ".join([*words, f"+{amount}"] if amount else words)
