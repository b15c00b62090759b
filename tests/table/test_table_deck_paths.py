"""Whatever shuffler, dealer and supervisor do with decks: none is dealt that was not counted right just before."""

from __future__ import annotations

from typing import Any

from harness import D1, S1, Rig, make_setup
from harness_parts import quick_folder
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.decks import DeckRules
from controller.domain.phases import Phase

MARKS = st.sampled_from(["R-1", "B-2", "G-3"])
SAID = st.one_of(
    st.tuples(st.sampled_from(["deck_in", "shuffle_started", "shuffle_failed", "deck_out"]), MARKS, st.just({})),
    st.tuples(
        st.just("shuffle_done"),
        MARKS,
        st.sampled_from([{"count": 52}, {"count": 52}, {"count": 51}, {"count": 52, "doubles": 1}, {"count": 0}]),
    ),
)
ROUND = st.tuples(st.just("round"), MARKS, st.just({}))  # in, counted, out: as it should be
OTHER = st.tuples(
    st.sampled_from(["bring", "change", "gone", "back", "anew", "hand", "card", "kill", "lost"]), MARKS, st.just({})
)
PART = st.tuples(  # a round with something wrong in it; 9: nothing of the kind
    st.just("part"),
    MARKS,
    st.fixed_dictionaries(
        {
            "left_out": st.sampled_from([9, 1, 2, 3]),
            "count": st.sampled_from([52, 52, 51]),
            "lost": st.sampled_from([9, 9, 2]),
        }
    ),
)
STEPS = st.lists(st.one_of(SAID, ROUND, PART, PART, PART, OTHER, OTHER), min_size=5, max_size=30)
KINDS = ("deck_in", "shuffle_started", "shuffle_done", "deck_out")


def step(rig: Rig, what: str, mark: str, numbers: dict[str, int]) -> None:
    match what:
        case "round" | "part":
            for place, kind in enumerate(KINDS):
                if place != numbers.get("left_out"):
                    rig.machine(kind, mark, **({"count": numbers.get("count", 52)} if kind == "shuffle_done" else {}))
                if place == numbers.get("lost"):
                    step(rig, "lost", mark, {})
        case "bring":
            rig.act(cm.Deck(deck=mark), D1, S1)
        case "change":
            rig.act(cm.Deck(deck="N-4", out=mark), D1, S1)
        case "gone":
            rig.device(cm.DeviceOut(device="shuffler", reason="device gone"))
        case "back" | "anew":
            last = rig.table.shuffler.last_event if what == "back" else 0
            rig.connect("shuffler", serial="SH-1", log_last=last)
        case "hand" if rig.phase is Phase.BETTING and not rig.table.quarantined:
            rig.stake(b1=10).lock().finish()
        case "card" if rig.phase is Phase.BETTING and not rig.table.quarantined:
            rig.stake(b1=10).lock()
            rig.card()
        case "kill":
            rig.restart(connect=False)
            rig.connect("shoe", "board", log_last=rig.event_no)
        case "lost":
            last = rig.table.shuffler.last_event
            rig.device(cm.LostIn(device="shuffler", first=last + 1, last=last + 2))
        case _ if what in ("deck_in", "shuffle_started", "shuffle_failed", "deck_out", "shuffle_done"):
            rig.machine(what, mark, **numbers)


def check(events: list[Any]) -> None:
    """A second reading of the record: what was said of each deck since it last went in."""
    said: dict[str, list[tuple[str, bool]]] = {}
    barred: set[str] = set()
    for event in events:
        match event:
            case ev.ShufflerTold(kind="deck_in"):
                said[event.deck] = []
            case ev.ShufflerTold():
                right = event.kind == "shuffle_done" and (event.count, event.doubles, event.unread) == (52, 0, 0)
                said.setdefault(event.deck, []).append((event.kind, right))
            case ev.ShufflerAdopted() | ev.EventsMissed():
                said = {}
            case ev.DeckQuarantined() if event.deck:
                barred.add(event.deck)
            case ev.DeckRetired():
                barred.add(event.deck)
            case ev.DeckTaken(source="shuffler"):
                assert event.deck not in barred
                heard = said[event.deck]
                done = [place for place, (kind, _) in enumerate(heard) if kind == "shuffle_done"]
                assert done, "dealt uncounted"
                assert heard[done[-1]][1], "dealt though the last count was wrong"
                assert "deck_out" in [kind for kind, _ in heard[done[-1] :]]
                assert "shuffle_started" not in [kind for kind, _ in heard[done[-1] :]]
                said[event.deck] = []  # once dealt it is used
            case ev.DeckTaken(source="supervisor"):
                assert event.deck not in barred
            case ev.DeckTaken():
                raise AssertionError("taken unchecked beside a shuffler")


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
@example([("round", "R-1", {}), ("round", "B-2", {}), ("lost", "B-2", {}), ("hand", "R-1", {})])
@example([("round", "R-1", {}), ("round", "B-2", {}), ("shuffle_started", "B-2", {}), ("hand", "R-1", {})])
def test_no_deck_is_dealt_that_was_not_counted_right(steps: list[tuple[str, str, dict[str, int]]]) -> None:
    with quick_folder() as folder:
        rig = Rig(folder, setup=make_setup("oasis_ru", decks=DeckRules(shuffler=True)))
        rig.connect("shoe", "board")
        rig.connect("shuffler", serial="SH-1", log_last=0)
        rig.do(cm.OpenTable(), D1, S1)
        rig.do(cm.Deck(deck="R-1"), S1)
        rig.do(cm.Deck(deck="B-2"), S1)
        for what, mark, numbers in steps:
            step(rig, what, mark, numbers)
            rig.sinks()
        check(rig.events())
        assert rig.replayed() == rig.table
        rig.close()
