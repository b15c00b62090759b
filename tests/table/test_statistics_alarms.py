"""Simulated cheating raises the alarm, fair play over many hands does not (T6, T8, T11, T12, T13, T26). Seeded."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from statistics_stream import DECK, Stream, clumped, dealt, fair_shuffle, opened, riffled_once

from controller.domain import events as ev
from controller.table import alarms
from controller.table.statistics import Statistics, fold, fold_all
from controller.table.watch import summary
from controller.watch_config import AlarmsSection
from drivers.events import BY_PEOPLE

SHUFFLE = {"deck_neighbours", "deck_order"}


def codes(stream: Stream) -> set[str]:
    return {code for code, _ in stream.due}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fair_play_over_many_hands_raises_nothing(seed: int) -> None:
    assert Stream(seed).play(2500).due == {}


def test_t26_blocks_that_survive_the_shuffle_are_found_in_a_few_hands() -> None:
    stream = Stream(1, shuffle=clumped(10)).play(10)
    assert stream.due[("deck_neighbours", "shuffle")] <= 4


def test_t26_small_blocks_are_found_by_many_hands_together() -> None:
    stream = Stream(1, shuffle=clumped(4)).play(60)
    assert "deck_neighbours" in codes(stream)


def test_t26_a_deck_riffled_once_keeps_its_order() -> None:
    assert "deck_order" in codes(Stream(1, shuffle=riffled_once).play(20))


def test_t26_a_deck_not_shuffled_at_all_is_found_at_once() -> None:
    stream = Stream(1, shuffle=lambda random, before: before).play(3)
    assert stream.due[("deck_neighbours", "shuffle")] == 2


def test_t26_two_decks_in_turn_are_each_compared_with_themselves() -> None:
    decks: list[list[str]] = [[], []]

    def alternating(random: Random, before: list[str]) -> list[str]:
        decks[0], decks[1] = decks[1], before
        return clumped(10)(random, decks[0]) if decks[0] else fair_shuffle(random, before)

    assert "deck_neighbours" in codes(Stream(1, shuffle=alternating).play(12))


def test_t6_a_box_that_wins_too_often_is_found() -> None:
    stream = Stream(5, wins=lambda box, dealer: 0.62 if box == 3 else 0.45).play(1500)
    assert ("wins", "box 3") in stream.due
    assert not {whom for _, whom in stream.due if whom.startswith("box") and not whom.startswith("box 3")}
    assert not codes(stream) & SHUFFLE


def test_t6_a_box_that_wins_with_one_dealer_is_found_with_him() -> None:
    stream = Stream(6, wins=lambda box, dealer: 0.70 if (box, dealer) == (3, "d2") else 0.45).play(1500)
    assert ("wins", "box 3 with dealer d2") in stream.due
    assert ("wins", "box 3 with dealer d1") not in stream.due
    assert ("wins", "dealer d1") not in stream.due


def test_a_box_that_is_always_blind_wins_by_the_rules_and_raises_nothing() -> None:
    """Nobody folds it: some twenty points more than the open ones."""

    def rate(box: int, dealer: str) -> float:
        return 0.60 if box in (5, 6) else 0.39

    assert Stream(11, wins=rate).play(1500).due, "compared with open boxes they would"
    blind = Stream(11, wins=rate, blind=(5, 6)).play(1500)
    assert blind.due == {}
    told = summary(blind.statistics)["wins"]
    assert told["box 6, blind"][1] == told["all, blind"][1] / 2 == 1500
    assert "box 6" not in told


def test_t6_a_blind_box_that_wins_too_often_is_found_among_the_blind_ones() -> None:
    stream = Stream(12, wins=lambda box, dealer: {6: 0.80, 5: 0.60}.get(box, 0.39), blind=(5, 6)).play(1500)
    assert {whom for _, whom in stream.due if whom.startswith("box")} >= {"box 6, blind"}
    assert not {whom for _, whom in stream.due if whom.startswith(("box 5", "dealer"))}


@pytest.mark.parametrize(("entry", "wins"), [("before_deal", 0), ("none", 1), ("at_payout", 1)])
def test_where_amounts_are_nominal_a_bonus_turns_no_gain_into_a_loss(entry: str, wins: int) -> None:
    """The ante won; the bonus that stood proposed was larger, and nobody knows what really lay there."""
    answer = {"net": -40, "stakes": {"ante": {"profit": 10}, "bonus": {"profit": -50}}}
    locked = ev.Locked(stakes=({"box": 1, "blind": False},), limits={}, commitment="", seed="", witness="",
                       side_bets=0, counted=0, stake_entry=entry)  # fmt: skip
    played = [opened(), ev.HandOpened(hand=1, key=""), locked, ev.BoxSettled(box=1, answer=answer)]
    ended = ev.HandEnded(hand=1, outcome="settled", key="", seed="")
    told = summary(fold_all(Statistics(), [*played, ended], 0.0))["wins"]
    assert told["box 1"] == [wins, 1]


def test_boxes_that_win_and_lose_together_make_no_dealer_lucky() -> None:
    """Six boxes against one hand of the dealer: whole hands are counted, forty shifts are no four hundred chances."""
    for seed in range(8):
        shared: dict[tuple[str, int], bool] = {}
        stream = Stream(seed, limits=AlarmsSection(least_hands=50))

        def together(box: int, dealer: str, stream: Stream = stream, shared: dict[Any, bool] = shared) -> float:
            return float(shared.setdefault((dealer, stream.hand), stream.random.random() < 0.45))

        stream.wins = together
        assert not {whom for _, whom in stream.play(600).due if whom.startswith("dealer")}


def test_t6_a_dealer_whose_players_win_too_often_is_found() -> None:
    stream = Stream(14, wins=lambda box, dealer: 0.60 if dealer == "d2" else 0.40).play(1500)
    assert ("wins", "dealer d2") in stream.due
    assert ("wins", "dealer d1") not in stream.due


def test_better_play_within_the_margin_raises_nothing() -> None:
    assert Stream(7, wins=lambda box, dealer: 0.50 if box == 3 else 0.45).play(2500).due == {}


def test_a_board_that_favours_a_joker_is_found() -> None:
    stream = Stream(8, jokers=[*DECK, "DOC", "DOC", "DOC", "As", "As", "As", "As"]).play(600)
    assert ("jokers", "board") in stream.due
    assert stream.due[("jokers", "board")] >= 275


def test_a_doc_that_comes_by_another_weight_is_found() -> None:
    assert ("jokers", "board") in Stream(9, jokers=[*DECK, *["DOC"] * 12]).play(1000).due


# --- thresholds, exactly ---------------------------------------------------------------------------------------------

RATES = [
    ("undos", ev.Undone(), "dealer d1", 30),
    ("voids", ev.BoxVoided(box=1, reason="x"), "dealer d1", 5),
    ("overrides", ev.CardEntered(place="box", box=1, index=0, card="As"), "dealer d1", 10),
    ("overrides", ev.StakeCorrected(box=1, ante=20, bonus=0), "dealer d1", 10),
    ("overrides", ev.HandsSwapped(first=1, second=2), "dealer d1", 10),
    ("late_bets", ev.LateBet(box=2), "box 2", 10),
]


@pytest.mark.parametrize(("code", "event", "whom", "limit"), RATES)
def test_rates_in_a_hundred_hands(code: str, event: ev.Event, whom: str, limit: int) -> None:
    stream = Stream(1).play(99, dealers=("d1",))
    at_limit = fold_all(stream.statistics, stream.events("d1", *[event] * limit), 0.0)
    assert alarms.due(at_limit, stream.limits) == []
    stream = Stream(1).play(99, dealers=("d1",))
    above = fold_all(stream.statistics, stream.events("d1", *[event] * (limit + 1)), 0.0)
    assert [(d.code, d.subject) for d in alarms.due(above, stream.limits)] == [(code, whom)]


def test_few_events_are_no_rate() -> None:
    stream = Stream(1)
    few = fold_all(stream.statistics, stream.events("d1", *[ev.Undone()] * 4), 0.0)
    assert alarms.due(few, stream.limits) == []


def test_voided_hands_count_as_voids() -> None:
    stream = Stream(1).play(20, dealers=("d1",))
    for _ in range(5):
        stream.statistics = fold_all(stream.statistics, stream.events("d1", outcome="void"), 0.0)
    assert [(d.code, d.detail) for d in alarms.due(stream.statistics, AlarmsSection(hands_per_minute=99))] == [
        ("voids", "5 in 25 hands, limit 5 in 100")
    ]


def test_reader_errors_by_device() -> None:
    def unread(count: int) -> list[str]:
        stream = Stream(1).play(20, dealers=("d1",))
        more = [dealt("box", 1, "??", 100 + n, device="shoe") for n in range(count)]
        s = fold_all(stream.statistics, stream.events("d1", *more), 0.0)
        return [f"{d.code} {d.subject}" for d in alarms.due(s, stream.limits)]

    assert unread(7) == []  # of 742 cards
    assert unread(8) == ["reader_errors shoe"]


def test_reader_errors_by_deck() -> None:
    stream = Stream(1)
    events = [e if not isinstance(e, ev.DeckTaken) else ev.DeckTaken(deck="red", source="shuffler")
              for e in stream.events("d1", *[dealt("box", 1, "??", 90 + n) for n in range(6)])]  # fmt: skip
    found = alarms.due(fold_all(stream.statistics, events, 0.0), stream.limits)
    assert [d.subject for d in found] == ["deck red", "shoe"]


def test_a_card_lost_with_its_event_is_no_misread() -> None:
    stream = Stream(1)
    lost = [dealt("box", 1, "??", 0) for _ in range(9)]
    assert fold_all(stream.statistics, stream.events("d1", *lost), 0.0).count("unread", "shoe") == 0


def started() -> ev.RunStarted:
    return ev.RunStarted(version="", mode="bench", hardware={}, config_hash="")


def ended() -> ev.RunEnded:
    return ev.RunEnded(reason="", head="", signature="")


@pytest.mark.parametrize(("stops", "count"), [([], 3), ([ended()], 0)])
def test_t8_power_lost_between_lock_and_the_hand_s_end(stops: list[ev.Event], count: int) -> None:
    stream = Stream(1)
    stream.statistics = fold(stream.statistics, started(), 0.0)
    stream.statistics = fold_all(stream.statistics, stream.events("d1"), 0.0)
    for _ in range(3):
        stream.statistics = fold_all(stream.statistics, stream.events("d2", *stops, started()), 0.0)
    assert stream.statistics.count("power_losses", "dealer d2") == count
    found = [d for d in alarms.due(stream.statistics, stream.limits) if d.code == "power_losses"]
    assert [d.subject for d in found] == (["dealer d2"] if count else [])


def test_t12_hands_that_the_discard_tray_saw_otherwise() -> None:
    stream = Stream(1)
    differs = ev.TrayDiffers(hand=1, never_dealt=1, twice=0, missing=1, cards="")
    for n in range(3):
        assert alarms.due(stream.statistics, stream.limits) == [], n
        stream.statistics = fold_all(stream.statistics, stream.events("d1", differs), 0.0)
    found = alarms.due(stream.statistics, stream.limits)
    assert [(d.code, d.subject, d.detail) for d in found] == [
        ("tray_differs", "dealer d1", "3 hands against the discard tray, limit 2")
    ]


def test_power_lost_between_hands_is_nobody_s() -> None:
    stream = Stream(1)
    s = fold_all(stream.statistics, [started(), *stream.events("d1"), started(), started()], 0.0)
    assert s.subjects("power_losses") == []


def test_device_drops_in_an_hour() -> None:
    s, limits = Statistics(), AlarmsSection()
    for n in range(5):
        s = fold(s, ev.DeviceDown(device="shoe", reason=""), n * 60.0)
    assert alarms.due(s, limits) == []
    late = fold(s, ev.DeviceDown(device="shoe", reason=""), 3600.0)
    assert alarms.due(late, limits) == []  # the first is an hour ago
    sixth = fold(s, ev.DeviceDown(device="shoe", reason=""), 3599.0)
    assert [(d.code, d.subject) for d in alarms.due(sixth, limits)] == [("device_drops", "shoe")]


def test_a_device_that_people_pair_has_not_dropped() -> None:
    """The words are in older journals, too: they are the driver's, and may not change."""
    assert BY_PEOPLE == ("pairing", "the key was taken back")
    s = fold_all(Statistics(), [ev.DeviceDown(device="shoe", reason=reason) for reason in BY_PEOPLE] * 6, 60.0)
    assert s.drops == ()


def test_p17_hands_faster_than_people_deal() -> None:
    stream = Stream(1)
    for n in range(5):
        stream.statistics = fold_all(stream.statistics, stream.events("d1"), n * 15.0)
    assert alarms.due(stream.statistics, stream.limits) == []
    stream.statistics = fold_all(stream.statistics, stream.events("d1"), 60.0)
    assert [d.code for d in alarms.due(stream.statistics, AlarmsSection(hands_per_minute=3))] == ["pace"]


@pytest.mark.parametrize(
    ("stakes", "after", "alarm"),
    [
        (({"box": 1, "ante": 10, "jackpot": 5}, {"box": 2, "ante": 10, "jackpot": 5}), "110", []),
        (({"box": 1, "ante": 10, "jackpot": 5}, {"box": 2, "ante": 10, "jackpot": 5}), "110.000001", ["contribution"]),
        (({"box": 1, "ante": 10, "bonus": 5},), "250", []),
        (({"box": 1, "ante": 10, "bonus": 5},), "250.5", ["contribution"]),
        (({"box": 1, "ante": 10, "jackpot": 5},), "20", []),  # a prize was paid
    ],
)
def test_p17_a_meter_fed_with_more_than_was_staked(
    stakes: tuple[dict[str, int], ...], after: str, alarm: list[str]
) -> None:
    stream = Stream(1)
    lock = ev.Locked(stakes=stakes, limits={}, commitment="", seed="", witness="", side_bets=0, counted=0)
    moved = ev.MeterMoved(before="100", after=after, reserve="0", cause="hand 1")
    s = fold_all(stream.statistics, stream.events("d1", lock, moved), 0.0)
    assert [d.code for d in alarms.due(s, stream.limits)] == alarm


def test_old_hands_leave_the_window() -> None:
    stream = Stream(1, limits=AlarmsSection(hands=100)).play(5)
    stream.statistics = fold_all(stream.statistics, stream.events("d1", *[ev.Undone()] * 9), 0.0)
    stream.play(99)
    assert (stream.statistics.count("undos", "dealer d1"), stream.statistics.count("hands")) == (9, 100)
    stream.play(1)
    assert (stream.statistics.count("undos", "dealer d1"), stream.statistics.count("hands")) == (0, 100)
    assert stream.statistics.count("decided", "all") == 600
    assert len(stream.statistics.window) == 100


def test_another_game_begins_anew() -> None:
    stream = Stream(1).play(10)
    assert fold(stream.statistics, opened(), 0.0).count("hands") == 10
    assert fold(stream.statistics, opened(rules_hash="other"), 0.0).count("hands") == 0


def test_a_hand_that_has_not_ended_shows_nowhere() -> None:
    stream = Stream(1).play(3)
    whole = list(stream.events("d1", ev.Undone()))
    s = fold_all(stream.statistics, whole[:-1], 0.0)
    assert (s.tally, s.likeness, s.total) == (stream.statistics.tally, stream.statistics.likeness, 3)
