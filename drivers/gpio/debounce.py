"""Edges to presses: which input was really pressed or released, and which is broken. Pure.

Pins are read through a callable only. Never blocks, keeps no clock, never trusts the last edge alone (F37) and takes
no level for an action before the input has been quiet for the settle time (F39). There is no blanket ignore window: a
level counts when it has been stable.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from enum import StrEnum

import msgspec

from drivers.events import ButtonEdge, ButtonFault, Edge
from drivers.gpio.pins import LEVELS

Output = ButtonEdge | ButtonFault
Timed = tuple[int, Output]
MS = 1_000_000


class Timing(msgspec.Struct, frozen=True):
    """When a level counts, and when an input is broken."""

    stable_ns: int = 10 * MS
    settle_ns: int = 1000 * MS  # after start, and after chatter: quiet this long before the first action
    restless_ns: int = 5000 * MS  # not yet quiet this long after start: a fault
    chatter_ns: int = 300 * MS  # edges without a stable level for this long: a fault
    chatter_edges: int = 8  # ... and at least this many, so that a lost edge is not called chatter
    held_ns: int = 5000 * MS
    sweep_ns: int = 100 * MS  # quiet inputs are read again this often: an edge may have been lost
    burst: int = 24  # more accepted changes than this within burst_ns: no finger does that
    burst_ns: int = 1000 * MS


class _Phase(StrEnum):
    SETTLING = "settling"
    LIVE = "live"
    DEAD = "dead"


class _Input:
    """One input. Restless while `first_ns` is set: an edge has come and no level has been stable since."""

    def __init__(self, name: str, is_level: bool, active: bool, now_ns: int, timing: Timing) -> None:
        self.name = name
        self.phase = _Phase.SETTLING
        self.accepted: bool | None = None
        self.first_ns: int | None = now_ns
        self._is_level = is_level
        self._timing = timing
        self._candidate = active
        self._since_ns = now_ns
        self._doubt_ns: int | None = None  # when a re-read first contradicted the candidate
        self._edges = 0
        self._pressed_ns: int | None = None
        self._window_ns = timing.settle_ns
        self._changes: deque[int] = deque()

    def feed(self, active: bool, t_ns: int) -> list[Timed]:
        out: list[Timed] = []
        # An edge the other way proves what lay before it, however late it comes here; one the same way, a lost edge.
        if self.first_ns is not None and active != self._candidate and t_ns - self._since_ns > self._window_ns:
            out += self._accept()
        out += self._broken(t_ns)
        # Restless by a sweep alone: this edge, although older than the sweep, tells when it really began.
        swept = self.first_ns is not None and not self._edges and self.phase is not _Phase.SETTLING
        self._since_ns = t_ns if swept else max(self._since_ns, t_ns)
        self.first_ns = t_ns if self.first_ns is None else min(self.first_ns, t_ns)
        self._candidate = active
        self._doubt_ns = None
        self._edges += 1
        return out

    def poll(self, now_ns: int, read: Callable[[str], bool], sweep: bool) -> list[Timed]:
        out: list[Timed] = []
        if self.first_ns is not None:
            if now_ns - self._base_ns() >= self._window_ns:
                out += self._reread(read(self.name), now_ns)
        elif sweep:
            self._look_again(read(self.name), now_ns)
        return out + self._broken(now_ns)

    def next_ns(self) -> int | None:
        if self.first_ns is not None:
            return self._base_ns() + self._window_ns
        return None if self._pressed_ns is None else self._pressed_ns + self._timing.held_ns

    def _base_ns(self) -> int:
        return self._since_ns if self._doubt_ns is None else self._doubt_ns

    def _look_again(self, active: bool, now_ns: int) -> None:
        if active != self._candidate:
            self.first_ns = self._since_ns = now_ns
            self._candidate = active

    def _reread(self, active: bool, now_ns: int) -> list[Timed]:
        """The window is over: the pin decides. Two reads a window apart overrule a last edge that says otherwise."""
        if active == self._candidate and self._doubt_ns is None:
            return self._accept()
        if active == self._candidate:
            self._doubt_ns, self._since_ns = None, now_ns
            return []
        if self._doubt_ns is None:
            self._doubt_ns = now_ns
            return []
        self._candidate, self._since_ns = active, self._doubt_ns
        return self._accept()

    def _accept(self) -> list[Timed]:
        began_ns = self._since_ns if self.first_ns is None else self.first_ns
        self.first_ns = self._doubt_ns = None
        self._edges = 0
        if self.phase is _Phase.LIVE:
            return self._changed(began_ns) if self._candidate != self.accepted else []
        if self._candidate and not self._is_level:
            # Held at start: a fault. Still held after a fault: it was said, and waits for the release.
            return self._die("held at start", self._since_ns) if self.phase is _Phase.SETTLING else []
        silent = self.phase is _Phase.SETTLING and not self._is_level
        self.phase = _Phase.LIVE
        self._window_ns = self._timing.stable_ns
        self.accepted = self._candidate
        return [] if silent else [(self._since_ns, ButtonEdge(self.name, self._candidate, self._since_ns))]

    def _changed(self, t_ns: int) -> list[Timed]:
        self.accepted = self._candidate
        self._pressed_ns = t_ns if self._candidate and not self._is_level else None
        self._changes.append(t_ns)
        while t_ns - self._changes[0] > self._timing.burst_ns:
            self._changes.popleft()
        if len(self._changes) > self._timing.burst:
            return self._die("chatters", t_ns)
        return [(t_ns, ButtonEdge(self.name, self._candidate, t_ns))]

    def _broken(self, now_ns: int) -> list[Timed]:
        timing = self._timing
        if self.first_ns is None:
            held = self._pressed_ns is not None and now_ns - self._pressed_ns >= timing.held_ns
            # Merely held: a clean release is enough. After chatter and at start it must be quiet for longer.
            reason = f"held for {timing.held_ns // (1000 * MS)} s"
            return self._die(reason, now_ns, timing.stable_ns) if held else []
        restless_ns = now_ns - self.first_ns
        if self.phase is _Phase.SETTLING and restless_ns >= timing.restless_ns and self._edges:
            return self._die("never quiet since start", now_ns)
        if self.phase is _Phase.LIVE and restless_ns >= timing.chatter_ns and self._edges >= timing.chatter_edges:
            return self._die("chatters", now_ns)
        return []

    def _die(self, reason: str, now_ns: int, quiet_ns: int | None = None) -> list[Timed]:
        self._window_ns = self._timing.settle_ns if quiet_ns is None else quiet_ns
        self.phase = _Phase.DEAD
        self.accepted = self._pressed_ns = None
        self._changes.clear()
        return [(now_ns, ButtonFault(self.name, reason))]


class Debouncer:
    """All inputs of the panel. Feed every edge, poll at `next_ns` or later; late is safe, edges carry their own time.

    Outputs come in the order of their times: one is held back while another live input is restless since before it.
    A release that follows a ButtonFault says only that the input lives again; it belongs to no press.
    """

    def __init__(
        self,
        names: Iterable[str],
        read: Callable[[str], bool],
        now_ns: int,
        *,
        timing: Timing | None = None,
        levels: frozenset[str] = LEVELS,
    ) -> None:
        self._timing = timing or Timing()
        self._read = read
        self._swept_ns = now_ns
        self._inputs = {n: _Input(n, n in levels, read(n), now_ns, self._timing) for n in names}
        self._ready: list[tuple[int, int, Output]] = []
        self._count = 0

    def feed(self, edge: Edge) -> list[Output]:
        """A raw edge, in the order in which they came. A name that is not wired is a fault."""
        source = self._inputs.get(edge.name)
        if source is None:
            return [ButtonFault(edge.name, "not wired")]
        self._keep(source.feed(edge.active, edge.t_ns))
        return self._release()

    def poll(self, now_ns: int) -> list[Output]:
        """What has become certain with the passing of time."""
        sweep = now_ns - self._swept_ns >= self._timing.sweep_ns
        self._swept_ns = now_ns if sweep else self._swept_ns
        for source in self._inputs.values():
            self._keep(source.poll(now_ns, self._read, sweep))
        return self._release()

    @property
    def next_ns(self) -> int:
        """When to poll next; there is always a next sweep."""
        due = [t for source in self._inputs.values() if (t := source.next_ns()) is not None]
        return min([*due, self._swept_ns + self._timing.sweep_ns])

    def level(self, name: str) -> bool | None:
        """The debounced level; None while it is not known (settling, or broken)."""
        return self._inputs[name].accepted

    def _keep(self, outputs: list[Timed]) -> None:
        for t_ns, output in outputs:
            self._count += 1
            heapq.heappush(self._ready, (t_ns, self._count, output))

    def _release(self) -> list[Output]:
        restless = [i.first_ns for i in self._inputs.values() if i.phase is _Phase.LIVE and i.first_ns is not None]
        out = []
        while self._ready and not (restless and min(restless) < self._ready[0][0]):
            out.append(heapq.heappop(self._ready)[2])
        return out
