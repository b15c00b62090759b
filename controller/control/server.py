"""The control socket's server: its own thread, no table. Status and watch are answered from the last snapshot.

Commands go to the loop's inbox as ControlRequest; their answers come back from the loop thread. Nothing here ever
waits for the loop, and the loop never waits for anything here.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

import msgspec

from controller.control.connection import Connection, Overlong
from controller.control.listen import Listener, peer_of
from controller.control.pins import PinDesk, Verdict
from controller.control.protocol import (
    MAX_LINE,
    Answer,
    ControlRequest,
    Do,
    Done,
    Identity,
    Recall,
    Refused,
    Request,
    Status,
    Watch,
    decode,
    encode_answer,
    encode_beat,
    encode_snapshot,
    request_id,
)
from controller.control.tokens import Tokens
from controller.errors import TableError

MAX_CLIENTS = 64
SEND_BUFFER = 64 * 1024  # small, so that a slow reader's newest snapshot is really new

Waiter = tuple[int, str | None]  # client number, request id


class ControlServer:
    """`post` puts a request into the loop's inbox without waiting and says whether it was taken."""

    def __init__(
        self,
        path: Path,
        post: Callable[[ControlRequest], bool],
        pins: PinDesk,
        clock_ns: Callable[[], int],
        *,
        beat_s: float = 1.0,
    ) -> None:
        self._path = path
        self._post = post
        self._pins = pins
        self._clock_ns = clock_ns
        self._beat_s = beat_s
        self._snapshot: tuple[bytes, int] | None = None
        self._offering = False
        self._loop_ns = clock_ns()
        self._calls: deque[Callable[[], None]] = deque()
        self._closing = False
        self._clients: dict[int, tuple[socket.socket, Connection]] = {}
        self._numbers = 0
        self._tokens: Tokens[Waiter] = Tokens()
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._listener: Listener | None = None
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)

    # --- for other threads

    def start(self) -> None:
        """Opens the socket (TableError where it cannot be had) and starts the thread."""
        self._listener = Listener(self._path)
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, None)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def publish(self, snapshot: bytes, version: int) -> None:
        """From the loop: what everybody may see from now on. Never waits."""
        self._snapshot = (snapshot.replace(b"\n", b" "), version)
        self.loop_alive()
        if not self._offering:
            self._offering = True
            self._call(self._offer)

    def loop_alive(self) -> None:
        """From the loop, each time round: watchers are told how long ago that was."""
        self._loop_ns = self._clock_ns()

    def close(self) -> None:
        """Ends the thread; what can be sent at once is sent, the socket's file is removed."""
        self._closing = True
        self._wake()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)
        if self._listener is not None:
            self._listener.close()

    def _call(self, call: Callable[[], None]) -> None:
        self._calls.append(call)
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake already; closed: it is gone
            self._wake_out.send(b"\0")

    # --- the thread

    def _run(self) -> None:
        last_beat_ns = self._clock_ns()
        while not self._closing:
            self._listen()
            for key, events in self._selector.select(self._beat_s):
                self._ready(key, events)
            self._run_calls()
            if self._clock_ns() - last_beat_ns >= self._beat_s * 1e9:
                last_beat_ns = self._clock_ns()
                self._renew()
                self._beat()
        for number in list(self._clients):
            self._send(number)
            self._drop(number)
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()

    def _listen(self) -> None:
        """Registers the listener: at the start, and again after accept had run out of descriptors."""
        if self._listener is not None and self._listener.socket not in self._selector.get_map():
            self._selector.register(self._listener.socket, selectors.EVENT_READ, "listen")

    def _renew(self) -> None:
        """Once a beat: a socket whose file was removed is made anew; who is connected stays so."""
        listener = self._listener
        if listener is None or os.path.lexists(listener.path):
            return
        if listener.socket in self._selector.get_map():
            self._selector.unregister(listener.socket)
        with contextlib.suppress(TableError, OSError):  # no folder, no room: tried again at the next beat
            listener.renew()

    def _run_calls(self) -> None:
        while self._calls:
            self._calls.popleft()()

    def _ready(self, key: selectors.SelectorKey, events: int) -> None:
        match key.data:
            case None:
                self._wake_in.recv(4096)
            case "listen":
                self._accept()
            case int(number) if number in self._clients:
                if events & selectors.EVENT_READ:
                    self._receive(number)
                self._serve(number)

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            client, _ = self._listener.socket.accept()
        except BlockingIOError:
            return
        except OSError:
            self._selector.unregister(self._listener.socket)  # no descriptors: not again at once
            return
        client.setblocking(False)
        if len(self._clients) >= MAX_CLIENTS:
            with contextlib.suppress(OSError):
                client.send(encode_answer(Refused.of(_busy()), None))
            client.close()
            return
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._numbers += 1
        self._clients[self._numbers] = (client, Connection(self._numbers, peer_of(client)))
        self._serve(self._numbers)

    def _receive(self, number: int) -> None:
        client, connection = self._clients[number]
        try:
            data = client.recv(64 * 1024)
        except BlockingIOError:
            return
        except OSError:
            self._drop(number)
            return
        if data:
            connection.feed(data)
        else:
            connection.end()

    def _serve(self, number: int) -> None:
        """Works on what this client has sent, sends what it may have, and asks the kernel for the rest."""
        if number not in self._clients:
            return
        connection = self._clients[number][1]
        while (line := connection.next_line()) is not None:
            self._line(connection, line)
        self._send(number)
        if number in self._clients and connection.finished():
            self._drop(number)
        self._interest(number)

    def _send(self, number: int) -> None:
        client, connection = self._clients[number]
        while (data := connection.outgoing()) is not None:
            try:
                connection.sent(client.send(data))
            except BlockingIOError:
                return
            except OSError:
                self._drop(number)
                return

    def _interest(self, number: int) -> None:
        if number not in self._clients:
            return
        client, connection = self._clients[number]
        events = selectors.EVENT_READ if connection.wants_read() else 0
        if not connection.idle():
            events |= selectors.EVENT_WRITE
        known = client in self._selector.get_map()
        if not events:
            if known:
                self._selector.unregister(client)  # a client that has hung up would wake us for ever
        elif known:
            self._selector.modify(client, events, number)
        else:
            self._selector.register(client, events, number)

    def _drop(self, number: int) -> None:
        client, _ = self._clients.pop(number)
        if client in self._selector.get_map():
            self._selector.unregister(client)
        client.close()

    def _offer(self) -> None:
        """The newest snapshot to everyone who watches."""
        self._offering = False  # before the snapshot is read: one published now asks again
        if self._snapshot is None:
            return
        line = encode_snapshot(self._snapshot[0])
        for number, (_, connection) in list(self._clients.items()):
            if connection.watching:
                connection.offer(line)
                self._serve(number)

    def _beat(self) -> None:
        version = self._snapshot[1] if self._snapshot else 0
        line = encode_beat(version, (self._clock_ns() - self._loop_ns) // 10**6)
        for number, (_, connection) in list(self._clients.items()):
            if connection.watching and connection.idle():
                connection.queue(line)
                self._serve(number)

    # --- requests

    def _line(self, connection: Connection, line: bytes | Overlong) -> None:
        if isinstance(line, Overlong):
            what = f"a request is longer than {MAX_LINE} bytes"
            refused = Refused.of(TableError(601, what, "control socket", "send shorter lines"))
            connection.queue(encode_answer(refused, None))
            return
        try:
            self._request(connection, decode(line))
        except TableError as error:
            connection.queue(encode_answer(Refused.of(error), request_id(line)))

    def _request(self, connection: Connection, request: Request) -> None:
        match request:
            case Status():
                connection.queue(encode_answer(self._status(), request.id))
            case Watch():
                connection.watching = True
                connection.queue(encode_answer(Done("watching"), request.id))
                if self._snapshot is not None:
                    connection.offer(encode_snapshot(self._snapshot[0]))
            case Do() | Recall():
                self._identify(connection, request)
            case _:
                assert_never(request)

    def _status(self) -> Done:
        if self._snapshot is None:
            raise TableError(604, "the table is still starting", "control socket", "try again in a moment")
        snapshot, version = self._snapshot
        return Done(msgspec.Raw(snapshot), version)

    def _identify(self, connection: Connection, request: Do | Recall) -> None:
        waiter = (connection.number, request.id)

        def known(verdict: Verdict) -> None:  # in the PIN desk's thread
            self._call(lambda: self._identified(waiter, request, verdict))

        connection.in_flight += 1
        if not request.identities:
            self._identified(waiter, request, ())
        elif not self._pins.check(request.identities, known):
            self._answer([waiter], Refused.of(_busy()))

    def _identified(self, waiter: Waiter, request: Do | Recall, verdict: Verdict) -> None:
        if waiter[0] not in self._clients:
            return  # gone before it was known who they are: nothing has been asked of the table
        if isinstance(verdict, TableError):
            self._answer([waiter], Refused.of(verdict))
            return
        token = request.token if isinstance(request, Do) else None
        if token is not None:
            try:
                entered = self._tokens.enter(token, _content(request, verdict), waiter)
            except TableError as error:
                entered = Refused.of(error)
            if not isinstance(entered, bool):
                self._answer([waiter], entered)
            if entered is not True:
                return
        self._pass_on(waiter, request, verdict, token)

    def _pass_on(self, waiter: Waiter, request: Do | Recall, people: tuple[Identity, ...], token: str | None) -> None:
        waiting = [None]

        def reply(answer: Answer) -> None:  # in the loop's thread
            if isinstance(answer, Done):  # encoded there, so that what cannot be encoded is its own error
                answer = Done(msgspec.Raw(msgspec.json.encode(answer.outcome)), answer.version)
            try:
                waiting.pop()
            except IndexError:
                return
            self._call(lambda: self._answered(waiter, token, answer))

        do = isinstance(request, Do)
        wanted = ControlRequest(
            op="do" if do else "recall",
            name=request.name if isinstance(request, Do) else "recall",
            args=dict(request.args) if isinstance(request, Do) else {},
            hand=request.hand,
            version=request.version if isinstance(request, Do) else 0,
            identities=people,
            peer=self._clients[waiter[0]][1].peer,
            token=token,
            reply=reply,
        )
        if not self._post(wanted):
            self._answered(waiter, token, Refused.of(_busy()))

    def _answered(self, waiter: Waiter, token: str | None, answer: Answer) -> None:
        self._answer([waiter] if token is None else self._tokens.finish(token, answer), answer)

    def _answer(self, waiters: list[Waiter], answer: Answer) -> None:
        for number, request in waiters:
            if number in self._clients:
                connection = self._clients[number][1]
                connection.in_flight -= 1
                connection.queue(encode_answer(answer, request))
                self._call(lambda number=number: self._serve(number))  # type: ignore[misc]


def _busy() -> TableError:
    return TableError(608, "the table has too much to do", "control socket", "try again in a moment")


def _content(request: Do | Recall, people: tuple[Identity, ...]) -> bytes:
    """What makes two requests the same: everything but PINs and ids."""
    name, args, version = (
        (request.name, request.args, request.version) if isinstance(request, Do) else ("recall", {}, 0)
    )
    who = sorted(person.operator for person in people)
    return msgspec.json.encode([name, args, request.hand, version, who], order="sorted")
