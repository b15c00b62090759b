"""What the serial pump sets on a port and gives back: exclusive use, unsent bytes, the descriptor itself."""

from __future__ import annotations

import array
import errno
import fcntl
import os
import termios
from pathlib import Path

import pytest
from serial_doubles import Inbox, Line, descriptors, pump

from drivers.events import PortClosed
from drivers.transport import serial_port
from drivers.transport.pump import PortUnavailable
from drivers.transport.serial_port import open_serial, port_holder

TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h


def exclusive(descriptor: int) -> bool:
    flag = array.array("i", [0])
    fcntl.ioctl(descriptor, TIOCGEXCL, flag)
    return bool(flag[0])


def test_f16_the_kernel_keeps_others_out_of_a_port_but_not_of_a_pty(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pty would stay closed to us too after a kill; there the lock alone holds."""
    port = open_serial(line.path, 115_200)
    assert not exclusive(port.fileno())
    port.close()
    monkeypatch.setattr(serial_port, "PTY_MAJORS", ())
    port = open_serial(line.path, 115_200)
    assert exclusive(port.fileno())
    fcntl.ioctl(port.fileno(), termios.TIOCNXCL)
    port.close()


def test_f15_a_port_that_fails_while_it_is_opened_is_given_back_at_once(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError("the driver refuses")

    monkeypatch.setattr(serial_port, "_set_quiet", fail)
    before = descriptors()
    with pytest.raises(PortUnavailable) as caught:
        open_serial(line.path, 115_200)
    assert descriptors() == before, "while the error, and with it the port, is still in somebody's hands"
    assert caught.value.__cause__ is not None


class Kept:
    """A port that outlives its pump: nobody but the pump closes it."""

    def __init__(self, path: str, done: list[str]) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._done = done

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        self._done.append("closed")
        os.close(self._descriptor)


def test_f14_f19_unsent_bytes_go_before_a_port_is_closed_and_it_is_closed_once(
    line: Line, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    flush = termios.tcflush

    def flushed(descriptor: int, queue: int) -> None:
        assert queue == termios.TCOFLUSH
        done.append("flushed")
        flush(descriptor, queue)

    monkeypatch.setattr(termios, "tcflush", flushed)
    kept = [Kept(line.path, done)]
    port = pump(line.path, inbox, opener=lambda _path, _baud: kept[0], rest=lambda _s: None)
    port.start()
    inbox.until_opened()
    port.close()
    assert done == ["flushed", "closed"]


class Sour(Kept):
    """Closing it fails as well, after the descriptor has gone, as Linux does it."""

    def close(self) -> None:
        super().close()
        raise OSError(errno.EIO, "close failed")


def test_f14_a_close_that_fails_is_swallowed_and_each_end_is_told_once(inbox: Inbox) -> None:
    """Neither a thread that dies nor a descriptor that stays; the reason told is that of the end, not of the close."""
    done: list[str] = []
    lines: list[Line] = []

    def opener(_path: str, _baud: int) -> Sour:
        lines.append(Line())
        return Sour(lines[-1].path, done)

    before = descriptors()
    port = pump("/dev/none", inbox, opener=opener)
    port.start()
    for _ in range(20):
        inbox.until_opened()
        lines[-1].send(b"x\n")
        assert inbox.bytes(2) == b"x\n"
        lines[-1].unplug()
        closed = inbox.until_closed()
        assert (closed.reason, closed.attempt) == ("device gone", 1)
    inbox.until_opened()
    port.close()
    lines[-1].unplug()
    assert descriptors() == before and done == ["closed"] * 21
    assert sum(isinstance(event, PortClosed) for event in inbox.all) == 20


def test_nobody_holds_a_port_that_is_not_there_or_goes_while_it_is_looked_for(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert port_holder(str(tmp_path / "nothing")) is None

    def gone(_paths: list[Path]) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(serial_port, "holders", gone)
    assert port_holder(line.path) is None
