"""tablectl against a real socket: what it prints, its exit codes, and that every failure is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from control_rig import Rig, by, running

from controller.cli import main as cli
from controller.control.protocol import Done, Refused
from controller.errors import TableError
from tests.children import Child

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with running(tmp_path) as found:
        found.publish(
            17,
            42,
            rules="jpoker",
            prompt={"code": "TC-0501", "en": "Box 3 decides"},
            joker={"state": "shown", "card": "7c"},
            boxes=[
                {"box": 1, "in": False},
                {"box": 3, "in": True, "ante": 10, "bonus": 5, "cards": ["back"], "lit": True},
                {
                    "box": 4,
                    "in": True,
                    "ante": 10,
                    "bet": 20,
                    "cards": ["6c"],
                    "decision": "raise",
                    "blind": True,
                    "status": "paid",
                    "pay": [{"stake": "bet", "say": "PAY", "odds": "2:1", "amount": 40, "chips": "1x25 1x15"}],
                },
            ],
            dealer={"cards": ["back", "Qd"]},
            devices={"shoe": "ready"},
            waiting=[{"id": 3, "command": "void_hand", "missing": "supervisor"}],
            call="cards",
            health={"warnings": ["the player has the edge"]},
        )
        yield found


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def call(*args: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            cli.main([str(arg) for arg in args])
        out, err = capfd.readouterr()
        assert isinstance(done.value.code, int)
        return done.value.code, out, err

    return call


def answering(rig: Rig, *answers: Done | Refused, before: Callable[[], None] = lambda: None) -> list[Any]:
    """Answers so many commands in the background; the requests end up in the list. `before`: what happens first."""
    found: list[Any] = []

    def loop() -> None:
        for answer in answers:
            found.append(rig.next())
            before()
            found[-1].reply(answer)

    threading.Thread(target=loop, daemon=True).start()
    return found


def pin_fd(text: str) -> int:
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    return reader


def test_status(rig: Rig, run: Run) -> None:
    code, out, err = run("status", "--socket", rig.path)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "table T1  hand 17  decisions",
        "version 42  rules jpoker",
        "prompt: Box 3 decides (TC-0501)",
        "CALL: cards",
        "joker 7c",
        "box 3  ante 10 bonus 5  back  decides",
        "box 4  ante 10 bet 20  6c  blind raise paid",
        "  bet PAY 2:1 40 (1x25 1x15)",
        "dealer  back Qd",
        "device shoe: ready",
        "waiting 3: void_hand for supervisor",
        "warning: the player has the edge",
    ]
    code, out, _ = run("status", "--socket", rig.path, "--json")
    assert json.loads(out)["version"] == 42


def test_the_socket_of_a_configuration(rig: Rig, run: Run, tmp_path: Path) -> None:
    example = (Path(__file__).parents[2] / "deploy/config/jpoker.toml").read_text()
    config = tmp_path / "table.toml"
    config.write_text(example.replace("/run/table-controller/control.sock", "c.sock"))
    assert run("status", "--config", config, "--json")[0] == 0
    code, _, err = run("status", "--config", config, "--socket", rig.path)
    assert (code, err) == (
        2,
        "TC-0190 give --socket or --config, not both: tablectl status: see tablectl status --help\n",
    )


def test_do_sends_what_was_seen(rig: Rig, run: Run) -> None:
    seen = answering(rig, Done({"bet": 20, "to": "box 3"}, 43))
    words = ["exchange", "box=3", "cards=Qd Kd", 'chips={"500":2}', "blind=true", "no=007", "minus=-4"]
    code, out, err = run("do", *words, "--socket", rig.path)
    assert (code, out, err) == (0, "bet: 20\nto: box 3\nprompt: Box 3 decides (TC-0501)\n", "")
    (request,) = seen
    assert (request.name, request.hand, request.version) == ("exchange", 17, 42)
    assert request.args == {
        "box": 3, "cards": "Qd Kd", "chips": {"500": 2}, "blind": True, "no": "007", "minus": -4
    }  # fmt: skip
    assert request.token


def test_do_with_what_was_seen_before_and_a_token(rig: Rig, run: Run) -> None:
    seen = answering(rig, Done("ok", 43))
    args = ("--hand", 16, "--version", 30, "--token", "t1", "--json")
    code, out, _ = run("do", "paid", "box=1", "--socket", rig.path, *args)
    assert (code, json.loads(out)) == (0, {"ok": True, "outcome": "ok", "version": 43})
    assert (seen[0].hand, seen[0].version, seen[0].token) == (16, 30, "t1")


STALE = Refused.of(TableError(502, "the table is at version 43", "version 42", "look again"))


def test_do_looks_again_where_the_table_moved_on(rig: Rig, run: Run) -> None:
    seen = answering(rig, STALE, Done("ok", 44))
    assert run("do", "paid", "box=1", "--socket", rig.path)[0] == 0
    assert len(seen) == 2
    assert seen[0].token != seen[1].token  # the first was answered: its token would be answered the same again


@pytest.mark.parametrize("words", [("--version", 42), ("--token", "t1")])
def test_who_names_what_he_saw_is_refused_at_once(rig: Rig, run: Run, words: tuple[object, ...]) -> None:
    answering(rig, STALE)
    code, _, err = run("do", "paid", "box=1", "--socket", rig.path, *words)
    assert (code, err.split()[0]) == (2, "TC-0502")


def test_do_does_not_follow_the_table_into_the_next_hand(rig: Rig, run: Run) -> None:
    answering(rig, STALE, before=lambda: rig.publish(18, 43))
    assert run("do", "paid", "box=1", "--socket", rig.path)[2].startswith("TC-0502")


def test_do_with_pins_on_a_descriptor(rig: Rig, run: Run) -> None:
    seen = answering(rig, Done({"waiting": 3, "missing": "second_person"}))
    handle = pin_fd("1234\n666666\n")
    args = ("--as", "s1", "--as", "e1", "--pin-fd", handle)
    code, out, _ = run("do", "void_hand", *args, "--socket", rig.path)
    os.close(handle)
    assert code == 0
    assert out.startswith("waiting 3: second_person must agree")
    assert [one.operator for one in seen[0].identities] == ["s1", "e1"]


def test_do_asks_for_the_pin(rig: Rig, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def prompt(text: str, **options: Any) -> str:
        assert options["hide_input"]
        asked.append(text)
        return by("s1")[0]["pin"]

    monkeypatch.setattr(click, "prompt", prompt)
    monkeypatch.setattr("controller.cli.table.need_terminal", lambda: None)
    seen = answering(rig, Done("ok"))
    assert run("do", "void_box", "--as", "s1", "--socket", rig.path)[0] == 0
    assert asked == ["PIN of s1"]
    assert seen[0].identities[0].operator == "s1"


def test_refusals_are_one_line_and_exit_2(rig: Rig, run: Run) -> None:
    refused = Refused.of(TableError(503, "the table has moved on", "hand 18", "look again"))
    answering(rig, refused)
    assert run("do", "bet", "--socket", rig.path) == (2, "", "TC-0503 the table has moved on: hand 18: look again\n")
    answering(rig, refused)
    code, out, err = run("do", "bet", "--socket", rig.path, "--json")
    assert (code, out) == (2, "")
    assert json.loads(err)["error"]["code"] == "TC-0503"


def test_a_wrong_pin(rig: Rig, run: Run) -> None:
    handle = pin_fd("1111\n")
    code, _, err = run("do", "void_box", "--as", "s1", "--pin-fd", handle, "--socket", rig.path)
    os.close(handle)
    assert (code, err.split()[0]) == (2, "TC-0610")


USAGE = [
    [],
    ["reboot"],
    ["do"],
    ["do", "bet", "box"],
    ["do", "bet", "=3"],
    ["do", "bet", "box=1", "box=2"],
    ["do", "bet", "chips={1"],
    ["do", "bet", "--as"],
    ["do", "bet", "--as", "s1", "--pin-fd", "987"],
    ["do", "bet", "--as", "s1"],
    ["status", "--loud"],
    ["status", "extra"],
    ["status", "--config", "absent.toml"],
    ["operator", "add", "s1"],
    ["operator", "add", "s1", "--name", "A", "--role", "owner"],
    ["operator"],
    ["operator", "list", "--file", "/nonexistent/operators.json"],
]


@pytest.mark.parametrize("args", USAGE, ids=" ".join)
def test_usage_errors_are_one_line_and_exit_2(run: Run, args: list[str]) -> None:
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert err.startswith("TC-0")
    assert err.count("\n") == 1
    assert err.count(": ") >= 2
    if args not in ([], ["operator"], ["do", "bet", "--as"]):  # there --json would be the command or a value
        code, _, err = run(*args, "--json")
        assert code == 2
        assert json.loads(err)["error"]["code"].startswith("TC-0")


def test_no_table_is_exit_4(run: Run, tmp_path: Path) -> None:
    code, _, err = run("status", "--socket", tmp_path / "absent.sock")
    assert (code, err.split()[0]) == (4, "TC-0630")


def test_operator_add_list_reset(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "operators.json"
    handle = pin_fd("1234\n")
    add = ("operator", "add", "s1", "--name", "Ann", "--role", "supervisor", "--role", "dealer")
    assert run(*add, "--file", file, "--pin-fd", handle) == (0, "s1  dealer,supervisor  -  Ann\n", "")
    os.close(handle)
    handle = pin_fd("9999\n")
    code, _, err = run("operator", "reset", "s1", "--file", file, "--pin-fd", handle)
    os.close(handle)
    assert code == 2
    assert err.startswith("TC-0627")
    assert "9999" not in err
    handle = pin_fd("5555\n")
    assert run("operator", "reset", "s1", "--file", file, "--pin-fd", handle)[0] == 0
    os.close(handle)
    code, out, _ = run("operator", "list", "--file", file, "--json")
    assert json.loads(out) == [{"id": "s1", "name": "Ann", "roles": ["dealer", "supervisor"], "badge": False}]


def test_help_and_version(run: Run) -> None:
    for args in (["--help"], ["do", "--help"], ["operator", "add", "-h"], ["--version"]):
        code, out, err = run(*args)
        assert (code, err) == (0, "")
        assert out
        assert "\x1b" not in out


def test_control_characters_from_a_table_do_not_reach_the_terminal(rig: Rig, run: Run) -> None:
    rig.publish(17, 43, prompt={"en": "\x1b[2Jgone\nTC"}, rules="\u202e")
    _, out, _ = run("status", "--socket", rig.path)
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert len(out.splitlines()) == 3


def tablectl(*args: object, **more: Any) -> Child:
    command = [sys.executable, "-m", "controller.cli.main", *map(str, args)]
    return Child(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def test_watch_ends_quietly_when_its_reader_goes(rig: Rig) -> None:
    process = tablectl("watch", "--socket", rig.path)
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["version"] == 42
    process.stdout.close()
    rig.publish(17, 43)
    assert process.wait(10) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_watch_of_an_idle_table_ends_when_its_reader_goes(tmp_path: Path) -> None:
    with running(tmp_path, beat_s=0.05) as rig:
        rig.publish(17, 42)
        process = tablectl("watch", "--socket", rig.path)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["version"] == 42
        process.stdout.close()
        rig.clock.ns += 10**9  # a beat is due
        assert process.wait(10) == 141


def test_watch_ends_quietly_on_ctrl_c(rig: Rig) -> None:
    process = tablectl("watch", "--socket", rig.path)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["version"] == 42
    process.send_signal(2)
    _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, b"")


def test_a_full_disk_behind_stdout_is_one_line(rig: Rig) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "controller.cli.main", "status", "--socket", str(rig.path)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"TC-0191 no space left: output: make room and repeat\n"


def test_a_terminal_that_knows_no_russian(rig: Rig) -> None:
    rig.publish(17, 43, prompt={"en": "Бокс 3"})
    environment = {**os.environ, "PYTHONIOENCODING": "iso-8859-1", "PYTHONUTF8": "0"}
    process = tablectl("status", "--socket", rig.path, env=environment)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (0, b"")
    assert rb"\u0411" in out
