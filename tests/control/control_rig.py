"""A control server over a real Unix socket with a stub for the loop thread, and a raw client that sees every byte."""

from __future__ import annotations

import json
import queue
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controller.control import operators
from controller.control.operators import PinHash, Role
from controller.control.pins import PinDesk, PinRefused
from controller.control.protocol import Answer, ControlRequest
from controller.control.server import ControlServer

WAIT_S = 5.0
PEOPLE = {"d1": (Role.DEALER, "1111"), "s1": (Role.SUPERVISOR, "1234"), "e1": (Role.SURVEILLANCE, "666666")}


class Clock:
    def __init__(self) -> None:
        self.ns = 1_000 * 10**9

    def __call__(self) -> int:
        return self.ns


class Rig:
    """`inbox` is what the loop would get; nothing answers unless the test does."""

    def __init__(self, folder: Path, *, beat_s: float = 30.0, room: int = 100, socket_name: str = "c.sock") -> None:
        self.path = folder / socket_name
        self.file = folder / "operators.json"
        if not self.file.exists():
            save_people(self.file)
        self.clock = Clock()
        self.inbox: queue.Queue[ControlRequest] = queue.Queue(maxsize=room)
        self.refused: list[PinRefused] = []
        self.checks = 0
        self.pins = PinDesk(self.file, self.clock, refused=self.refused.append, matches=self._matches)
        self.server = ControlServer(self.path, self.post, self.pins, self.clock, beat_s=beat_s)

    def _matches(self, pin: str, kept: PinHash) -> bool:
        self.checks += 1
        return operators.pin_matches(pin, kept)

    def post(self, request: ControlRequest) -> bool:
        try:
            self.inbox.put_nowait(request)
        except queue.Full:
            return False
        return True

    def start(self) -> None:
        self.server.start()
        self.pins.start()

    def close(self) -> None:
        self.server.close()
        self.pins.close()

    def publish(self, hand: int, version: int, **more: Any) -> None:
        self.server.publish(snapshot(hand, version, **more), version)

    def next(self) -> ControlRequest:
        return self.inbox.get(timeout=WAIT_S)

    def answer(self, answer: Answer) -> ControlRequest:
        request = self.next()
        request.reply(answer)
        return request

    def client(self) -> Raw:
        return Raw(self.path)


class Raw:
    """Lines as they are."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(str(path))
        self.buffer = b""

    def send(self, message: dict[str, Any] | bytes) -> None:
        self.socket.sendall(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        while b"\n" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def ask(self, message: dict[str, Any] | bytes) -> dict[str, Any]:
        self.send(message)
        return self.read()

    def close(self) -> None:
        self.socket.close()


def snapshot(hand: int, version: int, **more: Any) -> bytes:
    return json.dumps({"table": "T1", "hand": hand, "version": version, "phase": "decisions", **more}).encode()


def do(name: str = "bet", hand: int = 17, version: int = 42, **more: Any) -> dict[str, Any]:
    if "identities" in more:
        more["as"] = more.pop("identities")
    return {"op": "do", "name": name, "args": {"box": 1}, "hand": hand, "version": version, **more}


def by(*people: str) -> list[dict[str, str]]:
    return [{"operator": one, "pin": PEOPLE[one][1]} for one in people]


def save_people(path: Path) -> None:
    """Operators with a cheap hash, so that tests are not slow."""
    found = [
        operators.Operator(id=one, name=one.upper(), roles=(role,), pin=operators.hash_pin(pin, n=16))
        for one, (role, pin) in PEOPLE.items()
    ]
    operators.save(path, operators.OperatorFile(tuple(found)))


@contextmanager
def running(folder: Path, **more: Any) -> Iterator[Rig]:
    rig = Rig(folder, **more)
    rig.start()
    try:
        yield rig
    finally:
        rig.close()
