"""Where the battery's streams come from: the table's own draw, its raw words, the kernel's bytes; and bad ones.

Entropy is handed in. A bad source is there to be found: a battery that passes one is blind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import Final

from controller.domain import joker

Entropy = Callable[[int], bytes]
Source = Callable[[Entropy, Sequence[int], int], list[int]]
"""So many symbols for these weights."""

TABLE: Final = "rng-test"


def kernel(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Bytes of seeds as the table takes them."""
    seeds = (entropy(joker.SEED_BYTES) for _ in count())
    return list(islice((byte for seed in seeds for byte in seed), many))


def words(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Bytes of the first words that draws would take."""
    drawn = (next(joker.words(entropy(joker.SEED_BYTES), joker.NO_WITNESS, TABLE, hand, 1)) for hand in count(1))
    return list(islice((byte for word in drawn for byte in word.to_bytes(8, "big")), many))


def draws(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Slots of the joker's board, a fresh seed for each, by the table's own code."""
    return [joker.draw_slot(entropy(joker.SEED_BYTES), None, TABLE, hand, 1, weights) for hand in range(1, many + 1)]


BYTES: Final = (1,) * 256
STREAMS: Final[dict[str, tuple[Source, Sequence[int] | None]]] = {
    "kernel": (kernel, BYTES), "words": (words, BYTES), "draws": (draws, None),
}  # fmt: skip
"""Source and weights; None: those of the joker's board."""


# --- sources that the battery must refuse ----------------------------------------------------------------------------


def _numbers(entropy: Entropy) -> Iterator[int]:
    while True:
        block = entropy(8 * 512)
        yield from (int.from_bytes(block[at : at + 8], "big") for at in range(0, len(block), 8))


def biased(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """The first card half as often again as is due."""
    heavier = [3 * weights[0], *(2 * weight for weight in weights[1:])]
    numbers = _numbers(entropy)
    return [joker.pick(numbers, heavier) for _ in range(many)]


def linear(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """A linear congruence modulo 2^16, its number stretched over the weights."""
    total, state = sum(weights), int.from_bytes(entropy(2), "big")
    found: list[int] = []
    for _ in range(many):
        state = (state * 25173 + 13849) % 65536
        found.append(joker.pick([state * total >> 16], weights))
    return found


def constant(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Always the same slot."""
    return [joker.pick(_numbers(entropy), weights)] * many


def counter(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Every slot in its turn: more even than chance."""
    total = sum(weights)
    return [joker.pick([n % total], weights) for n in range(many)]


def off_by_one(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """A mapping that starts counting one too late: the first slot never comes, the last once more."""
    total, numbers = sum(weights), _numbers(entropy)
    return [joker.pick([min(n % total + 1, total - 1)], weights) for n in islice(numbers, many)]


def modulo(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """The remainder of a byte, none thrown away: some slots a quarter more often than others."""
    total, numbers = sum(weights), _numbers(entropy)
    return [joker.pick([n % 256 % total], weights) for n in islice(numbers, many)]


def shy(entropy: Entropy, weights: Sequence[int], many: int) -> list[int]:
    """Never the slot of the draw before: every one as often as is due, but the past is looked at."""
    numbers, last = _numbers(entropy), -1
    found: list[int] = []
    while len(found) < many:
        slot = joker.pick(numbers, weights)
        if slot != last:
            found.append(slot)
            last = slot
    return found


CONTROLS: Final[dict[str, Source]] = {
    source.__name__: source for source in (biased, linear, constant, counter, off_by_one, modulo, shy)
}
