"""Badge readers: a line is a badge once, or nothing; its number shows nowhere."""

from __future__ import annotations

from drivers.badge_reader import BadgeReader
from drivers.events import BadgeRead, DeviceFault, DeviceLost, DeviceReady

MS = 1_000_000


def opened() -> BadgeReader:
    reader = BadgeReader("badge", "ID:(?P<badge>[0-9A-F]{8})", "\r\n")
    assert reader.opened(0) == [DeviceReady("badge", "BADGE/ascii", "", "", "", 0, 0)]
    return reader


def test_a_badge_in_any_cut_is_shown_once() -> None:
    """F1, F49: the reader repeats it as long as it lies in the field."""
    reader = opened()
    assert reader.receive(b"ID:04A1", 1) == []
    (shown,) = reader.receive(b"B2C3\r\n", 300 * MS)
    assert shown == BadgeRead("badge", "04A1B2C3")
    assert "04A1" not in repr(shown)
    assert reader.receive(b"ID:04A1B2C3\r\n", 1800 * MS) == []
    assert reader.receive(b"ID:04A1B2C3\r\n", 3700 * MS) == []
    assert reader.receive(b"ID:00000001\r\n", 3800 * MS) == [BadgeRead("badge", "00000001")]
    assert reader.receive(b"ID:04A1B2C3\r\n", 3900 * MS) == [BadgeRead("badge", "04A1B2C3")]


def test_what_is_no_badge_is_told_once_a_burst_and_shows_no_byte() -> None:
    """F53."""
    reader = opened()
    assert reader.receive(b"ID:04A1B2C3ID:00000001\r\n", 0) == [
        DeviceFault("badge", "unknown_badge", "a line that is no badge")
    ]
    assert reader.receive(b"id:04a1b2c3\r\n\xff\xfe\r\nID:\r\n", 1 * MS) == []
    assert reader.receive(b"ID:04", 2000 * MS) == []
    assert reader.next_tick_ns == 3000 * MS
    assert [event.code for event in reader.tick(3000 * MS)] == ["unknown_badge"]
    assert reader.next_tick_ns is None


def test_a_lost_port_is_told_once_and_half_a_line_with_it() -> None:
    """F17."""
    reader = opened()
    reader.receive(b"ID:04A1", 1)
    assert reader.closed("device gone", 2) == [DeviceLost("badge", "device gone")]
    assert reader.closed("device gone", 3) == []
    reader.opened(4)
    assert reader.receive(b"B2C3\r\n", 5) == [DeviceFault("badge", "unknown_badge", "a line that is no badge")]
    assert reader.outgoing() == b""
