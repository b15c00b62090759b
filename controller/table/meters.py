"""The progressive over a whole journal: each hand must take the meter up where the hand before it left it.

Looks at public facts only, so an open hand counts too. What one hand wins is controller.table.audit's matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from controller.domain import events as ev
from controller.domain.money import exact
from controller.journal.hands import Finding
from controller.journal.records import field_of
from controller.table.audit import rules_of


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What one record says of the meter. `kind` is the event's name."""

    seq: int
    hand: int | None
    kind: str


class Opened(Note, frozen=True, kw_only=True):
    """The part of each staked chip that feeds the meter; None where players' losses feed it."""

    rate: Fraction | None
    through_bonus: bool


class Locked(Note, frozen=True, kw_only=True):
    """The meter that the hand took up ("": none is led)."""

    meter: str
    reserve: str


class Settled(Note, frozen=True, kw_only=True):
    """Chips on both side bets in the settled request; None while it is sealed."""

    jackpot: int | None
    bonus: int | None


class Moved(Note, frozen=True, kw_only=True):
    """The meter before and after a hand, or at its start."""

    before: str
    after: str
    reserve: str


class Corrected(Note, frozen=True, kw_only=True):
    """Amounts that people set, before and after, and who they were."""

    before: str
    after: str
    reserve_before: str
    reserve: str
    operators: tuple[str, ...]
    reason: str


class Kept(Note, frozen=True, kw_only=True):
    """The meter in a kept state: in a journal that goes on from another, the one that it begins with."""

    meter: str
    reserve: str
    hits: int


class Prize(Note, frozen=True, kw_only=True):
    """A hit, or its award."""

    id: int
    box: int
    prize: int


_CORRECTED = ("before", "after", "reserve_before", "reserve", "operators", "reason")


def note(seq: int, hand: int | None, event: msgspec.Struct) -> Note | None:
    """What a record says of the meter, small enough to keep for a year of hands."""
    name = getattr(event, "type", None) or type(event).__name__
    said: dict[str, Any] = {"seq": seq, "hand": hand, "kind": name}
    match name:
        case "TableOpened" if isinstance(event, ev.TableOpened):
            rules = rules_of(event).jackpot
            rate = None if rules.contribution_basis == "losses" else rules.rate + rules.hidden_rate
            return Opened(rate=rate, through_bonus=rules.jackpot_mode == "bonus_royal", **said)
        case "Locked":
            return Locked(meter=field_of(event, "meter") or "", reserve=field_of(event, "reserve") or "0", **said)
        case "HandSettled":
            asked = field_of(event, "request")
            boxes = asked.get("boxes", ()) if isinstance(asked, dict) else None
            jackpot, bonus = (boxes and sum(box.get(bet, 0) for box in boxes) for bet in ("jackpot", "bonus"))
            return Settled(jackpot=jackpot, bonus=bonus, **said)
        case "MeterMoved":
            return Moved(**{part: field_of(event, part) for part in ("before", "after", "reserve")}, **said)
        case "MeterCorrected":
            return Corrected(**{part: field_of(event, part) for part in _CORRECTED}, **said)
        case "StateKept":
            state = field_of(event, "state") or {}
            return Kept(
                meter=state.get("meter", ""), reserve=state.get("reserve", "0"), hits=state.get("hits", 0), **said
            )
        case "JackpotHit" | "JackpotAwarded":
            return Prize(**{part: field_of(event, part) for part in ("id", "box", "prize")}, **said)
    return None


class Book:
    """The meter followed from note to note. With `whole` false the first amount seen is taken as given."""

    def __init__(self, *, whole: bool) -> None:
        self._known = whole
        self._meter, self._reserve = "", "0"
        self._last_hit = 0 if whole else None
        self._rate: Fraction | None = None
        self._bonus = False
        self._locked: int | None = None
        self._settled: int | None = None
        self._staked: int | None = None
        self._frozen: dict[int, Prize] = {}
        self.first: str | None = None
        self.staked = self.hits = self.prizes = 0
        self.contributed = Fraction(0)
        self.corrections: list[Corrected] = []

    def take(self, entry: Note, hits: Sequence[Prize]) -> Iterator[Finding]:
        """The next note; `hits` are those of the same hand that follow a moved meter."""
        match entry:
            case Opened():
                self._rate, self._bonus = entry.rate, entry.through_bonus
            case Locked() if entry.meter:
                self._locked = entry.hand
                yield from self._same(entry, entry.meter, entry.reserve)
            case Settled():
                self._settled = entry.hand
                self._staked = entry.bonus if self._bonus else entry.jackpot
            case Kept():
                yield from self._kept(entry)
            case Moved():
                yield from self._moved(entry, hits)
            case Corrected():
                yield from self._corrected(entry)
            case Prize(kind="JackpotHit"):
                yield from self._hit(entry)
            case Prize():
                yield from self._awarded(entry)
            case _:
                pass

    def totals(self) -> dict[str, Any]:
        """For the report; empty where no meter was led."""
        if self.first is None:
            return {}
        return {
            "first": self.first, "last": self._meter, "reserve": self._reserve, "staked": self.staked,
            "contributed": str(self.contributed), "hits": self.hits, "prizes": self.prizes,
            "corrections": [
                {"record": c.seq, "by": str(_held(c.after, c.reserve) - _held(c.before, c.reserve_before)),
                 "operators": list(c.operators), "reason": c.reason}
                for c in self.corrections
            ],
        }  # fmt: skip

    def _same(self, entry: Note, meter: str, reserve: str | None) -> Iterator[Finding]:
        if self._known and (meter != self._meter or reserve not in (None, self._reserve)):
            was = self._meter or "no meter"
            yield _found(entry, f"the meter is taken up at {meter} (reserve {reserve}), it stood at {was}")
        self._known = True
        self.first = self.first or meter
        self._meter, self._reserve = meter, reserve if reserve is not None else self._reserve

    def _kept(self, entry: Kept) -> Iterator[Finding]:
        begins = self.first is None and not self._meter
        if not begins and (entry.meter, entry.reserve) != (self._meter, self._reserve):
            yield _found(entry, f"the kept state says {entry.meter or 'no meter'}, the meter stands at {self._meter}")
        self._known, self._last_hit = True, entry.hits
        self._meter, self._reserve = entry.meter, entry.reserve

    def _moved(self, entry: Moved, hits: Sequence[Prize]) -> Iterator[Finding]:
        if entry.before or entry.hand is not None:
            yield from self._same(entry, entry.before, None)
            if self._settled is None or self._settled != entry.hand:
                yield _found(entry, f"the meter moves to {entry.after} though no hand was settled")
            else:
                yield from self._contribution(entry, hits)
            self._settled = None
        elif self._known and self._meter:
            yield _found(entry, f"the meter is set to {entry.after}: it stands at {self._meter}")
        self._known = True
        self.first = entry.after if self.first is None else self.first
        self._meter, self._reserve = entry.after, entry.reserve

    def _corrected(self, entry: Corrected) -> Iterator[Finding]:
        """By two people, from where it stood, and while no hand's money moves."""
        yield from self._same(entry, entry.before, entry.reserve_before)
        if len(set(entry.operators)) < 2 or not entry.reason.strip():
            yield _found(entry, f"the meter is set to {entry.after} without two people and a reason")
        if self._locked is not None and self._locked == entry.hand:
            yield _found(entry, f"the meter is set to {entry.after} in the middle of a hand")
        self.corrections.append(entry)
        self._meter, self._reserve = entry.after, entry.reserve

    def _contribution(self, entry: Moved, hits: Sequence[Prize]) -> Iterator[Finding]:
        """Without a hit nothing leaves the meter: it and its reserve grow by the rate of what was staked, exactly."""
        grown = exact(entry.after) + exact(entry.reserve) - exact(entry.before) - exact(self._reserve)
        if self._rate is None or self._staked is None:
            self.contributed += Fraction(0) if hits else grown
            return
        self.staked += self._staked
        due = self._rate * self._staked
        self.contributed += due
        if not hits and grown != due:
            yield _found(entry, f"the meter grew by {grown}, {self._staked} chips contribute {due}")

    def _hit(self, entry: Prize) -> Iterator[Finding]:
        if self._last_hit is not None and entry.id != self._last_hit + 1:
            yield _found(entry, f"hit {entry.id} follows hit {self._last_hit}")
        self._last_hit = entry.id
        self._frozen[entry.id] = entry
        self.hits += 1
        self.prizes += entry.prize

    def _awarded(self, entry: Prize) -> Iterator[Finding]:
        hit = self._frozen.pop(entry.id, None)
        if hit is None or (hit.hand, hit.box, hit.prize) != (entry.hand, entry.box, entry.prize):
            yield _found(entry, f"award of {entry.prize} to box {entry.box}: no such hit waits")


def judge(notes: Sequence[Note], whole: bool) -> tuple[list[Finding], dict[str, Any]]:
    """What does not hold from hand to hand, and the totals. `whole`: the notes begin with the journal."""
    book = Book(whole=whole)
    findings: list[Finding] = []
    for at, entry in enumerate(notes):
        findings += book.take(entry, _hits_after(notes, at))
    return findings, book.totals()


def _hits_after(notes: Sequence[Note], at: int) -> list[Prize]:
    found: list[Prize] = []
    moved = notes[at]
    while isinstance(moved, Moved) and (at := at + 1) < len(notes):
        entry = notes[at]
        if not isinstance(entry, Prize) or entry.kind != "JackpotHit" or entry.hand != moved.hand:
            break
        found.append(entry)
    return found


def _held(meter: str, reserve: str) -> Fraction:
    return exact(meter) + exact(reserve)


def _found(entry: Note, what: str) -> Finding:
    where = f"record {entry.seq}" if entry.hand is None else f"record {entry.seq}, hand {entry.hand}"
    return Finding(entry.seq, "meter", f"{where}: {what}", entry.hand)
