"""PINs that are checked where no daemon runs: the lock-out of the sign-on, kept in a file beside the operators.

A try is on disk before the PIN is looked at, so that nobody gains one by ending the program. It never keeps a PIN.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from controller.control import operators
from controller.control.operators import Operator, hash_pin, pin_matches
from controller.control.pins import Lockout
from controller.errors import TableError

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class _Kept(msgspec.Struct, frozen=True):
    """Wrong PINs in a row by operator, and until when (ns since that boot) he is locked."""

    boot: str = ""
    wrong: dict[str, int] = {}
    until_ns: dict[str, int] = {}


def proved(
    file: Path,
    names: Sequence[str],
    pins: Sequence[str],
    clock_ns: Callable[[], int] = lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME),
    boot: Callable[[], str] = lambda: BOOT_ID.read_text("ascii"),
) -> tuple[Operator, ...]:
    """The operators of these names, each with his PIN right; TC-0610 or TC-0611 at the first that is not."""
    known = operators.load(file)
    with _tries(file, clock_ns, boot()) as (lockout, save):
        return tuple(_proved(known.find(n), n, p, lockout, save, clock_ns) for n, p in zip(names, pins, strict=True))


def _proved(
    operator: Operator | None,
    name: str,
    pin: str,
    lockout: Lockout,
    save: Callable[[], None],
    clock_ns: Callable[[], int],
) -> Operator:
    where = f"operator {name}"
    seconds = lockout.remaining_s(name, clock_ns())
    if seconds:
        raise TableError(611, "too many wrong PINs", where, f"wait {seconds} s")
    locked_s = lockout.wrong(name, clock_ns(), operator is not None)
    save()
    kept = operator.pin if operator is not None else hash_pin("111111")  # a stranger costs the same time
    if not pin_matches(pin, kept) or operator is None:
        raise TableError(610, "operator or PIN wrong", where, f"wait {locked_s} s" if locked_s else "try again")
    lockout.right(name)
    save()
    return operator


@contextlib.contextmanager
def _tries(file: Path, clock_ns: Callable[[], int], boot: str) -> Iterator[tuple[Lockout, Callable[[], None]]]:
    """One program at a time. After another boot, whose clock is not this one's, a lock begins anew."""
    beside = file.with_name(f"{file.name}.tries")
    try:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise TableError(623, f"cannot count wrong PINs, {error.strerror}", str(beside), "check the folder") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        lockout = Lockout()
        lockout.restore(*_read(handle, clock_ns(), boot))

        def save() -> None:
            _write(handle, beside, _Kept(boot, *lockout.kept()))

        save()
        yield lockout, save
    finally:
        os.close(handle)


def _read(handle: int, now_ns: int, boot: str) -> tuple[dict[str, int], dict[str, int]]:
    data = os.pread(handle, 1 << 20, 0)
    try:
        kept = msgspec.json.decode(data, type=_Kept) if data else _Kept()
    except msgspec.MsgspecError:
        raise TableError(622, "not a file of wrong PINs", "*.tries beside the operators", "remove it") from None
    if kept.boot == boot:
        return kept.wrong, kept.until_ns
    return kept.wrong, {name: now_ns + Lockout.lock_ns(count) for name, count in kept.wrong.items()}


def _write(handle: int, path: Path, kept: _Kept) -> None:
    """Over the old counts, never cut short before: a write that fails, or a kill, leaves them there."""
    data = msgspec.json.encode(kept)
    try:
        data = data.ljust(os.fstat(handle).st_size)  # blanks behind it mean nothing
        if os.pwrite(handle, data, 0) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    except OSError as error:
        raise TableError(623, f"cannot count wrong PINs, {error.strerror}", str(path), "check the disk") from None
