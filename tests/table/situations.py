"""Tables in every situation that a hand knows, for tests that try everything everywhere."""

from __future__ import annotations

from collections.abc import Callable

from harness import S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain.decks import DeckRules
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.state import CardSource, Equipment, StakeEntry

PLAYS, PLAYS_NOT = "Kh Ks 8c 7d 2h", "Kh Js 8c 7d 2h"


def _dealt(dealer: str = PLAYS, **how: object) -> Rig:
    rig = Rig(setup=make_setup("jpoker", **how)).open().stake(b1=10, b2=10).joker("2c")
    return rig.lay(dealer, b1="9c 9d 5h 6s 3c", draws={1: "9h"})


def _closed() -> Rig:
    rig = Rig(setup=make_setup())
    rig.connect()
    return rig


def _deck() -> Rig:
    rig = _dealt().lock()
    rig.card("As"), rig.card("As"), rig.do(cm.VoidHand(reason="deck"), S1)
    return rig


def _dealing() -> Rig:
    rig = _dealt().lock()
    rig.card()
    return rig


def _locked() -> Rig:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10)
    rig.do(cm.Count(number=1)), rig.lock()
    return rig


def _entry() -> Rig:
    rig = _dealt().lock()
    while rig.phase is Phase.DEALING:
        if rig.want.place == "box" and rig.want.index == 0:
            rig.card(unread=True)
        else:
            rig.step()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    return rig


def _draw() -> Rig:
    rig = _dealt().lock().deal()
    rig.do(cm.Exchange(box=1))
    return rig


def _exchanged() -> Rig:
    rig = _draw()
    rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.ok()
    return rig


def _check() -> Rig:
    rig = _exchanged()
    rig.do(cm.NameDiscards(box=1, cards="3c"))
    return rig


def _paid() -> Rig:
    rig = _check()
    rig.do(cm.DiscardCheck(box=1), S1)
    return rig


def _rest() -> Rig:
    rig = _dealt(PLAYS_NOT).lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    return rig


def _release() -> Rig:
    rig = _rest()
    rig.do(cm.Hold(box=1)), rig.ok()
    return rig


def _irregular() -> Rig:
    rig = _dealt().lock().deal()
    rig.do(cm.Irregular(reason="a card on the floor"))
    return rig


def _fault() -> Rig:
    rig = _dealt().lock()
    rig.device(cm.TroubleIn(device="shoe", code="log_restarted", detail="x"))
    return rig


def _turn() -> Rig:
    rig = _dealt(PLAYS).lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Reveal())
    return rig


def _board_dead() -> Rig:
    rig = _dealt().lock().to(Want.BOARD)
    rig.device(cm.DeviceOut(device="board", reason="gone"))
    return rig


def _declare() -> Rig:
    rig = Rig(setup=make_setup("caribbean", cards=CardSource.NONE)).open().stake(b1=10)
    rig.ok().ok()
    rig.do(cm.Bet(box=1)), rig.do(cm.Declare(hand="pair"), S1), rig.ok()
    return rig


def _stake() -> Rig:
    rig = Rig(setup=make_setup("caribbean", stake_entry=StakeEntry.AT_PAYOUT)).open().stake(b1=10)
    rig.lay(PLAYS).ok().deal()
    rig.do(cm.Bet(box=1)), rig.ok()
    return rig


def _next() -> Rig:
    rig = Rig(setup=make_setup(cards=CardSource.NONE, equipment=Equipment.BOARD)).open().lock().stop()
    return rig.board_shows()


def _by_hand() -> Rig:
    rig = _dealing()
    rig.do(cm.Manual(), S1)
    return rig


def _russian() -> Rig:
    rig = Rig(setup=make_setup("russian", boxes=4)).open().stake(b1=10, b2=10)
    return rig.lay("As Qd 9c 6d 3h", b1="8c 8d 8h Qs 4c", b2="9d 9h 7s 5s 2c").ok().deal()


def _choice() -> Rig:
    rig = _russian()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.ok()
    return rig


def _award() -> Rig:
    rig = Rig(setup=make_setup("oasis_ru", jackpot_stake=1, meter="25000")).open().stake(b1=10)
    rig.do(cm.SetStake(box=1, jackpot=1))
    rig.lay("As Kd 9c 6d 3h", b1="Kh 9h 5h 4h 2h").ok().deal()
    rig.do(cm.Bet(box=1))
    return rig.to(Want.AWARD)


def _stub() -> Rig:
    rig = Rig(setup=make_setup(decks=DeckRules(stub_hands=1))).open().stake(b1=10)
    rig.joker("3d").lock().finish()
    return rig


def _shuffle() -> Rig:
    rig = Rig(setup=make_setup(decks=DeckRules(shuffler=True))).open()
    rig.connect("shuffler", log_last=0)
    rig.do(cm.Deck(deck="R-1"), S1)
    return rig


SITUATIONS: dict[str, Callable[[], Rig]] = {
    "closed": _closed,
    "deck": _deck,
    "betting": lambda: Rig(setup=make_setup()).open().stake(b1=10, b2=10),
    "locked": _locked,
    "dealing": _dealing,
    "stop": lambda: _dealt().lock().to(Want.STOP),
    "board": lambda: _dealt().lock().to(Want.BOARD),
    "decision": lambda: _dealt().lock().deal(),
    "draw": _draw,
    "reveal": lambda: _dealt().lock().to(Want.REVEAL),
    "turn": _turn,
    "entry": _entry,
    "discards": _exchanged,
    "check": _check,
    "paid": _paid,
    "rest": _rest,
    "release": _release,
    "russian": _russian,
    "choice": _choice,
    "award": _award,
    "by_hand": _by_hand,
    "next": _next,
    "stake": _stake,
    "declare": _declare,
    "board_dead": _board_dead,
    "irregular": _irregular,
    "fault": _fault,
    "stub": _stub,
    "shuffle": _shuffle,
}
