"""Badges in the operators' file and at the PIN desk; `tablectl operator badge`, `remove` and --config."""

from __future__ import annotations

import json
import os
import queue
from pathlib import Path

import pytest

from controller.cli.main import run
from controller.control import operators
from controller.control.operators import Role
from controller.control.pins import FREE_TRIES, PinDesk, Verdict
from controller.errors import TableError
from firmware_sim.demo_files import SHOE, TABLE

BADGE = "04A1B2C3"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "operators.json"
    operators.add(path, "d1", "Boris", (Role.DEALER,), "1111")
    operators.add(path, "s1", "Ann", (Role.SUPERVISOR,), "2222")
    return path


def badge_of(path: Path, badge: str) -> str | None:
    owner = operators.badge_owner(operators.load(path), badge)
    return owner.id if owner else None


def test_a_badge_finds_its_owner_and_is_not_kept(path: Path) -> None:
    before = path.read_text("utf-8")
    assert "badge" not in before  # a file without badges is what it was
    operators.set_badge(path, "d1", BADGE)
    assert (badge_of(path, BADGE), badge_of(path, "04A1B2C4"), badge_of(path, "")) == ("d1", None, None)
    assert BADGE not in path.read_text("utf-8")
    operators.reset(path, "d1", "3333")
    operators.add(path, "d2", "Vera", (Role.DEALER,), "4444")
    assert badge_of(path, BADGE) == "d1"
    with pytest.raises(TableError, match="somebody else's"):
        operators.set_badge(path, "s1", BADGE)
    operators.set_badge(path, "d1", BADGE)  # his own again
    operators.set_badge(path, "d1", "05000000")
    operators.set_badge(path, "s1", BADGE)
    assert (badge_of(path, BADGE), badge_of(path, "05000000")) == ("s1", "d1")
    operators.set_badge(path, "s1", None)
    assert badge_of(path, BADGE) is None


@pytest.mark.parametrize("badge", ["", "123", "12 45", "x" * 65, "тест", "1234\n"])
def test_what_is_no_badge(path: Path, badge: str) -> None:
    with pytest.raises(TableError, match="not a badge"):
        operators.set_badge(path, "d1", badge)


def test_who_is_removed_is_gone_with_pin_and_badge(path: Path) -> None:
    operators.set_badge(path, "d1", BADGE)
    operators.remove(path, "d1")
    assert [one.id for one in operators.load(path).operators] == ["s1"]
    assert badge_of(path, BADGE) is None
    with pytest.raises(TableError, match="no operator"):
        operators.remove(path, "d1")
    operators.add(path, "d3", "Gleb", (Role.DEALER,), "1111")  # his PIN is free again


def test_the_desk_knows_a_badge_and_locks_strangers_out(path: Path) -> None:
    operators.set_badge(path, "d1", BADGE)
    now = [0]
    desk, said = PinDesk(path, lambda: now[0]), queue.Queue[Verdict]()
    desk.start()
    try:
        desk.check_badge(BADGE, said.put)
        verdict = said.get(timeout=5)
        assert isinstance(verdict, tuple)
        assert [(one.operator, one.roles) for one in verdict] == [("d1", (Role.DEALER,))]
        for _ in range(FREE_TRIES):
            desk.check_badge("05000000", said.put)
            assert said.get(timeout=5).code == "TC-0610"  # type: ignore[union-attr]
        desk.check_badge(BADGE, said.put)
        assert said.get(timeout=5).code == "TC-0611"  # type: ignore[union-attr]
        desk.check_keys("1111", said.put)  # the spare still works
        assert isinstance(said.get(timeout=5), tuple)
        now[0] = 10 * 10**9
        desk.check_badge(BADGE, said.put)
        assert isinstance(said.get(timeout=5), tuple)
    finally:
        desk.close()


def test_the_commands(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = path.with_name("table.toml")
    config.write_text(TABLE.format(game="jpoker", boxes=6, cards="shoe", source=SHOE), "utf-8")
    read, write = os.pipe()
    os.write(write, f"{BADGE}\n".encode())
    os.close(write)
    assert run(["operator", "badge", "d1", "--config", str(config), "--badge-fd", str(read)]) == 0
    assert badge_of(path, BADGE) == "d1"
    assert run(["operator", "list", "--config", str(config), "--json"]) == 0
    out = capsys.readouterr().out
    assert [(one["id"], one["badge"]) for one in json.loads(out.splitlines()[-1])] == [("d1", True), ("s1", False)]
    assert BADGE not in out
    assert run(["operator", "badge", "d1", "--none", "--file", str(path)]) == 0
    assert badge_of(path, BADGE) is None
    assert run(["operator", "remove", "d1", "--file", str(path)]) == 0
    assert run(["operator", "remove", "d1", "--file", str(path), "--config", str(config)]) == 2
    assert run(["operator", "remove", "d1", "--config", str(config)]) == 2
    assert "TC-0626" in capsys.readouterr().err
