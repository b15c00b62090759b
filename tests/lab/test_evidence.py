"""The evidence pack of a hand, checked with the public key alone: by the table's program, by the laboratory's chain."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import auditor as lab
import lab_journals
import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from harness import D1, S1, S2, Rig, make_setup
from harness_parts import registry

from controller.cli.audit import CHECKS
from controller.cli.evidence import evidence_command
from controller.cli.evidence_html import page
from controller.cli.evidence_words import RUSSIAN, TEXTS
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.authority import Identity
from controller.domain.hand.expects import Want
from controller.domain.paytable import Category
from controller.domain.play import Action
from controller.domain.state_words import Decision
from controller.errors import TableError
from controller.journal import evidence
from controller.journal import keys as key_files
from controller.journal.evidence import Pack, Stored, check, decoded, encoded, make
from controller.journal.reader import Reader
from controller.journal.recall import OVERRIDES

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab_journals.jpoker(tmp_path_factory.mktemp("evidence") / "jpoker", 250)


@pytest.fixture(scope="module")
def pack(path: Path) -> Pack:
    return made(path, 2)


def made(path: Path, number: int) -> Pack:
    with Reader(path) as reader:
        return make(reader, registry(), number, str(path))


def findings(pack: Pack, key: Any = None) -> list[str]:
    return [finding.what for finding in check(pack, registry(), key, CHECKS.hands)]


def parts(pack: Pack) -> dict[str, list[Stored]]:
    return {name: getattr(pack, name) for name in ("opening", "rules", "dealer", "records")}


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_every_hand_settled_or_void_proves_itself(path: Path, number: int) -> None:
    pack = made(path, number)
    again = decoded(encoded(pack), "test")
    assert findings(again, key_files.load(path.parent).public) == []
    assert again.facts["hand"] == number
    assert [card["place"] for card in pack.facts["cards"]].count("dealer") in (0, 1, 5)


def test_a_progressive_hand_proves_itself(tmp_path: Path) -> None:
    pack = made(lab_journals.progressive(tmp_path / "meter"), 2)
    assert findings(pack) == []
    assert pack.facts["answer"]["jackpot"]["prizes"]["1"] == 25001


def test_the_laboratory_verifies_its_stretches_with_the_key_alone(pack: Pack) -> None:
    first = lab.Chain()
    for name, part in parts(pack).items():
        before = bytes.fromhex(part[0].prev)
        chain = lab.Chain(part[0].seq - 1, before, part[0].seq - 1, first.journal, first.key)
        chain = first if name == "opening" else chain
        for stored in part:
            body = json.loads(stored.body)
            row = (stored.seq, lab.stream_of(body).encode(), body["v"], bytes.fromhex(stored.prev),
                   bytes.fromhex(stored.hash), stored.body.encode())  # fmt: skip
            assert chain.take(row)[1] is None
        assert chain.signed == part[-1].seq


def test_every_touched_record_is_found(pack: Pack) -> None:
    for name, part in parts(pack).items():
        for at, stored in enumerate(part):
            text = stored.body.replace('"synced":true', '"synced":false')
            prev = bytes.fromhex(stored.prev)
            refit = replace(stored, body=text, hash=hashlib.sha256(prev + text.encode()).hexdigest())
            for touched in (replace(stored, body=text), refit, replace(stored, seq=stored.seq + 1)):
                forged = replace(pack, **{name: [*part[:at], touched, *part[at + 1 :]]})
                assert findings(forged), f"{name} {at}"
            assert findings(replace(pack, **{name: [*part[:at], *part[at + 1 :]]}))


LIES: dict[str, Callable[[Pack], Pack]] = {
    "another net": lambda p: replace(p, facts={**p.facts, "outcome": "void"}),
    "another table": lambda p: replace(p, table="T2"),
    "another hand's number": lambda p: replace(p, hand=3),
    "another key named": lambda p: replace(p, public_key="11" * 32),
    "no opening": lambda p: replace(p, opening=[]),
    "no rules": lambda p: replace(p, rules=[]),
    "no records": lambda p: replace(p, records=[]),
    "the rules of another record": lambda p: replace(p, rules=p.records),
    "no signature behind it": lambda p: replace(p, records=p.records[:-1]),
    "no dealer": lambda p: replace(p, dealer=[]),
    "the dealer's cards": lambda p: replace(p, facts=_other_dealer(p.facts)),
}


def _other_dealer(facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts, with the first card of the dealer's another one."""
    cards = [{**card, "card": "2c"} if card["place"] == "dealer" else card for card in facts["cards"]]
    return {**facts, "cards": cards}


@pytest.mark.parametrize("name", LIES)
def test_what_the_pack_says_of_itself_is_not_believed(pack: Pack, name: str) -> None:
    assert findings(LIES[name](pack))


def test_the_dealers_sealed_cards_are_proved_as_the_boxes_are(pack: Pack) -> None:
    """A seal that no longer opens, its hashes made to fit: by a signature that is not there."""
    dealt = [(at, json.loads(each.body)) for at, each in enumerate(pack.records) if '"CardDealt"' in each.body]
    places = [(at, body) for at, body in dealt if body["data"]["place"] == "dealer" and body["sealed"]]
    assert len(places) == 5
    for at, body in places:
        touched = replace(pack.records[at], body=pack.records[at].body.replace(body["sealed"][:8], "AAAAAAAA"))
        assert findings(replace(pack, records=[*pack.records[:at], touched, *pack.records[at + 1 :]]))


def test_who_dealt_and_by_which_rules_is_what_lock_says(tmp_path: Path) -> None:
    """Another dealer signed on, other rules opened, between two hands: their stretches do not go with this one."""
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).lock().finish()
    rig.do(cm.SignOff(operator="d1"), D1)
    rig.do(cm.SignOn(), Identity("d2", frozenset({"dealer"})))
    rig.stake(b1=10).lock().finish()
    rig.service.end_run("test")
    rig.close()
    first, second = (made(tmp_path / "journal.db", number) for number in (1, 2))
    assert findings(first) == findings(second) == []
    assert [evidence.dealer_of(each) for each in (first, second)] == ["d1", "d2"]
    assert ["dealer of its LOCK" in what for what in findings(replace(first, dealer=second.dealer))] == [True]
    assert ["dealer of its LOCK" in what for what in findings(replace(second, dealer=first.dealer))] == [True]


def test_a_pack_of_another_table_is_told_by_the_opening_sheet(pack: Pack) -> None:
    assert "another public key" in " ".join(findings(pack, Ed25519PrivateKey.generate().public_key()))


def test_an_open_hand_and_a_touched_journal_give_no_pack(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).finish()
    rig.stake(b1=10).lock()
    assert made(tmp_path / "journal.db", 1).hand == 1
    with pytest.raises(TableError, match="not finished"):
        made(tmp_path / "journal.db", 2)
    with pytest.raises(TableError, match="no hand 9"):
        made(tmp_path / "journal.db", 9)
    rig.close()


def test_the_command_writes_both_files_and_checks_them(path: Path, tmp_path: Path) -> None:
    key = key_files.load(path.parent).public_hex
    result = CliRunner().invoke(evidence_command, ["2", str(path), "--out", str(tmp_path), "--lang", "ru", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert told["public_key"] == key
    for file, digest in told["files"].items():
        assert hashlib.sha256(Path(file).read_bytes()).hexdigest() == digest
    data = tmp_path / "evidence-T1-2.json"
    html = (tmp_path / "evidence-T1-2.html").read_text("utf-8")
    assert hashlib.sha256(data.read_bytes()).hexdigest() in html
    good = CliRunner().invoke(evidence_command, ["--verify", str(data), "--key", key])
    assert (good.exit_code, good.output) == (0, "evidence: OK hand 2 of table T1, with the given key\n")
    data.write_text(data.read_text().replace('"outcome":"settled"', '"outcome":"void"', 1))
    bad = CliRunner().invoke(evidence_command, ["--verify", str(data), "--json"])
    assert (bad.exit_code, json.loads(bad.output)["ok"]) == (1, False)
    data.write_text("{}")
    assert isinstance(CliRunner().invoke(evidence_command, ["--verify", str(data)]).exception, TableError)
    assert CliRunner().invoke(evidence_command, []).exit_code == 2


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_the_page_tells_the_hand_and_loads_nothing(pack: Pack, language: str) -> None:
    html = page(pack, language, "pack.json", "ab" * 32)
    for box in pack.facts["answer"]["boxes"]:
        assert f">{box['net']:+}</td>" in html
        assert f">{box['cards']}</td>" in html
    assert pack.facts["draw"]["seed"] in html and pack.facts["draw"]["slot"] in html
    assert pack.public_key in html and "<td>d1</td>" in html
    assert "<td>jpoker</td>" in html
    assert not re.search(r"https?:|<script|<link|<img|url\(|@import", html)
    assert TEXTS[language].keys() == TEXTS["en"].keys()


def test_every_name_of_a_record_has_a_russian_word() -> None:
    named = {*Category, *Decision, *(Action), *OVERRIDES} - {Action.NONE}
    stakes = {"ante", "bet", "bonus", "insurance", "jackpot", "fee", "dealer_fee"}
    ends = {"win", "push", "lose", "carry", "settled", "void", "not_played", "joker_only"}
    lacking = {*named, *stakes, *ends, "box", "dealer", "draw", "dealer_draw"} - RUSSIAN.keys()
    assert lacking == set(), "controller/cli/evidence_words.py has no Russian word for these"


def test_a_void_hand_tells_its_stakes_and_its_reason(path: Path) -> None:
    html = page(made(path, 3), "en", "pack.json", "ab" * 32)
    assert "<td>void: deck</td>" in html and ">ante 10</td>" in html and ">ante 20</td>" in html
    assert "None was read." in html and "operators s1" in html


def test_a_dead_box_stands_beside_the_settled_ones(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10, b2=20).to(Want.DECISION)
    rig.do(cm.VoidBox(box=2, reason="four cards"), S1)
    rig.finish().close()
    pack = made(tmp_path / "journal.db", 1)
    assert [box["box"] for box in pack.facts["answer"]["boxes"]] == [1]
    html = page(pack, "en", "pack.json", "ab" * 32)
    assert "void: the stakes go back" in html and ">ante 20</td>" in html


def test_a_hand_that_became_void_after_a_box_was_paid_tells_what_it_got(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10, b2=10).to(Want.PAID)
    rig.step()
    paid = next(event for event in rig.events() if isinstance(event, ev.BoxSettled)).answer
    rig.do(cm.VoidHand(reason="deck"), S1, S2)
    rig.close()
    html = page(made(tmp_path / "journal.db", 1), "en", "pack.json", "ab" * 32)
    assert html.count(f"net {paid['net']:+}, returned {paid['returned']}: record") == 1
    assert "<td>void: deck</td>" in html


def test_a_hit_tells_the_meter_and_who_awarded_it(tmp_path: Path) -> None:
    html = page(made(lab_journals.progressive(tmp_path / "p"), 2), "en", "pack.json", "ab" * 32)
    assert "<td>25000.70 -&gt; 10000.40</td>" in html
    assert re.search(r"<th>Hit 1, box 1</th><td>25001, awarded in record \d+</td>", html)
    assert "operators s1 s2" in html


def test_the_page_escapes_what_a_journal_may_say(pack: Pack) -> None:
    facts = {
        **pack.facts,
        "overrides": [{"seq": 1, "t": "t", "type": "BoxVoided", "reason": "<script>alert(1)</script>"}],
    }
    html = page(replace(pack, facts=facts), "en", "pack.json", "ab" * 32)
    assert "&lt;script&gt;" in html and "<script" not in html
