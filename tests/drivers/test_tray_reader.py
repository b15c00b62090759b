"""The discard tray's reader: every scan is a card once, known or not, and needs no acknowledgement."""

from __future__ import annotations

from drivers.events import DeviceFault, DeviceLost, DeviceReady, TrayRead
from drivers.reader_codes import CodeTable
from drivers.tray_reader import TrayReader

MS = 1_000_000


def test_scans_become_observations() -> None:
    """F1, F49, F53: torn, glued and unknown scans are unknown cards; a double scan is one."""
    reader = TrayReader("tray", CodeTable(codes={"01": "As", "02": "Kd"}))
    assert reader.opened(0) == [DeviceReady("tray", "READER/ascii", "", "", "", 0, 0)]
    assert reader.receive(b"0", 1) == []
    (seen,) = reader.receive(b"1\r\n", 300 * MS)
    assert seen == TrayRead("tray", "As")
    assert "As" not in repr(seen)
    assert reader.receive(b"01\r\n", 400 * MS) == [DeviceFault("tray", "double_scan", "1 so far")]
    assert reader.receive(b"0102\r\n", 2000 * MS) == [TrayRead("tray", "??")]
    assert reader.receive(b"02", 4000 * MS) == []
    assert reader.tick(5000 * MS) == [TrayRead("tray", "??")]
    assert reader.next_tick_ns is None  # nothing waits to be told again
    assert reader.closed("device gone", 5000 * MS) == [DeviceLost("tray", "device gone")]
    assert reader.outgoing() == b""
