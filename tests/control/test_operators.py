"""The operators' file and PIN checking: rules of a PIN, rights, atomic replacement, growing locks, the worker."""

from __future__ import annotations

import json
import os
import queue
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from control_rig import WAIT_S, Clock, save_people

from controller.control import operators
from controller.control.operators import Operator, OperatorFile, Role, hash_pin, is_pin, pin_matches
from controller.control.pins import FIRST_LOCK_S, LONGEST_LOCK_S, Lockout, PinDesk, PinRefused, Verdict
from controller.control.protocol import Claim, Identity
from controller.errors import TableError

S = 10**9


@pytest.mark.parametrize("pin", ["1234", "66666666", "111111"])
def test_pins(pin: str) -> None:
    assert is_pin(pin)


@pytest.mark.parametrize("pin", ["", "123", "123456123", "1237", "0123", "12a4", "1234\n", " 1234", "١٢٣٤", "1 2 3 4"])
def test_no_pins(pin: str) -> None:
    assert not is_pin(pin)


def test_hashes_are_salted_and_say_their_cost() -> None:
    one, two = hash_pin("1234"), hash_pin("1234")
    assert one.hash != two.hash
    assert (one.n, one.r, one.p) == (2**14, 8, 1)
    assert pin_matches("1234", one)
    assert not pin_matches("1235", one)
    assert one.hash not in repr(one)


def test_add_list_reset(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    operators.add(path, "s1", "Ann", (Role.SUPERVISOR, Role.DEALER), "1234")
    operators.add(path, "d1", "Борис", (Role.DEALER,), "4321")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = operators.load(path)
    assert [(one.id, one.name, one.roles) for one in found.operators] == [
        ("s1", "Ann", (Role.DEALER, Role.SUPERVISOR)),
        ("d1", "Борис", (Role.DEALER,)),
    ]
    before = path.stat().st_ino
    operators.reset(path, "s1", "5555")
    assert path.stat().st_ino != before
    changed = operators.load(path).find("s1")
    assert changed is not None
    assert pin_matches("5555", changed.pin)
    assert not pin_matches("1234", changed.pin)
    assert "1234" not in path.read_text().replace(changed.pin.hash, "").replace(changed.pin.salt, "")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["operators.json", "operators.json.lock"]


def test_refused_changes_leave_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    operators.add(path, "s1", "Ann", (Role.SUPERVISOR,), "1234")
    before = path.read_bytes()
    refused = [
        ("s1", "Ann", (Role.DEALER,), "5555", "exists"),
        ("s2", "Bob", (Role.DEALER,), "1239", "not a PIN"),
        ("s2", "Bob", (Role.DEALER,), "1234", "cannot be taken"),
        ("S 2", "Bob", (Role.DEALER,), "5555", "no id"),
        ("s2", " ", (Role.DEALER,), "5555", "name"),
        ("s2", "a\nb", (Role.DEALER,), "5555", "name"),
        ("s2", "Bob", (), "5555", "no role"),
    ]
    for one, name, roles, pin, what in refused:
        with pytest.raises(TableError, match=what) as caught:
            operators.add(path, one, name, roles, pin)
        assert pin not in caught.value.line()
    with pytest.raises(TableError, match="no operator"):
        operators.reset(path, "s9", "5555")
    assert path.read_bytes() == before


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    save_people(path)
    path.chmod(0o640)
    with pytest.raises(TableError, match="others may read") as caught:
        operators.load(path)
    assert "chmod 600" in caught.value.line()


def test_files_that_are_no_operators(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    with pytest.raises(TableError, match="No such file"):
        operators.load(path)
    save_people(path)
    good = json.loads(path.read_text())
    twice = {"operators": [good["operators"][0]] * 2}
    odd_role = json.loads(path.read_text().replace('"supervisor"', '"owner"'))
    for content in (b"", b"{", b"\xff", b"[]", json.dumps(twice).encode(), json.dumps(odd_role).encode()):
        path.write_bytes(content)
        with pytest.raises(TableError) as caught:
            operators.load(path)
        assert caught.value.code == "TC-0622"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "operators.json"
    save_people(path)
    before = path.read_bytes()

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("controller.control.operators.os.fsync", no_space)
    with pytest.raises(TableError, match="No space left"):
        operators.save(path, OperatorFile())
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["operators.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_daemons_user_keeps_the_file_when_root_changes_it(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    save_people(path)
    os.chown(path, 1234, 1235)
    operators.reset(path, "s1", "3333")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)


# --- locks


def test_locks_grow_and_end_with_the_right_pin() -> None:
    lockout = Lockout()
    assert [lockout.wrong("s1", 0, True) for _ in range(5)] == [0, 0, FIRST_LOCK_S, 2 * FIRST_LOCK_S, 4 * FIRST_LOCK_S]
    assert lockout.remaining_s("s1", 0) == 4 * FIRST_LOCK_S
    assert lockout.remaining_s("s1", 39 * S + 1) == 1
    assert lockout.remaining_s("s1", 40 * S) == 0
    assert lockout.remaining_s("s2", 0) == 0
    for _ in range(50):
        longest = lockout.wrong("s1", 0, True)
    assert longest == LONGEST_LOCK_S
    lockout.right("s1")
    assert lockout.remaining_s("s1", 0) == 0
    assert lockout.wrong("s1", 0, True) == 0


def test_invented_names_do_not_free_a_real_one() -> None:
    lockout = Lockout(strangers=4)
    for _ in range(3):
        lockout.wrong("s1", 0, True)
    for number in range(1000):
        lockout.wrong(f"x{number}", 0, False)
    assert lockout.remaining_s("s1", 0) == FIRST_LOCK_S
    assert len(lockout._wrong) == 5


# --- the desk


class Desk:
    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.refused: list[PinRefused] = []
        self.desk = PinDesk(path, self.clock, refused=self.refused.append)
        self.desk.start()

    def check(self, *claims: tuple[str, str]) -> Verdict:
        verdicts: queue.Queue[Verdict] = queue.Queue()
        assert self.desk.check(tuple(Claim(*claim) for claim in claims), verdicts.put)
        return verdicts.get(timeout=WAIT_S)

    def keys(self, pin: str) -> Verdict:
        verdicts: queue.Queue[Verdict] = queue.Queue()
        assert self.desk.check_keys(pin, verdicts.put)
        return verdicts.get(timeout=WAIT_S)

    def code(self, *claims: tuple[str, str]) -> str | None:
        verdict = self.check(*claims)
        return verdict.code if isinstance(verdict, TableError) else None


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    save_people(tmp_path / "operators.json")
    found = Desk(tmp_path / "operators.json")
    yield found
    found.desk.close()


def test_right_pins_are_identities(desk: Desk) -> None:
    supervisor = Identity("s1", "S1", (Role.SUPERVISOR,))
    assert desk.check(("s1", "1234"), ("e1", "666666")) == (supervisor, Identity("e1", "E1", (Role.SURVEILLANCE,)))
    assert desk.keys("1234") == (supervisor,)


def test_wrong_pins_lock_that_operator_only(desk: Desk) -> None:
    assert [desk.code(("s1", "4321")) for _ in range(3)] == ["TC-0610"] * 3
    assert desk.code(("s1", "1234")) == "TC-0611"  # even the right one
    assert desk.code(("e1", "666666")) is None
    desk.clock.ns += FIRST_LOCK_S * S
    assert desk.code(("s1", "1234")) is None
    assert [one.locked_s for one in desk.refused] == [0, 0, FIRST_LOCK_S]
    assert desk.code(("s1", "4321")) == "TC-0610"  # the count began anew


def test_a_stranger_looks_like_a_wrong_pin(desk: Desk) -> None:
    assert [desk.code(("nobody", "1234")) for _ in range(4)] == ["TC-0610"] * 3 + ["TC-0611"]


def test_pins_on_the_keys_lock_the_keys(desk: Desk) -> None:
    for _ in range(3):
        assert isinstance(desk.keys("5555"), TableError)
    verdict = desk.keys("1234")
    assert isinstance(verdict, TableError)
    assert verdict.code == "TC-0611"
    assert desk.code(("s1", "1234")) is None


def test_a_replaced_file_counts_at_once(desk: Desk, tmp_path: Path) -> None:
    assert desk.code(("s1", "1234")) is None
    new = Operator(id="s1", name="Ann", roles=(Role.SUPERVISOR,), pin=hash_pin("2222", n=16))
    operators.save(tmp_path / "operators.json", OperatorFile((new,)))
    assert desk.code(("s1", "1234")) == "TC-0610"
    assert desk.code(("s1", "2222")) is None
    (tmp_path / "operators.json").unlink()
    assert desk.code(("s1", "2222")) == "TC-0620"


def test_a_broken_check_is_a_refusal_and_the_desk_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    save_people(path)
    desk = Desk(path)

    def broken(pin: str, kept: object) -> bool:
        raise MemoryError

    matches, desk.desk._matches = desk.desk._matches, broken
    assert desk.code(("s1", "1234")) == "TC-0629"
    desk.desk._matches = matches
    assert desk.code(("s1", "1234")) is None
    desk.desk.close()
    assert not desk.desk.is_alive()


def test_a_busy_desk_says_so_and_closes(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    save_people(path)
    held, go_on = threading.Event(), threading.Event()

    def slow(pin: str, kept: object) -> bool:
        held.set()
        return go_on.wait(WAIT_S)

    desk = PinDesk(path, Clock(), matches=slow, waiting=2)
    desk.start()
    claims = (Claim("s1", "1234"),)
    assert desk.check(claims, lambda _: None)
    assert held.wait(WAIT_S)
    assert [desk.check(claims, lambda _: None) for _ in range(3)] == [True, True, False]
    go_on.set()
    desk.close()
    assert not desk.is_alive()


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_a_pipe_or_folder_in_the_place_of_the_file_holds_nobody_up(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "operators.json"
    make(path)
    with pytest.raises(TableError) as error:
        operators.load(path)
    assert error.value.code in {"TC-0620", "TC-0622"}
