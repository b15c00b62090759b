"""M8: the last fifty hands and the open one are recalled as they were, in any phase, and nothing changes by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from harness import S1, Rig, make_setup
from harness_parts import registry
from test_table_jackpot import NOTHING, PLAYS, ROYAL, play, table

from controller.cli.find import find_command
from controller.cli.recall import recall_command
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.journal.hands import read_hand
from controller.journal.reader import Reader
from controller.journal.recall import recall
from controller.journal.summaries import told
from controller.table import menu, past
from controller.table.recall_pages import pages

HANDS = 60


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Rig:
    """Sixty hands, some void, some cut by the power; the sixty-first lies open with its joker drawn."""
    rig = Rig(tmp_path_factory.mktemp("recall"), make_setup("jpoker")).open()
    rig.taint = False
    while rig.table.hands <= HANDS:
        rig.stake(b1=10)
        if rig.table.hands % 15 == 0:
            rig.lock().card()
            rig.restart()
        if rig.table.hands % 10 == 0:
            rig.to(Want.CARD).do(cm.VoidHand(reason="test"), S1, S1)
        else:
            rig.finish()
    rig.stake(b1=10).to(Want.BOARD)
    return rig


def test_each_hand_is_recalled_as_the_file_has_it(rig: Rig) -> None:
    assert rig.journal is not None and rig.folder is not None
    before, seq = rig.table, rig.journal.seq
    with Reader(rig.folder / "journal.db") as reader:
        for number in range(1, HANDS + 2):
            hand, findings = read_hand(reader, registry(), number, "test")
            assert findings == []
            assert past.recall_hand(rig.journal, number) == recall(hand)
    assert (rig.table, rig.journal.seq) == (before, seq)


def test_the_list_holds_the_last_fifty_newest_first(rig: Rig) -> None:
    assert rig.journal is not None
    found = past.recall_hand(rig.journal, 0)
    assert found is not None and found["recall"]
    hands = found["hands"]
    assert [hand["hand"] for hand in hands] == list(range(HANDS + 1, HANDS - 49, -1))
    assert (hands[0]["outcome"], hands[0]["joker"]) == ("open", "")
    assert {(hand["dealer"], hand["rules"]) for hand in hands} == {("d1", "jpoker")}
    for hand in hands[1:]:
        whole = past.recall_hand(rig.journal, hand["hand"])
        assert whole is not None
        assert hand["outcome"] == whole["outcome"]
        if whole["answer"]:
            assert hand["boxes"] == {str(box["box"]): box["net"] for box in whole["answer"]["boxes"]}
            assert hand["joker"] == whole["draw"]["shown"]
            assert hand["dealer_cards"] == whole["answer"]["dealer"]["cards"]


def test_it_is_recalled_in_fault_too_and_stays_so(rig: Rig) -> None:
    assert rig.journal is not None
    rig.device(cm.BoardFails(detail="frame"))
    phase = rig.table.hand.phase if rig.table.hand else None
    assert phase is Phase.FAULT
    before = rig.table
    found = past.recall_hand(rig.journal, HANDS + 1)
    assert found is not None
    assert (found["outcome"], found["draw"]["slot"]) == ("open", None)
    assert past.recall_hand(rig.journal, 0) is not None
    assert rig.table == before


def test_of_the_open_hand_stakes_and_decisions_are_told_and_no_card(tmp_path: Path) -> None:
    """M8: what lies open on the felt. Once it has ended, the settled request says it, and these are left out."""
    rig = Rig(tmp_path, make_setup("oasis_ru")).open()
    rig.stake(b1=10, b2=20, b3=30).to(Want.DECISION)
    rig.decide({1: [cm.Fold(box=1)], 2: [cm.Bet(box=2)]})
    assert rig.journal is not None
    found = past.recall_hand(rig.journal, 1)
    assert [(stake["box"], stake["ante"]) for stake in found["stakes"]] == [(1, 10), (2, 20), (3, 30)]
    told_of = [(entry["type"], entry["box"], entry.get("amount")) for entry in found["decisions"]]
    assert told_of == [("Folded", 1, None), ("BetMade", 2, 40)]
    shown = sum(1 for card in found["cards"] if "card" in card)
    assert (found["request"], found["answer"], shown) == (None, None, 0)
    lines = CliRunner().invoke(recall_command, ["1", str(tmp_path / "journal.db")]).output.splitlines()
    assert any(line.startswith("box 2 staked: ante 20") for line in lines), lines
    assert any("BetMade (box 2, amount 40)" in line for line in lines), lines
    rig.do(cm.VoidHand(reason="test"), S1, S1)
    assert not {"stakes", "decisions"} & set(past.recall_hand(rig.journal, 1))


def test_a_file_is_listed_without_an_operator(rig: Rig) -> None:
    assert rig.folder is not None and rig.journal is not None
    told_of = CliRunner().invoke(recall_command, ["--json", str(rig.folder / "journal.db")])
    assert told_of.exit_code == 0, told_of.output
    assert json.loads(told_of.output)["hands"] == [told(summary) for summary in rig.journal.summaries()]
    lines = CliRunner().invoke(recall_command, [str(rig.folder / "journal.db")]).output.splitlines()
    assert lines[0] == "RECALL, the last hands"
    assert lines[-1] == "50 hands"


def test_pages_hold_a_hand_each_and_fit_the_display(rig: Rig) -> None:
    assert rig.journal is not None
    hands = [told(summary) for summary in rig.journal.summaries()]
    found = pages(hands)
    assert all(len(line) <= 20 for page in found for line in page)
    titles = list(dict.fromkeys(page[0] for page in found))
    assert titles == [f"RECALL {hand['hand']} {hand['outcome'].upper()}" for hand in hands]
    second = [line for page in found if page[0] == titles[1] for line in page[1:]]
    assert f"D {hands[1]['dealer_cards']}" in second or hands[1]["outcome"] == "void"


def test_pages_of_a_full_table_go_over_several() -> None:
    boxes = {str(box): -100_000 * box for box in range(1, 8)}
    hand = {"hand": 12, "outcome": "settled", "dealer_cards": "Kh Ks 8c 7d 2h", "joker": "DOC", "boxes": boxes,
            "overrides": 3}  # fmt: skip
    found = pages([hand])
    assert {page[0] for page in found} == {"RECALL 12 SETTLED"}
    words = " ".join(line for page in found for line in page[1:]).split()
    assert words == ["D", "Kh", "Ks", "8c", "7d", "2h", "JOKER", "DOC", *(f"{b}:{n:+}" for b, n in boxes.items()), "3",
                     "OVERRIDES"]  # fmt: skip


def test_the_key_switch_lists_recall_in_every_phase_and_pages_turn() -> None:
    rig = Rig(setup=make_setup("jpoker"))
    for phase in (Phase.CLOSED, Phase.BETTING, Phase.FAULT):
        if phase is Phase.BETTING:
            rig.open()
        elif phase is Phase.FAULT:
            rig.stake(b1=10).to(Want.BOARD).device(cm.BoardFails(detail="frame"))
        assert rig.table.phase is phase
        listed = menu.items(rig.table, rig.setup)
        assert listed[-1] is menu.RECALL
        at = menu.Menu()
        at, nothing = menu.press(at, "FOLD", rig.table, rig.setup)
        assert menu.lines(at, rig.table, rig.setup)[1] == "RECALL HANDS"
        for key in ("OK", "K2", "K2"):
            at, nothing = menu.press(at, key, rig.table, rig.setup)
            assert nothing is None
        at, asked = menu.press(at, "OK", rig.table, rig.setup)
        assert asked == menu.Supervised(menu.ReadHands(), "22")
    reading = menu.Menu(pages=(("RECALL 2", "a", ""), ("RECALL 2", "b", ""), ("RECALL 1", "c", "")))
    seen = []
    for key in ("BET", "BET", "BET", "FOLD", "OK", "OK", "K1"):
        reading, nothing = menu.press(reading, key, rig.table, rig.setup)
        assert nothing is None
        seen.append(menu.lines(reading, rig.table, rig.setup)[1])
    assert seen == ["b", "c", "a", "c", "a", "c", "c"]


def find(rig: Rig, *asked: str) -> list[int]:
    assert rig.folder is not None
    result = CliRunner().invoke(find_command, [str(rig.folder / "journal.db"), "--json", *asked])
    assert result.exit_code == 0, result.output
    return [json.loads(line)["hand"] for line in result.output.splitlines()]


def test_hands_are_found_by_what_was_asked(rig: Rig) -> None:
    assert find(rig, "--outcome", "void") == [10, 20, 30, 40, 50, 60]
    assert find(rig, "--outcome", "open") == [HANDS + 1]
    drawn = {n: e.slot for n, e in rig.recorder.events if isinstance(e, ev.JokerShown)}
    slot = drawn[1]
    assert find(rig, "--joker", slot) == [n for n, shown in drawn.items() if shown == slot]
    assert {10, 20, 30, 40, 50, 60} <= set(find(rig, "--overridden")) < set(range(1, HANDS + 2))
    assert find(rig, "--dealer", "d1") == list(range(1, HANDS + 2))
    assert find(rig, "--dealer", "nobody") == find(rig, "--date", "1999") == find(rig, "--box", "5") == []
    assert find(rig, "--rules", "jpoker", "--date", "2024-01-01") == list(range(1, HANDS + 2))
    won = set(find(rig, "--box", "1", "--won", "1"))
    lost = set(find(rig, "--box", "1", "--lost", "1"))
    assert won and lost and not won & lost
    error = CliRunner().invoke(find_command, [str(rig.folder / "journal.db"), "--card", "Zz"])  # type: ignore[operator]
    assert "is not a card" in str(error.exception)
    for wrong in ("foo", "24-01-01", "2024-13", "2024-01-1", "01.02.2024", ""):
        error = CliRunner().invoke(find_command, [str(rig.folder / "journal.db"), "--date", wrong])  # type: ignore[operator]
        assert "is not a date" in str(error.exception)


def test_a_hit_is_found_with_what_it_won(tmp_path: Path) -> None:
    rig = table(tmp_path)
    play(rig, PLAYS, "bet", b1=NOTHING)
    play(rig, PLAYS, "bet", b1=ROYAL)
    while rig.want.kind is Want.AWARD:
        rig.step()
    rig.to(Want.START)
    assert find(rig, "--hit") == find(rig, "--won", "20000") == find(rig, "--card", "Ac", "--card", "Tc") == [2]
    assert rig.journal is not None
    whole = past.recall_hand(rig.journal, 2)
    assert whole is not None
    listed = next(hand for hand in rig.journal.summaries() if hand.hand == 2)
    assert listed.boxes == {1: whole["answer"]["boxes"][0]["net"]}
