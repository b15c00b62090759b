"""An outgoing TCP connection as a port for the serial pump: the table calls, nobody calls the table.

Owns nothing but the way to open one; the pump owns thread, back-off and time-outs.
"""

from __future__ import annotations

import re
import socket

from drivers.transport.pump import PortUnavailable

SCHEME = "tcp://"
CONNECT_S = 2.0
_ADDRESS = re.compile(r"tcp://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})\Z")


def address(text: str) -> tuple[str, int] | None:
    """Host and port of `tcp://host:port`; None where it is no such thing."""
    match = _ADDRESS.match(text)
    if match is None or not 0 < int(match["port"]) < 65_536:
        return None
    return match["host"].strip("[]"), int(match["port"])


def open_tcp(text: str, _baud: int) -> socket.socket:
    """A connection, non-blocking, that notices a peer which vanished. Raises PortUnavailable."""
    where = address(text)
    if where is None:
        raise PortUnavailable("not an address, tcp://host:port")
    try:
        connection = socket.create_connection(where, timeout=CONNECT_S)
    except OSError as error:
        raise PortUnavailable(f"no connection, {error.strerror or type(error).__name__}") from error
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setblocking(False)
    return connection
