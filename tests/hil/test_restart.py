"""kill -9 and SIGTERM in the middle of a hand: the next run stands where the last one stood, and the hand goes on."""

from __future__ import annotations

import os
import threading
from random import Random

import pytest

from controller.domain.rejections import Why, reject
from tests.hil.rig import Rig, Snapshot, Wanted, devices_ready, last_hand, pause, same_table, table, until

pytestmark = pytest.mark.hil

GAMES = ("jpoker", "oasis_ru")
MOMENTS = 10  # kills in one hand
HANDS = 8  # not every hand comes by every point, or is long enough
SEEDS = range(1, 1 + int(os.environ.get("HIL_SEEDS", "1")))  # a soak asks for more


def joker(snap: Snapshot) -> str:
    return str((snap["joker"] or {}).get("state"))


def cards(snap: Snapshot) -> int:
    return sum(len(b["cards"]) + len(b["drawn"]) for b in snap["boxes"]) + len(snap["dealer"]["cards"])


def kind(snap: Snapshot) -> str:
    return str(snap["expects"]["kind"])


def place(snap: Snapshot) -> str:
    return str(snap["expects"].get("place", ""))


POINTS: dict[str, Wanted] = {
    "betting, some boxes in": lambda s: s["phase"] == "betting" and any(b["in"] for b in s["boxes"]),
    "dealing, no card": lambda s: s["phase"] == "dealing" and cards(s) == 0,
    "dealing, three cards": lambda s: s["phase"] == "dealing" and cards(s) == 3,
    "dealing, dealer's last card": lambda s: s["phase"] == "dealing" and len(s["dealer"]["cards"]) == 4,
    "decisions, first box": lambda s: s["phase"] == "decisions",
    "decisions, a card to be drawn": lambda s: s["phase"] == "decisions" and place(s) == "draw",
    "decisions, later": lambda s: kind(s) == "decision" and any(b["decision"] for b in s["boxes"]),
    "reveal": lambda s: s["phase"] == "reveal",
    "settling": lambda s: s["phase"] == "settling",
    "settling, a box paid": lambda s: s["phase"] == "settling" and any(b["status"] != "open" for b in s["boxes"]),
}


JOKER_POINTS: dict[str, Wanted] = {
    "dealing, STOP awaited": lambda s: s["phase"] == "dealing" and joker(s) == "armed" and cards(s) > 0,
    "dealing, joker shown": lambda s: s["phase"] == "dealing" and joker(s) == "shown",
}


def new_point(snap: Snapshot, missing: dict[str, Wanted]) -> str | None:
    """A moment that no kill has hit yet."""
    return next((name for name, wanted in missing.items() if wanted(snap)), None)


@pytest.mark.parametrize("game", GAMES)
def test_kill_at_every_phase(game: str) -> None:
    missing = POINTS | (JOKER_POINTS if game == "jpoker" else {})
    with table(game, seed=3) as rig:
        hand = 0
        while missing and hand < HANDS:  # what one hand does not come by, the next may
            hand += 1
            kill_at_points(rig, hand, missing)
        assert not missing
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        for number in range(1, hand + 1):
            rig.felt_agrees(number)


def kill_at_points(rig: Rig, hand: int, missing: dict[str, Wanted]) -> None:
    """This hand to its end, with a kill at every point on its way that no hand has come by before."""
    while last_hand(rig.now) < hand:
        snap = rig.play_until(lambda s: last_hand(s) >= hand or new_point(s, missing) is not None)
        point = new_point(snap, missing) if last_hand(snap) < hand else None
        if point is not None:
            del missing[point]
            rig.restart_same()


def acts_left(snap: Snapshot) -> int:
    """About how many records this hand still brings."""
    boxes = sum(bool(box["in"]) for box in snap["boxes"])
    match snap["phase"]:
        case "betting":
            return 45
        case "dealing":
            return 5 * (boxes + 1) - cards(snap) + boxes + 3
        case "decisions":
            return sum(box["in"] and not box["decision"] for box in snap["boxes"]) + 3
        case _:
            return 1


def random_kills(rig: Rig, random: Random, hand: int) -> int:
    """The robot plays in its own thread; the daemon dies at moments that nobody chose. How often in this hand."""
    kills = 0
    while kills < MOMENTS and last_hand(rig.now) < hand:
        now = rig.now
        version = now["version"] + random.randrange(2 * acts_left(now) // (MOMENTS - kills + 1) + 1)
        rig.wait_staffed(lambda s: s["version"] >= version or last_hand(s) >= hand)  # noqa: B023 - used at once
        pause(random.random() * 0.03)
        before = rig.now
        if last_hand(before) < hand:
            rig.kill()
            kills += 1
            never_goes_back(before, rig.start())
    return kills


def never_goes_back(before: Snapshot, after: Snapshot) -> None:
    """The journal may be one act ahead of what the last lamp showed, and never behind."""
    assert after["version"] > before["version"]
    differs = same_table(before, after)
    if not differs or before["hand"] != after["hand"]:
        assert before["hand"] <= after["hand"]
        return
    assert (
        after["joker"] is None
        or after["joker"]["commitment"] == before["joker"]["commitment"]
        or (before["joker"]["commitment"] == "" and before["phase"] == "betting")
    )
    if joker(before) == "shown":
        assert after["joker"]["card"] == before["joker"]["card"]
    for old, new in zip(before["boxes"], after["boxes"], strict=True):
        assert 0 <= len(new["cards"]) - len(old["cards"]) <= 1
        assert old["ante"] == new["ante"] or before["phase"] == "betting"
        assert not old["decision"] or old["decision"] == new["decision"]
    assert 0 <= cards(after) - cards(before) <= 3  # the robot is quick: a card between the look and the kill


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_kill_at_ten_random_moments_of_a_hand(game: str, seed: int) -> None:
    random = Random(f"{game}/{seed}")
    with table(game, seed) as rig:
        rig.bench.let_robot_play(True)
        hand, kills = 0, 0
        while kills < MOMENTS and hand < HANDS:  # a short hand may end before
            hand += 1
            kills = random_kills(rig, random, hand)
        rig.wait_staffed(lambda s: last_hand(s) >= hand or s["phase"] != "betting")
        rig.bench.dealer.most_hands = 0
        rig.wait_staffed(lambda s: last_hand(s) >= hand and s["phase"] == "betting")
        rig.bench.let_robot_play(False)
        assert kills == MOMENTS
        if not until(lambda: hand in rig.bench.felts, 1.5):
            rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.audit()
        for number in range(1, hand + 1):
            rig.felt_agrees(number)


def test_a_drawn_joker_is_lit_before_any_key_works() -> None:
    with table(seed=2) as rig:
        gate = threading.Event()
        transfer = rig.bench.board.transfer
        rig.play_until(lambda s: joker(s) == "armed" and cards(s) >= 2)

        def slow(data: list[int]) -> list[int]:
            gate.wait(0.9)  # the daemon is told nothing for so long
            return transfer(data)

        rig.bench.gpio.attach(0, slow)
        rig.press("STOP")
        before = rig.wait(lambda s: joker(s) == "drawn")
        rig.kill()
        gate.set()
        rig.bench.gpio.attach(0, transfer)
        rig.bench.board.power(on=False)
        rig.spawn()
        after = rig.wait(lambda s: True)
        assert joker(after) == "drawn"
        assert after["joker"]["card"] is None
        assert after["joker"]["commitment"] == before["joker"]["commitment"]
        rig.wait(lambda s: s["phase"] == "fault")  # the read-back is wrong: no other joker is drawn, nothing opens
        rig.bench.board.power(on=True)
        rig.do("reset", "supervisor")
        shown = rig.wait(lambda s: joker(s) == "shown")["joker"]
        assert until(lambda: rig.bench.board.joker() == shown["card"])
        assert shown["commitment"] == before["joker"]["commitment"]
        rig.play_hands(1)
        assert rig.recall(1)["draw"]["slot"] == shown["card"]
        assert rig.stop()[0] == 0
        rig.audit()


def refused_dark(rig: Rig) -> set[str]:
    """Kinds of acts that were refused because the joker is not lit."""
    code = reject(Why.JOKER_DARK).code
    return {one["data"]["command"] for one in rig.records("Rejected") if one["data"]["code"] == code}


def test_after_a_restart_no_key_works_before_the_board_shows_the_joker() -> None:
    with table(seed=2) as rig:
        before = rig.play_until(lambda s: s["phase"] == "decisions" and kind(s) == "decision")
        rig.kill()
        rig.bench.board.power(on=False)
        rig.spawn()
        rig.wait_for_keys()
        rig.press("FOLD")
        rig.press("BET")
        assert until(lambda: refused_dark(rig) == {"fold", "bet"}), rig.records("Rejected")
        assert rig.now["boxes"] == before["boxes"]
        rig.bench.board.power(on=True)
        rig.wait(devices_ready)
        assert rig.bench.board.joker() == before["joker"]["card"]
        box = before["expects"]["box"]
        rig.press("FOLD")
        rig.wait(lambda s: s["boxes"][box - 1]["decision"] == "fold")
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()


@pytest.mark.parametrize("where", ["dealing, three cards", "settling"])
def test_sigterm_in_mid_hand_stops_in_time_and_the_hand_goes_on(where: str) -> None:
    with table(seed=3) as rig:
        before = rig.play_until(POINTS[where])
        code, seconds = rig.stop()
        assert (code, rig.stderr) == (0, "")
        assert seconds < 2
        assert rig.records()[-1]["type"] == "RunEnded"
        rig.audit()  # also with an open hand
        after = rig.start()
        assert same_table(before, after) == {}
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()
        rig.felt_agrees(1)
