"""The demo's supervisor and surveillance: what they say when the dealer alone may not go on.

Looks at a snapshot and names one command with those who agree; the demo gives it through tablectl, as people do.
Sees the felt (the world) only where cards lie open.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_sim import by_hand
from firmware_sim.feed import Snapshot, cards_on_table
from firmware_sim.world import BoxCards, World

DEALER, SUPERVISOR, WITNESS = "dealer", "supervisor", "witness"

# Play is held: with these causes it can go on, the others end in a void hand.
RESUMED = frozenset({"extra_card", "double_feed", "declared", "side_bets", "too_many_unread"})
RESET = frozenset({"cards_lost", "shoe"})


@dataclass(frozen=True)
class Say:
    """A command and who agrees to it."""

    command: tuple[str, ...]
    who: tuple[str, ...] = (SUPERVISOR,)
    repair: bool = False  # a technician mends the joker board first


def decide(snap: Snapshot, world: World) -> Say | None:
    """What the floor staff says now; None when the dealer can go on by himself."""
    for waiting in snap.get("waiting") or ():
        who = WITNESS if "person" in str(waiting.get("missing")) else SUPERVISOR
        return Say(("approve", f"id={waiting['id']}"), (who,))
    expects = snap.get("expects") or {}
    box = int(expects.get("box") or 0)
    match str(expects.get("kind", "")):
        case "discard_check":
            return Say(("discard_check", f"box={box}"))
        case "entry" if by_hand.asks_by_hand(snap):
            return None  # the dealer enters it at the keys; what then waits stands under `waiting`
        case "entry":
            card = lying_there(world, str(expects.get("place")), box, int(expects.get("index") or 0))
            return Say(("enter_card", f"card={card}", f"box={box}")) if card else None
        case "shuffle" if expects.get("cause") == "distrusted":
            return _looked_at(snap)
        case "deck" | "shuffle" if expects.get("cause") in CAUSES:
            return _deck(snap)
        case "deck":
            return Say(("deck", f"deck=spare-{snap.get('hand')}"))
        case "count":
            return Say(("resume",))
        case "award":
            return Say(("award", f"hit={int(expects.get('index') or 0) + 1}"), (SUPERVISOR, WITNESS))
        case "release":
            return Say(("release", f"box={box}"))
        case "supervisor" if expects.get("cause") == "reads_doubted":
            return Say(("reset", f"number={not_read(snap, world)}"))
        case "supervisor":
            return _held(str(expects.get("cause", "")))
        case _:
            return None


CAUSES = ("bring", "offered", "put_in", "wait", "take_out")
TWO = 2


def _looked_at(snap: Snapshot) -> Say | None:
    """Two people have been at the shuffler and its cable."""
    found = next((alarm for alarm in snap.get("alarms") or () if alarm["code"] == "line_distrusted"), None)
    said = ("answer_alarm", f"alarm={found['id']}", "reason=cable looked at") if found is not None else None
    return Say(said, (SUPERVISOR, WITNESS)) if said is not None else None


def _deck(snap: Snapshot) -> Say | None:
    """Two decks serve a table with a shuffler; one that nobody brought is not accepted, another is brought."""
    decks = snap.get("decks") or []
    usable = [deck for deck in decks if deck["place"] not in ("quarantined", "retired", "offered")]
    return Say(("deck", f"deck=D-{len(decks) + 1}")) if len(usable) < TWO else None


def _held(cause: str) -> Say:
    if cause in RESUMED:
        return Say(("resume",))
    if cause == "board":
        return Say(("reset",), repair=True)
    if cause in RESET:
        return Say(("reset",))
    return Say(("void_hand", f"reason={cause or 'unknown'}"), (SUPERVISOR, WITNESS))


def not_read(snap: Snapshot, world: World) -> int:
    """How many cards lie on the felt that the table does not have."""
    laid = sum(len(box.dealt) + len(box.drawn) for box in world.boxes.values()) + len(world.dealer)
    return max(0, laid - cards_on_table(snap))


def lying_there(world: World, place: str, box: int, index: int) -> str | None:
    """The card of an open place."""
    held = world.boxes.get(box) or BoxCards()
    cards = {"box": held.dealt, "draw": held.drawn, "dealer": world.dealer}.get(place, [])
    return cards[index] if index < len(cards) else None
