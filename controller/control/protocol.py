"""What travels on the control socket: requests, answers and their JSON lines (docs/control.md). No socket, no thread.

PINs and arguments never appear in a repr or an error text: an argument can be a card that nobody has seen yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from controller.control.operators import Role
from controller.errors import TableError

MAX_LINE = 64 * 1024  # bytes of a request without its newline

Word = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}\Z")]
Token = Annotated[str, Meta(min_length=1, max_length=64)]
Number = Annotated[int, Meta(ge=0, le=2**53)]
Integer = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Arg = Integer | bool | str | None | list[Integer | str] | dict[str, Integer | str]
Args = Annotated[dict[Word, Arg], Meta(max_length=64)]


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """Someone says who they are. The PIN is checked on the server's side, away from the loop."""

    operator: Annotated[str, Meta(min_length=1, max_length=32)]
    pin: Annotated[str, Meta(max_length=64)]

    def __repr__(self) -> str:
        return f"Claim(operator={self.operator!r}, pin=**)"


Claims = Annotated[tuple[Claim, ...], Meta(max_length=4)]


class Status(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="status"):
    id: Token | None = None


class Watch(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="watch"):
    id: Token | None = None


class Do(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="op", tag="do", rename={"identities": "as"}
):
    """One command, with the hand and version that the person saw."""

    name: Word
    hand: Number
    version: Number
    args: Args = {}
    token: Token | None = None
    identities: Claims = ()
    id: Token | None = None

    def __repr__(self) -> str:
        return f"Do(name={self.name!r}, hand={self.hand}, version={self.version}, args=**)"


class Recall(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="op",
    tag="recall",
    rename={"identities": "as"},
):
    """A past hand. Who may see what of it is decided by the loop, which also records it."""

    hand: Number
    identities: Claims = ()
    id: Token | None = None


Request = Status | Watch | Do | Recall


class Identity(Struct, frozen=True):
    """Someone whose PIN was right."""

    operator: str
    name: str
    roles: tuple[Role, ...]


class Peer(Struct, frozen=True):
    """The process at the other end, as the kernel says."""

    pid: int
    uid: int
    gid: int


class Done(Struct, frozen=True):
    """The command was carried out, or waits for someone's agreement. `version`: after it."""

    outcome: Any
    version: int | None = None


class Refused(Struct, frozen=True):
    """The command was refused; nothing happened but its record."""

    code: str
    message: str
    where: str
    remedy: str
    version: int | None = None

    @classmethod
    def of(cls, error: TableError, version: int | None = None) -> Refused:
        return cls(error.code, error.what, error.where, error.remedy, version)


Answer = Done | Refused


class ControlRequest(Struct, frozen=True):
    """What the loop thread gets in its inbox. `reply` may be called from any thread; only its first call counts.

    `op` is `do` or `recall`; a recall has the name `recall`, the wanted hand in `hand` and the version 0.
    """

    op: str
    name: str
    args: dict[str, Any]
    hand: int
    version: int
    identities: tuple[Identity, ...]
    peer: Peer
    token: str | None
    reply: Callable[[Answer], None]

    def __repr__(self) -> str:
        who = ",".join(one.operator for one in self.identities)
        return f"ControlRequest({self.op} {self.name}, hand={self.hand}, version={self.version}, by=[{who}], args=**)"


_DECODER = msgspec.json.Decoder(Request)
_ENCODER = msgspec.json.Encoder()


def decode(line: bytes) -> Request:
    """One request, or a TableError that says what is wrong with it (never the value itself)."""
    try:
        line.decode("utf-8")
        return _DECODER.decode(line)
    except UnicodeDecodeError as error:
        where = f"control socket, byte {error.start}"
        raise TableError(602, "the request is not UTF-8", where, "send JSON lines in UTF-8") from None
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        where = f"control socket, {path.strip('`')}" if path else "control socket"
        raise TableError(603, f"bad request, {what}", where, "see docs/control.md") from None
    except (msgspec.DecodeError, RecursionError) as error:
        remedy = "send one JSON object a line"
        raise TableError(602, f"the request is not JSON, {error}", "control socket", remedy) from None


def request_id(line: bytes) -> str | None:
    """The id of a request that is not understood otherwise, so that its error can be told apart."""
    try:
        found = msgspec.json.decode(line, type=_OnlyId)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found.id


class _OnlyId(Struct, frozen=True):
    id: Token | None = None


def encode_request(request: Request) -> bytes:
    """A request as a line."""
    return _ENCODER.encode(request) + b"\n"


def encode_answer(answer: Answer, request: str | None) -> bytes:
    """An answer as a line."""
    body: dict[str, Any]
    match answer:
        case Done():
            body = {"ok": True, "outcome": answer.outcome}
        case Refused():
            keys = ("code", "message", "where", "remedy")
            body = {"error": {key: getattr(answer, key) for key in keys}}
    if answer.version is not None:
        body["version"] = answer.version
    if request is not None:
        body["id"] = request
    return _ENCODER.encode(body) + b"\n"


def encode_snapshot(snapshot: bytes) -> bytes:
    """A snapshot as a line of `watch`. The bytes are the loop's; JSON in them is not looked into."""
    return b'{"snapshot":' + snapshot + b"}\n"


def encode_beat(version: int, loop_age_ms: int) -> bytes:
    """The sign of life between snapshots: how long ago the loop thread last went round."""
    return _ENCODER.encode({"beat": {"version": version, "loop_age_ms": loop_age_ms}}) + b"\n"
