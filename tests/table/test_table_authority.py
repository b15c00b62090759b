"""Who may do what: every act that needs more than the dealer, with every company that may ask for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from harness import D1, E1, S1, S2, T9, X1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.authority import Grade, Identity, grade
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.rejections import Why

PEOPLE = (D1, S1, S2, E1, X1, T9)
D2 = Identity("d2", frozenset({"dealer"}))


def decisions(**how: object) -> Rig:
    rig = Rig(setup=make_setup("jpoker", **how)).open().stake(b1=10, b2=10).joker("2c")
    return rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", draws={1: "9h"}).lock().deal()


def entry() -> Rig:
    rig = (
        Rig(setup=make_setup("jpoker"))
        .open()
        .stake(b1=10)
        .joker("2c")
        .lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c")
        .lock()
    )
    rig.card(unread=True), rig.deal().do(cm.Bet(box=1))
    return rig.ok()


def check() -> Rig:
    rig = decisions()
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.ok()
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    return rig


def waiting_draws() -> Rig:
    rig = decisions(draw_timing="after_all")
    rig.do(cm.Exchange(box=1)), rig.ok(), rig.do(cm.Exchange(box=2)), rig.ok(), rig.card()
    return rig


def held() -> Rig:
    rig = decisions()
    rig.do(cm.Irregular(reason="test"))
    return rig


def fault() -> Rig:
    rig = decisions()
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail=""))
    return rig


def disputed() -> Rig:
    rig = decisions()
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.ok(), rig.do(cm.Hold(box=1))
    return rig


def deck() -> Rig:
    rig = Rig(setup=make_setup()).open()
    rig.card("As"), rig.do(cm.Resume(), S1)
    return rig


def locked() -> Rig:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10)
    rig.do(cm.Count(number=1)), rig.lock()
    return rig


def undrawn() -> Rig:
    return Rig(setup=make_setup()).open().stake(b1=10).lock()


def drawn() -> Rig:
    return Rig(setup=make_setup()).open().stake(b1=10).lock().to(Want.BOARD)


def betting() -> Rig:
    return Rig(setup=make_setup()).open()


def oasis(phase: Want) -> Callable[[], Rig]:
    return lambda: Rig(setup=make_setup("oasis_ru")).open().stake(b1=10).lay("Kh Ks 8c 7d 2h").lock().to(phase)


VOID = cm.VoidHand(reason="misdeal")
ACTS: dict[str, tuple[Callable[[], Rig], cm.Command, Grade]] = {
    "enter_card": (entry, cm.EnterCard(card="9c"), Grade.B),
    "redirect": (waiting_draws, cm.Redirect(box=1, target=2), Grade.B),
    "void_box": (decisions, cm.VoidBox(box=1, reason="dead"), Grade.B),
    "discard_check": (check, cm.DiscardCheck(box=1), Grade.B),
    "resume": (held, cm.Resume(), Grade.B),
    "reset": (fault, cm.Reset(), Grade.B),
    "release a box": (disputed, cm.Release(box=1), Grade.B),
    "deck": (deck, cm.Deck(deck="red"), Grade.B),
    "stake after the first card": (decisions, cm.CorrectStake(box=1, ante=20), Grade.B),
    "count once it differs": (locked, cm.Count(number=0), Grade.B),
    "close": (betting, cm.CloseTable(), Grade.B),
    "limits": (betting, cm.Limits(cap=1000), Grade.S),
    "joker not drawn: void": (undrawn, VOID, Grade.B),
    "joker not shown: void": (drawn, VOID, Grade.B),
    "joker shown: void": (decisions, VOID, Grade.C),
    "no joker, dealer hidden: void": (oasis(Want.DECISION), VOID, Grade.B),
    "no joker, dealer turned: void": (oasis(Want.PAID), VOID, Grade.C),
}


def enough(needed: Grade, company: tuple[Identity, ...]) -> bool:
    """Written from the floor's words, not from the code."""
    supervisors = {p.operator for p in company if "supervisor" in p.roles and p.operator != "d1"}
    others = {p.operator for p in company if {"supervisor", "surveillance"} & p.roles and p.operator != "d1"}
    return bool(supervisors) and (needed is not Grade.C or len(others) >= 2)


@pytest.mark.parametrize("name", ACTS)
def test_every_company_for_every_act(name: str) -> None:
    build, command, needed = ACTS[name]
    for size in (0, 1, 2):
        for company in itertools.combinations(PEOPLE, size):
            rig = build()
            assert grade(command, rig.table) is needed
            phase, version = rig.phase, rig.table.version
            outcome = rig.do(command, *company)
            if enough(needed, company):
                assert outcome.waiting == 0, company
                said = rig.events(ev.Authorised)[-1]
                assert said.operators == tuple(p.operator for p in company)
            else:
                assert outcome.waiting == 1, company
                assert rig.phase is phase
                assert rig.table.version == version + 1  # that somebody asked is all that happened
                assert rig.snapshot().waiting[0]["missing"]


@pytest.mark.parametrize("name", ["close", "joker shown: void"])
def test_the_dealer_never_counts_even_with_two_roles(name: str) -> None:
    build, command, _ = ACTS[name]
    rig = build()
    double = Identity("d1", frozenset({"dealer", "supervisor"}))
    first = rig.do(command, double).waiting
    assert first
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=first), double)
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=first), D2)
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=first), T9)
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=first))
    rig.refused(Why.NO_WAITING, cm.Approve(id=first + 1), S1)


def test_two_people_for_a_hand_whose_joker_is_shown() -> None:
    rig = decisions()
    number = rig.do(VOID, S1).waiting
    assert rig.snapshot().waiting[0]["missing"] == "a second person"
    rig.refused(Why.SAME_PERSON, cm.Approve(id=number), S1)
    assert rig.hand.number == 1
    rig.do(cm.Approve(id=number), E1)
    assert rig.hand.number == 2
    assert rig.events(ev.Authorised)[-1].operators == ("s1", "e1")
    assert rig.events(ev.ApprovalClosed)[-1].outcome == "approved"
    assert rig.table.waiting == ()


def test_surveillance_alone_is_not_a_supervisor() -> None:
    rig = decisions()
    number = rig.do(VOID, E1).waiting
    assert rig.snapshot().waiting[0]["missing"] == "supervisor"
    rig.do(cm.Approve(id=number), S2)
    assert rig.hand.number == 2


def test_surveillance_is_refused_where_a_supervisor_is_waited_for() -> None:
    """Grade B: his agreement would not bring the act further, so it is not taken for one."""
    rig = Rig(setup=make_setup("jpoker")).open()
    number = rig.do(cm.CloseTable()).waiting
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=number), E1)
    rig.do(cm.Approve(id=number), S1)
    assert rig.table.phase is Phase.CLOSED


def test_the_grade_is_that_of_the_moment_of_agreement() -> None:
    """Asked for before the joker was shown, agreed to after it: two people by now."""
    rig = drawn()
    number = rig.do(VOID).waiting
    rig.board_shows()
    assert rig.hand.joker is JokerPhase.SHOWN
    assert rig.do(cm.Approve(id=number), S1).waiting == number
    assert rig.hand.number == 1
    rig.do(cm.Approve(id=number), S2)
    assert rig.hand.number == 2


def test_the_same_act_asked_again_is_joined_not_doubled() -> None:
    rig = decisions()
    assert rig.do(VOID).waiting == rig.do(VOID, E1).waiting == 1
    assert len(rig.table.waiting) == 1
    rig.do(VOID, S1)
    assert rig.hand.number == 2


def test_waiting_acts_are_turned_down_and_end_with_the_hand() -> None:
    rig = decisions()
    number = rig.do(VOID).waiting
    rig.refused(Why.NOT_ALLOWED, cm.Reject(id=number))
    rig.do(cm.Reject(id=number), S1)
    assert rig.table.waiting == ()
    rig.refused(Why.NO_WAITING, cm.Approve(id=number), S1)
    rig.do(VOID)
    rig.finish()
    assert rig.table.waiting == ()


def test_a_waiting_act_that_is_no_longer_possible_is_refused() -> None:
    rig = decisions()
    number = rig.do(cm.VoidBox(box=1, reason="dead")).waiting
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.to(Want.PAID)
    rig.ok() if rig.want.box == 1 else rig.finish()
    assert rig.act(cm.Approve(id=number), S1).rejection is not None


def test_grade_a_is_the_dealers_and_needs_one_signed_on() -> None:
    rig = betting().stake(b1=10)
    rig.refused(Why.NOT_ALLOWED, cm.SignOff(operator="d1"))
    rig.do(cm.SignOff(operator="d1"), D1)
    for command in (cm.Start(), cm.SetStake(box=1, ante=20), cm.Undo(), cm.Owner(box=2, owner=1)):
        rig.refused(Why.NO_DEALER, command)
        rig.refused(Why.NO_DEALER, command, origin="keys")
    rig.do(cm.SignOn(), D2)
    assert rig.table.signed_on == {"dealer": "d2"}
    rig.lock()


def test_inspectors_sign_on_and_technicians_do_not() -> None:
    rig = betting()
    rig.do(cm.SignOn(), S1)
    assert rig.table.signed_on == {"dealer": "d1", "inspector": "s1"}
    rig.refused(Why.NOT_ALLOWED, cm.SignOn(), T9)
    rig.refused(Why.NOT_ALLOWED, cm.SignOn(operator="s2"), S1)


def test_the_dealer_corrects_stakes_until_the_first_card() -> None:
    rig = undrawn()
    rig.do(cm.CorrectStake(box=1, ante=20))
    assert rig.hand.box(1).ante == 20
    rig.card()
    assert rig.do(cm.CorrectStake(box=1, ante=30)).waiting


def test_opening_needs_two_people() -> None:
    rig = Rig(setup=make_setup())
    number = rig.do(cm.OpenTable(), X1).waiting
    assert number  # one man with both roles is one man
    rig.refused(Why.SAME_PERSON, cm.Approve(id=number), X1)
    rig.do(cm.Approve(id=number), S1)
    assert rig.phase is Phase.BETTING
    assert rig.table.signed_on == {"dealer": "x1"}


def test_stop_and_claims_need_nobody() -> None:
    rig = undrawn()
    rig.card()
    rig.do(cm.Stop())
    rig.do(cm.Claim())
