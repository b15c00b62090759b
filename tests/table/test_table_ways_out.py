"""Lost cards, devices that lie or leave, corrections, dead boxes: the ways out of a hand in trouble."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from harness import D1, PLAYS, S1, S2, Rig, locked, make_setup, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import Differ
from controller.domain.phases import Health, Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause, FaceDown

# --- lost cards ------------------------------------------------------------------------------------------------------


def lose(rig: Rig, count: int) -> None:
    first = rig.event_no + 1
    rig.event_no += count
    rig.device(cm.LostIn(device="shoe", first=first, last=rig.event_no))


def test_lost_cards_lie_on_the_felt_as_unknown_ones() -> None:
    rig = locked()
    lose(rig, 2)
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.CARDS_LOST)
    assert "2 card(s)" in rig.snapshot().prompt.en
    rig.refused(Why.BAD_ARGUMENT, cm.Reset(number=3), S1)
    rig.do(cm.Reset(), S1)
    assert rig.phase is Phase.DEALING
    assert [b.cards for b in rig.snapshot().boxes[:2]] == [("unknown",), ("unknown",)]
    assert rig.want.place == "dealer"
    rig.finish()


def test_cards_lost_twice_add_up_and_a_card_behind_them_takes_its_place() -> None:
    rig = locked()
    lose(rig, 1)
    lose(rig, 1)
    assert rig.hand.lost == 2
    rig.card("As", lay=False)  # dealt behind them, before anybody could stop it
    assert rig.hand.lost == 3
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    assert rig.hand.fault_cause is Cause.SHOE
    rig.do(cm.Reset(), S1)  # the second cause does not make the table forget the first
    assert [len(b.dealt) for b in rig.hand.boxes[:2]] == [1, 1]
    assert len(rig.hand.dealer) == 1
    assert rig.events(ev.ShoeAdopted)
    rig.finish()


def test_the_supervisor_says_how_many_were_cards() -> None:
    rig = locked().deal()
    rig.do(cm.Exchange(box=1, count=2))
    lose(rig, 2)
    rig.do(cm.Reset(number=1), S1)
    assert (rig.want.kind, rig.want.count) == (Want.CARD, 1)
    lose(rig, 1)
    rig.do(cm.Reset(number=0), S1)
    assert rig.want.count == 1
    rig.finish()


def test_events_lost_between_hands_stop_nothing() -> None:
    rig = table().stake(b1=10)
    lose(rig, 3)
    assert rig.phase is Phase.BETTING
    assert rig.hand.lost == 0
    rig.finish()


# --- devices ---------------------------------------------------------------------------------------------------------


def test_a_shoe_that_comes_back_goes_on() -> None:
    rig = locked()
    rig.card()
    rig.device(cm.DeviceOut(device="shoe", reason="unplugged"))
    assert rig.table.devices["shoe"] is Health.ABSENT
    assert rig.snapshot().prompt.code == "TC-0823"
    assert rig.device(cm.DeviceOut(device="shoe", reason="unplugged")).events == ()
    rig.connect("shoe")
    assert rig.snapshot().prompt.code == "TC-0806"
    rig.finish()


@pytest.mark.parametrize("end", [cm.Reset(), cm.VoidHand(reason="another shoe")])
def test_another_shoe_in_mid_hand(end: cm.Command) -> None:
    rig = locked()
    rig.card()
    rig.event_no = 0
    rig.connect("shoe", serial="SN2")
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.DEVICE_CHANGED)
    rig.do(end, S1)
    assert rig.table.shoe.last_event == 0  # its own log counts from now on
    if isinstance(end, cm.VoidHand):
        rig.stake(b1=10).lock()
    rig.card()
    assert rig.phase is Phase.DEALING
    rig.finish()


def test_a_shoe_with_a_longer_log_of_its_own_deals_none_of_it_here() -> None:
    rig = locked()
    rig.card()
    rig.event_no = 500
    rig.connect("shoe", serial="SN2")
    rig.do(cm.Reset(), S1)
    assert rig.table.shoe.last_event == 500
    rig.finish()


def test_the_first_shoe_ever_brings_an_old_log() -> None:
    rig = Rig(setup=make_setup())
    rig.event_no = 300
    rig.connect("shoe", "board")
    assert rig.table.shoe.last_event == 300
    rig.open().stake(b1=10).lock().finish()


def test_another_shoe_while_the_table_was_closed() -> None:
    rig = table().stake(b1=10).finish()
    rig.do(cm.CloseTable(), S1)
    rig.event_no = 900
    rig.connect("shoe", serial="SN2")
    rig.do(cm.OpenTable(), D1, S1)
    assert rig.table.shoe.last_event == 900
    rig.stake(b1=10).lock().finish()


def test_a_fault_remembers_every_cause_and_returns_to_where_play_stopped() -> None:
    rig = locked().to(Want.BOARD)
    rig.device(cm.BoardFails(detail="frame"))
    rig.device(cm.TroubleIn(device="shoe", code="wrong_device", detail=""))
    assert rig.hand.faults == (Cause.BOARD, Cause.SHOE)
    assert rig.device(cm.BoardFails(detail="frame")).events == ()  # said once, however often it fails
    rig.do(cm.Reset(), S1)
    assert (rig.phase, rig.want.kind) == (Phase.DEALING, Want.BOARD)


def test_a_fault_over_an_irregularity_returns_to_it() -> None:
    rig = locked().deal()
    rig.do(cm.Irregular(reason="noise"))
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    rig.do(cm.Reset(), S1)
    assert (rig.phase, rig.hand.cause) == (Phase.IRREGULAR, Cause.DECLARED)
    rig.do(cm.Resume(), S1)
    assert rig.phase is Phase.DECISIONS
    assert not rig.table.call


def test_a_waiting_reset_is_for_its_own_cause() -> None:
    rig = locked().to(Want.BOARD)
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    first = rig.do(cm.Reset()).waiting
    rig.device(cm.BoardFails(detail="frame"))
    rig.refused(Why.NOTHING_HELD, cm.Approve(id=first), S1)
    rig.do(cm.Reset(), S1)
    assert rig.phase is Phase.DEALING
    rig.do(cm.Irregular(reason="noise"))
    second = rig.do(cm.Resume()).waiting
    rig.do(cm.Resume(), S1)  # the same act, given at once: the waiting one is done with it
    rig.refused(Why.NO_WAITING, cm.Approve(id=second), S1)


def test_keys_and_journal_are_no_devices_of_the_hand() -> None:
    rig = table()
    rig.device(cm.TroubleIn(device="key FOLD", code="button", detail="stuck"))
    assert set(rig.snapshot().devices) == {"board", "shoe"}
    assert rig.events(ev.DeviceTroubled)


# --- boxes and stakes ------------------------------------------------------------------------------------------------


def test_the_chips_on_the_felt_govern() -> None:
    rig = locked()
    rig.card()
    assert rig.do(cm.CorrectStake(box=1, ante=20)).waiting
    rig.do(cm.CorrectStake(box=1, ante=20), S1)
    rig.deal()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1))
    rig.do(cm.CorrectStake(box=1, ante=30), S1)
    box = rig.hand.box(1)
    assert (box.ante, box.bet, box.fee) == (30, 60, 30)
    rig.refused(Why.BAD_ARGUMENT, cm.CorrectStake(box=1, ante=0), S1)
    rig.refused(Why.BAD_ARGUMENT, cm.CorrectStake(box=1, ante=10**13), S1)
    rig.refused(Why.NO_BONUS, cm.CorrectStake(box=1, ante=30, bonus=5), S1)
    rig.do(cm.Bet(box=2)), rig.finish()
    settled = {b["box"]: b["stakes"] for b in rig.events(ev.HandSettled)[-1].answer["boxes"]}
    assert settled[1]["fee"]["staked"] == 30
    assert rig.hand.box(1).ante == 30  # proposed as it lay there


def test_a_correction_in_settling_is_settled_again() -> None:
    rig = locked().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    rig.do(cm.CorrectStake(box=2, ante=50), S1)
    box = rig.snapshot().boxes[1]
    assert box.stakes is not None
    assert box.stakes["bet"]["staked"] == 100
    rig.finish()


def test_a_correction_of_a_shared_box_ends_its_shares() -> None:
    rig = table("oasis_ru").stake(b1=30)
    rig.do(cm.Backers(box=1, shares=(20, 10))), rig.lock(), rig.card()
    rig.do(cm.CorrectStake(box=1, ante=30, bonus=5), S1)
    assert rig.hand.box(1).backers == (20, 10)
    rig.do(cm.CorrectStake(box=1, ante=40), S1)
    assert rig.hand.box(1).backers == ()
    rig.finish()


def test_a_fee_must_come_out_whole() -> None:
    rig = table("jpoker", house={"exchange_fee": {"1": 1, "2": "1.5"}}).stake(b1=11).lock().deal()
    rig.refused(Why.FEE_NOT_WHOLE, cm.Exchange(box=1, count=2))
    rig.do(cm.CorrectStake(box=1, ante=12), S1)
    rig.do(cm.Exchange(box=1, count=2))
    assert rig.hand.box(1).fee == 18
    rig.refused(Why.FEE_NOT_WHOLE, cm.CorrectStake(box=1, ante=11), S1)


def test_decisions_that_are_refused() -> None:
    rig = locked().deal()
    rig.refused(Why.NOT_THIS_BOX, cm.Bet(box=2))
    rig.refused(Why.EXCHANGE_COUNT, cm.Exchange(box=1, count=3))
    rig.refused(Why.NOT_OFFERED, cm.Buy6(box=1))
    rig.refused(Why.NOT_OFFERED, cm.Insure(box=1, amount=10))
    rig.do(cm.Exchange(box=1))
    rig.refused(Why.CARDS_COMING, cm.Bet(box=1))
    rig.card()
    rig.refused(Why.ONE_ACTION, cm.Exchange(box=1))
    rig.refused(Why.NOT_NOW, cm.FixDraw(box=1))
    caribbean = Rig(setup=make_setup("caribbean")).open().stake(b1=10).lock().deal()
    caribbean.refused(Why.NOT_OFFERED, cm.Exchange(box=1))
    forced = table("jpoker", house={"force_raise_after": [2]}).stake(b1=10).lock().deal()
    forced.do(cm.Exchange(box=1, count=2)), forced.card(), forced.card()
    forced.refused(Why.MUST_BET, cm.Fold(box=1))
    assert "fold" not in forced.snapshot().allowed


def test_settling_that_is_refused() -> None:
    rig = locked().deal()
    rig.do(cm.Exchange(box=2, count=1)) if rig.want.box == 2 else None
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.do(cm.Reveal())
    rig.refused(Why.TURN_FIRST, cm.Turned(box=1))
    rig.refused(Why.UNSETTLED, cm.Paid(box=2))
    rig.do(cm.Hold(box=2))
    rig.refused(Why.HELD_BOX, cm.Turned(box=2))
    rig.refused(Why.HELD_BOX, cm.Paid(box=2))
    rig.refused(Why.NOTHING_HELD, cm.Release(box=1), S1)
    rig.do(cm.Turned(box=1))
    rig.refused(Why.NOT_DISCARDABLE, cm.NameDiscards(box=1, cards="Ah"))
    rig.refused(Why.BAD_CARD, cm.NameDiscards(box=1, cards="zz"))
    rig.refused(Why.DISCARD_COUNT, cm.NameDiscards(box=1, cards="9c 9d"))
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    rig.finish()


def test_redirect_between_boxes_that_both_wait() -> None:
    rig = locked(draw_timing="after_all").deal()
    rig.do(cm.Exchange(box=1, count=2)), rig.ok(), rig.do(cm.Exchange(box=2)), rig.ok()
    rig.refused(Why.NOT_NOW, cm.Redirect(box=1, target=2), S1)  # no card yet
    rig.card("Ah")
    rig.refused(Why.NOT_NOW, cm.Redirect(box=1, target=1), S1)
    rig.refused(Why.NOT_NOW, cm.Redirect(box=2, target=1), S1)
    rig.refused(Why.NO_SUCH_BOX, cm.Redirect(box=1, target=9), S1)
    assert rig.do(cm.Redirect(box=1, target=2)).waiting
    rig.do(cm.Redirect(box=1, target=2), S1)
    assert rig.hand.box(2).drawn == (FaceDown("Ah"),)
    assert (rig.want.kind, rig.want.box, rig.want.count) == (Want.CARD, 1, 2)
    rig.card("Ad"), rig.card("As"), rig.do(cm.Bet(box=1))
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 2)
    rig.refused(Why.NOT_NOW, cm.Redirect(box=1, target=2), S1)  # box 1 has looked
    rig.finish()


def test_a_dead_box_in_mid_draw() -> None:
    rig = locked().deal()
    rig.do(cm.Exchange(box=1))
    rig.do(cm.VoidBox(box=1, reason="two cards came"), S1)
    assert (rig.want.kind, rig.want.box) == (Want.DECISION, 2)
    assert rig.snapshot().boxes[0].returned == 20  # ante and fee
    rig.finish()
    assert [b["box"] for b in rig.events(ev.HandSettled)[-1].answer["boxes"]] == [2]


def test_a_void_box_shows_no_settlement() -> None:
    rig = locked().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    assert rig.snapshot().boxes[1].stakes
    rig.do(cm.VoidBox(box=2, reason="six cards"), S1)
    assert rig.snapshot().boxes[1].stakes is None
    assert rig.snapshot().boxes[1].returned == 30
    rig.finish()


@pytest.mark.parametrize("where", ["dealer", "box", "unturned", "hand"])
def test_two_readings_that_differ_pay_nobody(where: str) -> None:
    setup = make_setup()

    def settle(request: dict[str, Any]) -> dict[str, Any]:
        boxes = request["boxes"]
        place = "hand" if len(boxes) > 1 else "box"
        if boxes[0]["cards"].startswith("??"):
            place = "dealer"
        elif len(boxes) == 1 and boxes[0]["decision"] == "fold":
            place = "unturned"
        if place == where:
            raise Differ({"a": 1}, {"a": 2})
        return setup.settle(request)

    rig = Rig(setup=msgspec.structs.replace(setup, settle=settle)).open().stake(b1=10, b2=10).joker("2c").lay(PLAYS)
    rig.lock().deal().do(cm.Bet(box=1))
    rig.do(cm.Fold(box=2)), rig.ok()
    if where in ("unturned", "hand"):
        rig.ok()
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.READINGS_DIFFER)
    assert rig.snapshot().allowed == ("void_hand",)
    rig.refused(Why.NOT_NOW, cm.Reset(), S1)
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    rig.refused(Why.NOT_NOW, cm.Reset(), S1)  # a fault of the shoe does not open it again
    rig.do(cm.VoidHand(reason="readings differ"), S1, S2)
    assert rig.hand.number == 2
    assert rig.table.shoe.last_event == rig.event_no


def test_calls_are_raised_and_answered() -> None:
    rig = table()
    rig.do(cm.Call(reason="fill"))
    assert rig.snapshot().call == "fill"
    rig.do(cm.Release(), S1)
    rig.refused(Why.NOTHING_HELD, cm.Release(), S1)
    rig.do(cm.Claim(), origin="keys")
    assert rig.snapshot().call == "jackpot claim"
    rig.stake(b1=10).lock()
    rig.do(cm.VoidHand(reason="misdeal"), D1, S1)
    assert rig.snapshot().call == ""  # who voided it has come
