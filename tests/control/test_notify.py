"""sd_notify over a real datagram socket: main process only (F74), half of the deadline (F75), no flood (F77)."""

from __future__ import annotations

import itertools
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.runtime.notify import Notifier, Patience, take_settings

SECOND = 10**9


class Systemd:
    """A notify socket that also learns who speaks."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind("\0" + path[1:] if path.startswith("@") else path)
        self.socket.setblocking(False)

    def received(self) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        while True:
            try:
                data, ancillary, _, _ = self.socket.recvmsg(4096, socket.CMSG_SPACE(12))
            except BlockingIOError:
                return found
            pid, _, _ = struct.unpack("3i", ancillary[0][2])
            found.append((data.decode(), pid))

    def texts(self) -> list[str]:
        return [text for text, _ in self.received()]


@pytest.fixture
def address(tmp_path: Path) -> str:
    return str(tmp_path / "notify")


@pytest.fixture
def systemd(address: str) -> Iterator[Systemd]:
    fake = Systemd(address)
    yield fake
    fake.socket.close()


def notifier(address: str, **more: str) -> Notifier:
    return Notifier.from_environ({"NOTIFY_SOCKET": address, **more})


def test_f74_all_messages_come_from_the_main_process(systemd: Systemd, address: str) -> None:
    one = notifier(address, WATCHDOG_USEC="10000000", WATCHDOG_PID=str(os.getpid()))
    one.ready("hand 17")
    one.watchdog(0)
    one.stopping()
    assert systemd.received() == [
        ("READY=1\nSTATUS=hand 17", os.getpid()),
        ("WATCHDOG=1", os.getpid()),
        ("STOPPING=1", os.getpid()),
    ]
    one.close()


def test_f74_a_forked_child_is_silent(systemd: Systemd, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = notifier(address)
    monkeypatch.setattr("controller.runtime.notify.os.getpid", lambda: -1)
    one.ready()
    assert systemd.received() == []
    one.close()


def test_f74_children_do_not_inherit_the_variables(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    Notifier.from_environ().close()
    code = "import os; print([name for name in os.environ if name.startswith(('NOTIFY', 'WATCHDOG'))])"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"


@pytest.mark.parametrize("deadline_s", [0.5, 2, 10, 30])
def test_f75_gaps_stay_within_half_the_deadline(systemd: Systemd, address: str, deadline_s: float) -> None:
    one = notifier(address, WATCHDOG_USEC=str(int(deadline_s * 1_000_000)))
    step_ns = int(deadline_s * SECOND / 100)
    sent_at = []
    for now_ns in range(0, int(3 * deadline_s * SECOND), step_ns):
        one.watchdog(now_ns)
        if systemd.texts() == ["WATCHDOG=1"]:
            sent_at.append(now_ns)
    gaps = [later - earlier for earlier, later in itertools.pairwise(sent_at)]
    assert len(sent_at) >= 6
    assert max(gaps) <= deadline_s * SECOND / 2
    assert min(gaps) >= deadline_s * SECOND / 4
    one.close()


@pytest.mark.parametrize("more", [{}, {"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "ten"}])
def test_f75_no_watchdog_where_none_is_wanted(systemd: Systemd, address: str, more: dict[str, str]) -> None:
    one = notifier(address, **more)
    for second in range(100):
        one.watchdog(second * SECOND)
    assert systemd.received() == []
    assert one.next_watchdog_ns(0) is None
    one.close()


def test_f75_a_stall_of_three_seconds_is_within_the_shipped_ten(systemd: Systemd, address: str) -> None:
    one = notifier(address, WATCHDOG_USEC="10000000")
    one.watchdog(0)
    due_ns = one.next_watchdog_ns(0)
    assert due_ns is not None
    assert due_ns + 3 * SECOND < 10 * SECOND
    one.close()


def test_f75_a_long_start_asks_for_more_time(systemd: Systemd, address: str) -> None:
    one = notifier(address)
    one.extend(20)
    one.status("verifying the journal,\nrecord 5000")
    assert systemd.texts() == ["EXTEND_TIMEOUT_USEC=20000000", "STATUS=verifying the journal, record 5000"]
    one.close()


def test_f76_without_the_loop_nothing_is_sent(systemd: Systemd, address: str) -> None:
    one = notifier(address, WATCHDOG_USEC="500000")
    one.watchdog(0)
    systemd.received()
    # There is no thread and no timer: the next message needs a call.
    assert systemd.received() == []
    one.close()


def test_f77_a_shutdown_of_ten_seconds_is_quiet(systemd: Systemd, address: str) -> None:
    one = notifier(address, WATCHDOG_USEC="1000000")
    texts = []
    for millisecond in range(0, 10_000, 10):
        one.stopping("closing the journal")
        one.watchdog(millisecond * 1_000_000)
        texts += systemd.texts()
    assert texts[0] == "STOPPING=1\nSTATUS=closing the journal"
    assert texts[1:] == ["WATCHDOG=1"] * 20
    one.close()


def test_an_abstract_address(tmp_path: Path) -> None:
    fake = Systemd("@table-controller-test-" + tmp_path.name)
    one = notifier("@table-controller-test-" + tmp_path.name)
    one.ready()
    one.ready()
    assert fake.texts() == ["READY=1"]
    one.close()
    fake.socket.close()


def test_a_dead_or_full_socket_neither_raises_nor_waits(address: str) -> None:
    gone = notifier(address)
    gone.ready()
    assert gone.unsent == 1
    fake = Systemd(address)
    one = notifier(address)
    for _ in range(5000):
        one.status("x" * 200)
    assert one.unsent > 0
    one.close()
    fake.socket.close()


def test_without_systemd_nothing_happens() -> None:
    one = Notifier.from_environ({})
    one.ready()
    one.watchdog(0)
    one.stopping()
    one.close()
    assert one.unsent == 0
    assert take_settings({"NOTIFY_SOCKET": "vsock:2:1"}, 1).address is None


def test_f75_a_start_of_twenty_seconds_asks_for_more_time_again_and_again(systemd: Systemd, address: str) -> None:
    now_ns = [0]
    one = notifier(address)
    patience = Patience(one, lambda: now_ns[0])
    patience.begin("verifying the journal")
    for millisecond in range(0, 20_000, 10):
        now_ns[0] = millisecond * 1_000_000
        patience.step()
    texts = systemd.texts()
    assert texts[:2] == ["STATUS=verifying the journal", "EXTEND_TIMEOUT_USEC=300000000"]
    assert texts[2:] == ["EXTEND_TIMEOUT_USEC=60000000"] * 3
    one.close()
