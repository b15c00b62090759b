"""The host's side of one simulated shoe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.shoe_host import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)
