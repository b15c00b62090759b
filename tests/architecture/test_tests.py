"""What every test promises: it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.children import Child

TESTS = Path(__file__).parents[1]


def test_a_test_that_fails_does_not_wait_for_its_child() -> None:
    with pytest.raises(ZeroDivisionError), Child([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        _ = 1 / 0
    assert child.returncode == -15


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_children_in_a_with_statement_are_killed_where_it_fails(path: Path) -> None:
    assert path == Path(__file__) or "with subprocess.Popen" not in path.read_text("utf-8")
