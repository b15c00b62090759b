"""The bench's failures in the shape that every program prints: number, what, where, remedy. Numbers 07xx."""

from __future__ import annotations


class BenchError(Exception):
    """A failure with operator text; `line()` is the only form in which it is printed."""

    def __init__(self, code: int, what: str, where: str, remedy: str, *, exit_code: int = 2) -> None:
        super().__init__(f"TC-{code:04d} {what}: {where}: {remedy}")
        self.code = f"TC-{code:04d}"
        self.what = what
        self.where = where
        self.remedy = remedy
        self.exit_code = exit_code

    def line(self) -> str:
        """One line: `TC-nnnn what: where: what to do`."""
        return str(self).replace("\n", " ")
