"""Hardware-in-the-loop tests: every test here starts real processes. What they share is removed at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hil.rig import forget_prepared


@pytest.fixture(scope="session", autouse=True)
def _prepared_tables() -> Iterator[None]:
    yield
    forget_prepared()
