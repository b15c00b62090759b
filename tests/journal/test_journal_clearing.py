"""A memory clear gives no hand's number twice, however little can still be read (F63, F88)."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import journal_samples as samples
import pytest

from controller.domain.events import registry
from controller.journal.clearing import clear
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.opening import Owner, open_verified
from controller.journal.records import MemoryCleared


def cleared(path: Path) -> MemoryCleared:
    keys = samples.keys_in(path.parent / "keys")
    verified = partial(open_verified, owner=Owner("T1", keys))

    def make(where: Path) -> Journal:
        return Journal.create(
            where, table="T1", keys=keys, registry=Registry(registry()), entropy=os.urandom, stamp=samples.stamp()
        )

    return clear([path], verified, make, lambda _: ({}, ""), ("s", "w"), samples.stamp())


@pytest.mark.parametrize("archived", [False, True])
def test_a_second_clear_counts_on_from_what_lies_beside_it(tmp_path: Path, archived: bool) -> None:
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    samples.play(journal, 5)
    journal.close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 4096)
        file.seek(100)
        file.write(b"\xff" * 64)
    if archived:
        path.with_name("journal-000001-000041.db").touch()
    expected = 41 if archived else 5
    assert cleared(path).hand == expected
    path.write_bytes(b"nothing is left")
    assert cleared(path).hand == expected
    path.write_bytes(b"again nothing")
    assert cleared(path).hand == expected
    assert (tmp_path / "journal.db.aside-3").read_bytes() == b"again nothing"
