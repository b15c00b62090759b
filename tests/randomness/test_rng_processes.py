"""R1: processes that start alike, and forks of one, never draw alike: nothing of a seed is kept in the program."""

from __future__ import annotations

import os

from controller.domain import joker
from controller.randomness.sources import words

PROCESSES = 1000


def forked() -> bytes:
    """The first words of the draws that a fork of this process makes, by the entropy that the table is given."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, bytes(words(os.urandom, joker.joker_weights(3), 16)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return found


def test_a_thousand_forks_draw_a_thousand_ways() -> None:
    found = [forked() for _ in range(PROCESSES)]
    assert {len(prefix) for prefix in found} == {16}
    assert len(set(found)) == PROCESSES
