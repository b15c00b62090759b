"""tabled does not start: one TC line that says what, where and what to do, and the right exit code. Nothing is lost."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import shutil
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hil.rig import BIN, Rig, devices_ready, table

pytestmark = pytest.mark.hil

LINE = re.compile(r"TC-\d{4} [^\n]+: [^\n]+: [^\n]+\n\Z")


@pytest.fixture
def rig() -> Iterator[Rig]:
    with Rig() as rig:
        yield rig


def refused(rig: Rig, **how: object) -> tuple[int, str]:
    """Exit code and the one line."""
    code = rig.spawn(**how).wait(15)  # type: ignore[arg-type]
    assert LINE.fullmatch(rig.stderr), rig.stderr
    return code, rig.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("boxes = 6", "boxes = 6\nbonnus = 1", "bonnus"),
        ("boxes = 6", 'boxes = "six"', "boxes"),
        ("ante_min = 1000", "ante_min = -5", "ante_min"),
        ('rules = "jpoker"', 'rules = "jpocker"', "jpocker"),
        ('rules = "jpoker"', "rules = ", "table.toml"),
        ('factory = "firmware_sim"', 'factory = "nothing_there"', "nothing_there"),
    ],
)
def test_a_wrong_configuration(rig: Rig, old: str, new: str, said: str) -> None:
    text = rig.config.read_text("utf-8")
    assert old in text
    rig.config.write_text(text.replace(old, new), "utf-8")
    environ = {"GPIOZERO_PIN_FACTORY": ""} if "factory" in old else {}
    code, line = refused(rig, environ=environ)
    assert code in (2, 4)
    assert said in line


def test_an_old_copy_of_the_journal_put_back(rig: Rig) -> None:
    """T15: with nothing beside it but its witness on another medium."""
    (rig.folder / "stick").mkdir()
    text = rig.config.read_text("utf-8")
    witnessed = 'path = "journal.db"\nwitness = "stick/witness.json"'
    rig.config.write_text(text.replace('path = "journal.db"', witnessed), "utf-8")
    rig.start()
    rig.stop()
    old = rig.journal.read_bytes()
    rig.start()
    assert rig.stop()[0] == 0
    newer = rig.journal.read_bytes()
    (rig.folder / "stderr").unlink()
    rig.journal.write_bytes(old)
    code, line = refused(rig)
    assert (code, line[:7]) == (3, "TC-0249")
    assert rig.journal.read_bytes() == old
    rig.journal.write_bytes(newer)
    assert rig.start()["health"]["journal"]["degraded"] == ""
    assert [r["data"]["why"] for r in rig.records("JournalRepaired")] == ["there was none"]


def test_no_configuration(rig: Rig) -> None:
    rig.config.unlink()
    code, line = refused(rig)
    assert code == 2
    assert str(rig.config) in line


def test_no_journal(rig: Rig) -> None:
    rig.journal.unlink()
    code, line = refused(rig)
    assert code == 3
    assert str(rig.journal) in line
    assert not rig.journal.exists()  # never made anew in silence


@pytest.mark.parametrize("name", ["signing.key", "credential.key"])
def test_no_key(rig: Rig, name: str) -> None:
    (rig.folder / name).unlink()
    code, line = refused(rig)
    assert code in (2, 3)
    assert name in line


def test_no_operators(rig: Rig) -> None:
    (rig.folder / "operators.json").unlink()
    code, line = refused(rig)
    assert code == 2
    assert "operators.json" in line


def test_no_bench() -> None:
    rig = Rig()
    try:
        code, line = refused(rig)
        assert code == 4
        assert "gpio.sock" in line
    finally:
        shutil.rmtree(rig.folder.parent)


LAST = "seq = (select max(seq) - 1 from journal)"
TOUCHES = {
    "a letter": f"update journal set body = replace(body, '2', '3') where {LAST}",
    "a record out": f"delete from journal where {LAST}",
}


@pytest.mark.parametrize("touched", ["a letter", "a record out"])
def test_a_journal_touched_by_hand(touched: str) -> None:
    with table(seed=3) as rig:
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        before = touch(rig.journal, TOUCHES[touched])
        code, line = refused(rig)
        assert code == 3
        assert str(rig.journal) in line
        assert rows(rig.journal) == before  # it is evidence: nobody mends it in passing
        assert rig.tablectl("audit", str(rig.journal)).returncode != 0


def touch(journal: Path, change: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(journal)) as db:
        guards = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"drop trigger {name}")
        assert db.execute(change).rowcount == 1
        for _, made in guards:
            db.execute(made)
        db.commit()
    return rows(journal)


def rows(journal: Path) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(journal)) as db:
        return db.execute("select * from journal order by seq").fetchall()


def test_a_second_daemon_on_the_same_table() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "decisions")
        first, rig.child = rig.child, None
        code, line = refused(rig)
        rig.child = first
        assert code == 5
        assert "holds the journal" in line
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()


@pytest.mark.parametrize("same", ["socket", "port"])
def test_a_second_table_with_the_same(same: str, rig: Rig) -> None:
    with Rig() as other:
        other.start()
        theirs = {"socket": other.folder / "control.sock", "port": other.folder / "shoe"}[same]
        old = {"socket": 'socket = "control.sock"', "port": 'port = "shoe"'}[same]
        rig.config.write_text(rig.config.read_text("utf-8").replace(old, old.split('"')[0] + f'"{theirs}"'), "utf-8")
        code, line = refused(rig)
        assert code == 5
        assert str(theirs) in line
        assert other.child is not None
        assert same == "socket" or f"port in use by pid {other.child.pid}" in line  # F16
        assert devices_ready(other.now)
        assert other.stop()[0] == 0


BAD_LINES = {
    b"{": "TC-0602",
    b"\xff\xfe": "TC-0602",
    b'{"op":"dance"}': "TC-0603",
    b'{"op":"do","name":"void_hand"}': "TC-0603",
    b'{"op":"status","more":1}': "TC-0603",
    b'{"op":"do","name":"no_such_word","hand":0,"version":0}': "TC-05",
    b"[" * 40_000: "TC-060",
    b"x" * 70_000: "TC-0601",
}


def test_nonsense_on_the_socket_is_answered_and_hurts_nobody(rig: Rig) -> None:
    before = rig.start()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(rig.folder / "control.sock"))
        with sock.makefile("rb") as answers:
            for line, code in BAD_LINES.items():
                sock.sendall(line + b"\n")
                error = json.loads(answers.readline())["error"]
                assert error["code"].startswith(code), error
                assert all(error[part] for part in ("message", "where", "remedy"))
    assert rig.now["version"] == before["version"]
    assert rig.stop()[0] == 0
    assert rig.stderr == ""
    rig.audit()


def test_init_touches_nothing_that_is_there(rig: Rig) -> None:
    before = {path.name: path.read_bytes() for path in files(rig.folder)}
    code = rig.spawn(program=(str(BIN / "tabled"), "--init")).wait(15)
    assert code == 2
    assert LINE.fullmatch(rig.stderr)
    after = {path.name: path.read_bytes() for path in files(rig.folder)}
    assert {name: after[name] for name in before} == before


def files(folder: Path) -> list[Path]:
    kept = ("journal.db", "signing.key", "credential.key", "table.toml", "operators.json")
    return [folder / name for name in kept]


def test_a_crash_leaves_no_memory_behind() -> None:
    """A core dump would hold face-down cards: nothing is dumped, neither to a file nor to a collector."""
    with table(seed=3) as rig:
        assert rig.child is not None
        assert max(resource.prlimit(rig.child.pid, resource.RLIMIT_CORE)) <= 1
        rig.child.send_signal(signal.SIGSEGV)
        assert rig.child.wait(10) == -signal.SIGSEGV
        assert not list(Path.cwd().glob("core*"))
