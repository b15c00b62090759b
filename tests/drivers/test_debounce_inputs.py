"""Debouncing: what is a press, what is a fault. Pins are a model on hand-driven time."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.events import ButtonEdge, ButtonFault, Edge
from drivers.gpio.debounce import MS, Debouncer, Timing

SETTLED = 2000 * MS
Output = ButtonEdge | ButtonFault


class Bench:
    """Pins whose true level is known at any time; edges reach the debouncer as the kernel might hand them over."""

    def __init__(self, *names: str, active: Iterable[str] = (), timing: Timing | None = None) -> None:
        self.level = {name: name in active for name in names}
        self.now_ns = 0
        self.out: list[Output] = []
        self.reads = 0
        self.debouncer = Debouncer(names, self._read, 0, timing=timing)

    def _read(self, name: str) -> bool:
        self.reads += 1
        return self.level[name]

    def run(self, until_ns: int) -> None:
        """Polls exactly when the debouncer asks for it."""
        while (due := self.debouncer.next_ns) <= until_ns:
            self.now_ns = max(self.now_ns, due)
            self.out += self.debouncer.poll(self.now_ns)
        self.now_ns = until_ns

    def edge(self, name: str, active: bool, t_ns: int, *, told: bool = True) -> None:
        self.run(t_ns)
        self.level[name] = active
        if told:
            self.out += self.debouncer.feed(Edge(name, active, t_ns))

    def hidden(self, name: str, active: bool, t_ns: int) -> None:
        """The level changes and no edge is told."""
        self.edge(name, active, t_ns, told=False)

    def presses(self, name: str = "STOP") -> list[int]:
        return [e.t_ns for e in self.out if isinstance(e, ButtonEdge) and e.name == name and e.pressed]

    def releases(self, name: str = "STOP") -> list[int]:
        return [e.t_ns for e in self.out if isinstance(e, ButtonEdge) and e.name == name and not e.pressed]

    def faults(self) -> list[tuple[str, str]]:
        return [(e.name, e.reason) for e in self.out if isinstance(e, ButtonFault)]


def settled(*names: str) -> Bench:
    bench = Bench(*names)
    bench.run(SETTLED)
    assert bench.out == []
    return bench


def test_a_clean_press_counts_once_with_the_time_of_its_edge() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    bench.run(SETTLED + 10 * MS - 1)
    assert bench.out == []
    bench.run(SETTLED + 10 * MS)
    assert bench.presses() == [SETTLED]
    bench.edge("STOP", False, SETTLED + 80 * MS)
    bench.run(SETTLED + 500 * MS)
    assert bench.out == [ButtonEdge("STOP", True, SETTLED), ButtonEdge("STOP", False, SETTLED + 80 * MS)]


def test_a_spike_is_nothing() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    bench.edge("STOP", False, SETTLED + 9 * MS)
    bench.run(SETTLED + 1000 * MS)
    assert bench.out == []


def test_no_blanket_window_two_quick_presses_are_two() -> None:
    bench = settled("STOP")
    for start in (0, 60, 120):
        bench.edge("STOP", True, SETTLED + start * MS)
        bench.edge("STOP", False, SETTLED + (start + 30) * MS)
    bench.run(SETTLED + 300 * MS)
    assert len(bench.presses()) == len(bench.releases()) == 3


def test_release_is_needed_before_the_next_press() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    for t in range(50, 500, 50):  # the contact opens for 5 ms now and then
        bench.edge("STOP", False, SETTLED + t * MS)
        bench.edge("STOP", True, SETTLED + (t + 5) * MS)
    bench.run(SETTLED + 1000 * MS)
    assert len(bench.presses()) == 1 and bench.releases() == []


@pytest.mark.parametrize("late", [(), ((1395, False), (1397, True))])
def test_a_press_seen_by_a_sweep_before_its_edge_arrives_is_kept(late: tuple[tuple[int, bool], ...]) -> None:
    bench = settled("STOP")
    bench.run(SETTLED + 384 * MS)
    bench.level["STOP"] = True  # the kernel has stamped the edge; it has not reached us
    bench.run(SETTLED + 400 * MS)  # a sweep reads the new level first
    for ms, active in ((1384, True), *late, (1409, False)):
        bench.out += bench.debouncer.feed(Edge("STOP", active, SETTLED + (ms - 1000) * MS))
    bench.level["STOP"] = False
    bench.run(SETTLED + 600 * MS)
    assert bench.presses() == [SETTLED + 384 * MS]
    assert bench.releases() == [SETTLED + 409 * MS]


TRAIN = st.lists(st.integers(1, 20 * MS - 1), max_size=40, unique=True).map(sorted)


def play(bench: Bench, start_ns: int, train: list[int], end: bool, told: Iterable[bool] = ()) -> None:
    """Toggles at the times of the train; the last one leaves the level `end`."""
    times = [0, *train] if len(train) % 2 == 0 else [0, *train[:-1]]
    tell = [*told, *[True] * len(times)]
    for place, t in enumerate(times):
        level = end if place % 2 == 0 else not end
        bench.edge("STOP", level, start_ns + t, told=tell[place])


@settings(deadline=None, max_examples=300)
@given(TRAIN, TRAIN, st.integers(60, 4000))
def test_chatter_fuzz_exactly_one_press(down: list[int], up: list[int], hold_ms: int) -> None:
    bench = settled("STOP")
    play(bench, SETTLED, down, True)
    play(bench, SETTLED + hold_ms * MS, up, False)
    bench.run(SETTLED + (hold_ms + 500) * MS)
    assert len(bench.presses()) == 1 and len(bench.releases()) == 1 and bench.faults() == []
    assert SETTLED <= bench.presses()[0] < SETTLED + 20 * MS


@settings(deadline=None, max_examples=300)
@given(TRAIN, st.lists(st.booleans(), max_size=40))
def test_chatter_fuzz_with_lost_edges(train: list[int], told: list[bool]) -> None:
    bench = settled("STOP")
    play(bench, SETTLED, train, True, told)
    bench.run(SETTLED + 500 * MS)
    assert len(bench.presses()) == 1 and bench.releases() == [] and bench.faults() == []


@settings(deadline=None, max_examples=200)
@given(TRAIN, TRAIN)
def test_chatter_fuzz_handed_over_late_in_one_go(down: list[int], up: list[int]) -> None:
    bench = settled("STOP")
    for start, train, end in ((SETTLED, down, True), (SETTLED + 100 * MS, up, False)):
        times = [0, *train] if len(train) % 2 == 0 else [0, *train[:-1]]
        for place, t in enumerate(times):
            bench.out += bench.debouncer.feed(Edge("STOP", end if place % 2 == 0 else not end, start + t))
    bench.run(SETTLED + 3000 * MS)
    assert len(bench.presses()) == 1 and len(bench.releases()) == 1 and bench.faults() == []


def test_f37_edge_storm_with_repeats_and_a_missing_last_edge() -> None:
    bench = settled("STOP")
    for n in range(60):
        level = (n // 2) % 2 == 0  # each direction comes twice
        bench.edge("STOP", level, SETTLED + n * 5 * MS // 60)
    assert bench.level["STOP"] is False  # the last edge that was told says released
    bench.hidden("STOP", True, SETTLED + 5 * MS)
    reads = bench.reads
    bench.run(SETTLED + 200 * MS)
    assert len(bench.presses()) == 1 and bench.releases() == [] and bench.reads > reads
    assert bench.debouncer.level("STOP") is True


def test_f37_a_last_edge_that_lies_is_no_press() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    bench.hidden("STOP", False, SETTLED + 1)
    bench.run(SETTLED + 500 * MS)
    assert bench.out == []


def test_f37_a_press_of_which_no_edge_came_is_found() -> None:
    bench = settled("STOP")
    bench.hidden("STOP", True, SETTLED + 1)
    bench.run(SETTLED + 300 * MS)
    assert len(bench.presses()) == 1
    bench.hidden("STOP", False, SETTLED + 400 * MS)
    bench.run(SETTLED + 700 * MS)
    assert len(bench.releases()) == 1


def test_f39_low_during_start_fires_nothing() -> None:
    bench = Bench("STOP", active=["STOP"])
    bench.edge("STOP", False, 200 * MS)
    bench.edge("STOP", True, 250 * MS)
    bench.edge("STOP", False, 800 * MS)
    bench.run(1700 * MS)
    bench.edge("STOP", True, 1750 * MS)  # still inside the settle time: no press, and the time starts again
    bench.edge("STOP", False, 1780 * MS)
    bench.run(5000 * MS)
    assert bench.out == [] and bench.debouncer.level("STOP") is False
    bench.edge("STOP", True, 5000 * MS)
    bench.run(5100 * MS)
    assert bench.presses() == [5000 * MS]


def test_f39_stuck_at_start_is_a_fault_and_no_action() -> None:
    bench = Bench("STOP", "START", active=["STOP"])
    bench.run(60_000 * MS)
    assert bench.faults() == [("STOP", "held at start")] and bench.presses() == []
    assert bench.debouncer.level("STOP") is None and bench.debouncer.level("START") is False
    bench.edge("STOP", False, 60_000 * MS)
    bench.run(62_000 * MS)
    assert bench.releases() == [60_000 * MS] and bench.presses() == []
    bench.edge("STOP", True, 62_000 * MS)
    bench.run(62_100 * MS)
    assert bench.presses() == [62_000 * MS]


def test_f39_never_quiet_at_start_is_a_fault() -> None:
    bench = Bench("STOP")
    for n in range(1, 80):
        bench.edge("STOP", n % 2 == 1, n * 100 * MS)
    assert bench.faults() == [("STOP", "never quiet since start")] and bench.presses() == []


def test_t10_held_ten_seconds_is_one_press_and_one_fault() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    bench.run(SETTLED + 10_000 * MS)
    assert bench.presses() == [SETTLED] and bench.faults() == [("STOP", "held for 5 s")]
    bench.edge("STOP", False, SETTLED + 10_000 * MS)
    bench.edge("STOP", True, SETTLED + 10_100 * MS)
    bench.run(SETTLED + 10_200 * MS)
    assert bench.presses() == [SETTLED, SETTLED + 10_100 * MS] and len(bench.releases()) == 1


def test_f37_endless_chatter_is_a_fault_and_dead_until_quiet() -> None:
    bench = settled("STOP")
    for n in range(2000):  # 10 s of edges 5 ms apart
        bench.edge("STOP", n % 2 == 0, SETTLED + n * 5 * MS)
    assert bench.faults() == [("STOP", "chatters")] and bench.presses() == []
    end = SETTLED + 10_000 * MS
    bench.run(end + 900 * MS)
    assert bench.debouncer.level("STOP") is None
    bench.run(end + 1100 * MS)
    assert bench.debouncer.level("STOP") is False and bench.presses() == []
    bench.edge("STOP", True, end + 1200 * MS)
    bench.run(end + 1300 * MS)
    assert len(bench.presses()) == 1


def test_f37_slow_chatter_is_a_fault_too() -> None:
    bench = settled("STOP")
    for n in range(200):
        bench.edge("STOP", n % 2 == 0, SETTLED + n * 15 * MS)
    assert bench.faults()[0] == ("STOP", "chatters") and len(bench.presses()) <= 13


@pytest.mark.parametrize("active", [False, True])
def test_levels_are_told_after_start_and_are_never_held(active: bool) -> None:
    bench = Bench("SWITCH", "DOOR", active=["SWITCH", "DOOR"] if active else [])
    bench.run(60_000 * MS)
    assert bench.out == [ButtonEdge("SWITCH", active, 0), ButtonEdge("DOOR", active, 0)]
    bench.edge("DOOR", not active, 60_000 * MS)
    bench.run(61_000 * MS)
    assert bench.out[2:] == [ButtonEdge("DOOR", not active, 60_000 * MS)]


def test_f46_a_busy_loop_gets_presses_in_their_order_and_with_their_times() -> None:
    bench = settled("K1", "K2")
    edges = [("K1", True, 0), ("K1", False, 50), ("K2", True, 100), ("K2", False, 150), ("K1", True, 200)]
    bench.level["K1"] = True
    for name, active, t in edges:
        bench.out += bench.debouncer.feed(Edge(name, active, SETTLED + t * MS))
    bench.run(SETTLED + 1000 * MS)
    assert bench.out == [ButtonEdge(name, active, SETTLED + t * MS) for name, active, t in edges]


def test_a_poll_between_late_edges_loses_no_press() -> None:
    bench = settled("STOP")
    bench.out += bench.debouncer.feed(Edge("STOP", True, SETTLED))
    bench.out += bench.debouncer.poll(SETTLED + 1000 * MS)  # the pin has long been released
    bench.out += bench.debouncer.feed(Edge("STOP", False, SETTLED + 50 * MS))
    bench.run(SETTLED + 1500 * MS)
    assert bench.out == [ButtonEdge("STOP", True, SETTLED), ButtonEdge("STOP", False, SETTLED + 50 * MS)]


def test_chatter_of_one_input_delays_the_others_for_a_moment_only() -> None:
    bench = settled("STOP", "K1")
    for n in range(400):
        t = SETTLED + n * 5 * MS
        if n == 10:
            bench.edge("K1", True, t)
        bench.edge("STOP", n % 2 == 0, t)
        if n == 62:
            assert bench.presses("K1") == [SETTLED + 50 * MS]


def test_t10_start_and_stop_together_are_two_presses() -> None:
    bench = settled("START", "STOP")
    bench.edge("START", True, SETTLED)
    bench.edge("STOP", True, SETTLED)
    bench.run(SETTLED + 100 * MS)
    assert bench.presses("START") == bench.presses("STOP") == [SETTLED]


def test_an_edge_of_something_not_wired() -> None:
    bench = settled("STOP")
    assert bench.debouncer.feed(Edge("K7", True, SETTLED)) == [ButtonFault("K7", "not wired")]


def test_a_re_read_that_contradicts_itself_starts_the_window_again() -> None:
    bench = settled("STOP")
    bench.edge("STOP", True, SETTLED)
    bench.hidden("STOP", False, SETTLED + 9 * MS)  # open at the first look, closed again at the second
    bench.hidden("STOP", True, SETTLED + 15 * MS)
    bench.run(SETTLED + 29 * MS)
    assert bench.out == []
    bench.run(SETTLED + 30 * MS)
    assert bench.presses() == [SETTLED]


def test_a_late_edge_the_same_way_proves_nothing_about_the_time_before_it() -> None:
    bench = settled("STOP")
    for active, t in ((True, 0), (True, 100), (False, 101)):  # two spikes; the end of the first was lost
        bench.out += bench.debouncer.feed(Edge("STOP", active, SETTLED + t * MS))
    bench.run(SETTLED + 1000 * MS)
    assert bench.out == []
