"""That a device is gone: told once for each reason, until it was there again.

A port that is tried for hours is one loss, and two reasons in turn are two. Knows no port and no time.
"""

from __future__ import annotations

from drivers.events import DeviceEvent, DeviceLost

MOST_REASONS = 8


class Losses:
    """Of one device."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._told: set[str] = set()

    def ready(self) -> None:
        """The device is there: its next loss is news."""
        self._told.clear()

    def lost(self, reason: str) -> list[DeviceEvent]:
        """The loss, where it was not told for this reason yet."""
        if reason in self._told or len(self._told) >= MOST_REASONS:
            return []
        self._told.add(reason)
        return [DeviceLost(self._device, reason)]
