"""The exact odds of a game: every deal, and the chosen way to play it, summed.

One open rank and one place of the joker at a time. Covers raise, fold, an exchange of one card and a sixth card. What
needs more cards is sampled (controller.odds.sample).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import NamedTuple

import numpy as np

from controller.odds.batch import Batch, Draw, Hands, Place
from controller.odds.finals import Book
from controller.odds.payoff import Moments, Payoff
from controller.odds.plain import PlainSum
from controller.odds.ranks import POPCOUNT, RANKS, Bools, Floats, Ints, added, multisets, removed
from controller.odds.scene import Counts, Scene
from controller.odds.states import Deals, States, deals, distinct, held
from controller.odds.strategies import Strategy, s002_discard

FOLD, RAISE = 0, 1
Progress = Callable[[float], None]


class Totals:
    """Sums over deals, each with its number of ways."""

    def __init__(self) -> None:
        self.ways = 0.0
        self.sums = dict.fromkeys(Moments._fields, 0.0)
        self.qualifies = 0.0
        self.choices: dict[str, float] = {}
        self.events: dict[str, int] = {}

    def add(self, weight: Floats, moments: Moments, choice: str) -> None:
        for name, values in zip(Moments._fields, moments, strict=True):
            self.sums[name] += float(weight @ values)
        self.choices[choice] = self.choices.get(choice, 0.0) + float(weight.sum())

    def event(self, name: str, number: int) -> None:
        self.events[name] = self.events.get(name, 0) + number


class Option(NamedTuple):
    name: str
    draw: Draw
    valid: Ints


class Group(NamedTuple):
    """States of one scene: plain hands, refined hands, which plain one each refines, and their ways."""

    batch: Batch
    plain: Hands
    hands: Hands
    base: Ints
    weight: Floats


def places(book: Book) -> list[str]:
    """Where the joker can be while the dealer's open card is a natural one."""
    return ["none"] if book.joker == "none" else ["hidden", "held"]


def groups(book: Book, payoff: Payoff, drawing: bool, progress: Progress | None = None) -> Iterator[Group]:
    """All deals whose open card is not the joker. Ways are numbers of (hand, open card, joker card)."""
    ranks, kinds = range(book.low, RANKS), places(book)
    physical = book.rules.variant == "jpoker"
    jokers = [(rank, inside) for rank in ranks for inside in (False, True)] if physical else [(0, False)]
    done, steps = 0, len(ranks) * len(kinds) * len(jokers)
    for open_rank in ranks:
        for kind in kinds:
            first = (4 if kind == "held" else 5) + (1 if physical else 0)
            sizes = (first, first + 1) if drawing else (first,)
            scene = Scene(book, open_rank, kind, 0, first + 1).of_sizes(sizes)
            for rank, inside in jokers:
                scene.with_joker_rank(rank)
                place = Place(kind, rank, inside, physical)
                yield group(Batch(book, payoff, scene, place), open_rank)
                done += 1
                if progress is not None:
                    progress(done / steps)


def group(batch: Batch, open_rank: int) -> Group:
    """The states of one scene."""
    place, book = batch.place, batch.book
    size = batch.naturals
    all_deals = deals(size, size - 1, book.low)
    hands, weight, base = _with_joker(place, book, all_deals.states, size)
    fits = ((hands.mask >> open_rank) & 1 == 0) & (weight > 0)
    if place.physical and place.inside and place.rank == open_rank:
        fits &= False
    plain = _plain(place, book, all_deals, size)
    return Group(batch, plain, hands.take(np.flatnonzero(fits)), base[fits], 4.0 * weight[fits])


def _dead(place: Place, book: Book, size: int, hand: Ints, mask: Ints) -> tuple[Ints, Ints]:
    if not place.physical:
        return hand, mask
    return added(size, book.low)[hand, place.rank], mask | (1 << place.rank if place.inside else 0)


def _plain(place: Place, book: Book, all_deals: Deals, size: int) -> Hands:
    zero = np.zeros_like(all_deals.hand)
    dead = _dead(place, book, size, all_deals.hand, all_deals.mask)
    return Hands(all_deals.hand, all_deals.mask, zero, zero, *dead, zero)


def _with_joker(place: Place, book: Book, states: States, size: int) -> tuple[Hands, Ints, Ints]:
    """The states once for each suit, relative to the hand, in which the joker card can lie."""
    dead = _dead(place, book, size, states.hand, states.mask)
    zero = np.zeros_like(states.hand)
    hands = Hands(states.hand, states.mask, states.suited, states.inside, *dead, zero)
    if not place.physical:
        return hands, states.weight, states.base
    free = 1 - ((states.mask >> place.rank) & 1)
    if place.inside:
        return hands, states.weight * free, states.base
    outside = held(states.hand, states.mask, place.rank, size, book.low)
    elsewhere = (states.suited > 0) & (states.inside == 0)
    there = elsewhere & ((states.suited >> place.rank) & 1 == 0)
    ways = np.maximum(3 - outside - there, 0)
    both = [np.concatenate([a, b[there]]) for a, b in zip(hands, hands._replace(joker_there=zero + 1), strict=True)]
    weight = np.concatenate([states.weight * ways, states.weight[there]])
    return Hands(*both), weight, np.concatenate([states.base, states.base[there]])


def options(batch: Batch, hands: Hands) -> list[Option]:
    """Every draw of one card, for each hand of the batch."""
    rules, low = batch.book.rules, batch.low
    size = batch.naturals
    found = []
    if 1 in rules.exchange_fee:
        cost, forced = float(rules.exchange_fee[1]), 1 in rules.force_raise_after
        slots = distinct(size, low)
        for slot in range(size):
            rank = slots[hands.hand, slot]
            gone = np.maximum(rank, 0)
            kept = removed(size, low)[hands.hand, gone]
            draw = Draw(kept, size - 1, batch.held, _left_suited(hands, gone, size, low), cost, forced=forced)
            found.append(Option("exchange_1", draw, (rank >= 0).astype(np.int64)))
        if batch.held:
            flush = np.where(POPCOUNT[hands.suited] == size, hands.suited, 0)
            draw = Draw(hands.hand, size, False, flush, cost, forced=forced)
            found.append(Option("exchange_1", draw, np.ones_like(hands.hand)))
    if rules.sixth_card_fee is not None and batch.place.joker == "none":
        odd = _odd(hands, size, low)
        draw = Draw(hands.hand, size, False, hands.suited, float(rules.sixth_card_fee), sixth=True, odd=odd)
        found.append(Option("buy6", draw, np.ones_like(hands.hand)))
    return found


def _left_suited(hands: Hands, gone: Ints, size: int, low: int) -> Ints:
    """The suited part if all kept cards belong to it, else 0."""
    all_suited = POPCOUNT[hands.suited] == size
    odd = (POPCOUNT[hands.suited] == size - 1) & (_odd(hands, size, low) == gone)
    return np.where(all_suited, hands.suited & ~(1 << gone), np.where(odd, hands.suited, 0))


def _odd(hands: Hands, size: int, low: int) -> Ints:
    """Rank of the one card outside the suited part; -1 where there is not exactly one."""
    counts = multisets(size, low).counts[hands.hand]
    left = counts - ((hands.suited[:, None] >> np.arange(RANKS)) & 1)
    one = POPCOUNT[hands.suited] == size - 1
    return np.where(one, left.argmax(axis=1), -1)


def play(one: Group, strategy: Strategy, totals: Totals) -> None:
    """Adds one scene: chooses for every state, then measures what was chosen."""
    batch, hands = one.batch, one.hands
    counts, code, pay = batch.raise_counts(hands)
    raise_ev = batch.payoff.ev(counts, code, pay)
    raised = raise_ev >= batch.payoff.fold if strategy.raises is None else strategy.raises(code, raise_ev)
    found = options(batch, hands) if strategy.draws != "none" else []
    choice = np.full(len(code), -1, dtype=np.int64)
    if strategy.draws == "best":
        choice = _best(one, found, np.maximum(raise_ev, batch.payoff.fold))
    elif strategy.draws == "s002":
        gone = s002_discard(batch.book, hands, code)
        slots = distinct(batch.naturals, batch.low)[hands.hand]
        choice = np.where(gone >= 0, (slots == gone[:, None]).argmax(axis=1), -1)
    weight, stay = one.weight, choice < 0
    totals.ways += float(weight.sum())
    totals.qualifies += float(weight @ (1.0 - counts.idle / counts.total))
    moments = batch.payoff.moments(counts, code, pay, 0.0, raised, False)
    for name, chosen in (("raise", stay & raised), ("fold", stay & ~raised)):
        totals.add(weight * chosen, moments, name)
    for number, option in enumerate(found):
        which = np.flatnonzero(choice == number)
        if len(which):
            draw = _of(option.draw, which)
            totals.add(weight[which], batch.moments(hands.take(which), draw, strategy.raises), option.name)
    if not found:
        _events(one, counts, code, raised, totals)


def _of(draw: Draw, which: Ints) -> Draw:
    odd = None if draw.odd is None else draw.odd[which]
    return draw._replace(kept=draw.kept[which], flush=draw.flush[which], odd=odd)


def _best(one: Group, found: list[Option], best: Floats) -> Ints:
    """The best option of each hand, -1 where none beats raising and folding."""
    batch, hands = one.batch, one.hands
    choice = np.full(len(best), -1, dtype=np.int64)
    used = np.unique(one.base)
    place_of = np.zeros(len(one.plain.hand), dtype=np.int64)
    place_of[used] = np.arange(len(used))
    plain = one.plain.take(used)
    bases = options(batch, plain)
    quick = None if batch.payoff.insured else PlainSum(batch, plain)
    drawing = np.flatnonzero(hands.suited)
    for number, (option, base) in enumerate(zip(found, bases, strict=True)):
        whole = batch.plain_ev(plain, base.draw) if quick is None else quick.ev(base.draw)
        ev = whole[place_of[one.base]]
        ev[drawing] += batch.flush_ev(hands.take(drawing), _of(option.draw, drawing))
        better = (ev > best) & (option.valid > 0)
        best = np.where(better, ev, best)
        choice = np.where(better, number, choice)
    return choice


def _events(one: Group, counts: Counts, code: Ints, raised: Bools, totals: Totals) -> None:
    """Numbers of (hand, open card, hidden cards) by how the box ends: whole numbers, where nothing is drawn."""
    idle, below, upto, total = counts
    weight = one.weight.astype(np.int64)
    on = weight * raised
    won = on * (below - idle)
    numbers = one.batch.book.numbers[code]
    for number in np.unique(numbers).tolist():
        totals.event(f"win_{one.batch.book.ranking.order[number]}", int(won[numbers == number].sum()))
    totals.event("not_qualified", int((on * idle).sum()))
    totals.event("push", int((on * (upto - below)).sum()))
    totals.event("lose", int((on * (total - upto)).sum()))
    totals.event("fold", int((weight * ~raised).sum()) * comb(one.batch.unseen, 4))
