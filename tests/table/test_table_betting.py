"""Stakes until LOCK: owners, blind and shared boxes, limits, the deck check, what stands proposed, and undo."""

from __future__ import annotations

from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why


def table(rules: str = "oasis_ru", **how: Any) -> Rig:
    return Rig(setup=make_setup(rules, **how)).open()


def owners(rig: Rig) -> list[int]:
    return [b.owner for b in rig.hand.boxes]


def test_owners_join_and_leave() -> None:
    rig = table(max_open_boxes=6).stake(b1=10, b2=10, b3=10, b4=10)
    rig.do(cm.Owner(box=3, owner=2)), rig.do(cm.Owner(box=4, owner=3))
    assert owners(rig) == [1, 2, 2, 2, 5, 6]
    rig.do(cm.Owner(box=4, owner=1))  # the whole company joins
    assert owners(rig) == [1, 1, 1, 1, 5, 6]
    rig.do(cm.Undo())
    assert owners(rig) == [1, 2, 2, 2, 5, 6]  # one act, one step back
    rig.do(cm.Owner(box=2, owner=2))  # the first box leaves: the others stay together
    assert owners(rig) == [1, 2, 3, 3, 5, 6]
    assert rig.act(cm.Owner(box=2, owner=2)).events == ()
    rig.refused(Why.NO_SUCH_BOX, cm.Owner(box=2, owner=7))


def test_a_box_taken_out_leaves_its_player() -> None:
    """Else a stranger who takes box 1 would be one player with box 2."""
    rig = table().stake(b1=10, b2=10)
    rig.do(cm.Owner(box=2, owner=1)), rig.do(cm.Blind(box=1))
    rig.do(cm.SetStake(box=1, ante=0))
    assert owners(rig)[:2] == [1, 2]
    rig.do(cm.Undo())
    assert owners(rig)[:2] == [1, 1]
    assert rig.hand.box(1).blind
    rig.do(cm.SetStake(box=1, ante=0)), rig.stake(b1=10)
    assert owners(rig)[:2] == [1, 2]
    assert not rig.hand.box(1).blind


def test_an_empty_box_belongs_to_nobody_after_lock() -> None:
    """A player named by an empty box is from LOCK on named by his lowest box in play."""
    rig = table().stake(b2=10, b3=10)
    rig.do(cm.Owner(box=2, owner=1)), rig.do(cm.Owner(box=3, owner=1)), rig.lock()
    assert owners(rig)[:3] == [1, 2, 2]
    rig.finish()
    rig.stake(b1=10)
    assert owners(rig)[:3] == [1, 2, 2]


def test_open_boxes_of_one_player() -> None:
    rig = table(max_open_boxes=2).stake(b1=10, b2=10, b3=10)
    rig.do(cm.Owner(box=2, owner=1)), rig.do(cm.Owner(box=3, owner=1))
    rig.refused(Why.TOO_MANY_OPEN, cm.Start())
    rig.do(cm.Blind(box=3))
    rig.lock()
    assert rig.phase is Phase.DEALING
    rig.deal()
    assert [b.lamp for b in rig.snapshot().boxes[:3]] == ["steady", "red", "dark"]
    rig.do(cm.Bet(box=1))
    assert [b.lamp for b in rig.snapshot().boxes[:3]] == ["steady", "steady", "dark"]


def test_equal_antes() -> None:
    rig = table(equal_antes=True).stake(b1=10, b2=20)
    rig.do(cm.Owner(box=2, owner=1))
    rig.refused(Why.UNEQUAL, cm.Start())
    rig.stake(b2=10).lock()


def test_a_blind_box_bets_and_nothing_else() -> None:
    rig = table().stake(b1=10, b2=10)
    rig.refused(Why.NO_STAKE, cm.Blind(box=3))
    rig.do(cm.Blind(box=2)), rig.lock().deal()
    for command in (cm.Fold(box=2), cm.Bet(box=2), cm.Exchange(box=2), cm.Buy6(box=2), cm.Insure(box=2, amount=10)):
        rig.refused(Why.BLIND, command)
    rig.do(cm.Bet(box=1))
    assert rig.phase is Phase.REVEAL
    rig.finish()
    assert rig.hand.box(2).blind  # proposed again as it was


def test_side_bets_of_a_blind_box() -> None:
    rig = table(house={"blind_extras": []}).stake(b1=10)
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.Blind(box=1))
    rig.refused(Why.BLIND, cm.Start())


def test_limits_of_a_stake() -> None:
    rig = table()
    rig.refused(Why.STAKE_RANGE, cm.SetStake(box=1, ante=9))
    rig.refused(Why.STAKE_RANGE, cm.SetStake(box=1, ante=1001))
    rig.refused(Why.STAKE_RANGE, cm.SetStake(box=1, ante=-10))
    rig.refused(Why.NO_SUCH_BOX, cm.SetStake(box=7, ante=10))
    rig.refused(Why.NO_SUCH_BOX, cm.SetStake(box=0, ante=10))
    rig.do(cm.SetStake(box=1, bonus=50))
    assert (rig.hand.box(1).ante, rig.hand.box(1).bonus) == (10, 50)  # a side bet alone brings the smallest ante
    rig.refused(Why.BONUS_RANGE, cm.SetStake(box=1, bonus=51))
    rig.refused(Why.BONUS_RANGE, cm.SetStake(box=1, bonus=-1))
    rig.refused(Why.NO_JACKPOT, cm.SetStake(box=1, jackpot=1))
    rig.refused(Why.NO_BONUS, cm.SetStake(box=1, bonus=1)) if not rig.setup.rules.bonus_table else None
    table("jpoker").refused(Why.NO_BONUS, cm.SetStake(box=1, bonus=1))


def test_the_plate_between_hands() -> None:
    rig = table().stake(b1=10)
    rig.do(cm.Limits(ante_min=20, ante_max=500), S1)
    assert rig.table.limits["ante_min"] == 20
    rig.refused(Why.STAKE_RANGE, cm.Start())  # what stands proposed is judged again
    rig.refused(Why.BAD_ARGUMENT, cm.Limits(ante_min=501), S1)
    rig.stake(b1=20).lock()
    rig.refused(Why.HAND_RUNNING, cm.Limits(cap=500), S1)
    rig.finish()
    assert rig.events(ev.HandSettled)[-1].request["set"]["cap"] == 100_000
    rig.do(cm.CloseTable(), S1)
    rig.refused(Why.NOT_OPEN, cm.Limits(cap=500), S1)


def test_backers_of_a_shared_box() -> None:
    rig = table().stake(b1=30)
    rig.refused(Why.SHARED_SUM, cm.Backers(box=1, shares=(20, 5)))
    rig.refused(Why.SHARED_SUM, cm.Backers(box=1, shares=(40, -10)))
    rig.do(cm.Backers(box=1, shares=(20, 10)))
    rig.do(cm.SetStake(box=1, bonus=5))
    assert rig.hand.box(1).backers == (20, 10)  # a side bet is somebody's own
    rig.do(cm.SetStake(box=1, ante=40))
    assert rig.hand.box(1).backers == ()  # they no longer sum to the ante
    table(house={"shared_box": False}).stake(b1=20).refused(Why.NOT_OFFERED, cm.Backers(box=1, shares=(10, 10)))


@pytest.mark.parametrize(
    ("rules", "house", "served"),
    [("oasis_ru", {}, 7), ("jpoker", {}, 6), ("jpoker", {"exchange_fee": {"1": 1, "2": 2, "3": 3}}, 5)],
)
def test_the_deck_must_serve_every_box(rules: str, house: dict[str, Any], served: int) -> None:
    rig = table(rules, boxes=7, house=house)
    for box in range(1, served + 1):
        rig.do(cm.SetStake(box=box, ante=10))
    if served < 7:
        rig.do(cm.SetStake(box=served + 1, ante=10))
        rejection = rig.refused(Why.DECK_SHORT, cm.Start())
        assert rejection.args["served"] == served
        rig.do(cm.SetStake(box=served + 1, ante=0))
    rig.lock()
    assert rig.phase is Phase.DEALING


def test_proposed_again_and_repeated() -> None:
    rig = table().stake(b1=10, b2=20, b5=10)
    rig.do(cm.Owner(box=2, owner=1)), rig.do(cm.Blind(box=5)), rig.do(cm.Backers(box=2, shares=(15, 5)))
    rig.lock().finish()
    first = rig.hand.boxes
    assert [(b.ante, b.owner, b.blind) for b in first][:2] == [(10, 1, False), (20, 1, False)]
    for box in (1, 2, 5):
        rig.do(cm.SetStake(box=box, ante=0))
    rig.do(cm.Repeat())
    assert rig.hand.boxes == first
    rig.do(cm.Undo())
    assert not any(b.ante for b in rig.hand.boxes)
    rig.do(cm.Repeat(box=5))
    assert [b.box for b in rig.hand.boxes if b.ante] == [5]
    rig.refused(Why.NO_STAKE, cm.Repeat(box=6))
    table().refused(Why.NO_STAKE, cm.Repeat())


def test_lock_needs_stakes_devices_and_a_deck() -> None:
    rig = table("jpoker")
    rig.refused(Why.NO_STAKE, cm.Start())
    rig.stake(b1=10)
    rig.device(cm.DeviceOut(device="shoe", reason="unplugged"))
    assert rig.refused(Why.DEVICE, cm.Start()).args["device"] == "shoe"
    rig.connect("shoe")
    rig.device(cm.DeviceOut(device="board", reason="unplugged"))
    assert rig.refused(Why.DEVICE, cm.Lock()).args["device"] == "board"
    rig.connect("board")
    rig.card("As")
    assert rig.phase is Phase.IRREGULAR
    rig.do(cm.Resume(), S1)
    assert (rig.phase, rig.want.kind) == (Phase.BETTING, Want.DECK)
    rig.refused(Why.DECK_OUT, cm.Start())  # touched before the bets closed: another deck first
    rig.refused(Why.BAD_ARGUMENT, cm.Deck(deck=" "), S1)
    rig.do(cm.Deck(deck="blue 7"), S1)
    rig.lock()
    assert rig.phase is Phase.DEALING


def test_side_bets_counted_on_the_felt() -> None:
    rig = table().stake(b1=10, b2=10)
    rig.do(cm.SetStake(box=1, bonus=5))
    rig.refused(Why.BAD_ARGUMENT, cm.Count(number=-1))
    rig.do(cm.Count(number=2)), rig.lock()
    assert (rig.phase, rig.want.kind, rig.want.count) == (Phase.LOCKED, Want.COUNT, 1)
    rig.refused(Why.COUNT_DIFFERS, cm.Start())
    assert rig.do(cm.Count(number=1)).waiting  # the dealer alone no longer decides
    assert rig.phase is Phase.LOCKED
    assert rig.do(cm.CorrectStake(box=2, ante=10, bonus=5)).waiting
    rig.do(cm.CorrectStake(box=2, ante=10, bonus=5), S1)  # the bonus that lay there unlit
    assert rig.phase is Phase.DEALING
    rig.finish()
    assert rig.hand.box(2).bonus == 5  # proposed as corrected


@pytest.mark.parametrize("way", [cm.Count(number=1), cm.Resume()])
def test_a_supervisor_ends_the_difference(way: cm.Command) -> None:
    rig = table("oasis_ru").stake(b1=10)
    rig.do(cm.SetStake(box=1, bonus=5)), rig.do(cm.Count(number=2)), rig.lock()
    rig.do(way, S1)
    assert rig.phase is Phase.DEALING


# --- undo ------------------------------------------------------------------------------------------------------------


def test_undo_until_the_next_physical_fact() -> None:
    rig = table("jpoker")
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())
    rig.stake(b1=10).stake(b1=20).do(cm.Count(number=3))
    rig.do(cm.Undo())
    assert rig.hand.counted is None
    assert rig.hand.box(1).ante == 20
    rig.do(cm.Undo())
    assert rig.hand.box(1).ante == 10
    rig.lock()
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())  # LOCK stands
    rig.deal()
    rig.do(cm.Exchange(box=1)), rig.do(cm.Exchange(box=1)), rig.do(cm.Undo())
    assert rig.hand.box(1).count == 1
    rig.card()
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())  # a card came
    rig.do(cm.Bet(box=1))
    assert rig.phase is Phase.REVEAL
    rig.do(cm.Undo())  # across the change of phase
    assert (rig.phase, rig.want.kind, rig.want.box) == (Phase.DECISIONS, Want.DECISION, 1)
    rig.do(cm.Fold(box=1)), rig.ok()
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())


def test_undo_of_a_discard_takes_its_settlement_back() -> None:
    rig = table("jpoker").stake(b1=10).joker("2c").lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", draws={1: "Jh"})
    rig.lock().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="6s"))
    assert rig.hand.box(1).answer
    rig.do(cm.Undo())
    assert rig.hand.box(1).answer is None
    assert rig.want.kind is Want.DISCARDS


def test_undo_never_takes_back_what_others_did() -> None:
    """Released by a supervisor: the dealer's BACK does not freeze the box again."""
    rig = (
        table("jpoker")
        .stake(b1=10, b2=10)
        .joker("2c")
        .lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh"})
    )
    rig.lock().deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    rig.do(cm.Hold(box=2)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="6s"))
    rig.do(cm.Release(box=2), S1)
    rig.refused(Why.NOTHING_TO_UNDO, cm.Undo())


# --- opening and people ----------------------------------------------------------------------------------------------


def test_opening_and_closing() -> None:
    rig = Rig(setup=make_setup())
    rig.refused(Why.NOT_OPEN, cm.Start())
    rig.refused(Why.NO_DEALER, cm.OpenTable(), S1)
    rig.do(cm.OpenTable(), D1, S1)
    rig.refused(Why.ALREADY_OPEN, cm.OpenTable(), D1, S1)
    rig.do(cm.SignOff(), D1)
    rig.refused(Why.NO_DEALER, cm.Start())
    rig.refused(Why.NOT_ALLOWED, cm.SignOff(), D1)
    rig.refused(Why.NOT_ALLOWED, cm.SignOn())
    rig.do(cm.SignOn(), D1)
    rig.connect(), rig.stake(b1=10), rig.lock()
    for command in (cm.SignOff(), cm.SignOn(), cm.CloseTable()):
        rig.refused(Why.HAND_RUNNING, command, D1)
    rig.finish()
    rig.do(cm.CloseTable(), S1)
    assert rig.table.signed_on == {}
    rig.refused(Why.NOT_OPEN, cm.CloseTable(), S1)


def test_a_quarantined_deck_stays_out_over_closing_and_opening() -> None:
    rig = table("oasis_ru")
    rig.card("As"), rig.do(cm.Resume(), S1), rig.do(cm.CloseTable(), S1)
    rig.do(cm.OpenTable(), D1, S1)
    assert (rig.phase, rig.want.kind) == (Phase.DECK_CHECK, Want.DECK)
    rig.do(cm.Deck(deck="red 2"), S1)
    assert rig.phase is Phase.BETTING


def test_what_the_table_cannot_deal_yet_does_not_open() -> None:
    rig = Rig(setup=make_setup("oasis_ru", boxes=4, house={"stub_policy": "reshuffle_discards"}))
    rig.refused(Why.UNSUPPORTED, cm.OpenTable(), D1, S1)
