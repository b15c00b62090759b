"""The key switch at SUPERVISOR: a list of the acts possible now, stepped with FOLD and BET, closed with a PIN.

Pure, like the keypad it belongs to. The switch alone gives no authority: what comes out is an act and a PIN, and the
loop asks who has that PIN.
"""

from __future__ import annotations

import msgspec

from controller.domain import commands as cm
from controller.domain.decks import DeckPlace, Waits, at
from controller.domain.hand.expects import Expect, expects
from controller.domain.hand.people import between_hands
from controller.domain.hand.setup import Setup, Training
from controller.domain.state import Cause, Table
from controller.table import projection

PIN_KEYS = {f"K{n}": str(n) for n in range(1, 7)}
MOST_DIGITS = 8
MOST_NAMED = 6  # cards not read that the list offers; more by the socket
REASON = "supervisor at the table"


class ReadHands(msgspec.Struct, frozen=True):
    """To read the last hands on the display: no act at the table."""


class Supervised(msgspec.Struct, frozen=True):
    """An act that somebody at the switch wants, and the PIN that he typed, or the badge that he showed."""

    command: cm.Command | ReadHands
    pin: str = ""
    badge: str = ""

    def __repr__(self) -> str:
        return f"Supervised({type(self.command).__name__}, pin=**, badge=**)"


class Item(msgspec.Struct, frozen=True):
    """One line of the list."""

    title: str
    command: cm.Command | ReadHands
    asks_box: bool = False
    asks_target: bool = False  # then another box


LAMP_TEST = Item("lamp test", cm.LampTest())
RECALL = Item("recall hands", ReadHands())


class Menu(msgspec.Struct, frozen=True):
    """Where the supervisor is: stepping (nothing chosen), naming a box, typing his PIN, or reading pages."""

    at: int = 0
    chosen: Item | None = None  # the line itself, not its number: the list may change while a PIN is typed
    box: int = 0
    target: int = 0
    pin: str = ""
    pages: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        return f"Menu(at={self.at}, chosen={self.chosen}, box={self.box}, pin=**)"


def items(table: Table, setup: Setup) -> list[Item]:
    """The acts of a supervisor that make sense now; those that wait for him come first."""
    want = expects(table, setup)
    found = [Item(f"approve {w.name}", cm.Approve(id=w.id)) for w in table.waiting]
    box = want.box or 1
    training = setup.training is Training.RUNNING
    known = {
        "resume": Item("resume", cm.Resume()),
        "discard_check": Item(f"discards {box} ok", cm.DiscardCheck(box=box)),
        "announce": Item("announce joker", cm.Announce()),
        "next_hand": Item("next hand", cm.NextHand()),
        "manual": Item("deal by hand", cm.Manual(reason=REASON)),
        "automatic": Item("cards from shoe", cm.Automatic()),
        "release": Item(f"release box {box}", cm.Release(box=box)),
        "award": Item(f"jackpot box {box}", cm.Award(hit=want.index + 1)),
        "void_box": Item("void box", cm.VoidBox(box=box, reason=REASON), asks_box=True),
        "redirect": Item(f"redirect box {box}", cm.Redirect(box=box, target=0), asks_target=True),
        "swap_hands": Item("swap hands", cm.SwapHands(box=1, target=2), asks_box=True, asks_target=True),
        "exposed": Item("exposed card, box", cm.Exposed(), asks_box=True),
        "exposed_dealer": Item("exposed, dealer", cm.Exposed()),
        "void_hand": Item("void hand", cm.VoidHand(reason=REASON)),
        "hold": Item("hold box", cm.Hold(box=1, reason=REASON), asks_box=True),
        "irregular": Item("irregularity", cm.Irregular(reason=REASON)),
        "open_table": Item("open table", cm.OpenTable()),
        "close_table": Item("close table", cm.CloseTable()),
        "sign_on": Item("sign on", cm.SignOn()),
        "training": Item("end training" if training else "training", cm.Training(on=not training)),
    }
    known |= _deck(table, want, setup)
    for word in projection.allowed(table, want, setup):
        found += _resets(table) if word == "reset" else [known[word]] if word in known else []
        found += [known["exposed_dealer"]] if word == "exposed" else []
    found += [Item(f"end dispute {d.hand}/{d.box}", cm.CloseDispute(hand=d.hand, box=d.box)) for d in table.disputes]
    if table.call:
        found.append(Item("answer call", cm.Release()))
    found += [Item(f"alarm {a.id} {a.code}", cm.AnswerAlarm(alarm=a.id, reason=REASON)) for a in table.alarms]
    return [*found, *([LAMP_TEST] if between_hands(table) else []), RECALL]


def _resets(table: Table) -> list[Item]:
    """After doubtful reads the supervisor says how many cards lie there unread; a shoe tells by itself."""
    hand = table.hand
    if hand is None or Cause.READS_DOUBTED not in hand.faults:
        return [Item("reset", cm.Reset())]
    return [Item(f"reset {n} not read", cm.Reset(number=n)) for n in range(MOST_NAMED + 1)]


def _deck(table: Table, want: Expect, setup: Setup) -> dict[str, Item]:
    """Where a shuffler reads marks, a deck on the list is one that lies there; others are named through the socket."""
    if not setup.decks.shuffler:
        return {"deck": Item("new deck", cm.Deck(deck=REASON))}
    absent = at(table.decks, DeckPlace.ASIDE) if want.cause in (Waits.ABSENT, Waits.DISTRUSTED) else None
    mark = want.place if want.cause == Waits.OFFERED else absent.mark if absent else ""
    return {"deck": Item(f"deck {mark}", cm.Deck(deck=mark))} if mark else {}


def press(menu: Menu, key: str, table: Table, setup: Setup) -> tuple[Menu, Supervised | None]:
    """One key. Returns where the supervisor is now, and the act once it is complete."""
    item = menu.chosen
    if menu.pages:
        return _turned(menu, key), None
    if item is None:
        return _step(menu, key, items(table, setup)), None
    if item.asks_box and not menu.box:
        return msgspec.structs.replace(menu, box=int(PIN_KEYS.get(key, "0"))), None
    if item.asks_target and not menu.target:
        return msgspec.structs.replace(menu, target=int(PIN_KEYS.get(key, "0"))), None
    if key in PIN_KEYS and len(menu.pin) < MOST_DIGITS:
        return msgspec.structs.replace(menu, pin=menu.pin + PIN_KEYS[key]), None
    command = complete(menu)
    if key == "OK" and menu.pin and command is not None:
        return Menu(), Supervised(command, menu.pin)
    return menu, None


def complete(menu: Menu) -> cm.Command | ReadHands | None:
    """The chosen act, where nothing but PIN or badge is missing."""
    item = menu.chosen
    if item is None or (item.asks_box and not menu.box) or (item.asks_target and not menu.target):
        return None
    if isinstance(item.command, ReadHands):
        return item.command
    named = {"box": menu.box} if item.asks_box else {}
    named |= {"target": menu.target} if item.asks_target else {}
    return msgspec.structs.replace(item.command, **named)


def _turned(menu: Menu, key: str) -> Menu:
    """Pages forward and back; OK goes to the next hand."""
    titles = [page[0] for page in menu.pages]
    at = menu.at + {"BET": 1, "FOLD": -1}.get(key, 0)
    if key == "OK":
        at = next((n for n in range(menu.at, len(titles)) if titles[n] != titles[menu.at]), 0)
    return msgspec.structs.replace(menu, at=at % len(menu.pages))


def _step(menu: Menu, key: str, listed: list[Item]) -> Menu:
    at = (menu.at + {"BET": 1, "FOLD": -1}.get(key, 0)) % len(listed)
    return Menu(at=at, chosen=listed[at] if key == "OK" else None)


def lines(menu: Menu, table: Table, setup: Setup) -> tuple[str, ...]:
    """Three lines for the display."""
    if menu.pages:
        return menu.pages[menu.at]
    listed = items(table, setup)
    item = menu.chosen or listed[menu.at % len(listed)]
    title = f"{item.title} {menu.box}".upper() if menu.box else item.title.upper()
    if menu.chosen is None:
        return ("SUPERVISOR", title, "FOLD/BET step, OK")
    if item.asks_box and not menu.box:
        return ("SUPERVISOR", title, "which box? 1-6")
    if item.asks_target and not menu.target:
        return ("SUPERVISOR", title, "other box? 1-6")
    return ("SUPERVISOR", title, "PIN " + "*" * len(menu.pin))
