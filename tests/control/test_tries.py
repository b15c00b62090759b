"""PINs checked without a daemon lock as at the sign-on, over every new start of the program."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from control_rig import save_people

from controller.control import tries
from controller.control.pins import FIRST_LOCK_S, FREE_TRIES
from controller.control.tries import proved
from controller.errors import TableError

S = 10**9


class Program:
    """Started anew for every try."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "operators.json"
        save_people(self.file)
        self.now_ns, self.boot = 1000 * S, "first"

    def __call__(self, name: str, pin: str) -> str:
        try:
            found = proved(self.file, (name,), (pin,), lambda: self.now_ns, lambda: self.boot)
        except TableError as error:
            return f"{error.code} {error.remedy}"
        return found[0].id


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def locked(program: Program, name: str = "d1", pin: str = "1111") -> None:
    for _ in range(FREE_TRIES - 1):
        assert program(name, "6666") == "TC-0610 try again"
    assert program(name, "6666") == f"TC-0610 wait {FIRST_LOCK_S} s"
    assert program(name, pin).startswith("TC-0611")


def test_the_right_pin_is_no_use_while_it_is_locked_and_forgets_the_wrong_ones_afterwards(program: Program) -> None:
    locked(program)
    program.now_ns += FIRST_LOCK_S * S
    assert program("d1", "1111") == "d1"
    assert program("d1", "6666") == "TC-0610 try again"


def test_it_locks_for_longer_each_time(program: Program) -> None:
    locked(program)
    program.now_ns += FIRST_LOCK_S * S
    assert program("d1", "6666") == f"TC-0610 wait {2 * FIRST_LOCK_S} s"


def test_a_restart_of_the_machine_does_not_open_it(program: Program) -> None:
    """Its clock begins anew, and so does the lock."""
    locked(program)
    program.boot, program.now_ns = "second", 5 * S
    assert program("d1", "1111") == f"TC-0611 wait {FIRST_LOCK_S} s"
    program.now_ns += FIRST_LOCK_S * S
    assert program("d1", "6666") == f"TC-0610 wait {2 * FIRST_LOCK_S} s"


def test_a_name_that_nobody_has_is_locked_alike(program: Program) -> None:
    locked(program, name="nobody", pin="6666")


def test_a_try_counts_before_the_pin_is_looked_at(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who ends the program in time has had his try."""

    def killed(pin: str, kept: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(tries, "pin_matches", killed)
    for _ in range(FREE_TRIES):
        with pytest.raises(KeyboardInterrupt):
            program("d1", "1111")
    monkeypatch.undo()
    assert program("d1", "1111").startswith("TC-0611")


def test_the_file_holds_counts_and_no_pin(program: Program) -> None:
    program("d1", "6666")
    beside = program.file.with_name("operators.json.tries")
    assert beside.stat().st_mode & 0o777 == 0o600
    assert json.loads(beside.read_text()) == {"boot": "first", "wrong": {"d1": 1}, "until_ns": {}}
    beside.write_text("rubbish")
    assert program("d1", "1111").startswith("TC-0622")


def test_a_write_that_fails_leaves_the_counts(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, or `ulimit -f 0`, is no way around the lock."""
    locked(program)

    def full(handle: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tries.os, "pwrite", full)
    assert program("d1", "1111").startswith("TC-0623")
    monkeypatch.undo()
    assert program("d1", "1111").startswith("TC-0611")
