"""Why a port is not open, for the screens (F10): not a fact of the hand, so in no record."""

from __future__ import annotations

from controller.runtime.logs import TotalLogger
from drivers.events import PortBytes, PortClosed, PortEvent, PortOpened


class ClosedPorts:
    """Port -> reason, for as long as it is closed."""

    def __init__(self, log: TotalLogger) -> None:
        self._log = log
        self._logged: dict[str, str] = {}  # the last reason in the log, until bytes have come again
        self.reasons: dict[str, str] = {}

    def heard(self, event: PortEvent) -> bool:
        """Whether what the screens show has changed."""
        before = self.reasons.get(event.port)
        match event:
            case PortOpened():
                self.reasons.pop(event.port, None)
            case PortClosed() if event.reason != before:
                self.reasons[event.port] = event.reason
                self._tell(event)
            case PortBytes():
                self._logged.pop(event.port, None)
        return self.reasons.get(event.port) != before

    def _tell(self, event: PortClosed) -> None:
        """A port that opens and closes for the same reason, and brings nothing, is one line."""
        if self._logged.get(event.port) != event.reason:
            self._log.warning("port closed", port=event.port, reason=event.reason)
        self._logged[event.port] = event.reason
