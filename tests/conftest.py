"""What holds for all tests: none is judged by the clock, and those that take longest begin first."""

from __future__ import annotations

import pytest
from hypothesis import settings

# Speed is for benchmarks: a busy machine must not fail a property.
settings.register_profile("any machine", settings(settings.default, deadline=None))
settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers a long file that begins last is what all wait for."""
    items.sort(key=lambda item: item.get_closest_marker("hil") is None)
