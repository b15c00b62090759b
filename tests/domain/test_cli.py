"""tablectl settle, rank, rules: what scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import rank, rules, settle
from controller.cli.main import run as tablectl
from controller.rulesets import load, shipped

GOLDEN = Path(__file__).parents[1] / "golden" / "settle.jsonl"
HAND = {
    "rules": "caribbean",
    "dealer": {"cards": "As Kd 8c 7d 3h"},
    "boxes": [{"box": 1, "ante": 10, "cards": "6c 6d 6h Ks Kh", "decision": "raise"}],
}


def settled(text: str) -> tuple[list[dict[str, object]], int]:
    result = CliRunner().invoke(settle.commands[0], input=text, standalone_mode=False)
    return [json.loads(line) for line in result.output.splitlines()], result.return_value


def ranked(*args: str) -> Result:
    return CliRunner().invoke(rank.commands[0], list(args), standalone_mode=False)


def told(*args: str) -> Result:
    return CliRunner().invoke(rules.commands[0], list(args), standalone_mode=False)


def test_settle_answers_line_by_line() -> None:
    answers, code = settled(json.dumps(HAND) + "\n\n{]\n" + json.dumps({**HAND, "colour": 1}) + "\n" + json.dumps(HAND))
    assert [("error" in answer) for answer in answers] == [False, True, True, False]
    assert code == 2
    assert answers[1]["error"]["code"] == "TC-0410"  # type: ignore[index]
    assert settled(json.dumps(HAND))[1] == 0


def test_settle_reads_decimals_as_written() -> None:
    box = {**HAND["boxes"][0], "ante": 10, "action": "exchange", "final": "6c 6d 6h Ks 2h"}  # type: ignore[index]
    line = json.dumps({**HAND, "rules": "oasis_ru", "boxes": [box]})
    answers, code = settled(line.replace('"oasis_ru"', '"oasis_ru", "set": {"exchange_fee": {"1": 1.1}}'))
    assert code == 0
    assert answers[0]["boxes"][0]["stakes"]["fee"]["staked"] == 11  # type: ignore[index]


def test_settle_takes_the_worked_examples(tmp_path: Path) -> None:
    vectors = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    file = tmp_path / "hands.jsonl"
    file.write_text("".join(json.dumps(vector["in"]) + "\n" for vector in vectors), "utf-8")
    result = CliRunner().invoke(settle.commands[0], [str(file)], standalone_mode=False)
    assert result.return_value == 2
    assert len(result.output.splitlines()) == len(vectors)


def test_rank_one_hand(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(ranked("--json", "Qc", "Qd", "9h", "5s", "3c", "--rules", "jpoker", "--joker", "3c").output)
    assert (facts["category"], facts["order"]) == ("two_pair", ["Q", "9", "5"])
    six = json.loads(ranked("--json", "9c 9d 8c 8d Kh Ks", "--rules", "russian").output)
    assert (six["plays"], six["second"]) == ("Ks Kh 9d 9c 8c", "two_pair")
    assert tablectl(["rank", "As", "As", "Kd", "2c", "3c"]) == 2
    assert "TC-0411" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        ("9h 9s 9x 5c 2d", "9x"),
        ("9h 9s 7d 5c", "4 cards"),
        ("9h 9s 7d 5c JK", "JK is not in"),
        ("9h 9h 7d 5c 2d", "9h stands twice"),
    ],
)
def test_rank_says_which_of_several_hands_is_wrong(bad: str, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tablectl(["rank", "9c 9d 7h 5s 2c", bad, "Qs Jd 9c 4d 2h"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("TC-0411") and what in said and f"CARDS, hand 2 ({bad})" in said


def test_rank_several_hands_in_order_with_ties() -> None:
    facts = json.loads(ranked("--json", "9c 9d 7h 5s 2c", "Ac Kd 8c 6d 3h", "9h 9s 7d 5c 2d", "Qs Jd 9c 4d 2h").output)
    assert [(hand["place"], hand["tied"]) for hand in facts["hands"]] == [(1, True), (1, True), (3, False), (4, False)]
    text = ranked("9c 9d 7h 5s 2c", "9h 9s 7d 5c 2d").output
    assert text.count("1= pair") == 2


def test_rules() -> None:
    assert [about["id"] for about in json.loads(told("list", "--json").output)] == list(shipped())
    assert told("hash", "jpoker").output.strip() == load("jpoker").rules_hash()
    shown = json.loads(told("show", "russian", "--json").output)
    assert shown["parameters"]["ante_on_win"] == "push"
    assert shown["parameters"]["jackpot"]["rate"] == "0.7"
    assert "ante_on_win" in told("show", "russian").output
    differences = json.loads(told("diff", "oasis_woo", "oasis_belgium", "--json").output)["differences"]
    assert differences == {"force_raise_after": {"a": [5], "b": [1, 2, 3, 4, 5]}}


def test_rules_check(tmp_path: Path) -> None:
    assert told("check", "jpoker").return_value == 0
    template = told("check", "oasis_nicaragua", "--json")
    assert (template.return_value, json.loads(template.output)["ok"]) == (1, False)
    wide = tmp_path / "wide.toml"
    wide.write_text('base = "russian"\nmax_boxes = 5\n', "utf-8")
    warned = json.loads(told("check", str(wide), "--json").output)
    assert warned["ok"] and "serves 4" in warned["warnings"][0]
    assert warned["boxes"] == 4
    dear = tmp_path / "dear.toml"
    dear.write_text('base = "joker53"\n[pay]\nflush = 6\n', "utf-8")
    unknown = json.loads(told("check", str(dear), "--json").output)
    assert (unknown["ok"], unknown["odds"]) == (True, None)
    assert "not known" in unknown["warnings"][0]
    bad = tmp_path / "bad.toml"
    bad.write_text('base = "russian"\ncolour = 1\n', "utf-8")
    assert tablectl(["rules", "check", str(bad)]) == 2


def test_rules_check_holds_a_table_to_the_boxes_that_it_may_deal(tmp_path: Path) -> None:
    """As the table does at its start: `max_boxes`, and what the deck serves where draws are not limited."""
    table = (Path(__file__).parents[2] / "deploy" / "config" / "russian.toml").read_text("utf-8")
    six = table.replace('rules = "russian"', 'rules = "six.toml"').replace("boxes = 4 ", "boxes = 6 ")
    (tmp_path / "table.toml").write_text(six, "utf-8")
    for house, code in (("", 1), ("max_boxes = 6\n", 1), ('max_boxes = 6\nstub_policy = "announced_limit"\n', 0)):
        (tmp_path / "six.toml").write_text(f'base = "russian"\n{house}', "utf-8")
        assert told("check", str(tmp_path / "table.toml")).return_value == code, house


@pytest.mark.parametrize(
    "example", sorted((Path(__file__).parents[2] / "deploy" / "config").glob("*.toml")), ids=lambda p: p.stem
)
def test_rules_check_takes_a_table_toml(example: Path) -> None:
    result = told("check", str(example), "--json")
    template = example.stem in ("jpoker_online", "oasis_nicaragua")  # the house fills them in first
    assert result.return_value == (1 if template else 0), result.output
    assert ("TC-0405" in result.output) == template
