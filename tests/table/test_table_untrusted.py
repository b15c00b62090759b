"""Cards from a reader that cannot prove who it is: recall, evidence and audit say so of each hand, and of no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from harness import D1, S1, Rig, make_setup
from harness_parts import registry

from controller.cli.audit import CHECKS, audit_command
from controller.cli.evidence_html import page
from controller.cli.recall import recall_command
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.journal.auditing import Options
from controller.journal.evidence import check, decoded, encoded, make
from controller.journal.hands import read_hand
from controller.journal.reader import Reader
from controller.journal.recall import recall
from controller.journal.verify import audit


class Plain(Rig):
    """Its cards come from a plain reader while `plain` is set."""

    plain = True

    def device(self, command: cm.Command) -> Any:
        if isinstance(command, cm.CardIn):
            command = msgspec.structs.replace(command, device="reader", trusted=not self.plain)
        return super().device(command)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hands 1, 2 and 4 with unproved cards, hand 3 with proved ones, hand 5 void before its first card."""
    folder = tmp_path_factory.mktemp("untrusted")
    rig = Plain(folder, setup=msgspec.structs.replace(make_setup("oasis_ru"), source="reader"))
    rig.connect("reader", "board")
    rig.do(cm.OpenTable(), D1, S1)
    for plain in (True, True, False, True):
        rig.plain = plain
        rig.stake(b1=10, b2=10).lock().finish()
    rig.stake(b1=10).lock()
    rig.do(cm.VoidHand(reason="test"), S1)
    rig.do(cm.CloseTable(), D1, S1)
    rig.close()
    return folder / "journal.db"


def facts(journal: Path, number: int) -> dict[str, Any]:
    with Reader(journal) as reader:
        hand, findings = read_hand(reader, registry(), number, str(journal))
    assert findings == []
    return recall(hand)


@pytest.mark.parametrize(
    ("number", "devices"), [(1, ["reader"]), (2, ["reader"]), (3, None), (4, ["reader"]), (5, None)]
)
def test_a_recalled_hand_says_whose_word_its_cards_are(journal: Path, number: int, devices: list[str] | None) -> None:
    told = facts(journal, number)
    assert told.get("untrusted") == devices
    assert {card.get("trusted") for card in told["cards"]} == (
        {False} if devices else {None} if told["cards"] else set()
    )
    shown = CliRunner().invoke(recall_command, [str(number), str(journal)]).stdout
    assert ("cards from reader, which cannot prove who it is: untrusted" in shown) is bool(devices)


@pytest.mark.parametrize(("number", "untrusted"), [(1, True), (3, False)])
@pytest.mark.parametrize(("language", "words"), [("en", "(untrusted)"), ("ru", "(без доверия)")])
def test_the_evidence_of_a_hand_says_it_and_proves_it(
    journal: Path, number: int, untrusted: bool, language: str, words: str
) -> None:
    with Reader(journal) as reader:
        pack = make(reader, registry(), number, str(journal))
    again = decoded(encoded(pack), "test")
    assert check(again, registry(), None, CHECKS.hands) == []
    html = page(again, language, "file", "digest")
    assert html.count(words) == (1 + len(again.facts["cards"]) if untrusted else 0)
    denied = {name: value for name, value in again.facts.items() if name != "untrusted"}
    tampered = msgspec.structs.replace(again, facts=denied)
    assert bool(check(tampered, registry(), None, CHECKS.hands)) is untrusted


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_audit_names_every_such_hand_and_finds_nothing_wrong_with_it(journal: Path, jobs: int) -> None:
    report = audit(journal, registry(), Options(live=True, jobs=jobs), CHECKS)
    assert report.ok
    assert report.untrusted == {"reader": [[1, 2], [4, 4]]}
    shown = CliRunner().invoke(audit_command, [str(journal), "--live"])
    assert shown.exit_code == 0
    assert "untrusted: cards of hands 1 to 2, 4 came from reader, which cannot prove who it is\n" in shown.stdout
    told = json.loads(CliRunner().invoke(audit_command, [str(journal), "--live", "--json"]).stdout)
    assert told["untrusted"] == {"reader": [[1, 2], [4, 4]]}


def test_an_audit_from_a_hand_on_names_those_alone(journal: Path) -> None:
    report = audit(journal, registry(), Options(live=True, from_hand=3), CHECKS)
    assert report.untrusted == {"reader": [[4, 4]]}


def test_an_open_hand_says_it_while_its_cards_are_sealed(tmp_path: Path) -> None:
    rig = Plain(tmp_path, setup=msgspec.structs.replace(make_setup("oasis_ru"), source="reader"))
    rig.connect("reader", "board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10).lock()
    rig.card()
    assert [card.trusted for card in rig.events(ev.CardDealt)] == [False]
    rig.close()
    told = facts(tmp_path / "journal.db", 1)
    assert told["untrusted"] == ["reader"]
    assert "card" not in told["cards"][0]
