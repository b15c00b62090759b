"""The annotated configurations of deploy/config: each opens a table of its game; the templates say what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import D1, E1, S1, Rig

from controller.config import load_config
from controller.domain import commands as cm
from controller.domain.hand.expects import Want
from controller.errors import TableError
from controller.rulesets import load, shipped
from controller.table.setup import make_setup

CONFIGS = Path(__file__).parents[2] / "deploy" / "config"
TEMPLATES = {"oasis_nicaragua": "pay_after_exchange", "jpoker_online": "insurance_max_fraction"}


def opened(path: Path, folder: Path) -> Rig:
    rig = Rig(folder, setup=make_setup(load_config(path, {})))
    rig.connect()
    rig.do(cm.OpenTable(), D1, S1, *([E1] if rig.setup.favours_player else []))
    return rig


@pytest.mark.parametrize("name", [name for name in shipped() if name not in TEMPLATES])
def test_it_opens_a_table_that_takes_bets(name: str, tmp_path: Path) -> None:
    rig = opened(CONFIGS / f"{name}.toml", tmp_path)
    assert rig.service.want.kind is Want.START
    assert rig.setup.rules.id == name
    assert not [warning for warning in rig.setup.warnings if "cuts wins" in warning]
    limits = load_config(CONFIGS / f"{name}.toml", {}).limits
    rig.stake(**{f"b{box}": limits.ante_min for box in range(1, rig.setup.boxes + 1)})
    assert all(box.ante == limits.ante_min for box in rig.hand.boxes)


def test_the_templates_are_these() -> None:
    assert {name for name in shipped() if load(name).fill_in} == set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_marked_and_refused_with_what_is_missing(name: str) -> None:
    path = CONFIGS / f"{name}.toml"
    assert path.read_text("utf-8").startswith("# TEMPLATE. ")
    with pytest.raises(TableError, match=TEMPLATES[name]) as caught:
        make_setup(load_config(path, {}))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_opens_once_it_is_filled_in_as_its_comment_says(name: str, tmp_path: Path) -> None:
    text = (CONFIGS / f"{name}.toml").read_text("utf-8")
    house = "".join(line[4:] for line in re.findall(r"^#   .*\n", text, re.MULTILINE) if "..." not in line)
    house = house.split("[table]")[0]
    assert f'base = "{name}"' in house
    (tmp_path / "house.toml").write_text(house, "utf-8")
    path = tmp_path / "table.toml"
    path.write_text(text.replace(f'rules = "{name}"', 'rules = "house.toml"'), "utf-8")
    rig = opened(path, tmp_path)
    assert rig.service.want.kind is Want.START
