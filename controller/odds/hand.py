"""One shown hand: what every choice is worth, exactly. All draws are enumerated, by rank and by what a flush needs.

This is `advise`, the reading by which the sums over all deals are checked, and the part that is sampled where a game
allows draws of several cards.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np

from controller.domain.cards import JOKER, Card, deck
from controller.odds.finals import Book, six, wild_six
from controller.odds.open_joker import Table
from controller.odds.payoff import Moments, Payoff
from controller.odds.purchase import Purchase, can_pay
from controller.odds.ranks import CHOOSE, KEY, POPCOUNT, RANKS, Bools, Floats, Ints, multisets
from controller.odds.scene import Counts, Scene

_MOST_DEAD = 11


class Shown(NamedTuple):
    """What the player knows. `joker`: J-poker's card of the round (the open card itself in a DOC round)."""

    cards: tuple[Card, ...]
    open: Card
    joker: Card | None = None


class Choice(NamedTuple):
    name: str
    """`fold`, `raise`, `exchange` or `buy6`."""
    gone: tuple[Card, ...]
    ev: float


class _Final(NamedTuple):
    """Final hands with their ways: dead rows, dead masks by suit, code and odds."""

    ways: Floats
    row: Ints
    masks: Ints
    code: Ints
    pay: Floats
    wild: bool


class Adviser:
    """Values shown hands of one rule set; keeps what hands with the same open card share."""

    def __init__(self, book: Book, payoff: Payoff, *, buys: bool = True) -> None:
        """`buys`: the player may buy the dealer a card, where the game offers it."""
        self.book, self.payoff = book, payoff
        self.deck = deck(book.rules.deck_size)
        self._scenes: dict[tuple[object, ...], Scene] = {}
        self._tables: dict[int, Table] = {}
        self._purchases: dict[int, Purchase] = {}
        self.buys = buys and book.rules.dealer_exchange_fee is not None and book.joker == "none"

    def choices(self, shown: Shown, most: int = 5) -> list[Choice]:
        """Every choice of the game (but no exchange of more than `most` cards), the best first."""
        rules, view = self.book.rules, _View(self, shown)
        found = [Choice("fold", (), self.payoff.fold), Choice("raise", (), view.raise_ev())]
        for count in sorted(count for count in rules.exchange_fee if count <= most):
            found += [Choice("exchange", gone, view.exchange_ev(gone)) for gone in combinations(shown.cards, count)]
        if rules.sixth_card_fee is not None:
            found.append(Choice("buy6", (), view.sixth_ev()))
        return sorted(found, key=lambda choice: -choice.ev)

    def moments(self, shown: Shown, choice: Choice) -> Moments:
        """Everything about one choice: a length-one array each."""
        return _View(self, shown).moments(choice)

    def scene(self, open_rank: int, kind: str, joker_rank: int) -> Scene:
        key = (open_rank, kind, joker_rank if self.book.rules.own_rank_trips else 0)
        if key not in self._scenes:
            if len(self._scenes) > 1:
                self._scenes.clear()  # their rows are large; who values many hands takes them by open card
            self._scenes[key] = Scene(self.book, open_rank, kind, joker_rank, _MOST_DEAD)
        return self._scenes[key]

    def purchase(self, open_rank: int) -> Purchase:
        if open_rank not in self._purchases:
            self._purchases[open_rank] = Purchase(self.book, self.payoff, open_rank)
        return self._purchases[open_rank]

    def table(self, joker_rank: int) -> Table:
        key = joker_rank if self.book.rules.own_rank_trips else 0
        if key not in self._tables:
            self._tables[key] = Table(self.book, joker_rank, _MOST_DEAD)
        return self._tables[key]


class _View:
    """One hand under valuation."""

    def __init__(self, adviser: Adviser, shown: Shown) -> None:
        self.adviser = adviser
        self.book, self.payoff, self.shown = adviser.book, adviser.payoff, shown
        self.joker = JOKER if self.book.rules.deck_size == 53 else shown.joker
        self.wild = self.book.joker != "none"
        known = {*shown.cards, shown.open}
        self.live = [card for card in adviser.deck if card not in known]
        self.unseen = len(self.live)
        self.joker_rank = 0 if self.joker is None or self.joker == JOKER else self.joker >> 2
        self.open_joker = self.wild and shown.open == self.joker
        self.held = self.wild and self.joker in shown.cards
        self.hidden = self.wild and not self.open_joker and not self.held
        # The suit of the open card comes first: flushes of the dealer can only lie there.
        self.first = 0 if self.open_joker else shown.open & 3
        if self.open_joker:
            self.table = adviser.table(self.joker_rank)
        else:
            self.scene = adviser.scene(shown.open >> 2, "hidden" if self.hidden else "held", self.joker_rank)
        self.dead = self._dead()
        self.dead_masks = self._masks(self.dead)
        self.free = self._free()

    def raise_ev(self) -> float:
        self._fill(0)
        return float(self._ev(self._dealt(), 0)[0])

    def exchange_ev(self, gone: tuple[Card, ...]) -> float:
        count = len(gone)
        forced = count in self.book.rules.force_raise_after
        return self._value(self._exchanged(gone), count, forced) - float(self.book.rules.exchange_fee[count])

    def sixth_ev(self) -> float:
        fee = self.book.rules.sixth_card_fee
        assert fee is not None
        return self._value(self._sixth(), 1, False) - float(fee)

    def moments(self, choice: Choice) -> Moments:
        rules, payoff = self.book.rules, self.payoff
        if choice.name in ("fold", "raise"):
            self._fill(0)
            final = self._dealt()
            on = np.full(1, choice.name == "raise")
            return payoff.moments(self._counts(final, 0), final.code, final.pay, 0.0, on, False)
        count = len(choice.gone) or 1
        fee = rules.sixth_card_fee if choice.name == "buy6" else rules.exchange_fee[count]
        finals = self._sixth() if choice.name == "buy6" else self._exchanged(choice.gone)
        forced = choice.name == "exchange" and count in rules.force_raise_after
        total = np.zeros(len(Moments._fields))
        for final in finals:
            found = payoff.moments(self._counts(final, count), final.code, final.pay, float(fee or 0), None, forced)
            total += np.array([float(final.ways @ part) for part in found])
        return Moments(*(np.array([part]) for part in total / comb(self.unseen, count)))

    def _value(self, finals: Iterator[_Final], count: int, forced: bool) -> float:
        total = 0.0
        for final in finals:
            ev = self._ev(final, count)
            total += float(final.ways @ (ev if forced else np.maximum(ev, self.payoff.fold)))
        return total / comb(self.unseen, count)

    def _ev(self, final: _Final, count: int) -> Floats:
        ev = self.payoff.ev(self._counts(final, count), final.code, final.pay)
        return ev + self._purchase(final, count) if self.adviser.buys else ev

    def _purchase(self, final: _Final, drawn: int) -> Floats:
        """What buying the dealer a card adds."""
        gain = np.zeros(len(final.code))
        some = np.flatnonzero(can_pay(self.book, self.payoff, final.pay) & (final.ways != 0))
        if len(some):
            dead, masks = self.scene.dead[final.row[some]], final.masks[some]
            one = self.adviser.purchase(self.shown.open >> 2)
            gain[some] = one.gain(dead, masks, final.code[some], final.pay[some], self.unseen - drawn)
        return gain

    def _counts(self, final: _Final, drawn: int) -> Counts:
        total = comb(self.unseen - drawn, 4)
        if self.open_joker:
            return self.table.counts(final.row, final.masks, final.code, total)
        return self.scene.counts(final.row, final.masks[:, 0], final.code, total, wild=self.hidden and final.wild)

    def _dead(self) -> list[Card]:
        """Natural cards that the dealer's hidden ones cannot be. The open card counts only where it is the joker."""
        dead = [card for card in self.shown.cards if card != JOKER]
        physical = self.joker is not None and self.joker != JOKER
        if physical and self.joker not in dead:
            assert self.joker is not None
            dead.append(self.joker)
        return dead

    def _masks(self, cards: list[Card]) -> Ints:
        masks = np.zeros(4, dtype=np.int64)
        for card in cards:
            masks[(card - self.first) & 3] |= 1 << (card >> 2)
        return masks

    def _free(self) -> Ints:
        """[suit, rank]: natural cards that may be drawn."""
        free = np.zeros((4, RANKS), dtype=np.int64)
        for card in self.live:
            if card not in (JOKER, self.joker):
                free[(card - self.first) & 3, card >> 2] = 1
        return free

    def _fill(self, drawn: int) -> None:
        """Rows: the dead cards with every multiset of drawn ones."""
        dead = np.zeros(RANKS, dtype=np.int64)
        for card in self.dead:
            dead[card >> 2] += 1
        if self.open_joker:
            self.table.rows.fill_drawn(dead, drawn)
        else:
            self.scene.fill_drawn(dead, drawn)

    def _dealt(self) -> _Final:
        naturals = [card for card in self.shown.cards if card != self.joker or not self.wild]
        mask = _one_suit(naturals)
        code, pay = self._worth(naturals, mask, len(naturals) == 4, exchanged=False)
        zero = np.zeros(1, dtype=np.int64)
        return _Final(np.ones(1), zero, self.dead_masks[None, :], code, pay, True)

    def _worth(self, naturals: list[Card], mask: int, joker: bool, *, exchanged: bool) -> tuple[Ints, Floats]:
        if mask:
            return self._suited(np.array([mask]), joker, exchanged=exchanged)
        return self._plain(np.array([_key(naturals)]), joker, exchanged=exchanged)

    def _plain(self, keys: Ints, joker: bool, *, exchanged: bool) -> tuple[Ints, Floats]:
        size = 4 if joker else 5
        every = multisets(size, self.book.low)
        index = every.index(keys) + (self.joker_rank * len(every) if joker else 0)
        shape = self.book.shapes["wild4" if joker else "plain5"]
        return shape.code[index], (shape.pay_drawn if exchanged else shape.pay)[index]

    def _suited(self, masks: Ints, joker: bool, *, exchanged: bool) -> tuple[Ints, Floats]:
        shape = self.book.shapes["suited4" if joker else "suited5"]
        return shape.code[masks], (shape.pay_drawn if exchanged else shape.pay)[masks]

    def _exchanged(self, gone: tuple[Card, ...]) -> Iterator[_Final]:
        """All final hands after the exchange of these cards."""
        count = len(gone)
        self._fill(count)
        stay = [card for card in self.shown.cards if card not in gone]
        kept = [card for card in stay if card != self.joker or not self.wild]
        yield from self._drawn(kept, len(stay) > len(kept), count, count, True)
        if self.hidden:
            yield from self._drawn(kept, True, count - 1, count, False)

    def _drawn(self, kept: list[Card], joker: bool, count: int, drawn: int, wild: bool) -> Iterator[_Final]:
        """Hands of the kept cards, `count` natural ones, and the joker if it is held or came as one of `drawn`."""
        patterns = _patterns(count, 52 if self.open_joker else 2 * RANKS)
        free = self.free.ravel() if self.open_joker else np.concatenate([self.free[0], self.free[1:].sum(axis=0)])
        ways = CHOOSE[free[patterns.types], patterns.times].prod(axis=1)
        some = np.flatnonzero(ways)
        keys = _key(kept) + multisets(count).keys
        code, pay = self._plain(keys, joker, exchanged=True)
        draw = patterns.draw[some]
        if count < drawn:  # the joker came: it is dead already where it is a natural card
            self._fill(count)
        rows = draw
        masks = self._dead_after(patterns, some)
        yield _Final(ways[some].astype(np.float64), rows, masks, code[draw], pay[draw], wild)
        yield from self._flushes(kept, joker, patterns, some, (code, pay), rows, masks, wild)

    def _dead_after(self, patterns: _Patterns, some: Ints) -> Ints:
        masks = np.repeat(self.dead_masks[None, :], len(some), axis=0)
        if self.open_joker:
            return masks | patterns.masks[some]
        masks[:, 0] |= patterns.masks[some, 0]
        return masks

    def _flushes(
        self,
        kept: list[Card],
        joker: bool,
        patterns: _Patterns,
        some: Ints,
        plain: tuple[Ints, Floats],
        rows: Ints,
        masks: Ints,
        wild: bool,
    ) -> Iterator[_Final]:
        """The hands that are flushes, and minus what they were taken for."""
        for suit in range(4):
            if any((card - self.first) & 3 != suit for card in kept):
                continue
            ways = self._suited_ways(patterns, some, suit)
            which = np.flatnonzero(ways)
            if not len(which):
                continue
            whole = patterns.ranks[some][which] | sum(1 << (card >> 2) for card in kept)
            code, pay = self._suited(whole, joker, exchanged=True)
            number = ways[which].astype(np.float64)
            yield _Final(number, rows[which], masks[which], code, pay, wild)
            draw = patterns.draw[some][which]
            yield _Final(-number, rows[which], masks[which], plain[0][draw], plain[1][draw], wild)

    def _suited_ways(self, patterns: _Patterns, some: Ints, suit: int) -> Ints:
        """Ways in which all cards of a pattern come in one suit."""
        if self.open_joker:
            found = patterns.masks[some, suit] == patterns.ranks[some]
            alike: Ints = (found & patterns.different[some]).astype(np.int64)
            return alike
        inside = patterns.masks[some, 0]
        here = inside == patterns.ranks[some] if suit == 0 else inside == 0
        live = int((self.free[suit] << np.arange(RANKS)).sum())
        ways: Ints = (here & patterns.different[some] & (patterns.ranks[some] & ~live == 0)).astype(np.int64)
        return ways

    def _sixth(self) -> Iterator[_Final]:
        """The hands of six cards; the joker, where it may come, last."""
        self._fill(1)
        rows = {int(key): place for place, key in enumerate(multisets(1).keys)}
        for card in self.live:
            if not self.hidden or card != self.joker:
                masks = self._masks([*self.dead, card])[None, :]
                row = np.array([rows[int(KEY[card >> 2])]])
                yield _Final(np.ones(1), row, masks, *self._six(card), True)
        if self.hidden:
            assert self.joker is not None
            self._fill(0)  # dead already where it is a natural card, and never the dealer's then
            row = np.zeros(1, dtype=np.int64)
            yield _Final(np.ones(1), row, self.dead_masks[None, :], *self._six(self.joker), False)

    def _six(self, card: Card) -> tuple[Ints, Floats]:
        """Strength and odds with this sixth card."""
        cards = [*self.shown.cards, card]
        return wild_six(self.book, cards, self.joker) if self.wild else six(self.book, cards)


class _Patterns(NamedTuple):
    """Ways to draw cards by type: of ranks in the open card's suit or outside it, or by single cards."""

    types: Ints
    times: Ints
    draw: Ints
    """Index of the multiset of the ranks."""
    masks: Ints
    """Ranks by suit; with two types only the first suit is known."""
    ranks: Ints
    """Mask of all ranks."""
    different: Bools


@functools.cache
def _patterns(count: int, types: int) -> _Patterns:
    if count == 0:
        none = np.zeros((1, 0), dtype=np.int64)
        zero = np.zeros(1, dtype=np.int64)
        return _Patterns(none, none, zero, np.zeros((1, 4), dtype=np.int64), zero, zero == 0)
    by_card = types == 52
    pick = combinations(range(52), count) if by_card else combinations_with_replacement(range(types), count)
    every = np.array(list(pick), dtype=np.int64)
    twice = (every[:, 1:] == every[:, :-1]) & (every[:, 1:] < RANKS)  # one card of a rank lies in the first suit
    every = every[~twice.any(axis=1)]
    times = np.ones_like(every)
    for place in range(1, count):
        same = every[:, place] == every[:, place - 1]
        times[:, place] += np.where(same, times[:, place - 1], 0)
        times[:, place - 1] = np.where(same, 0, times[:, place - 1])
    fits = times.max(axis=1) <= (1 if by_card else 3)
    every, times = every[fits], times[fits]
    ranks, suits = every % RANKS, every // RANKS
    draw = multisets(count).index(KEY[ranks].sum(axis=1))
    masks = np.stack([np.where(suits == suit, 1 << ranks, 0).sum(axis=1) for suit in range(4)], axis=1)
    whole = np.bitwise_or.reduce(1 << ranks, axis=1)
    return _Patterns(every, times, draw, masks, whole, POPCOUNT[whole] == count)


def _key(cards: list[Card]) -> int:
    return int(sum(int(KEY[card >> 2]) for card in cards))


def _one_suit(cards: list[Card]) -> int:
    """The ranks if all share a suit, else 0."""
    if any((card ^ cards[0]) & 3 for card in cards):
        return 0
    return sum(1 << (card >> 2) for card in cards)
