"""Cards dealt by hand (floor: when things break): a table without a shoe, and a shoe that fails in mid-hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import D1, PLAYS, PLAYS_NOT, S1, Rig, make_setup, table

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import CardSource
from controller.journal.hands import read_hand
from controller.rulesets import ORDER, load
from controller.table.audit import check_hand

AT_TURN = CardSource.AT_TURN


def by_hand(rules: str = "jpoker", **how: object) -> Rig:
    """An open table that never had a shoe."""
    rig = Rig(setup=make_setup(rules, **{"cards": AT_TURN, **how}))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    return rig


def staked(dealer: str = PLAYS, rules: str = "jpoker", **how: object) -> Rig:
    rig = by_hand(rules, **how).stake(b1=10, b2=10)
    if rig.setup.joker:
        rig.joker("2c")
    return rig.lay(dealer, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh", 2: "Jd"}).lock()


def asked(rig: Rig) -> tuple[Want, str, int, int]:
    want = rig.want
    return want.kind, want.place, want.box, want.count


def audited(rig: Rig) -> None:
    assert rig.journal is not None
    for number in {hand for hand, event in rig.recorder.events if isinstance(event, ev.HandEnded) and hand}:
        hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, number, "test")
        assert findings == []
        assert check_hand(hand) == []


def test_a_hand_of_j_poker_by_hand() -> None:
    """One OK for the deal, the open card as it comes, no press more for a drawn card; each card at its turn."""
    rig = staked()
    assert asked(rig) == (Want.DEAL, "deal", 0, 14)  # two boxes of five, four of the dealer
    rig.ok()
    assert rig.want.kind is Want.STOP
    rig.stop().board_shows()
    assert (rig.want.kind, rig.want.place, rig.want.index) == (Want.ENTRY, "dealer", 4)
    rig.do(cm.EnterCard(card="2h"))
    assert rig.snapshot().dealer.cards == ("back",) * 4 + ("2h",)
    rig.do(cm.Exchange(box=1))
    assert asked(rig) == (Want.DECISION, "draw", 1, 1)
    rig.do(cm.Bet(box=1))
    assert rig.hand.box(1).drawn != ()
    rig.do(cm.Bet(box=2))
    assert rig.phase is Phase.REVEAL
    rig.do(cm.EnterCard(card="Kh Ks 8c 7d"))
    rig.ok()  # the dealer plays: the same press turns box 2
    assert (rig.want.kind, rig.want.place, rig.want.box) == (Want.ENTRY, "box", 2)
    rig.do(cm.EnterCard(card="Qc Qd 5c 6c 3h"))
    assert rig.want.kind is Want.PAID
    rig.ok()
    rig.do(cm.EnterCard(card="9c 9d 5h 6s 3c Jh"))  # the five that were dealt, the thrown one among them; what it drew
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    rig.ok()
    assert rig.hand.number == 2
    settled = rig.events(ev.HandSettled)[0].request
    assert settled["dealer"]["cards"] == PLAYS
    assert {box["box"]: box.get("final", box["cards"]) for box in settled["boxes"]} == {
        1: "9c 9d 5h 6s Jh",
        2: "Qc Qd 5c 6c 3h",
    }
    assert rig.events(ev.CardDealt) == []
    assert rig.events(ev.Locked)[0].cards == "at_turn"


def test_stop_counts_from_the_opening_of_the_deal() -> None:
    rig = staked()
    rig.stop()
    assert rig.want.kind is Want.DEAL  # the deal goes on up to the dealer's last card
    rig.ok()
    assert rig.want.kind is Want.BOARD
    rig.board_shows()
    assert rig.want.kind is Want.ENTRY


@pytest.mark.parametrize("joker_time", ["before_deal", "during_deal", "after_deal"])
@pytest.mark.parametrize("upcard", ["last", "first"])
@pytest.mark.parametrize("timing", ["at_once", "after_all"])
@pytest.mark.parametrize("rules", ["jpoker", "oasis_ru", "russian"])
def test_every_order_of_the_deal_comes_to_its_end(
    joker_time: str, upcard: str, timing: str, rules: str, tmp_path: Path
) -> None:
    setup = make_setup(rules, house={"upcard": upcard}, cards=AT_TURN, joker_time=joker_time, draw_timing=timing)
    rig = Rig(tmp_path, setup)
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    for dealer in (PLAYS, PLAYS_NOT):
        number = rig.hand.number
        rig.stake(b1=10, b2=10, b3=20).lay(dealer, b1="9c 9d 5h 6s 3c", draws={1: "Jh"}).lock()
        rig.to(Want.DECISION)
        assert sum(slot.__class__.__name__ == "FaceUp" for slot in rig.hand.dealer) == 1
        rig.do(cm.Exchange(box=1))
        if timing == "after_all":
            rig.ok()
            rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
            assert asked(rig) == (Want.DECISION, "draw", 1, 1)
        rig.do(cm.Bet(box=1))
        rig.finish()
        assert rig.hand.number == number + 1
    audited(rig)
    assert rig.replayed() == rig.table


DEALT = [name for name in ORDER if not load(name).fill_in]


@pytest.mark.parametrize("cards", [AT_TURN, CardSource.NONE])
@pytest.mark.parametrize("rules", DEALT)
def test_every_shipped_game_without_a_shoe(rules: str, cards: CardSource) -> None:
    """Two hands each, one against a dealer who plays; where nothing is followed, games that need cards are left out."""
    if cards is CardSource.NONE and load(rules).dealer_exchange_fee is not None:
        pytest.skip("the dealer's bought card needs cards: refused at the start")
    rig = by_hand(rules, boxes=2, bonus_max=0, cards=cards)
    dealer = (PLAYS, PLAYS_NOT) if load(rules).deck_size != 36 else ("Kh Ks 8c 7d 6h", "Kh Js 8c 7d 6h")
    for held in dealer:
        number = rig.hand.number
        rig.stake(b1=10, b2=10).lay(held).lock().finish()
        assert rig.hand.number == number + 1
    assert {e.outcome for e in rig.events(ev.HandEnded)} == {"settled"}


def test_a_box_that_folds_after_a_drawn_card_or_goes_on_buying() -> None:
    rig = staked(rules="russian", house={"max_actions": 2})
    rig.to(Want.DECISION)
    rig.do(cm.Exchange(box=1)), rig.do(cm.Buy6(box=1))  # the exchanged card lies there, and a sixth is bought
    assert (len(rig.hand.box(1).drawn), rig.want.count) == (1, 1)
    rig.do(cm.Fold(box=1))
    assert len(rig.hand.box(1).drawn) == 2
    rig.do(cm.Undo())
    assert rig.hand.box(1).decision is None
    assert rig.want.count == 0  # the cards lie there; the word alone is taken back
    rig.refused(Why.ONE_ACTION, cm.Exchange(box=1))


def test_the_dealers_bought_card_by_hand(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("russian", cards=AT_TURN))
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10).lay(PLAYS_NOT, b1="9c 9d 5h 6s 3c").lock().to(Want.CHOICE)
    rig.do(cm.BuyDealer(box=1))
    assert (rig.want.kind, rig.want.place) == (Want.ENTRY, "dealer_draw")
    rig.do(cm.EnterCard(card="Kd"))  # the rank that went out: another
    assert (rig.want.kind, rig.want.place, rig.want.index) == (Want.ENTRY, "dealer_draw", 1)
    rig.do(cm.EnterCard(card="Js" if "Js" not in PLAYS_NOT else "Jd"))
    rig.finish()
    audited(rig)


# --- a shoe that fails in mid-hand -----------------------------------------------------------------------------------


def failing(folder: Path | None = None, **how: object) -> Rig:
    """Two boxes of J-poker; the shoe is gone after seven cards."""
    rig = Rig(folder, make_setup(**how)).open().stake(b1=10, b2=10).joker("2c")
    rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh", 2: "Jd"}).lock()
    for _ in range(7):
        rig.card()
    rig.device(cm.DeviceOut(device="shoe", reason="unplugged"))
    return rig


def test_f_a_shoe_that_dies_in_mid_hand(tmp_path: Path) -> None:
    """M17: a supervisor decides, cards read so far keep their readings, the rest comes by hand; the audit holds."""
    rig = failing(tmp_path)
    rig.do(cm.Manual(reason="dead"))
    assert rig.table.waiting[0].name == "manual"
    rig.do(cm.Approve(id=1), S1)
    assert asked(rig) == (Want.DEAL, "deal", 0, 7)
    rig.ok().stop().board_shows()
    rig.do(cm.EnterCard(card="2h"), S1)
    rig.finish()
    assert rig.hand.number == 2
    read = rig.events(ev.CardDealt)
    assert len(read) == 7
    named = {(e.place, e.box, e.index) for e in rig.events(ev.CardEntered)}
    assert named.isdisjoint((e.place, e.box, e.index) for e in read)
    assert [e.operators for e in rig.events(ev.Authorised) if e.command == "manual"] == [("s1",)]
    audited(rig)


def test_an_entry_beside_hidden_cards_needs_a_supervisor() -> None:
    """What equals a face-down card is told to those alone who may hear it."""
    rig = failing()
    rig.do(cm.Manual(), S1), rig.ok(), rig.stop().board_shows()
    outcome = rig.act(cm.EnterCard(card="9c"))  # box 1 has it, face down
    assert outcome.waiting, outcome
    same = rig.act(cm.EnterCard(card="4d"))  # nobody has it
    assert (same.rejection, bool(same.waiting)) == (None, True)
    rig.refused(Why.DECK_FAULT, cm.EnterCard(card="9c"), S1)


def test_the_same_bytes_whatever_lies_face_down() -> None:
    """The rule of silence in a hand that was begun with a shoe and is ended without."""

    def run(first: str, second: str) -> Rig:
        rig = Rig(setup=make_setup()).open().stake(b1=10, b2=10).joker("8s")
        rig.lay("Kh Ks 8c 7d 2h", b1=first, b2=second).lock()
        for _ in range(7):
            rig.card()
        rig.do(cm.Manual(), S1), rig.ok(), rig.stop().board_shows()
        rig.act(cm.EnterCard(card="Tc")), rig.do(cm.EnterCard(card="2h"), S1)
        rig.do(cm.Exchange(box=1)), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
        return rig

    one, two = run("As Ad Ah Ac 3c", "9c 9d 9h 9s 4d"), run("3d 5h 7c 9d Jc", "4c 6d 8h Ts Qd")
    assert one.shown == two.shown
    assert one.refusals == two.refusals
    assert one.sinks() == two.sinks()
    assert repr(one.table) == repr(two.table)


def test_the_same_bytes_where_no_card_was_ever_read() -> None:
    """Without a shoe nothing can be told before somebody has entered it: to the dealer's first turned card."""

    def run(first: str, second: str) -> Rig:
        rig = by_hand("oasis_ru").stake(b1=10, b2=10, b3=10)
        rig.lay("Kh Ks 8c 7d 2h", b1=first, b2=second).lock().ok()
        rig.do(cm.EnterCard(card="2h"))
        rig.do(cm.Exchange(box=1)), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
        return rig

    one, two = run("As Ad Ah Ac 3c", "9c 9d 9h 9s 4d"), run("3d 5h 7c 9d Jc", "4c 6d 8h Ts Qd")
    assert (one.shown, one.sinks(), repr(one.table)) == (two.shown, two.sinks(), repr(two.table))
    assert one.phase is Phase.REVEAL


def test_a_late_word_of_the_shoe_stops_nothing() -> None:
    """Its card was dealt by hand meanwhile and counted there: the event is on record and acknowledged, no more."""
    rig = failing()
    rig.do(cm.Manual(), S1), rig.ok()
    before = rig.hand
    rig.connect("shoe")
    rig.card("Jc", lay=False)
    assert rig.events(ev.CardRefused)
    rig.connect("shoe", serial="SN2")
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    rig.device(cm.LostIn(device="shoe", first=9, last=9))
    rig.device(cm.NoteIn(device="shoe", event_no=10, kind="double_feed"))
    assert rig.hand == before
    assert rig.want.kind is Want.STOP


def test_back_to_the_shoe_between_hands() -> None:
    rig = failing()
    rig.do(cm.Manual(), S1)
    rig.refused(Why.NOT_NOW, cm.Manual(), S1)
    rig.refused(Why.HAND_RUNNING, cm.Automatic(), S1)
    rig.finish()
    assert rig.table.cards is AT_TURN  # until somebody says otherwise
    rig.refused(Why.DEVICE, cm.Automatic(), S1)
    rig.connect("shoe", serial="SN2", log_last=40)
    assert "automatic" in rig.snapshot().allowed
    rig.do(cm.Automatic()), rig.do(cm.Approve(id=rig.table.waiting[0].id), S1)
    rig.event_no = 40
    rig.stake(b1=10).lay().lock()
    assert rig.want.kind is Want.CARD
    rig.card()
    assert rig.want.kind is Want.CARD
    assert [e.cards for e in rig.events(ev.CardsSwitched)] == ["at_turn", "shoe"]
    assert [e.cards for e in rig.events(ev.Locked)] == ["shoe", "shoe"]


def test_by_hand_from_the_next_hand_on() -> None:
    rig = table().stake(b1=10)
    rig.device(cm.DeviceOut(device="shoe", reason="gone"))
    rig.refused(Why.DEVICE, cm.Start())
    rig.do(cm.Manual(), S1)
    rig.lock()
    assert rig.want.kind is Want.DEAL


def test_no_way_back_where_the_house_has_no_shoe() -> None:
    rig = by_hand()
    rig.refused(Why.NOT_OFFERED, cm.Automatic(), S1)
    rig.refused(Why.NOT_NOW, cm.Manual(), S1)
    assert "automatic" not in rig.snapshot().allowed


def test_a_shoe_that_dies_between_two_drawn_cards() -> None:
    rig = table("oasis_helsinki").stake(b1=10, b2=10)
    rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", draws={1: "Jh Jd"}).lock().deal()
    rig.do(cm.Exchange(box=1, count=2)), rig.card()
    rig.do(cm.Manual(), S1)
    assert asked(rig) == (Want.DECISION, "draw", 1, 1)
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    rig.ok()
    assert rig.want.box == 1
    assert (rig.want.kind, rig.want.place, rig.want.index) == (Want.ENTRY, "draw", 1)
    rig.do(cm.EnterCard(card="Jd"), S1)
    rig.do(cm.NameDiscards(box=1, cards="3c 5h"))
    assert rig.want.kind in (Want.PAID, Want.CHECK)
    rig.finish()


@pytest.mark.parametrize("moment", range(1, 9))
def test_killed_at_every_step_by_hand(moment: int, tmp_path: Path) -> None:
    """The restart stands at the same prompt."""
    rig = Rig(tmp_path, make_setup(cards=AT_TURN))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10, b2=10).joker("2c").lay(PLAYS, b1="9c 9d 5h 6s 3c").lock()
    for _ in range(moment):
        rig.step()
    prompt = rig.snapshot().prompt
    rig.restart(connect=False)
    rig.connect("board")
    assert rig.snapshot().prompt == prompt
    rig.finish()
    audited(rig)


def test_insurance_ends_with_the_dealers_first_turned_card() -> None:
    rig = staked(PLAYS_NOT, rules="russian", house={"insurance_until": "reveal"})
    rig.to(Want.DECISION)
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2))
    rig.do(cm.Insure(box=1, amount=10))
    rig.do(cm.EnterCard(card="Kh"))
    rig.refused(Why.NOT_NOW, cm.Insure(box=2, amount=10))
