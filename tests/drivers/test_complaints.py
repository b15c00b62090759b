"""What is said of a line's troubles."""

from __future__ import annotations

import pytest

from drivers.complaints import Complaints
from drivers.wire import messages as m
from drivers.wire.link import Link, Side
from drivers.wire.session import Tamper, Tampered


@pytest.mark.parametrize(("model", "code"), [("SHUFFLER/x", "wrong_device"), ("SHOE/x", "wrong_key")])
def test_f12_swapped_ports_are_told_as_such_on_a_sealed_line(model: str, code: str) -> None:
    """It cannot prove the shoe's key; what it says of itself tells people where to look."""
    claimed = m.Hello(7, b"x" * 8, 1, 1, m.CardState.NONE, model, "S-1", "1.0.0")
    told = Complaints("shoe", Link(Side.HOST)).tampered(Tampered(Tamper.WRONG_KEY, claimed), 0, "SHOE")
    assert [fault.code for fault in told] == [code]
