"""The six-box hand by keys alone: at most 15 presses, 11 when the dealer does not play (floor: keys)."""

from __future__ import annotations

import pytest

from tests.hil.rig import Rig, last_hand
from tests.hil.script import REPEATABLE, Script, in_deal_order

pytestmark = pytest.mark.hil

BOXES = {
    1: "Kh Kd 9c 7s 4h",
    2: "Qh Qd 9d 7c 3h",
    3: "2h 5d 8c Ts Jh",
    4: "2d 5c 8s Tc Jd",
    5: "Ah Ad 9s 6c 3d",
    6: "Jc Js 8d 6h 2c",
}
PLAYS = "5h 5s 9h 4c Th"
PLAYS_NOT = "7h 4d 3c 8h Td"
DRAWS = ("2s", "3s", "4s")


def six_boxes(rig: Rig, script: Script) -> None:
    """Boxes 1 and 2 of player A, 3 shared, 4 and 5 of player B, 6 B's blind."""
    for box in range(1, 7):
        script.box_in(box)
    for first, second in ((1, 2), (4, 5), (4, 6)):
        boxes = rig.now["boxes"]
        if boxes[first - 1]["owner"] != boxes[second - 1]["owner"]:
            script.chord(f"K{first}", f"K{second}")
    if not rig.now["boxes"][5]["blind"]:
        script.chord("K6", "BET")


def fold_a_hand(rig: Rig, script: Script) -> None:
    """Any first hand, so that the next one's stakes stand proposed."""
    rig.bench.new_deck(1)
    six_boxes(rig, script)
    script.start()
    script.cards()
    rig.bench.dealer.enabled.set()
    rig.play_hands(1)
    rig.wait_expects("start")


@pytest.mark.parametrize(("game", "most_changed"), [("jpoker", 2), ("oasis_ru", 1)])
@pytest.mark.parametrize(("dealer", "most"), [(PLAYS, 15), (PLAYS_NOT, 11)])
def test_the_six_box_hand(game: str, most_changed: int, dealer: str, most: int) -> None:
    with Rig(game, seed=1) as rig:
        rig.start(program=REPEATABLE)
        rig.open_table()
        script = Script(rig)
        fold_a_hand(rig, script)
        rig.bench.stack_deck(in_deal_order(BOXES, dealer, DRAWS))
        rig.bench.new_deck(2)
        stands = [(b["owner"], b["in"], b["blind"]) for b in rig.now["boxes"]]
        assert stands == [(1, True, False)] * 2 + [(3, True, False)] + [(4, True, False)] * 2 + [(4, True, True)]
        script.presses.clear()
        script.start()
        script.cards()
        play_the_boxes(script, most_changed)
        script.key("OK")
        if most == 15:
            pay_the_boxes(script)
        else:
            script.expect("rest")
            script.key("OK", lambda s: last_hand(s) == 2)
        assert rig.now["last_hand"]["outcome"] == "settled"
        assert script.by_the_dealer == most - 2 + most_changed, script.presses
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(2)


def play_the_boxes(script: Script, changed: int) -> None:
    script.expect("decision", 1)
    script.key("BET")
    script.expect("decision", 2)
    script.rig.bench.world.throw_away(2, (4,))
    script.key("CHANGE")
    script.cards()
    script.key("BET")
    script.expect("decision", 3)
    script.key("FOLD")
    script.expect("decision", 4)
    script.rig.bench.world.throw_away(4, tuple(range(changed)))
    for _ in range(changed):  # oasis_ru exchanges one card and no more
        script.key("CHANGE")
    script.cards()
    script.key("FOLD")
    script.expect("decision", 5)
    script.key("BET")
    script.expect("reveal")


def pay_the_boxes(script: Script) -> None:
    script.expect("paid", 6)
    script.key("OK")
    script.expect("paid", 5)
    script.key("OK")
    script.expect("discards", 2)
    script.key("K5")
    script.expect("paid", 2)
    script.key("OK")
    script.expect("paid", 1)
    script.key("OK", lambda s: last_hand(s) == 2)
