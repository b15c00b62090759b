"""The shoe's log of events: numbered for life, on file before it is sent, the newest 256 kept.

The file stands for the device's own memory that survives power. One line an event; a torn last line is dropped, for a
device that lost power while writing had not told anybody about that event.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

KEPT = 256
MARK = -1  # a line that only says which number was the last
ACKED = -2  # a line that says up to which number a host has everything on disk


@dataclass(frozen=True)
class Logged:
    """One event as it will be told for ever."""

    number: int
    kind: int
    value: int
    detail: bytes = b""

    def __repr__(self) -> str:
        return f"Logged({self.number}, kind={self.kind})"  # the value may be a face-down card


class EventLog:
    """Events by number; append only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._events: dict[int, Logged] = {}
        self.last = self.acked = 0
        self._lines = 0
        for line in path.read_text().splitlines() if path.exists() else ():
            self._load(line)
        self._file = path.open("a")
        self._compact()

    @property
    def first(self) -> int:
        """Lowest number still kept; last + 1 when numbers were used but none is kept; 0 when nothing was logged."""
        if self._events:
            return next(iter(self._events))
        return self.last + 1 if self.last else 0

    def append(self, kind: int, value: int, detail: bytes = b"") -> Logged:
        """The next event, on file."""
        event = Logged(self.last + 1, kind, value, detail)
        self._keep(event)
        self._write(event)
        if self._lines > 4 * KEPT:
            self._compact()
        return event

    def get(self, number: int) -> Logged | None:
        """The event, if it is still kept."""
        return self._events.get(number)

    def forget(self, up_to: int) -> None:
        """Memory trouble: these events are gone, their numbers stay used."""
        for number in [kept for kept in self._events if kept <= up_to]:
            del self._events[number]

    def restart(self) -> None:
        """A device that keeps nothing over its power: it counts from 1 again."""
        self._events.clear()
        self.last = self.acked = 0
        self._compact()

    def acknowledged(self, number: int) -> None:
        """A host has everything up to this one on disk; the mark never falls."""
        if self.acked < number <= self.last:
            self.acked = number
            self._write(Logged(number, ACKED, 0))
            if self._lines > 4 * KEPT:
                self._compact()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _load(self, line: str) -> None:
        try:
            number, kind, value, *detail = json.loads(line)
            logged = Logged(number, kind, value, bytes.fromhex("".join(detail)))
        except ValueError:
            return
        if kind == MARK:
            self.last = number
        elif kind == ACKED:
            self.acked = number
        else:
            self._keep(logged)

    def _keep(self, event: Logged) -> None:
        self._events[event.number] = event
        self.last = event.number
        while len(self._events) > KEPT:
            del self._events[next(iter(self._events))]

    def _write(self, event: Logged) -> None:
        self._file.write(json.dumps([event.number, event.kind, event.value, event.detail.hex()]) + "\n")
        self._file.flush()
        self._lines += 1

    def _compact(self) -> None:
        self._file.close()
        fresh = self._path.with_name(self._path.name + ".new")
        self._file = fresh.open("w")
        self._lines = 0
        if self.last:  # numbers are never used twice, even when no event is kept
            self._write(Logged(self.first - 1, MARK, 0))
        for event in self._events.values():
            self._write(event)
        if self.acked:
            self._write(Logged(self.acked, ACKED, 0))
        fresh.replace(self._path)
