"""A control server on a real socket, and one client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from control_rig import Raw, Rig, running


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with running(tmp_path) as found:
        yield found


@pytest.fixture
def raw(rig: Rig) -> Iterator[Raw]:
    client = rig.client()
    yield client
    client.close()
