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

    @classmethod
    def told(cls, line: str, exit_code: int) -> BenchError:
        """Another program's own error line, passed on as it is."""
        number, _, rest = line.partition(" ")
        what, _, remedy = rest.rpartition(": ")
        what, _, where = what.rpartition(": ")
        digits = number.removeprefix("TC-")
        return cls(int(digits) if digits.isdigit() else 722, what or rest, where, remedy, exit_code=exit_code)

    def line(self) -> str:
        """One line: `TC-nnnn what: where: what to do`."""
        return str(self).replace("\n", " ")
