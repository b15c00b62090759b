"""The dealers' quiz: questions that repeat with their seed, answers by the rules, marks that are fair."""

from __future__ import annotations

import itertools
import json

import pytest
from click.testing import CliRunner

from controller.cli.drills import Ask, Kind, Question, questions, right
from controller.cli.quiz import quiz
from controller.domain.cards import parse_cards
from controller.referee.hands import Hands
from controller.rulesets import load, shipped

GAMES = [game for game in shipped() if not load(game).fill_in]


def some(game: str, kind: Kind, count: int = 40, seed: int = 5) -> list[Question]:
    return list(itertools.islice(questions(load(game), kind, seed), count))


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_asks_the_same(game: str, kind: Kind) -> None:
    first, again, other = some(game, kind, 6), some(game, kind, 6), some(game, kind, 6, seed=6)
    assert first == again
    assert first != other
    assert all(question.asks and question.shown for question in first)


@pytest.mark.parametrize("game", GAMES)
def test_the_net_is_the_sum_of_the_stakes(game: str) -> None:
    won = 0
    for question in some(game, Kind.PAYOUT):
        *stakes, net = (int(ask.right) for ask in question.asks)
        assert sum(stakes) == net
        won += net > 0
    assert won >= 10  # a quiz of lost boxes would teach nobody


def test_a_winner_is_the_referee_s_winner() -> None:
    """The other reading of the rules says the same of every pair."""
    for question in some("jpoker", Kind.WINNER):
        joker, first, second = (parse_cards(" ".join(line.split()[1:])) for line in question.shown)
        values = [Hands(load("jpoker")).best(hand, joker[0]) for hand in (first, second)]
        better = "0" if values[0] == values[1] else "1" if values[0] > values[1] else "2"
        assert question.asks[0].right == better


@pytest.mark.parametrize(
    ("game", "wish", "price"),
    [
        ("jpoker", "ante 10: the box exchanges 2", "20"),
        ("jpoker", "ante 10: the box exchanges 3", "no"),
        ("caribbean", "ante 10: the box exchanges 1", "no"),
        ("russian", "ante 25: the box buys a sixth card", "25"),
        ("russian", "ante 25: the box buys the dealer a card", "25"),
    ],
)
def test_a_fee(game: str, wish: str, price: str) -> None:
    """Of the sources: J-poker's cards cost an ante each, at most two; Russian poker's sixth, and the dealer's, one."""
    found = {question.shown[0]: question.asks[0].right for question in some(game, Kind.FEE, 600)}
    assert found[wish] == price


@pytest.mark.parametrize(
    ("answer", "said", "good"),
    [
        ("-10", " -10 ", True), ("40", "+40", True), ("40", "040", True), ("0", "-0", True), ("40", "-40", False),
        ("full_house", "Full House", True), ("full_house", "full", False), ("no", "NO", True), ("0", "", False),
        ("10", "10.0", False), ("10", "--10", False), ("no", "0", False),
    ],
)  # fmt: skip
def test_what_counts_as_an_answer(answer: str, said: str, good: bool) -> None:
    assert right(Ask("?", answer), said) is good


def ask(words: list[str], said: list[str]) -> tuple[int, str]:
    done = CliRunner().invoke(quiz, words, input="\n".join(said) + "\n", standalone_mode=False)
    assert done.exception is None, done.exception
    return int(done.return_value), done.output


def test_the_terminal_marks_every_answer() -> None:
    words = ["--rules", "oasis_ru", "--questions", "3", "--seed", "9"]
    code, sheet = ask([*words, "--json"], [])
    answers = [one["right"] for line in sheet.splitlines() for one in json.loads(line)["asks"]]
    assert code == 0
    code, out = ask(words, answers)
    assert (code, out.strip().splitlines()[-1]) == (0, f"{len(answers)} of {len(answers)} right")
    code, out = ask(words, ["x", *answers[1:]])
    assert (code, out.strip().splitlines()[-1]) == (1, f"{len(answers) - 1} of {len(answers)} right")
    assert f"no: {answers[0]}" in out


def test_a_template_asks_nothing() -> None:
    done = CliRunner().invoke(quiz, ["--rules", "oasis_nicaragua"], standalone_mode=False)
    assert "pay_after_exchange" in str(done.exception)
