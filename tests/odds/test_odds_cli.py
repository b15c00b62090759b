"""tablectl odds and advise; what is stored, cached and told about a rule set."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from controller import odds as package
from controller.cli.main import run
from controller.domain.ruleset import RuleSet
from controller.odds import Odds, edge, known, known_edge, remark, store
from controller.rulesets import load, shipped


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_json_names_what_scripts_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "caribbean", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rules"] == "caribbean"
    assert told["rules_hash"] == load("caribbean").rules_hash()
    assert told["method"] == "exact"
    assert told["stderr"] == 0
    assert told["house_edge"] == pytest.approx(0.05224306, abs=5e-9)
    assert {"element_of_risk", "variance", "strategy"} <= told.keys()


def test_text_has_no_escapes_and_no_progress_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "caribbean", "--strategy", "raise-all", "--no-cache"]) == 0
    out, err = capsys.readouterr()
    assert "16.6072 % of the ante" in out
    assert "\x1b" not in out
    assert err == ""


def test_diff_says_what_a_pay_table_costs_the_house(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "diff", "caribbean", "--set", "pay.flush=6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    # Raised flushes win in 21,856,990,280 of all combinations; one to one more on a bet of two antes.
    assert told["change"] == pytest.approx(-2 * 21_856_990_280 / 19_933_230_517_200, abs=1e-9)
    assert run(["odds", "caribbean", "--set", "pay.flush=6", "--against", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["change"] == pytest.approx(told["change"])


def test_diff_of_a_game_with_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "diff", "caribbean", "caribbean"]) == 0
    assert "0.0000 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["odds", "nope"], "TC-0401"),
        (["odds", "caribbean", "--strategy", "luck"], "TC-0421"),
        (["odds", "joker53", "--strategy", "s002"], "TC-0421"),
        (["odds", "oasis_nicaragua"], "TC-0405"),
        (["odds", "caribbean", "oasis_ru"], "TC-0190"),
        (["odds", "diff", "caribbean"], "TC-0190"),
        (["odds", "caribbean", "--set", "pay.flush"], "TC-0190"),
        (["odds", "caribbean", "--set", "flush=6"], "TC-0402"),
        (["advise", "--cards", "As Kd", "--open", "2c"], "TC-0411"),
        (["advise", "--cards", "As Kd 3c 4d 9h", "--open", "As"], "TC-0411"),
        (["advise", "--cards", "As Kd 3c 4d JK", "--open", "2c"], "TC-0411"),
        (["advise", "--cards", "As Kd 3c 4d 9h", "--open", "2c", "--joker", "7c"], "TC-0412"),
        (["advise", "--rules", "jpoker", "--cards", "As Kd 3c 4d 9h", "--open", "2c"], "TC-0412"),
    ],
)
def test_refused_in_one_line(args: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(code)
    assert err.count("\n") == 1


def test_advice_for_a_hand_with_the_joker(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["advise", "--rules", "jpoker", "--cards", "Qs Qh 9c 5d 7c", "--open", "Kd", "--joker", "7c", "--json"]
    assert run(args) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["best"]["choice"] == "exchange"
    assert told["best"]["cards"] == "9c"
    assert {choice["choice"] for choice in told["choices"]} == {"fold", "raise", "exchange"}
    assert len(told["choices"]) == 2 + 5 + 10


def test_advice_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advise", "--cards", "2s 4h 7d 9c Jh", "--open", "Ad"]) == 0
    assert capsys.readouterr().out.startswith("fold")


def test_an_open_joker_is_doc(capsys: pytest.CaptureFixture[str]) -> None:
    base = ["advise", "--rules", "jpoker", "--cards", "Qs Qh 9c 5d 7c", "--open", "Kd", "--json", "--joker"]
    assert run([*base, "DOC"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run([*base, "Kd"]) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_stored_odds_are_of_the_rule_sets_that_ship() -> None:
    """A changed rule set needs its odds computed again: tablectl odds ID --store."""
    ids = {odds.rules for odds in store.stored()}
    assert ids <= set(shipped())
    for odds in store.stored():
        assert odds.key == store.odds_key(load(odds.rules)), odds.rules
        assert odds.rules_hash == load(odds.rules).rules_hash(), odds.rules
    complete = {name for name in shipped() if not load(name).fill_in}
    assert complete <= {odds.rules for odds in store.stored() if odds.strategy == "best"}


def test_known_edge_needs_no_numpy() -> None:
    rules_hash = load("caribbean").rules_hash()
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from controller.odds import known_edge\n"
        f"print(known_edge({rules_hash!r}), known_edge('00'))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    value, unknown = found.split()
    assert float(value) == pytest.approx(0.05224306, abs=5e-9)
    assert unknown == "None"
    assert known_edge(rules_hash) == float(value)


def test_without_numpy_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(package.importlib.util, "find_spec", lambda name: None if name == "numpy" else object())
    assert run(["odds", "caribbean", "--no-cache"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("TC-0423")
    assert "numpy" in err


def test_plate_and_procedure_do_not_hide_stored_odds() -> None:
    rules = load("caribbean").with_set({"cap": 5000, "max_boxes": 5})
    found = known(rules)
    assert found is not None
    assert found.rules_hash == rules.rules_hash()
    assert known(load("caribbean").with_set({"pay": {"flush": 6}})) is None


def test_computed_odds_are_cached_by_the_game() -> None:
    rules = load("caribbean").with_set({"pay": {"pair": 2}})
    first = edge(rules)
    assert len(list(store.folder().iterdir())) == 1
    assert known(rules) == store.cached(rules, "best", 0)
    assert edge(rules).seconds == first.seconds
    next(store.folder().iterdir()).write_text("{", "utf-8")
    assert store.cached(rules, "best", 0) is None
    assert edge(rules).house_edge == first.house_edge


def test_no_cache_leaves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "caribbean", "--no-cache", "--set", "pay.pair=2"]) == 0
    capsys.readouterr()
    assert not store.folder().exists()


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert isinstance(edge(load("caribbean").with_set({"pay": {"pair": 2}})), Odds)


def test_storing_keeps_one_entry_for_each_strategy(tmp_path: Path) -> None:
    path, rules = tmp_path / "known.json", load("caribbean")
    odds = edge(rules)
    store.put(rules, odds, path)
    store.put(rules, odds, path)
    assert len(json.loads(path.read_text("utf-8"))) == 1


def test_remark_names_the_edge_and_warns_where_the_player_has_it() -> None:
    plain = remark(load("caribbean"))
    assert plain is not None
    assert "5.2243 %" in plain.text
    assert not plain.favours_player
    generous = remark(load("caribbean").with_set({"pay": {"pair": 3}}))
    assert generous is not None
    assert generous.favours_player
    assert "the player has the edge" in generous.warnings[0]
    assert remark(load("oasis_nicaragua")) is None
    short = remark(load("oasis_ru").with_set({"deck_size": 36, "low_straight": "A6789"}))
    assert short is not None and short.favours_player, "Oasis with 36 cards is computed on the spot too"
    assert remark(load("joker53").with_set({"pay": {"flush": 4}})) is None


def test_no_stored_sample_leaves_it_in_doubt_whose_the_edge_is() -> None:
    """Whether a shipped game takes two people to open must not hang on the luck of a draw."""
    assert {odds.rules for odds in store.stored() if odds.in_doubt} == set()
    assert {odds.rules for odds in store.stored() if odds.method == "sample"} >= {"russian", "oasis_helsinki"}


def sampled(rules: RuleSet, house_edge: float, stderr: float, hands: int) -> None:
    """As if this user had computed it."""
    odds = msgspec.structs.replace(edge(load("caribbean")), method="sample", house_edge=house_edge, stderr=stderr)
    store.keep(rules, odds, hands)


@pytest.mark.parametrize(
    ("house_edge", "warns", "favours"),
    [
        (0.0066, "in doubt: 0.66 +- 0.44 %", True),
        (-0.0066, "in doubt", True),
        (-0.02, "has the edge", True),
        (0.02, "", False),
    ],
)
def test_a_sample_that_cannot_tell_whose_the_edge_is_counts_for_the_player(
    house_edge: float, warns: str, favours: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Three standard errors decide; a larger sample of the same rules is found and stands over a smaller one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = load("russian").with_set({"pay": {"pair": 2}})
    sampled(rules, house_edge, 0.0044, 0)
    told = remark(rules)
    assert told is not None
    assert told.favours_player == favours
    assert any(warns in warning for warning in told.warnings) if warns else not told.warnings
    sampled(rules, 0.0066, 0.001, 8000)
    better = remark(rules)
    assert better is not None
    assert not better.favours_player
    assert "+- 0.10 %" in better.text


def test_rules_check_names_the_edge_and_warns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", "oasis_ru"]) == 0
    assert "house edge 1.0372 %" in capsys.readouterr().out
    assert run(["rules", "check", "joker53", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "the player has the edge" in told["warnings"][0]
