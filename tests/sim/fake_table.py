"""A small table with the control socket's `watch` that takes keys and cards: enough to walk a robot through hands.

It checks that no card comes where none is expected and no key is pressed that is not lit.
"""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

from firmware_sim.world import Place, World

OPEN = 4  # index of the dealer's open card


class FakeTable:
    """J-poker with `boxes` boxes; draws at once; the dealer plays when `plays`."""

    def __init__(self, path: Path, world: World, *, boxes: int = 4, joker: str = "2c", plays: bool = True) -> None:
        self.world = world
        self.count = boxes
        self.joker = joker
        self.plays = plays
        self.log: list[str] = []
        self.version = 0
        self.hand = 1
        self.last: dict[str, Any] | None = None
        self.refused = 0
        self._lock = threading.RLock()
        self._clients: list[socket.socket] = []
        self._new_hand()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        for client in self._clients:
            client.close()

    # --- the hands' side

    def press(self, name: str) -> None:
        with self._lock:
            self.log.append(name)
            self._key(name)
            self._publish()

    def hold(self, name: str, seconds: float = 0.7) -> None:
        self.press(f"hold {name}")

    def chord(self, *names: str) -> None:
        self.press("+".join(names))

    def chip(self, box: int, *, there: bool = True) -> None:
        raise AssertionError("this table has no bet sensors")

    def clear_chips(self) -> None:
        """There are none."""

    def new_deck(self, hand: int) -> None:
        with self._lock:
            self.log.append(f"deck {hand}")
            self.world.shuffle(hand)
            self._publish()

    def draw_card(self, place: Place | None, box: int = 0) -> bool:
        with self._lock:
            want = self._expects()
            assert want["kind"] == "card", want
            assert (place, box) == (want["place"], want.get("box", 0))
            card = self.world.take()
            self.world.lay(card, place, box)
            if place is Place.BOX:
                self.box(box)["cards"].append("back")
            elif place is Place.DRAW:
                self.box(box)["drawn"].append("back")
            else:
                self.dealer.append("back")
            if self.phase == "dealing" and self._place() is None and self.joker_state == "shown":
                self._all_dealt()
            self._publish()
            return True

    # --- the game

    def box(self, number: int) -> dict[str, Any]:
        return self.boxes[number - 1]

    def _new_hand(self) -> None:
        self.phase, self.joker_state, self.dealer = "betting", "none", list[str]()
        old = getattr(self, "boxes", None)
        self.boxes = [
            {
                "box": n, "in": old[n - 1]["in"] if old else False, "owner": old[n - 1]["owner"] if old else n,
                "ante": 1000, "bonus": 0, "blind": old[n - 1]["blind"] if old else False, "cards": [], "drawn": [],
                "action": "none", "count": 0, "decision": None, "turned": False, "discards": [], "status": "open",
            }
            for n in range(1, self.count + 1)
        ]  # fmt: skip
        self.editing = 0
        self.field = "ante"

    def _staked(self) -> list[dict[str, Any]]:
        return [box for box in self.boxes if box["in"]]

    def _place(self) -> tuple[str, int] | None:
        for filled in range(5):
            for box in self._staked():
                if len(box["cards"]) <= filled:
                    return "box", box["box"]
            if len(self.dealer) <= filled:
                return "dealer", 0
        return None

    def _expects(self) -> dict[str, Any]:
        if self.phase == "betting":
            return {"kind": "start"}
        if self.phase == "dealing":
            place = self._place()
            last = place == ("dealer", 0) and len(self.dealer) == OPEN
            if place is None or (last and self.joker_state == "armed"):
                return {"kind": "stop"}
            return {"kind": "card", "place": place[0]} | ({"box": place[1]} if place[1] else {})
        if self.phase == "decisions":
            box = next(box for box in self._staked() if box["decision"] is None)
            if len(box["drawn"]) < box["count"]:
                return {"kind": "card", "place": "draw", "box": box["box"]}
            return {"kind": "decision", "box": box["box"]}
        if self.phase == "reveal":
            return {"kind": "reveal"}
        for box in reversed(self._staked()):
            if box["status"] == "open" and box["decision"] == "raise" and self.plays:
                if not box["turned"]:
                    return {"kind": "turn", "box": box["box"]}
                if len(box["discards"]) < box["count"]:
                    return {"kind": "discards", "box": box["box"], "count": box["count"] - len(box["discards"])}
                return {"kind": "paid", "box": box["box"]}
        return {"kind": "rest"}

    def _keys(self) -> list[str]:
        want = self._expects()
        match want["kind"]:
            case "decision" | "card" if self.phase == "decisions":
                box = self.box(want["box"])
                change = ["CHANGE"] if box["count"] < 2 and not box["drawn"] else []
                return change if want["kind"] == "card" else ["BET", "FOLD", *change]
            case "start":
                return [f"K{n}" for n in range(1, 7)] + ["BET"]
            case "discards":
                return [f"K{n}" for n in range(1, 6)]
            case "card" | "stop":
                return []
            case _:
                return ["OK"]

    def _key(self, name: str) -> None:
        want = self._expects()
        match self.phase:
            case "betting":
                self._betting(name)
            case "dealing":
                assert name == "STOP"
                assert self.joker_state == "armed"
                self.joker_state = "shown"
            case "decisions":
                self._decide(self.box(want["box"]), name)
            case "reveal":
                assert name == "OK"
                self.phase = "settling"
            case _:
                self._settle(want, name)

    def _betting(self, name: str) -> None:
        keys = name.removeprefix("hold ").split("+")
        number = int(keys[0][1]) if keys[0].startswith("K") else 0
        if self.editing:
            if name == "OK":
                self.editing = 0
                self.field = "ante"
            elif name == "EXTRA":
                self.field = "bonus"
            elif name == "FOLD":
                self.box(self.editing)[self.field] = 0
            elif number:
                self.box(self.editing)[self.field] += 500 * number
        elif name.startswith("hold"):
            self.editing = number
        elif len(keys) == 2:
            if keys[1] == "BET":
                self.box(number)["blind"] ^= True
            else:
                self.box(int(keys[1][1]))["owner"] = self.box(number)["owner"]
        elif name == "START" and self._staked():
            self.phase, self.joker_state = "dealing", "armed"
            for box in self._staked():
                if box["blind"]:
                    box["decision"] = "raise"
        elif number:
            self.box(number)["in"] ^= True
        else:
            self.refused += 1

    def _all_dealt(self) -> None:
        self.phase = "decisions"
        self._decided()

    def _decided(self) -> None:
        if all(box["decision"] for box in self._staked()):
            self.phase = "reveal"

    def _decide(self, box: dict[str, Any], name: str) -> None:
        assert name in self._keys(), (name, self._keys())
        if name == "CHANGE":
            box["action"], box["count"] = "exchange", box["count"] + 1
        else:
            box["decision"] = "raise" if name == "BET" else "fold"
            self._decided()

    def _settle(self, want: dict[str, Any], name: str) -> None:
        assert name in self._keys(), (name, want)
        box = self.box(want["box"]) if "box" in want else {}
        match want["kind"]:
            case "turn":
                box["turned"] = True
            case "discards":
                card = self.world.box(want["box"]).dealt[int(name[1]) - 1]
                assert card not in box["discards"]
                box["discards"].append(card)
            case "paid":
                thrown = self.world.box(want["box"]).thrown
                assert sorted(box["discards"]) == sorted(self.world.box(want["box"]).dealt[p] for p in thrown)
                box["status"] = "settled"
            case _:
                self._end()
                return
        if self.plays and all(b["status"] == "settled" or b["decision"] == "fold" for b in self._staked()):
            self._end()

    def _end(self) -> None:
        self.last = {"hand": self.hand, "outcome": "settled", "boxes": []}
        self.hand += 1
        self._new_hand()

    # --- the socket

    def snapshot(self) -> dict[str, Any]:
        shown = self.joker if self.joker_state == "shown" else None
        return {
            "table": "T", "rules": "jpoker", "hand": self.hand, "version": self.version, "phase": self.phase,
            "open": True, "joker": {"state": self.joker_state, "card": shown, "open_card": None},
            "boxes": self.boxes, "dealer": {"cards": self.dealer}, "expects": self._expects(),
            "allowed": [{"BET": "bet", "FOLD": "fold", "CHANGE": "exchange"}.get(key, key) for key in self._keys()],
            "keys": self._keys(), "devices": {"shoe": "ready", "board": "ready"}, "last_hand": self.last,
        }  # fmt: skip

    def _publish(self) -> None:
        self.version += 1
        line = json.dumps({"snapshot": self.snapshot()}).encode() + b"\n"
        for client in self._clients:
            client.sendall(line)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            assert json.loads(client.makefile().readline()) == {"op": "watch"}
            with self._lock:
                self._clients.append(client)
                client.sendall(b'{"beat":{"version":1,"loop_age_ms":2}}\n')
                self._publish()
