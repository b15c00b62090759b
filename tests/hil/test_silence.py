"""The rule of silence at the process: until the turn, hidden cards change not a byte of anything that leaves tabled.

The same presses twice, with other face-down cards; then every sink is compared, and searched for those cards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from controller.control.client import Client
from controller.errors import TableError
from tests.hil.rig import Rig, Watcher, pause
from tests.hil.script import REPEATABLE, Script, in_deal_order

pytestmark = pytest.mark.hil

OPEN = "7h"
# Two decks that show the same: strong boxes and a strong dealer, or nothing anywhere.
STRONG = ({1: "As Ks Qs Js Ts", 3: "8c 8d 8h 8s Ad", 4: "Kd Kh Kc Qd Qh"}, f"7c 7d 7s Ah {OPEN}", ("2c", "2d", "2h"))
WEAK = ({1: "2s 4d 6h 8c Tc", 3: "3s 5d 6c 9h Jh", 4: "3h 5c 6d 9s Jd"}, f"2h 4c Td Qc {OPEN}", ("Kc", "Ad", "9d"))


@dataclass
class Heard:
    """Everything that left the daemon until the turn."""

    watch: dict[int, bytes] = field(default_factory=dict)
    status: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    display: list[list[str]] = field(default_factory=list)
    lamps: list[list[str]] = field(default_factory=list)
    passing: set[str] = field(default_factory=set)  # what stood on the display for a moment
    log: list[dict[str, Any]] = field(default_factory=list)
    stderr: str = ""
    journal: list[dict[str, Any]] = field(default_factory=list)

    def text(self) -> str:
        """All of it that is text, for a search."""
        lines = [line.decode() for line in self.watch.values()] + [
            json.dumps(one) for one in (*self.log, *self.journal)
        ]
        lines += [*self.passing, *self.status, *self.refusals, self.stderr, *(" ".join(four) for four in self.display)]
        return "\n".join(lines)


class Ear:
    """Listens to a script: after every step the lamps, the display and the status are noted, once they stand still."""

    def __init__(self, rig: Rig, script: Script) -> None:
        self.rig, self.script, self.heard = rig, script, Heard()
        self._listening = True
        self._watcher = Watcher(rig.folder / "control.sock")
        display = rig.bench.display.transfer

        def noted(data: list[int]) -> list[int]:
            answer = display(data)
            if self._listening:
                self.heard.passing |= set(rig.bench.display.text())
            return answer

        rig.bench.gpio.attach(1, noted)

    def note(self) -> None:
        board, frames = self.rig.bench.board, -1
        while frames != board.frames:  # nothing new for a while: what stands there belongs to this step
            frames = board.frames
            pause(0.2)
        self.heard.lamps.append(board.lit())
        self.heard.display.append(self.rig.bench.display.text())
        with Client(self.rig.folder / "control.sock") as client:
            self.heard.status.append(without_off(json.dumps(client.status()).encode()).decode())

    def refuse(self, name: str, *who: str, **args: Any) -> None:
        """A command that is refused: its words."""
        with pytest.raises(TableError) as caught:
            self.rig.do(name, *who, **args)
        self.heard.refusals.append(caught.value.line())

    def end(self) -> Heard:
        """The turn comes next: what was heard."""
        self._listening = False
        self._watcher.stop()
        for line in self._watcher.lines:
            if line.startswith(b'{"snapshot"'):
                self.heard.watch[json.loads(line)["snapshot"]["version"]] = without_off(line)
        self.heard.log = [without_time(json.loads(line)) for line in self.rig.log.splitlines()]
        self.heard.log.sort(key=str)  # shoe and board come up in no order
        self.heard.stderr = self.rig.stderr
        self.heard.journal = [without_seal(record) for record in self.rig.records() if record["type"] != "DeviceUp"]
        return self.heard


def without_off(snapshot: bytes) -> bytes:
    """How long the table was off hangs on when the test began, and on no card."""
    return re.sub(rb'"was_off_s": ?-?\d+', b'"was_off_s":0', snapshot)


def without_time(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key != "time"}


def without_seal(record: dict[str, Any]) -> dict[str, Any]:
    """What a thief of the file may compare: everything but times, the bench's own names, and what lies in a seal."""
    kept = {key: value for key, value in record.items() if key not in ("t", "mono", "sealed", "data")}
    data = {key: value for key, value in record["data"].items() if key not in VARIES}
    return {**kept, "data": data, "sealed": len(record["sealed"] or "")}


VARIES = {"off_s", "boot_id", "hardware", "config_hash", "signature", "head", "log_last"}


def jpoker(script: Script, ear: Ear) -> None:
    script.expect("decision", 1)
    ear.note()
    ear.refuse("exchange", box=1, count=6)
    ear.refuse("exchange", box=3, count=1)
    ear.refuse("insure", box=1, amount=1000)
    script.rig.bench.world.throw_away(1, (4,))
    script.key("CHANGE")
    ear.note()
    script.cards()
    script.key("BET")
    ear.note()
    script.expect("decision", 3)
    script.key("BET")
    script.expect("decision", 4)
    ear.note()
    ear.refuse("enter_card", "dealer", "supervisor", box=4, card="As")
    script.key("FOLD")
    script.expect("reveal")
    ear.note()


def oasis(script: Script, ear: Ear) -> None:
    script.expect("decision", 1)
    ear.note()
    ear.refuse("exchange", box=1, count=2)
    script.rig.bench.hold("EXTRA")
    pause(0.2)
    ear.note()
    ear.refuse("insure", box=1, amount=10**9)
    script.key("BET")
    script.expect("decision", 3)
    script.rig.bench.world.throw_away(3, (4,))
    script.key("CHANGE")
    script.cards()
    ear.note()
    script.key("BET")
    script.expect("decision", 4)
    script.key("FOLD")
    script.expect("reveal")
    ear.note()


def listen(game: str, deck: tuple[dict[int, str], str, tuple[str, ...]], acts: Callable[[Script, Ear], None]) -> Heard:
    boxes, dealer, draws = deck
    with Rig(game, seed=1) as rig:
        rig.start(program=REPEATABLE)
        rig.open_table()
        script = Script(rig)
        ear = Ear(rig, script)
        rig.bench.stack_deck(in_deal_order(boxes, dealer, draws))
        rig.bench.new_deck(1)
        for box in boxes:
            script.box_in(box)
        ear.refuse("stake", box=2, ante=10**7)
        script.start()
        script.cards(7)
        ear.note()
        script.cards()
        acts(script, ear)
        heard = ear.end()
        script.key("OK")  # the turn: from here on cards are public
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        rig.audit()
        return heard


@pytest.mark.parametrize(("game", "acts"), [("jpoker", jpoker), ("oasis_ru", oasis)])
def test_equal_public_facts_give_equal_bytes(game: str, acts: Callable[[Script, Ear], None]) -> None:
    one, other = (listen(game, deck, acts) for deck in (STRONG, WEAK))
    compare(one, other)
    for heard, deck in ((one, STRONG), (other, WEAK)):
        search(heard, deck)


def compare(one: Heard, other: Heard) -> None:
    both = one.watch.keys() & other.watch.keys()
    assert len(both) >= 0.8 * max(len(one.watch), len(other.watch))  # a watcher may miss one that is soon followed
    for version in both:
        assert one.watch[version] == other.watch[version]
    assert one.status == other.status
    assert one.refusals == other.refusals
    assert one.display == other.display
    assert one.lamps == other.lamps
    assert one.log == other.log
    assert one.stderr == other.stderr == ""
    assert one.journal == other.journal


def bad_deck(twice: int) -> Heard:
    """The ninth card out of the shoe is one that lies face down already."""
    cards = in_deal_order(*STRONG[:2])[:8]
    with Rig(seed=1) as rig:
        rig.start(program=REPEATABLE)
        rig.open_table()
        script = Script(rig)
        ear = Ear(rig, script)
        rig.bench.stack_deck([*cards, cards[twice]])
        rig.bench.new_deck(1)
        for box in (1, 3, 4):
            script.box_in(box)
        script.start()
        script.cards(9)
        script.expect("supervisor")
        ear.note()
        ear.refuse("resume", "dealer", "supervisor", cause="extra_card")
        return ear.end()


def test_a_deck_fault_names_no_card() -> None:
    compare(bad_deck(0), bad_deck(7))  # a player's, the dealer's


def search(heard: Heard, deck: tuple[dict[int, str], str, tuple[str, ...]]) -> None:
    """No face-down card stands in any sink, as a word of its own."""
    boxes, dealer, draws = deck
    text = heard.text()
    assert re.search(rf"\b{OPEN}\b", text)  # the search finds what is public
    hidden = [*" ".join(boxes.values()).split(), *dealer.split()[:4], *draws]
    joker = re.search(r'"card": ?"(\w\w)"', text)
    public = {OPEN, joker[1] if joker else "", "As"}  # "As" is what a person tried to enter
    words = [card for card in hidden if card not in public]
    found = [line for line in text.splitlines() for card in words if re.search(rf"\b{card}\b", line)]
    assert found == []
