"""The listening Unix socket: made with mode 0660, a dead one replaced, a living one respected. One daemon a path."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import struct
from pathlib import Path

from controller.control.protocol import Peer
from controller.errors import TableError

MODE = 0o660
MAX_PATH = 107  # bytes in sockaddr_un


class Listener:
    """Holds the socket and, for as long as it lives, a lock beside it: two starts at once cannot both win."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if len(os.fsencode(path)) > MAX_PATH:
            raise TableError(606, "the path is too long for a socket", str(path), f"use at most {MAX_PATH} bytes")
        self._lock = _take_lock(path)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, self._lock)
            _clear_stale(path)
            self.socket = _bind(path)
            undo.pop_all()
        self._inode = path.stat().st_ino

    def renew(self) -> None:
        """The socket anew, where somebody removed its file: without it nobody reaches the table any more."""
        made = _bind(self.path)
        self.socket.close()
        self.socket, self._inode = made, self.path.stat().st_ino

    def close(self) -> None:
        """Closes and removes the socket, if it is still ours."""
        self.socket.close()
        with contextlib.suppress(OSError):
            if self.path.stat().st_ino == self._inode:
                self.path.unlink()
        os.close(self._lock)


def peer_of(connection: socket.socket) -> Peer:
    """Who is at the other end, as the kernel says."""
    size = struct.calcsize("3i")
    return Peer(*struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)))


def _in_use(path: Path) -> TableError:
    remedy = "stop the other daemon, or give this one its own control.socket"
    return TableError(607, "another daemon has the control socket", str(path), remedy, exit_code=5)


def _take_lock(path: Path) -> int:
    try:
        handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        what = f"cannot make the control socket, {error.strerror}"
        raise TableError(606, what, str(path), "make its folder and let the daemon write there") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise _in_use(path) from None
    return handle


def _clear_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise TableError(606, "something that is no socket is in the way", str(path), "move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError:
            raise _in_use(path) from None
    raise _in_use(path)


def _bind(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(listener.fileno(), MODE)  # Linux gives it to the file at bind: never open wider, not for a moment
        listener.bind(str(path))
        path.chmod(MODE)  # whatever the umask took away
        listener.listen(64)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        what = f"cannot make the control socket, {error.strerror}"
        raise TableError(606, what, str(path), "make its folder and let the daemon write there") from None
    return listener
