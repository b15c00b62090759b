"""The control server over real Unix sockets with a stub loop."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest
from control_rig import WAIT_S, Raw, Rig, by, do, running, snapshot

from controller.control.client import Client
from controller.control.connection import MAX_IN_FLIGHT
from controller.control.protocol import Answer, Done, Refused
from controller.errors import TableError

STALE = Refused.of(TableError(503, "the table has moved on", "hand 18", "look again"), 50)


# --- status and watch


def test_status_before_the_first_snapshot(raw: Raw) -> None:
    assert raw.ask({"op": "status"})["error"]["code"] == "TC-0604"


def test_status_is_the_last_snapshot(rig: Rig, raw: Raw) -> None:
    rig.publish(17, 41)
    rig.publish(17, 42, prompt={"ru": "Бокс 3"})
    answer = raw.ask({"op": "status", "id": "a"})
    assert answer["outcome"] == {
        "table": "T1", "hand": 17, "version": 42, "phase": "decisions", "prompt": {"ru": "Бокс 3"}
    }  # fmt: skip
    assert (answer["ok"], answer["version"], answer["id"]) == (True, 42, "a")


def test_f59_status_answers_while_the_loop_is_stuck(rig: Rig, raw: Raw) -> None:
    rig.publish(17, 42)
    other = rig.client()
    other.send(do())
    rig.next()  # taken by the loop, never answered
    began = time.monotonic()
    assert raw.ask({"op": "status"})["outcome"]["version"] == 42
    assert time.monotonic() - began < 0.2
    other.close()


def test_f59_watchers_learn_that_the_loop_is_stuck(tmp_path: Path) -> None:
    with running(tmp_path, beat_s=0.05) as rig:
        rig.publish(17, 42)
        raw = rig.client()
        assert raw.ask({"op": "watch"}) == {"ok": True, "outcome": "watching"}
        assert raw.read()["snapshot"]["version"] == 42
        rig.clock.ns += 7 * 10**9
        assert raw.read() == {"beat": {"version": 42, "loop_age_ms": 7000}}
        rig.server.loop_alive()
        rig.clock.ns += 10**9
        ages = [raw.read()["beat"]["loop_age_ms"] for _ in range(1)]
        assert ages[-1] == 1000
        raw.close()


def reconnected(rig: Rig) -> Raw:
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            return rig.client()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)  # the socket is a file: nothing tells when it stands again


def test_a_removed_socket_file_is_made_anew(tmp_path: Path) -> None:
    """A tidy script in /run must not cut the table off until the next restart."""
    with running(tmp_path, beat_s=0.02) as rig:
        rig.publish(17, 42)
        raw = rig.client()
        for _ in range(2):
            rig.path.unlink()
            rig.clock.ns += 10**9
            other = reconnected(rig)
            assert other.ask({"op": "status"})["version"] == 42
            other.close()
        assert raw.ask({"op": "status"})["version"] == 42
        raw.close()
    assert not rig.path.exists()


def test_watch_streams_and_answers_in_between(rig: Rig, raw: Raw) -> None:
    raw.ask({"op": "watch"})
    rig.publish(17, 1)
    assert raw.read()["snapshot"]["version"] == 1
    rig.publish(17, 2)
    assert raw.read()["snapshot"]["version"] == 2
    assert raw.ask({"op": "status"})["outcome"]["version"] == 2


def test_a_slow_reader_gets_the_newest_and_holds_nobody_up(rig: Rig, raw: Raw) -> None:
    raw.ask({"op": "watch"})
    padding = "x" * 50_000
    began = time.monotonic()
    for version in range(1, 501):
        rig.publish(17, version, padding=padding)
    assert time.monotonic() - began < 2
    quick = rig.client()
    assert quick.ask({"op": "status"})["outcome"]["version"] == 500
    seen: list[int] = []
    while not seen or seen[-1] < 500:
        seen.append(raw.read()["snapshot"]["version"])
    assert seen == sorted(seen)
    assert len(seen) < 100
    quick.close()


def test_a_snapshot_is_one_line(rig: Rig, raw: Raw) -> None:
    rig.server.publish(b'{"hand":17,\n"version":1}', 1)
    assert raw.ask({"op": "status"})["outcome"] == {"hand": 17, "version": 1}


def test_f82_a_new_daemon_sends_everything_and_nothing_older_is_shown(tmp_path: Path) -> None:
    with running(tmp_path) as rig:
        rig.publish(17, 42)
        client = Client(rig.path, WAIT_S)
        seen = client.watch()
        assert next(seen)["hand"] == 17
        rig.publish(16, 41)  # older: never handed on
        rig.publish(17, 43)
        assert next(seen)["version"] == 43
    with pytest.raises(TableError, match="closed the connection") as lost:
        next(seen)
    assert lost.value.exit_code == 4
    client.close()
    with running(tmp_path) as rig:
        rig.publish(18, 60)
        with Client(rig.path, WAIT_S) as again:
            assert next(again.watch())["hand"] == 18


# --- commands


def test_f56_the_answer_is_what_the_loop_said_after_the_work(rig: Rig, raw: Raw) -> None:
    raw.send(do(id="x", args={"box": 3, "chips": {"500": 2}, "cards": ["Qd"]}))
    request = rig.next()
    assert (request.op, request.name, request.hand, request.version) == ("do", "bet", 17, 42)
    assert request.args == {"box": 3, "chips": {"500": 2}, "cards": ["Qd"]}
    assert request.identities == ()
    assert (request.peer.pid, request.peer.uid) == (os.getpid(), os.getuid())
    request.reply(Done({"bet": 200}, 43))
    assert raw.read() == {"ok": True, "outcome": {"bet": 200}, "version": 43, "id": "x"}


def test_f56_a_refusal_is_reported_as_refused(rig: Rig, raw: Raw) -> None:
    raw.send(do("void_hand"))
    rig.answer(STALE)
    assert raw.read() == {
        "error": {"code": "TC-0503", "message": "the table has moved on", "where": "hand 18", "remedy": "look again"},
        "version": 50,
    }


def test_only_the_first_reply_counts(rig: Rig, raw: Raw) -> None:
    raw.send(do())
    request = rig.next()
    request.reply(Done(1))
    request.reply(STALE)
    assert raw.read()["outcome"] == 1
    assert raw.ask({"op": "status"})["error"]["code"] == "TC-0604"


def test_what_cannot_be_encoded_is_the_callers_error(rig: Rig, raw: Raw) -> None:
    raw.send(do())
    request = rig.next()
    with pytest.raises(TypeError):
        request.reply(Done(object()))
    request.reply(STALE)
    assert "error" in raw.read()


def test_answers_to_several_requests_find_their_ids(rig: Rig, raw: Raw) -> None:
    raw.send(do(id="1"))
    raw.send(do(id="2"))
    first, second = rig.next(), rig.next()
    second.reply(Done("second"))
    assert raw.read() == {"ok": True, "outcome": "second", "id": "2"}
    first.reply(Done("first"))
    assert raw.read() == {"ok": True, "outcome": "first", "id": "1"}


def test_a_client_that_leaves_takes_nobody_with_it(rig: Rig, raw: Raw) -> None:
    gone = rig.client()
    gone.send(do())
    request = rig.next()
    gone.close()
    request.reply(Done("nobody reads this"))
    rig.publish(17, 42)
    assert raw.ask({"op": "status"})["ok"] is True
    assert rig.server.is_alive()


def test_a_closed_sending_side_still_gets_its_answer(rig: Rig, raw: Raw) -> None:
    raw.send(b'{"op":"do","name":"bet","hand":1,"version":2}')  # no newline either
    raw.socket.shutdown(socket.SHUT_WR)
    rig.answer(Done("ok"))
    assert raw.read()["outcome"] == "ok"
    with pytest.raises(EOFError):
        raw.read()


def test_a_full_inbox_is_said_at_once(tmp_path: Path) -> None:
    with running(tmp_path, room=1) as rig:
        raw = rig.client()
        raw.send(do())
        assert raw.ask(do())["error"]["code"] == "TC-0608"
        raw.close()


def test_one_client_cannot_flood_the_loop(rig: Rig, raw: Raw) -> None:
    for number in range(50):
        raw.send(do(id=str(number)))
    requests = [rig.next() for _ in range(MAX_IN_FLIGHT)]
    other = rig.client()
    other.ask({"op": "status"})  # the server has been round
    assert rig.inbox.empty()
    for request in requests:
        request.reply(Done(None))
    for _ in range(50 - MAX_IN_FLIGHT):
        rig.answer(Done(None))
    assert [raw.read()["id"] for _ in range(50)] == [str(number) for number in range(50)]
    other.close()


def test_recall_goes_to_the_loop_with_who_asks(rig: Rig, raw: Raw) -> None:
    raw.send({"op": "recall", "hand": 3, "as": by("s1")})
    request = rig.next()
    assert (request.op, request.name, request.hand) == ("recall", "recall", 3)
    assert [one.operator for one in request.identities] == ["s1"]
    request.reply(Done({"hand": 3}))
    assert raw.read()["outcome"] == {"hand": 3}


# --- F83, F84


@pytest.mark.parametrize("absent", ["hand", "version"])
def test_f83_without_hand_and_version_a_command_is_refused(rig: Rig, raw: Raw, absent: str) -> None:
    message = do("void_hand")
    del message[absent]
    answer = raw.ask(message)
    assert answer["error"]["code"] == "TC-0603"
    assert absent in answer["error"]["message"]
    assert rig.inbox.empty()


def test_f83_what_was_seen_reaches_the_loop_unchanged(rig: Rig, raw: Raw) -> None:
    rig.publish(18, 50)
    raw.send(do("void_hand", hand=17, version=42))
    request = rig.answer(STALE)
    assert (request.hand, request.version) == (17, 42)
    assert raw.read()["version"] == 50


def test_f84_five_clicks_with_one_token_are_one_act_and_five_equal_answers(rig: Rig) -> None:
    answers: list[dict[str, object]] = []

    def click() -> None:
        client = rig.client()
        answers.append(client.ask(do("paid", token="t1")))
        client.close()

    threads = [threading.Thread(target=click) for _ in range(5)]
    for thread in threads:
        thread.start()
    request = rig.next()
    late = rig.client()
    late.ask({"op": "status"})
    request.reply(Done({"paid": 340}, 43))
    for thread in threads:
        thread.join(WAIT_S)
    assert len(answers) == 5
    assert answers == [{"ok": True, "outcome": {"paid": 340}, "version": 43}] * 5
    assert late.ask(do("paid", token="t1"))["outcome"] == {"paid": 340}
    assert rig.inbox.empty()
    late.send(do("paid", token="t2"))  # another token is the table's to judge
    rig.answer(Refused.of(TableError(504, "already settled", "box 1", "go on")))
    assert late.read()["error"]["message"] == "already settled"
    late.close()


def test_f84_a_token_belongs_to_one_command(rig: Rig, raw: Raw) -> None:
    raw.send(do("paid", token="t1"))
    other = rig.client()
    assert other.ask(do("hold", token="t1"))["error"]["code"] == "TC-0605"
    rig.answer(Done("ok"))
    assert raw.read()["outcome"] == "ok"
    assert raw.ask(do("paid", token="t1", version=43))["error"]["code"] == "TC-0605"
    other.close()


def test_f84_a_refused_command_may_be_sent_again(rig: Rig, raw: Raw) -> None:
    for answer in (STALE, Done("ok")):
        raw.send(do("paid", token="t1"))
        rig.answer(answer)
        raw.read()
    assert raw.ask(do("paid", token="t1"))["outcome"] == "ok"


# --- identities


def test_identities_reach_the_loop_without_pins(rig: Rig, raw: Raw) -> None:
    raw.send(do("void_hand", identities=by("s1", "e1")))
    request = rig.next()
    assert [(one.operator, one.roles) for one in request.identities] == [
        ("s1", ("supervisor",)),
        ("e1", ("surveillance",)),
    ]
    assert "1234" not in repr(request)
    request.reply(Done(None))
    raw.read()


def test_a_wrong_pin_is_refused_before_the_loop(rig: Rig, raw: Raw) -> None:
    wrong = raw.ask(do("void_hand", identities=[{"operator": "s1", "pin": "4321"}], id="w"))
    stranger = raw.ask(do("void_hand", identities=[{"operator": "s9", "pin": "4321"}]))
    assert wrong["id"] == "w"
    assert wrong["error"] | {"where": ""} == stranger["error"] | {"where": ""}
    assert wrong["error"]["code"] == "TC-0610"
    assert rig.inbox.empty()
    assert [one.operator for one in rig.refused] == ["s1", "s9"]


def test_one_right_pin_of_two_is_not_enough(rig: Rig, raw: Raw) -> None:
    claims = [*by("s1"), {"operator": "e1", "pin": "1111"}]
    assert raw.ask(do("void_hand", identities=claims))["error"]["code"] == "TC-0610"
    assert rig.inbox.empty()


def test_a_slow_pin_check_delays_nobody_else(rig: Rig, raw: Raw) -> None:
    held, go_on = threading.Event(), threading.Event()

    def slow(pin: str, kept: object) -> bool:
        held.set()
        return go_on.wait(WAIT_S)

    rig.pins._matches = slow
    rig.publish(17, 42)
    raw.send(do(identities=by("s1")))
    assert held.wait(WAIT_S)
    other = rig.client()
    assert other.ask({"op": "status"})["ok"] is True
    other.send(do(id="o"))
    rig.answer(Done("not delayed"))
    assert other.read()["outcome"] == "not delayed"
    go_on.set()
    rig.answer(Done("at last"))
    assert raw.read()["outcome"] == "at last"
    other.close()


def test_replies_from_many_threads(rig: Rig) -> None:
    def answer_all() -> None:
        for _ in range(50):
            rig.answer(reply_of(rig))

    def reply_of(_: Rig) -> Answer:
        return Done(snapshot(1, 1).decode())

    threads = [threading.Thread(target=answer_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    clients = [rig.client() for _ in range(4)]
    for number in range(50):
        for client in clients:
            client.send(do(id=str(number)))
        assert [client.read()["id"] for client in clients] == [str(number)] * 4
    for thread in threads:
        thread.join(WAIT_S)
    for client in clients:
        client.close()
