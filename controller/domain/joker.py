"""The joker's draw: the commitment to a seed, and the outcome that seeds, table, hand and draw number give.

Pure arithmetic on bytes that are handed in: no entropy, no clock, no float, and nothing of stakes, cards or history.
It must never take a remainder that is not exactly uniform. docs/draw.md has the byte layout and a worked example.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from controller.domain.cards import Card, card_text

DOC: Final = "DOC"
"""The board's word for "dealer's open card"."""

JokerValue = Card | Literal["DOC"]

SEED_BYTES: Final = 32
NO_WITNESS: Final = bytes(SEED_BYTES)
"""Stands for the witness's seed where there is none (the record then says SINGLE_PARTY)."""

COMMITMENT_LABEL: Final = b"table-controller draw commitment 1"
DRAW_LABEL: Final = b"table-controller draw 1"
WORD_BITS: Final = 64
CARD_SLOTS: Final = 52


def prefixed(data: bytes) -> bytes:
    """The field with its length before it (four bytes, big-endian): no two lists of fields give the same bytes."""
    return len(data).to_bytes(4, "big") + data


def commitment(table: str, hand: int, rules_hash: str, seed: bytes) -> bytes:
    """What is shown before the draw. Of the seed, never of the joker: 53 guesses would open that."""
    fields = (COMMITMENT_LABEL, table.encode(), hand.to_bytes(8, "big"), rules_hash.encode(), _checked(seed))
    return hashlib.sha256(b"".join(prefixed(field) for field in fields)).digest()


def words(seed: bytes, witness: bytes, table: str, hand: int, draw: int) -> Iterator[int]:
    """64-bit words without end: four per HMAC-SHA256 block, blocks numbered from 0."""
    message = prefixed(DRAW_LABEL) + _checked(witness) + prefixed(table.encode())
    message += hand.to_bytes(8, "big") + draw.to_bytes(8, "big")
    counter = 0
    while True:
        block = hmac.digest(_checked(seed), message + counter.to_bytes(8, "big"), "sha256")
        for at in range(0, len(block), 8):
            yield int.from_bytes(block[at : at + 8], "big")
        counter += 1


def pick(source: Iterable[int], weights: Sequence[int], word_bits: int = WORD_BITS) -> int:
    """The slot of the first usable word: those beyond the last whole multiple of the sum are thrown away."""
    total = _total(weights, word_bits)
    limit = (1 << word_bits) // total * total
    for word in source:
        if word < limit:
            return _slot(word % total, weights)  # exact: [0, limit) holds each remainder equally often
    raise ValueError("the source of words ended before a usable one")


def draw_slot(seed: bytes, witness: bytes | None, table: str, hand: int, draw: int, weights: Sequence[int]) -> int:
    """The slot of one draw. The same arguments give the same slot for ever."""
    return pick(words(seed, NO_WITNESS if witness is None else witness, table, hand, draw), weights)


def joker_weights(doc_weight: int) -> tuple[int, ...]:
    """52 cards of weight 1 in the order of controller.domain.cards, then DOC. 3 makes the board of 55 equal slots."""
    return (1,) * CARD_SLOTS + (doc_weight,)


def slot_value(slot: int) -> JokerValue:
    """What the board shows for a slot of `joker_weights`."""
    if not 0 <= slot <= CARD_SLOTS:
        raise ValueError(f"no slot {slot} on the board")
    return DOC if slot == CARD_SLOTS else Card(slot)


def slot_text(slot: int) -> str:
    """`7c` or `DOC`."""
    value = slot_value(slot)
    return DOC if value == DOC else card_text(Card(slot))


def draw_joker(seed: bytes, witness: bytes | None, table: str, hand: int, doc_weight: int, draw: int = 1) -> JokerValue:
    """The joker of a hand: its first and only draw."""
    return slot_value(draw_slot(seed, witness, table, hand, draw, joker_weights(doc_weight)))


def _total(weights: Sequence[int], word_bits: int) -> int:
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    total = sum(weights)
    if not 0 < total <= 1 << word_bits:
        raise ValueError(f"weights add up to {total}: not 1 to 2^{word_bits}")
    return total


def _slot(number: int, weights: Sequence[int]) -> int:
    for slot, weight in enumerate(weights):
        if number < weight:
            return slot
        number -= weight
    raise ValueError("a number beyond the weights")


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed of {len(seed)} bytes: {SEED_BYTES} are needed")
    return seed
