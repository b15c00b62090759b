"""An automatic dealer and his players: look, press a key or draw a card, wait until the table took it.

Acts by keys and by the shoe alone, as people do; reads the snapshots that screens show. Knows of face-down cards only
what a player sees who holds them. A step that shows no effect is tried again; a card is never drawn twice for a place.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from firmware_sim import by_hand, naming
from firmware_sim.betting import BettingPlan
from firmware_sim.deck_desk import place_of, wanted
from firmware_sim.feed import Feed, Snapshot, cards_on_table, devices_ready
from firmware_sim.hands import Hands
from firmware_sim.players import Act, Player
from firmware_sim.world import Place, World

KEY_TIMEOUT_S = 1.2
CARD_TIMEOUT_S = 5.0
IDLE_S = 0.5
REFUSAL_S = 0.3
PUBLIC_NOISE = {"version", "devices", "troubles", "prompt", "waiting", "allowed", "keys", "last_hand", "health", "call"}

Done = Callable[[Snapshot], bool]


@dataclass
class BoxPlan:
    """What the player of a box has told the dealer in this hand."""

    presses: list[str] = field(default_factory=list)  # still to be pressed before the next card or decision
    insured: bool = False
    tries: int = 0


@dataclass(frozen=True)
class Step:
    """One act and how to see that the table took it."""

    name: str
    act: Callable[[], object]
    done: Done
    timeout_s: float = KEY_TIMEOUT_S


def signature(snap: Snapshot) -> str:
    """What a person would call a change of the table."""
    return json.dumps({key: value for key, value in snap.items() if key not in PUBLIC_NOISE}, sort_keys=True)


class Dealer:
    """The robot. `run` is its thread; `step` one look and one act."""

    def __init__(self, hands: Hands, feed: Feed, world: World, *, seed: int, pace_s: float = 0.0) -> None:
        self._hands = hands
        self._feed = feed
        self._world = world
        self._seed = seed
        self._pace_s = pace_s
        self._plans: dict[int, BoxPlan] = {}
        self._betting: BettingPlan | None = None
        self._hand = 0
        self._stop_at = 0
        self._not_offered: set[str] = set()
        self.tried: set[str] = set()  # choices that the table has taken in this run
        self._stop = threading.Event()
        self.enabled = threading.Event()
        self.enabled.set()
        self.steps = 0
        self.idle_since: float | None = None
        self.last_step = ""
        self.most_hands: int | None = None  # no START once so many hands are settled
        self.settled: set[int] = set()
        self._first_hand: int | None = None

    def run(self) -> None:
        """Deal until told to stop."""
        while not self._stop.is_set():
            self.enabled.wait(IDLE_S)
            if self.enabled.is_set():
                self.step()

    def stop(self) -> None:
        """Hands off the table."""
        self._stop.set()
        self.enabled.set()

    def step(self) -> str | None:
        """Look, act, wait for the effect; the act's name, or None when there was nothing to do."""
        snap = self._feed.latest
        if snap is not None:
            self._count(snap)
        step = self._decide(snap) if snap is not None else None
        if snap is None or step is None:
            self.idle_since = self.idle_since or time.monotonic()
            version = snap.get("version") if snap else None
            self._feed.wait(lambda now: now.get("version") != version, IDLE_S)
            return None
        if self._pace_s:
            self._stop.wait(self._pace_s)
        step.act()
        self.steps += 1
        self.last_step = step.name
        taken = self._taken(step, snap.get("version"))
        self.idle_since = None if taken else self.idle_since or time.monotonic()
        return step.name

    def _count(self, snap: Snapshot) -> None:
        """Hands settled since this robot first looked."""
        last = snap.get("last_hand") or {}
        number = int(last.get("hand") or 0)
        if self._first_hand is None:
            self._first_hand = number
        if number > self._first_hand and last.get("outcome") == "settled":
            self.settled.add(number)

    def _taken(self, step: Step, version: object) -> bool:
        """Did it have its effect? A refusal shows as a new version without one: no need to wait long then."""
        seen = self._feed.wait(lambda now: step.done(now) or now.get("version") != version, step.timeout_s)
        if seen is None:
            return False
        return step.done(seen) or self._feed.wait(step.done, REFUSAL_S) is not None

    # --- what to do next

    def _decide(self, snap: Snapshot) -> Step | None:
        expects = snap.get("expects") or {}
        kind, box = str(expects.get("kind", "")), int(expects.get("box") or 0)
        if kind == "stub":
            return self._key("OK" if self._world.left == expects.get("count") else "EXTRA", snap)
        deck = wanted(snap)
        if deck is not None or kind == "shuffle":
            return self._move_deck(snap, *deck) if deck else None
        if snap.get("phase") in ("deck_check", "betting") and self._deck_is_used():
            return self._take_new_deck(snap)
        if (snap.get("joker") or {}).get("state") == "armed" and (kind == "stop" or self._player_stops(snap)):
            return self._key("STOP", snap, lambda now: (now.get("joker") or {}).get("state") != "armed")
        match kind:
            case "start":
                return self._start(snap)
            case "card":
                return self._card(snap, Place(str(expects.get("place"))), box)
            case "deal":
                return self._deal_by_hand(snap, box)
            case "entry" if by_hand.asks_by_hand(snap) and not snap.get("waiting"):
                return self._name_card(snap)
            case "decision":
                return self._decision(snap, box)
            case "discards":
                return self._discard(snap, box)
            case "choice" | "take_or_buy" | "buy_dealer":
                return self._take_or_buy(snap, box)
            case "reveal" | "paid" | "rest" | "turn":
                return self._key("OK", snap)
            case _:
                return None  # closed, a supervisor's turn, or a fault: not the dealer's to do

    def _key(self, name: str, snap: Snapshot, done: Done | None = None) -> Step:
        before = signature(snap)
        return Step(name, lambda: self._hands.press(name), done or (lambda now: signature(now) != before))

    # --- between hands

    def _deck_is_used(self) -> bool:
        world = self._world
        return bool(world.hand == 0 or world.dealer or world.boxes or world.loose)

    def _take_new_deck(self, snap: Snapshot) -> Step:
        hand = max(int(snap.get("hand") or 0), self._hand + 1)

        def act() -> None:
            self._hand = hand
            self._plans = {}
            self._betting = None
            self._stop_at = Random(f"{self._seed}/stop/{hand}").randrange(1, 30)
            self._hands.clear_chips()
            self._hands.new_deck(hand)

        return Step("new deck", act, lambda now: now.get("phase") != "deck_check")

    def _move_deck(self, snap: Snapshot, act: str, mark: str) -> Step:
        """Into the shuffler, or out of it and into the shoe."""
        if act == "put_in":
            return Step("deck in", lambda: self._hands.put_deck(mark), lambda now: place_of(now, mark) != "aside")
        if act == "away":
            return Step("deck away", self._hands.take_deck, lambda now: place_of(now, mark) == "")
        load = self._take_new_deck(snap)

        def out() -> None:
            self._hands.take_deck()
            load.act()

        return Step("deck out", out, load.done)

    def _start(self, snap: Snapshot) -> Step | None:
        enough = self.most_hands is not None and len(self.settled) >= self.most_hands
        if enough or not devices_ready(snap):
            return None
        if self._betting is None:
            self._betting = BettingPlan(
                Random(f"{self._seed}/bets/{self._hand}"), len(snap.get("boxes", ())), not_offered=self._not_offered
            )
        for wish in self._betting.wishes(snap):
            return Step(wish.name, partial(wish.act, self._hands), wish.done)
        keys = snap.get("keys") or ["START"]
        step = self._key("OK" if "START" not in keys and "OK" in keys else "START", snap)
        self._betting.starts += 1
        return step

    # --- cards by hand

    def _deal_by_hand(self, snap: Snapshot, box: int) -> Step:
        ok = self._key("OK", snap)
        count = int((snap.get("expects") or {}).get("count") or 0)

        def act() -> None:
            if box:
                by_hand.serve(self._hands, self._world, self._box(snap, box), box, count)
            else:
                by_hand.deal(self._hands, self._world, snap)
            ok.act()

        return Step("deal by hand", act, ok.done)

    def _name_card(self, snap: Snapshot) -> Step:
        def act() -> None:
            by_hand.name_card(self._hands, self._world, snap)

        return Step("name a card", act, by_hand.opened(snap))

    # --- the hand

    def _player_stops(self, snap: Snapshot) -> bool:
        return snap.get("phase") == "dealing" and cards_on_table(snap) >= self._stop_at

    def _card(self, snap: Snapshot, place: Place, box: int) -> Step | None:
        plan = self._plans.get(box)
        if place is Place.DRAW and plan is not None and plan.presses:
            if plan.presses[0] in (snap.get("keys") or plan.presses) and plan.tries < 3:
                return self._planned(snap, plan)
            plan.presses.clear()
        if place is Place.DRAW:
            self._agree_on_count(snap, box)
        before, words = cards_on_table(snap), ("hand", "phase", "expects")
        stood = [snap.get(word) for word in words]

        def done(now: Snapshot) -> bool:
            return cards_on_table(now) != before or [now.get(word) for word in words] != stood

        def act() -> None:
            # A shoe that is inhibited gives no card; once one has left it, only the table's word ends the wait.
            while self._hands.draw_card(place, box) and not self._stop.is_set():
                if self._feed.wait(done, CARD_TIMEOUT_S) is not None:
                    return
                self._wait_for(done)
                return
            self._stop.wait(0.02)

        return Step(f"card {place} {box or ''}".strip(), act, done, timeout_s=0.05)

    def _wait_for(self, done: Done) -> None:
        self.idle_since = self.idle_since or time.monotonic()
        while not self._stop.is_set() and self._feed.wait(done, IDLE_S) is None:
            pass

    def _agree_on_count(self, snap: Snapshot, box: int) -> None:
        """The player throws away as many as the table took the fee for."""
        shown, held = self._box(snap, box), self._world.box(box)
        count = int(shown.get("count") or 0)
        if shown.get("action") != "exchange" or count in (0, len(held.thrown)):
            return
        more = [position for position in range(len(held.dealt)) if position not in held.thrown]
        self._world.throw_away(box, tuple(sorted((*held.thrown, *more)[:count])))

    def _decision(self, snap: Snapshot, box: int) -> Step:
        shown, allowed = self._box(snap, box), set(snap.get("allowed") or ())
        plan = self._plans.get(box)
        if plan is None:
            plan = self._plans[box] = self._first_decision(snap, box, allowed)
        if plan.tries >= 3 and plan.presses and plan.presses[0] in ("CHANGE", "EXTRA"):
            # The table does not take it (no cards left for it, or not at this box): the player plays what he holds.
            self._world.take_back(box)
            plan.presses.clear()
        if plan.presses:
            return self._planned(snap, plan)
        count, drawn = int(shown.get("count") or 0), len(shown.get("drawn") or ())
        if shown.get("action") in ("exchange", "buy6") and drawn < count and "OK" in (snap.get("keys") or ()):
            return self._key("OK", snap)  # draws come after all decisions: this fixes the count
        if coming := int((snap.get("expects") or {}).get("count") or 0):
            self._agree_on_count(snap, box)
            by_hand.serve(self._hands, self._world, shown, box, coming)
        if "insure" in allowed and not plan.insured and self._wants_insurance(snap, box):
            plan.insured = True
            self.tried.add("insure")
            return self._insure(snap)
        self._drawn(shown)
        if shown.get("action") == "exchange" and "exchange" in allowed and drawn == count and self._again(snap, box):
            plan.presses, plan.tries = ["CHANGE"], 0
            return self._planned(snap, plan)
        act = self._player(snap).last(self._world.box(box).held(), self._joker(snap), allowed).act
        self.tried.add(act)
        return self._key("BET" if act is Act.BET else "FOLD", snap)

    def _again(self, snap: Snapshot, box: int) -> bool:
        """One card after another: the player throws one more away, perhaps one that has just come."""
        held = self._world.box(box)
        more = self._player(snap).again(held.held(), self._joker(snap), len(held.thrown))
        self._world.throw_away(box, (*held.thrown, *more))
        return bool(more)

    def _drawn(self, shown: Snapshot) -> None:
        match shown.get("action"):
            case "exchange":
                self.tried.add(f"exchange {shown.get('count')}")
            case "buy6":
                self.tried.add("buy6")

    def _first_decision(self, snap: Snapshot, box: int, allowed: set[str]) -> BoxPlan:
        if self._box(snap, box).get("blind"):
            return BoxPlan(["BET"])
        cards = self._world.box(box).dealt
        choice = self._player(snap).first(cards, self._joker(snap), allowed)
        match choice.act:
            case Act.EXCHANGE:
                self._world.throw_away(box, choice.throw)
                return BoxPlan(["CHANGE"] * len(choice.throw))
            case Act.BUY6:
                return BoxPlan(["EXTRA"])
            case Act.BET | Act.FOLD:
                return BoxPlan()

    def _planned(self, snap: Snapshot, plan: BoxPlan) -> Step:
        key, before = plan.presses[0], signature(snap)

        def done(now: Snapshot) -> bool:
            if signature(now) == before:
                return False
            if plan.presses and plan.tries:
                plan.presses.pop(0)
                plan.tries = 0
            return True

        def act() -> None:
            plan.tries += 1
            self._hands.press(key)

        return Step(key, act, done)

    def _wants_insurance(self, snap: Snapshot, box: int) -> bool:
        return self._player(snap).insures(self._world.box(box).held(), self._joker(snap))

    def _insure(self, snap: Snapshot) -> Step:
        before = signature(snap)

        def act() -> None:
            self._hands.hold("EXTRA")
            self._feed.wait(lambda now: signature(now) != before, KEY_TIMEOUT_S)
            self._hands.press("OK")

        return Step("insure", act, lambda now: signature(now) != before)

    def _take_or_buy(self, snap: Snapshot, box: int) -> Step:
        buys = "buy_dealer" in (snap.get("allowed") or ()) and self._player(snap).buys(
            self._world.box(box).held(), self._joker(snap)
        )
        self.tried.add("buy_dealer" if buys else "take_ante")
        return self._key("EXTRA" if buys else "BET", snap)

    def _discard(self, snap: Snapshot, box: int) -> Step:
        before, named = signature(snap), self._box(snap, box).get("discards") or ()

        def act() -> None:
            for key in naming.keys(self._world.box(box), named):
                self._hands.press(key)

        return Step("name a discard", act, lambda now: signature(now) != before)

    # --- looking

    @staticmethod
    def _box(snap: Snapshot, box: int) -> Snapshot:
        for shown in snap.get("boxes", ()):
            if shown.get("box") == box:
                return dict(shown)
        return {}

    def _joker(self, snap: Snapshot) -> str | None:
        """The joker as the board shows it; DOC is the dealer's open card."""
        card = (snap.get("joker") or {}).get("card")
        return (snap.get("joker") or {}).get("open_card") if card == "DOC" else card

    def _player(self, snap: Snapshot) -> Player:
        return Player(str(snap.get("rules") or ""), self.tried)
