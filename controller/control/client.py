"""A blocking client of the control socket, for tablectl, the panel's thread and tests. Refusals come as TableError.

It never guesses: a connection that breaks after a command was sent says that its outcome is unknown.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from controller.control.protocol import Claim, Do, Recall, Request, Status, Watch, encode_request
from controller.errors import TableError

DEFAULT_SOCKET = Path("/run/table-controller/control.sock")
MAX_ANSWER = 64 * 1024 * 1024


class Reply(msgspec.Struct, frozen=True):
    """What the table says to a command, and the version after it."""

    outcome: Any
    version: int | None = None


class Client:
    """One connection; use it as a context manager. Not for two threads at once."""

    def __init__(self, path: Path = DEFAULT_SOCKET, timeout_s: float = 10.0) -> None:
        self._path = path
        self._buffer = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            reason = error.strerror or str(error)
            remedy = "start tabled, or name its socket with --socket or --config"
            raise TableError(630, f"no table answers, {reason}", str(path), remedy, exit_code=4) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def status(self) -> dict[str, Any]:
        """The last published snapshot."""
        snapshot = self.request(Status()).outcome
        if not isinstance(snapshot, dict):
            raise self._odd()
        return snapshot

    def do(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        hand: int,
        version: int,
        identities: Iterable[tuple[str, str]] = (),
        token: str | None = None,
    ) -> Reply:
        """One command with the hand and version that the person saw. `identities`: operator and PIN."""
        claims = tuple(Claim(operator, pin) for operator, pin in identities)
        wanted = Do(
            name=name,
            args=dict(args or {}),
            hand=hand,
            version=version,
            token=token or secrets.token_hex(16),
            identities=claims,
        )
        return self.request(wanted)

    def recall(self, hand: int, identities: Iterable[tuple[str, str]] = ()) -> Reply:
        """A past hand; what a supervisor may see is on record."""
        return self.request(Recall(hand=hand, identities=tuple(Claim(*one) for one in identities)))

    def request(self, request: Request) -> Reply:
        """One request and its answer."""
        self._send(encode_request(request))
        return self._reply(self._message())

    def watch(self, *, beats: bool = False) -> Iterator[dict[str, Any]]:
        """Snapshots as they come, never an older one after a newer. With `beats`: messages as they stand on the wire.

        Silence longer than the time-out is an error: a living server beats every second.
        """
        self.request(Watch())
        newest = -1
        while True:
            message = self._message()
            snapshot = message.get("snapshot")
            if snapshot is None:
                if beats:
                    yield message
                continue
            version = snapshot.get("version", newest)
            if version >= newest:
                newest = version
                yield message if beats else snapshot

    # --- lines

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._broken(error.strerror or str(error)) from None

    def _line(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            try:
                data = self._socket.recv(64 * 1024)
            except OSError as error:
                raise self._broken(error.strerror or str(error)) from None
            if not data:
                raise self._broken("the table closed the connection")
            self._buffer += data
            if len(self._buffer) > MAX_ANSWER:
                raise self._odd()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _message(self) -> dict[str, Any]:
        try:
            return msgspec.json.decode(self._line(), type=dict[str, Any])
        except msgspec.DecodeError:
            raise self._odd() from None

    def _reply(self, message: dict[str, Any]) -> Reply:
        match message:
            case {"ok": True, "outcome": outcome}:
                return Reply(outcome, message.get("version"))
            case {"error": {"code": str(code), "message": what, "where": where, "remedy": remedy}}:
                raise TableError(int(code.removeprefix("TC-")), what, where, remedy)
            case _:
                raise self._odd()

    def _broken(self, reason: str) -> TableError:
        remedy = "look at `tablectl status` before you repeat a command"
        return TableError(631, f"no answer, {reason}", str(self._path), remedy, exit_code=4)

    def _odd(self) -> TableError:
        remedy = "use tablectl and tabled of one version"
        return TableError(632, "the answer is not understood", str(self._path), remedy)
