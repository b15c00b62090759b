"""Keys, journal, operators: each finding both ways, on real keys and a real journal."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from controller.app import initialise
from controller.control import operators
from controller.control.operators import Role
from controller.doctor import record
from controller.doctor.finding import Level
from controller.doctor.machine import User
from tests.doctor.tree import Tree

OK, WARN, FAIL, SKIPPED = Level.OK, Level.WARN, Level.FAIL, Level.SKIPPED


@pytest.fixture
def table(tree: Tree) -> Tree:
    """A table as `tabled --init` leaves it, with its people."""
    tree.user = User("table-controller", os.getuid(), frozenset({os.getgid()}))
    tree.now = "2999-01-01T00:00:00.000+00:00"
    initialise(tree.scene().config)
    for name, pin, role in (("ann", "1425", Role.DEALER), ("bob", "6315", Role.SUPERVISOR)):
        operators.add(tree.folder / "operators.json", name, name, (role,), pin)
    return tree


def test_a_table_in_order(table: Tree) -> None:
    found = table.find(record.probe)
    assert {one.level for one in found.findings if one.code != "TC-0946"} == {OK}
    assert {one.code for one in found.findings} == {f"TC-094{n}" for n in range(7)}
    assert "1 records verified, head " in found.text(942)


# --- keys


@pytest.mark.parametrize("name", ["signing.key", "credential.key"])
def test_a_key_that_is_missing(table: Tree, name: str) -> None:
    (table.folder / name).unlink()
    found = table.find(record.probe)
    assert found.level(940) is FAIL and name in found.text(940)
    assert found.level(941) is SKIPPED


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_open_to_others(table: Tree, mode: int) -> None:
    (table.folder / "signing.key").chmod(mode)
    found = table.find(record.probe)
    assert found.level(940) is FAIL and f"mode {mode:04o}" in found.text(940) and "chmod" in found.text(940)


def test_a_key_that_is_no_key(table: Tree) -> None:
    (table.folder / "signing.key").write_bytes(b"short")
    assert "bytes long" in table.find(record.probe).text(940)


def test_keys_of_another_table(table: Tree) -> None:
    (table.folder / "signing.key").write_bytes(os.urandom(32))
    found = table.find(record.probe)
    assert found.level(940) is OK
    assert found.level(941) is FAIL and "restore the right keys" in found.text(941)


def test_keys_encrypted_for_the_unit(table: Tree) -> None:
    (table.folder / "signing.key").rename(table.folder / "signing.key.cred")
    found = table.find(record.probe)
    assert (found.level(940), found.level(941)) == (SKIPPED, SKIPPED)


def test_the_shoe_s_key(table: Tree) -> None:
    assert table.find(record.probe).level(946) is WARN  # unsealed = true
    path = table.config()
    path.write_text(path.read_text().replace("unsealed = true", 'key = "shoe.key"'))
    found = table.find(record.probe)
    assert found.level(946) is FAIL and "tablectl pair" in found.text(946)
    key = table.folder / "shoe.key"
    key.write_bytes(bytes(32))
    key.chmod(0o644)
    assert "open to others" in table.find(record.probe).text(946)
    key.chmod(0o600)
    assert table.find(record.probe).level(946) is OK
    table.user = User("table-controller", 4711, frozenset({4712}))
    assert "cannot read the shoe's key" in table.find(record.probe).text(946)


def test_the_shuffler_s_key(table: Tree) -> None:
    table.config('[shuffler]\nvendor = 4617\nproduct = 1\nserial = "SHUF-1"\nkey = "shuffler.key"\n')
    found = table.find(record.probe)
    assert found.level(946) is FAIL and "two people pair the shuffler" in found.text(946)


def test_no_key_is_shown(table: Tree) -> None:
    text = " ".join(one.line() for one in table.find(record.probe).findings)
    for name in ("signing.key", "credential.key"):
        assert (table.folder / name).read_bytes().hex()[:16] not in text


# --- journal


def touched(path: Path, change: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        guards = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"drop trigger {name}")
        db.execute(change)
        for _, made in guards:
            db.execute(made)
        db.commit()


def test_a_journal_that_was_touched(table: Tree) -> None:
    journal = table.folder / "var/journal.db"
    touched(journal, "update journal set hash = zeroblob(32)")
    before = journal.read_bytes()
    found = table.find(record.probe)
    assert found.level(942) is FAIL and "tablectl audit" in found.text(942)
    assert journal.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_file_that_is_no_journal(table: Tree, content: bytes) -> None:
    (table.folder / "var/journal.db").write_bytes(content)
    found = table.find(record.probe)
    assert found.level(942) is FAIL and found.of(943) == []


def test_no_journal(table: Tree) -> None:
    (table.folder / "var/journal.db").unlink()
    found = table.find(record.probe)
    assert found.level(942) is FAIL
    assert not (table.folder / "var/journal.db").exists()


def test_the_clock_stands_before_the_last_record(table: Tree) -> None:
    table.now = "2001-01-01T00:00:00.000+00:00"
    found = table.find(record.probe)
    assert found.level(943) is FAIL and "2001-01-01" in found.text(943)


# --- people


def test_nobody_may_open_the_table(table: Tree) -> None:
    path = table.folder / "operators.json"
    path.unlink()
    found = table.find(record.probe)
    assert found.level(944) is FAIL and found.of(945) == []
    operators.add(path, "ann", "Ann", (Role.DEALER,), "1425")
    found = table.find(record.probe)
    assert found.level(944) is FAIL and "nobody is supervisor" in found.text(944)


def test_operators_that_the_daemon_cannot_read(table: Tree) -> None:
    table.user = User("table-controller", 4711, frozenset({4712}))
    found = table.find(record.probe)
    assert found.level(944) is FAIL and "chown table-controller:" in found.text(944)


@pytest.mark.parametrize(("mode", "level"), [("production", FAIL), ("bench", WARN)])
def test_t25_the_bench_s_pins_on_a_table(table: Tree, mode: str, level: Level) -> None:
    table.config(mode=mode)
    operators.add(table.folder / "operators.json", "carl", "Carl", (Role.DEALER,), "1111")
    found = table.find(record.probe)
    assert found.level(945) is level and "carl" in found.text(945) and "ann" not in found.text(945)


def test_who_may_not_look_is_told_so(table: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user: files that are there but not readable are no failure, only unseen."""
    table.root = False
    monkeypatch.setattr(record.os, "access", lambda *_: False)
    for name in ("signing.key", "credential.key", "operators.json"):
        (table.folder / name).chmod(0o666)  # refused as open to others: the shape of a refusal, whatever its cause
    found = table.find(record.probe)
    assert (found.level(940), found.level(944)) == (SKIPPED, SKIPPED)
    assert "sudo" in found.text(940)
