"""The same values in three ways: sums over all deals, one shown hand, and plain loops over cards."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("numpy")

import numpy as np
from odds_helpers import exchange_value, raise_value

from controller.domain.cards import JOKER, Card, deck, parse_card, parse_cards
from controller.domain.ruleset import RuleSet
from controller.odds.batch import Batch, Place
from controller.odds.engine import _notes, compute
from controller.odds.finals import Book
from controller.odds.hand import Adviser, Choice, Shown, _View
from controller.odds.open_joker import Table, _hands, _Open, _whole
from controller.odds.payoff import Payoff
from controller.odds.play import Group, group, options
from controller.odds.ranks import multisets
from controller.odds.sample import draws_gain, needs_sixth
from controller.odds.scene import Scene
from controller.odds.strategies import strategy
from controller.rulesets import load

PLAIN = {"insurance": False, "dealer_exchange_fee": None}


def rules_of(name: str) -> RuleSet:
    return load(name).with_set(PLAIN)


def adviser_of(rules: RuleSet) -> Adviser:
    book = Book(rules)
    return Adviser(book, Payoff(book))


def value(choices: list[Choice], name: str, gone: tuple[Card, ...] = ()) -> float:
    return next(choice.ev for choice in choices if choice.name == name and choice.gone == gone)


@pytest.mark.parametrize("name", ["caribbean", "joker53", "joker53_full", "jpoker", "russian", "russian_36"])
def test_raising_a_shown_hand_against_loops(name: str) -> None:
    rules, rng = rules_of(name), random.Random(name)
    adviser = adviser_of(rules)
    for number in range(4):
        cards = rng.sample(deck(rules.deck_size), 6)
        if rules.deck_size == 53 and JOKER not in cards and number < 2:
            cards[5 * number] = JOKER
        joker = rng.choice([cards[0], cards[5], Card(rng.randrange(52))]) if name == "jpoker" else None
        shown = Shown(tuple(cards[:5]), cards[5], joker)
        expected = raise_value(rules, shown.cards, shown.open, joker)
        assert value(adviser.choices(shown, 0), "raise") == pytest.approx(expected, abs=1e-12)


EXCHANGES = [
    ("oasis_ru", "5h 9h Kh Jh 3c", "3c", "3h", None),
    ("oasis_ru", "5h 9h Kh Jh 3c", "3c", "Qd", None),
    ("joker53", "6s 7d 8s 9c Kh", "Kh", "Kd", None),
    ("joker53", "JK 5c 9c Kc 2d", "2d", "Ah", None),
    ("joker53_full", "5h 9h Kh Jh 3c", "3c", "JK", None),
    ("jpoker", "5h 9h Kh Jh 3c", "3c", "Qd", "2h"),
    ("jpoker", "5h 9h Kh Jh 5c", "5c", "Qh", "Qh"),
    ("jpoker", "7h 8h 9h Jc 7c", "Jc", "2d", "7c"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cards", "gone", "open_card", "joker"), EXCHANGES)
def test_exchanging_a_card_against_loops(name: str, cards: str, gone: str, open_card: str, joker: str | None) -> None:
    rules = rules_of(name).with_set({"exchange_fee": {"2": None}})
    wild = None if joker is None else parse_card(joker)
    shown = Shown(parse_cards(cards), parse_card(open_card), wild)
    out = parse_card(gone)
    found = value(adviser_of(rules).choices(shown), "exchange", (out,))
    assert found == pytest.approx(exchange_value(rules, shown.cards, out, shown.open, wild), abs=1e-12)


SIXTH = [
    ("joker53", "6s 7d 8s 9c Kh", "Kd", None, "Th"),
    ("joker53", "JK 5c 9c Kc 2d", "Ah", None, "7c"),
    ("joker53_full", "5h 9h Kh Jh 3c", "JK", None, "2h"),
    ("joker53_full", "5h 9h Kh Jh 3c", "3d", None, "JK"),
    ("jpoker", "5h 9h Kh Jh 3c", "Qd", "2h", "2h"),
    ("jpoker", "5h 9h Kh Jh 5c", "Qh", "Qh", "5s"),
    ("jpoker", "7h 8h 9h Jc 7c", "2d", "7c", "Th"),
]


@pytest.mark.parametrize(("name", "cards", "open_card", "joker", "drawn"), SIXTH)
def test_a_sixth_card_with_a_joker_against_loops(
    name: str, cards: str, open_card: str, joker: str | None, drawn: str
) -> None:
    """One card that may come, against every dealer's hand."""
    rules = rules_of(name).with_set({"sixth_card_fee": 1, "exchange_fee": {"2": None}})
    wild, card = None if joker is None else parse_card(joker), parse_card(drawn)
    shown = Shown(parse_cards(cards), parse_card(open_card), wild)
    view = _View(adviser_of(rules), shown)
    came = [c for c in view.live if not view.hidden or c != view.joker] + ([view.joker] if view.hidden else [])
    found = [float(view._ev(final, 1)[0]) for final in view._sixth()]
    assert len(found) == len(came) == rules.deck_size - 6
    expected = raise_value(rules, [*shown.cards, card], shown.open, wild)
    assert found[came.index(card)] == pytest.approx(expected, abs=1e-12)
    bought = value(adviser_of(rules).choices(shown), "buy6")
    assert bought == pytest.approx(sum(max(ev, -1.0) for ev in found) / len(found) - 1.0, abs=1e-12)


def test_a_sixth_card_with_a_joker_is_sampled_and_says_so() -> None:
    """A card for nothing is worth something, and one at a fee that nobody would pay gains nothing."""
    rules = load("joker53").with_set({"exchange_fee": {"1": None}, "sixth_card_fee": 9})
    book = Book(rules)
    assert needs_sixth(book)
    assert "a sixth card is sampled" in _notes(book, strategy(book, "best"))
    dear = draws_gain(book, Payoff(book), 20, 1)
    assert (dear.mean, dear.choices) == (0.0, {})
    free = Book(rules.with_set({"sixth_card_fee": 0}))
    gain = draws_gain(free, Payoff(free), 20, 1)
    assert gain.mean > 0.1
    assert gain.stderr > dear.stderr > 0
    assert gain.choices["buy6"] > 0.2
    assert not needs_sixth(Book(load("russian")))


@pytest.mark.parametrize(
    ("name", "count"),
    [("oasis_woo", 2), ("oasis_woo", 5), ("russian", 3), ("jpoker", 2), ("joker53", 3), ("russian_36", 4)],
)
def test_exchanging_several_cards_against_single_draws(name: str, count: int) -> None:
    """Random draws, each valued as a final hand with the thrown cards dead, come to the value of the exchange."""
    rules = rules_of(name).with_set({"exchange_fee": {str(count): 1}, "force_raise_after": [], "sixth_card_fee": None})
    rng = random.Random(count)
    cards = rng.sample([card for card in deck(rules.deck_size) if card != JOKER], 6)
    joker = next(card for card in deck(52) if card not in cards) if name == "jpoker" else None
    shown = Shown(tuple(cards[:5]), cards[5], joker)
    gone = shown.cards[:count]
    adviser = adviser_of(rules)
    found = value(adviser.choices(shown), "exchange", gone)
    live = [card for card in deck(rules.deck_size) if card not in cards]
    sample = [_raised(adviser, shown, gone, rng.sample(live, count)) for _ in range(250)]
    error = float(np.std(sample)) / len(sample) ** 0.5
    assert abs(found - (float(np.mean(sample)) - 1.0)) < 4 * error


def _raised(adviser: Adviser, shown: Shown, gone: tuple[Card, ...], drawn: list[Card]) -> float:
    """The value after a draw, with the thrown cards dead: read from the adviser's tables for that very hand."""
    final = Shown((*shown.cards[len(gone) :], *drawn), shown.open, shown.joker)
    view = _View(adviser, final)
    view.live = [card for card in view.live if card not in gone]
    view.unseen = len(view.live)
    view.dead = [*view.dead, *(card for card in gone if card not in view.dead)]
    view.dead_masks = view._masks(view.dead)
    return max(view.raise_ev(), -1.0)


def hand_of(group: Group, place: int, rng: random.Random) -> Shown | None:
    """Cards that are in a state of the sums; None where the attempts did not find any."""
    hands, at, naturals = group.hands, group.batch.place, group.batch.naturals
    members = multisets(naturals, group.batch.low).members[hands.hand[place]].tolist()
    inside, part = int(hands.mask[place]), 0 if hands.inside[place] else int(hands.suited[place])
    for _ in range(500):
        cards = _suits(members, inside, part, rng)
        most = max(sum(card & 3 == suit for card in cards) for suit in range(4))
        if len(set(cards)) < naturals or (not hands.suited[place] and most >= naturals - 1):
            continue
        if part and sum(card & 3 == 1 for card in cards) != part.bit_count():
            continue
        open_card = Card(4 * group.batch.scene.open_rank)
        joker = None
        if at.physical:
            free = [Card(4 * at.rank + suit) for suit in ([0] if at.inside else [1, 2, 3])]
            there = bool(hands.joker_there[place])
            free = [c for c in free if c not in cards and c != open_card and (not part or (c & 3 == 1) == there)]
            if not free:
                continue
            joker = rng.choice(free)
        held = [JOKER if joker is None else joker] if at.joker == "held" else []
        return Shown((*cards, *held), open_card, joker)
    return None


def _suits(members: list[int], inside: int, part: int, rng: random.Random) -> list[Card]:
    cards = []
    for rank in members:
        if inside >> rank & 1:
            inside &= ~(1 << rank)
            suit = 0
        elif part >> rank & 1:
            part &= ~(1 << rank)
            suit = 1
        else:
            suit = rng.choice([1, 2, 3])
        cards.append(Card(4 * rank + suit))
    return cards


def best_values(group: Group) -> np.ndarray:
    """What the best choice of every state is worth, by the sums."""
    batch, payoff = group.batch, group.batch.payoff
    counts, code, pay = batch.raise_counts(group.hands)
    best = np.maximum(payoff.ev(counts, code, pay), payoff.fold)
    plain = options(batch, group.plain)
    for option, base in zip(options(batch, group.hands), plain, strict=True):
        ev = batch.plain_ev(group.plain, base.draw)[group.base] + batch.flush_ev(group.hands, option.draw)
        best = np.where(option.valid > 0, np.maximum(best, ev), best)
    return best


SCENES = [
    ("oasis_ru", 3, Place("none")),
    ("russian", 9, Place("none")),
    ("russian_36", 12, Place("none")),
    ("joker53", 5, Place("hidden")),
    ("joker53", 5, Place("held")),
    ("joker53_full", 11, Place("hidden")),
    ("joker53_full", 0, Place("held")),
    ("jpoker", 7, Place("hidden", 7, False, True)),
    ("jpoker", 7, Place("hidden", 3, True, True)),
    ("jpoker", 12, Place("held", 8, False, True)),
    ("jpoker", 1, Place("held", 10, True, True)),
]


@pytest.mark.parametrize(("name", "open_rank", "place"), SCENES)
def test_sums_over_all_deals_against_shown_hands(name: str, open_rank: int, place: Place) -> None:
    """Some states of one scene, half of them with a flush in reach: both ways give the same best value."""
    rules = load(name).with_set({"exchange_fee": {str(n): None for n in range(2, 6)}, "dealer_exchange_fee": None})
    book, rng = Book(rules), random.Random(name)
    payoff, adviser = Payoff(book), adviser_of(rules)
    size = (4 if place.joker == "held" else 5) + int(place.physical)
    scene = Scene(book, open_rank, place.joker, place.rank, size + 1).of_sizes((size, size + 1))
    one = _few(group(Batch(book, payoff, scene, place), open_rank), rng)
    best = best_values(one)
    shown = [(hand_of(one, i, rng), best[i]) for i in range(len(best))]
    assert sum(hand is not None for hand, _ in shown) >= 12
    for hand, expected in shown:
        if hand is not None:
            assert adviser.choices(hand)[0].ev == pytest.approx(expected, abs=1e-12), hand


def _few(one: Group, rng: random.Random) -> Group:
    """Twenty states, half of them with a flush in reach, each with its own plain state."""
    near = np.flatnonzero(one.hands.suited).tolist()
    which = np.array([*rng.sample(range(len(one.weight)), 10), *rng.sample(near, 10)])
    hands, plain = one.hands.take(which), one.plain.take(one.base[which])
    return one._replace(hands=hands, plain=plain, base=np.arange(len(which)), weight=one.weight[which])


@pytest.mark.parametrize("name", ["joker53", "joker53_full", "jpoker"])
def test_open_joker_against_shown_hands(name: str) -> None:
    rules = load(name).with_set({"exchange_fee": {"2": None}})
    book, rng = Book(rules), random.Random(name)
    payoff, adviser = Payoff(book), adviser_of(rules)
    physical = name == "jpoker"
    sizes = (6, 7) if physical else (5, 6)
    table = Table(book, 0, sizes[-1]).of_sizes(sizes)
    one = _Open(book, payoff, table, _hands(9, 2, 1.0) if physical else _whole(1.0), sizes[0])
    code, pay = one._dealt()
    counts = table.counts(
        one._row(sizes[0], one.hands.dead), one.hands.dead_masks, code, 163_185 if physical else 178_365
    )
    raised = np.maximum(payoff.ev(counts, code, pay), -1.0)
    choice = one._best(raised.copy())
    drawn = rng.sample(np.flatnonzero(choice >= 0).tolist(), 10)
    for place in [*drawn, *rng.sample(range(len(code)), 10)]:
        masks = one.hands.masks[place].tolist()
        cards = tuple(Card(4 * r + suit) for suit in range(4) for r in range(13) if masks[suit] >> r & 1)
        open_card = Card(4 * 9 + 2) if physical else JOKER
        best = adviser.choices(Shown(cards, open_card, open_card if physical else None))[0]
        assert (best.name == "exchange") == (choice[place] >= 0)
        slot = int(choice[place])
        mine = raised[place] if slot < 0 else one._sum(np.array([place]), slot)[0]
        assert best.ev == pytest.approx(mine, abs=1e-12)


def test_a_bought_card_against_loops() -> None:
    """The gain of buying the dealer a card, for a straight: every dealer's hand, every card that may come."""
    rules = load("russian").with_set({"insurance": False, "double_combination": False})
    book = Book(rules)
    shown = Shown(parse_cards("6c 7d 8h 9s Td"), parse_card("Kh"))
    payoff = Payoff(book)
    buying, without = (value(Adviser(book, payoff, buys=b).choices(shown, 0), "raise") for b in (True, False))
    assert buying - without == pytest.approx(0.060607474763158, abs=1e-12)  # by loops over cards, once


def test_the_variance_and_the_stakes_of_a_small_game() -> None:
    """Raising everything: moments from the counts of the ways that a hand can end."""
    odds = compute(load("caribbean"), "raise-all")
    assert odds.staked == pytest.approx(3.0)
    assert odds.frequencies == {"fold": 0.0, "raise": 1.0}
    assert odds.element_of_risk == pytest.approx(odds.house_edge / 3)
