"""The one shape in which a failure reaches a person: what happened, where, and what to do.

Exit codes (docs/control.md): 1 a check failed, 2 bad usage or input, 3 the journal does not verify,
4 a device or port is not to be had, 5 another instance holds the journal or a port.
Numbers: 01xx configuration and usage, 02xx journal, 03xx devices, 04xx rules and settlement, 05xx the hand,
06xx control and operators, 07xx the bench, 09xx what doctor finds.
"""

from __future__ import annotations


class TableError(Exception):
    """A failure with operator text. `line()` is the only form in which it is printed."""

    def __init__(self, code: int, what: str, where: str, remedy: str, *, exit_code: int = 2) -> None:
        super().__init__(what)
        self.code = f"TC-{code:04d}"
        self.what = what
        self.where = where
        self.remedy = remedy
        self.exit_code = exit_code

    def line(self) -> str:
        """One line: `TC-nnnn what: where: what to do`."""
        return f"{self.code} {self.what}: {self.where}: {self.remedy}".replace("\n", " ")

    def as_json(self) -> dict[str, dict[str, str]]:
        """The error object of every JSON answer."""
        return {"error": {"code": self.code, "message": self.what, "where": self.where, "remedy": self.remedy}}
