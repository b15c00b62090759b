"""What a device refuses to do: told once for each reason, until it does it. Knows no message and no time."""

from __future__ import annotations

from drivers.wire.messages import Result


class Refusals:
    """Of one device; `what` names the kind of command."""

    def __init__(self) -> None:
        self._told: dict[str, Result] = {}

    def standing(self, what: str) -> bool:
        """It was refused last, and somebody has been told."""
        return what in self._told

    def news(self, what: str, result: Result) -> bool:
        """It is refused (again): is that to be told?"""
        before, self._told[what] = self._told.get(what), result
        return result is not before

    def over(self) -> None:
        """It obeys, or everything begins anew: whatever it refuses from now on is news."""
        self._told.clear()
