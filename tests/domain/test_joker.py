"""The draw: the exact mapping on words small enough to enumerate, the golden example, and what must not matter."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.domain import joker
from controller.domain.cards import parse_card

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "draw.json").read_text())
SEED = bytes(range(32))


@pytest.mark.parametrize("doc_weight", [0, 1, 3, 8, 60])
@pytest.mark.parametrize("bits", [8, 16])
def test_every_word_of_a_small_size_falls_exactly_by_weight(doc_weight: int, bits: int) -> None:
    weights = joker.joker_weights(doc_weight)
    total = sum(weights)
    usable = (1 << bits) // total
    counts: Counter[int] = Counter()
    refused = 0
    for word in range(1 << bits):
        try:
            counts[joker.pick([word], weights, bits)] += 1
        except ValueError:
            refused += 1
    assert [counts[slot] for slot in range(53)] == [usable * weight for weight in weights]
    assert refused == (1 << bits) % total


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
def test_any_weights_are_met_exactly_on_a_byte(weights: list[int]) -> None:
    counts: Counter[int] = Counter()
    for word in range(256):
        if word < 256 // sum(weights) * sum(weights):
            counts[joker.pick([word], weights, 8)] += 1
    assert [counts[slot] for slot in range(len(weights))] == [256 // sum(weights) * weight for weight in weights]


def test_a_word_that_is_thrown_away_makes_room_for_the_next() -> None:
    assert joker.pick([255, 254, 7], joker.joker_weights(3), 8) == 7


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1, 3], [200, 100]])
def test_impossible_weights_are_refused(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="weight"):
        joker.pick([1], weights, 8)


def test_golden_example() -> None:
    for case in GOLDEN["cases"]:
        seed = bytes.fromhex(case["seed"])
        witness = bytes.fromhex(case["witness"]) if case["witness"] else None
        table, hand, draw = case["table"], case["hand"], case["draw"]
        assert joker.commitment(table, hand, case["rules_hash"], seed).hex() == case["commitment"]
        found = joker.words(seed, witness or joker.NO_WITNESS, table, hand, draw)
        assert [f"{word:016x}" for word in islice(found, 5)] == case["words"]
        slot = joker.draw_slot(seed, witness, table, hand, draw, joker.joker_weights(case["doc_weight"]))
        assert (slot, joker.slot_text(slot)) == (case["slot"], case["shown"])


def test_each_argument_changes_the_words_and_the_same_ones_never_do() -> None:
    base = (SEED, joker.NO_WITNESS, "T1", 17, 1)
    others = [
        (bytes(32), joker.NO_WITNESS, "T1", 17, 1),
        (SEED, SEED, "T1", 17, 1),
        (SEED, joker.NO_WITNESS, "T2", 17, 1),
        (SEED, joker.NO_WITNESS, "T1", 18, 1),
        (SEED, joker.NO_WITNESS, "T1", 17, 2),
    ]
    assert next(joker.words(*base)) == next(joker.words(*base))
    assert len({next(joker.words(*each)) for each in [base, *others]}) == 6


def test_field_borders_cannot_be_moved() -> None:
    assert joker.commitment("T1", 1, "ab", SEED) != joker.commitment("T", 1, "1ab", SEED)
    assert joker.commitment("T1", 1, "ab", SEED) != joker.commitment("T1a", 1, "b", SEED)


def test_slots_are_the_cards_then_doc() -> None:
    assert joker.slot_value(0) == parse_card("2c")
    assert joker.slot_text(51) == "As"
    assert joker.slot_value(52) == joker.slot_text(52) == "DOC"
    with pytest.raises(ValueError, match="53"):
        joker.slot_value(53)


def test_seeds_have_their_length() -> None:
    for seed, witness in ((bytes(31), None), (SEED, bytes(33))):
        with pytest.raises(ValueError, match="32 are needed"):
            joker.draw_joker(seed, witness, "T1", 1, 3)


def test_frequencies_pass_at_99_percent() -> None:
    weights = joker.joker_weights(3)
    n = 55_000
    counts = Counter(joker.draw_slot(SEED, None, "T1", hand, 1, weights) for hand in range(n))
    chi = sum((counts[slot] - n * w / 55) ** 2 / (n * w / 55) for slot, w in enumerate(weights))
    assert chi < 78.6  # 52 degrees of freedom
