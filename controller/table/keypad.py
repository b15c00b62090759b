"""Keys, START, STOP, jackpot button and key switch to commands (floor: keys). Pure: edges and time in, commands out.

Holds only what a finger is doing: which keys are down, a stake being edited, a card being entered. Nothing of it is
journalled; a restart forgets it. A press counts for what the table wanted when the finger came down, else it is stale.
"""

from __future__ import annotations

from collections import deque

import msgspec

from controller.domain import commands as cm
from controller.domain.hand.expects import Expect, Want, expects
from controller.domain.hand.setup import Setup
from controller.domain.phases import Phase
from controller.domain.state import UNKNOWN, Box, CardSource, Hand, Table
from controller.table import menu
from controller.table.half_typed import Declaring, Edit, Entry, declare, enter, pages, row
from controller.table.menu import Menu, Supervised
from drivers.events import ButtonEdge

MS = 1_000_000
HOLD_NS = 600 * MS
LONG_NS = 1000 * MS
BOX_KEYS = {f"K{n}": n for n in range(1, 8)}
FIELDS = ("ante", "bonus", "jackpot")
SEVEN = 7
CALL_REASONS = ("dealer", "fill", "cards", "dispute")
TIMELESS = frozenset({"START", "STOP", "JACKPOT", "BACK", "SWITCH", "DOOR"})


class Stale(msgspec.Struct, frozen=True):
    """A press that was meant for what the table wanted before."""

    key: str


Output = cm.Command | Stale | Supervised


class Keypad:
    """All keys of one table."""

    def __init__(self) -> None:
        self.edit: Edit | None = None
        self.counting: int | None = None
        self.entry = Entry()
        self.declaring: Declaring | None = None
        self.page = 0
        self.menu: Menu | None = None
        self._down: dict[str, int] = {}
        self._used: set[str] = set()  # keys whose press was a hold or part of a chord: their release says nothing
        self._wanted: deque[tuple[int, tuple[str, int]]] = deque(maxlen=32)

    # --- what the table wants, over time -----------------------------------------------------------------------------

    def saw(self, want: Expect, now_ns: int) -> None:
        """The table changed: from now on presses mean this."""
        meaning = (str(want.kind), want.box)
        if not self._wanted or self._wanted[-1][1] != meaning:
            self._wanted.append((now_ns, meaning))
            self.entry, self.declaring, self.page = Entry(), None, 0

    def _stale(self, name: str, t_ns: int) -> bool:
        if name in TIMELESS or len(self._wanted) < 2:
            return False
        meant = next((m for since, m in reversed(self._wanted) if since <= t_ns), None)
        return meant is not None and meant != self._wanted[-1][1]

    @property
    def busy(self) -> bool:
        """A finger's work is half done and stands on the display."""
        typing = self.menu is not None or self.edit is not None or self.counting is not None
        return typing or self.entry != Entry() or self.declaring is not None or self.page > 0

    def overlay(self, table: Table, setup: Setup) -> tuple[str, ...]:
        """What stands over the prompt while something is being typed."""
        if self.menu is not None:
            return menu.lines(self.menu, table, setup)
        if self.edit is not None:
            amounts = " ".join(f"{f[0].upper()}{self.edit.stake[f]}" for f in FIELDS)
            return (f"BOX {self.edit.box} {self.edit.field.upper()}", amounts, "OK leaves")
        if self.counting is not None:
            return ("SIDE BETS COUNTED:", str(self.counting), "digit, OK")
        if self.declaring is not None:
            return self.declaring.lines()
        if self.entry != Entry():
            return ("CARD:", self.entry.text(), "FOLD/BET 1-4 OK")
        if self.page and table.hand is not None:
            cards = row(table.hand.box(expects(table, setup).box), self.page, setup)
            return ("DRAWN, THROWN AWAY:", " ".join(cards), "1-6 NAME, CHANGE")
        return ()

    # --- edges and time ----------------------------------------------------------------------------------------------

    @property
    def next_ns(self) -> int | None:
        """When a held key becomes a hold."""
        due = [t + self._hold_ns(name) for name, t in self._down.items() if name not in self._used]
        return min(due, default=None)

    def edge(self, edge: ButtonEdge, table: Table, setup: Setup) -> list[Output]:
        """One debounced press or release."""
        if edge.name == "SWITCH":
            self.menu = Menu() if edge.pressed else None
            return []
        if edge.name == "DOOR":
            return []
        name = "K7" if edge.name == "EXTRA" and setup.boxes == SEVEN else edge.name
        if edge.pressed:
            return self._press(name, edge.t_ns, table, setup)
        return self._release(name, edge.t_ns, table, setup)

    def tick(self, now_ns: int, table: Table, setup: Setup) -> list[Output]:
        """Keys that have been down long enough."""
        out: list[Output] = []
        for name, since in list(self._down.items()):
            if name not in self._used and now_ns - since >= self._hold_ns(name):
                out += self._held(name, table, setup)
        return out

    def badge(self, badge: str) -> Supervised:
        """A badge stands for the PIN of the act that waits at the switch; without one its owner signs on or off."""
        command = menu.complete(self.menu) if self.menu is not None else None
        if command is not None:
            self.menu = Menu()
        return Supervised(command or cm.ShowBadge(), badge=badge)

    def read(self, pages: tuple[tuple[str, ...], ...]) -> None:
        """Pages for whoever stands at the key switch; BACK and the switch put them away."""
        if self.menu is not None and pages:
            self.menu = Menu(pages=pages)

    def drop(self, name: str) -> None:
        """An input died: its press means nothing any more."""
        self._down.pop(name, None)
        self._used.discard(name)

    @staticmethod
    def _hold_ns(name: str) -> int:
        return LONG_NS if name in ("BACK", "JACKPOT") else HOLD_NS

    def _press(self, name: str, t_ns: int, table: Table, setup: Setup) -> list[Output]:
        if self._stale(name, t_ns):
            self._down[name] = t_ns
            self._used.add(name)
            return [Stale(name)]
        self._down[name] = t_ns
        if self.menu is not None and name not in ("START", "STOP", "JACKPOT"):
            return self._supervise(name, table, setup)
        chord = self._chord(name, table)
        if chord is not None:
            return [chord]
        if name in ("BACK", "JACKPOT") or self._on_release(name, table):
            return []
        return self._act(name, table, setup)

    def _release(self, name: str, t_ns: int, table: Table, setup: Setup) -> list[Output]:
        since = self._down.pop(name, None)
        used = name in self._used
        self._used.discard(name)
        if since is None or used:
            return []
        if t_ns - since >= self._hold_ns(name):  # the loop was late: the finger held it all the same
            out = self._held(name, table, setup)
            self._used.discard(name)
            return out
        if name == "BACK":
            return self._back()
        if name == "JACKPOT":  # on seven boxes a short press does the work of EXTRA, which is key 7
            return self._act("EXTRA", table, setup) if setup.boxes == SEVEN else []
        return self._act(name, table, setup) if self._on_release(name, table) else []

    def _supervise(self, name: str, table: Table, setup: Setup) -> list[Output]:
        """With the switch at SUPERVISOR the keys serve the list; BACK begins it anew."""
        assert self.menu is not None
        self._used.add(name)
        if name == "BACK":
            self.menu = Menu()
            return []
        self.menu, act = menu.press(self.menu, name, table, setup)
        return [] if act is None else [act]

    def _on_release(self, name: str, table: Table) -> bool:
        """Box keys in betting may become a hold or a chord; EXTRA in decisions a hold (insurance)."""
        betting = table.phase is Phase.BETTING and self.edit is None and self.counting is None
        return (name in BOX_KEYS and betting) or (name == "EXTRA" and table.phase is Phase.DECISIONS)

    def _chord(self, name: str, table: Table) -> cm.Command | None:
        """Two box keys: same player. A box key and BET: blind, or open again."""
        if table.phase is not Phase.BETTING or self.edit is not None or self.counting is not None:
            return None
        others = [k for k in self._down if k != name and k not in self._used]
        box = next((k for k in (name, *others) if k in BOX_KEYS), None)
        partner = next((k for k in (*others, name) if k != box and (k in BOX_KEYS or k == "BET")), None)
        if box is None or partner is None or not others:
            return None
        self._used |= {box, partner}
        if partner == "BET":
            hand = table.hand
            blind = hand is not None and hand.box(BOX_KEYS[box]).blind
            return cm.Blind(box=BOX_KEYS[box], blind=not blind)
        first, second = sorted((BOX_KEYS[box], BOX_KEYS[partner]))
        return cm.Owner(box=second, owner=first)

    # --- meanings ----------------------------------------------------------------------------------------------------

    def _held(self, name: str, table: Table, setup: Setup) -> list[Output]:
        self._used.add(name)
        want = expects(table, setup)
        if name == "BACK":
            return [cm.Call(reason=next_reason(table.call))]
        if name == "JACKPOT":
            return [cm.Claim()]
        if name in BOX_KEYS and table.phase is Phase.BETTING and table.hand is not None:
            box = table.hand.box(BOX_KEYS[name])
            self.edit = Edit(box.box, {f: getattr(box, f) for f in FIELDS})
            return []
        if name == "EXTRA" and want.kind is Want.DECISION:
            return [cm.Insure(box=want.box)]
        return []

    def _back(self) -> list[Output]:
        if self.busy:
            self.edit, self.counting, self.entry, self.declaring, self.page = None, None, Entry(), None, 0
            return []
        return [cm.Undo()]

    def _act(self, name: str, table: Table, setup: Setup) -> list[Output]:
        if name == "START":
            self.counting = None  # a count that was not closed with OK was no count
            return [*self._leave_edit(), cm.Start()]
        if name == "STOP":
            return [cm.Stop()]
        if self.edit is not None:
            return self._edit(name, setup)
        if self.counting is not None:
            return self._count(name)
        want = expects(table, setup)
        hand = table.hand
        if hand is None:
            return []
        match want.kind:
            case Want.START | Want.COUNT:
                return self._betting(name, hand, table)
            case Want.ENTRY if name == "EXTRA" and want.box and hand.cards is not CardSource.SHOE:
                self.declaring = Declaring()
                return []
            case Want.ENTRY if self.declaring is None:
                self.entry, entered = enter(self.entry, name, hand, setup)
                return [] if entered is None else [entered]
            case Want.ENTRY | Want.DECLARE:
                self.declaring, said = declare(self.declaring or Declaring(), name, want.box, setup)
                return [] if said is None else [said]
            case Want.STAKE if name in BOX_KEYS or name in ("FOLD", "EXTRA"):
                box = hand.box(want.box)
                fresh = {"ante": 0 if name in BOX_KEYS else box.ante, "bonus": box.bonus, "jackpot": 0}
                self.edit = Edit(want.box, fresh)
                return self._edit(name, setup)
            case Want.STUB if name == "EXTRA":
                return [cm.StubCount(number=-1)]
            case _ if hand.phase is Phase.DECISIONS:
                return _decide(name, want, hand, setup)
            case Want.CHOICE:
                return _choose(name, want)
            case Want.DISCARDS if name in BOX_KEYS:
                page, self.page = self.page, 0
                return _discard(name, hand.box(want.box), page, setup)
            case Want.DISCARDS if name == "CHANGE":
                self.page = (self.page + 1) % pages(hand.box(want.box), setup)
                return []
            case Want.PAID | Want.DISCARDS if name == "EXTRA":
                return [cm.Differs(box=want.box)]
            case _:
                return [cm.Ok()] if name == "OK" else []

    def _betting(self, name: str, hand: Hand, table: Table) -> list[Output]:
        if name in BOX_KEYS and BOX_KEYS[name] <= len(hand.boxes):
            return [_in_or_out(BOX_KEYS[name], hand, table)]
        if name == "EXTRA":
            self.counting = 0
            return []
        return [cm.Ok()] if name == "OK" else []

    def _count(self, name: str) -> list[Output]:
        if name in BOX_KEYS:
            self.counting = BOX_KEYS[name]
        elif name == "OK":
            number, self.counting = self.counting or 0, None
            return [cm.Count(number=number)]
        return []

    def _edit(self, name: str, setup: Setup) -> list[Output]:
        edit = self.edit
        assert edit is not None
        if name in BOX_KEYS and BOX_KEYS[name] <= len(setup.plate.chips):
            amount = edit.stake[edit.field] + setup.plate.chips[BOX_KEYS[name] - 1]
            if edit.field == "jackpot":  # one fixed stake, whatever chip it is laid with
                amount = setup.jackpot_stake
            self.edit = Edit(edit.box, {**edit.stake, edit.field: amount}, edit.field)
        elif name == "FOLD":
            self.edit = Edit(edit.box, {**edit.stake, edit.field: 0}, edit.field)
        elif name == "EXTRA":
            following = FIELDS[(FIELDS.index(edit.field) + 1) % len(FIELDS)]
            self.edit = Edit(edit.box, edit.stake, following)
        elif name == "OK":
            return self._leave_edit()
        return []

    def _leave_edit(self) -> list[Output]:
        edit, self.edit = self.edit, None
        if edit is None:
            return []
        return [cm.SetStake(box=edit.box, **edit.stake)]


def next_reason(call: str) -> str:
    """BACK held again says why the supervisor is wanted; a call that something else raised begins anew."""
    at = CALL_REASONS.index(call) + 1 if call in CALL_REASONS else 0
    return CALL_REASONS[at % len(CALL_REASONS)]


def _in_or_out(number: int, hand: Hand, table: Table) -> cm.Command:
    """A box key in betting: in with the proposed stake (the last one, else the minimum), or out."""
    box = hand.box(number)
    if box.ante:
        return cm.SetStake(box=number, ante=0)
    last = next((s for s in table.stakes if s.box == number), None)
    if last is not None:
        return cm.SetStake(box=number, ante=last.ante, bonus=last.bonus, jackpot=last.jackpot)
    return cm.SetStake(box=number, ante=int(table.limits["ante_min"]))


def _choose(name: str, want: Expect) -> list[Output]:
    """The dealer does not play: BET takes the ante, EXTRA pays for one of his cards."""
    if name == "BET":
        return [cm.TakeAnte(box=want.box)]
    return [cm.BuyDealer(box=want.box)] if name == "EXTRA" else []


def _decide(name: str, want: Expect, hand: Hand, setup: Setup) -> list[Output]:
    insured = hand.box(want.box).insurance if want.box else 0
    if insured and name in BOX_KEYS and BOX_KEYS[name] <= len(setup.plate.chips):  # chips on top of the insurance
        return [cm.Insure(box=want.box, amount=insured + setup.plate.chips[BOX_KEYS[name] - 1])]
    match name:
        case "BET":
            return [cm.Bet(box=want.box)]
        case "FOLD":
            return [cm.Fold(box=want.box)]
        case "CHANGE":
            return [cm.Exchange(box=want.box)]
        case "EXTRA":
            return [cm.Buy6(box=want.box)]
        case "OK":
            return [cm.Ok()]
        case _:
            return []


def _discard(name: str, box: Box, page: int, setup: Setup) -> list[Output]:
    """Digits name the dealt cards of the turned box; behind CHANGE those that it drew and threw away again."""
    cards, at = row(box, page, setup), BOX_KEYS[name] - 1
    return [cm.NameDiscards(box=box.box, cards=cards[at])] if at < len(cards) and cards[at] != UNKNOWN else []
