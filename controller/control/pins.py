"""Checking PINs and badges: one worker thread, because scrypt is slow on purpose; never the loop's or the socket's.

Wrong PINs lock that operator out for a growing time. An unknown operator costs the same time, gets the same words and
is locked the same way, so that nobody learns who exists.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from controller.control import operators
from controller.control.operators import Operator, OperatorFile, PinHash, hash_pin, pin_matches
from controller.control.protocol import Claim, Identity
from controller.errors import TableError

FREE_TRIES = 3
FIRST_LOCK_S = 10
LONGEST_LOCK_S = 900
BADGES = "(badge)"  # and one of badges that nobody has
KEYS = "(keys)"  # the one counter of PINs typed on the table, where nobody says who they are

Verdict = tuple[Identity, ...] | TableError


class PinRefused(msgspec.Struct, frozen=True):
    """A claim that was not believed; for the record."""

    operator: str
    locked_s: int


class Lockout:
    """Who may not try now. Pure: time comes in."""

    def __init__(self, strangers: int = 256) -> None:
        self._wrong: dict[str, int] = {}
        self._until_ns: dict[str, int] = {}
        self._strangers: dict[str, None] = {}
        self._max_strangers = strangers

    def remaining_s(self, operator: str, now_ns: int) -> int:
        """Seconds until the next try, rounded up; 0: now."""
        return max(0, -((now_ns - self._until_ns.get(operator, now_ns)) // 10**9))

    def wrong(self, operator: str, now_ns: int, known: bool) -> int:
        """One more wrong PIN. The seconds of the lock that it brings (0: none yet)."""
        if not known:
            self._remember_stranger(operator)
        count = self._wrong[operator] = self._wrong.get(operator, 0) + 1
        lock_ns = self.lock_ns(count)
        if lock_ns:
            self._until_ns[operator] = now_ns + lock_ns
        return lock_ns // 10**9

    @staticmethod
    def lock_ns(count: int) -> int:
        """How long so many wrong PINs in a row lock; 0: not yet."""
        if count < FREE_TRIES:
            return 0
        return min(LONGEST_LOCK_S, FIRST_LOCK_S << min(count - FREE_TRIES, 10)) * 10**9

    def kept(self) -> tuple[dict[str, int], dict[str, int]]:
        """Wrong ones in a row, and until when each is locked: for `restore`."""
        return dict(self._wrong), dict(self._until_ns)

    def restore(self, wrong: dict[str, int], until_ns: dict[str, int]) -> None:
        """As another run left it. Who is known is not kept: the first to go are the oldest."""
        self._wrong, self._until_ns = dict(wrong), dict(until_ns)
        self._strangers = dict.fromkeys(wrong)

    def right(self, operator: str) -> None:
        """Forget the wrong ones."""
        self._wrong.pop(operator, None)
        self._until_ns.pop(operator, None)

    def _remember_stranger(self, operator: str) -> None:
        # Invented names cannot fill the memory, nor push out the count of someone real.
        self._strangers.pop(operator, None)
        self._strangers[operator] = None
        if len(self._strangers) > self._max_strangers:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            self.right(oldest)


class PinDesk:
    """The worker. `done` callbacks run in its thread and must only pass the verdict on."""

    def __init__(
        self,
        path: Path,
        clock_ns: Callable[[], int],
        *,
        refused: Callable[[PinRefused], None] | None = None,
        matches: Callable[[str, PinHash], bool] = pin_matches,
        waiting: int = 32,
    ) -> None:
        self._path = path
        self._clock_ns = clock_ns
        self._refused = refused
        self._matches = matches
        self._lockout = Lockout()
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(maxsize=waiting)
        self._thread = threading.Thread(target=self._run, name="pins", daemon=True)
        self._seen: tuple[int, int, int] | None = None
        self._file = OperatorFile()
        self._nobody: PinHash

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Ends after the job in hand; those waiting get no verdict."""
        while self._thread.is_alive():
            try:
                self._jobs.put_nowait(None)
                break
            except queue.Full:
                self._drop_one()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)  # the daemon stops within two seconds; what hangs here dies with it

    def _drop_one(self) -> None:
        try:
            self._jobs.get_nowait()
        except queue.Empty:
            return

    def check(self, claims: tuple[Claim, ...], done: Callable[[Verdict], None]) -> bool:
        """All claims, or the first that is wrong. False: too many wait already."""
        return self._submit(lambda: self._all(claims), done)

    def check_keys(self, pin: str, done: Callable[[Verdict], None]) -> bool:
        """Who has this PIN? For PINs typed on keys 1 to 6; no two operators share one."""
        return self._submit(lambda: self._by_pin(pin), done)

    def check_badge(self, badge: str, done: Callable[[Verdict], None]) -> bool:
        """Who has this badge?"""
        return self._submit(lambda: self._by_badge(badge), done)

    def _submit(self, work: Callable[[], Verdict], done: Callable[[Verdict], None]) -> bool:
        def job() -> None:
            try:
                verdict = work()
            except TableError as error:
                verdict = error
            except (OSError, ValueError, MemoryError) as error:
                what = f"a PIN could not be checked, {type(error).__name__}"
                verdict = TableError(629, what, str(self._path), "see the log; check the file of operators")
            done(verdict)

        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            return False
        return True

    def _run(self) -> None:
        self._nobody = hash_pin("111111")  # slow on purpose: here, so that no start waits for it
        while (job := self._jobs.get()) is not None:
            job()

    # --- in the worker

    def _operators(self) -> OperatorFile:
        """The file, read again when it has been replaced."""
        try:
            stat = self._path.stat()
            stamp = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        except OSError:
            stamp = None
        if stamp is None or stamp != self._seen:
            self._file = operators.load(self._path)
            self._seen = stamp
        return self._file

    def _all(self, claims: tuple[Claim, ...]) -> Verdict:
        found = []
        for claim in claims:
            operator = self._one(claim)
            found.append(_identity(operator))
        return tuple(found)

    def _one(self, claim: Claim) -> Operator:
        self._refuse_locked(claim.operator)
        operator = self._operators().find(claim.operator)
        kept = operator.pin if operator else self._nobody
        if not self._matches(claim.pin, kept) or operator is None:
            raise self._wrong(claim.operator, known=operator is not None)
        self._lockout.right(claim.operator)
        return operator

    def _by_pin(self, pin: str) -> Verdict:
        self._refuse_locked(KEYS)
        found = [one for one in self._operators().operators if self._matches(pin, one.pin)]
        if len(found) != 1:
            raise self._wrong(KEYS, known=True)
        self._lockout.right(KEYS)
        return (_identity(found[0]),)

    def _by_badge(self, badge: str) -> Verdict:
        self._refuse_locked(BADGES)
        found = operators.badge_owner(self._operators(), badge)
        if found is None:
            raise self._wrong(BADGES, known=True)
        self._lockout.right(BADGES)
        return (_identity(found),)

    def _refuse_locked(self, operator: str) -> None:
        seconds = self._lockout.remaining_s(operator, self._clock_ns())
        if seconds:
            raise TableError(611, "too many wrong PINs", f"operator {operator}", f"wait {seconds} s")

    def _wrong(self, operator: str, *, known: bool) -> TableError:
        locked_s = self._lockout.wrong(operator, self._clock_ns(), known)
        if self._refused is not None:
            self._refused(PinRefused(operator, locked_s))
        remedy = f"wait {locked_s} s, then try again" if locked_s else "try again"
        return TableError(610, "operator or PIN is wrong", f"operator {operator}", remedy)


def _identity(operator: Operator) -> Identity:
    return Identity(operator.id, operator.name, operator.roles)
