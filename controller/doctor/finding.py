"""What a probe says: a number of docs/doctor.md, how bad it is, what, where, and what to do."""

from __future__ import annotations

import enum

from msgspec import Struct


class Level(enum.StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIPPED = "skipped"


class Finding(Struct, frozen=True):
    """One line of the report. A remedy stands with everything that is not well."""

    code: str
    level: Level
    what: str
    where: str
    remedy: str = ""

    def line(self) -> str:
        """As it is printed: the level, then the line that every error of ours has."""
        parts = [f"{self.code} {self.what}", self.where, self.remedy]
        return f"{self.level:7} " + ": ".join(part for part in parts if part).replace("\n", " ")


class Topic(Struct, frozen=True):
    """One number: makes the findings that bear it."""

    number: int

    def ok(self, what: str, where: str) -> Finding:
        return self._say(Level.OK, what, where, "")

    def warn(self, what: str, where: str, remedy: str) -> Finding:
        return self._say(Level.WARN, what, where, remedy)

    def fail(self, what: str, where: str, remedy: str) -> Finding:
        return self._say(Level.FAIL, what, where, remedy)

    def skipped(self, what: str, where: str, remedy: str = "") -> Finding:
        return self._say(Level.SKIPPED, what, where, remedy)

    def _say(self, level: Level, what: str, where: str, remedy: str) -> Finding:
        return Finding(f"TC-{self.number:04d}", level, what, where, remedy)
