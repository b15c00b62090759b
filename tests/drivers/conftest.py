"""Tests of drivers: threads, ptys, a simulated bus. None may hang, whatever is wrong with the code under test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serial_doubles import Inbox, Line

LONGEST_S = 60.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LONGEST_S))


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.unplug()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()
