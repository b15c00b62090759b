"""Statistics at a real table: what a run counts a restart finds again; alarms are records; nothing hidden leaves."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import msgspec
import pytest
from harness import S1, S2, Rig, make_setup
from harness_parts import open_journal

from controller.cli import statistics as cli
from controller.cli.main import run
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.table import past, projection
from controller.table.chances import chi_square, chi_square_tail, more_wins, normal_tail, poisson_tail
from controller.table.decks import compare, order_of
from controller.table.statistics import Statistics
from controller.table.watch import Watch, summary
from controller.watch_config import AlarmsSection

WALL_S = 1_704_067_200.0  # the harness's label: 2024-01-01


def watched(folder: Path | None = None, limits: AlarmsSection | None = None) -> tuple[Rig, Watch]:
    rig = Rig(folder, setup=make_setup("jpoker"))
    watch = Watch(Statistics(), limits or AlarmsSection(hands_per_minute=1000), lambda: WALL_S)
    rig.service._watch = watch
    watch.saw([event for _, event in rig.recorder.events])
    return rig, watch


def a_hand(rig: Rig, number: int, unread: bool = False) -> None:
    if not any(box.ante for box in rig.hand.boxes):
        rig.stake(b1=10, b2=10)
    rig.joker("7c").lay().lock()
    if unread:
        rig.card(unread=True)
    rig.finish()


def test_a_restart_counts_what_the_run_has_counted(tmp_path: Path) -> None:
    rig, watch = watched(tmp_path)
    rig.open()
    for number in range(3):
        a_hand(rig, number, unread=number == 1)
    rig.do(cm.SetStake(box=3, ante=10)), rig.do(cm.Undo())
    rig.lock()
    live = watch.statistics
    assert live.count("unread", "shoe") == 1
    assert live.count("joker", "7c") == 3
    assert live.open is not None
    assert ("undos", "dealer d1") in dict(live.open.counts)
    rig.close()
    with_file = past.replay(open_journal(tmp_path)).statistics
    assert with_file == live
    assert repr(live.orders).count("cards)") == 2
    assert "As" not in repr(live.orders)


def test_a_blind_box_is_counted_among_the_blind_ones() -> None:
    rig = Rig(setup=make_setup("oasis_ru"))
    watch = Watch(Statistics(), AlarmsSection(), lambda: WALL_S)
    rig.service._watch = watch
    rig.open()
    rig.stake(b1=10, b2=10)
    rig.do(cm.Owner(box=2, owner=1)), rig.do(cm.Blind(box=2, blind=True))
    rig.lay("Kh Ks 8c 7d 2h", b1="9c Td 5h 6s 3c", b2="Ah Ad 5c 6c 3h").lock().finish()
    told = summary(watch.statistics)["wins"]
    assert (told["box 1"], told["box 2, blind"]) == ([0, 1], [1, 1])
    assert "box 2" not in told and told["dealer d1"] == [0, 1]


def test_an_alarm_is_recorded_once_answered_and_quiet_for_a_while() -> None:
    rig, _ = watched(limits=AlarmsSection(undos_per_100=1, quiet_hands=2, hands_per_minute=1000))
    rig.open()

    def undos() -> list[str]:  # the harness deals the same cards again and again, which is another alarm
        return [alarm.detail for alarm in rig.events(ev.AlarmRaised) if alarm.code == "undos"]

    for _ in range(5):
        rig.do(cm.SetStake(box=1, ante=10)), rig.do(cm.Undo())
    assert rig.table.alarms == ()
    a_hand(rig, 1)
    assert [(a.code, a.subject) for a in rig.table.alarms] == [("undos", "dealer d1")]
    a_hand(rig, 2)
    assert undos() == ["5 in 1 hands, limit 1 in 100"]
    rig.do(cm.AnswerAlarm(alarm=1, reason="a new dealer"), S1)
    a_hand(rig, 3)
    assert len(undos()) == 1
    a_hand(rig, 4)
    assert undos()[1] == "5 in 4 hands, limit 1 in 100"


def test_a_device_that_goes_again_and_again() -> None:
    rig, _ = watched(limits=AlarmsSection(drops_per_hour=2))
    rig.open()
    for _ in range(2):
        rig.device(cm.DeviceOut(device="shoe", reason="gone"))
        rig.connect("shoe")
    assert [(a.code, a.subject) for a in rig.table.alarms] == [("device_drops", "shoe")]


def test_what_is_shown_changes_only_with_a_hand_s_end_and_tells_no_likeness() -> None:
    """Equal public facts, other hidden cards: the same bytes (the rule of silence)."""

    def shown(box2: str) -> list[bytes]:
        rig, watch = watched()
        rig.open().stake(b1=10, b2=10)
        seen = []
        for _ in range(2):
            rig.joker("7c").lay("Kh Js 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2=box2).lock()
            while rig.want.kind is not Want.REST:
                seen.append(projected(rig, watch))
                rig.step()
            rig.finish()
            seen.append(projected(rig, watch))
        assert watch.statistics.likeness
        return seen

    def projected(rig: Rig, watch: Watch) -> bytes:
        return msgspec.json.encode(projection.snapshot(rig.table, rig.setup, {}, watch.shown).statistics)

    assert shown("Qc Qd 5c 6c 3h") == shown("Ac Kc Qc Jc Tc")
    _, watch = watched()
    assert not {"decks", "likeness"} & set(summary(watch.statistics))


def test_the_command_reads_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rig, watch = watched(tmp_path)
    rig.open()
    for number in range(3):
        a_hand(rig, number)
    rig.close()
    told = cli.from_file(tmp_path / "journal.db", AlarmsSection(hands_per_minute=1000))
    assert {key: value for key, value in told.items() if key not in ("decks", "voided", "alarms")} == summary(
        watch.statistics
    )
    assert told["decks"]["compared"] == 3
    assert told["decks"]["kept"] > told["decks"]["expected"]  # the harness lays the same cards again and again
    assert run(["statistics", str(tmp_path / "journal.db")]) == 0
    out = capsys.readouterr().out
    assert "hands 3" in out
    assert "ALARM deck_neighbours shuffle" in out
    assert run(["statistics", str(tmp_path / "journal.db"), "--json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["hands"] == 3


def until_the_payment(rig: Rig) -> None:
    """Boxes 1 and 2 bet, box 3 folds; the dealer's hand lies open and box 2 is being paid."""
    rig.open().stake(b1=10, b2=20, b3=10).joker("2c")
    rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Ac Ad 5c 6c 3h", b3="4h 7s 8d Ts Jd").lock().deal()
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))
    rig.do(cm.Reveal())


def test_t13_a_voided_hand_is_settled_as_if_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played, _ = watched()
    until_the_payment(played)
    played.finish()
    nets = {str(b["box"]): b["net"] for b in played.events(ev.HandSettled)[0].answer["boxes"]}
    rig, _ = watched(tmp_path)
    until_the_payment(rig)
    rig.do(cm.VoidHand(reason="misdeal"), S1, S2)
    rig.lock()  # nothing decided yet
    rig.do(cm.VoidHand(reason="a card on the floor"), S1)
    rig.close()
    first, second = cli.from_file(tmp_path / "journal.db", AlarmsSection())["voided"]
    assert (first["hand"], first["reason"], first["phase"], first["dealer"]) == (1, "misdeal", "settling", "d1")
    assert (first["nets"], first["open"], first["by"]) == (nets, (), ("s1", "s2"))
    assert nets["3"] == -10
    assert (second["nets"], second["open"]) == ({}, (1, 2, 3))
    assert run(["statistics", str(tmp_path / "journal.db")]) == 0
    out = capsys.readouterr().out
    assert "void hand 1 (misdeal; settling; dealer d1; by s1, s2): as if settled: box 1 " in out
    assert "by s1): as if settled: box 1 ?, box 2 ?, box 3 ?" in out


def test_the_command_shows_an_open_hand_nothing(tmp_path: Path) -> None:
    rig, _ = watched(tmp_path)
    rig.open().stake(b1=10).lock()
    rig.card()
    rig.close()
    assert cli.from_file(tmp_path / "journal.db", AlarmsSection())["hands"] == 0


# --- the chances, against printed tables and brute force -------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "freedom", "tail"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (11.070, 5, 0.05), (6.635, 1, 0.01), (67.505, 50, 0.05), (76.154, 50, 0.01),
     (69.832, 52, 0.05), (68.669, 51, 0.05)],
)  # fmt: skip
def test_chi_square_of_the_printed_tables(value: float, freedom: int, tail: float) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(tail, rel=2e-3)


def test_chi_square_of_counts() -> None:
    assert chi_square([8, 12, 20], [1, 1, 2]) == pytest.approx(0.8)
    assert chi_square([5, 5, 0], [1, 1, 0]) == 0


@pytest.mark.parametrize(("count", "mean"), [(1, 0.3), (6, 0.317), (3, 3.0), (20, 8.5), (2, 40.0)])
def test_poisson_by_its_definition(count: int, mean: float) -> None:
    below = math.fsum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(count))
    assert poisson_tail(count, mean) == pytest.approx(1 - below, rel=1e-6)


def test_ends_of_the_scales() -> None:
    assert (poisson_tail(0, 5.0), poisson_tail(3, 0.0), chi_square_tail(0, 5)) == (1.0, 0.0, 1.0)
    assert poisson_tail(300, 2.0) < 1e-100
    assert normal_tail(4.7534) == pytest.approx(1e-6, rel=1e-3)
    assert more_wins(0, 0, 5, 10) == 1.0
    assert more_wins(10, 10, 10, 10) == 1.0
    assert more_wins(50, 100, 50, 100) == pytest.approx(0.5)


def test_kept_neighbours_of_fair_decks_are_as_many_as_expected() -> None:
    """The mean over many fair shuffles is the expectation that the alarm reckons with."""
    random, kept, expected, orders = Random(11), 0, 0.0, []
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]

    def hand() -> list[tuple[str, int, str]]:
        random.shuffle(deck)
        return [("box", 1 + n % 7, card) for n, card in enumerate(deck[:35])]

    before = order_of(hand())
    for _ in range(4000):
        now = order_of(hand())
        likeness = compare(before, now, 52)
        kept, expected, before = kept + likeness.kept, expected + likeness.expected, now
        orders.append(likeness.order)
    assert kept == pytest.approx(expected, rel=0.04)
    assert abs(math.fsum(orders) / math.sqrt(len(orders))) < 3
    assert math.fsum(order * order for order in orders) / len(orders) == pytest.approx(1, rel=0.1)


def test_unread_cards_part_neighbours() -> None:
    one = order_of([("box", 1, "As"), ("box", 1, "??"), ("box", 1, "Kd")])
    assert one.neighbours == frozenset()
    assert not compare(one, one, 52).compared
