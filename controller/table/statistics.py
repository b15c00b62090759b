"""Live statistics: a pure fold over the journal's events. Counts of the last hands, by dealer, box, device and deck.

A hand is counted when it has ended, never before: nothing here can tell of a card that lies face down. The order of a
deck stays in memory until the next hand with that deck, and only the comparison's result is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from controller.domain import events as ev
from controller.domain.money import exact
from controller.domain.state import UNKNOWN
from controller.table.decks import Laid, Likeness, Order, compare, order_of
from drivers.events import BY_PEOPLE

SPAN = 2000  # hands that the counts cover
COMPARED = 40  # comparisons that the likeness covers
BEFORE = 2  # hands that a deck is compared with: two decks in turn may have no names
MOST_FEES = 10
HOUR_S, MINUTE_S = 3600.0, 60.0

OPEN, BLIND, BY_HAND = "", ", blind", ", by hand"
"""How wins are counted: open boxes; blind ones, which nobody folds; whole hands, since a hand's boxes are no chances of
their own against one dealer's cards."""
Key = tuple[str, str]  # what is counted, and at whom
Counts = tuple[tuple[Key, int], ...]
replace = msgspec.structs.replace


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """The hand under way."""

    dealer: str
    deck: str = ""
    locked: bool = False
    laid: tuple[Laid, ...] = ()
    counts: Counts = ()
    nets: tuple[tuple[int, int], ...] = ()
    feeds: int = 0  # the most that its stakes can add to a meter, in minor units
    blind: tuple[int, ...] = ()  # boxes whose players see and decide nothing
    nominal: bool = False  # amounts are named at the payout, or never


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """What is known so far. `tally` sums up `window`, the last hands; `total` counts all hands since the rules changed.

    `answered`: an alarm's code and subject to the `total` at which it was answered.
    """

    span: int = SPAN
    rules_hash: str = ""
    deck_size: int = 52
    doc_weight: int | None = None
    dealer: str = ""
    stopped: bool = True
    total: int = 0
    open: Open | None = None
    window: tuple[Counts, ...] = ()
    tally: dict[Key, int] = {}
    orders: dict[str, tuple[Order, ...]] = {}
    likeness: tuple[Likeness, ...] = ()
    drops: tuple[tuple[float, str], ...] = ()
    ended: tuple[float, ...] = ()
    raised: dict[int, Key] = {}
    answered: dict[Key, int] = {}

    def count(self, what: str, whom: str = "") -> int:
        """So many in the last `span` hands."""
        return self.tally.get((what, whom), 0)

    def subjects(self, what: str) -> list[str]:
        """All of whom something was counted."""
        return sorted(whom for name, whom in self.tally if name == what)


E = TypeVar("E", bound=ev.Event)
Fold = Callable[[Statistics, Any, float], Statistics]
FOLDS: dict[type[ev.Event], Fold] = {}


def on(kind: type[E]) -> Callable[[Callable[[Statistics, E, float], Statistics]], Fold]:
    """Registers the fold of one kind of event."""

    def register(fold: Callable[[Statistics, E, float], Statistics]) -> Fold:
        FOLDS[kind] = fold
        return fold

    return register


def fold(statistics: Statistics, event: object, at_s: float) -> Statistics:
    """The statistics after one event. `at_s`: the record's wall time, a label that only rates per hour use."""
    step = FOLDS.get(type(event))  # type: ignore[arg-type]
    return statistics if step is None else step(statistics, event, at_s)


def fold_all(statistics: Statistics, events: Iterable[object], at_s: float) -> Statistics:
    """After several events of one moment."""
    for event in events:
        statistics = fold(statistics, event, at_s)
    return statistics


# --- people, rules, runs ---------------------------------------------------------------------------------------------


@on(ev.TableOpened)
def _opened(s: Statistics, event: ev.TableOpened, at_s: float) -> Statistics:
    if event.rules_hash != s.rules_hash:  # another game has other chances
        s = Statistics(span=s.span, dealer=s.dealer, stopped=s.stopped, drops=s.drops, raised=s.raised)
    size = event.rules.get("deck_size", s.deck_size)
    weight = event.rules.get("doc_weight")
    return replace(
        s,
        rules_hash=event.rules_hash,
        deck_size=size if isinstance(size, int) else s.deck_size,
        doc_weight=weight if isinstance(weight, int) else None,
    )


@on(ev.OperatorSignedOn)
def _signed_on(s: Statistics, event: ev.OperatorSignedOn, at_s: float) -> Statistics:
    return replace(s, dealer=event.operator) if event.role == "dealer" else s


@on(ev.OperatorSignedOff)
def _signed_off(s: Statistics, event: ev.OperatorSignedOff, at_s: float) -> Statistics:
    return replace(s, dealer="") if event.role == "dealer" else s


@on(ev.RunStarted)
def _run_started(s: Statistics, event: ev.RunStarted, at_s: float) -> Statistics:
    lost = not s.stopped and s.open is not None and s.open.locked
    s = replace(s, stopped=False)
    return _noted(s, "power_losses", _dealer(s)) if lost else s


@on(ev.RunEnded)
def _run_ended(s: Statistics, event: ev.RunEnded, at_s: float) -> Statistics:
    return replace(s, stopped=True)


@on(ev.DeviceDown)
def _device_down(s: Statistics, event: ev.DeviceDown, at_s: float) -> Statistics:
    if event.reason in BY_PEOPLE:
        return s
    return replace(s, drops=(*_last_hour(s, at_s), (at_s, event.device)))


def _last_hour(s: Statistics, at_s: float) -> tuple[tuple[float, str], ...]:
    return tuple(drop for drop in s.drops if 0 <= at_s - drop[0] < HOUR_S)


@on(ev.AlarmRaised)
def _alarm_raised(s: Statistics, event: ev.AlarmRaised, at_s: float) -> Statistics:
    return replace(s, raised={**s.raised, event.id: (event.code, event.subject)})


@on(ev.AlarmAnswered)
def _alarm_answered(s: Statistics, event: ev.AlarmAnswered, at_s: float) -> Statistics:
    key = s.raised.get(event.id)
    left = {number: what for number, what in s.raised.items() if number != event.id}
    return replace(s, raised=left, answered=s.answered if key is None else {**s.answered, key: s.total})


# --- a hand ----------------------------------------------------------------------------------------------------------


def _dealer(s: Statistics) -> str:
    return f"dealer {s.dealer or '-'}"


def _noted(s: Statistics, what: str, whom: str) -> Statistics:
    if s.open is None:
        return s
    return replace(s, open=replace(s.open, counts=(*s.open.counts, ((what, whom), 1))))


@on(ev.HandOpened)
def _hand_opened(s: Statistics, event: ev.HandOpened, at_s: float) -> Statistics:
    return replace(s, open=Open(dealer=s.dealer))


@on(ev.DeckTaken)
def _deck_taken(s: Statistics, event: ev.DeckTaken, at_s: float) -> Statistics:
    return s if s.open is None else replace(s, open=replace(s.open, deck=event.deck))


@on(ev.Locked)
def _locked(s: Statistics, event: ev.Locked, at_s: float) -> Statistics:
    if s.open is None:
        return s
    boxes = tuple((("hands", f"box {stake['box']}"), 1) for stake in event.stakes)
    counts = (*s.open.counts, *boxes)
    blind = tuple(int(stake["box"]) for stake in event.stakes if stake.get("blind"))
    nominal = event.stake_entry != "before_deal"
    hand = replace(s.open, locked=True, dealer=s.dealer, counts=counts, feeds=_feeds(event))
    return replace(s, open=replace(hand, blind=blind, nominal=nominal))


def _feeds(event: ev.Locked) -> int:
    """Jackpot stakes where there are any; else what may be lost feeds it: bets and fees are multiples of an ante."""
    jackpots = sum(int(stake.get("jackpot", 0)) for stake in event.stakes)
    others = sum(int(stake.get("ante", 0)) + int(stake.get("bonus", 0)) for stake in event.stakes)
    return jackpots or MOST_FEES * others


@on(ev.MeterMoved)
def _meter_moved(s: Statistics, event: ev.MeterMoved, at_s: float) -> Statistics:
    if s.open is None or not event.before:
        return s
    rise = exact(event.after) - exact(event.before)
    return _noted(s, "contributions", "meter") if rise > s.open.feeds else s


@on(ev.CardDealt)
def _card_dealt(s: Statistics, event: ev.CardDealt, at_s: float) -> Statistics:
    if s.open is None or not event.event_no:  # a card lost with its event was no misread
        return s
    read = (("cards", event.device), 1)
    errors = ((("unread", event.device), 1),) if event.card == UNKNOWN else ()
    laid = (*s.open.laid, (event.place, event.box, event.card))
    return replace(s, open=replace(s.open, laid=laid, counts=(*s.open.counts, read, *errors)))


@on(ev.ReadDoubted)
def _read_doubted(s: Statistics, event: ev.ReadDoubted, at_s: float) -> Statistics:
    """What a plain reader garbled. Being away is no error of its reading."""
    if s.open is None or event.reason == "away":
        return s
    return replace(s, open=replace(s.open, counts=(*s.open.counts, (("unread", event.device), 1))))


@on(ev.JokerShown)
def _joker_shown(s: Statistics, event: ev.JokerShown, at_s: float) -> Statistics:
    return _noted(s, "joker", event.slot)


def _by_dealer(what: str) -> Fold:
    return lambda s, event, at_s: _noted(s, what, _dealer(s))


FOLDS |= {
    ev.Undone: _by_dealer("undos"),
    ev.BoxVoided: _by_dealer("voids"),
    ev.CardEntered: _by_dealer("overrides"),
    ev.CardRedirected: _by_dealer("overrides"),
    ev.StakeCorrected: _by_dealer("overrides"),
    ev.HandsSwapped: _by_dealer("overrides"),
    ev.CardReassigned: _by_dealer("overrides"),
    ev.CardMovedBack: _by_dealer("overrides"),
    ev.TrayDiffers: _by_dealer("tray_differs"),
}


@on(ev.LateBet)
def _late_bet(s: Statistics, event: ev.LateBet, at_s: float) -> Statistics:
    return _noted(s, "late_bets", f"box {event.box}")


@on(ev.BoxSettled)
def _box_settled(s: Statistics, event: ev.BoxSettled, at_s: float) -> Statistics:
    if s.open is None:
        return s
    others = tuple(net for net in s.open.nets if net[0] != event.box)  # settled anew after a correction
    return replace(s, open=replace(s.open, nets=(*others, (event.box, _gain(event.answer, s.open.nominal)))))


def _gain(answer: dict[str, Any], nominal: bool) -> int:
    """What the box gained; only its sign is used.

    All stakes but the bonus are multiples of the ante, so that the sign holds whatever the ante is. Where amounts are
    nominal the bonus is left out: against an ante of unknown size it would decide by chance.
    """
    bonus = (answer.get("stakes") or {}).get("bonus") or {}
    return int(answer.get("net", 0)) - (int(bonus.get("profit", 0)) if nominal else 0)


@on(ev.HandEnded)
def _hand_ended(s: Statistics, event: ev.HandEnded, at_s: float) -> Statistics:
    hand = s.open
    if hand is None or event.outcome == "not_played":
        return replace(s, open=None)
    if event.outcome == "void":
        hand = replace(hand, nets=(), counts=(*hand.counts, (("voids", _dealer(s)), 1)))
    recent = tuple(t for t in s.ended if 0 <= at_s - t < MINUTE_S)
    s = replace(s, open=None, ended=(*recent, at_s), drops=_last_hour(s, at_s))
    return _compared(_counted(s, _all_counts(hand)), hand)


def _all_counts(hand: Open) -> Counts:
    dealer = f"dealer {hand.dealer or '-'}"
    found = Counter({("hands", ""): 1, ("hands", dealer): 1})
    for key, number in hand.counts:
        found[key] += number
        if hand.deck and key[0] in ("cards", "unread"):
            found[key[0], f"deck {hand.deck}"] += number
    for box, net in hand.nets:
        kind = BLIND if box in hand.blind else OPEN
        for whom in ("all", f"box {box}", f"box {box} with {dealer}") if net else ():
            found["decided" + kind, whom] += 1
            found["won" + kind, whom] += net > 0
    gained = sum((net > 0) - (net < 0) for box, net in hand.nets if box not in hand.blind)
    for whom in ("all", dealer) if gained else ():
        found["decided" + BY_HAND, whom] += 1
        found["won" + BY_HAND, whom] += gained > 0
    return tuple(found.items())


def _counted(s: Statistics, counts: Counts) -> Statistics:
    tally = Counter(s.tally)
    tally.update(dict(counts))
    window = (*s.window, counts)
    for gone in window[: -s.span]:
        tally.subtract(dict(gone))
    kept = {key: number for key, number in tally.items() if number}
    return replace(s, total=s.total + 1, window=window[-s.span :], tally=kept)


def _compared(s: Statistics, hand: Open) -> Statistics:
    now = order_of(hand.laid)
    if not now.dealt:
        return s
    before = s.orders.get(hand.deck, ())
    found = (compare(order, now, s.deck_size) for order in before)
    orders = {**s.orders, hand.deck: (*before, now)[-BEFORE:]}
    return replace(s, orders=orders, likeness=(*s.likeness, *found)[-COMPARED:])
