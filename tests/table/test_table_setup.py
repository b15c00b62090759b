"""From table.toml to what a table plays: the shipped examples start, warnings and refusals are said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from harness import D1, S1, S2, Rig

from controller.cli.rules import commands as rules_commands
from controller.config import load_config
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.rejections import Why
from controller.domain.remedies import remedy
from controller.domain.state import StakeEntry
from controller.errors import TableError
from controller.rulesets import load
from controller.table.setup import make_setup

CONFIGS = Path(__file__).parents[2] / "deploy" / "config"
JPOKER = CONFIGS / "jpoker.toml"
EXAMPLES = sorted(CONFIGS.glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_can_be_played(example: Path, tmp_path: Path) -> None:
    shutil.copy(example, tmp_path)
    config = load_config(tmp_path / example.name)
    if load(config.table.rules).fill_in:  # a template: its example says what the house must fill in
        with pytest.raises(TableError):
            make_setup(config)
        return
    setup = make_setup(config)
    assert setup.rules.rules_hash()
    assert setup.boxes == config.table.boxes


def edited(tmp_path: Path, old: str, new: str) -> Path:
    text = JPOKER.read_text("utf-8")
    assert old in text
    path = tmp_path / "table.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    return path


def test_a_cap_that_cuts_the_smallest_win_is_a_warning(tmp_path: Path) -> None:
    setup = make_setup(load_config(edited(tmp_path, "cap = 310000", "cap = 1500")))
    assert any("maximum payout 1500" in warning for warning in setup.warnings)
    full = make_setup(load_config(edited(tmp_path, "cap = 310000", "cap = 900000")))
    assert not any("maximum payout" in warning for warning in full.warnings)


@pytest.mark.parametrize(("game", "full"), [("caribbean", 20_100), ("russian", 30_000)])
def test_opening_and_rules_check_warn_at_the_same_cap(tmp_path: Path, game: str, full: int) -> None:
    """An ante of 100, a bet of 200: at 100:1 and the ante 1:1; in Russian poker, where the ante is not paid, a royal
    and the straight flush that its sixth card makes, 100:1 and 50:1."""
    for cap, warned in ((full, False), (full - 1, True)):
        text = JPOKER.read_text("utf-8").replace('"jpoker"', f'"{game}"').replace("boxes = 6", "boxes = 4")
        text = re.sub(r"(?m)^cap = .*$", f"cap = {cap}", re.sub(r"(?m)^ante_min = .*$", "ante_min = 100", text))
        (tmp_path / "table.toml").write_text(text, "utf-8")
        setup = make_setup(load_config(tmp_path / "table.toml"))
        checked = CliRunner().invoke(rules_commands[0], ["check", str(tmp_path / "table.toml")], standalone_mode=False)
        assert any("maximum payout" in one for one in setup.warnings) == warned
        assert ("below what ante_min can win" in checked.output) == warned


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("cap = 310000", "cap = 10", "limits.cap"),
        ('rules = "jpoker"', 'rules = "jpoker_online"', "jpoker_online"),
        ('cards = "shoe"', 'cards = "none"', "limits.bonus_max"),
    ],
)
def test_what_is_not_led_is_refused_by_name(tmp_path: Path, old: str, new: str, named: str) -> None:
    with pytest.raises(TableError) as caught:
        make_setup(load_config(edited(tmp_path, old, new)))
    assert named in caught.value.line()
    assert caught.value.exit_code == 2


def test_amounts_that_come_late_do_not_feed_a_jackpot(tmp_path: Path) -> None:
    path = edited(tmp_path, 'stake_entry = "before_deal"', 'stake_entry = "none"')
    assert make_setup(load_config(path)).procedure.stake_entry is StakeEntry.NONE
    path.write_text(path.read_text("utf-8") + '[jackpot]\nstake = 1\nmeter = "1"\n', "utf-8")
    with pytest.raises(TableError) as caught:
        make_setup(load_config(path))
    assert "TC-0126" in caught.value.line()


def test_amounts_that_come_late_do_not_pay_a_bonus_before(tmp_path: Path) -> None:
    path = with_house(tmp_path, 'base = "oasis_ru"\nbonus_pay_time = "with_bet"\n')
    assert make_setup(load_config(path)).rules.bonus_pay_time == "with_bet"
    path.write_text(
        path.read_text("utf-8").replace('stake_entry = "before_deal"', 'stake_entry = "at_payout"'), "utf-8"
    )
    with pytest.raises(TableError) as caught:
        make_setup(load_config(path))
    assert "TC-0126" in caught.value.line()


def with_house(tmp_path: Path, house: str, **edits: str) -> Path:
    (tmp_path / "house.toml").write_text(house, "utf-8")
    path = edited(tmp_path, 'rules = "jpoker"', f'rules = "{tmp_path}/house.toml"')
    path.write_text(path.read_text("utf-8") + edits.get("more", ""), "utf-8")
    return path


def test_no_more_boxes_than_the_rule_set_has(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        make_setup(load_config(with_house(tmp_path, 'base = "oasis_ru"\nmax_boxes = 5\n')))
    assert caught.value.code == "TC-0120"
    assert "max_boxes = 5" in caught.value.line()
    assert make_setup(load_config(with_house(tmp_path, 'base = "oasis_ru"\n'))).boxes == 6


def test_the_meter_begins_at_the_base_where_the_table_names_no_other(tmp_path: Path) -> None:
    house = 'base = "oasis_ru"\n[jackpot]\nbase = 777.5\n'
    path = with_house(tmp_path, house, more="[jackpot]\nstake = 100\n")
    assert make_setup(load_config(path)).meter_start == "777.5"
    path.write_text(path.read_text("utf-8") + 'meter = "5"\n', "utf-8")
    assert make_setup(load_config(path)).meter_start == "5"


def test_an_edge_that_nobody_has_computed_is_a_warning(tmp_path: Path) -> None:
    unknown = make_setup(load_config(with_house(tmp_path, 'base = "joker53"\n[pay]\nflush = 6\n')))
    assert (unknown.edge, unknown.favours_player) == ("", False)
    assert any("edge of these rules is not known" in warning for warning in unknown.warnings)
    known = make_setup(load_config(with_house(tmp_path, 'base = "joker53"\n')))
    assert not any("not known" in warning for warning in known.warnings)


def test_every_refusal_says_what_to_do() -> None:
    assert all(remedy(why) for why in Why)
    assert remedy(Why.STALE) != remedy(Why.NO_STAKE)


HOUSE = """base = "caribbean"
[pay]
pair = 3
"""


def test_a_pay_table_of_the_house_that_favours_the_player_takes_grade_c(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(HOUSE, "utf-8")
    setup = make_setup(load_config(edited(tmp_path, 'rules = "jpoker"', f'rules = "{tmp_path}/house.toml"')))
    assert setup.favours_player
    assert any("the player has the edge" in warning for warning in setup.warnings)
    rig = Rig(setup=setup)
    rig.connect()
    assert rig.act(cm.OpenTable(), D1, S1).waiting
    rig.do(cm.OpenTable(), D1, S1, S2)
    assert rig.events(ev.TableOpened)[-1].house_edge.startswith("house edge -")


@pytest.mark.parametrize(("game", "favours"), [("jpoker", True), ("oasis_ru", False), ("caribbean", False)])
def test_a_shipped_game_names_its_edge_and_takes_grade_c_where_the_player_has_it(
    tmp_path: Path, game: str, favours: bool
) -> None:
    setup = make_setup(load_config(edited(tmp_path, 'rules = "jpoker"', f'rules = "{game}"')))
    assert setup.favours_player == favours
    assert setup.edge.startswith("house edge -") == favours
    rig = Rig(setup=setup)
    rig.connect()
    if favours:
        waiting = rig.act(cm.OpenTable(), D1, S1).waiting
        rig.do(cm.Approve(id=waiting), S2)
        assert rig.table.signed_on["dealer"] == D1.operator
    else:
        assert rig.act(cm.OpenTable(), D1, S1).events
