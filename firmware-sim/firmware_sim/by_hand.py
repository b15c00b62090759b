"""A table without a shoe, from the robot's side: cards laid by hand, and named at the keys when they lie open.

Looks at the snapshot and the felt alone. A card is laid once for a place, however often a step is tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from firmware_sim.feed import Snapshot
from firmware_sim.world import JOKER, RANKS, BoxCards, Place, World

HAND_CARDS = 5
NAMED_HERE = frozenset({"TC-0832", "TC-0833", "TC-0834", "TC-0835", "TC-0836"})


class Fingers(Protocol):
    """What laying and naming takes; the bench."""

    def press(self, name: str) -> None: ...
    def lay_card(self, place: Place, box: int = 0) -> None: ...


def asks_by_hand(snap: Snapshot) -> bool:
    """The table asks for the name of a card that was dealt by hand: the dealer's own to enter."""
    return (snap.get("expects") or {}).get("kind") == "entry" and (snap.get("prompt") or {}).get("code") in NAMED_HERE


def deal(hands: Fingers, world: World, snap: Snapshot) -> None:
    """So many cards as the table counts, one at a time in seat order, the dealer last in each round."""
    boxes = [int(box["box"]) for box in snap.get("boxes", ()) if box.get("in") and box.get("status") != "void"]
    shown = sum(len(box.get("cards") or ()) for box in snap.get("boxes", ())) + len(snap["dealer"].get("cards") or ())
    missing = shown + int(snap["expects"]["count"]) - _on_the_felt(world)
    for filled in range(HAND_CARDS):
        for box in boxes:
            if len(world.box(box).dealt) <= filled and missing > 0:
                hands.lay_card(Place.BOX, box)
                missing -= 1
        if len(world.dealer) <= filled and missing > 0:
            hands.lay_card(Place.DEALER)
            missing -= 1


def _on_the_felt(world: World) -> int:
    return len(world.dealer) + sum(len(box.dealt) for box in world.boxes.values())


def serve(hands: Fingers, world: World, shown: Snapshot, box: int, count: int) -> None:
    """What a box has bought."""
    for _ in range(len(shown.get("drawn") or ()) + count - len(world.box(box).drawn)):
        hands.lay_card(Place.DRAW, box)


def name_card(hands: Fingers, world: World, snap: Snapshot) -> None:
    """The asked card: laid first where it is dealt open, then rank, suit, OK."""
    want = snap["expects"]
    card = lying(world, want)
    if card is None:
        hands.lay_card(Place(str(want["place"])))
        card = lying(world, want)
    for key in presses(str(card), public_cards(snap), joker=world.deck_size == 53):
        hands.press(key)


def lying(world: World, want: Snapshot) -> str | None:
    """The card at the asked place."""
    held = world.boxes.get(int(want.get("box") or 0)) or BoxCards()
    places = {"box": held.dealt, "draw": held.drawn, "dealer": world.dealer, "dealer_draw": world.loose}
    cards, index = places[str(want.get("place"))], int(want.get("index") or 0)
    return cards[index] if index < len(cards) else None


def public_cards(snap: Snapshot) -> set[str]:
    """Whatever lies open."""
    dealer = snap.get("dealer") or {}
    lists = [dealer.get("cards"), dealer.get("drawn")]
    lists += [box.get(name) for box in snap.get("boxes", ()) for name in ("cards", "drawn")]
    return {card for cards in lists for card in cards or ()}


def presses(card: str, public: set[str], *, joker: bool = False) -> list[str]:
    """The keys that name it: the ranks not yet open in all suits, ace first; the shorter way round."""
    ranks = [rank for rank in reversed(RANKS) if any(rank + suit not in public for suit in "cdhs")]
    if joker and JOKER not in public:
        ranks.append(JOKER)
    at = ranks.index(card if card == JOKER else card[0])
    back = len(ranks) - at
    steps = ["BET"] * at if at <= back else ["FOLD"] * back
    suit = [] if card == JOKER else [f"K{'cdhs'.index(card[1]) + 1}"]
    return ["BET", *steps, *suit, "OK"]


def opened(snap: Snapshot) -> Callable[[Snapshot], bool]:
    """Whether the table took the name, or a supervisor is asked first."""
    before = (snap.get("expects"), snap.get("phase"), snap.get("hand"), len(snap.get("waiting") or ()))
    return lambda now: (now.get("expects"), now.get("phase"), now.get("hand"), len(now.get("waiting") or ())) != before
