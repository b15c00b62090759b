"""What comes in badly on the control socket, and the socket's file: stale, taken, in the way."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest
from control_rig import Raw, Rig, do, running

from controller.control.client import Client
from controller.control.protocol import MAX_LINE, Done
from controller.control.server import MAX_CLIENTS
from controller.errors import TableError

# --- bad input

BAD = {
    "no JSON": (b"hello\n", "TC-0602"),
    "an array": (b"[]\n", "TC-0603"),
    "cut JSON": (b'{"op":"status"\n', "TC-0602"),
    "unknown op": (b'{"op":"reboot"}\n', "TC-0603"),
    "no op": (b"{}\n", "TC-0603"),
    "unknown key": (b'{"op":"status","verbose":1}\n', "TC-0603"),
    "bad UTF-8": (b'{"op":"status","id":"\xff"}\n', "TC-0602"),
    "lone surrogate": (b'{"op":"status","id":"\\ud800"}\n', "TC-0602"),
    "deep": (
        b'{"op":"do","name":"a","hand":1,"version":1,"args":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}\n",
        "TC-0603",
    ),
    "a float": (b'{"op":"do","name":"a","hand":1,"version":1,"args":{"a":1.5}}\n', "TC-0603"),
    "negative hand": (b'{"op":"do","name":"a","hand":-1,"version":1}\n', "TC-0603"),
    "huge hand": (b'{"op":"do","name":"a","hand":' + b"9" * 5000 + b',"version":1}\n', "TC-0603"),
    "name": (b'{"op":"do","name":"a b","hand":1,"version":1}\n', "TC-0603"),
    "five people": (
        b'{"op":"do","name":"a","hand":1,"version":1,"as":[' + b",".join([b'{"operator":"s","pin":"1"}'] * 5) + b"]}\n",
        "TC-0603",
    ),
    "too long": (b'{"op":"status","id":"' + b"x" * MAX_LINE + b'"}\n', "TC-0601"),
    "NUL": (b"\0\n", "TC-0602"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_error_and_the_connection_stays(rig: Rig, raw: Raw, kind: str) -> None:
    line, code = BAD[kind]
    rig.publish(17, 42)
    answer = raw.ask(line)
    assert answer["error"]["code"] == code
    assert set(answer["error"]) == {"code", "message", "where", "remedy"}
    assert raw.ask({"op": "status"})["outcome"]["version"] == 42
    assert rig.inbox.empty()


def test_a_pin_is_in_no_error(raw: Raw) -> None:
    for claim in ({"operator": "s1", "pin": "6543", "x": 1}, {"operator": 5, "pin": "6543"}, {"pin": "6543"}):
        assert "6543" not in str(raw.ask(do(identities=[claim])))


def test_requests_in_any_cut(rig: Rig, raw: Raw) -> None:
    rig.publish(17, 42)
    for byte in b'\n\r\n{"op":"status","id":"1"}\r\n{"op":"status","id":"2"}\n':
        raw.send(bytes([byte]))
    assert [raw.read()["id"], raw.read()["id"]] == ["1", "2"]


def test_an_endless_line_costs_no_memory_and_one_answer(raw: Raw) -> None:
    for _ in range(50):
        raw.send(b"x" * 60_000)
    assert raw.ask(b"\n")["error"]["code"] == "TC-0601"


def test_too_many_clients_are_told(rig: Rig) -> None:
    rig.publish(17, 42)
    clients = [rig.client() for _ in range(MAX_CLIENTS)]
    assert clients[-1].ask({"op": "status"})["ok"]
    surplus = rig.client()
    assert surplus.read()["error"]["code"] == "TC-0608"
    clients.pop().close()
    clients[0].ask({"op": "status"})
    for client in clients:
        client.close()
    surplus.close()


# --- the socket's file


def test_mode_and_end_of_the_socket(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with running(tmp_path) as rig:
            assert stat.S_IMODE(rig.path.stat().st_mode) == 0o660
    finally:
        os.umask(before)
    assert not rig.path.exists()


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    dead.bind(str(tmp_path / "c.sock"))
    dead.close()
    with running(tmp_path) as rig:
        rig.publish(17, 42)
        with Client(rig.path) as client:
            assert client.status()["hand"] == 17


def test_a_second_daemon_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as rig:
        second = Rig(tmp_path)
        with pytest.raises(TableError, match="another daemon") as caught:
            second.start()
        assert caught.value.exit_code == 5
        second.close()
        rig.publish(17, 42)
        with Client(rig.path) as client:
            assert client.status()["hand"] == 17


def test_somebody_elses_living_socket_is_respected(tmp_path: Path) -> None:
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.bind(str(tmp_path / "c.sock"))
    other.listen()
    with pytest.raises(TableError, match="another daemon"):
        Rig(tmp_path).start()
    other.close()


def test_places_where_no_socket_can_be(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("keep me")
    for name, what in (("a file", "no socket is in the way"), ("x" * 120, "too long"), ("absent/a", "cannot make")):
        rig = Rig(tmp_path, socket_name=name)
        with pytest.raises(TableError, match=what) as caught:
            rig.start()
        assert caught.value.exit_code == 2
        rig.close()
    assert (tmp_path / "a file").read_text() == "keep me"


def test_closing_with_clients_and_requests_open(tmp_path: Path) -> None:
    with running(tmp_path) as rig:
        raw = rig.client()
        raw.send(do())
        request = rig.next()
    request.reply(Done("too late"))
    with pytest.raises(EOFError):
        raw.read()
    assert not rig.server.is_alive()
    raw.close()
