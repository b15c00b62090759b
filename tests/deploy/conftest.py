"""One real installation into a folder, for all tests that look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.unit_file import PYTHON, install


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("root")
    done = install(root, "--python", PYTHON, "--device", "shoe=SHOE-0001", "--device", "shuffler=SHUF-0001")
    assert done.returncode == 0, done.stderr
    yield root
