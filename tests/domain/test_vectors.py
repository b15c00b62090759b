"""Every worked example of the settle contract, through both readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controller.errors import TableError
from controller.settle import run

LINES = (Path(__file__).parents[1] / "golden" / "settle.jsonl").read_text("utf-8").splitlines()
VECTORS = [json.loads(line) for line in LINES]


def contains(answer: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(answer, dict) and all(k in answer and contains(answer[k], v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return len(answer) == len(wanted) and all(map(contains, answer, wanted))
    return bool(answer == wanted)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["id"])
def test_worked_example(vector: dict[str, Any]) -> None:
    if vector["out"] == {"error": True}:
        with pytest.raises(TableError):
            run(vector["in"])
        return
    answer = run(vector["in"])
    assert contains(answer, vector["out"]), answer
    for box, wanted in zip(answer["boxes"], vector["out"]["boxes"], strict=True):
        assert set(box["stakes"]) == set(wanted["stakes"])
