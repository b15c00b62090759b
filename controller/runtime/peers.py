"""Who is told what the table shows, beside screens: the surveillance overlay and the receipt printer.

Remembers the last snapshot, so that only news is told. Knows public facts alone, and waits for nobody.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.table.projection import Snapshot
from controller.table.slips import Head, slips
from controller.table.surveillance import lines
from drivers.text_peer import TextPeer


class Peers:
    """Either of the two may be missing. `when` gives the label on a slip, `head` the journal's last record."""

    def __init__(
        self,
        overlay: TextPeer | None,
        printer: TextPeer | None,
        language: str,
        when: Callable[[], str],
        head: Head,
    ) -> None:
        self._overlay, self._printer = overlay, printer
        self._language, self._when, self._head = language, when, head
        self._before: Snapshot | None = None

    def tell(self, now: Snapshot, now_ns: int) -> None:
        """The table shows this from now on."""
        before, self._before = self._before, now
        if self._overlay is not None:
            for line in lines(before, now):
                self._overlay.say(f"{line}\n", now_ns)
        if self._printer is not None:
            for slip in slips(before, now, self._language, self._when(), self._head):
                self._printer.say(slip, now_ns)
