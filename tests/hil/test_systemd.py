"""What systemd hears from the running daemon: READY, WATCHDOG from the loop alone, STOPPING once (F74 to F77)."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from controller.control.client import Client
from tests.deploy.unit_file import unit
from tests.hil.notify_socket import Systemd
from tests.hil.rig import Rig, devices_ready, last_hand, pause, until

pytestmark = pytest.mark.hil


@contextlib.contextmanager
def watched(watchdog_s: float | None) -> Iterator[tuple[Rig, Systemd]]:
    with Rig(seed=3) as rig:
        systemd = Systemd(rig.folder / "notify")
        environ = {"NOTIFY_SOCKET": str(systemd.path)}
        if watchdog_s is not None:
            environ["WATCHDOG_USEC"] = str(int(watchdog_s * 1e6))
        try:
            rig.start(environ=environ)
            yield rig, systemd
        finally:
            systemd.close()


@pytest.mark.parametrize("watchdog_s", [0.5, 2.0])
def test_ready_watchdog_stopping_from_the_main_process(watchdog_s: float) -> None:
    with watched(watchdog_s) as (rig, systemd):
        assert rig.child is not None
        rig.open_table()
        rig.play_hands(1)
        pause(1.5 * watchdog_s)
        assert rig.stop()[0] == 0
        pause(0.2)
        (ready,) = systemd.said("READY=1")
        (stopping,) = systemd.said("STOPPING=1")
        beats = [t for t, _ in systemd.said("WATCHDOG=1")]
        assert {pid for _, pid, _ in systemd.heard} == {rig.child.pid}
        assert ready[0] <= beats[0] + 0.05
        assert max(b - a for a, b in pairwise(beats)) <= watchdog_s / 2 + 0.1  # a busy machine
        assert len([t for t in beats if t > stopping[0]]) <= 2


def test_no_watchdog_is_asked_for_and_none_is_fed() -> None:
    with watched(None) as (rig, systemd):
        pause(0.7)
        assert systemd.said("WATCHDOG=1") == []
        assert len(systemd.said("READY=1")) == 1
        assert rig.stop()[0] == 0


def test_nothing_is_ready_that_cannot_start() -> None:
    with Rig() as rig:
        systemd = Systemd(rig.folder / "notify")
        rig.journal.unlink()
        assert rig.spawn(environ={"NOTIFY_SOCKET": str(systemd.path)}).wait(10) == 3
        pause(0.2)
        systemd.close()
        assert systemd.said("READY=1") == []


def test_a_stuck_loop_feeds_no_watchdog_and_the_socket_says_so() -> None:  # F59, F76
    with watched(0.6) as (rig, systemd):
        rig.open_table()
        rig.play_until(lambda s: s["phase"] == "dealing")
        lock = stuck_journal(rig)
        next(lock)
        rig.press("K1")  # refused, and the refusal is a record: the loop waits for the journal
        rig.bench.draw_card("box", 1)
        assert until(lambda: systemd.silent_s() > 0.8), "longer than the watchdog's time"
        before = len(systemd.said("WATCHDOG=1"))
        version = rig.now["version"]
        with Client(rig.folder / "control.sock") as client:
            assert client.status()["version"] == version  # the last snapshot
        next(lock, None)
        assert until(lambda: len(systemd.said("WATCHDOG=1")) > before)
        rig.wait(lambda s: s["version"] > version)
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()


def stuck_journal(rig: Rig) -> Iterator[None]:
    """Somebody else holds the database's write lock between two steps."""
    with contextlib.closing(sqlite3.connect(rig.journal, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("ROLLBACK")


def test_a_stopped_process_feeds_nothing() -> None:
    with watched(0.5) as (rig, systemd):
        assert rig.child is not None
        os.kill(rig.child.pid, signal.SIGSTOP)
        assert until(lambda: systemd.silent_s() > 1)
        before = len(systemd.said("WATCHDOG=1"))
        os.kill(rig.child.pid, signal.SIGCONT)
        assert until(lambda: len(systemd.said("WATCHDOG=1")) > before)
        rig.wait(devices_ready)
        assert last_hand(rig.now) == 0
        assert rig.stop()[0] == 0


def test_f75_a_journal_that_stands_still_for_three_seconds_is_within_the_shipped_deadline() -> None:
    deadline_s = float(unit()["WatchdogSec"][0])
    with watched(deadline_s) as (rig, systemd):
        rig.open_table()
        rig.play_until(lambda s: s["phase"] == "dealing")
        lock = stuck_journal(rig)
        next(lock)
        began = time.monotonic()
        rig.press("K1")  # refused, and the refusal is a record: the loop waits for the journal
        pause(3.0)
        next(lock, None)
        assert until(lambda: any(t > began + 3 for t, _ in systemd.said("WATCHDOG=1")), deadline_s)
        beats = [t for t, _ in systemd.said("WATCHDOG=1")]
        assert max(b - a for a, b in pairwise(beats)) < deadline_s
        assert rig.child is not None and rig.child.poll() is None
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()
