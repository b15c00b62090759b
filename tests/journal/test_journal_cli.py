"""`audit`, `recall` and `verify-hand` over a journal of the table's real events."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import journal_samples as samples
import msgspec
import pytest
from click.testing import CliRunner

from controller.cli.audit import audit_command
from controller.cli.recall import recall_command, verify_hand_command
from controller.domain import events, joker
from controller.errors import TableError
from controller.journal.auditing import Checks
from controller.journal.codec import Registry
from controller.journal.journal import Journal
from controller.journal.recall import check_draw
from tests.children import Child

GOLDEN = Path(__file__).parents[1] / "golden/journal-0.1/jpoker.db"
HASH = "ab" * 32
SEED = bytes(range(32))
KEY = "cd" * 32
REQUEST = {"rules": "jpoker", "dealer": {"cards": "As Qd 8c 6d 3h"}, "boxes": [{"box": 1, "ante": 10}]}
ANSWER = {"boxes": [{"box": 1, "cards": "Kh Qh Jh 8h 7h", "net": 20, "returned": 30}], "house": -20}


def made(cls: type[events.Event], **given: Any) -> events.Event:
    """A real event, whatever further fields it has by now: those are of no matter here."""
    empty = {str: "", int: 0, bool: False}
    for field in msgspec.structs.fields(cls):
        if field.required and field.name not in given:
            given[field.name] = empty[field.type] if field.type in empty else (field.type.__origin__)()
    return cls(**given)


def real_hand(number: int) -> list[events.Event]:
    slot = joker.slot_text(joker.draw_slot(SEED, None, "T1", number, 1, joker.joker_weights(3)))
    return [
        made(events.HandOpened, hand=number, key=KEY),
        made(
            events.Locked,
            stakes=(),
            commitment=joker.commitment("T1", number, HASH, SEED).hex(),
            seed=SEED.hex(),
            witness="SINGLE_PARTY",
            side_bets=0,
            counted=0,
        ),
        made(events.JokerDrawn, slot=slot, draw=1, by="stop"),
        made(events.JokerShown, slot=slot, by="board"),
        made(events.BoxVoided, box=2, reason="dead hand"),
        made(events.HandSettled, request=REQUEST, answer=ANSWER),
        made(events.HandEnded, hand=number, outcome="settled", key=KEY, seed=SEED.hex()),
    ]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cli")
    path = directory / "journal.db"
    keys = samples.keys_in(directory / "keys")
    registry = Registry(events.registry())
    journal = Journal.create(path, table="T1", keys=keys, registry=registry, entropy=os.urandom, stamp=samples.stamp())
    start = made(events.RunStarted, version="1", mode="demo", hardware={}, config_hash="")
    opened = made(
        events.TableOpened, rules={"board": {"doc_weight": 3}}, rules_hash=HASH, procedure={}, limits={}, boxes=6
    )
    journal.append([start, opened], hand=None, stamp=samples.stamp())
    for number in (1, 2):
        journal.append(real_hand(number), hand=number, stamp=samples.stamp())
    journal.append([made(events.RunEnded, reason="stop", head="", signature="")], hand=None, stamp=samples.stamp())
    journal.append([start], hand=None, stamp=samples.stamp(run="2"))
    journal.append(real_hand(3)[:2], hand=3, stamp=samples.stamp(run="2"))
    journal.append([made(events.RunEnded, reason="stop", head="", signature="")], hand=3, stamp=samples.stamp(run="2"))
    journal.close()
    return path


@pytest.fixture(autouse=True)
def _draws_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """These hands were never dealt; their course and money are checked where real ones are."""
    monkeypatch.setattr("controller.cli.audit.CHECKS", Checks((check_draw,)))


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(original, tmp_path / "copy.db"))


def run_tablectl(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "controller.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_audit_ok(path: Path) -> None:
    result = CliRunner().invoke(audit_command, [str(path)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1].startswith("audit: OK 2 hands, 24 records")
    answer = json.loads(CliRunner().invoke(audit_command, [str(path), "--json", "--from", "2"]).output)
    assert (answer["ok"], answer["hands"], answer["first_bad"]) == (True, 1, None)
    assert answer["outcomes"] == {"settled": 1}


def test_rules_that_nobody_knows_are_a_finding(path: Path) -> None:
    """The hands of this fixture were opened under no rule set at all."""
    told = run_tablectl("audit", str(path))
    assert told.returncode == 1
    assert "no rule set" in told.stdout
    assert told.stdout.splitlines()[-1].startswith("audit: FAILED")


def test_a_bar_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    """Nothing but the verdict where output goes to a file; the bar goes to stderr."""
    path = Path(shutil.copy(GOLDEN, tmp_path))
    assert run_tablectl("audit", str(path)).stderr == ""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "controller.cli.main", "audit", str(path)]
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with Child(command, stdout=subprocess.PIPE, stderr=slave, env=environ, text=True) as child:
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # the last writer has closed the terminal
            while data := os.read(master, 4096):
                shown += data
        assert child.stdout is not None
        assert child.stdout.read().startswith("audit: ")
    os.close(master)
    assert b"audit: chain" in shown and b"audit: hands" in shown and b"100%" in shown


def test_audit_says_what_no_signature_covers_and_names_no_record_for_the_files_guards(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        [(seq,)] = db.execute("SELECT max(seq) FROM journal").fetchall()
        db.execute("DROP TRIGGER journal_no_delete")
        db.execute("DELETE FROM journal WHERE seq = ?", (seq,))
    answer = json.loads(CliRunner().invoke(audit_command, [str(path), "--live", "--json"]).output)
    assert (answer["first_bad"], [finding["seq"] for finding in answer["findings"]]) == (None, [None])
    assert answer["unsigned"] == {"records": 3, "since": seq - 3, "t": "2025-03-01T12:00:00Z"}
    told = CliRunner().invoke(audit_command, [str(path), "--live"]).output
    assert "first bad record none" in told
    assert f"unsigned: 3 records from {seq - 3} (2025-03-01T12:00:00Z) on stand behind the last signature" in told


def test_audit_names_the_first_bad_record(path: Path) -> None:
    samples.tamper(path, [("UPDATE journal SET body = replace(body, 'dead hand', 'bad hand') WHERE seq = 8", ())])
    result = CliRunner().invoke(audit_command, [str(path)])
    assert result.exit_code == 1
    assert "first bad record 8" in result.output.splitlines()[-1]
    result = CliRunner().invoke(audit_command, [str(path), "--json"])
    assert (result.exit_code, json.loads(result.output)["first_bad"]) == (1, 8)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"rubbish" * 1000, "not an SQLite file"),
        (b"", "an empty file"),
        (None, "Is a directory"),
        (b"sql", "a journal"),
    ],
)
def test_what_is_no_journal_is_bad_input_and_said(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "given"
    if content is None:
        path.mkdir()
    elif content == b"sql":
        sqlite3.connect(path).execute("CREATE TABLE other(x)")
    else:
        path.write_bytes(content)
    for command in (["audit", str(path)], ["recall", "1", str(path)], ["verify-hand", "1", str(path)]):
        result = run_tablectl(*command)
        assert result.returncode == 2
        assert reason in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert isinstance(CliRunner().invoke(audit_command, ["nowhere.db"]).exception, TableError)


def test_a_changed_record_fails_the_audit_and_stops_the_recall(path: Path) -> None:
    samples.tamper(path, [("UPDATE journal SET body = replace(body, 'dead hand', 'bad hand') WHERE seq = 8", ())])
    assert run_tablectl("audit", str(path)).returncode == 1
    assert run_tablectl("recall", "1", str(path)).returncode == 3
    assert run_tablectl("recall", "2", str(path)).returncode == 0


@pytest.mark.parametrize("command", [["audit"], ["recall"], ["recall", "1"], ["verify-hand", "1"], ["find"]])
def test_a_last_record_with_the_highest_number_there_is(path: Path, command: list[str]) -> None:
    samples.tamper(path, [(f"UPDATE journal SET seq = {(1 << 63) - 1} WHERE seq = (SELECT max(seq) FROM journal)", ())])
    assert "Traceback" not in run_tablectl(*command, str(path)).stderr


def test_one_finding_is_said_once_with_what_to_do(path: Path) -> None:
    samples.tamper(path, [("UPDATE journal SET body = replace(body, 'dead hand', 'bad hand') WHERE seq = 8", ())])
    lines = CliRunner().invoke(audit_command, [str(path)]).output.splitlines()
    assert lines[0] == "record 8 was changed: its hash does not fit"
    assert lines[1].startswith("audit: FAILED 1 finding, first bad record 8: keep the file as it is")
    told = json.loads(CliRunner().invoke(audit_command, [str(path), "--json"]).output)
    assert [(f["code"], f["seq"], f["hand"]) for f in told["findings"]] == [("chain", 8, None)]
    assert told["findings"][0]["what"] == lines[0]
    assert told["findings"][0]["remedy"] == lines[1].partition("record 8: ")[2]


def test_audit_of_keys_and_heads(path: Path, original: Path) -> None:
    own = samples.keys_in(original.with_name("keys")).public_hex
    assert CliRunner().invoke(audit_command, [str(path), "--key", own]).exit_code == 0
    assert CliRunner().invoke(audit_command, [str(path), "--key", "11" * 32]).exit_code == 1
    assert CliRunner().invoke(audit_command, [str(path), "--head", "11" * 32]).exit_code == 1
    assert isinstance(CliRunner().invoke(audit_command, [str(path), "--key", "zz"]).exception, TableError)


def test_recall_gives_request_answer_draw_and_overrides(path: Path) -> None:
    before = path.read_bytes()
    result = CliRunner().invoke(recall_command, ["1", "--json", str(path)])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.output)
    assert (facts["hand"], facts["request"], facts["answer"]) == (1, REQUEST, ANSWER)
    assert (facts["draw"]["seed"], facts["draw"]["witness"]) == (SEED.hex(), "SINGLE_PARTY")
    assert [entry["type"] for entry in facts["overrides"]] == ["BoxVoided"]
    lines = CliRunner().invoke(recall_command, ["1", str(path)]).output.splitlines()
    assert lines[0] == "RECALL hand 1, table T1: settled"
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["copy.db"]


def test_recall_of_an_unfinished_hand_keeps_its_secrets(path: Path) -> None:
    output = CliRunner().invoke(recall_command, ["3", "--json", str(path)]).output
    assert SEED.hex() not in output
    assert json.loads(output)["outcome"] == "open"
    lines = CliRunner().invoke(recall_command, ["3", str(path)]).output.splitlines()
    assert lines[1].startswith("the hand is open") and lines[2].startswith("commitment: ")
    assert SEED.hex() not in "".join(lines)
    error = CliRunner().invoke(verify_hand_command, ["3", str(path)]).exception
    assert isinstance(error, TableError)


def test_verify_hand_computes_the_draw_again(path: Path) -> None:
    result = CliRunner().invoke(verify_hand_command, ["2", str(path)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "verify-hand: OK hand 2"
    facts = json.loads(CliRunner().invoke(verify_hand_command, ["2", "--json", str(path)]).output)
    assert facts["ok"] is True


@pytest.mark.parametrize("arguments", [["9"], ["1", "nowhere.db"], ["1"]])
def test_what_is_not_there(path: Path, arguments: list[str]) -> None:
    named = [*arguments, str(path)] if arguments == ["9"] else arguments
    for command in (recall_command, verify_hand_command):
        error = CliRunner().invoke(command, named).exception
        assert isinstance(error, TableError)
        assert error.exit_code == (4 if arguments == ["1"] else 2)  # without a file the daemon is asked
