"""The robot walks a small table through hands; players decide from what they see; the demo's text of a hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_sim.betting import BettingPlan
from firmware_sim.dealer import Dealer
from firmware_sim.errors import BenchError
from firmware_sim.feed import Feed
from firmware_sim.floor_staff import Say, decide
from firmware_sim.hand_text import hand_block, money
from firmware_sim.players import Act, Choice, Player, strength
from firmware_sim.world import Place, World, fresh_deck
from tests.sim.fake_table import FakeTable


@pytest.fixture(autouse=True)
def never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake table refuses nothing: on a busy machine a late snapshot must not pass for a refusal."""
    monkeypatch.setattr("firmware_sim.dealer.REFUSAL_S", 60.0)


@pytest.fixture
def world() -> World:
    return World(seed=5)


@pytest.fixture
def table(tmp_path: Path, world: World) -> Iterator[FakeTable]:
    table = FakeTable(tmp_path / "control.sock", world)
    yield table
    table.close()


def play(table: FakeTable, world: World, path: Path, hands: int, seed: int = 5) -> Dealer:
    feed = Feed(path / "control.sock")
    dealer = Dealer(table, feed, world, seed=seed)
    dealer.most_hands = hands
    thread = threading.Thread(target=dealer.run, daemon=True)
    feed.start()
    thread.start()
    done = feed.wait(lambda snap: len(dealer.settled) >= hands, 60)
    dealer.stop()
    thread.join(5)
    feed.stop()
    assert done is not None, (table.snapshot(), table.log[-20:])
    return dealer


@pytest.mark.parametrize("plays", [True, False])
def test_hands_from_betting_to_the_next(table: FakeTable, world: World, tmp_path: Path, plays: bool) -> None:
    table.plays = plays
    dealer = play(table, world, tmp_path, hands=12)
    assert len(dealer.settled) == 12
    assert table.log.count("START") == 12  # and no hand more
    assert table.log.count("STOP") == 12
    assert {"CHANGE", "BET", "FOLD", "OK", "START", "STOP"} <= set(table.log)
    assert table.refused == 0
    assert any("+" in press for press in table.log)  # two boxes of one player, a blind box
    assert any(press.startswith("hold") for press in table.log)  # a stake changed


def test_a_run_repeats_with_its_seed(tmp_path: Path) -> None:
    logs = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        world = World(seed=9)
        table = FakeTable(folder / "control.sock", world)
        play(table, world, folder, hands=4, seed=9)
        logs.append([press for press in table.log if press != "deck 5"])
        table.close()
    assert logs[0] == logs[1]


def test_the_robot_waits_where_it_has_nothing_to_do(table: FakeTable, world: World, tmp_path: Path) -> None:
    feed = Feed(tmp_path / "control.sock")
    dealer = Dealer(table, feed, world, seed=1)
    assert dealer.step() is None  # no daemon yet
    feed.start()
    assert feed.wait(lambda snap: True, 5)
    assert dealer.step() == "new deck"
    snap = dict(feed.latest or {})
    for kind in ("open", "supervisor", "nothing", "board", "entry"):
        assert dealer._decide({**snap, "expects": {"kind": kind}}) is None
    assert dealer._decide({**snap, "devices": {"shoe": "absent"}}) is None or table.log
    feed.stop()


def test_players() -> None:
    player = Player("jpoker")
    both = {"bet", "fold", "exchange"}
    assert player.first(["2c", "2d", "9h", "Jc", "Ks"], None, {"bet", "fold"}) == Choice(Act.BET)
    assert player.first(["2c", "5d", "9h", "Jc", "Ks"], None, both) == Choice(Act.FOLD)
    assert player.first(["2c", "5d", "9h", "Jc", "Ks"], "2c", {"bet", "fold"}) == Choice(Act.BET)  # it holds the joker
    assert player.first(["2h", "5h", "9h", "Jc", "Kh"], None, both) == Choice(Act.EXCHANGE, (3,))
    assert player.first(["5h", "6c", "7d", "8s", "Kh"], None, both) == Choice(Act.EXCHANGE, (4,))
    assert Player("caribbean").first(["2h", "5h", "9h", "Jc", "Kh"], None, both).act is Act.FOLD
    assert Player("caribbean").first(["Ah", "5h", "9h", "Jc", "Kh"], None, {"bet", "fold"}).act is Act.BET
    assert player.last(["2c", "5d", "9h", "Jc", "Ks"], None, {"bet"}).act is Act.BET  # compelled


@pytest.mark.parametrize(
    ("cards", "joker", "expected"),
    [
        ("2c 2d 9h 9c Ks", None, 2),
        ("2c 2d 9h Tc Ks", "Ks", 2),  # a pair and the joker are two pair, never trips
        ("2c 2d 2h Tc Ks", None, 3),
        ("Ac 2d 3h 4c 5s", None, 4),
        ("2c 9c 3c 4c 5c", None, 5),
        ("2c 2d 2h 2s 5c", None, 6),
        ("2c 2d 2h 5s 5c", None, 6),
        ("Ac Kc Qc Jc JK", None, 5),
        ("Ac Kd 7c 5c 3h", None, 0),
    ],
)
def test_strength(cards: str, joker: str | None, expected: int) -> None:
    assert strength(cards.split(), joker) == expected


def test_world() -> None:
    assert [len(set(fresh_deck(size))) for size in (36, 52, 53)] == [36, 52, 53]
    with pytest.raises(BenchError, match="TC-0701"):
        fresh_deck(51)
    first, again = World(3), World(3)
    first.shuffle(7)
    again.shuffle(7)
    assert [first.take() for _ in range(52)] == [again.take() for _ in range(52)]
    with pytest.raises(BenchError, match="TC-0703"):
        first.take()
    first.stack(["As", "Kd"])
    first.shuffle(8)
    assert [first.take(), first.take(), first.left] == ["As", "Kd", 50]
    with pytest.raises(BenchError, match="TC-0702"):
        first.stack(["1x"])
    for card in ("2c", "3c", "4c", "5c", "6c"):
        first.lay(card, Place.BOX, 2)
    first.throw_away(2, (1, 4))
    first.lay("Jd", Place.DRAW, 2)
    assert first.box(2).held() == ["2c", "Jd", "4c", "5c", "6c"]
    first.lay("Qd", Place.DRAW, 2)
    first.lay("9d", Place.DRAW, 2)
    assert first.box(2).held() == ["2c", "Jd", "4c", "5c", "Qd", "9d"]


def test_a_refused_lock_makes_a_player_leave() -> None:
    plan = BettingPlan(Random(1), 4)
    plan.seats = {1, 2, 3}
    plan.starts = 3
    boxes = [{"box": n, "in": True, "owner": n, "ante": 1} for n in (1, 2, 3)]
    names = [wish.name for wish in plan.wishes({"boxes": boxes})]
    assert "box 3 out" in names


def test_floor_staff() -> None:
    world = World(1)
    world.shuffle(1)
    world.lay("As", Place.BOX, 2)

    def said(**expects: object) -> Say | None:
        return decide({"expects": expects, "hand": 4}, world)

    assert said(kind="start") is None
    assert said(kind="discard_check", box=2) == Say(("discard_check", "box=2"))
    assert said(kind="entry", place="box", box=2, index=0) == Say(("enter_card", "card=As", "box=2"))
    assert said(kind="entry", place="dealer", index=0) is None
    assert said(kind="supervisor", cause="extra_card") == Say(("resume",))
    assert said(kind="supervisor", cause="cards_lost") == Say(("reset",))
    assert said(kind="supervisor", cause="deck_fault") == Say(
        ("void_hand", "reason=deck_fault"), ("supervisor", "witness")
    )
    assert decide({"waiting": [{"id": 3, "missing": "a second person"}]}, world) == Say(
        ("approve", "id=3"), ("witness",)
    )


LAST = {
    "hand": 17, "outcome": "settled", "dealer": ["2c", "9d", "9h", "Kc", "Qd"], "dealer_hand": "pair", "plays": True,
    "joker": "7c",
    "boxes": [
        {"box": 2, "turned": True, "dealt": ["7c", "Jd", "Jh", "4s", "2d"], "drawn": ["Jc"], "discards": ["2d"],
         "decision": "raise", "count": 1, "status": "paid", "ante": 1000,
         "answer": {"hand": "quads", "net": 32000, "cut_by_cap": 500, "stakes": {
             "ante": {"staked": 1000, "outcome": "win", "odds": "1:1", "profit": 1000},
             "bet": {"staked": 2000, "outcome": "win", "odds": "15:1", "profit": 30000},
             "fee": {"staked": 1000, "outcome": "fee", "profit": -1000},
             "bonus": {"staked": 250, "outcome": "lose", "profit": -250}}}},
        {"box": 3, "turned": False, "decision": "fold", "count": 0, "status": "paid", "ante": 1000,
         "answer": {"net": -1000, "stakes": {"ante": {"staked": 1000, "outcome": "lose", "profit": -1000}}}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_text_of_a_hand(width: int) -> None:
    block = hand_block(LAST, width)
    lines = block.splitlines()
    assert lines[0] == "hand 17, joker 7c"
    assert lines[1] == "  dealer  2c 9d 9h Kc Qd  a pair"
    assert all(len(line) <= max(60, min(width, 100)) for line in lines)
    flat = " ".join(block.split())
    assert "box 2 7c Jd Jh 4s 2d -2d +Jc four of a kind, cut by the cap 5" in flat
    assert "ante 10 wins 1:1 +10; bet 20 wins 15:1 +300; fee 10; bonus 2.50 lost; net +320" in flat
    assert "box 3 folds" in flat
    assert "ante 10 lost; net -10" in flat
    assert flat.endswith("house -310")
    assert "\x1b" not in block


def test_other_ends_of_a_hand() -> None:
    assert hand_block({"hand": 3, "outcome": "void"}, 80) == "hand 3: void, all stakes back"
    quiet = {**LAST, "plays": False, "joker": "DOC", "boxes": []}
    assert "joker DEALER'S OPEN CARD" in hand_block(quiet, 80)
    assert "DOES NOT PLAY" in hand_block(quiet, 80)
    assert money(-150) == "-1.50"
