"""That a device is gone: told once for each reason, until it was there again.

A port that is tried for hours is one loss. Knows no port and no time.
"""

from __future__ import annotations

from drivers.events import DeviceEvent, DeviceLost


class Losses:
    """Of one device."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._told: str | None = None

    def ready(self) -> None:
        """The device is there: its next loss is news."""
        self._told = None

    def lost(self, reason: str) -> list[DeviceEvent]:
        """The loss, where it was not told for this reason yet."""
        if reason == self._told:
            return []
        self._told = reason
        return [DeviceLost(self._device, reason)]
