"""What surveillance and the printer are told of a hand: public facts in order, marks, slips; nothing early."""

from __future__ import annotations

import pytest
from harness import CARD, PLAYS, S1, S2, X1, Rig, locked, make_setup, table

from controller.domain import commands as cm
from controller.domain.hand.expects import Want
from controller.runtime.peers import Peers
from controller.table.slips import WIDTH, WORDS
from drivers.text_peer import TextPeer

ROYAL = "Ac Kc Qc Jc Tc"
DEALER = "As Kd 9c 6d 3h"


class Told:
    """Overlay and printer of a rig, told whenever a loop would tell them."""

    def __init__(self, rig: Rig, language: str = "en") -> None:
        self.rig = rig
        self.overlay = TextPeer("overlay", "OVERLAY/text", most=500)
        self.printer = TextPeer("printer", "PRINTER/text", most=50, encoding="utf-8")
        self.peers = Peers(self.overlay, self.printer, language, lambda: "2024-01-01", lambda: (77, "ab" * 32))
        self.overlay.opened(0), self.printer.opened(0)
        changed = rig.changed
        rig.changed = lambda: (changed(), self.look())  # type: ignore[method-assign, func-returns-value]
        rig.service._changed = rig.changed
        self.look()

    def look(self) -> None:
        self.peers.tell(self.rig.snapshot(), 1)

    def lines(self) -> list[str]:
        return [
            line.partition("#")[2].partition(" ")[2]
            for line in self.overlay.outgoing().decode("ascii").split("\r\n")
            if line
        ]

    def slips(self) -> list[str]:
        return [slip for slip in self.printer.outgoing().decode().split("\r\n\r\n\r\n") if slip.strip()]


def test_a_hand_is_told_in_order() -> None:
    rig = table().stake(b1=10, b2=10).joker("2c")
    told = Told(rig)
    assert told.lines()[0] == "BETTING"
    rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h", draws={1: "Jh"}).lock().deal()
    lines = told.lines()
    assert lines[0] == "DEALING"
    assert lines[1].startswith("COMMITMENT ")
    assert lines[2:] == ["JOKER 2c", "DECISIONS"]
    rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    assert told.lines() == ["BOX 1 RAISE ANTE 10 BET 20", "REVEAL", "BOX 2 FOLD ANTE 10"]
    rig.finish()
    lines = told.lines()
    assert "DEALER Kh Ks 8c 7d 2h pair PLAYS" in lines
    assert "BOX 1 TURNED 9c 9d 5h 6s 3c" in lines
    assert [line for line in lines if "PAID" in line] == ["BOX 1 PAID 0 NET -30", "BOX 2 PAID 0 NET -10"]
    assert lines[-1] == "HAND 1 SETTLED"
    assert told.slips() == []


def test_marks_of_what_somebody_will_want_to_see() -> None:
    rig = locked()
    told = Told(rig)
    rig.card(), rig.card("9c", lay=False)  # the same card again
    assert "MARK DECK FAULT" in told.lines()
    rig.do(cm.VoidHand(reason="misdeal"), S1, S2)
    lines = told.lines()
    assert {"MARK VOID HAND 1", "HAND 1 VOID"} <= set(lines)
    (slip,) = told.slips()
    assert "HAND VOID, STAKES BACK" in slip
    assert [line for line in slip.split("\r\n") if line.startswith("box")] == ["box 1  10", "box 2  10"]
    rig.step(), rig.to(Want.PAID)
    told.lines()
    rig.do(cm.Differs(box=rig.want.box, cards=""))
    assert any(line.startswith("MARK DIFFERS BOX") for line in told.lines())


def test_a_jackpot_is_marked_when_it_is_hit_and_printed_when_it_is_awarded() -> None:
    rig = Rig(setup=make_setup("oasis_ru", jackpot_stake=1, meter="25000", award_limit=100)).open()
    rig.stake(b1=10)
    rig.do(cm.SetStake(box=1, jackpot=1))
    told = Told(rig, "ru")
    rig.lay(DEALER, b1=ROYAL).ok().deal()
    rig.do(cm.Bet(box=1)), rig.to(Want.AWARD)
    prize = rig.snapshot().meters["hits"][0]["prize"]
    assert f"MARK JACKPOT HIT BOX 1 PRIZE {prize}" in told.lines()
    assert told.slips() == []
    rig.do(cm.Award(hit=1), S1, S2)  # the hand ends with it
    assert f"MARK JACKPOT AWARDED BOX 1 PRIZE {prize}" in told.lines()
    (slip,) = told.slips()
    assert WORDS["jackpot"][1] in slip
    assert f"приз {prize}" in slip
    assert "раздача 1  бокс 1" in slip


def test_the_head_of_the_chain_is_printed_at_the_end_of_a_shift() -> None:
    rig = table()
    told = Told(rig)
    rig.do(cm.SignOn(), X1)  # another dealer takes over
    (slip,) = told.slips()
    assert slip.split("\r\n")[3:9] == ["END OF SHIFT", "dealer d1", "hand 1", "record 77", "ab" * 16, "ab" * 16]
    rig.do(cm.CloseTable(), X1, S1)
    (slip,) = told.slips()
    assert "TABLE CLOSED" in slip
    assert slip.split("\r\n")[5:8] == ["record 77", "ab" * 16, "ab" * 16]
    assert all(len(line) <= WIDTH for line in slip.split("\r\n"))
    assert "DEALER x1 OFF" in told.lines()


def test_a_run_that_begins_prints_nothing_again() -> None:
    rig = table()
    rig.stake(b1=10).lock()
    rig.do(cm.VoidHand(reason="x"), S1, S2)
    assert Told(rig).slips() == []


@pytest.mark.parametrize("other", ["Jd 4d 5h 6s 3c", "Ac Ad 5h 6s 3c"])
def test_nothing_of_a_face_down_card_is_told(other: str) -> None:
    """Rule of silence: equal public facts with other hidden cards give the same lines and slips."""
    said = []
    for cards in ("9c 9d 5h 6s 3c", other):
        rig = table().stake(b1=10, b2=10).joker("2c")
        told = Told(rig)
        rig.lay(PLAYS, b1=cards, b2="Qc Qd 5c 6c 3h").lock().deal()
        rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
        said.append((told.lines(), told.slips()))
        assert not {card for line in said[-1][0] for card in CARD.findall(line)} - {"2c"}
    assert said[0] == said[1]
