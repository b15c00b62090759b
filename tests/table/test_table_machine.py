"""Anything in any order: commands, right and wrong cards, devices that come and go, kills, a journal that fails.

Never an exception, never a card twice, never a state that the file would not give again; and from wherever it has come
to, people with authority bring the table to its next hand.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from harness import D1, E1, S1, S2, X1, Rig, make_setup
from harness_parts import quick_folder
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.cards import card_text, deck
from controller.domain.hand.chips import locked
from controller.domain.hand.expects import Want
from controller.domain.hand.setup import BetSensors, Doors
from controller.domain.phases import Phase
from controller.domain.state import CardSource, FaceDown, FaceUp, StakeEntry
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.table.audit import check_hand

CARDS = [card_text(card) for card in deck(52)]
PEOPLE = st.lists(st.sampled_from([D1, S1, S2, E1, X1]), max_size=2, unique=True).map(tuple)
BOXES = st.integers(0, 5)
AMOUNTS = st.sampled_from([-1, 0, 1, 10, 11, 20, 50, 100, 2000])
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "box": BOXES, "owner": BOXES, "target": BOXES, "ante": AMOUNTS, "bonus": AMOUNTS, "id": st.integers(0, 6),
    "jackpot": st.sampled_from([0, 0, 1]), "blind": st.booleans(), "number": st.integers(-1, 4),
    "shares": st.sampled_from([(5, 5), (10,), (15, 5), ()]),
    "count": st.integers(0, 3), "amount": AMOUNTS, "cards": st.lists(st.sampled_from(CARDS), max_size=2).map(" ".join),
    "card": st.sampled_from([*CARDS, "JK", "xx"]), "index": st.integers(0, 5), "reason": st.just("test"),
    "buy6": st.booleans(), "insurance": AMOUNTS,
    "ahead": st.sampled_from([0, 0, 1, 2]), "paid": st.sampled_from([None, 0, 30]),
    "place": st.sampled_from(["", "box", "draw", "dealer"]), "deck": st.sampled_from(["", "red"]),
    "operator": st.sampled_from(["", "d1", "s1"]), "cause": st.just(""), "ante_min": st.sampled_from([None, 10, 20]),
    "ante_max": st.sampled_from([None, 100, 1000]), "cap": st.sampled_from([None, 50, 100_000]),
    "hand": st.sampled_from(["pair", "nothing", "flush", "x"]), "second": st.sampled_from(["", "pair"]),
    "against": st.sampled_from(["win", "lose", "tie", ""]),
    "bonus_max": st.sampled_from([None, 0, 50]), "hit": st.integers(0, 2), "alarm": st.integers(1, 3),
    "meter": st.sampled_from(["9000.5", "12000", "-1"]), "reserve": st.sampled_from(["", "3"]),
    "head": st.just(""), "on": st.booleans(), "out": st.booleans(), "device": st.sampled_from(["shoe", "shuffler"]),
}  # fmt: skip


@st.composite
def commands(draw: st.DrawFn, words: tuple[str, ...] = ()) -> cm.Command:
    kinds = cm.public_commands()
    kind = kinds[draw(st.sampled_from(sorted(set(words) & set(kinds)) or sorted(kinds)))]
    return kind(**{field: draw(FIELDS[field]) for field in kind.__struct_fields__})


def rescue(rig: Rig) -> None:
    """What a floor with a dealer and two supervisors does when a table is stuck: the next hand, whatever it takes."""
    strict, rig.strict = rig.strict, True
    recover(rig)
    rig.finish()
    rig.strict = strict


def recover(rig: Rig) -> None:
    """To bets that can be locked."""
    if rig.recorder.broken:
        rig.recorder.broken = False
        rig.service.tick()
    for door in rig.table.doors:
        rig.device(cm.DoorIn(door=door, open=False))
    rig.connect()
    if rig.phase is Phase.CLOSED:
        rig.do(cm.OpenTable(), D1, S1)
    if rig.phase not in (Phase.BETTING, Phase.DECK_CHECK):
        number = rig.hand.number
        if rig.hand.settled:
            rig.do(cm.Reset(), S1) if rig.phase is Phase.FAULT else None
            rig.finish()
        else:
            rig.do(cm.VoidHand(reason="rescue"), S1, S2)
        assert rig.hand.number == number + 1
    if rig.table.announced.last_hand:
        rig.do(cm.LastHands(number=0), S1)  # the evening goes on
    if "dealer" not in rig.table.signed_on:
        rig.do(cm.SignOn(), D1)
    if rig.table.signed_on["dealer"] != "d1":
        rig.do(cm.SignOn(), D1)
    while rig.want.kind in (Want.DECK, Want.SHUFFLE, Want.STUB):
        rig.step()
    for box in rig.hand.boxes:
        if not box.carried:
            rig.do(cm.SetStake(box=box.box, ante=0))
    if not rig.hand.box(1).carried:
        rig.do(cm.SetStake(box=1, ante=int(rig.table.limits["ante_min"])))
    rig.do(cm.Count(number=0))
    rig.lay()
    rig.entropy.seed = b""
    rig.event_no = rig.table.shoe.last_event


class TableMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.home = quick_folder()
        self.rig: Rig

    @initialize(
        rules=st.sampled_from(["jpoker", "oasis_ru", "russian", "russian_carry", "oasis_helsinki", "joker53"]),
        joker_time=st.sampled_from(["before_deal", "during_deal", "after_deal"]),
        draw_timing=st.sampled_from(["at_once", "after_all"]),
        order=st.sampled_from(["left_to_right", "right_to_left"]),
        upcard=st.sampled_from(["last", "first"]),
        cap_per=st.sampled_from(["box", "player"]),
        again=st.booleans(),
        bonus=st.sampled_from(["settlement", "with_bet", "at_deal"]),
        depth=st.integers(0, 45),
        cards=st.sampled_from([CardSource.SHOE, CardSource.SHOE, CardSource.AT_TURN, CardSource.NONE]),
    )
    def begin(
        self,
        rules: str,
        joker_time: str,
        draw_timing: str,
        order: str,
        upcard: str,
        cap_per: str,
        again: bool,
        bonus: str,
        depth: int,
        cards: CardSource,
    ) -> None:
        if cards is CardSource.NONE and rules not in ("jpoker", "joker53"):
            cards = CardSource.AT_TURN  # side bets and the dealer's bought card need cards: refused at the start
        entry = {"stake_entry": StakeEntry.AT_PAYOUT} if rules == "joker53" else {}
        early: dict[str, Any] = {} if entry else {"bonus_pay_time": bonus}
        if bonus == "at_deal":
            early |= {"bonus_on_draw": "initial", "bonus_on_fold": "initial"}
        if rules == "jpoker":
            early |= {"bonus_table": {"pair": 2, "flush": 10}}
        no_bonus = {"bonus_max": 0} if cards is CardSource.NONE else {}
        jackpot = {"jackpot_stake": 1, "meter": "10000"} if rules == "oasis_ru" else {}
        setup = make_setup(
            rules,
            4,
            {"blind_extras": ["bonus", "buy6", "insurance"], "insurance": rules != "joker53"}
            | early
            | {"upcard": upcard, "cap_per": cap_per, "repeat_exchange": again and draw_timing == "at_once"},
            **jackpot,
            **no_bonus,
            **entry,
            joker_time=joker_time,
            draw_timing=draw_timing,
            settle_order=order,
            cards=cards,
        )
        setup = msgspec.structs.replace(
            setup,
            sensors=BetSensors(field="jackpot", amount=1) if jackpot else None,
            doors=Doors(enclosure="stop_now", shoe="finish_hand"),
        )
        self.rig = Rig(self.home.__enter__(), setup)
        self.rig.taint = False  # cards that people name themselves are in texts; the silence has tests of its own
        self.rig.strict = False
        self.rig.open().stake(b1=10, b2=10)
        if cap_per == "player":
            self.rig.do(cm.Owner(box=2, owner=1))
            self.rig.do(cm.Limits(cap=45), S1)  # below what a pair wins on two boxes
        self.honest(depth)

    def teardown(self) -> None:
        if not hasattr(self, "rig"):
            return
        rig = self.rig
        rescue(rig)
        assert rig.replayed() == rig.table
        self.one_draw_a_hand()
        self.money_adds_up()
        self.nothing_lowers_the_meter_but_a_hit_or_two_people()
        assert rig.journal is not None
        for number in {hand for hand, event in rig.recorder.events if isinstance(event, ev.HandEnded) and hand}:
            hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, number, "test")
            assert findings == []
            assert check_hand(hand) == []
            assert check_draw(hand) == []
        rig.close()
        self.home.__exit__(None, None, None)

    # --- what may come -----------------------------------------------------------------------------------------------

    @rule(count=st.integers(1, 30))
    def honest_for_long(self, count: int) -> None:
        self.honest(count)

    @rule()
    def floor_staff(self) -> None:
        """Somebody with authority clears up; the next hand begins."""
        strict, self.rig.strict = self.rig.strict, True
        recover(self.rig)
        self.rig.strict = strict
        self.honest(15)

    @rule(count=st.integers(1, 12))
    def honest(self, count: int) -> None:
        """The game goes on as it should, as far as it can."""
        for _ in range(count):
            if self.rig.want.kind is Want.NOTHING:
                break
            self.sync()
            self.rig.step()

    @rule(data=st.data(), people=PEOPLE, origin=st.sampled_from(["keys", "socket"]))
    def sensible(self, data: st.DataObject, people: Any, origin: str) -> None:
        words = self.rig.snapshot().allowed
        self.rig.act(data.draw(commands(words=words)), *people, origin=origin)

    @rule(command=commands(), people=PEOPLE)
    def anything(self, command: cm.Command, people: Any) -> None:
        self.rig.act(command, *people)

    @rule(ids=st.integers(0, 3), people=PEOPLE, agree=st.booleans())
    def answered(self, ids: int, people: Any, agree: bool) -> None:
        if self.rig.table.waiting:
            number = self.rig.table.waiting[ids % len(self.rig.table.waiting)].id
            self.rig.act(cm.Approve(id=number) if agree else cm.Reject(id=number), *people)

    @rule(chips=st.sets(st.integers(1, 4)), unknown=st.sets(st.integers(1, 4), max_size=2))
    def bet_sensors(self, chips: set[int], unknown: set[int]) -> None:
        """Chips come and go; what LOCK has fixed stays fixed."""
        hand = self.rig.table.hand
        fixed = [b.jackpot for b in hand.boxes] if hand is not None and locked(hand) else None
        self.rig.device(cm.SensorsIn(chips=tuple(sorted(chips - unknown)), unknown=tuple(sorted(unknown))))
        now = self.rig.table.hand
        assert fixed is None or (now is not None and [b.jackpot for b in now.boxes] == fixed)

    @rule(door=st.sampled_from(["enclosure", "shoe"]), is_open=st.booleans())
    def a_door(self, door: str, is_open: bool) -> None:
        """Opened and closed the hand is where it was."""
        self.rig.device(cm.DoorIn(door=door, open=is_open))

    @rule(card=st.sampled_from([*CARDS, "JK", "??"]))
    def some_card(self, card: str) -> None:
        self.sync()
        self.rig.card(None if card == "??" else card, unread=card == "??", lay=False)

    @rule(back=st.integers(0, 70), card=st.sampled_from(["", "As"]))
    def a_repeat(self, back: int, card: str) -> None:
        number = max(1, self.rig.table.shoe.last_event - back)
        known = self.rig.log.get(number)
        said = card or (known.card if known else "Ks")
        self.rig.device(cm.CardIn(device="shoe", event_no=number, card=said))

    @rule(count=st.integers(1, 3))
    def lost(self, count: int) -> None:
        first = self.rig.table.shoe.last_event + 1
        self.rig.device(cm.LostIn(device="shoe", first=first, last=first + count - 1))

    @rule(
        command=st.sampled_from(
            [
                cm.DeviceOut(device="shoe", reason="gone"),
                cm.DeviceOut(device="board", reason="gone"),
                cm.TroubleIn(device="shoe", code="log_restarted", detail=""),
                cm.TroubleIn(device="shoe", code="noise", detail=""),
                cm.TroubleIn(device="key OK", code="button", detail="stuck"),
                cm.BoardFails(detail="frame"),
                cm.BoardShows(),
                cm.TimeOut(),
                cm.Stop(),
            ]
        )
    )
    def device_says(self, command: cm.Command) -> None:
        self.rig.act(command, origin="device")

    @rule(serial=st.sampled_from(["SN1", "SN1", "SN2"]), log_last=st.sampled_from([0, 3, 500, None]))
    def comes_back(self, serial: str, log_last: int | None) -> None:
        last = self.rig.table.shoe.last_event if log_last is None else log_last
        self.rig.connect("shoe", serial=serial, log_last=last)
        self.rig.connect("board")

    @rule()
    def killed(self) -> None:
        if not self.rig.recorder.broken:
            self.rig.restart(connect=False)

    @rule()
    def second_passes(self) -> None:
        self.rig.service.tick()

    @rule()
    @precondition(lambda self: not self.rig.recorder.broken)
    def disk_full(self) -> None:
        self.rig.recorder.broken = True

    @rule()
    @precondition(lambda self: self.rig.recorder.broken)
    def disk_free(self) -> None:
        self.rig.recorder.broken = False

    def sync(self) -> None:
        """The shoe's driver goes on behind what is recorded or adopted."""
        self.rig.event_no = self.rig.table.shoe.last_event

    # --- what must hold ----------------------------------------------------------------------------------------------

    @invariant()
    def a_state_of_the_table(self) -> None:
        if not hasattr(self, "rig"):
            return
        rig = self.rig
        hand = rig.table.hand
        assert isinstance(rig.phase, Phase)
        assert (hand is None) == (rig.phase is Phase.CLOSED) or rig.service.not_recording
        rig.sinks()
        if hand is None:
            return
        slots = [*hand.dealer, *(slot for box in hand.boxes for slot in (*box.dealt, *box.drawn))]
        known = [slot.card for slot in slots if isinstance(slot, FaceDown | FaceUp)]
        assert len(known) == len(set(known))
        assert all(len(box.dealt) <= 5 and len(box.drawn) <= box.draws for box in hand.boxes)
        assert len(hand.dealer) <= 5

    def one_draw_a_hand(self) -> None:
        drawn = [hand for hand, event in self.rig.recorder.events if isinstance(event, ev.JokerDrawn)]
        assert len(drawn) == len(set(drawn))

    def money_adds_up(self) -> None:
        for settled in self.rig.events(ev.HandSettled):
            answer = settled.answer
            staked = sum(s["staked"] for b in answer["boxes"] for s in b["stakes"].values())
            stakes = [s for b in answer["boxes"] for s in b["stakes"].values()]
            carried = sum(s["staked"] for s in stakes if s["outcome"] == "carry")
            jackpot = -sum(b["stakes"]["jackpot"]["profit"] for b in answer["boxes"] if "jackpot" in b["stakes"])
            assert staked == sum(b["returned"] for b in answer["boxes"]) + carried + answer["house"] + jackpot

    def nothing_lowers_the_meter_but_a_hit_or_two_people(self) -> None:
        """Whatever people and devices did, from move to move; a fixed prize is the house's and lowers nothing."""
        stands = reserve = Fraction(0)
        kinds = ev.MeterMoved | ev.MeterCorrected
        moves = [(h, e) for h, e in self.rig.recorder.events if isinstance(e, kinds)]
        for number, moved in moves:
            if isinstance(moved, ev.MeterCorrected):
                assert (Fraction(moved.before), Fraction(moved.reserve_before)) == (stands, reserve)
                assert len(set(moved.operators)) > 1
                stands, reserve = Fraction(moved.after), Fraction(moved.reserve)
                continue
            hits = [e.prize for h, e in self.rig.recorder.events if isinstance(e, ev.JackpotHit) and h == number]
            assert Fraction(moved.before or 0) == stands
            fallen = stands + reserve - Fraction(moved.after) - Fraction(moved.reserve)
            assert fallen <= sum(hits)
            stands, reserve = Fraction(moved.after), Fraction(moved.reserve)
        assert Fraction(self.rig.table.meter or 0) == stands


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("want", [w for w in Want if w not in (Want.NOTHING, Want.OPEN, Want.CHOICE)])
def test_rescue_from_every_want(want: Want) -> None:
    from situations import SITUATIONS  # noqa: PLC0415

    found = [build() for build in SITUATIONS.values()]
    rigs = [rig for rig in found if rig.want.kind is want]
    assert rigs
    for rig in rigs:
        rescue(rig)
        assert rig.phase in (Phase.BETTING, Phase.DECK_CHECK)
