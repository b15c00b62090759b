"""A dealer who follows a script: every press and every card is the test's own; the bench counts presses at the pins."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from firmware_sim.wiring import INPUTS
from tests.hil.rig import PATIENCE_S, Rig, Snapshot, Wanted, pause

# tabled with the same entropy in every run and no limit on log lines: two runs compare byte by byte. Tests only.
SAME_ENTROPY = """
import os
os.urandom = lambda n: b'\\x07' * n
from controller.runtime.limiter import RateLimiter
RateLimiter.__init__.__defaults__ = (10**6, 10**6, 5.0, 256)
from controller.app import main
main()
"""
REPEATABLE = (sys.executable, "-c", SAME_ENTROPY)
NAMES = {wire.pin: name for name, wire in INPUTS.items()}


def in_deal_order(boxes: Mapping[int, str], dealer: str, draws: Sequence[str] = ()) -> list[str]:
    """The top of the deck for these hands: one at a time, boxes in seat order, the dealer last; then the draws."""
    hands = [boxes[box].split() for box in sorted(boxes)] + [dealer.split()]
    return [hand[turn] for turn in range(5) for hand in hands] + list(draws)


class Script:
    """Presses and cards, one after the other, each seen to be taken before the next."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.presses: Counter[str] = Counter()
        drive = rig.bench.gpio.drive

        def counted(levels: dict[int, int]) -> None:
            for pin, level in levels.items():
                name = NAMES[pin]
                if level != INPUTS[name].rest:
                    self.presses[name] += 1
            drive(levels)

        rig.bench.gpio.drive = counted  # type: ignore[method-assign]

    @property
    def by_the_dealer(self) -> int:
        """Presses at the pins, but for the player's STOP."""
        return sum(count for name, count in self.presses.items() if name != "STOP")

    def key(self, name: str, wanted: Wanted | None = None) -> Snapshot:
        """A press, and what it must bring (default: anything; a refusal is a record too). Never too early to count."""
        self.rig.wait_for_keys()
        before = self.rig.now["version"]
        self.rig.bench.press(name)
        return self.rig.wait(wanted or (lambda s: s["version"] > before))

    def chord(self, *names: str) -> Snapshot:
        self.rig.wait_for_keys()
        before = self.rig.now["version"]
        self.rig.bench.chord(*names)
        return self.rig.wait(lambda s: s["version"] > before)

    def box_in(self, box: int) -> None:
        if not self.rig.now["boxes"][box - 1]["in"]:
            self.key(f"K{box}", lambda s: bool(s["boxes"][box - 1]["in"]))

    def start(self, phase: str = "dealing") -> Snapshot:
        """The bets are closed."""
        name = "OK" if "OK" in self.rig.now["keys"] else "START"
        return self.key(name, lambda s: s["phase"] == phase)

    def cards(self, count: int = 99) -> Snapshot:
        """Cards to where they are expected, and the player's STOP when it is due."""
        for _ in range(count):
            snap = self.rig.wait(lambda s: s["expects"]["kind"] not in ("board", "nothing"))
            if snap["expects"]["kind"] == "stop":
                self.key("STOP", lambda s: s["joker"]["state"] == "shown")
            elif snap["expects"]["kind"] == "card":
                self.card()
            else:
                break
        return self.rig.now

    def card(self, card: str | None = None) -> None:
        """One card, as soon as the shoe may give it."""
        for _ in range(int(PATIENCE_S / 0.01)):
            if self.rig.bench.draw_expected(card):
                return
            pause(0.01)
        raise AssertionError("the shoe gives no card")

    def expect(self, kind: str, box: int = 0) -> Snapshot:
        return self.rig.wait(lambda s: (s["expects"]["kind"], s["expects"].get("box", 0)) == (kind, box))
