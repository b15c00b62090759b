"""What the players want to stake in a hand, and the keys by which the dealer enters it (floor: keys, betting).

A plan for one hand, from its own random numbers: which boxes play, two boxes of one player, a blind box, a changed
stake, a bonus. Every wish is dropped after a few tries: the table may refuse what a house does not allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from firmware_sim.feed import Snapshot

if TYPE_CHECKING:
    from firmware_sim.hands import Hands

MOST_TRIES = 2
MOST_STARTS = 3


@dataclass(frozen=True)
class Wish:
    """Something to enter, and how to see that it stands."""

    name: str
    act: Callable[[Hands], object]
    done: Callable[[Snapshot], bool]


def box_of(snap: Snapshot, box: int) -> Snapshot:
    """One box of a snapshot."""
    for shown in snap.get("boxes", ()):
        if shown.get("box") == box:
            return dict(shown)
    return {}


@dataclass
class BettingPlan:
    """The stakes of one hand."""

    random: Random
    count: int
    starts: int = 0
    seats: set[int] = field(default_factory=set)
    pair: tuple[int, int] | None = None
    blind: int | None = None
    richer: int | None = None
    bonus: int | None = None
    chips: tuple[str, ...] = ()
    sensed: set[int] = field(default_factory=set)  # boxes whose player lays a chip on the bet sensor, where one is
    not_offered: set[str] = field(default_factory=set)  # stakes that this table has refused, for the whole run
    _tries: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        boxes = list(range(1, self.count + 1))
        self.seats = {box for box in boxes if self.random.random() < 0.6} or {self.random.choice(boxes)}
        if self.random.random() < 0.3 and self.count >= 2:
            self.pair = (1, 2)
            self.seats |= {1, 2}
        if self.random.random() < 0.25 and self.count >= 4:
            self.blind = self.count
            self.seats |= {self.count, self.count - 1}
        if self.random.random() < 0.3:
            self.richer = min(self.seats)
            self.chips = self.random.choice([("K3",), ("K3", "K3"), ("K4",), ("K4", "K4")])
        if self.random.random() < 0.3:
            self.bonus = max(self.seats - {self.blind}, default=None)
        self.sensed = {box for box in boxes if self.random.random() < 0.4} & self.seats - {self.blind}

    def wishes(self, snap: Snapshot) -> Iterator[Wish]:
        """What is not yet as the players want it, first things first."""
        if self.starts >= MOST_STARTS and len(self.seats) > 1:
            # The table refuses to lock: too many boxes for the deck, or a stake it does not take. One player leaves.
            self.seats.discard(max(self.seats))
            self.starts = 0
        for wish in (
            *self._seat_wishes(snap),
            *self._owner_wishes(snap),
            *self._stake_wishes(snap),
            *self._chip_wishes(snap),
        ):
            if self._tries.get(wish.name, 0) < MOST_TRIES:
                self._tries[wish.name] = self._tries.get(wish.name, 0) + 1
                yield wish

    def _seat_wishes(self, snap: Snapshot) -> Iterator[Wish]:
        for box in range(1, self.count + 1):
            wanted = box in self.seats
            if bool(box_of(snap, box).get("in")) != wanted:
                yield Wish(
                    f"box {box} {'in' if wanted else 'out'}",
                    lambda hands, box=box: hands.press(f"K{box}"),  # type: ignore[misc]
                    lambda now, box=box, wanted=wanted: bool(box_of(now, box).get("in")) == wanted,  # type: ignore[misc]
                )

    def _owner_wishes(self, snap: Snapshot) -> Iterator[Wish]:
        pairs = [self.pair] if self.pair else []
        if self.blind:
            pairs.append((self.blind - 1, self.blind))
        for first, second in pairs:
            if not {first, second} <= self.seats:
                continue
            if box_of(snap, first).get("owner") != box_of(snap, second).get("owner"):
                yield Wish(
                    f"boxes {first} and {second} of one player",
                    lambda hands, a=first, b=second: hands.chord(f"K{a}", f"K{b}"),  # type: ignore[misc]
                    lambda now, a=first, b=second: box_of(now, a).get("owner") == box_of(now, b).get("owner"),  # type: ignore[misc]
                )
        for box in range(1, self.count + 1):
            wanted = box == self.blind and box in self.seats
            if box_of(snap, box).get("in") and bool(box_of(snap, box).get("blind")) != wanted:
                yield Wish(
                    f"box {box} {'blind' if wanted else 'open'}",
                    lambda hands, box=box: hands.chord(f"K{box}", "BET"),  # type: ignore[misc]
                    lambda now, box=box, wanted=wanted: bool(box_of(now, box).get("blind")) == wanted,  # type: ignore[misc]
                )

    def _stake_wishes(self, snap: Snapshot) -> Iterator[Wish]:
        if self.richer is not None:
            yield from self._stake_wish(snap, self.richer, "ante", self.chips)
        if self.bonus is not None and not box_of(snap, self.bonus).get("bonus"):
            yield from self._stake_wish(snap, self.bonus, "bonus", ("K1", "K1"))

    def _chip_wishes(self, snap: Snapshot) -> Iterator[Wish]:
        """Chips on the bet sensors; a sensor that tells nothing (or is not there) gets none."""
        for box in sorted(self.sensed):
            shown = box_of(snap, box)
            if shown.get("in") and shown.get("chip") is False:
                yield Wish(
                    f"chip on box {box}",
                    lambda hands, box=box: hands.chip(box),  # type: ignore[misc]
                    lambda now, box=box: bool(box_of(now, box).get("chip")),  # type: ignore[misc]
                )

    def _stake_wish(self, snap: Snapshot, box: int, name: str, chips: tuple[str, ...]) -> Iterator[Wish]:
        shown = box_of(snap, box)
        if not shown.get("in") or name in self.not_offered:
            return
        before, version = shown.get(name), snap.get("version")

        def act(hands: Hands) -> None:
            if name == "bonus":  # not every game has one; an ante may be refused for its amount
                self.not_offered.add(name)  # until it is seen to be taken
            edit(hands, box, name, chips)

        def done(now: Snapshot) -> bool:
            # The same ante entered again is taken too; nothing of it shows but the version.
            again = name == "ante" and now.get("version") != version
            taken = box_of(now, box).get(name) != before or again
            if taken:
                self.not_offered.discard(name)
                self._tries[f"box {box} {name}"] = MOST_TRIES
            return taken

        yield Wish(f"box {box} {name}", act, done)


def edit(hands: Hands, box: int, name: str, chips: tuple[str, ...]) -> None:
    """Hold the box key; EXTRA steps from the ante to the bonus; FOLD clears; chips; OK leaves."""
    hands.hold(f"K{box}")
    if name == "bonus":
        hands.press("EXTRA")
    for key in ("FOLD", *chips, "OK"):
        hands.press(key)
