"""Whole hands at the table: J-poker and one-card Oasis, and that the money is what the settlement says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import E1, S1, Rig, make_setup
from harness_parts import open_journal

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.state import BoxStatus
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.settle import run
from controller.table.audit import check_hand

PLAYS = "Kh Ks 8c 7d 2h"
PLAYS_NOT = "Kh Js 8c 7d 2h"


def table(tmp_path: Path, rules: str = "jpoker", **how: Any) -> Rig:
    return Rig(tmp_path, make_setup(rules, **how)).open()


def audited(rig: Rig, number: int) -> ev.HandSettled:
    """The hand as an outsider reads it: nothing found, both readings give the recorded answer."""
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, number, "test")
    assert findings == []
    assert check_hand(hand) == []
    assert check_draw(hand) == []
    settled = rig.events(ev.HandSettled)[-1]
    assert run(settled.request) == settled.answer
    return settled  # type: ignore[no-any-return]


def money(answer: dict[str, Any]) -> None:
    """Always: staked = returned + what the house keeps."""
    staked = sum(s["staked"] for b in answer["boxes"] for s in b["stakes"].values())
    returned = sum(b["returned"] for b in answer["boxes"])
    assert staked == returned + answer["house"]


def test_a_hand_of_jpoker(tmp_path: Path) -> None:
    rig = table(tmp_path)
    rig.stake(b1=10, b2=10, b3=20).do(cm.Owner(box=2, owner=1))
    rig.joker("3c").lay(PLAYS, b1="Qc Qd 9h 5s 3c", b2="Ac Ad Ah 9s 4c", b3="6c 7c Th Jd 2s", draws={1: "4s"}).lock()
    rig.deal()
    snap = rig.snapshot()
    assert (snap.phase, snap.dealer.cards) == ("decisions", ("back", "back", "back", "back", "2h"))
    assert snap.joker is not None
    assert (snap.joker.state, snap.joker.card) == ("shown", "3c")
    assert [b.lamp for b in snap.boxes][:4] == ["steady", "red", "steady", "off"]
    rig.do(cm.Exchange(box=1, count=1))
    assert rig.want.kind is Want.CARD
    rig.card()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
    assert rig.phase is Phase.REVEAL
    rig.ok()
    assert rig.snapshot().dealer.plays is True
    assert rig.want.kind is Want.PAID  # box 2 turned by the same press: right to left, folded box passed over
    assert rig.snapshot().boxes[1].cards == ("Ac", "Ad", "Ah", "9s", "4c")
    assert rig.snapshot().boxes[1].stakes == {
        "ante": {"staked": 10, "outcome": "win", "odds": "1:1", "profit": 10},
        "bet": {"staked": 20, "outcome": "win", "odds": "3:1", "profit": 60},
    }
    rig.ok()
    assert (rig.want.kind, rig.want.box, rig.want.count) == (Want.DISCARDS, 1, 1)
    rig.do(cm.NameDiscards(box=1, cards="5s"))
    box = rig.snapshot().boxes[0]
    assert (box.hand, box.discards) == ("two_pair", ("5s",))  # queens and nines, one of them the joker's
    rig.ok()
    assert rig.hand.number == 2
    assert rig.phase is Phase.BETTING
    settled = audited(rig, 1)
    money(settled.answer)
    assert {b["box"]: b["net"] for b in settled.answer["boxes"]} == {1: 10 + 2 * 20 - 10, 2: 70, 3: -20}
    last = rig.table.last_hand
    assert last is not None
    assert last["outcome"] == "settled"
    assert [b["dealt"] for b in last["boxes"]][2] == []  # folded: never shown
    assert [(b.ante, b.owner) for b in rig.hand.boxes[:3]] == [(10, 1), (10, 1), (20, 3)]  # proposed again
    rig.close()


def test_a_hand_of_oasis_with_bonus_blind_and_shared_boxes(tmp_path: Path) -> None:
    rig = table(tmp_path, "oasis_ru")
    rig.stake(b1=10, b2=10, b3=30, b4=10)
    rig.do(cm.Owner(box=2, owner=1))
    rig.do(cm.Backers(box=3, shares=(20, 5, 5)))
    rig.do(cm.Blind(box=4))
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.SetStake(box=4, bonus=5))
    assert rig.snapshot().side_bets == 2
    rig.lay(
        "Qs Qd 8s 7d 3h",
        b1="2h 4h 6h 8h Th",
        b2="Ac Kc 5d 6d 9d",
        b3="As Ah 2d 9c Jc",
        b4="4c 4d 4s Jd Js",
        draws={1: "Tc"},
    ).lock()
    rig.deal()
    assert rig.snapshot().joker is None
    assert [b.lamp for b in rig.snapshot().boxes[:4]] == ["steady", "red", "steady", "dark"]
    assert rig.hand.box(4).bet == 20
    rig.do(cm.Bet(box=1))
    rig.do(cm.Exchange(box=2)), rig.card("Ad"), rig.do(cm.Fold(box=2))
    rig.do(cm.Bet(box=3))
    rig.finish()
    answer = audited(rig, 1).answer
    money(answer)
    boxes = {b["box"]: b for b in answer["boxes"]}
    assert boxes[1]["stakes"]["bonus"] == {"staked": 5, "outcome": "win", "odds": "60:1", "profit": 300}
    assert boxes[2]["net"] == -20
    assert boxes[3]["shares"] == [60, 15, 15]
    assert boxes[4]["stakes"]["bet"]["profit"] == 140
    assert boxes[4]["stakes"]["bonus"]["profit"] == 500
    rig.close()


def test_the_dealer_does_not_play(tmp_path: Path) -> None:
    rig = table(tmp_path)
    rig.stake(b1=10, b2=10, b3=10).joker("2c").lay(PLAYS_NOT, b1="Qc Qd 9h 5s 3c", draws={2: "Ah"}).lock().deal()
    rig.decide({1: [cm.Bet(box=1)], 2: [cm.Exchange(box=2), cm.Bet(box=2)], 3: [cm.Fold(box=3)]})
    rig.ok()
    assert (rig.phase, rig.want.kind) == (Phase.SETTLING, Want.REST)
    assert rig.snapshot().prompt.en.startswith("DEALER DOES NOT PLAY")
    rig.ok()
    answer = audited(rig, 1).answer
    assert {b["box"]: b["net"] for b in answer["boxes"]} == {1: 10, 2: 0, 3: -10}
    assert "final" not in next(b for b in answer["boxes"] if b["box"] == 2)
    last = rig.table.last_hand
    assert last is not None
    assert all(not b["dealt"] for b in last["boxes"])  # nobody turned them
    rig.close()


@pytest.mark.parametrize("rules", ["jpoker", "oasis_ru"])
def test_all_boxes_fold(tmp_path: Path, rules: str) -> None:
    rig = table(tmp_path, rules).stake(b1=10, b4=10).lock().deal()
    rig.do(cm.Fold(box=1)), rig.do(cm.Fold(box=4))
    assert rig.phase is Phase.REVEAL
    rig.ok()
    assert rig.hand.number == 2
    assert audited(rig, 1).answer["house"] == 20
    rig.close()


def test_doc_makes_the_open_card_the_joker(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10)
    rig.joker("DOC").lay("Kh Js 8c 7d 2h", b1="Qc Qd 9h 5s 3c").lock()
    rig.to(Want.BOARD)
    assert len(rig.hand.dealer) == 4  # his last card is withheld until the joker is shown
    rig.board_shows()
    shown = rig.snapshot().joker
    assert shown is not None
    assert (shown.card, shown.open_card) == ("DOC", None)
    rig.card()
    shown = rig.snapshot().joker
    assert shown is not None
    assert (shown.card, shown.open_card) == ("DOC", "2h")
    rig.do(cm.Bet(box=1)), rig.ok()
    assert rig.snapshot().dealer.plays is True
    assert rig.snapshot().dealer.hand == "pair"  # kings with the two
    rig.finish()
    assert audited(rig, 1).answer["boxes"][0]["net"] == -30
    rig.close()


def test_dealer_and_box_hold_the_joker(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10, b2=10).joker("8c").lay("Kh Ks 8c 7d 7h", b1="Qc Qd 9h 5s 3c").lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert rig.snapshot().dealer.hand == "full_house"  # two pair and the joker
    rig.finish()
    audited(rig, 1)
    rig.stake(b1=10).joker("3c").lay(PLAYS, b1="9c 9d 9h 9s 3c").lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.finish()
    boxes = {b["box"]: b for b in audited(rig, 2).answer["boxes"]}
    assert (boxes[1]["hand"], boxes[1]["stakes"]["bet"]["odds"]) == ("five_of_a_kind", "150:1")
    rig.close()


@pytest.mark.parametrize("joker_time", ["before_deal", "during_deal", "after_deal"])
@pytest.mark.parametrize("upcard", ["last", "first"])
@pytest.mark.parametrize("slot", ["7c", "DOC"])
def test_the_joker_at_its_time(tmp_path: Path, joker_time: str, upcard: str, slot: str) -> None:
    rig = table(tmp_path, joker_time=joker_time, house={"upcard": upcard})
    rig.stake(b1=10, b2=10).joker(slot).lay(PLAYS if slot == "7c" else "2h Kh Ks 8c 7d").lock()
    cards = 0
    while rig.phase is Phase.DEALING:
        if rig.want.kind is Want.STOP:
            expected = {"before_deal": 0, "during_deal": 14, "after_deal": 15}[joker_time]
            assert cards == expected
        snap = rig.snapshot()
        open_now = [card for card in snap.dealer.cards if card not in ("back", "unknown")]
        assert not open_now or rig.hand.joker is JokerPhase.SHOWN  # open only once the joker is shown
        cards += rig.want.kind is Want.CARD
        rig.step()
    index = 4 if upcard == "last" else 0
    assert [i for i, card in enumerate(rig.snapshot().dealer.cards) if card != "back"] == [index]
    rig.finish()
    audited(rig, 1)
    rig.close()


@pytest.mark.parametrize("order", ["left_to_right", "right_to_left"])
def test_settle_order(tmp_path: Path, order: str) -> None:
    rig = table(tmp_path, settle_order=order)
    rig.stake(b2=10, b4=10, b6=10).joker("2c").lay(PLAYS).lock().deal()
    for box in (2, 4, 6):
        rig.do(cm.Bet(box=box))
    rig.ok()
    turned = []
    while rig.phase is Phase.SETTLING and rig.hand.number == 1:
        turned.append(rig.want.box)
        rig.ok()
    assert turned == ([2, 4, 6] if order == "left_to_right" else [6, 4, 2])
    audited(rig, 1)
    rig.close()


@pytest.mark.parametrize("mode", ["one_by_one", "packets"])
def test_the_order_of_the_deal(tmp_path: Path, mode: str) -> None:
    rig = table(tmp_path, "oasis_ru", house={"deal_mode": mode}).stake(b1=10, b3=10).lock()
    seen = []
    while rig.phase is Phase.DEALING:
        seen.append((rig.want.place, rig.want.box))
        rig.card()
    one = [("box", 1), ("box", 3), ("dealer", 0)]
    assert seen == (one * 5 if mode == "one_by_one" else [place for place in one for _ in range(5)])
    rig.finish()
    audited(rig, 1)
    rig.close()


def test_draws_at_once(tmp_path: Path) -> None:
    """The card is given and the box bets or folds before the next box, and the player's next box, is looked at."""
    rig = table(tmp_path).stake(b1=10, b2=10).lock
    rig = rig().deal()
    rig.do(cm.Exchange(box=1)), rig.do(cm.Exchange(box=1))
    assert rig.hand.box(1).count == 2
    assert (rig.want.kind, rig.want.count) == (Want.CARD, 2)
    rig.card(), rig.card()
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 1)
    rig.do(cm.Fold(box=1))
    assert rig.want.box == 2
    rig.finish()
    assert audited(rig, 1).answer["boxes"][-1]["net"] == -30
    rig.close()


def test_draws_after_all_decisions(tmp_path: Path) -> None:
    """A player's two boxes finish their first pass before either draws."""
    rig = table(tmp_path, draw_timing="after_all").stake(b1=10, b2=10, b3=10)
    rig.do(cm.Owner(box=2, owner=1))
    rig.lay(PLAYS).joker("2c").lock().deal()
    rig.do(cm.Exchange(box=1))
    assert rig.snapshot().boxes[1].lamp == "red"
    assert rig.want.kind is Want.DECISION
    rig.ok()  # the count is final
    assert rig.snapshot().boxes[1].lamp == "steady"
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 2)
    rig.do(cm.Exchange(box=2, count=2)), rig.ok()
    rig.do(cm.Bet(box=3))
    assert (rig.want.kind, rig.want.box) == (Want.CARD, 1)
    rig.card()
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 1)
    rig.do(cm.Bet(box=1))
    assert (rig.want.kind, rig.want.box, rig.want.count) == (Want.CARD, 2, 2)
    rig.card(), rig.card(), rig.do(cm.Fold(box=2))
    rig.finish()
    audited(rig, 1)
    rig.close()


@pytest.mark.parametrize(("flush_over", "wanted"), [(True, Want.PAID), (False, Want.CHECK)])
def test_discards_are_checked_by_the_order_of_this_house(flush_over: bool, wanted: Want) -> None:
    """From a flush on: where a flush beats a full house, the full house is below it."""
    house = {"flush_over_full_house": flush_over}
    rig = Rig(setup=make_setup("jpoker", house=house, discard_check_from="flush")).open()
    rig.stake(b1=10).joker("2c").lay(PLAYS, b1="9c 9d 5h 5s 3c", draws={1: "9h"}).lock().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    assert rig.want.kind is wanted


def test_discards_from_trips_are_checked_by_two(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10).joker("2c").lay(PLAYS, b1="9c 9d 5h 6s 3c", draws={1: "9h"}).lock().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    assert rig.want.kind is Want.CHECK
    assert rig.snapshot().boxes[0].stakes is None
    outcome = rig.do(cm.DiscardCheck(box=1))
    assert outcome.waiting == 1
    rig.do(cm.Approve(id=1), S1)
    assert rig.want.kind is Want.PAID
    rig.do(cm.NameDiscards(box=1, cards="3c")), rig.do(cm.NameDiscards(box=1, cards="6s"))  # named again: another one
    assert rig.want.kind is Want.CHECK  # and checked again
    rig.do(cm.DiscardCheck(box=1), E1, S1)
    rig.finish()
    audited(rig, 1)
    rig.close()


def test_discards_named_anew_are_settled_anew(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10).joker("2c").lay(PLAYS, b1="9c 9d 5h 6s 3c", draws={1: "6h"}).lock().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="6s"))
    assert rig.hand.box(1).answer is not None
    assert rig.hand.box(1).answer["hand"] == "pair"
    rig.do(cm.NameDiscards(box=1, cards="6s"))
    assert rig.hand.box(1).answer is None
    assert rig.want.kind is Want.DISCARDS
    rig.do(cm.NameDiscards(box=1, cards="5h"))
    assert rig.hand.box(1).answer is not None
    assert rig.hand.box(1).answer["hand"] == "two_pair"
    rig.finish()
    audited(rig, 1)
    rig.close()


def test_the_cap_counts_a_box(tmp_path: Path) -> None:
    rig = table(tmp_path, cap=50).stake(b1=10).joker("2c").lay(PLAYS, b1="9c 9d 9h 9s 3c").lock().deal()
    rig.do(cm.Bet(box=1)), rig.finish()
    box = audited(rig, 1).answer["boxes"][0]
    assert (box["net"], box["cut_by_cap"]) == (50, 260)
    rig.close()


def test_the_journal_verifies_whole(tmp_path: Path) -> None:
    rig = table(tmp_path)
    for number in range(1, 4):
        rig.stake(b1=10, b2=10)
        rig.finish()
        audited(rig, number)
    rig.service.end_run("test")
    rig.close()
    journal = open_journal(tmp_path)
    assert sum(1 for _ in journal.replay()) == journal.seq
    journal.close()


def test_between_hands_no_stake_is_paid(tmp_path: Path) -> None:
    rig = table(tmp_path).stake(b1=10).finish()
    last = rig.table.last_hand
    rig.do(cm.CloseTable(), S1)
    assert rig.phase is Phase.CLOSED
    assert rig.table.last_hand == last  # the hand that was never played does not hide the last one
    assert rig.events(ev.HandEnded)[-1].outcome == "not_played"
    assert all(b["status"] == BoxStatus.PAID for b in (last or {})["boxes"])
    rig.close()
