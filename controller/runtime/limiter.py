"""How many log lines of one kind may leave in a window, and how many were held back. Pure: time comes in.

journald drops lines silently above its own limit; ours says how many, and a flood of one kind leaves room for others.
"""

from __future__ import annotations

OTHER = "(other)"


class RateLimiter:
    """`per_kind` lines of a kind and `total` lines of all kinds in each window."""

    def __init__(self, per_kind: int = 10, total: int = 200, window_s: float = 5.0, kinds: int = 256) -> None:
        self._per_kind = per_kind
        self._total = total
        self._window_ns = int(window_s * 1e9)
        self._kinds = kinds
        self._since_ns: int | None = None
        self._passed: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._all = 0

    def allow(self, kind: str, now_ns: int, *, urgent: bool = False) -> bool:
        """Whether one more line of this kind may leave. Call `due` first. Urgent ones always may, and take no room."""
        if urgent:
            return True
        if self._since_ns is None:
            self._since_ns = now_ns
        if kind not in self._passed and len(self._passed) >= self._kinds:
            kind = OTHER
        passed = self._passed[kind] = self._passed.get(kind, 0) + 1
        self._all += 1
        if passed <= self._per_kind and self._all - self.held() <= self._total:
            return True
        self._held[kind] = self._held.get(kind, 0) + 1
        return False

    def held(self) -> int:
        """Lines held back in this window."""
        return sum(self._held.values())

    def due(self, now_ns: int) -> dict[str, int]:
        """What the window that has ended held back, by kind; empty while it lasts."""
        if self._since_ns is None or now_ns - self._since_ns < self._window_ns:
            return {}
        return self.flush()

    def flush(self) -> dict[str, int]:
        """Ends the window now."""
        held, self._held = self._held, {}
        self._passed = {}
        self._all = 0
        self._since_ns = None
        return held
