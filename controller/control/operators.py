"""The file of operators: who may agree to what; PINs and badges as salted scrypt. Never keeps or shows one.

JSON, mode 0600, replaced atomically; readable by the daemon's user because a new file keeps the owner of the old one
(or of its folder). PINs use the digits 1 to 6 only, so that they can be typed on box keys 1 to 6.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from controller.errors import TableError

PIN_RULE = "4 to 8 digits from 1 to 6"
MAX_BYTES = 1024 * 1024
_PIN = re.compile(r"[1-6]{4,8}\Z")
_BADGE = re.compile(r"[!-~]{4,64}\Z")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}\Z")

Hex = Annotated[str, Meta(pattern=r"^([0-9a-f]{2})+\Z", max_length=128)]


class Role(enum.StrEnum):
    """What a person may have. Who must agree to which act is the table's business (domain.hand.authority)."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SURVEILLANCE = "surveillance"
    TECHNICIAN = "technician"
    ACCOUNTING = "accounting"


class PinHash(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is kept of a PIN. The cost stands beside it, so that it can be raised without resetting everyone."""

    salt: Hex
    hash: Hex
    n: Annotated[int, Meta(ge=2, le=2**17)] = 2**14
    r: Annotated[int, Meta(ge=1, le=16)] = 8
    p: Annotated[int, Meta(ge=1, le=4)] = 1

    def __repr__(self) -> str:
        return "PinHash(**)"


class Operator(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    id: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}\Z")]
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    roles: Annotated[tuple[Role, ...], Meta(min_length=1)]
    pin: PinHash
    badge: Hex | None = None


class OperatorFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`badge_salt` is one for all: a badge is found by one hash, whoever it belongs to."""

    operators: tuple[Operator, ...] = ()
    badge_salt: Hex | None = None

    def find(self, operator: str) -> Operator | None:
        return next((one for one in self.operators if one.id == operator), None)


def is_pin(pin: str) -> bool:
    """4 to 8 digits from 1 to 6."""
    return _PIN.match(pin) is not None


def hash_pin(pin: str, n: int = 2**14) -> PinHash:
    """A new salt and hash."""
    empty = PinHash(salt=secrets.token_hex(16), hash="00", n=n)
    return msgspec.structs.replace(empty, hash=_scrypt(pin, empty).hex())


def pin_matches(pin: str, kept: PinHash) -> bool:
    """Slow on purpose (tens of milliseconds): never called in the loop thread."""
    return hmac.compare_digest(_scrypt(pin, kept), bytes.fromhex(kept.hash))


def badge_owner(known: OperatorFile, badge: str) -> Operator | None:
    """Who has this badge. As slow as a PIN, once, whether anybody has it or not."""
    salt = known.badge_salt or "00" * 16
    shown = _badge_hash(badge, salt)
    return next((one for one in known.operators if one.badge and hmac.compare_digest(one.badge, shown)), None)


def _badge_hash(badge: str, salt: str) -> str:
    return _scrypt(badge, PinHash(salt=salt, hash="00")).hex()


def _scrypt(pin: str, kept: PinHash) -> bytes:
    memory = 256 * kept.n * kept.r + 2**20
    salt = bytes.fromhex(kept.salt)
    return hashlib.scrypt(pin.encode(), salt=salt, n=kept.n, r=kept.r, p=kept.p, maxmem=memory, dklen=32)


# --- the file


def load(path: Path) -> OperatorFile:
    """All operators. Refused: a file that others may read, or one that is not what this module writes."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe in its place must not hold us
        with open(handle, "rb") as file:
            kind = os.fstat(handle).st_mode
            data = file.read(MAX_BYTES) if stat.S_ISREG(kind) else b""
    except OSError as error:
        remedy = "create it with `tablectl operator add --file`, or correct control.operators"
        raise TableError(620, f"cannot read the operators, {error.strerror}", str(path), remedy) from None
    mode = stat.S_IMODE(kind)
    if not stat.S_ISREG(kind):
        raise TableError(622, "not a file of operators, no regular file", str(path), "restore it from a copy")
    if mode & 0o077:
        raise TableError(621, f"others may read the operators (mode {mode:04o})", str(path), f"chmod 600 {path}")
    try:
        found = msgspec.json.decode(data, type=OperatorFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TableError(622, f"not a file of operators, {error}", str(path), "restore it from a copy") from None
    ids = [one.id for one in found.operators]
    if len(set(ids)) != len(ids):
        raise TableError(622, "an operator stands twice", str(path), "restore it from a copy")
    return found


def save(path: Path, content: OperatorFile) -> None:
    """The whole file, atomically: a power cut leaves the old one or the new one."""
    owner = path if path.exists() else path.parent
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _write_new(temporary, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n", owner.stat())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise TableError(623, f"cannot write the operators, {error.strerror}", str(path), "check the folder") from None


def _write_new(path: Path, data: bytes, owner: os.stat_result) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        if os.geteuid() == 0:
            os.fchown(handle, owner.st_uid, owner.st_gid)
        file.write(data)
        file.flush()
        os.fsync(handle)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two technicians at once: one after the other, neither change is lost."""
    try:
        handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise TableError(623, f"cannot write the operators, {error.strerror}", str(path), "check the folder") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


# --- changes


def add(path: Path, operator: str, name: str, roles: tuple[Role, ...], pin: str) -> Operator:
    """A new operator; the file is made if it does not exist."""
    if not _ID.match(operator):
        raise TableError(624, f"{operator!r} is no id", "operator id", "1 to 32 of a-z, 0-9, - and _")
    if not name.strip() or len(name) > 80 or not name.isprintable():
        raise TableError(624, "the name is empty, too long or not printable", "operator name", "1 to 80 characters")
    if not roles:
        raise TableError(624, "no role", "operator roles", "give at least one: " + ", ".join(Role))
    with _locked(path):
        known = load(path) if path.exists() else OperatorFile()
        if known.find(operator):
            raise TableError(625, f"operator {operator} exists", str(path), "use `tablectl operator reset`")
        _check_new_pin(known, operator, pin)
        added = Operator(id=operator, name=name, roles=tuple(sorted(set(roles))), pin=hash_pin(pin))
        save(path, msgspec.structs.replace(known, operators=(*known.operators, added)))
    return added


def reset(path: Path, operator: str, pin: str) -> Operator:
    """A new PIN for someone who is known."""
    with _locked(path):
        known, found = _known(path, operator)
        _check_new_pin(known, operator, pin)
        return _save_changed(path, known, msgspec.structs.replace(found, pin=hash_pin(pin)))


def set_badge(path: Path, operator: str, badge: str | None) -> Operator:
    """Another badge for someone who is known, or none."""
    with _locked(path):
        known, found = _known(path, operator)
        if badge is None:
            return _save_changed(path, known, msgspec.structs.replace(found, badge=None))
        if not _BADGE.match(badge):
            raise TableError(640, "not a badge", f"operator {operator}", "4 to 64 printable characters, no blanks")
        owner = badge_owner(known, badge)
        if owner is not None and owner.id != operator:
            raise TableError(641, "this badge is somebody else's", f"operator {operator}", "take another badge")
        known = msgspec.structs.replace(known, badge_salt=known.badge_salt or secrets.token_hex(16))
        assert known.badge_salt is not None
        return _save_changed(path, known, msgspec.structs.replace(found, badge=_badge_hash(badge, known.badge_salt)))


def remove(path: Path, operator: str) -> Operator:
    """Someone who works here no more."""
    with _locked(path):
        known, found = _known(path, operator)
        left = tuple(one for one in known.operators if one.id != operator)
        save(path, msgspec.structs.replace(known, operators=left))
    return found


def _known(path: Path, operator: str) -> tuple[OperatorFile, Operator]:
    known = load(path)
    found = known.find(operator)
    if found is None:
        raise TableError(626, f"no operator {operator!r}", str(path), "see `tablectl operator list`")
    return known, found


def _save_changed(path: Path, known: OperatorFile, changed: Operator) -> Operator:
    operators = tuple(changed if one.id == changed.id else one for one in known.operators)
    save(path, msgspec.structs.replace(known, operators=operators))
    return changed


def _check_new_pin(known: OperatorFile, operator: str, pin: str) -> None:
    if not is_pin(pin):
        raise TableError(627, "not a PIN", f"operator {operator}", f"give {PIN_RULE}")
    # The keys know a person by the PIN alone, so two people cannot share one.
    if any(one.id != operator and pin_matches(pin, one.pin) for one in known.operators):
        raise TableError(628, "this PIN cannot be taken", f"operator {operator}", "choose another one")
