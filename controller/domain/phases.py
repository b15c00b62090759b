"""The tables of phases: the hand, the joker beside it, each device's health, and the rules that join them.

The only importer of `transitions`. It answers one question, "from here, may this trigger fire, and where to";
it holds no state of the table, runs no callbacks and knows no cards. docs/phases.md is generated from it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from transitions import Machine


class Phase(StrEnum):
    """Where a hand stands."""

    CLOSED = "closed"
    DECK_CHECK = "deck_check"
    BETTING = "betting"
    LOCKED = "locked"
    DEALING = "dealing"
    DECISIONS = "decisions"
    REVEAL = "reveal"
    SETTLING = "settling"
    IRREGULAR = "irregular"
    FAULT = "fault"


class JokerPhase(StrEnum):
    """Where the joker of J-poker stands; NONE in games without one."""

    NONE = "none"
    ARMED = "armed"
    DRAWN = "drawn"
    SHOWN = "shown"


class Health(StrEnum):
    """How far a device may be relied on."""

    ABSENT = "absent"
    SYNCING = "syncing"
    READY = "ready"
    DEGRADED = "degraded"
    UNTRUSTED = "untrusted"


DISTRUSTED = frozenset({"tampered", "unreadable_event"})
"""Troubles of a line after which nothing on it is relied on until people have looked."""
AHEAD = "acked_ahead"  # the shoe remembers an acknowledgement of events that this journal does not know

PLAY = (Phase.LOCKED, Phase.DEALING, Phase.DECISIONS, Phase.REVEAL, Phase.SETTLING)
HELD = (Phase.BETTING, *PLAY)

# trigger, from, to. `resume` and `reset` lead back to where the hand was held, so they have a row for each.
PHASE_TABLE: tuple[tuple[str, Phase, Phase], ...] = (
    ("open_table", Phase.CLOSED, Phase.DECK_CHECK),
    ("deck_taken", Phase.DECK_CHECK, Phase.BETTING),
    ("lock", Phase.BETTING, Phase.LOCKED),
    ("counted", Phase.LOCKED, Phase.DEALING),
    ("dealt", Phase.DEALING, Phase.DECISIONS),
    ("decided", Phase.DECISIONS, Phase.REVEAL),
    ("revealed", Phase.REVEAL, Phase.SETTLING),
    ("settled", Phase.SETTLING, Phase.DECK_CHECK),
    *(("void", phase, Phase.DECK_CHECK) for phase in (*PLAY, Phase.IRREGULAR, Phase.FAULT)),
    ("close_table", Phase.BETTING, Phase.CLOSED),
    ("close_table", Phase.DECK_CHECK, Phase.CLOSED),
    *(("irregularity", phase, Phase.IRREGULAR) for phase in HELD),
    *(("resume", Phase.IRREGULAR, phase) for phase in HELD),
    *(("fault", phase, Phase.FAULT) for phase in (*HELD, Phase.DECK_CHECK, Phase.IRREGULAR)),
    *(("reset", Phase.FAULT, phase) for phase in (*HELD, Phase.DECK_CHECK, Phase.IRREGULAR)),
)

JOKER_TABLE: tuple[tuple[str, JokerPhase, JokerPhase], ...] = (
    ("arm", JokerPhase.NONE, JokerPhase.ARMED),
    ("draw", JokerPhase.ARMED, JokerPhase.DRAWN),
    ("show", JokerPhase.DRAWN, JokerPhase.SHOWN),
)

HEALTH_TABLE: tuple[tuple[str, Health, Health], ...] = (
    ("opened", Health.ABSENT, Health.SYNCING),
    ("identified", Health.ABSENT, Health.READY),
    ("identified", Health.SYNCING, Health.READY),
    ("identified", Health.DEGRADED, Health.READY),
    ("identified", Health.READY, Health.READY),
    ("misbehaves", Health.READY, Health.DEGRADED),
    ("recovers", Health.DEGRADED, Health.READY),
    *(("lost", health, Health.ABSENT) for health in (Health.SYNCING, Health.READY, Health.DEGRADED, Health.UNTRUSTED)),
    *(("distrusted", health, Health.UNTRUSTED) for health in (Health.SYNCING, Health.READY, Health.DEGRADED)),
    ("trusted", Health.UNTRUSTED, Health.READY),
)

# What a phase asks of the devices before its step may open: (step, device, healths that serve).
# `board` counts only in games with a joker; `shoe` stands for whatever reads the cards here, if anything does.
# Read by domain.hand before LOCK and before each card.
JOINT_RULES: tuple[tuple[str, str, tuple[Health, ...]], ...] = (
    ("lock", "shoe", (Health.READY, Health.DEGRADED)),
    ("lock", "board", (Health.READY,)),
    ("card", "shoe", (Health.READY, Health.DEGRADED)),
)


class _Model:
    """What a Machine moves; made anew for each question."""

    state: str


@lru_cache(maxsize=8)
def _machine(name: str) -> Machine:
    table = {"phase": PHASE_TABLE, "joker": JOKER_TABLE, "health": HEALTH_TABLE}[name]
    states = {"phase": Phase, "joker": JokerPhase, "health": Health}[name]
    return Machine(
        model=None,
        states=[str(state) for state in states],
        transitions=[
            {"trigger": trigger, "source": str(source), "dest": str(dest)}
            for trigger, source, dest in table
            if trigger not in ("resume", "reset")
        ],
        initial=str(next(iter(states))),
        auto_transitions=False,
    )


def _next(name: str, state: str, trigger: str) -> str | None:
    found = _machine(name).get_transitions(trigger=trigger, source=str(state))
    return str(found[0].dest) if found else None


def next_phase(phase: Phase, trigger: str) -> Phase | None:
    """Where `trigger` leads from `phase`; None where it may not fire. (`may_return`: resume, reset.)"""
    found = _next("phase", phase, trigger) if trigger not in ("resume", "reset") else None
    return Phase(found) if found else None


def may_return(trigger: str, held: Phase, back: Phase) -> bool:
    """Whether `resume` (from irregular) or `reset` (from fault) may lead back to `back`."""
    return (trigger, held, back) in PHASE_TABLE


def next_joker(joker: JokerPhase, trigger: str) -> JokerPhase | None:
    """Where `trigger` leads the joker; None where it may not fire."""
    found = _next("joker", joker, trigger)
    return JokerPhase(found) if found else None


def next_health(health: Health, trigger: str) -> Health:
    """A device's health after `trigger`; unchanged where the table has no row."""
    found = _next("health", health, trigger)
    return Health(found) if found else health


def serves(step: str, devices: dict[str, Health], *, joker: bool, source: str = "shoe") -> str | None:
    """The first device that keeps `step` from opening, or None. What the table does without counts for nothing.

    `source`: the device that reads the cards in the shoe's place; empty where none does.
    """
    used = {"board": "board" if joker else "", "shoe": source}
    for name, place, healths in JOINT_RULES:
        device = used[place]
        if name == step and device and devices.get(device, Health.ABSENT) not in healths:
            return device
    return None


def mermaid() -> str:
    """The three tables as one Mermaid page (docs/phases.md)."""
    parts = ["# Phases", "", "Generated from `controller/domain/phases.py` by `make diagrams`; do not edit.", ""]
    for title, table in (("The hand", PHASE_TABLE), ("The joker", JOKER_TABLE), ("A device", HEALTH_TABLE)):
        parts += [f"## {title}", "", "```mermaid", "stateDiagram-v2"]
        parts += [f"    {source} --> {dest}: {trigger}" for trigger, source, dest in table]
        parts += ["```", ""]
    return "\n".join(parts)
