"""The mapping from words to slots, proven by trying every word of a small size on the code that the table runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from controller.domain import joker

Pick = Callable[[Iterable[int], Sequence[int], int], int]
WORD_SIZES = (8, 16)


class Proof(msgspec.Struct, frozen=True):
    """What every word of a size did. `exact`: each slot came by exactly its weight, and no more were thrown away than
    the remainder of the division."""

    word_bits: int
    words: int
    thrown_away: int
    exact: bool


def prove(weights: Sequence[int], word_bits: int, pick: Pick = joker.pick) -> Proof:
    """Enumerates all words; another `pick` is for controls."""
    words, total = 1 << word_bits, sum(weights)
    found: Counter[int] = Counter()
    for word in range(words):
        try:
            found[pick([word], weights, word_bits)] += 1
        except ValueError:  # thrown away, and there was no second word
            found[-1] += 1
    thrown = found.pop(-1, 0)
    due = {slot: weight * (words // total) for slot, weight in enumerate(weights) if weight}
    return Proof(word_bits, words, thrown, dict(found) == due and thrown == words % total)
