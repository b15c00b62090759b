"""One maximum payout over all boxes of a player (`cap_per = player`, Q11): turned together, settled together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup
from test_table_variants import audited

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import BoxStatus

PLAYS, PLAYS_NOT = "As Kd 9c 6d 3h", "As Qd 9c 6d 3h"
FULL = "8c 8d 8h 4s 4c"
FLUSH = "Jh 9h 7h 5h 2h"
PAIR = "Tc Td 7s 5c 2d"


def table(
    tmp_path: Path | None = None, rules: str = "oasis_ru", dealer: str = PLAYS, house: dict[str, Any] | None = None,
    **how: Any,
) -> Rig:  # fmt: skip
    """Boxes 1 and 3 of one player, box 2 between them of another."""
    procedure = {"cap": 150, **how}
    setup = make_setup(rules, 4, {"cap_per": "player", **(house or {})}, **procedure)
    rig = Rig(folder=tmp_path, setup=setup).open()
    rig.lay(dealer, b1=FULL, b2=PAIR, b3=FLUSH)
    rig.stake(b1=10, b2=10, b3=10)
    rig.do(cm.Owner(box=3, owner=1))
    return rig.ok().deal()


def bets(rig: Rig) -> Rig:
    while rig.phase is Phase.DECISIONS:
        rig.do(cm.Bet(box=rig.want.box))
    return rig


def wins(stakes: dict[str, Any]) -> tuple[int, int]:
    return stakes["ante"]["profit"], stakes["bet"]["profit"]


def test_two_boxes_of_one_player_share_the_room_and_the_third_has_its_own(tmp_path: Path) -> None:
    """Antes 10 and 10 first; the 130 that are left are shared by 140 and 100 of the bets (7:1 and 5:1)."""
    rig = bets(table(tmp_path)).ok()
    turns = []
    while rig.table.hand is not None and rig.hand.number == 1:
        want = rig.want
        turns.append((str(want.kind), want.box))
        assert want.kind is not Want.PAID or all(rig.hand.box(b).turned for b in ((1, 3) if want.box != 2 else ()))
        rig.step()
    assert turns == [("turn", 1), ("paid", 3), ("paid", 1), ("paid", 2)], "box 3 was turned by the OK of the reveal"
    stakes = audited(rig)
    assert wins(stakes[1]) == (10, 76)
    assert wins(stakes[3]) == (10, 54)
    assert wins(stakes[2]) == (10, 20)
    shown = {e.box: e.answer for e in rig.events(ev.BoxSettled)}
    assert {box: shown[box]["cut_by_cap"] for box in (1, 2, 3)} == {1: 64, 2: 0, 3: 46}


def test_boxes_of_other_players_go_uncut(tmp_path: Path) -> None:
    """The same cards, each box its own player: the plate alone cuts."""
    setup = make_setup("oasis_ru", 4, {"cap_per": "player"}, cap=150)
    rig = Rig(folder=tmp_path, setup=setup).open().lay(PLAYS, b1=FULL, b2=PAIR, b3=FLUSH).stake(b1=10, b2=10, b3=10)
    bets(rig.ok().deal()).finish()
    assert {box: wins(stakes) for box, stakes in audited(rig).items()} == {1: (10, 140), 2: (10, 20), 3: (10, 100)}


def test_losing_boxes_first_where_the_house_takes_first(tmp_path: Path) -> None:
    rig = bets(table(tmp_path, settle_mode="takes_first")).ok()
    rig.to(Want.PAID)
    assert [rig.hand.box(n).turned for n in (1, 2, 3)] == [True] * 3
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 76)


def test_the_antes_of_a_dealer_who_does_not_play_share_the_room_too(tmp_path: Path) -> None:
    rig = bets(table(tmp_path, dealer=PLAYS_NOT, cap=15)).ok()
    assert rig.want.kind is Want.REST
    rig.finish()
    stakes = audited(rig)
    assert [wins(stakes[box])[0] for box in (1, 2, 3)] == [8, 10, 7]


def test_nothing_of_a_box_is_told_before_all_of_its_player_lie_open() -> None:
    """The rule of silence: the cut of an open box would tell of the player's other one."""
    told = []
    for hidden in (FULL, "Ac Jd 8h 4s 3c"):
        setup = make_setup("oasis_ru", 4, {"cap_per": "player"}, cap=150)
        other = Rig(setup=setup).open().lay(PLAYS, b1=hidden, b2=PAIR, b3=FLUSH).stake(b1=10, b2=10, b3=10)
        other.do(cm.Owner(box=3, owner=1))
        bets(other.ok().deal()).ok()
        assert (other.want.kind, other.want.box) == (Want.TURN, 1)
        told.append(other.sinks())
    assert told[0] == told[1]


@pytest.mark.parametrize("kill_at", range(4))
def test_a_restart_between_the_turns(kill_at: int, tmp_path: Path) -> None:
    rig = bets(table(tmp_path)).ok()
    for _ in range(kill_at):
        rig.step()
    rig.restart().finish()
    assert wins(audited(rig)[1]) == (10, 76)


# --- draws and disputes ----------------------------------------------------------------------------------------------


def drawn(rig: Rig) -> Rig:
    """Box 3 exchanges a card; its discard is named when it is turned."""
    rig.deck["draw", 3, 0] = "Qh"
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.do(cm.Exchange(box=3)), rig.card()
    return bets(rig)


def test_discards_named_otherwise_withdraw_what_the_other_box_was_to_be_paid(tmp_path: Path) -> None:
    """Antes first; a flush at 5:1 beside the full house, or ace-high nothing of the same cards."""
    rig = drawn(table(tmp_path, discard_check_from="never")).ok().to(Want.DISCARDS)
    rig.do(cm.NameDiscards(box=3, cards="2h")), rig.ok()  # box 1 is turned
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 3)
    rig.do(cm.NameDiscards(box=3, cards="2h"))  # taken back
    assert rig.want.kind is Want.DISCARDS
    assert rig.hand.box(1).answer is None
    assert rig.events(ev.AnswerWithdrawn)[-1].box == 1
    rig.do(cm.NameDiscards(box=3, cards="5h"))
    rig.finish()
    stakes = audited(rig)
    assert (wins(stakes[1]), wins(stakes[3])) == ((10, 76), (10, 54))


def test_discards_of_one_box_are_checked_before_either_is_paid(tmp_path: Path) -> None:
    rig = drawn(table(tmp_path)).ok().to(Want.DISCARDS)
    rig.do(cm.NameDiscards(box=3, cards="2h")), rig.ok()  # box 1 is turned
    assert (rig.want.kind, rig.want.box) == (Want.CHECK, 3)
    rig.refused(Why.NOT_NOW, cm.Paid(box=1))
    rig.do(cm.DiscardCheck(box=3), S1)
    rig.finish()
    assert wins(audited(rig)[3]) == (10, 54)


def test_a_disputed_box_keeps_the_others_of_its_player_waiting_until_it_is_known(tmp_path: Path) -> None:
    rig = bets(table(tmp_path)).ok()
    rig.do(cm.Differs(box=3, cards="Jh"))
    rig.to(Want.RELEASE)
    assert rig.hand.box(1).turned
    assert rig.hand.box(1).status is BoxStatus.OPEN
    assert rig.hand.box(1).answer is None
    assert rig.hand.box(2).status is BoxStatus.PAID
    rig.do(cm.Reassign(box=3, place="box", index=1, card="Qh"), S1)
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 76)


def test_a_dispute_that_takes_longer_is_known_by_the_record_and_the_others_are_paid(tmp_path: Path) -> None:
    rig = bets(table(tmp_path)).ok()
    rig.do(cm.Hold(box=3, reason="dispute"))
    rig.to(Want.RELEASE)
    rig.do(cm.NextHand(), S1)
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 1)
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 76)
    assert rig.table.disputes[0].box == 3


def test_a_box_of_a_player_who_was_paid_for_another_is_not_changed(tmp_path: Path) -> None:
    rig = bets(table(tmp_path)).ok().to(Want.PAID).ok()
    assert rig.hand.box(3).status is BoxStatus.PAID
    rig.refused(Why.PLAYER_PAID, cm.VoidBox(box=1, reason="dead"), S1)
    rig.refused(Why.PLAYER_PAID, cm.CorrectStake(box=1, ante=20), S1)
    rig.refused(Why.PLAYER_PAID, cm.Reassign(box=1, place="box", index=1, card="2c"), S1)
    rig.do(cm.VoidBox(box=2, reason="dead"), S1)
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 76)


def test_a_dead_box_gives_the_whole_room_to_the_other(tmp_path: Path) -> None:
    rig = bets(table(tmp_path)).ok().to(Want.PAID)
    assert rig.hand.box(1).answer is not None
    rig.do(cm.VoidBox(box=3, reason="dead"), S1)
    assert rig.events(ev.AnswerWithdrawn)[-1].box == 1
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 140)


def test_a_corrected_stake_is_computed_with_the_other_box(tmp_path: Path) -> None:
    """Antes 20 and 10, then 120 for bets of 280 and 100."""
    rig = bets(table(tmp_path)).ok().to(Want.PAID)
    rig.do(cm.CorrectStake(box=1, ante=20), S1)
    rig.finish()
    stakes = audited(rig)
    assert (wins(stakes[1]), wins(stakes[3])) == ((20, 88), (10, 32))


# --- a card of the dealer, bought by one of two boxes ----------------------------------------------------------------


@pytest.mark.parametrize(("card", "ante"), [("Qc", 20), ("7d", 10)])
def test_who_takes_the_ante_waits_for_his_other_box_that_buys(card: str, ante: int, tmp_path: Path) -> None:
    """Box 1 buys the dealer a card, box 3 takes its ante: both are paid behind the card, box 2 before it."""
    rig = bets(table(tmp_path, "oasis_helsinki", PLAYS_NOT, cap=1000)).ok()
    rig.deck["dealer_draw", 0, 0] = card
    rig.do(cm.BuyDealer(box=1)), rig.do(cm.TakeAnte(box=2)), rig.do(cm.TakeAnte(box=3))
    rig.ok()
    assert [rig.hand.box(n).status for n in (1, 2, 3)] == [BoxStatus.OPEN, BoxStatus.PAID, BoxStatus.OPEN]
    assert (rig.want.kind, rig.want.place) == (Want.CARD, "dealer_draw")
    rig.finish()
    stakes = audited(rig)
    assert stakes[1]["ante"]["profit"] + stakes[3]["ante"]["profit"] == ante
    assert stakes[1]["bet"]["profit"] == (140 if ante == 20 else 0)
    assert rig.hand.number == 2
    rig.do(cm.CloseTable(), D1, S1)


def test_a_disputed_buyer_who_exchanged_keeps_his_other_box_waiting(tmp_path: Path) -> None:
    """Its discards are not named: what the two share is not known before it is turned."""
    rig = table(tmp_path, "oasis_helsinki", PLAYS_NOT, cap=1000)
    rig.deck |= {("draw", 3, 0): "Qs", ("dealer_draw", 0, 0): "2s"}
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Exchange(box=3, count=1)), rig.card()
    bets(rig).ok()
    rig.do(cm.TakeAnte(box=1)), rig.do(cm.TakeAnte(box=2)), rig.do(cm.BuyDealer(box=3))
    rig.do(cm.Hold(box=3, reason="dispute"))
    rig.to(Want.RELEASE, Want.SUPERVISOR)
    assert rig.want.kind is Want.RELEASE
    assert rig.hand.box(1).status is BoxStatus.OPEN
    rig.finish()
    assert wins(audited(rig)[1]) == (10, 0)
