"""Names and arguments of the control socket: read, or refused in the table's own words with the names that exist."""

from __future__ import annotations

from typing import Any

import pytest

from controller.domain import commands as cm
from controller.domain.rejections import Rejection, Why
from controller.table.reading import read_command


def test_good_ones_are_read() -> None:
    assert read_command("fold", {"box": 3}) == cm.Fold(box=3)
    assert read_command("lock", {}) == cm.Lock()


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no such name": ("flod", {}, "there is no command 'flod'; there are fold, "),
    "nothing like it": ("xyzzy", {}, "there is no command 'xyzzy'; there are announce, "),
    "no such argument": ("fold", {"boks": 1}, "fold takes no 'boks'; it takes box"),
    "no arguments at all": ("lock", {"box": 1}, "lock takes no 'box'; it takes no arguments"),
    "missing": ("exchange", {}, "exchange needs box"),
    "another kind": ("fold", {"box": "three"}, "fold: box is 'three'; give a whole number"),
    "true is no number": ("fold", {"box": True}, "fold: box is True; give a whole number"),
    "too long": ("call", {"reason": "x" * 201}, "give a text of at most 200 letters"),
    "the tag is no argument": ("fold", {"box": 1, "name": "bet"}, "fold takes no 'name'; it takes box"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said(kind: str) -> None:
    name, args, said = WRONG[kind]
    refused = read_command(name, args)
    assert isinstance(refused, Rejection) and refused.why is Why.BAD_ARGUMENT
    assert said in refused.text("en"), refused.text("en")
    for word in ("Object", "`", "$", "Expected"):  # the decoder's own words
        assert word not in refused.text("en")


def test_every_name_that_exists_is_told_once_and_the_nearest_first() -> None:
    refused = read_command("discard", {})
    assert isinstance(refused, Rejection)
    told = refused.text("en").split("there are ")[1].split(", ")
    assert sorted(told) == sorted(cm.public_commands())
    assert set(told[:2]) == {"discarded", "discard_check"}
