"""Killed, or its power cut, at each single write, fsync and rename of a whole hand of each game (F62, F63, F68).

strace says what the table wrote; every moment of it is laid down again and the table started there. `make soak` goes on
for two hands, and with a mirror.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from crash_checks import Moments, strace_there
from crash_images import Call, Disk
from harness_parts import quick_folder

from controller.errors import TableError
from controller.rulesets import shipped

pytestmark = pytest.mark.skipif(not strace_there(), reason="strace is not installed (`make test` as root installs it)")


@pytest.mark.parametrize("game", shipped())
def test_killed_and_its_power_cut_at_every_write_of_a_hand(game: str) -> None:
    with quick_folder() as folder:
        moments = Moments(game, folder)
        killed = moments.check()
        assert killed.images > 200 and killed.restarts > 150 and killed.finished > 20
        cut = moments.check(dice=random.Random(game))
        assert cut.images == 2 * killed.images and cut.restarts > 0


def test_with_a_mirror_whichever_copy_was_ahead() -> None:
    with quick_folder() as folder:
        counted = Moments("jpoker", folder, mirror=True).check(each=3, dice=random.Random(7))
    assert counted.finished > 10


def test_the_check_finds_a_table_that_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    """The control: the same run with its fsyncs taken out must fail."""
    moments = Moments("caribbean", tmp_path)
    moments.calls = [call for call in moments.calls if call.kind != "sync" or "journal" not in call.path.name]
    with pytest.raises((AssertionError, TableError)):
        moments.check(each=5, dice=random.Random(1))


def test_a_write_that_no_fsync_followed_may_be_lost_or_torn() -> None:
    disk, path = Disk(), Path("/a")
    for call in (
        Call("make", path),
        Call("write", path, 0, b"sure"),
        Call("sync", path),
        Call("write", path, 4, b"more"),
    ):
        disk.do(call)
    assert disk.killed() == {path: b"suremore"}
    assert disk.power_cut() == {path: b"sure"}
    seen = {disk.power_cut(random.Random(n))[path] for n in range(60)}
    assert {b"sure", b"suremore", b"suremo"} <= seen
