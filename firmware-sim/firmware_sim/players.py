"""How the simulated players decide: simply, each from his own cards and the joker shown. No luck, no peeking.

What nobody at the table has done yet is tried first, so that a short run shows every choice of a game.
Categories are judged crudely (enough to play by); what a hand really is, the daemon says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from firmware_sim.world import JOKER, RANKS

# How many cards a player may exchange at once, by rule set; the table refuses more. Others: one.
MAX_EXCHANGE = {
    "jpoker": 2,
    "jpoker_online": 3,
    "oasis_woo": 5,
    "oasis_galewind": 5,
    "oasis_belgium": 5,
    "oasis_helsinki": 5,
    "oasis_nicaragua": 5,
    "russian": 5,
    "russian_carry": 5,
    "russian_36": 5,
}
MOST_AGAIN = 4
NO_EXCHANGE = frozenset({"caribbean"})


class Act(StrEnum):
    """What a player tells the dealer."""

    BET = "bet"
    FOLD = "fold"
    EXCHANGE = "exchange"
    BUY6 = "buy6"


@dataclass(frozen=True)
class Choice:
    """An act, with the positions thrown away for an exchange."""

    act: Act
    throw: tuple[int, ...] = ()


def wild(card: str, joker: str | None) -> bool:
    """Is this card the joker of the hand?"""
    return card == JOKER or (joker is not None and card == joker)


def strength(cards: list[str], joker: str | None) -> int:
    """0 nothing, 1 a pair, 2 two pair, 3 trips, 4 straight, 5 flush, 6 anything better."""
    plain = [card for card in cards if not wild(card, joker)]
    jokers = len(cards) - len(plain)
    groups = sorted(Counter(card[0] for card in plain).values(), reverse=True) or [0]
    groups[0] += jokers
    if groups[0] >= 4 or (groups[0] == 3 and len(groups) > 1 and groups[1] >= 2):
        return 6
    if jokers + max(Counter(card[1] for card in plain).values(), default=0) >= 5:
        return 5
    if _longest_run(plain) + jokers >= 5:
        return 4
    if groups[0] == 3:
        return 3 if jokers == 0 else 2
    if groups[0] == 2:
        return 2 if len(groups) > 1 and groups[1] == 2 else 1
    return 0


def _windows() -> list[set[int]]:
    wheel = {12, 0, 1, 2, 3}
    return [wheel, *({*range(low, low + 5)} for low in range(9))]


def _longest_run(cards: list[str]) -> int:
    """How many of a straight's five ranks are there, at best."""
    ranks = {RANKS.index(card[0]) for card in cards}
    return max(len(ranks & window) for window in _windows())


def odd_one(cards: list[str], joker: str | None) -> int | None:
    """The position that spoils four to a flush or an open straight; None when there is no such hand."""
    for position, card in enumerate(cards):
        if wild(card, joker):
            continue
        rest = [other for other in cards[:position] + cards[position + 1 :] if not wild(other, joker)]
        jokers = len(cards) - 1 - len(rest)
        if len({other[1] for other in rest}) == 1 and len(rest) + jokers == 4:
            return position
        ranks = sorted(RANKS.index(other[0]) for other in rest)
        if jokers == 0 and ranks == list(range(ranks[0], ranks[0] + 4)) and 0 < ranks[0] < 9:
            return position
    return None


def weak_cards(cards: list[str], joker: str | None, count: int) -> tuple[int, ...]:
    """The `count` lowest cards that belong to no group."""
    ranks = Counter(card[0] for card in cards)
    single = [i for i, card in enumerate(cards) if ranks[card[0]] == 1 and not wild(card, joker)]
    return tuple(sorted(sorted(single, key=lambda i: RANKS.index(cards[i][0]))[:count]))


def weakest(cards: list[str], joker: str | None, count: int) -> tuple[int, ...]:
    """The positions of the `count` lowest cards, a joker last of all."""

    def worth(position: int) -> int:
        return len(RANKS) if wild(cards[position], joker) else RANKS.index(cards[position][0])

    return tuple(sorted(sorted(range(len(cards)), key=worth)[:count]))


class Player:
    """Decides for every box; what may be done is the table's word (`allowed`).

    `tried` is the whole table's: the choices taken so far, an exchange with its number of cards. None: not curious.
    """

    def __init__(self, rules: str, tried: set[str] | None = None) -> None:
        self._tried = tried
        self._most = 0 if rules in NO_EXCHANGE else MAX_EXCHANGE.get(rules, 1)
        self._russian = rules.startswith("russian")
        self._ace_king_is_a_hand = not rules.startswith("jpoker")

    def first(self, cards: list[str], joker: str | None, allowed: set[str]) -> Choice:
        """The decision on the dealt five."""
        have = strength(cards, joker)
        new = self._something_new(cards, joker, allowed)
        if new is not None:
            return new
        if "exchange" in allowed and have <= 1:
            throw = self._throw(cards, joker, have)
            if throw:
                return Choice(Act.EXCHANGE, throw)
        if self._russian and "buy6" in allowed and 1 <= have <= 3 and self._ace_king(cards):
            return Choice(Act.BUY6)
        return Choice(Act.BET if have >= 1 or self._ace_king(cards) else Act.FOLD)

    def again(self, cards: list[str], joker: str | None, count: int) -> tuple[int, ...]:
        """Where one card after another may go: the position of the next, after `count` of them; none: enough."""
        hopeless = strength(cards, joker) == 0 and self._hash(cards) % 3 == 0
        more = count < MOST_AGAIN and (hopeless or self._is_new(f"exchange {count + 1}"))
        return weakest(cards[:5], joker, 1) if more else ()

    def last(self, cards: list[str], joker: str | None, allowed: set[str]) -> Choice:
        """The decision after a draw: bet or fold, nothing else."""
        if "fold" not in allowed or self._is_new("bet"):
            return Choice(Act.BET)
        if self._is_new("fold"):
            return Choice(Act.FOLD)
        return Choice(Act.BET if strength(cards, joker) >= 1 or self._ace_king(cards) else Act.FOLD)

    def insures(self, cards: list[str], joker: str | None) -> bool:
        """Every other player with trips or better insures one ante."""
        return self._is_new("insure") or (strength(cards, joker) >= 3 and self._hash(cards) % 2 == 0)

    def buys(self, cards: list[str], joker: str | None) -> bool:
        """A good hand is worth a card for the dealer."""
        if self._is_new("buy_dealer") or self._is_new("take_ante"):
            return self._is_new("buy_dealer")
        return strength(cards, joker) >= 2

    def _something_new(self, cards: list[str], joker: str | None, allowed: set[str]) -> Choice | None:
        """What may be done here and nobody has done yet: draws before bets and folds, which come by themselves."""
        if "exchange" in allowed:
            for count in range(self._most, 0, -1):
                if self._is_new(f"exchange {count}"):
                    return Choice(Act.EXCHANGE, weakest(cards, joker, count))
        return Choice(Act.BUY6) if "buy6" in allowed and self._is_new("buy6") else None

    def _is_new(self, choice: str) -> bool:
        return self._tried is not None and choice not in self._tried

    def _throw(self, cards: list[str], joker: str | None, have: int) -> tuple[int, ...]:
        if have == 0 and self._most >= 1:
            position = odd_one(cards, joker)
            if position is not None:
                return (position,)
        if have == 0 and self._most >= 5 and self._hash(cards) % 4 == 0:
            return (0, 1, 2, 3, 4)
        if have == 1 and self._most >= 2 and self._hash(cards) % 3 == 0:
            return weak_cards(cards, joker, 2 if self._hash(cards) % 2 else min(self._most, 3))
        return ()

    def _ace_king(self, cards: list[str]) -> bool:
        return self._ace_king_is_a_hand and {"A", "K"} <= {card[0] for card in cards}

    @staticmethod
    def _hash(cards: list[str]) -> int:
        # A habit that varies with the hand yet repeats with the seed.
        return sum(RANKS.index(card[0]) * (i + 1) for i, card in enumerate(cards) if card != JOKER)
